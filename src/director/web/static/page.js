// What every page has: the stream of events, actions, the banner when the server is gone.
import * as actions from "./actions.js";
import * as live from "./live.js";
import { morph, unpressed } from "./morph.js";
import * as pictures from "./pictures.js";
import { ask, prepare } from "./session.js";

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
  async function again() {
    try {
      const answer = await ask(location.href, { headers: { accept: "text/html" } });
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.getElementById(watched.id);
      await unpressed();
      if (fresh) morph(watched, document.importNode(fresh, true));
    } catch {
      // The banner says that the server is gone.
    }
  }
}

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
const servers = document.querySelector("[data-servers]");
if (servers) {
  usable().then((found) => {
    document.getElementById("usable").replaceChildren(...found.usable.map((one) => new Option(one.name)));
    const told = found.servers.map((one) => `${one.kind} at ${one.address} (${one.models.length} models)`).join(", ");
    servers.textContent = told ? `On this machine: ${told}.` : "No model server was found on this machine (Ollama, LM Studio, llama.cpp, vLLM).";
  });
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
