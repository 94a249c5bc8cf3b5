// The panels of the work page: they are dragged or moved by arrow keys, folded away, and remembered.
const NAME = "director-panels";
const FIRST = { chat: 36, flow: 29, browser: 46 };
const main = document.getElementById("main");
const side = document.getElementById("pane-data");
const kept = { ...FIRST, ...JSON.parse(localStorage.getItem(NAME) ?? "{}") };

function show() {
  const wide = matchMedia("(min-width:1121px)").matches && !main.classList.contains("first-min");
  const { chat, flow, left, right } = kept;
  const rest = 100 - chat - flow;
  main.style.gridTemplateColumns = wide && !left && !right ? `minmax(330px,${chat}fr) 1px minmax(270px,${flow}fr) 1px minmax(320px,${rest}fr)` : "";
  main.classList.toggle("no-l", Boolean(left) && wide);
  main.classList.toggle("no-r", Boolean(right) && wide);
  side.style.setProperty("--split", `${kept.browser}%`);
  side.classList.toggle("folded", Boolean(kept.folded));
  for (const hand of document.querySelectorAll("[data-hand]")) hand.setAttribute("aria-valuenow", Math.round(kept[hand.dataset.hand]));
  localStorage.setItem(NAME, JSON.stringify(kept));
}

function set(name, share) {
  const [low, high] = { chat: [20, 60], flow: [18, 55], browser: [15, 80] }[name];
  kept[name] = Math.min(high, Math.max(low, share));
  if (kept.chat + kept.flow > 80) kept[name === "chat" ? "flow" : "chat"] = 80 - kept[name];
  show();
}

function dragged(event) {
  const hand = event.target.closest("[data-hand]");
  if (!hand) return;
  event.preventDefault();
  hand.setPointerCapture(event.pointerId);
  const box = (hand.dataset.hand === "browser" ? side : main).getBoundingClientRect();
  const move = ({ clientX, clientY }) => {
    const across = (100 * (clientX - box.left)) / box.width;
    if (hand.dataset.hand === "chat") set("chat", across);
    else if (hand.dataset.hand === "flow") set("flow", across - kept.chat);
    else set("browser", (100 * (clientY - box.top)) / box.height);
  };
  hand.addEventListener("pointermove", move);
  hand.addEventListener("pointerup", () => hand.removeEventListener("pointermove", move), { once: true });
}

export function fold(name) {
  kept[name] = !kept[name];
  show();
}

// A phone and a narrow window show one panel at a time.
export function panel(name) {
  main.dataset.tab = name;
  for (const one of document.querySelectorAll("[data-shows]")) one.setAttribute("aria-pressed", String(one.dataset.shows === name));
}

export function start() {
  document.addEventListener("pointerdown", dragged);
  document.addEventListener("dblclick", ({ target }) => {
    const name = target.closest("[data-hand]")?.dataset.hand;
    if (name) set(name, FIRST[name]);
  });
  document.addEventListener("keydown", (event) => {
    const hand = event.target.closest("[data-hand]");
    const step = { ArrowLeft: -2, ArrowUp: -2, ArrowRight: 2, ArrowDown: 2 }[event.key];
    if (!hand || !step) return;
    event.preventDefault();
    set(hand.dataset.hand, kept[hand.dataset.hand] + step);
  });
  document.addEventListener("click", ({ target }) => {
    const folded = target.closest("[data-fold]")?.dataset.fold;
    if (folded) fold(folded === "browser" ? "folded" : folded);
    if (target.closest("[data-shows]")) panel(target.closest("[data-shows]").dataset.shows);
  });
  matchMedia("(min-width:1121px)").addEventListener("change", show);
  show();
}

// The first look at an empty workflow has two panels; the others come with the first node.
let asked = false;
export function grow(more = false) {
  asked ||= more;
  const nodes = Number(document.getElementById("nodes").dataset.count);
  const first = nodes === 0 && !asked && !document.getElementById("picture");
  main.classList.toggle("first-min", first);
  for (const one of document.querySelectorAll("[data-runs]")) one.hidden = (one.dataset.runs === "1") !== nodes > 0;
  show();
}
