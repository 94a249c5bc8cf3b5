// Loaded before the page is shown: what a person does before the modules listen is done again when
// they do, in the same order, so that nobody is too fast. It does nothing after that.
(() => {
  const theme = localStorage.getItem("director-theme");
  if (theme) document.documentElement.dataset.theme = theme;
  const KINDS = ["click", "keydown", "change", "submit"];
  const waiting = [];
  const kept = new AbortController();

  function keep(event) {
    const { type, target } = event;
    if (type === "submit") {
      // A form that names where it goes needs no module.
      if (target.hasAttribute("method")) return;
      event.preventDefault();
    }
    // Whatever else a click does, such as to follow a link, the browser has done already.
    if (type === "click" && target.closest("a[download]")) event.preventDefault();
    else if (type === "click" && !target.closest("button[type=button]")) return;
    waiting.push([target, new event.constructor(type, event)]);
  }

  // A page without its modules can do nothing: say so, and begin anew when the server answers.
  async function broken({ target }) {
    if (target.nodeName !== "SCRIPT") return;
    waiting.length = 0;
    const banner = () => (document.getElementById("offline").hidden = false);
    if (document.readyState === "loading") addEventListener("DOMContentLoaded", banner);
    else banner();
    for (;;) {
      await new Promise((after) => setTimeout(after, 2000));
      const answer = await fetch(target.src, { cache: "no-store" }).catch(() => null);
      if (answer?.ok) break;
    }
    const { value } = document.getElementById("say") ?? {};
    if (value) sessionStorage.setItem(`draft:${document.body.dataset.workflow}`, value);
    location.reload();
  }

  for (const kind of KINDS) addEventListener(kind, keep, { capture: true, signal: kept.signal });
  addEventListener("error", broken, { capture: true, signal: kept.signal });
  // Modules have run when the document is ready.
  addEventListener("DOMContentLoaded", () => {
    kept.abort();
    for (const [target, event] of waiting) target.dispatchEvent(event);
  });
})();
