// One variable opened in full: its value, what it was, set and cleared with a reason.
import { complain, send, toast } from "./actions.js";

const api = `/api/workflows/${encodeURIComponent(document.body.dataset.workflow)}/variables`;
const made = (name, more = {}) => Object.assign(document.createElement(name), more);
const written = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 1));

function meant(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export async function open(name, dialog) {
  const past = await send("GET", `${api}/${encodeURIComponent(name)}`);
  const box = made("div", { className: "dbody col" });
  const head = made("div", { className: "dh row" });
  head.append(made("h2", { textContent: name, className: "sp" }), made("button", { type: "button", className: "btn sm", textContent: "Close", onclick: () => dialog.close() }));
  const value = made("textarea", { className: "in mono", rows: 8, value: written(past[0].cleared ? "" : past[0].value), ariaLabel: `Value of ${name}`, spellcheck: false });
  const reason = made("input", { className: "in", value: "by hand", ariaLabel: "Why", type: "text" });
  const told = made("p", { className: "told" });
  told.setAttribute("role", "alert");
  const act = (work, says) => async () => {
    try {
      await work();
      dialog.close();
      toast(says);
    } catch (error) {
      complain(box, error);
    }
  };
  const at = `${api}/${encodeURIComponent(name)}`;
  const row = made("div", { className: "row wrap" });
  row.append(
    made("span", { className: "q s", textContent: "Why" }),
    reason,
    made("button", { type: "button", className: "btn sm", textContent: "Clear", onclick: act(() => send("DELETE", `${at}?reason=${encodeURIComponent(reason.value)}`), `${name} was cleared`) }),
    made("button", { type: "button", className: "btn sm pri", textContent: "Set", onclick: act(() => send("PUT", at, { value: meant(value.value), reason: reason.value }), `${name} was set`) }),
  );
  reason.classList.add("auto", "sp");
  const list = made("ol", { className: "s" });
  for (const one of past.slice(0, 30)) {
    const was = made("li", { className: "ver" });
    was.append(made("span", { className: "q nw", textContent: new Date(one.at * 1000).toLocaleString() }), made("code", { className: "el sp", textContent: one.cleared ? "cleared" : written(one.value) }), made("span", { className: "m", textContent: one.reason }));
    list.append(was);
  }
  box.append(value, told, row, made("h3", { textContent: "What it was" }), list);
  dialog.replaceChildren(head, box);
  dialog.classList.add("small");
  dialog.setAttribute("aria-label", name);
  dialog.showModal();
}
