// The dialog of a compression: look, have a summary written, edit it, apply it. The server keeps
// the proposal; this window only names it.
import { complain, during, send, toast } from "./actions.js";
import { markdown } from "./markdown.js";

const tokens = (count) => `${count.toLocaleString("en")} tokens`;
const short = (many) => (many < 10000 ? many.toLocaleString("en") : `${Math.round(many / 1000).toLocaleString("en")}K`);
const money = (cost) => (cost === null || cost === undefined ? "not known" : `$${cost.toFixed(4)}`);

// A field for the text of a summary, or one for each part if a model wrote JSON; what gives the text again.
function editor(written, into) {
  const field = (id, name, value) => {
    const label = Object.assign(document.createElement("label"), { htmlFor: id, className: "s m", textContent: name });
    const box = Object.assign(document.createElement("textarea"), { id, className: "in", value, rows: Math.min(12, 2 + value.split("\n").length) });
    into.append(label, box);
    return box;
  };
  into.replaceChildren();
  let parts = null;
  try {
    parts = JSON.parse(/^[^{]*(\{[\s\S]*\})\s*(?:```)?\s*$/.exec(written)[1]);
  } catch {
    // It is plain text.
  }
  if (!parts) {
    const box = field("own", "Your text of the summary", written);
    box.focus();
    return () => box.value;
  }
  const lines = (value) => Array.isArray(value) && value.every((one) => typeof one === "string");
  const boxes = Object.entries(parts).map(([name, value], nth) => {
    const as = typeof value === "string" ? value : lines(value) ? value.join("\n") : JSON.stringify(value, null, 1);
    const box = field(`own-${nth}`, name.replaceAll("_", " "), as);
    return () => [name, typeof value === "string" ? box.value : lines(value) ? box.value.split("\n").filter(Boolean) : JSON.parse(box.value)];
  });
  into.querySelector("textarea")?.focus();
  return () => JSON.stringify(Object.fromEntries(boxes.map((one) => one())), null, 1);
}

export function opened(dialog) {
  const form = dialog.querySelector("#compressing");
  if (!form) return;
  const at = (id) => dialog.querySelector(`#${id}`);
  const base = form.dataset.compression;
  const size = Number(form.dataset.size);
  const boxes = [...form.querySelectorAll("[data-turns]")];
  let proposal = null;
  let looks = 0;

  const turns = () => boxes.filter((box) => box.checked).flatMap((box) => box.dataset.turns.split(",").map(Number));
  const chosen = () => (boxes.every((box) => box.checked) ? {} : { turns: turns() });

  const limit = Number(form.dataset.limit);
  const count = (many, word) => `${many.toLocaleString("en")} ${word}${many === 1 ? "" : "s"}`;

  // Why the button cannot be pressed, in the words that are true now; nothing if it can.
  function reason(why) {
    at("why").textContent = why;
    at("apply").disabled = Boolean(why);
  }

  function sizes(before, after, about) {
    const left = Math.max(0, size - before + after);
    at("after-tokens").textContent = `${about ? "about " : ""}${short(left)}`;
    at("after-tokens").title = tokens(left);
    at("after-bar").setAttribute("width", limit ? Math.min(100, (100 * left) / limit) : 0);
  }

  async function look() {
    const mine = ++looks;
    proposal = null;
    at("preview").hidden = true;
    at("edit").hidden = true;
    at("unwritten").hidden = false;
    at("write").disabled = turns().length === 0;
    reason(turns().length ? "Write the summary first" : "Nothing is chosen");
    complain(form, null);
    if (!turns().length) return;
    try {
      const found = await send("POST", `${base}/look`, chosen());
      if (mine !== looks) return;
      at("count").textContent = found.count;
      at("messages").textContent = found.count === 1 ? "message" : "messages";
      at("counted").textContent = `${found.users} of yours, ${found.agents} of Director`;
      sizes(found.before, found.after, true);
      at("price").textContent = found.cost === null ? "a price that is not known" : `about ${money(found.cost)}`;
      at("at-stake").textContent = `${count(found.names, "fact")} to preserve. Written by ${found.model}.`;
    } catch (error) {
      if (mine === looks) complain(form, error);
    }
  }

  let text = () => "";
  const edited = () => send("POST", `${base}/edit`, { proposal: proposal.id, text: text() });

  function show(made) {
    proposal = made;
    at("preview").hidden = false;
    at("unwritten").hidden = true;
    at("edit").hidden = false;
    markdown(made.shown, at("preview-text"));
    at("preview-text").hidden = false;
    at("own-text").hidden = true;
    at("edit").textContent = "Edit";
    const share = Math.round(100 * made.share);
    at("kept").textContent = share < 100 ? `${share}% kept in the summary, the rest appended word for word` : "All of them are kept in the summary";
    if (made.lost.length) at("kept").textContent = `${share}% kept in the summary`;
    at("lost").className = `tag ${made.lost.length ? "warn" : "ok"}`;
    at("lost").textContent = made.lost.length ? `${made.lost.length} lost` : "none lost";
    at("losses").replaceChildren(...made.lost.slice(0, 20).map((one) => Object.assign(document.createElement("li"), { textContent: `not in it: ${one}` })));
    sizes(made.before, made.after, false);
    if (made.cost !== null) at("price").textContent = money(made.cost);
    at("write").lastChild.textContent = "Write another";
    reason("");
  }

  async function attempt(button, work) {
    complain(form, null);
    try {
      await during(button, work);
    } catch (error) {
      complain(form, error);
    }
  }

  at("write").onclick = () =>
    attempt(at("write"), async () => {
      reason("The summary is being written");
      try {
        show(await send("POST", `${base}/propose`, chosen()));
      } catch (error) {
        reason("The summary was not written");
        throw error;
      }
    });
  at("edit").onclick = () => {
    if (at("own-text").hidden) {
      at("own-text").hidden = false;
      at("preview-text").hidden = true;
      at("edit").textContent = "Check";
      text = editor(proposal.written, at("own-text"));
      return;
    }
    attempt(at("edit"), async () => show(await edited()));
  };
  for (const box of boxes) box.addEventListener("change", look);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!proposal) return;
    attempt(at("apply"), async () => {
      if (!at("own-text").hidden) proposal = await edited();
      await send("POST", `${base}/apply`, { proposal: proposal.id });
      dialog.close();
      toast("Compressed. Restore on the summary brings the messages back.");
    });
  });
  look();
}
