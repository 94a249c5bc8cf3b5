// The versions of a workflow: listed, gone back to, undone and redone. Every version stays.
import { complain, send, toast } from "./actions.js";

const own = document.body.dataset.workflow;
const api = `/api/workflows/${encodeURIComponent(own)}/versions`;
const NAME = `undo:${own}`;
const nodes = () => document.getElementById("nodes");
const now = () => Number(nodes().dataset.version);
// Where the last undo stands: the version that it made, the one that it shows, the one it began at.
const place = () => {
  const kept = JSON.parse(sessionStorage.getItem(NAME) ?? "null");
  return kept?.made === now() ? kept : { made: now(), shows: now(), top: now() };
};

export function refresh() {
  const { shows, top } = place();
  const [undo, redo] = ["undo", "redo"].map((what) => document.querySelector(`[data-history=${what}]`));
  undo.disabled = shows < 2;
  redo.disabled = shows >= top;
}

async function back(version, top) {
  const every = await send("GET", api);
  const undone = every.find((one) => one.version === version + 1)?.reason;
  const left = await send("POST", `${api}/restore`, { version });
  sessionStorage.setItem(NAME, JSON.stringify({ made: left.version, shows: version, top }));
  return undone;
}

export async function step(what) {
  const { shows, top } = place();
  const to = what === "undo" ? shows - 1 : shows + 1;
  if (to < 1 || to > top) return;
  try {
    const reason = await back(to, top);
    toast(what === "undo" ? `Undone${reason ? `: ${reason}` : ""}. What ran before has happened all the same.` : `Again as in version ${to}`);
  } catch (error) {
    complain(nodes(), error);
  }
}

const make = (name, more, ...inside) => {
  const one = Object.assign(document.createElement(name), more);
  one.append(...inside);
  return one;
};

function difference(changes) {
  const kind = { "+": "added", "-": "gone", "@": "note" };
  return make("pre", { className: "diff", tabIndex: 0 }, ...changes.map((line) => make("span", { className: kind[line[0]] ?? "same", textContent: line })));
}

async function list() {
  const into = document.querySelector("#versions > div");
  const every = await send("GET", api);
  const rows = every.slice(0, 40).map((one, nth) => {
    const says = make("span", { className: "m sp el", textContent: one.reason || "" });
    const summary = make("summary", { className: "ver" }, make("b", { textContent: `v${one.version}` }), says);
    if (!nth) summary.append(make("span", { className: "tag", textContent: "now" }));
    const row = make("details", { className: "s" }, summary, one.changes.length ? difference(one.changes) : make("p", { className: "q", textContent: "The first version." }));
    if (nth) {
      const button = make("button", { type: "button", className: "btn sm mt8", textContent: `Restore v${one.version}` });
      button.onclick = async () => {
        await send("POST", `${api}/restore`, { version: one.version }).catch((error) => complain(nodes(), error));
        toast(`Restored version ${one.version}; every version stays`);
        document.getElementById("versions").open = false;
      };
      row.append(button);
    }
    return row;
  });
  into.replaceChildren(...rows);
}

export function start() {
  document.addEventListener("toggle", ({ target }) => target.id === "versions" && target.open && list(), true);
  document.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-history]");
    if (button) step(button.dataset.history);
  });
  refresh();
}
