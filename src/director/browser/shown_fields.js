// What a page shows under names: pairs of names and a value. Reads only.
typed => {
  const masks = globalThis.__directorMasks, editors = masks?.editors() ?? [];
  const seen = e => e.checkVisibility?.({visibilityProperty: true}) ?? true;
  const words = text => (text ?? '').replace(/\s+/g, ' ').trim();
  const text = e => masks?.hidesText(e, editors) ? null : words(e.innerText ?? e.textContent);
  const found = [];
  const add = (names, value) => { if (value !== null && found.length < 400) found.push([names, value]); };
  for (const dt of document.querySelectorAll('dt')) {
    const dd = dt.nextElementSibling;
    if (dd?.matches('dd') && seen(dd)) add([text(dt)], text(dd));
  }
  for (const row of document.querySelectorAll('tr')) {
    const [heads, cells] = [[...row.cells].filter(c => c.matches('th')), [...row.cells].filter(c => c.matches('td'))];
    if (heads.length && heads.length === cells.length && seen(row)) {
      for (const head of heads) {
        const next = head.nextElementSibling;
        if (next?.matches('td') && !next.querySelector('input,select,textarea')) add([text(head)], text(next));
      }
    }
  }
  const lower = typed.map(each => words(each).toLowerCase()).filter(each => each.length > 2);
  for (const table of document.querySelectorAll('table')) {
    const head = table.tHead?.rows[0] ?? [...table.rows].find(r => r.querySelector('th') && !r.querySelector('td'));
    if (!head || table.querySelector('[colspan]:not([colspan="1"]),[rowspan]:not([rowspan="1"])')) continue;
    // The town alone is that of many: most of what was typed, or what was typed first, tells the row of an entry.
    const isEntry = r => {
      const cells = [...r.cells].map(c => words(c.innerText).toLowerCase());
      const shown = lower.filter(each => cells.includes(each));
      return shown.length * 2 > lower.length || (lower.length > 0 && shown.includes(lower[0]));
    };
    const rows = [...table.rows].filter(r => r !== head && seen(r) && r.cells.length === head.cells.length && isEntry(r));
    if (rows.length === 1) [...rows[0].cells].forEach((cell, at) => add([text(head.cells[at])], text(cell)));
  }
  // The fields of a filter say nothing of an entry: only those of a form that holds some of it do.
  const isFilter = field => field.form && ![...field.form.elements].some(e => lower.includes(words(e.value).toLowerCase()));
  for (const field of document.querySelectorAll('input:not([type=password]):not([type=hidden]):not([type=checkbox]):not([type=radio]):not([type=submit]):not([type=button]),textarea')) {
    if (!seen(field) || isFilter(field) || masks?.hidesText(field, editors)) continue;
    add([field.name, field.id, field.getAttribute('aria-label'), ...[...(field.labels ?? [])].map(text)], words(field.value));
  }
  for (const list of document.querySelectorAll('select:not([multiple])')) {
    if (!seen(list) || isFilter(list) || masks?.hidesText(list, editors)) continue;
    const chosen = list.value ? words(list.selectedOptions[0]?.text) : '';
    add([list.name, list.id, list.getAttribute('aria-label'), ...[...(list.labels ?? [])].map(text)], chosen);
  }
  for (const label of document.querySelectorAll('strong,b,span,div,label,h3,h4')) {
    const said = label.childElementCount ? '' : text(label);
    const next = label.nextElementSibling;
    if (!said || !/^[^:]{2,40}:$/.test(said) || label.control || !seen(label) || next?.matches('input,select,textarea')) continue;
    const after = words(label.nextSibling?.nodeType === Node.TEXT_NODE ? label.nextSibling.data : '');
    const isAlone = label.parentElement.matches('p,li') && text(label.parentElement) === said;
    if (after || next || isAlone) add([said], after || (next ? text(next) : ''));
  }
  return found.map(([names, value]) => [names.filter(Boolean), value]);
}
