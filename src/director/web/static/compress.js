// The dialog of a compression: look, have a summary written, edit it, apply it. The server keeps
// the proposal; this window only names it.
import { complain, during, send, toast } from "./actions.js";

const tokens = (count) => `${count.toLocaleString("en")} tokens`;
const money = (cost) => (cost === null || cost === undefined ? "not known" : `$${cost.toFixed(4)}`);

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

  function sizes(before, after, about) {
    const left = Math.max(0, size - before + after);
    at("after-tokens").textContent = `${about ? "about " : ""}${tokens(left)}`;
    at("after-bar").value = left;
  }

  async function look() {
    const mine = ++looks;
    proposal = null;
    at("apply").disabled = true;
    at("preview").hidden = true;
    at("write").disabled = turns().length === 0;
    complain(form, null);
    if (!turns().length) return;
    try {
      const found = await send("POST", `${base}/look`, chosen());
      if (mine !== looks) return;
      at("count").textContent = found.count;
      at("chosen").textContent = found.count;
      at("counted").textContent = `${found.users} of yours, ${found.agents} of Director`;
      sizes(found.before, found.after, true);
      at("price").textContent = found.cost === null ? "not known" : `about ${money(found.cost)}`;
      at("at-stake").textContent = `${found.names.toLocaleString("en")} names and numbers at stake · written by ${found.model}`;
    } catch (error) {
      if (mine === looks) complain(form, error);
    }
  }

  function show(made) {
    proposal = made;
    at("preview").hidden = false;
    at("preview-text").textContent = made.summary;
    at("preview-text").hidden = false;
    at("own").hidden = true;
    at("own").value = made.written;
    at("edit").textContent = "Edit";
    const share = Math.round(100 * made.share);
    at("kept").textContent = `${share}% of the names as written${share < 100 ? ", others put back" : ""}`;
    at("lost").hidden = false;
    at("lost").className = `pill ${made.lost.length ? "warn" : "good"}`;
    at("lost").textContent = made.lost.length ? `${made.lost.length} lost` : "nothing is lost";
    at("losses").replaceChildren(...made.lost.slice(0, 20).map((one) => Object.assign(document.createElement("li"), { textContent: `not in it: ${one}` })));
    sizes(made.before, made.after, false);
    if (made.cost !== null) at("price").textContent = money(made.cost);
    at("apply").disabled = false;
    at("write").textContent = "Write another";
  }

  async function attempt(button, work) {
    complain(form, null);
    try {
      await during(button, work);
    } catch (error) {
      complain(form, error);
    }
  }

  at("write").onclick = () => attempt(at("write"), async () => show(await send("POST", `${base}/propose`, chosen())));
  at("edit").onclick = () => {
    if (at("own").hidden) {
      at("own").hidden = false;
      at("preview-text").hidden = true;
      at("edit").textContent = "Check";
      at("own").focus();
      return;
    }
    attempt(at("edit"), async () => show(await send("POST", `${base}/edit`, { proposal: proposal.id, text: at("own").value })));
  };
  for (const box of boxes) box.addEventListener("change", look);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!proposal) return;
    attempt(at("apply"), async () => {
      if (!at("own").hidden) proposal = await send("POST", `${base}/edit`, { proposal: proposal.id, text: at("own").value });
      await send("POST", `${base}/apply`, { proposal: proposal.id });
      dialog.close();
      toast("Compressed. Restore on the summary brings the messages back.");
    });
  });
  look();
}
