// One node in full beside the outline: opened by its address, edited field by field. Nothing is saved
// when nothing changed; what another window changed meanwhile is never overwritten unasked.
import { complain, during, send, toast } from "./actions.js";
import { panel } from "./layout.js";
import { morph, parsed, unpressed } from "./morph.js";
import * as order from "./order.js";
import { ask } from "./session.js";
import { apply } from "./tables.js";

const drawer = () => document.getElementById("drawer");
const named = () => /^#node-(.+)$/.exec(location.hash)?.[1] ?? "";
let base = "";
let shown = "";

export function isOpen() {
  return !drawer().hidden;
}

function mark() {
  for (const one of document.querySelectorAll("[data-node][href]")) {
    if (one.dataset.node === shown) one.setAttribute("aria-current", "true");
    else one.removeAttribute("aria-current");
  }
}

export async function refresh() {
  mark();
  if (!shown || isDirty()) return;
  const node = shown;
  const answer = await ask(`${base}drawer?node=${encodeURIComponent(node)}`);
  if (shown !== node) return;
  if (!answer.ok) {
    if (answer.status === 404) close();
    return;
  }
  const [fresh] = parsed(await answer.text());
  await unpressed();
  if (drawer().dataset.node === node && !drawer().hidden) morph(drawer(), fresh);
  else drawer().replaceWith(fresh);
  remember();
  apply();
  mark();
}

export function close() {
  const before = shown;
  shown = "";
  drawer().hidden = true;
  drawer().replaceChildren();
  if (named()) history.replaceState(null, "", location.pathname);
  mark();
  document.getElementById(`node-${before}`)?.focus({ preventScroll: true });
}

async function follow() {
  const node = named();
  if (!node || node === shown) return;
  if (shown && isDirty() && !confirm("The changes of this node are not saved. Leave them?")) return;
  forget();
  shown = node;
  panel("data");
  await refresh();
  const link = document.getElementById(`node-${node}`);
  link?.scrollIntoView({ block: "nearest" });
  drawer().tabIndex = -1;
  drawer().focus({ preventScroll: true });
}

export function go(step) {
  const links = [...document.querySelectorAll("#nodes [data-node]")];
  const at = links.findIndex((one) => one.dataset.node === shown);
  const next = links[at < 0 ? 0 : at + step];
  if (next) location.hash = `node-${next.dataset.node}`;
}

// What was changed and is not saved.
let first = "";
const fields = () => [...drawer().querySelectorAll("[data-change], [data-config], #n-config")];
const values = () => JSON.stringify(fields().map((one) => (one.type === "checkbox" ? one.checked : one.value)));
const remember = () => (first = values());
const forget = () => (first = "");
const isDirty = () => Boolean(first) && isOpen() && values() !== first;

function valueOf(field) {
  const { kind } = field.dataset;
  if (kind === "switch") return field.checked;
  if (kind === "number") return Number(field.value);
  return kind === "json" ? JSON.parse(field.value) : field.value;
}

function changes() {
  const found = {};
  for (const one of drawer().querySelectorAll("[data-change]")) if (one.value !== one.defaultValue) found[one.dataset.change] = one.value;
  const whole = document.getElementById("n-config");
  if (whole && whole.value !== whole.defaultValue) {
    found.config = JSON.parse(whole.value);
    return found;
  }
  const config = whole ? JSON.parse(whole.defaultValue) : {};
  let differs = false;
  for (const one of drawer().querySelectorAll("[data-config]")) {
    const was = one.type === "checkbox" ? one.defaultChecked : one.defaultValue;
    if ((one.type === "checkbox" ? one.checked : one.value) === was) continue;
    config[one.dataset.config] = valueOf(one);
    differs = true;
  }
  if (differs) found.config = config;
  return found;
}

async function patch(near, change, version) {
  const body = { changes: change, merge: "replace" };
  if (version) body.version = Number(version);
  try {
    await send("PATCH", drawer().dataset.apiNode, body);
    forget();
    if (near.dataset.condition !== undefined) {
      near.reset();
      near.hidden = true;
    }
    await refresh();
    toast("Saved");
  } catch (error) {
    if (error.status === 409 && version) await conflict(near, change);
    else complain(near, error);
  }
}

