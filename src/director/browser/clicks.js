// Elements that act though nothing says so: an icon or a row that only listens for clicks. An
// accessibility tree leaves them out, so while a snapshot is taken they say what they are; then
// `untell` puts every attribute back. Left alone: editors, custom elements, what has a role.
(() => {
  if (globalThis.__directorClicks) return;
  const TYPES = new Set(["click", "mousedown", "mouseup", "pointerdown"]);
  const SAYS = "a[href], button, input, select, textarea, summary, option, label, [role], [aria-label]";
  const EDITED = "[contenteditable], [contenteditable] *";
  const SMALL = new Set(
    "a b circle div ellipse em g i img p path polygon polyline rect span strong svg text use".split(" "),
  );
  const MOST = 500;
  const listening = new WeakSet();
  const told = [];

  const listen = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (type, ...given) {
    if (TYPES.has(type) && this instanceof Element) listening.add(this);
    return listen.call(this, type, ...given);
  };

  const acts = (node) => listening.has(node) || typeof node.onclick === "function" || typeof node.onmousedown === "function";
  const every = function* (root) {
    for (const node of root.querySelectorAll("*")) {
      yield node;
      if (node.shadowRoot) yield* every(node.shadowRoot);
    }
  };
  const label = (node) =>
    ["title", "alt", "data-testid", "id", "class"].map((name) => node.getAttribute(name)).find((text) => text?.trim()) ||
    `${node.getAttribute("fill") || ""} ${node.localName}`;
  const set = (node, name, value) => {
    told.push([node, name, node.getAttribute(name)]);
    node.setAttribute(name, value);
  };
  const tell = (node) => {
    const text = node.textContent.trim();
    const alone = !node.querySelector(SAYS) && ![...node.querySelectorAll("*")].some(acts);
    if (alone && text.length < 80 && SMALL.has(node.localName)) {
      set(node, "role", "button");
      if (!text && !node.querySelector("img[alt]")) set(node, "aria-label", label(node).trim().slice(0, 60));
    } else if (node !== document.body && getComputedStyle(node).cursor !== "pointer") {
      set(node, "style", `${node.getAttribute("style") || ""};cursor:pointer`);
    }
  };
  const api = {
    tell: () => {
      const found = [...every(document)].filter(
        (node) => acts(node) && !node.matches(SAYS) && !node.matches(EDITED) && !node.localName.includes("-"),
      );
      found.slice(0, MOST).forEach(tell);
    },
    untell: () => {
      for (const [node, name, value] of told.splice(0).reverse())
        value === null ? node.removeAttribute(name) : node.setAttribute(name, value);
    },
  };
  Object.defineProperty(globalThis, "__directorClicks", { value: Object.freeze(api) });
})();
