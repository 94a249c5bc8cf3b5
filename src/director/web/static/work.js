// The page to work in: its parts change live, the chat streams, panels switch on a phone.
import { complain, during, send } from "./actions.js";
import { Talk } from "./chat.js";
import * as demo from "./demo.js";
import * as drawer from "./drawer.js";
import * as layout from "./layout.js";
import * as live from "./live.js";
import { parsed, swap, unpressed } from "./morph.js";
import * as order from "./order.js";
import * as pictures from "./pictures.js";
import { ask } from "./session.js";
import * as tables from "./tables.js";
import * as variables from "./variables.js";
import * as versions from "./versions.js";

const own = document.body.dataset.workflow;
const base = `/w/${encodeURIComponent(own)}/part/`;
const talk = new Talk(base, `/api/workflows/${encodeURIComponent(own)}/turn`, () => layout.panel("chat"));
const stale = new Set();
const loading = new Set();
let waiting = 0;

function touch(parts) {
  for (const part of parts) if (part !== "workflows" && part !== "requests" && part !== "runs") stale.add(part);
  clearTimeout(waiting);
  waiting = setTimeout(refresh, 60);
}

function refresh() {
  for (const part of [...stale]) {
    if (loading.has(part)) continue;
    stale.delete(part);
    loading.add(part);
    load(part).finally(() => {
      loading.delete(part);
      if (stale.has(part)) touch([]);
    });
  }
}

async function load(part) {
  const query = document.querySelector(`#${part}[data-part]`)?.dataset.query ?? "";
  try {
    if (part === "chat") return await talk.refresh();
    const answer = await ask(`${base}${part}${query}`);
    if (answer.status >= 500) throw new Error(`${part}: ${answer.status}`);
    const html = answer.ok ? await answer.text() : "";
    await unpressed();
    swap(html);
    tables.apply();
    if (part === "browser") picture();
    if (part === "browser" || part === "nodes") layout.grow();
    if (part === "nodes") {
      versions.refresh();
      drawer.refresh();
    }
    if (part === "composer") settled();
  } catch {
    // It is still out of date, so it is asked for again; if the server is gone the banner says so.
    setTimeout(() => touch([part]), 1000);
  }
  return undefined;
}

const TOOLS = {
  update_plan: "Writing the plan",
  create_node: "Creating a node",
  update_node: "Changing a node",
  test_single_node: "Testing a node",
  execute_nodes: "Running nodes",
  debug_navigate: "Opening a page",
  debug_action: "Trying something on the page",
  deploy_scout: "A scout looks at the page",
  send_scout: "A scout looks at the page",
  inspect_tab: "Looking at the page",
};
const GOING = {
  asking: () => "Asking the model",
  background: () => "The model works in the background",
  thinking: () => "The model is thinking",
  text: () => "Writing",
  answered: () => "Answered",
  calling: (what) => TOOLS[what.tool] ?? "Working",
  waiting: () => "Waiting for you",
  called: (what) => (what.failed ? "A step failed" : "Working"),
  compressed: () => "Compressed",
};

let last = null;
function going(what) {
  last = what;
  const shown = document.getElementById("going");
  const says = GOING[what.what]?.(what);
  if (!says) return;
  const line = Object.assign(document.createElement("span"), { className: "waiting", textContent: says });
  if (shown.textContent !== says) shown.replaceChildren(line);
  doing(what.what === "calling" || what.what === "waiting" ? says : "");
  document.getElementById("stop").hidden = false;
}

// What is being done, over the picture of where it is done.
function doing(says) {
  const over = document.getElementById("doing");
  if (!over) return;
  over.hidden = !says;
  document.getElementById("doing-says").textContent = says;
}

live.listen((event) => {
  if (event.reload) return touch(["chat", "composer", "meter", "plan", "nodes", "variables", "browser"]);
  if (event.workflow !== own) return undefined;
  if (event.parts) touch(event.parts);
  if (typeof event.text === "string") talk.said(event.text, event.entry, event.at ?? 0);
  const what = event.progress;
  if (!what) return undefined;
  if (what.what === "again" || what.what === "asking") talk.begin(what.entry);
  if (what.what === "waiting") touch(["chat"]);
  if (what.what === "called") touch(["browser"]);
  if (["ended", "failed", "over"].includes(what.what)) {
    doing("");
    touch(["chat", "composer", "meter", "browser"]);
  } else going(what);
  return undefined;
});
touch(["meter"]);

