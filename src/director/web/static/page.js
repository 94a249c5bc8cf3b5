// What every page has: the stream of events, actions, the banner when the server is gone.
import * as actions from "./actions.js";
import * as live from "./live.js";
import { morph, unpressed } from "./morph.js";
import * as palette from "./palette.js";
import * as pictures from "./pictures.js";
import { ask, prepare } from "./session.js";
import * as tables from "./tables.js";

const banner = document.getElementById("offline");
live.listen((event) => {
  if ("online" in event) banner.hidden = event.online;
});
banner.querySelector("[data-try-now]").onclick = () => location.reload();
actions.start();
live.start();
// Without it a window does not follow to the next start; nothing else is lost.
prepare().catch(() => {});
pictures.start();
palette.start();
tables.start();

// Light or dark: as the system has it, until one is chosen here.
document.addEventListener("click", ({ target }) => {
  const chosen = target.closest("[data-theme-is]")?.dataset.themeIs;
  if (chosen === undefined && !target.closest("[data-theme-switch]")) return;
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme:dark)").matches;
  const next = chosen ?? (dark ? "light" : "dark");
  if (next) {
    root.dataset.theme = next;
    localStorage.setItem("director-theme", next);
  } else {
    delete root.dataset.theme;
    localStorage.removeItem("director-theme");
  }
  themes();
});
function themes() {
  const now = localStorage.getItem("director-theme") ?? "";
  for (const one of document.querySelectorAll("[data-theme-is]")) one.setAttribute("aria-pressed", String(one.dataset.themeIs === now));
}
themes();

// A menu closes when something in it was taken, or something else was pressed.
document.addEventListener("click", ({ target }) => {
  for (const menu of document.querySelectorAll("details.pop[open]")) {
    if (!menu.contains(target) || (menu.dataset.menu !== undefined && target.closest(".menu > :is(button, a)"))) menu.open = false;
  }
});
document.addEventListener("keydown", ({ key }) => {
  if (key !== "Escape") return;
  for (const menu of document.querySelectorAll("details.pop[open]")) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

// A page that is made anew as a whole when something it shows has changed.
const watched = document.querySelector("[data-watches]");
if (watched) {
  const parts = watched.dataset.watches.split(" ");
  const own = document.body.dataset.workflow;
  let waiting = 0;
  live.listen((event) => {
    const about = event.parts?.some((part) => parts.includes(part)) && (!own || event.workflow === own);
    if (!about && !event.reload) return;
    clearTimeout(waiting);
    waiting = setTimeout(again, 120);
  });
  // What is looked for stands in the address, and the list follows while it is typed.
  const finds = document.querySelector("[data-finds] input");
  finds?.form.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("input", ({ target }) => {
    if (!target.closest("[data-finds]")) return;
    clearTimeout(waiting);
    history.replaceState(null, "", target.value ? `?${new URLSearchParams({ words: target.value })}` : location.pathname);
    waiting = setTimeout(again, 150);
  });
  async function again() {
    try {
      const answer = await ask(location.href, { headers: { accept: "text/html" } });
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.getElementById(watched.id);
      await unpressed();
      if (fresh) morph(watched, document.importNode(fresh, true));
      tables.apply();
    } catch {
      // The banner says that the server is gone.
    }
  }
}

// The browser of a run that is done here: asked for again and again while it is.
async function runPicture() {
  const place = document.getElementById("run-live");
  if (!place || document.hidden) return;
  const shown = place.querySelector("img");
  const is = await pictures.show(shown, "no-cache", place.dataset.live);
  place.querySelector("#live-mark").hidden = !is;
}
if (document.getElementById("run-live")) setInterval(runPicture, 1500);

// How long a run has taken by now.
function took() {
  for (const one of document.querySelectorAll("[data-since]")) {
    const seconds = Math.max(0, Math.round(Date.now() / 1000 - Number(one.dataset.since)));
    one.textContent = seconds < 90 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  }
}
setInterval(took, 1000);
took();

// Which models can be used: asked only where one is chosen, for it looks around on this machine.
let asked = null;
async function usable() {
  asked ??= actions.send("GET", "/api/models");
  try {
    return await asked;
  } catch {
    asked = null;
    return { usable: [], servers: [] };
  }
}
document.addEventListener("focusin", async ({ target }) => {
  if (target.id !== "model" || target.nodeName !== "SELECT") return;
  const there = new Set([...target.options].map((one) => one.text));
  for (const one of (await usable()).usable) if (!there.has(one.name)) target.append(new Option(one.name));
});

document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, textarea, select, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "?") location.href = "/help";
});
