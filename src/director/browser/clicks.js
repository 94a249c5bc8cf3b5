// In the world of the page: which elements act though nothing says so, an icon or a row that only
// listens for clicks. They are told to the model of the page by an event on each, and by events the
// model hands elements over.
(() => {
  if (globalThis.__directorClicks) return;
  const TYPES = new Set(["click", "mousedown", "mouseup", "pointerdown"]);
  const PROPS = ["onClick", "onMouseDown", "onPointerDown", "onClickCapture"];
  const listening = new WeakSet();
  const reported = new WeakSet();
  const listen = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (type, ...given) {
    if (TYPES.has(type) && this instanceof Element) listening.add(this);
    return listen.call(this, type, ...given);
  };
  const { keys } = Object;
  const isFunction = (value) => typeof value === "function";
  // A framework that listens at the root keeps on each element what it would call.
  const isBound = (node) => {
    for (const key of keys(node)) {
      if (key.startsWith("__reactProps$") || key.startsWith("__reactEventHandlers$"))
        return PROPS.some((prop) => isFunction(node[key]?.[prop]));
      if (key === "__click" || key === "__mousedown") return true;
      if (key === "_vei") return Boolean(node._vei?.onClick || node._vei?.onMousedown);
    }
    return Boolean(node.__vnode?.props?.onClick);
  };
  const acts = (node) =>
    listening.has(node) || isFunction(node.onclick) || isFunction(node.onmousedown) || isBound(node);
  const every = function* (root) {
    for (const node of root.querySelectorAll("*")) {
      yield node;
      if (node.shadowRoot) yield* every(node.shadowRoot);
    }
  };
  const dispatch = EventTarget.prototype.dispatchEvent;
  // How many were told and heard; what nobody heard is told again.
  const report = () => {
    let count = 0;
    for (const node of every(document)) {
      if (reported.has(node)) continue;
      let is = false;
      try {
        is = acts(node);
      } catch {
        continue;
      }
      if (!is) continue;
      const event = new CustomEvent("director-acts", { cancelable: true, composed: true });
      if (dispatch.call(node, event)) return -1;
      reported.add(node);
      count += 1;
    }
    return count;
  };
  // The model asks under a name that it made, which nobody else has heard: the answer is for it alone.
  const detailOf = Object.getOwnPropertyDescriptor(CustomEvent.prototype, "detail").get;
  const Made = CustomEvent;
  // Both worlds have it, and a document that is written anew keeps who listens there.
  const line = performance;
  const answer = (type, tell) => listen.call(line, type, (event) => {
    event.stopImmediatePropagation();
    // A text at a time: what a page has done to lists and to JSON changes nothing.
    const name = detailOf.call(event);
    const texts = tell();
    for (let at = 0; name && at < texts.length; at += 1) dispatch.call(line, new Made(name, { detail: texts[at] }));
  }, true);
  const { __director: fields } = globalThis;
  answer("director-report", () => [`${report()}`]);
  answer("director-held", () => [fields.document, document.title, ...fields.values()]);
  // Elements that the model hands over to the world of the page, by an event on each.
  let handed = [];
  const take = (event) => {
    event.stopImmediatePropagation();
    handed.push(event.composedPath()[0]);
  };
  const wait = (type) => {
    handed = [];
    listen.call(globalThis, type, take, true);
  };
  const handedOver = (type) => {
    removeEventListener(type, take, true);
    return handed.splice(0);
  };
  const api = { report, wait, handedOver };
  Object.defineProperty(globalThis, "__directorClicks", { value: Object.freeze(api) });
})();