// The live picture: asked for again while the page is in view and a tab is open.
function picture() {
  const shown = document.getElementById("picture");
  if (document.hidden || !live.isOnline()) return;
  if (shown) pictures.show(shown, "no-cache");
  // A call that takes long may have opened the browser meanwhile.
  else if (busy()) touch(["browser"]);
}
setInterval(picture, 2000);

// Model and mode stay as they were chosen here, until others are.
const CHOICE = `choice:${own}`;
function choice() {
  const kept = JSON.parse(localStorage.getItem(CHOICE) ?? "{}");
  for (const name of ["model", "profile"]) {
    const field = document.getElementById(name);
    if (!kept[name]) continue;
    if (name === "model" && ![...field.options].some((one) => one.value === kept[name])) field.append(new Option(kept[name]));
    field.value = kept[name];
    if (!field.value) field.selectedIndex = 0;
  }
}
document.addEventListener("change", ({ target }) => {
  if (target.form?.id !== "composer" || !["model", "profile"].includes(target.id)) return;
  localStorage.setItem(CHOICE, JSON.stringify({ ...JSON.parse(localStorage.getItem(CHOICE) ?? "{}"), [target.id]: target.value }));
});

// Saying something.
const composer = () => document.getElementById("composer");
const busy = () => composer().dataset.busy === "1";
function message(text) {
  const body = { text };
  for (const name of ["model", "profile"]) {
    const chosen = document.getElementById(name).value;
    if (chosen) body[name] = chosen;
  }
  const background = document.getElementById("background");
  if (background) body.background = background.checked;
  return body;
}

// What is too large is refused here; what looks like a password is asked about before it leaves.
async function unfit(form, text) {
  const asked = document.getElementById("password-asked");
  const seen = await send("POST", form.dataset.measure, message(text));
  if (!seen.fits) throw new Error(seen.says);
  const [found] = seen.passwords;
  asked.hidden = !found;
  if (!found) return false;
  asked.found = { ...found, text: seen.text };
  document.getElementById("password-says").textContent =
    `Your message holds what looks like ${found.kind}. Nothing was sent yet. Keep it in the vault, and Director gets a reference that it can use on that site only.`;
  return true;
}

async function keepPassword() {
  const { text, start, end } = document.getElementById("password-asked").found;
  const [name, origin] = ["password-name", "password-origin"].map((id) => document.getElementById(id).value.trim());
  const letters = [...text];
  try {
    const value = letters.slice(start, end).join("");
    await send("PUT", `/api/secrets/${encodeURIComponent(name)}`, { value, origins: [origin] });
    const box = document.getElementById("say");
    box.value = `${letters.slice(0, start).join("")}{{secret:${name}}}${letters.slice(end).join("")}`;
    document.getElementById("password-asked").hidden = true;
    await say();
  } catch (error) {
    complain(composer(), error);
  }
}

let sized = 0;
async function measured() {
  const text = document.getElementById("say").value.trim();
  if (text.length < 4000) return;
  const seen = await send("POST", composer().dataset.measure, message(text)).catch(() => null);
  if (seen) complain(composer(), seen.fits ? null : new Error(seen.says));
}

async function say(line = "", asItIs = false) {
  const form = composer();
  const box = document.getElementById("say");
  const text = line || box.value.trim();
  if (!text || document.getElementById("send").disabled) return;
  if (busy() && !line) return wait(text);
  const body = message(text);
  complain(form, null);
  try {
    if (!line && !asItIs && (await unfit(form, text))) return;
    document.getElementById("password-asked").hidden = true;
    await during(document.getElementById("send"), () => send("POST", form.dataset.messages, body));
    if (!line) {
      box.value = "";
      keep();
    }
    talk.follow();
    form.dataset.busy = "1";
    going({ what: "asking" });
    touch(["chat", "composer"]);
  } catch (error) {
    complain(form, error);
  }
}

