"""Pages that are built as those of widget libraries: lists, calendars, sliders, uploads."""

# As selectize draws it: no roles, the options in a box of their own, what was chosen as an item.
SELECTIZE = """<title>Order</title><div class=form-group>
<label for=c-selectized>Customer</label><div><select id=c style="display: none"><option value=""></select>
<div class="selectize-control single"><div class="selectize-input items" id=box>
<input type=text autocomplete=new-password id=c-selectized style="width: 4px"></div>
<div class=selectize-dropdown id=drop style="display: none"><div class=selectize-dropdown-content></div></div>
</div></div></div><script>
const field = document.getElementById('c-selectized'), list = drop.firstElementChild;
field.onfocus = field.onclick = () => { list.innerHTML = ''; drop.style.display = 'block';
  for (const name of ['Groß AG', 'Smith', 'Bäckerei "Zum Korn"']) { const option = document.createElement('div');
    option.className = 'option'; option.dataset.selectable = ''; option.textContent = name; list.append(option);
    option.onmousedown = e => { e.preventDefault(); box.querySelector('.item')?.remove(); field.value = '';
      box.insertAdjacentHTML('afterbegin', '<div class=item></div>'); box.firstChild.textContent = name;
      c.innerHTML = '<option selected>'; c.firstChild.value = name; c.firstChild.text = name;
      drop.style.display = 'none' } } };
field.onblur = () => { drop.style.display = 'none'; field.value = '' }</script>"""
# As bootstrap's calendar does: it hears keys alone, and writes the date that it knows as it is left.
CALENDAR = """<title>Due</title><label for=due>Due date</label>
<input id=due class=form-control data-date-format=yyyy-mm-dd value=2026-01-01><p id=known>2026-01-01</p>
<input id=other aria-label=Other class=datepicker value=2026-01-01><script>
due.onkeyup = e => { if (/^\\d{4}-\\d\\d-\\d\\d$/.test(due.value)) known.textContent = due.value };
due.onkeydown = e => { if (e.key === 'Tab') due.value = known.textContent };
other.onkeydown = e => { if (e.key === 'Tab') other.value = '2026-01-01' }</script>"""
# As the ion slider draws it: the value in a hidden read-only field, keys go to the line.
RANGE = """<title>Hours</title><div><label for=hours>Hours</label><span class=irs>
<span class=irs-line tabindex=0 id=line style="display: block; height: 8px; width: 200px"></span>
<span class=irs-single id=single>8</span></span>
<input class=irs-hidden-input id=hours readonly tabindex=-1 value=8 style="position: absolute; width: 1px; opacity: 0"></div>
<script>let first = true; line.onkeydown = e => { const by = {ArrowRight: 1, ArrowLeft: -1}[e.key] * (first ? 2 : 1);
  first = false; requestAnimationFrame(() => { hours.value = Math.min(40, Math.max(1, +hours.value + by));
  single.textContent = hours.value }) }</script>"""
# Its page is busy with the choice for longer than a second, and the list is closed by then.
SLOW = """<title>Slow</title><input id=city role=combobox aria-label=City aria-expanded=false readonly
 onclick="choices.hidden = false"><div id=choices role=listbox hidden><div role=option>Bern</div></div><script>
choices.onmousedown = () => { city.value = 'Bern'; choices.hidden = true;
  const began = Date.now(); while (Date.now() - began < 1300); }</script>"""
CLOSED = """<title>Closed</title><label>Arrived on <input id=day readonly list=none></label>
<input id=late aria-label=Late readonly onfocus="this.removeAttribute('readonly')">"""
UPLOAD = """<title>Upload</title><label for=att>Attachment</label><div><label><span>Browse...
<input id=att type=file style="position: absolute; top: -9999px"></span></label>
<input type=text placeholder="No file selected" readonly></div>
<div role=menu><div role=list><div role=listitem onclick="document.title = 'received'"><div>Receive stock…</div></div>
<div role=listitem><div>Put on hold</div></div></div></div>"""
CLEARABLE = """<title>Stock</title><label><input id=q placeholder=Search
 oninput="q.removeAttribute('placeholder'); q.setAttribute('aria-label', q.value ? 'Clear' : 'Search')"></label>"""
# As Quasar draws it: an icon opens the calendar, which stays open over the page until Escape.
QUASAR = """<title>Arrival</title><div class=q-field><input id=day readonly aria-label="Arrived on">
<button type=button onclick="document.title = 'updated'">Update</button>
<i class="material-icons cursor-pointer" id=icon>edit_calendar</i></div>
<div class=q-menu id=menu hidden><div class=q-date><div class=q-date__navigation>
<div class=q-date__arrow><button type=button onclick="turn(-1)">‹</button></div><span id=month></span>
<div class=q-date__arrow><button type=button onclick="turn(1)">›</button></div>
<div class=q-date__arrow><button type=button onclick="turn(-12)">‹</button></div><span id=year></span></div>
<div id=days></div></div></div><script>
const at = new Date(2026, 10, 1);
const draw = () => { month.textContent = at.toLocaleString('en', {month: 'long'}); year.textContent = at.getFullYear();
  const cell = (n, where) => `<div class=q-date__calendar-item--${where}><button type=button>${n}</button></div>`;
  const many = new Date(at.getFullYear(), at.getMonth() + 1, 0).getDate();
  days.innerHTML = cell(30, 'out') + [...Array(many).keys()].map(n => cell(n + 1, 'in')).join('') };
const turn = by => setTimeout(() => { at.setMonth(at.getMonth() + by); draw() }, 30);
draw(); icon.onclick = () => { menu.hidden = false }; onkeydown = e => { if (e.key === 'Escape') menu.hidden = true };
days.onclick = e => { day.value = [String(e.target.innerText).padStart(2, '0'),
  String(at.getMonth() + 1).padStart(2, '0'), at.getFullYear()].join('.') }</script>"""
