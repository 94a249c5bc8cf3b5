// What a person does goes to the API as JSON; what goes wrong is said where it happened.
import { ask, ticketed } from "./session.js";

export async function send(method, url, body) {
  let answer;
  try {
    answer = await ask(url, {
      method,
      headers: body === undefined ? {} : { "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new Error("Director does not answer. Nothing was changed; try again when the connection is back.");
  }
  const text = await answer.text();
  const said = text && answer.headers.get("content-type")?.includes("json") ? JSON.parse(text) : {};
  if (!answer.ok) throw Object.assign(new Error(told(said) || `That did not work (${answer.status}).`), { status: answer.status });
  return said;
}

function told(said) {
  if (Array.isArray(said.detail)) return said.detail.map((one) => `${one.loc?.at(-1)}: ${one.msg}`).join(". ");
  return [said.error ?? said.message ?? said.detail, said.kept, said.next].filter((one) => typeof one === "string" && one).join(" ");
}

const SAID = "said";

export function toast(text, undo) {
  const shown = document.getElementById("toast");
  shown.replaceChildren(Object.assign(document.createElement("span"), { textContent: text }));
  if (undo) {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Undo" });
    button.onclick = async () => {
      await undo();
      shown.hidden = true;
    };
    shown.append(button);
  }
  shown.hidden = false;
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => (shown.hidden = true), undo ? 20000 : 6000);
}

function place(near) {
  const around = near.closest("form, li, dialog, section, article, aside") ?? document.body;
  return near.querySelector?.(".told") ?? around.querySelector(".told");
}

export function complain(near, error) {
  const where = place(near);
  if (!where) {
    if (error) toast(error.message);
    return;
  }
  where.textContent = error ? error.message : "";
  // What a key or a model is missing for is put right in one place.
  if (error && /\b(key|model is chosen|no model)\b/i.test(error.message) && location.pathname !== "/settings") {
    where.append(Object.assign(document.createElement("a"), { href: "/settings#models", textContent: "Open Settings" }));
  }
  if (error) where.scrollIntoView({ block: "nearest" });
}

export async function during(button, work) {
  button?.setAttribute("aria-busy", "true");
  if (button) button.disabled = true;
  try {
    return await work();
  } finally {
    button?.removeAttribute("aria-busy");
    if (button) button.disabled = false;
  }
}

// What looks like JSON is meant as such: a run may want a number or a list.
function guessed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

// The name of a file and its bytes as base64.
function attached(file) {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done({ name: file.name, content: reader.result.replace(/^[^,]*,/, "") });
    reader.onerror = () => failed(new Error("The file could not be read."));
    reader.readAsDataURL(file);
  });
}

async function valueOf(input) {
  if (input.dataset.attach !== undefined) return attached(input.files[0]);
  if (input.type === "file") return JSON.parse(await input.files[0].text());
  if (input.dataset.guess !== undefined) return guessed(input.value);
  if (input.type === "checkbox") return input.checked;
  if (input.dataset.json !== undefined) return input.value.trim() ? JSON.parse(input.value) : null;
  if (input.type === "number") return input.value === "" ? null : Number(input.value);
  if (input.dataset.list !== undefined) return input.value.split(/[\s,]+/).filter(Boolean);
  return input.value;
}

export async function bodyOf(form, button) {
  const body = {};
  for (const input of form.elements) {
    if (!input.name || input.disabled || input.type === "submit" || input.nodeName === "BUTTON") continue;
    if (input.type === "radio" && !input.checked) continue;
    if (input.dataset.skip !== undefined && input.value === "") continue;
    const [outer, inner] = input.name.split(".");
    if (inner) (body[outer] ??= {})[inner] = await valueOf(input);
    else body[outer] = await valueOf(input);
  }
  if (button?.name) body[button.name] = button.value;
  return body;
}

