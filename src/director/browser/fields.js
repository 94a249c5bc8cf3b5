// Which fields of a document hold a secret, and what they held. Runs in every frame, before the
// page's own scripts where it is an init script, else when it is first asked. The page stays as it
// is: fields are known by identity, and only `hide` leaves an attribute and a style, which `reveal`
// takes back.
(() => {
  if (globalThis.__director) return;
  const NAMED = /(^|[^a-z])(password|passwd|passcode|passphrase|pwd|otp|totp|cvv|cvc|one-?time-?code)([^a-z]|$)/;
  const FILLED = /(^|\s)(one-time-code|current-password|new-password|cc-(number|csc|exp\S*))(\s|$)/;
  const SPOKEN =
    /pass|kennwort|contrase|palavra|senha|wachtwoord|lösen|heslo|hasło|parola|парол|密码|密碼|パス|암호|\bpin\b|secret|geheim|token|\bcode\b|\bkey\b/;
  const NO_TEXT = new Set(["button", "submit", "reset", "image", "checkbox", "radio", "file", "hidden"]);
  const HIDDEN = "data-director-hidden";
  const MARK = "[redacted]";
  // Below its cover nothing is drawn: a shadow or a reflection would stand beside it.
  const UNDRAWN = { opacity: "0", transition: "none", animation: "none" };
  const undo = [];
  const cover = (node) => {
    node.setAttribute(HIDDEN, "");
    const { style } = node;
    if (!style) return;
    const before = node.getAttribute("style");
    undo.push(() => (before === null ? node.removeAttribute("style") : (style.cssText = before)));
    for (const [name, value] of Object.entries(UNDRAWN)) style.setProperty(name, value, "important");
  };
  const marked = new WeakSet();
  const values = new Set();

  const isField = (node) =>
    node.localName === "input" ? !NO_TEXT.has(node.type) : node.localName === "textarea" || node.isContentEditable === true;
  const words = (node) =>
    ["name", "id", "aria-label", "placeholder"]
      .map((name) => node.getAttribute(name) || "")
      .join(" ")
      .replace(/([a-z])([A-Z])/g, "$1-$2")
      .toLowerCase();
  // Pages write new-password on plain fields too, so that the browser offers nothing there: the
  // search field of a list has it. One that has a name without a word for a secret is such a field.
  const isPlain = (node) => {
    if (node.localName !== "input" || !["text", "search"].includes(node.type)) return false;
    const said = [...(node.labels ?? [])].map((label) => label.textContent).join(" ");
    const names = `${said} ${words(node)}`.toLowerCase();
    return /\p{L}/u.test(names) && !SPOKEN.test(names);
  };
  const isForSecret = (node) => {
    const asks = (node.getAttribute("autocomplete") || "").toLowerCase();
    return FILLED.test(asks) && !(asks.trim() === "new-password" && isPlain(node));
  };
  // What the page itself says: this field is for a secret.
  const isDeclared = (node) =>
    node.type === "password" ||
    isForSecret(node) ||
    NAMED.test(words(node)) ||
    !["none", "", undefined].includes(getComputedStyle(node).webkitTextSecurity);
  const isSecret = (node) => marked.has(node) || isDeclared(node);
  const held = (node) => (typeof node.value === "string" ? [node.value, node.defaultValue] : [node.innerText]);

  // A value stays known when its field is cleared, replaced or shown: the page may have echoed it.
  const remember = (value) => {
    // While the page is masked an attribute may hold the mark.
    if (value && !value.includes(MARK)) values.add(value);
  };
  const mark = (node) => {
    marked.add(node);
    held(node).forEach(remember);
  };
  // A closed shadow root is drawn as any other.
  const roots = new WeakMap();
  const inside = (node) => roots.get(node) ?? node.shadowRoot;
  const every = function* (root, kind) {
    const walker = document.createTreeWalker(root, kind);
    while (walker.nextNode()) {
      yield walker.currentNode;
      const within = inside(walker.currentNode);
      if (within) yield* every(within, kind);
    }
  };
  const secrets = () => {
    const found = [];
    for (const node of every(document, NodeFilter.SHOW_ELEMENT)) if (isField(node) && isSecret(node)) found.push(node);
    found.forEach(mark);
    // A code is often typed into one box a digit.
    const digits = found.map((node) => node.value).filter((value) => value && value.length === 1);
    if (digits.length > 3) [digits.join(""), digits.join(" ")].forEach(remember);
    return found;
  };

  const noticed = (event) => {
    const node = event.composedPath()[0];
    if (!(node instanceof Element) || !isField(node) || !isSecret(node)) return;
    marked.add(node);
    if (event.type === "change" || event.type === "focusout") mark(node);
  };
  for (const type of ["focusin", "input", "change", "focusout"]) addEventListener(type, noticed, true);

  const changes = new MutationObserver((records) => {
    for (const record of records) if (record.oldValue?.toLowerCase() === "password") mark(record.target);
  });
  const observe = (root) =>
    changes.observe(root, { subtree: true, attributes: true, attributeFilter: ["type"], attributeOldValue: true });
  observe(document);
  // A shadow root that stands in the HTML is attached by nobody.
  addEventListener("DOMContentLoaded", () => {
    for (const node of every(document, NodeFilter.SHOW_ELEMENT)) if (node.shadowRoot) observe(node.shadowRoot);
  });
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (...given) {
    const root = attach.apply(this, given);
    roots.set(this, root);
    observe(root);
    return root;
  };

  // A secret leaves its field with the form, and in no other way.
  const keep = (event) => {
    const node = event.composedPath()[0];
    const field = node instanceof Element ? node : node?.parentElement;
    const host = field?.closest?.("input, textarea, [contenteditable]") ?? document.activeElement;
    if (!host || !isField(host) || !isSecret(host)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  for (const type of ["copy", "cut", "dragstart"]) addEventListener(type, keep, true);

  // How a field is named when a person is asked about it: what it is, and what the page calls it.
  const describe = (node) => {
    const kind = node.localName === "input" ? node.type : node.localName === "textarea" ? "textarea" : "editable text";
    for (const name of ["name", "id", "autocomplete", "aria-label", "placeholder"]) {
      const value = (node.getAttribute(name) || "").trim();
      if (value) return `${kind} ${name}=${value.slice(0, 100)}`;
    }
    return `${kind} without a name`;
  };
  const api = {
    document: `${performance.timeOrigin}-${Math.random()}`,
    mark,
    every,
    isField,
    isDeclared,
    isSecret: (node) => isField(node) && isSecret(node),
    describe,
    secrets,
    values: () => (secrets(), [...values]),
    hide: (others = []) => new Set([...secrets(), ...others]).forEach(cover),
    reveal: () => {
      for (const node of every(document, NodeFilter.SHOW_ELEMENT)) node.removeAttribute(HIDDEN);
      for (const back of undo.splice(0)) back();
    },
  };
  Object.defineProperty(globalThis, "__director", { value: Object.freeze(api) });
})();
