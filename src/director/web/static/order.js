// The order of nodes: dragged, or moved by Alt and the arrow keys, among those of the same list.
import { complain, send } from "./actions.js";

const api = `/api/workflows/${encodeURIComponent(document.body.dataset.workflow)}/nodes`;
const link = (node) => document.getElementById(`node-${node}`);
const nodes = () => document.getElementById("nodes");
let dragged = null;

async function put(node, other) {
  const to = other.querySelector("code").textContent;
  try {
    await send("POST", `${api}/${encodeURIComponent(node)}/move`, { to, version: Number(nodes().dataset.version) });
  } catch (error) {
    complain(nodes(), error);
  }
}

// The node beside another in its list; -1 is the one above.
function beside(node, step) {
  const item = link(node)?.closest("li");
  const next = step < 0 ? item?.previousElementSibling : item?.nextElementSibling;
  return next?.querySelector("[data-node]");
}

export async function step(node, way) {
  const other = beside(node, way);
  if (other) await put(node, other);
}

export function start() {
  document.addEventListener("keydown", (event) => {
    const way = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const node = event.target.closest("[data-node]")?.dataset.node;
    if (!event.altKey || !way || !node || event.target.closest("input, textarea, select")) return;
    event.preventDefault();
    step(node, way).then(() => setTimeout(() => link(node)?.focus(), 400));
  });
  const list = (one) => one?.closest("ol");
  document.addEventListener("dragstart", ({ target }) => {
    dragged = target.closest?.("#nodes [data-node]");
  });
  document.addEventListener("dragover", (event) => {
    const over = dragged && event.target.closest("#nodes [data-node]");
    if (over && over !== dragged && list(over) === list(dragged)) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    const over = dragged && event.target.closest("#nodes [data-node]");
    if (!over || list(over) !== list(dragged)) return;
    event.preventDefault();
    put(dragged.dataset.node, over);
    dragged = null;
  });
}