function then(element, answer) {
  const { then: next, says, reload } = element.dataset;
  if (says) toast(says);
  // What is said before another page is opened is said there.
  if (says && (next || reload !== undefined)) sessionStorage.setItem(SAID, says);
  if (next) location.href = next.replace(/\{([\w.]+)\}/g, (_, path) => encodeURIComponent(path.split(".").reduce((one, name) => one?.[name], answer) ?? ""));
  if (reload !== undefined) location.reload();
}

// A part that was drawn anew while the answer was on its way took the form with it: the document is told all the same.
function tell(origin, detail, submitted) {
  const done = new CustomEvent("done", { bubbles: true, detail });
  Object.assign(done, { origin, submitted });
  (origin.isConnected ? origin : document).dispatchEvent(done);
}

async function submitted(form, button) {
  const [method, path] = form.dataset.api.split(" ");
  complain(form, null);
  try {
    const body = await bodyOf(form, button);
    const url = path.replace(/\{(\w+)\}/g, (_, name) => {
      const value = encodeURIComponent(body[name]);
      delete body[name];
      return value;
    });
    const answer = await during(button, () => send(method, url, body));
    if (form.dataset.clear !== undefined) form.reset();
    if (form.dataset.closes) document.getElementById(form.dataset.closes).open = false;
    tell(form, answer, button?.value);
    then(form, answer);
  } catch (error) {
    complain(form, error instanceof SyntaxError ? new Error(`That is not JSON: ${error.message}`) : error);
  }
}

async function called(button) {
  if (button.dataset.confirm && !confirm(button.dataset.confirm)) return;
  const [method, url] = button.dataset.call.split(" ");
  const body = button.dataset.body ? JSON.parse(button.dataset.body) : method === "GET" ? undefined : {};
  complain(button, null);
  try {
    const answer = await during(button, () => send(method, url, method === "DELETE" ? undefined : body));
    tell(button, answer);
    // A test that ran and failed is no success, though the request was one.
    if (answer.failed && typeof answer.text === "string") throw new Error(answer.text.split("\n").slice(0, 3).join(" "));
    if (button.dataset.undo) {
      const [how, where] = button.dataset.undo.split(" ");
      toast(button.dataset.says, () => send(how, where, {}).then(() => location.reload()));
    } else {
      then(button, answer);
    }
  } catch (error) {
    complain(button, error);
  }
}

// A download cannot send a header: it gets a ticket, and then it is what the browser does with it.
async function downloaded(link) {
  try {
    Object.assign(document.createElement("a"), { href: await ticketed(link.href), download: "" }).click();
  } catch (error) {
    complain(link, error);
  }
}

// Director is told in the conversation what a doubt is; nothing is sent before the person does.
function tellDirector(text) {
  const own = document.body.dataset.workflow;
  const box = document.getElementById("say");
  sessionStorage.setItem(`draft:${own}`, text);
  if (!box) location.href = `/w/${encodeURIComponent(own)}#say`;
  else {
    box.value = text;
    box.focus();
  }
}

export function start() {
  const said = sessionStorage.getItem(SAID);
  if (said) toast(said);
  sessionStorage.removeItem(SAID);
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.dataset.api) return;
    event.preventDefault();
    submitted(form, event.submitter);
  });
  document.addEventListener("change", (event) => {
    if (event.target.dataset.submits !== undefined) event.target.form.requestSubmit();
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[download]");
    if (link) {
      event.preventDefault();
      downloaded(link);
    }
    const button = event.target.closest("[data-call], [data-opens], [data-close], [data-tell]");
    if (!button) return;
    if (button.dataset.tell) tellDirector(button.dataset.tell);
    if (button.dataset.call) called(button);
    if (button.dataset.opens) {
      const shown = document.getElementById(button.dataset.opens);
      shown.setAttribute("data-kept", "");
      shown.hidden = !shown.hidden;
      if (!shown.hidden) shown.querySelector("input, textarea")?.focus();
    }
    if (button.dataset.close !== undefined) button.closest("dialog").close();
  });
}
