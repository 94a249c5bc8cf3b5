// A message said otherwise: it is edited where it stands, after what goes back and what cannot was said.
import { complain, during, send } from "./actions.js";

const made = (name, more = {}, ...inside) => {
  const one = Object.assign(document.createElement(name), more);
  one.append(...inside);
  return one;
};

function listed(title, lines) {
  if (!lines.length) return [];
  return [made("b", { className: "s", textContent: title }), made("ul", { className: "s m" }, ...lines.map((textContent) => made("li", { textContent })))];
}

export async function edit(seq, api, options) {
  const message = document.getElementById(`t${seq}`);
  if (message.querySelector(".branching")) return;
  const told = made("p", { className: "told", role: "alert" });
  const form = made("form", { className: "branching note acc" });
  const said = message.querySelector(".says");
  const end = () => {
    form.remove();
    said.hidden = false;
  };
  try {
    const found = await send("GET", `${api}/entries/${seq}/branch`);
    const box = made("textarea", { className: "in", rows: 3, value: found.text, ariaLabel: "The message, otherwise" });
    const says = made("p", { className: "s m", textContent: `${found.messages} message${found.messages === 1 ? "" : "s"} from here on stay${found.messages === 1 ? "s" : ""} readable as another branch.` });
    const go = made("button", { className: "btn sm pri", textContent: "Send as a branch" });
    const row = made("div", { className: "row" }, made("span", { className: "sp" }), made("button", { type: "button", className: "btn sm", textContent: "Cancel", onclick: end }), go);
    form.append(made("div", { className: "col sp" }, box, says, ...listed("Goes back to what it was", found.returns), ...listed("Cannot go back", found.stays), told, row));
    form.onsubmit = async (event) => {
      event.preventDefault();
      const text = box.value.trim();
      if (!text) return;
      try {
        await during(go, () => send("POST", `${api}/entries/${seq}/branch`, { ...options(text), text }));
        location.reload();
      } catch (error) {
        complain(form, error);
      }
    };
    box.onkeydown = (event) => {
      if (event.key === "Escape") {
        event.preventDefault();
        event.stopPropagation();
        end();
      }
    };
    said.hidden = true;
    said.after(form);
    form.scrollIntoView({ block: "nearest" });
    box.focus();
  } catch (error) {
    complain(document.getElementById("composer"), error);
  }
}
