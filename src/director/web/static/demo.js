// The demo plays by itself: it says the next line, allows its own site, compresses. It can be paused,
// taken a step at a time, and made faster. What it presses is what a person would press.
const own = document.body.dataset.workflow;
const NAME = `demo:${own}`;
const SPEEDS = [1, 2, 4];
const state = { plays: false, speed: 1, ...JSON.parse(sessionStorage.getItem(NAME) ?? "{}") };
const at = (selector) => document.querySelector(selector);
const keep = () => sessionStorage.setItem(NAME, JSON.stringify(state));
let waiting = 0;
let say = () => {};
// What was allowed is on its way: until it has arrived, nothing may be said in its place.
let allows = false;
document.addEventListener("done", ({ origin }) => {
  if (origin?.closest("[data-approval]")) allows = false;
});

// What the demo does next, as something to press; null while Director works.
function next() {
  const composer = document.getElementById("composer");
  const allow = at("[data-approval] button[value=approved]");
  if (allow?.disabled) return null;
  if (allow) {
    return () => {
      allows = true;
      allow.click();
    };
  }
  if (allows) return null;
  const dialog = at("dialog#dialog[open]");
  if (dialog) {
    const [write, apply] = ["write", "apply"].map((id) => document.getElementById(id));
    if (apply && !apply.disabled) return () => apply.click();
    return write && !write.disabled && !write.ariaBusy ? () => write.click() : null;
  }
  // What was pressed last is on its way while the button is off.
  if (document.getElementById("send").disabled || composer.dataset.busy === "1" || at("#tail").dataset.running === "1") return null;
  if (composer.dataset.demo === "say") return () => say(document.getElementById("demo-line").dataset.text);
  if (composer.dataset.demo === "compress" && at("#compress")) return () => at("#compress").click();
  return null;
}

function show() {
  const [pause, speed] = ["pause", "speed"].map((what) => at(`[data-demo-do=${what}]`));
  if (pause) pause.textContent = state.plays ? "Pause" : "Play";
  if (speed) speed.textContent = `${state.speed}×`;
}

function typed() {
  const says = !at("[data-approval] button") && !at("dialog[open]") && at("#composer").dataset.demo === "say";
  const line = says ? document.getElementById("demo-line").dataset.text : "";
  if (line) document.getElementById("say").value = line;
  waiting = setTimeout(() => {
    waiting = 0;
    if (line && document.getElementById("say").value === line) document.getElementById("say").value = "";
    // What was there when the wait began may have been answered elsewhere by now.
    next()?.();
    setTimeout(tick, 400);
  }, 2200 / state.speed);
}

export function tick() {
  show();
  if (!at("#demo") || !state.plays || waiting) return;
  if (next()) typed();
  else if (document.getElementById("composer").dataset.demo !== "none") {
    waiting = setTimeout(() => {
      waiting = 0;
      tick();
    }, 600);
  }
}

function halt() {
  clearTimeout(waiting);
  waiting = 0;
  state.plays = false;
  const box = document.getElementById("say");
  if (box.value === document.getElementById("demo-line")?.dataset.text) box.value = "";
}

export function start(saying) {
  say = saying;
  if (!at("#demo")) return;
  if (location.hash === "#demo") {
    state.plays = true;
    history.replaceState(null, "", location.pathname);
  }
  document.addEventListener("click", ({ target }) => {
    const what = target.closest("[data-demo-do]")?.dataset.demoDo;
    if (!what) return;
    if (what === "pause") {
      if (state.plays) halt();
      else state.plays = true;
    }
    if (what === "speed") state.speed = SPEEDS[(SPEEDS.indexOf(state.speed) + 1) % SPEEDS.length];
    if (what === "step") {
      halt();
      next()?.();
    }
    keep();
    tick();
  });
  keep();
  tick();
}
