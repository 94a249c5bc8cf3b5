// Connecting a model: the provider decides the fields, Test makes one call, Save tests first if that
// was not done. A server that was found on this computer is filled in and tested by one press.
import { complain, during, send } from "./actions.js";

const form = document.querySelector("[data-connect]");
const at = (id) => document.getElementById(id);
const goes = { anthropic: "Anthropic", openai: "OpenAI" };
let tested = "";
let usable = [];

const name = () => {
  const [provider, model] = [at("provider").value, at("model-name").value.trim()];
  return provider === "chat" ? `chat:${at("base-url").value.trim().replace(/\/+$/, "")}#${model}` : `${provider}:${model}`;
};
const given = () => JSON.stringify([name(), at("api-key").value]);
const body = () => ({ name: name(), key: at("api-key").value.trim() });

function changed() {
  const right = tested === given();
  at("save-model").classList.toggle("pri", right);
  if (!right) at("tested").textContent = "";
}

function options(names) {
  at("usable").replaceChildren(...names.map((one) => new Option(one)));
}

function shown() {
  const provider = at("provider").value;
  for (const one of form.querySelectorAll("[data-for]")) one.hidden = !one.dataset.for.split(" ").includes(provider);
  at("base-url").required = provider === "chat";
  at("key-goes").textContent = goes[provider] ?? "that server";
  options(usable.filter((one) => one.startsWith(`${provider}:`) && !one.includes("#")).map((one) => one.slice(provider.length + 1)));
  changed();
}

const money = (price) => (price === null ? "" : `$${Number(price.toFixed(3))}`);
function says(found) {
  const parts = [`Answered in ${found.seconds.toFixed(1)} s`, found.tools ? "can call tools" : "did not call a tool: Director cannot build with it"];
  parts.push(`window ${Math.round(found.window / 1000).toLocaleString("en")}K tokens${found.window_from === "assumed" ? " (assumed)" : ""}`);
  parts.push(found.price_in === null ? "price not known" : `${money(found.price_in)} in, ${money(found.price_out)} out per million tokens`);
  return parts.join(" · ");
}

async function test() {
  complain(form, null);
  if (!form.reportValidity()) return false;
  const mine = given();
  at("tested").textContent = "Testing…";
  try {
    const found = await during(at("test-model"), () => send("POST", "/api/models/test", body()));
    if (mine !== given()) return false;
    tested = mine;
    at("tested").textContent = says(found);
    changed();
    return true;
  } catch (error) {
    at("tested").textContent = "";
    complain(form, error);
    return false;
  }
}

// The names that a server lists, as soon as its address is there.
async function listed() {
  const address = at("base-url").value.trim();
  if (!address || !at("base-url").validity.valid) return;
  try {
    const names = await send("POST", "/api/models/names", { address, key: at("api-key").value.trim() });
    options(names);
    at("listed").textContent = names.length ? `It has ${names.slice(0, 6).join(", ")}${names.length > 6 ? ` and ${names.length - 6} more` : ""}.` : "It lists no models; type the name.";
    if (names.length && !at("model-name").value) at("model-name").value = names[0];
    changed();
  } catch (error) {
    at("listed").textContent = error.message;
  }
}

async function found() {
  const place = document.querySelector("[data-servers]");
  const told = await send("GET", "/api/models").catch(() => ({ usable: [], servers: [] }));
  usable = told.usable.map((one) => one.name).concat(told.known ?? []);
  shown();
  const made = told.servers.flatMap((one) => one.models.map((model) => ({ kind: one.kind, address: one.address, model })));
  if (!made.length) {
    place.textContent = "No model server was found on this computer (Ollama, LM Studio, llama.cpp, vLLM).";
    return;
  }
  place.replaceChildren(
    ...made.slice(0, 12).map((one) => {
      const onclick = () => {
        at("provider").value = "chat";
        shown();
        at("base-url").value = one.address;
        at("model-name").value = one.model;
        at("api-key").value = "";
        test();
      };
      return Object.assign(document.createElement("button"), { type: "button", className: "btn sm", textContent: `${one.kind} · ${one.model}`, onclick });
    }),
  );
}

if (form) {
  const first = form.dataset.connect;
  if (first) at("provider").value = first;
  form.addEventListener("input", changed);
  at("provider").addEventListener("change", shown);
  at("base-url").addEventListener("change", listed);
  at("test-model").addEventListener("click", test);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (tested !== given() && !(await test())) return;
    try {
      await during(at("save-model"), () => send("POST", "/api/models/connect", body()));
      sessionStorage.setItem("said", `${at("model-name").value.trim()} is connected. New messages go to it.`);
      location.reload();
    } catch (error) {
      complain(form, error);
    }
  });
  shown();
  found();
}