// What is written while a turn runs waits in this window, in its order, and is sent when the turn was answered.
const QUEUE = `queue:${own}`;
const queued = () => JSON.parse(sessionStorage.getItem(QUEUE) ?? "[]");
function wait(text) {
  queue([...queued(), text]);
  if (document.getElementById("say").value.trim() === text) document.getElementById("say").value = "";
  keep();
}

function queue(list = queued()) {
  sessionStorage.setItem(QUEUE, JSON.stringify(list));
  const shown = document.getElementById("queue");
  const row = shown.querySelector("template").content;
  shown.hidden = !list.length;
  shown.querySelectorAll(".queue").forEach((one) => one.remove());
  list.forEach((text, nth) => {
    const one = document.importNode(row, true).firstElementChild;
    one.querySelector(".el").textContent = text;
    one.querySelector(".q").textContent = nth ? `Then` : "Next";
    for (const button of one.querySelectorAll("[data-queue]")) button.dataset.nth = nth;
    shown.append(one);
  });
  return list;
}

// A turn that ended is followed by what waits, unless it failed, was stopped or asks something.
async function settled() {
  const [text] = queue();
  choice();
  demo.tick();
  if (busy()) {
    if (last) going(last);
    return;
  }
  last = null;
  doing("");
  if (!text) return;
  const answer = await ask(`${composer().dataset.messages.replace(/say$/, "turn")}`);
  const { turn } = answer.ok ? await answer.json() : {};
  if (turn?.state !== "said" || queued()[0] !== text) return;
  queue(queued().slice(1));
  say(text);
}

async function press(what) {
  const form = composer();
  complain(form, null);
  try {
    await send("POST", form.dataset[what], {});
    touch(["chat", "composer"]);
  } catch (error) {
    complain(form, error);
  }
}

// A draft is kept for the next visit; it never leaves this browser.
const draft = `draft:${own}`;
function keep() {
  const { value } = document.getElementById("say");
  if (value) sessionStorage.setItem(draft, value);
  else sessionStorage.removeItem(draft);
}
document.getElementById("say").value ||= sessionStorage.getItem(draft) ?? "";
keep();
document.addEventListener("input", (event) => {
  if (event.target.id !== "say") return;
  keep();
  clearTimeout(sized);
  sized = setTimeout(measured, 400);
});

document.addEventListener("submit", (event) => {
  if (event.target.id !== "composer") return;
  event.preventDefault();
  say();
});

const dialog = document.getElementById("dialog");
async function show(part) {
  const answer = await ask(`${base}${part}`);
  if (dialog.open) return;
  dialog.classList.toggle("small", part !== "compress");
  dialog.replaceChildren(...parsed(await answer.text()));
  dialog.setAttribute("aria-label", dialog.querySelector("h2")?.textContent.trim() ?? "Dialog");
  dialog.showModal();
  if (part === "run") dialog.querySelector(".grid2 :is(input, select), .pri")?.focus();
  if (part === "compress") (await import("./compress.js")).opened(dialog);
}
dialog.addEventListener("done", () => dialog.close());

// A node that is linked to; of a long workflow it may not be shown yet.
async function reveal(link) {
  if (document.querySelector(link)) return;
  document.getElementById("nodes").dataset.query = "?rows=1000";
  await load("nodes");
  document.querySelector(link)?.scrollIntoView({ block: "nearest" });
}

function search() {
  document.getElementById("search").hidden = false;
  layout.panel("chat");
  document.getElementById("words").focus();
}

