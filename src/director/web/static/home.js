// A new workflow begins with the job: its first words are its name, and all of them its first message.
import { complain, during, send } from "./actions.js";

const LONGEST = 48;

function named(text) {
  const line = text.split(/[.:](?=\s|$)|\n/)[0].replace(/\s+/g, " ").trim();
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST).replace(/\s\S*$/, "")}…`;
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (form.dataset.job === undefined) return;
  event.preventDefault();
  const text = document.getElementById("job").value.trim();
  complain(form, null);
  try {
    const made = await during(event.submitter, () => send("POST", "/api/workflows", { name: named(text) || "Untitled" }));
    sessionStorage.setItem(`draft:${made.id}`, text);
    location.href = `/w/${encodeURIComponent(made.id)}#send`;
  } catch (error) {
    complain(form, error);
  }
});
document.addEventListener("click", ({ target }) => {
  const long = target.closest("[data-job-example]")?.dataset.jobExample;
  if (!long) return;
  document.getElementById("job").value = long;
  document.getElementById("job").focus();
});
