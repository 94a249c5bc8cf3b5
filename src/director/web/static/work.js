// The page to work in: its parts change live, the chat streams, panels switch on a phone.
import { complain, during, send } from "./actions.js";
import { Talk } from "./chat.js";
import { opened } from "./compress.js";
import * as live from "./live.js";
import { parsed, swap, unpressed } from "./morph.js";
import * as pictures from "./pictures.js";
import { ask } from "./session.js";

const own = document.body.dataset.workflow;
const base = `/w/${encodeURIComponent(own)}/part/`;
const talk = new Talk(base, `/api/workflows/${encodeURIComponent(own)}/turn`, () => panel("chat"));
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
    if (part === "browser") picture();
    if (part === "composer" && composer().dataset.busy === "1" && last) going(last);
  } catch {
    // It is still out of date, so it is asked for again; if the server is gone the banner says so.
    setTimeout(() => touch([part]), 1000);
  }
  return undefined;
}

const GOING = {
  asking: () => "Asking the model",
  background: () => "The model works in the background",
  thinking: () => "The model is thinking",
  text: () => "The model is answering",
  answered: () => "Answered",
  calling: (what) => `Running ${what.tool}`,
  waiting: () => "Waiting for your answer above",
  called: (what) => `${what.tool} ${what.failed ? "failed" : "done"}`,
  compressed: () => "The conversation was compressed",
};

let last = null;
function going(what) {
  last = what;
  const shown = document.getElementById("going");
  const says = GOING[what.what]?.(what);
  if (!says) return;
  const line = Object.assign(document.createElement("span"), { className: "waiting", textContent: says });
  if (shown.textContent !== says) shown.replaceChildren(line);
  document.getElementById("stop").hidden = false;
  document.getElementById("send").disabled = true;
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
  if (["ended", "failed", "over"].includes(what.what)) touch(["chat", "composer", "meter", "browser"]);
  else going(what);
  return undefined;
});
touch(["meter"]);

// The live picture: asked for again while the page is in view and a tab is open.
function picture() {
  const shown = document.getElementById("picture");
  if (shown && !document.hidden && live.isOnline()) pictures.show(shown, "no-cache");
}
setInterval(picture, 2000);

// Saying something.
const composer = () => document.getElementById("composer");
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
  const body = message(text);
  complain(form, null);
  try {
    if (!line && !asItIs && (await unfit(form, text))) return;
    document.getElementById("password-asked").hidden = true;
    await during(document.getElementById("send"), () => send("POST", form.dataset.messages, body));
    if (!line) box.value = "";
    keep();
    talk.follow();
    going({ what: "asking" });
    touch(["chat", "composer"]);
  } catch (error) {
    complain(form, error);
  }
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
  dialog.replaceChildren(...parsed(await answer.text()));
  dialog.setAttribute("aria-label", dialog.querySelector("h2")?.textContent.trim() ?? "Dialog");
  dialog.showModal();
  if (part === "compress") opened(dialog);
}
dialog.addEventListener("done", () => dialog.close());

function panel(name) {
  document.getElementById("main").dataset.panel = name;
  for (const one of document.querySelectorAll("[data-shows]")) one.setAttribute("aria-pressed", String(one.dataset.shows === name));
  if (name === "chat") talk.follow();
}

// A node that is linked to; of a long workflow it may not be shown yet.
async function reveal(link) {
  if (!document.querySelector(link)) {
    document.getElementById("nodes").dataset.query = "?rows=1000";
    await load("nodes");
    document.querySelector(link)?.scrollIntoView();
  }
  const inside = document.querySelector(link)?.querySelector("details");
  if (inside) inside.open = true;
}

document.addEventListener("click", (event) => {
  const at = (selector) => event.target.closest(selector);
  if (at("[data-say]")) say(at("[data-say]").dataset.say);
  if (at("#stop")) press("stop");
  if (at("#retry")) press("retry");
  if (at("#password-keep")) keepPassword();
  if (at("#password-send")) say("", true);
  if (at("[data-dialog]")) {
    show(at("[data-dialog]").dataset.dialog);
    document.getElementById("chat-menu").open = false;
  } else if (!at("#chat-menu")) document.getElementById("chat-menu").open = false;
  if (at("[data-shows]")) panel(at("[data-shows]").dataset.shows);
  if (at("[data-panel-link]")) {
    panel(at("[data-panel-link]").dataset.panelLink);
    reveal(at("[data-panel-link]").getAttribute("href"));
  }
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
  const allowed = event.target.closest("[data-approval]") && ["approved", "all"].includes(event.submitted);
  // While the turn runs the call itself waits for the answer, and goes on by it.
  const ended = document.getElementById("stop").hidden;
  if (approved && allowed && ended) say("I approve that. Go on.");
  const secret = event.target.closest("[data-secret]")?.dataset.secret;
  if (secret && ended && event.submitted === "given" && !event.detail.some((one) => one.state === "asked")) say(`${secret} is in the vault. Go on.`);
  if (event.target.closest("#nodes form")) event.target.hidden = true;
  touch(["chat", "composer", "nodes", "variables", "meter", "browser"]);
});

document.addEventListener("keydown", (event) => {
  const control = event.ctrlKey || event.metaKey;
  const typing = event.target.closest("input, textarea, select");
  if (control && event.key === "Enter" && event.target.id === "say") {
    event.preventDefault();
    say();
  } else if (event.key === "Escape" && !dialog.open && !document.getElementById("stop").hidden) {
    press("stop");
  } else if ((control && event.key.toLowerCase() === "k") || (event.key === "/" && !typing)) {
    event.preventDefault();
    panel("chat");
    document.getElementById("words").focus();
  } else if (control && event.shiftKey && event.key.toLowerCase() === "l") {
    event.preventDefault();
    show("compress");
  }
});
