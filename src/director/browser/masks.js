// Puts a mark in the place of secrets in a document while it is looked at, and everything back after.
// Which texts hold one is decided outside, from what `scan` gives: no secret is ever sent to a page.
// The live values of fields stay as they are; a field that holds a secret is marked instead.
(() => {
  if (globalThis.__directorMasks) return;
  const { every, isField, isSecret, mark, secrets, values } = globalThis.__director;
  // To change these would load something, or navigate.
  const LOADS = new Set(
    "img iframe frame script link base meta video audio source track embed object input image use feImage".split(" "),
  );
  const LOADED = new Set("src srcset srcdoc href xlink:href data poster content name style".split(" "));
  const DRAWS = "canvas, video, embed, object";
  // A picture that the page itself has made.
  const MADE = /^\s*(blob|data):/i;
  const MADE_STYLE = /url\(\s*["']?\s*(blob|data):[^)]*/gi;
  const DRAWN_BY = "background-image border-image-source list-style-image mask-image -webkit-mask-image content cursor".split(" ");
  // Pictures in the style sheets of files are the site's own; all others may have been made of a secret.
  const filed = () => {
    const found = new Set();
    for (const sheet of document.styleSheets) {
      if (!sheet.href) continue;
      try {
        for (const rule of sheet.cssRules) for (const each of rule.cssText.match(MADE_STYLE) ?? []) found.add(each);
      } catch {
        // A file of another origin cannot be read, nor be changed.
      }
    }
    return found;
  };
  const styled = (node, known) =>
    [null, "::before", "::after", "::marker"].some((part) => {
      const style = getComputedStyle(node, part);
      return DRAWN_BY.some((name) => (style.getPropertyValue(name).match(MADE_STYLE) ?? []).some((each) => !known.has(each)));
    });
  const draws = (node, known) =>
    node.matches(DRAWS) ||
    [node.currentSrc, node.src, node.href?.baseVal].some((from) => typeof from === "string" && MADE.test(from)) ||
    styled(node, known);
  const BOTH = NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT;
  const live = (node) => (typeof node.value === "string" ? node.value : node.innerText) ?? "";

  let scanned = { texts: [], attributes: [], fields: [] };
  let undo = [];
  let covered = new Set();
  let touched = [];
  let drawing = false;
  let seen = [];

  const note = (records) => {
    for (const { type, target, attributeName, addedNodes } of records) {
      if (type === "attributes") seen.push(target.getAttribute(attributeName) ?? "");
      else if (type === "characterData") seen.push(target.data);
      else for (const node of addedNodes) seen.push(node.outerHTML ?? node.data ?? "");
    }
  };
  const changes = new MutationObserver(note);
  const heard = () => note(changes.takeRecords());

  const scan = () => {
    lift();
    scanned = { texts: [], attributes: [], fields: [] };
    const options = { subtree: true, childList: true, characterData: true, attributes: true };
    changes.observe(document, options);
    for (const node of every(document, BOTH)) {
      if (node.nodeType === Node.TEXT_NODE) {
        if (/\S/.test(node.data)) scanned.texts.push([node, node.data]);
        continue;
      }
      for (const each of node.attributes) if (each.value.length > 3) scanned.attributes.push([each, each.value]);
      if (isField(node)) scanned.fields.push([node, live(node)]);
      const root = node.getRootNode();
      if (root !== document && root.firstChild === node) changes.observe(root, options);
    }
    changes.takeRecords();
    return {
      document: globalThis.__director.document,
      values: values(),
      ...Object.fromEntries(Object.entries(scanned).map(([name, found]) => [name, found.map(([, text]) => text)])),
    };
  };

  // The outermost element that is edited: an editor reads what changes in it.
  const editor = (node) => {
    let found = null;
    for (let at = node.parentElement; at; at = at.parentElement) if (at.isContentEditable) found = at;
    return found;
  };
  // From here on its attribute or its content no longer decides what it shows.
  const detach = (field) => {
    const kind = field.localName === "textarea" ? HTMLTextAreaElement : HTMLInputElement;
    const value = Object.getOwnPropertyDescriptor(kind.prototype, "value");
    value.set.call(field, value.get.call(field));
  };
  const put = (node, name, text) => {
    const before = node[name];
    node[name] = text;
    undo.push(() => {
      if (node[name] === text) node[name] = before;
    });
  };
  const maskText = ([node], text) => {
    const host = editor(node);
    touched.push(node);
    if (host) return mark(host);
    if (node.parentElement?.localName === "textarea") {
      detach(node.parentElement);
      mark(node.parentElement);
    }
    put(node, "data", text);
  };
  const maskAttribute = ([attribute], text, left) => {
    const owner = attribute.ownerElement;
    touched.push(owner);
    if (attribute.name === "style" || (LOADS.has(owner.localName) && LOADED.has(attribute.name))) {
      left.add(attribute.name);
      covered.add(owner);
      return;
    }
    if (attribute.name === "value" && owner.localName === "input" && isField(owner)) {
      detach(owner);
      mark(owner);
    }
    try {
      put(attribute, "value", text);
    } catch {
      // The page's own policy forbids it.
      left.add(attribute.name);
      covered.add(owner);
    }
  };

  // Each change is [index in the scan, text]; `fields` are indices. Null if the page has changed since.
  const apply = (found) => {
    heard();
    const stale = ([node, text]) => (node.data ?? node.value) !== text || !(node.ownerElement ?? node).isConnected;
    if ([...found.texts.map(([at]) => scanned.texts[at]), ...found.attributes.map(([at]) => scanned.attributes[at])].some(stale))
      return null;
    const left = new Set();
    for (const at of found.fields) mark(scanned.fields[at][0]);
    for (const [at, text] of found.texts) maskText(scanned.texts[at], text);
    for (const [at, text] of found.attributes) maskAttribute(scanned.attributes[at], text, left);
    changes.takeRecords();
    const full = secrets().filter((node) => live(node));
    drawing ||= found.address || full.length > 0 || found.texts.length + found.attributes.length > 0;
    return {
      masked: found.texts.length + found.attributes.length,
      left: [...left],
      fields: full.length > 0,
      editable: full.some((node) => node.isContentEditable),
    };
  };

  const lift = () => {
    heard();
    changes.disconnect();
    for (const back of undo.splice(0).reverse()) back();
    covered = new Set();
    touched = [];
    const told = seen;
    seen = [];
    return { document: globalThis.__director.document, seen: told };
  };

  // A document that held a secret may have drawn it: what is drawn is covered as a whole.
  const hide = () => {
    const known = drawing ? filed() : null;
    const drawn = drawing ? [...every(document, NodeFilter.SHOW_ELEMENT)].filter((node) => draws(node, known)) : [];
    globalThis.__director.hide([...covered, ...drawn]);
    changes.takeRecords();
  };

  // While masked: whether an element shows or carries a secret, itself or in what it is dragged with.
  const holds = (node) => {
    const whole = node.closest("a, [draggable=true]") ?? node;
    return [...touched, ...secrets().filter(live)].some((each) => whole.contains(each) || each.contains(node));
  };
  // What an editor shows cannot be masked, so its text is not read at all.
  const editors = () => secrets().filter((each) => each.isContentEditable && live(each));
  const hidesText = (node, among = editors()) =>
    among.some((each) => each.contains(node) || node.contains(each));
  const hidesValue = (node) => {
    const field = node.control ?? node;
    return isSecret(field) && Boolean(live(field));
  };

  const api = { scan, apply, lift, hide, holds, editors, hidesText, hidesValue };
  Object.defineProperty(globalThis, "__directorMasks", { value: Object.freeze(api) });
})();