document.addEventListener("click", (event) => {
  const at = (selector) => event.target.closest(selector);
  if (at("[data-say]")) say(at("[data-say]").dataset.say);
  if (at("[data-fill]")) {
    document.getElementById("say").value = at("[data-fill]").dataset.fill;
    document.getElementById("say").focus();
  }
  if (at("#stop")) press("stop");
  if (at("[data-press]")) press(at("[data-press]").dataset.press);
  if (at("#password-keep")) keepPassword();
  if (at("#password-send")) say("", true);
  if (at("[data-dialog]")) show(at("[data-dialog]").dataset.dialog);
  if (at("[data-variable]")) variables.open(at("[data-variable]").dataset.variable, dialog);
  if (at("[data-find]")) search();
  if (at("[data-add-node]")) add();
  const edited = at("[data-edit-message]")?.dataset.editMessage;
  if (edited) import("./branch.js").then(({ edit }) => edit(edited, `/api/workflows/${encodeURIComponent(own)}`, message));
  const waits = at("[data-queue]")?.dataset;
  if (waits) {
    const list = queued();
    const [text] = list.splice(Number(waits.nth), 1);
    queue(list);
    if (waits.queue === "edit") document.getElementById("say").value = text ?? "";
    document.getElementById("say").focus();
  }
  if (at("#chat a[href^='#node-']")) reveal(at("a").getAttribute("href"));
  if (at("[data-more]")) {
    document.getElementById(at("[data-more]").dataset.more).dataset.query = at("[data-more]").dataset.query;
    touch([at("[data-more]").dataset.more]);
  }
  if (at("[data-newest]")) {
    document.getElementById("plan").dataset.query = "";
    touch(["plan"]);
  }
});
document.addEventListener("change", (event) => {
  if (event.target.dataset.choose !== "plan") return;
  const newest = event.target.selectedIndex === 0;
  document.getElementById("plan").dataset.query = newest ? "" : `?version=${event.target.value}`;
  touch(["plan"]);
});
document.addEventListener("done", (event) => {
  // Whoever has approved the last site or effect that was asked for wants it to go on.
  const approved = event.detail?.some?.((one) => one.state === "approved") && !event.detail.some((one) => one.state === "asked");
  const allowed = event.origin?.closest("[data-approval]") && ["approved", "all"].includes(event.submitted);
  // While the turn runs the call itself waits for the answer, and goes on by it.
  const ended = !busy();
  if (approved && allowed && ended) say("I approve that. Go on.");
  const secret = event.origin?.closest("[data-secret]")?.dataset.secret;
  if (secret && ended && event.submitted === "given" && !event.detail.some((one) => one.state === "asked")) say(`${secret} is in the vault. Go on.`);
  touch(["chat", "composer", "nodes", "variables", "meter", "browser"]);
});

// The newest approval is answered by a key when nothing is being typed.
function answer(value) {
  const every = document.querySelectorAll(`[data-approval] button[value=${value}]`);
  every[every.length - 1]?.click();
}

function add() {
  layout.grow(true);
  layout.panel("flow");
  document.getElementById("add-node").open = true;
  document.getElementById("add-alias").focus();
}

const KEYS = {
  "/": () => {
    layout.panel("chat");
    document.getElementById("say").focus();
  },
  "[": () => layout.fold("left"),
  "]": () => layout.fold("right"),
  j: () => drawer.go(1),
  k: () => drawer.go(-1),
  t: () => document.getElementById("test-node")?.click(),
  a: add,
  y: () => answer("approved"),
  n: () => answer("refused"),
};

document.addEventListener("keydown", (event) => {
  const control = event.ctrlKey || event.metaKey;
  const typing = event.target.closest("input, textarea, select, [contenteditable]");
  const open = document.querySelector("dialog[open]");
  if (event.key === "Enter" && event.target.id === "say" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    say();
  } else if (event.key === "Escape" && !open && !event.defaultPrevented) {
    if (event.target.id === "words") {
      document.getElementById("search").hidden = true;
      talk.search("");
    } else if (drawer.isOpen()) drawer.close();
    else if (!document.getElementById("stop").hidden) press("stop");
  } else if (control && event.shiftKey && event.key.toLowerCase() === "l") {
    event.preventDefault();
    show("compress");
  } else if (control && event.key.toLowerCase() === "z" && !typing) {
    event.preventDefault();
    versions.step(event.shiftKey ? "redo" : "undo");
  } else if (!control && !event.altKey && !typing && !open && KEYS[event.key]) {
    event.preventDefault();
    KEYS[event.key]();
  }
});

layout.start();
layout.grow();
versions.start();
drawer.start(base);
order.start();
demo.start(say);
queue();
choice();
picture();
// A new workflow begins with its first message, if there is a model to send it to.
if (location.hash === "#send") {
  history.replaceState(null, "", location.pathname);
  if (composer().dataset.model) say();
} else if (location.hash === "#say") {
  history.replaceState(null, "", location.pathname);
  document.getElementById("say").focus();
}