// Another window has saved meanwhile. If it was another node, nothing is in the way; if it was this one,
// what it says now stands beside what is to be saved.
async function conflict(near, change) {
  const answer = await ask(`${base}drawer?node=${encodeURIComponent(shown)}`);
  const [fresh] = answer.ok ? parsed(await answer.text()) : [];
  if (fresh && fresh.dataset.changed === drawer().dataset.changed) return patch(near, change, fresh.dataset.version);
  complain(near, null);
  document.getElementById("conflict")?.remove();
  const make = (name, more, ...inside) => {
    const one = Object.assign(document.createElement(name), more);
    one.append(...inside);
    return one;
  };
  const rows = Object.keys(change).map((name) => {
    const theirs = fresh?.querySelector(`[data-change=${name}]`)?.value ?? fresh?.querySelector("#n-config")?.value ?? "deleted";
    const mine = typeof change[name] === "string" ? change[name] : JSON.stringify(change[name], null, 1);
    return make("tr", {}, make("td", { className: "m", textContent: name }), make("td", { className: "v", textContent: theirs }), make("td", { className: "v", textContent: mine }));
  });
  const head = make("tr", {}, ...["Field", "Saved there", "Yours, not saved"].map((textContent) => make("th", { scope: "col", textContent })));
  const card = make("section", { className: "note warn", id: "conflict" });
  card.setAttribute("role", "alert");
  const button = (textContent, onclick) => make("button", { type: "button", className: "btn sm", textContent, onclick });
  card.append(
    make(
      "div",
      { className: "sp col" },
      make("b", { textContent: "This node was changed in another window" }),
      make("p", { className: "m s", textContent: "Nothing of yours was saved yet, and nothing is lost." }),
      make("div", { className: "scroll" }, make("table", { className: "tb d" }, make("thead", {}, head), make("tbody", {}, ...rows))),
      make("div", { className: "row wrap" }, button("Take theirs", () => (card.remove(), forget(), refresh())), button("Save mine", () => (card.remove(), patch(near, change, 0)))),
    ),
  );
  drawer().querySelector(":scope > .told").after(card);
  card.querySelector("button").focus();
  return undefined;
}

function save() {
  const near = drawer();
  complain(near, null);
  try {
    const change = changes();
    if (Object.keys(change).length) during(document.getElementById("save-node"), () => patch(near, change, drawer().dataset.version));
  } catch (error) {
    complain(near, new Error(`That is not JSON: ${error.message}`));
  }
}

function condition(form, removes) {
  complain(form, null);
  const every = JSON.parse(document.getElementById("n-con").dataset.conditions);
  const kind = form.dataset.condition || document.getElementById("new-kind").value;
  const at = Number(form.dataset.index);
  const list = [...every[kind]];
  try {
    const written = form.querySelector("textarea");
    const made = removes ? null : JSON.parse(written.value);
    if (made && at >= 0 && JSON.stringify(made) === JSON.stringify(JSON.parse(written.defaultValue))) return toast("Nothing was changed");
    if (at < 0) list.push(made);
    else list.splice(at, 1, ...(removes ? [] : [made]));
  } catch (error) {
    return complain(form, new Error(`That is not JSON: ${error.message}`));
  }
  return patch(form, { [kind]: list }, drawer().dataset.version);
}

async function act(what) {
  const near = drawer();
  const { apiNode, version } = near.dataset;
  const row = near.querySelector("[data-change=alias]");
  const at = [...document.querySelectorAll("#nodes [data-node]")].findIndex((one) => one.dataset.node === shown) + 1;
  complain(near, null);
  try {
    if (what === "delete") {
      await send("DELETE", `${apiNode}?version=${version}`);
      close();
      toast("Deleted. Undo is above the outline.");
    } else if (what === "duplicate") {
      const config = JSON.parse(document.getElementById("n-config").value);
      const type = near.querySelector("#n-set .tag").textContent;
      await send("POST", apiNode.replace(/\/[^/]+$/, ""), { type, alias: `${row.value}_copy`, config, description: near.querySelector("[data-change=description]").value, position: at + 1 });
      toast(`${row.value}_copy was added below`);
    } else {
      await order.step(shown, what === "up" ? -1 : 1);
    }
  } catch (error) {
    complain(near, error);
  }
}

export function start(where) {
  base = where;
  addEventListener("hashchange", follow);
  document.addEventListener("click", (event) => {
    const at = (selector) => event.target.closest(selector);
    const link = at("[data-node][href]");
    if (link && link.dataset.node === shown) drawer().focus();
    const step = at("[data-go]")?.dataset.go;
    if (step === "-") close();
    else if (step) location.hash = `node-${step}`;
    if (at("#save-node")) save();
    if (at("[data-remove-condition]")) condition(at("form"), true);
    if (at("[data-node-do]")) act(at("[data-node-do]").dataset.nodeDo);
    const inside = at(".drawer .tabs a");
    if (inside) {
      event.preventDefault();
      document.querySelector(inside.getAttribute("href")).scrollIntoView({ block: "start" });
    }
  });
  document.addEventListener("submit", (event) => {
    const { condition: kind, setup } = event.target.dataset;
    if (kind === undefined && setup === undefined) return;
    event.preventDefault();
    if (setup === undefined) condition(event.target, false);
    else save();
  });
  document.addEventListener("input", ({ target }) => {
    if (!target.closest("#setup")) return;
    const dirty = isDirty();
    document.getElementById("unsaved").textContent = dirty ? "Not saved yet" : "No unsaved changes";
    document.getElementById("save-node").disabled = !dirty;
    document.getElementById("save-node").classList.toggle("pri", dirty);
  });
  follow();
}
