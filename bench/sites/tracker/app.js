// An issue tracker of the project's own making: a table in pages, issue pages, dialogs, releases.
import { seeded } from "/random.js";

const PARTS = ["importer", "scheduler", "viewer", "exporter", "search", "login", "billing", "mailer"];
const TROUBLES = [
  "stops after the second page", "shows yesterday's totals", "drops the last row", "loses its place on reload",
  "times out behind a proxy", "counts cancelled entries twice", "ignores the time zone", "fails on names with a slash",
  "keeps the old password", "sorts capital letters first", "sends the same message twice", "refuses files over 2 MB",
];
const PEOPLE = ["a.brandt", "c.okafor", "d.lindqvist", "h.moreau", "k.tanaka", "l.santos", "n.weiss", "r.iyer"];
const LABELS = ["bug", "regression", "data-loss", "usability", "performance"];
const REMARKS = [
  "I can repeat this on a fresh account.", "It began with the last upgrade.", "The log has nothing more than the code above.",
  "A restart helps for about an hour.", "Three customers have written about it this week.", "It does not happen with the cache off.",
  "Bisected to the commit above.", "I would rather not ship without a fix for this.",
];

function archive() {
  const random = seeded(20260);
  let number = 1000;
  return Array.from({ length: 48 }, () => {
    const part = random.pick(PARTS);
    number += random.whole(1, 9);
    return {
      id: `QRY-${number}`, part, title: `${part[0].toUpperCase()}${part.slice(1)} ${random.pick(TROUBLES)}`,
      label: random.pick(LABELS), owner: random.pick(PEOPLE), by: random.pick(PEOPLE), priority: `P${random.whole(1, 4)}`,
      opened: `2025-${random.whole(10, 12)}-${random.whole(10, 28)}`, code: `E${random.whole(2000, 7999)}`, commit: random.hex(9),
      build: `${random.whole(3, 4)}.${random.whole(0, 14)}.${random.whole(0, 9)}`, line: random.whole(20, 940), trace: `tr_${random.hex(10)}`,
      remarks: Array.from({ length: random.whole(2, 6) }, () => ({ by: random.pick(PEOPLE), text: random.pick(REMARKS), on: `2025-12-${random.whole(10, 28)}` })),
    };
  });
}

const issues = archive();
const byId = (id) => issues.find((issue) => issue.id === id);
const saved = () => JSON.parse(localStorage.getItem("events") ?? "[]");
const releases = Array.from({ length: 9 }, (_, index) => {
  const random = seeded(77 + index);
  const held = issues.filter((_, at) => at % 9 === index);
  return { version: `4.${index + 3}.${random.whole(0, 5)}`, on: `2026-0${index + 1}-${random.whole(10, 28)}`, sum: random.hex(12), commits: held.map((issue) => issue.commit) };
});

function table() {
  const query = new URLSearchParams(location.search);
  const label = query.get("label") ?? "";
  const shown = issues.filter((issue) => !label || issue.label === label);
  const page = Number(query.get("page") ?? 1);
  const last = Math.max(1, Math.ceil(shown.length / 16));
  const rows = shown.slice((page - 1) * 16, page * 16).map((issue) => `<tr><td><a href="/issue/${issue.id}">${issue.id}</a></td><td>${issue.title}</td>
    <td>${issue.label}</td><td>${issue.priority}</td><td>${issue.owner}</td><td>${issue.opened}</td></tr>`).join("");
  const turn = (to, text) => `<a href="/?label=${label}&page=${to}">${text}</a>`;
  return `<h1>Issues</h1><form><label>Label <select name="label"><option value="">any</option>${LABELS.map((l) => `<option ${l === label ? "selected" : ""}>${l}</option>`).join("")}</select></label><button>Filter</button></form>
    <table><thead><tr><th>Issue</th><th>Title</th><th>Label</th><th>Priority</th><th>Owner</th><th>Opened</th></tr></thead><tbody>${rows}</tbody></table>
    <p>Page ${page} of ${last}. ${page > 1 ? turn(page - 1, "Previous page") : ""} ${page < last ? turn(page + 1, "Next page") : ""}</p>`;
}

const dialog = (id, title, label) => `<dialog id="${id}" aria-label="${title}"><form method="dialog"><label>${label} <input name="value"></label><button value="save">Save</button><button value="">Cancel</button></form></dialog>
  <button data-open="${id}">${title}</button>`;

function issue(id) {
  const i = byId(id);
  const events = saved().filter((event) => event.id === id);
  return `<h1>${i.id}: ${i.title}</h1><dl><dt>Owner</dt><dd>${i.owner}</dd><dt>Label</dt><dd>${i.label}</dd><dt>Priority</dt><dd>${i.priority}</dd><dt>Found in</dt><dd>${i.build}</dd>
    <dt>Error code</dt><dd>${i.code}</dd><dt>Trace</dt><dd>${i.trace}</dd><dt>Suspect commit</dt><dd>${i.commit}</dd></dl>
    <h2>What happens</h2><p>The ${i.part} ${i.title.split(" ").slice(1).join(" ")}. Reported by ${i.by} on ${i.opened}.</p>
    <pre>${i.part}/run.py:${i.line}: in advance\n${i.part}/steps.py:${i.line + 17}: in take\n${i.part.toUpperCase()} ${i.code}: could not finish step ${i.line % 13}</pre>
    <h2>Remarks</h2><ol>${i.remarks.map((r) => `<li>${r.by}, ${r.on}: ${r.text}</li>`).join("")}${events.map((e) => `<li>${e.kind}: ${e.value}</li>`).join("")}</ol>
    <form id="remark"><label>New remark <textarea name="value"></textarea></label><button>Add remark</button></form>
    ${dialog("duplicate", "Mark as duplicate", "Duplicate of")}${dialog("fixed", "Set fix version", "Fixed in version")}${dialog("owner", "Change owner", "New owner")}<p role="status"></p>`;
}

const pages = {
  "": table, issue,
  releases: () => `<h1>Releases</h1>${releases.map((r) => `<section><h2>Version ${r.version}</h2><p>Released on ${r.on}, checksum ${r.sum}.</p><ul>${r.commits.map((c) => `<li>commit ${c}</li>`).join("")}</ul></section>`).join("")}`,
  people: () => `<h1>People</h1><ul>${PEOPLE.map((p) => `<li>${p}@quarry.test: ${issues.filter((i) => i.owner === p).length} issues, pager ${4100 + p.length * 37}</li>`).join("")}</ul>`,
};

const [, page, argument] = location.pathname.split("/");
document.body.insertAdjacentHTML("beforeend", `<header><nav><a href="/">Issues</a><a href="/releases">Releases</a><a href="/people">People</a></nav></header><main>${pages[page](argument)}</main>`);
document.title = `${document.querySelector("h1").textContent} - Quarry`;

function save(kind, value) {
  localStorage.setItem("events", JSON.stringify([...saved(), { id: argument, kind, value }]));
  const known = kind !== "duplicate" || byId(value);
  document.querySelector("[role=status]").textContent = known ? `Saved: ${kind} ${value}` : `There is no issue ${value}`;
}
document.addEventListener("click", (event) => {
  if (event.target.dataset.open) document.getElementById(event.target.dataset.open).showModal();
});
document.addEventListener("submit", (event) => {
  if (event.target.id !== "remark" && event.target.method !== "dialog") return;
  if (event.target.id === "remark") event.preventDefault();
  if (event.target.id === "remark" || event.submitter.value === "save") save(event.target.closest("dialog")?.id ?? "remark", new FormData(event.target).get("value"));
});
