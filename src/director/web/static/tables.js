// Tabs, and tables that are sorted and filtered where they are. What was chosen is put back after
// the server has sent a part anew, and the tab also when the page is opened again.
const sorted = new Map();
const filters = new Map();
const chosen = (set) => sessionStorage.getItem(`tab:${set.dataset.tabset}`);

function pick(set, tab) {
  for (const one of set.querySelectorAll("[role=tab]")) {
    const is = one === tab;
    one.setAttribute("aria-selected", String(is));
    one.tabIndex = is ? 0 : -1;
    document.getElementById(one.getAttribute("aria-controls")).hidden = !is;
  }
}

export function choose(id) {
  const tab = document.getElementById(id);
  const set = tab?.closest("[data-tabset]");
  if (!set) return;
  sessionStorage.setItem(`tab:${set.dataset.tabset}`, id);
  pick(set, tab);
}

const number = (text) => (/^[^\d-]{0,2}-?[\d.,]+\s?\D{0,3}$/.test(text) ? Number(text.replace(/[^\d.-]/g, "")) : NaN);

function compare(one, other) {
  const [a, b] = [number(one), number(other)];
  if (!Number.isNaN(a) && !Number.isNaN(b)) return a - b;
  return one.localeCompare(other, undefined, { numeric: true });
}

function sort(table) {
  const { column, down } = sorted.get(table.id) ?? {};
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, nth) => {
    if (nth === column) head.setAttribute("aria-sort", down ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  });
  if (column === undefined) return;
  const body = table.tBodies[0];
  const said = (row) => row.cells[column]?.textContent.trim() ?? "";
  const rows = [...body.rows].sort((one, other) => (down ? -1 : 1) * compare(said(one), said(other)));
  body.append(...rows);
}

function filter(table) {
  const words = (filters.get(table.id) ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  for (const row of table.tBodies[0].rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every((word) => text.includes(word));
  }
}

export function apply() {
  for (const set of document.querySelectorAll("[data-tabset]")) {
    const tab = chosen(set) && document.getElementById(chosen(set));
    if (tab) pick(set, tab);
  }
  for (const table of document.querySelectorAll("table[data-sortable]")) {
    if (sorted.has(table.id)) sort(table);
    if (filters.has(table.id)) filter(table);
  }
}

export function start() {
  document.addEventListener("click", ({ target }) => {
    const tab = target.closest("[data-tabset] [role=tab]");
    if (tab) choose(tab.id);
    const head = target.closest("table[data-sortable] th");
    if (!head) return;
    const table = head.closest("table");
    const before = sorted.get(table.id);
    const down = before?.column === head.cellIndex && !before.down;
    sorted.set(table.id, { column: head.cellIndex, down });
    sort(table);
  });
  document.addEventListener("keydown", (event) => {
    const tab = event.target.closest("[data-tabset] [role=tab]");
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!tab || !step) return;
    const tabs = [...tab.closest("[data-tabset]").querySelectorAll("[role=tab]")];
    const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
    next.focus();
    choose(next.id);
  });
  document.addEventListener("input", ({ target }) => {
    const table = target.dataset.filter && document.getElementById(target.dataset.filter);
    if (!table) return;
    filters.set(table.id, target.value);
    filter(table);
  });
  apply();
}
