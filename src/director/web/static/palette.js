// Search and commands by Ctrl K: places, workflows, nodes, what the page can do, words of the chat.
import { ask } from "./session.js";

const dialog = document.getElementById("palette");
const box = document.getElementById("palette-words");
const list = document.getElementById("palette-list");
let every = [];
let workflows = null;

function commands() {
  const found = [];
  const add = (name, about, run, key = "") => found.push({ name, about, run, key });
  const go = (to) => () => (location.href = to);
  for (const link of document.querySelectorAll("header nav a[href]")) add(link.textContent.trim(), "page", go(link.href));
  if (document.getElementById("say")) {
    add("Write a message", "command", () => document.getElementById("say").focus(), "/");
    add("Search this conversation", "command", () => document.querySelector("[data-find]").click());
  }
  for (const [selector, name, key] of [
    ["#compress", "Compress the conversation", "Ctrl Shift L"],
    ["#stop:not([hidden])", "Stop", "Esc"],
    ["[data-history=undo]:not([disabled])", "Undo the last change of the workflow", "Ctrl Z"],
    ["[data-runs='1']:not([hidden]), a.btn[href$='/runs']", "Run this workflow", ""],
    ["[data-theme-switch]", "Switch between light and dark", ""],
  ]) {
    const button = document.querySelector(selector);
    if (button) add(name, "command", () => button.click(), key);
  }
  for (const node of document.querySelectorAll("#nodes [data-node]")) add(node.querySelector("b").textContent, `node ${node.querySelector("code").textContent}`, () => (location.hash = `node-${node.dataset.node}`));
  for (const one of workflows ?? []) add(one.name, "workflow", go(`/w/${encodeURIComponent(one.id)}`));
  add("All workflows", "page", go("/"));
  add("Settings", "page", go("/settings"));
  add("Help and shortcuts", "page", go("/help"), "?");
  return found;
}

function show() {
  const words = box.value.trim().toLowerCase();
  const found = every.filter((one) => words.split(/\s+/).every((word) => `${one.name} ${one.about}`.toLowerCase().includes(word))).slice(0, 30);
  if (words && document.getElementById("words")) {
    found.push({
      name: `Search the conversation for “${box.value.trim()}”`,
      about: "",
      key: "",
      run: () => {
        document.getElementById("search").hidden = false;
        const field = document.getElementById("words");
        field.value = box.value.trim();
        field.dispatchEvent(new Event("input", { bubbles: true }));
        field.focus();
      },
    });
  }
  list.replaceChildren(
    ...found.map((one, nth) => {
      const row = Object.assign(document.createElement("div"), { id: `palette-${nth}`, onclick: () => take(one) });
      row.setAttribute("role", "option");
      row.setAttribute("aria-selected", String(nth === 0));
      const span = (className, textContent) => Object.assign(document.createElement("span"), { className, textContent });
      row.append(span("el", one.name), span("q s el", one.about), span("sp", ""));
      if (one.key) row.append(span("kbd", one.key));
      row.take = () => take(one);
      return row;
    }),
  );
  box.setAttribute("aria-activedescendant", found.length ? "palette-0" : "");
}

function take(one) {
  dialog.close();
  one.run();
}

function move(step) {
  const rows = [...list.children];
  const now = rows.findIndex((row) => row.getAttribute("aria-selected") === "true");
  const next = rows[(now + step + rows.length) % rows.length];
  if (!next) return;
  rows[now]?.setAttribute("aria-selected", "false");
  next.setAttribute("aria-selected", "true");
  next.scrollIntoView({ block: "nearest" });
  box.setAttribute("aria-activedescendant", next.id);
}

export async function open() {
  if (dialog.open) return;
  box.value = "";
  every = commands();
  show();
  dialog.showModal();
  box.focus();
  if (workflows) return;
  const answer = await ask("/api/workflows").catch(() => null);
  workflows = answer?.ok ? await answer.json() : [];
  every = commands();
  show();
}

export function start() {
  box.addEventListener("input", show);
  dialog.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      move(step);
    } else if (event.key === "Enter") {
      event.preventDefault();
      list.querySelector("[aria-selected=true]")?.take();
    }
  });
  dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
  document.addEventListener("click", ({ target }) => target.closest("[data-palette]") && open());
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.key.toLowerCase() !== "k") return;
    event.preventDefault();
    open();
  });
}
