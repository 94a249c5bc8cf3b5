// The model of a page: role, name, text and place of each element, as the outline shows them and as
// locators find them. It runs in a world of its own, where no script of the page reaches, and asks
// the DOM through prototypes only: a field named "labels" hides nothing from it. It changes nothing
// but what `tell` says, and never reads what somebody typed.
const getter = (kind, name) => {
  const { get } = Object.getOwnPropertyDescriptor(kind.prototype, name);
  return (node) => Reflect.apply(get, node, []);
};
const method = (kind, name) => {
  const own = kind.prototype[name];
  return (node, ...given) => Reflect.apply(own, node, given);
};
const childNodesOf = getter(Node, "childNodes");
const parentNodeOf = getter(Node, "parentNode");
const typeOf = getter(Node, "nodeType");
const isConnected = getter(Node, "isConnected");
const rootOf = method(Node, "getRootNode");
const contains = method(Node, "contains");
const shadowOf = getter(Element, "shadowRoot");
const slotOf = getter(Element, "assignedSlot");
const childrenOf = getter(Element, "children");
const previousOf = getter(Element, "previousElementSibling");
const classListOf = getter(Element, "classList");
const localNameOf = getter(Element, "localName");
const get = method(Element, "getAttribute");
const has = method(Element, "hasAttribute");
const setAttribute = method(Element, "setAttribute");
const removeAttribute = method(Element, "removeAttribute");
const isMatch = method(Element, "matches");
const closest = method(Element, "closest");
const queryAll = method(Element, "querySelectorAll");
const boxOf = method(Element, "getBoundingClientRect");
const isShownByCss = method(Element, "checkVisibility");
const editableOf = getter(HTMLElement, "isContentEditable");
const slotted = method(HTMLSlotElement, "assignedNodes");
const inDocument = method(Document, "querySelectorAll");
const inFragment = method(DocumentFragment, "querySelectorAll");
// Of each element its style is asked for once in a look.
const styles = new Map();
function styleOf(el) {
  let style = styles.get(el);
  if (!style) styles.set(el, (style = getComputedStyle(el)));
  return style;
}

const LABELLED = Object.fromEntries(
  [
    ["input", HTMLInputElement], ["select", HTMLSelectElement], ["textarea", HTMLTextAreaElement],
    ["button", HTMLButtonElement], ["output", HTMLOutputElement], ["meter", HTMLMeterElement],
    ["progress", HTMLProgressElement],
  ].map(([tag, kind]) => [tag, getter(kind, "labels")]),
);
const inputType = getter(HTMLInputElement, "type");
const ELEMENT = Node.ELEMENT_NODE, TEXT = Node.TEXT_NODE;
const isElement = (node) => typeOf(node) === ELEMENT;
const tagOf = (el) => localNameOf(el).toLowerCase();
const isHtml = (el) => el instanceof HTMLElement;
const isEditable = (el) => isHtml(el) && editableOf(el);
const wordsOf = (text) => (text || "").split(/\s+/).filter(Boolean);
const tidy = (text, most = 80) => !text ? "" : text.replace(/[\u200b\u00ad]/g, "").replace(/\s+/g, " ").trim().slice(0, most).trim();
const attribute = (el, name) => tidy(get(el, name), 120);
// The element around another one, also out of a shadow root.
const parent = (el) => {
  const up = parentNodeOf(el);
  if (!up) return null;
  if (isElement(up)) return up;
  return up instanceof ShadowRoot ? up.host : null;
};
const queryIn = (root, css) =>
  root instanceof Document ? inDocument(root, css) : root instanceof DocumentFragment ? inFragment(root, css) : queryAll(root, css);
function* everything(root) {
  for (const el of queryIn(root, "*")) {
    yield el;
    const inner = shadowOf(el);
    if (inner) yield* everything(inner);
  }
}

let whole = null, hasShadows = false;
function listElements(root, found) {
  for (const el of queryIn(root, "*")) {
    found.push(el);
    const inner = shadowOf(el);
    if (inner) {
      hasShadows = true;
      listElements(inner, found);
    }
  }
  return found;
}
function allElements() {
  if (whole) return whole;
  hasShadows = false;
  return (whole = listElements(document, []));
}
// All that CSS matches; the browser itself looks where there is nothing but the document.
function selected(css) {
  const every = allElements();
  return hasShadows ? every.filter((el) => isMatch(el, css)) : [...inDocument(document, css)];
}

// Which elements act though nothing says so: the world of the page tells, by an event on each.
const acting = new WeakSet();
const hearActor = (event) => {
  acting.add(event.composedPath()[0]);
  event.preventDefault();
};
// At every request, since a document that is written anew forgets who listens.
const listenForActors = () => addEventListener("director-acts", hearActor, true);

const LANDMARK_IN = "article:not([role]),aside:not([role]),main:not([role]),nav:not([role]),section:not([role])," +
  "[role=article],[role=complementary],[role=main],[role=navigation],[role=region]";
const TAGS = {
  article: "article", aside: "complementary", blockquote: "blockquote", button: "button", caption: "caption",
  code: "code", datalist: "listbox", dd: "definition", del: "deletion", details: "group", dfn: "term",
  dialog: "dialog", dt: "term", em: "emphasis", fieldset: "group", figure: "figure", h1: "heading",
  h2: "heading", h3: "heading", h4: "heading", h5: "heading", h6: "heading", hr: "separator", html: "document",
  iframe: "iframe", ins: "insertion", li: "listitem", main: "main", mark: "mark", math: "math", menu: "list",
  meter: "meter", nav: "navigation", ol: "list", optgroup: "group", option: "option", output: "status",
  p: "paragraph", progress: "progressbar", search: "search", strong: "strong", sub: "subscript",
  sup: "superscript", svg: "img", table: "table", tbody: "rowgroup", textarea: "textbox", tfoot: "rowgroup",
  thead: "rowgroup", time: "time", tr: "row", ul: "list",
};
const INPUTS = {
  button: "button", submit: "button", reset: "button", image: "button", file: "button", checkbox: "checkbox",
  radio: "radio", range: "slider", number: "spinbutton", search: "searchbox", hidden: "",
};
const BUTTONS = new Set(["button", "submit", "reset", "image"]);
const VALID = new Set(
  ("alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox " +
    "complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid " +
    "gridcell group heading img insertion link list listbox listitem log main mark marquee math meter menu menubar " +
    "menuitem menuitemcheckbox menuitemradio navigation none note option paragraph presentation progressbar radio " +
    "radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong " +
    "subscript superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid " +
    "treeitem").split(" "));
const SPOKEN = new Set(
  ("button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio row " +
    "rowheader switch tab tooltip treeitem").split(" "));
const SPOKEN_INSIDE = new Set(
  (" caption code contentinfo definition deletion emphasis insertion list listitem mark none paragraph presentation " +
    "region row rowgroup section strong subscript superscript table term time generic").split(" "));
const NAMELESS = new Set(
  ("caption code definition deletion emphasis generic insertion mark paragraph presentation none strong subscript " +
    "suggestion superscript term time").split(" "));
const SILENT = new Set(["script", "style", "template", "noscript"]);
// Editors that draw what was typed into a field of theirs, which has no size of its own.
const EDITORS = ".monaco-editor,.CodeMirror,.cm-editor,.ace_editor";
// What stands in one of these is its value: what somebody typed, chose or made it show.
const FIELDS = "textarea,select,output,meter,progress,[role=textbox],[role=searchbox],[role=combobox],[role=spinbutton]," +
  `[role=slider],${EDITORS}`;
const isField = (el) => isEditable(el) || isMatch(el, FIELDS);
const FOCUSABLE = "a[href],button,input:not([type=hidden]),select,textarea,summary,[tabindex],[contenteditable='']," +
  "[contenteditable=true]";

const roles = new Map(), names = new Map(), texts = new Map(), hidden = new Map(), drawnBy = new Map(), insideTexts = new Map();
const forget = () => {
  [roles, names, texts, hidden, drawnBy, insideTexts, styles].forEach((each) => each.clear());
  whole = null;
};

const isNamedByAttribute = (el) => has(el, "aria-label") || has(el, "aria-labelledby") || has(el, "title");

function headerRole(el) {
  const scope = (get(el, "scope") || "").toLowerCase();
  if (/^col/.test(scope)) return "columnheader";
  if (/^row/.test(scope)) return "rowheader";
  const row = parent(el);
  return row && [...childrenOf(row)].some((each) => tagOf(each) === "td") && [...childrenOf(row)][0] === el
    ? "rowheader" : "columnheader";
}

function implicitRole(el) {
  const tag = tagOf(el);
  if (tag === "a" || tag === "area") return has(el, "href") ? "link" : "";
  if (tag === "input") {
    const type = inputType(el);
    if (/^(email|tel|text|url|search)$/.test(type) && has(el, "list")) return "combobox";
    return INPUTS[type] ?? "textbox";
  }
  if (tag === "select") return has(el, "multiple") || Number(get(el, "size")) > 1 ? "listbox" : "combobox";
  if (tag === "form") return isNamedByAttribute(el) ? "form" : "";
  if (tag === "section") return isNamedByAttribute(el) ? "region" : "";
  if (tag === "header" || tag === "footer")
    return closest(el, LANDMARK_IN) ? "" : tag === "header" ? "banner" : "contentinfo";
  if (tag === "img") return get(el, "alt") === "" && !has(el, "title") ? "presentation" : "img";
  if (tag === "td") {
    const table = closest(el, "table");
    return table && /^(grid|treegrid)$/.test(get(table, "role") || "") ? "gridcell" : "cell";
  }
  if (tag === "th") return headerRole(el);
  return TAGS[tag] ?? "";
}

function roleNow(el) {
  for (const own of wordsOf(get(el, "role"))) {
    if (!VALID.has(own)) continue;
    // What can be focused is there for people, whatever it says.
    if ((own === "none" || own === "presentation") && isMatch(el, FOCUSABLE)) return implicitRole(el);
    return own;
  }
  const its = implicitRole(el);
  if (its) return its;
  if (isEditable(el) && !(parent(el) && isEditable(parent(el)))) return "textbox";
  return acting.has(el) && isSmallActor(el) ? "button" : "";
}
function role(el) {
  if (!roles.has(el)) roles.set(el, roleNow(el));
  const its = roles.get(el);
  return its === "none" || its === "presentation" || its === "generic" ? "" : its;
}

// Hidden as assistive technology sees it.
function isHidden(el) {
  if (hidden.has(el)) return hidden.get(el);
  const up = parent(el);
  const slot = slotOf(el);
  let is = SILENT.has(tagOf(el)) || (get(el, "aria-hidden") || "").toLowerCase() === "true";
  if (!is && up && shadowOf(up) && rootOf(el) === rootOf(up) && !slot) is = true;
  if (!is && isHtml(el)) {
    const style = styleOf(el);
    is = style.display === "none" || (style.visibility !== "visible" && tagOf(el) !== "slot") ||
      (tagOf(el) !== "option" && style.display !== "contents" && !isShownByCss(el, { visibilityProperty: false }));
  }
  is = is || Boolean(slot ? isHidden(slot) : up && isHidden(up) && !isVisibleAgain(el, up));
  hidden.set(el, is);
  return is;
}
// `visibility` may be given back by an element inside of one that is hidden.
const isVisibleAgain = (el, up) =>
  styleOf(up).visibility !== "visible" && styleOf(el).visibility === "visible" &&
  styleOf(up).display !== "none" && (get(up, "aria-hidden") || "") !== "true" && (!parent(up) || !isHidden(parent(up)) || isVisibleAgain(up, parent(up)));

// What a style sheet writes before and after an element, which each name around it says too.
function pseudo(el, at) {
  if (!drawnBy.has(el)) drawnBy.set(el, [drawnText(el, "::before"), drawnText(el, "::after")]);
  return drawnBy.get(el)[at];
}
function drawnText(el, part) {
  const style = getComputedStyle(el, part);
  const content = style.content;
  if (!content || content === "none" || content === "normal" || style.display === "none" || style.visibility !== "visible") return "";
  const spoken = /\/\s*"((?:[^"\\]|\\.)*)"\s*$/.exec(content);
  const parts = spoken ? [spoken[1]] : [...content.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((found) => found[1]);
  const text = parts.join("").replace(/\\(.)/g, "$1");
  return !text || style.display === "inline" ? text : ` ${text} `;
}

const labelsOf = (el) => [...(LABELLED[tagOf(el)]?.(el) || [])];
function labelText(el, seen = []) {
  const labels = labelsOf(el);
  if (!labels.length) return "";
  depending += 1;
  const said = (label) => spoken(label, { in: "label", of: el, seen: new Set([...seen, el]) });
  return tidy(labels.map(said).join(" "), 200);
}
function pointed(el) {
  if (!has(el, "aria-labelledby")) return [];
  const root = rootOf(el);
  return wordsOf(get(el, "aria-labelledby"))
    .map((id) => (root instanceof Document || root instanceof ShadowRoot ? queryIn(root, `[id="${CSS.escape(id)}"]`)[0] : null))
    .filter(Boolean);
}

// What an element contributes to a name, by the rules of the accessible name; `at.in` says to whose.
function spoken(el, at) {
  if (at.seen.has(el)) {
    depending += 1;
    return "";
  }
  if (at.in !== "pointed" && !at.hidden && isHidden(el)) return "";
  at.seen.add(el);
  if (at.in !== "pointed" && at.in !== "pointed inside") {
    const named = pointed(el).map((other) => spoken(other, { in: "pointed", of: el, seen: new Set([el]) })).join(" ");
    if (tidy(named)) return named;
  }
  const its = roles.get(el) ?? (role(el), roles.get(el));
  const tag = tagOf(el);
  const inside = at.in !== "self";
  if (inside && el !== at.of && /^(textbox|searchbox|combobox|listbox|slider|spinbutton|progressbar|scrollbar|meter|menu)$/.test(its))
    return attribute(el, "aria-label");
  const label = attribute(el, "aria-label");
  if (label) return label;
  const own = nativeName(el, tag, at);
  if (own !== null) return own;
  const byContent = SPOKEN.has(its) || tag === "summary" || at.in === "label" || at.in.startsWith("pointed") ||
    (inside && SPOKEN_INSIDE.has(its));
  if (byContent) {
    const text = insideText(el, { ...at, in: at.in === "self" ? "inside" : at.in === "pointed" ? "pointed inside" : at.in });
    if (tidy(text)) return text;
  }
  return its === "none" || its === "presentation" ? "" : get(el, "title") || "";
}

const childNamed = (el, tag) => [...childrenOf(el)].find((each) => tagOf(each) === tag);
function nativeName(el, tag, at) {
  const title = () => get(el, "title") || "";
  const content = (inner) => spoken(inner, { in: "label", of: el, seen: at.seen });
  const labels = () => labelText(el, at.seen);
  if (tag === "input") {
    const type = inputType(el);
    if (/^(button|submit|reset)$/.test(type)) {
      const value = tidy(get(el, "value"));
      return labels() || value || title() || { submit: "Submit", reset: "Reset" }[type] || "";
    }
    if (type === "file") return labels() || "Choose File";
    if (type === "image") return labels() || get(el, "alt") || title() || "Submit";
    if (labels()) return labels();
    const hint = /^(text|password|search|tel|email|url)$/.test(type) ? get(el, "placeholder") || "" : "";
    return title() || hint;
  }
  if (tag === "textarea") return labels() || title() || get(el, "placeholder") || "";
  if (tag === "select" || tag === "output" || tag === "meter" || tag === "progress") return labels() || (tag === "select" ? title() : null);
  if (tag === "button") return labels() || null;
  if (tag === "img" || tag === "area") return get(el, "alt") || title();
  const part = { fieldset: "legend", figure: "figcaption", table: "caption", svg: "title" }[tag];
  if (part) {
    const found = childNamed(el, part);
    if (found) return tag === "svg" ? plain(found) : content(found);
    return tag === "table" ? get(el, "summary") || null : tag === "fieldset" || tag === "figure" ? title() : null;
  }
  return null;
}

const plain = (el) => [...childNodesOf(el)].map((node) => (typeOf(node) === TEXT ? node.data : isElement(node) ? plain(node) : "")).join("");

// What stands inside is said by all names around it: it is read once, unless it depends on what was said before.
let depending = 0;
function insideText(el, at) {
  if (at.in !== "inside" || at.hidden) return readInside(el, at);
  if (insideTexts.has(el)) return insideTexts.get(el);
  const before = depending;
  const text = readInside(el, at);
  if (tagOf(el) === "label") depending += 1;
  if (depending === before) insideTexts.set(el, text);
  return text;
}
function readInside(el, at) {
  const parts = [pseudo(el, 0)];
  const visit = (node, own) => {
    if (typeOf(node) === TEXT) {
      if (!own || !node.assignedSlot) parts.push(node.data);
      return;
    }
    if (!isElement(node) || (own && slotOf(node))) return;
    if ((isEditable(node) && !isEditable(el)) || isMatch(node, EDITORS)) return;
    const text = spoken(node, at);
    const flows = tagOf(node) !== "br" && (styleOf(node).display || "inline") === "inline";
    parts.push(flows ? text : ` ${text} `);
  };
  const given = tagOf(el) === "slot" && el instanceof HTMLSlotElement ? slotted(el) : [];
  if (given.length) given.forEach((node) => visit(node, false));
  else {
    childNodesOf(el).forEach((node) => visit(node, true));
    const shadow = shadowOf(el);
    if (shadow) childNodesOf(shadow).forEach((node) => visit(node, true));
  }
  parts.push(pseudo(el, 1));
  return parts.join("");
}

// Its name as the outline shows it; an icon that says nothing is called by what else tells of it.
function name(el) {
  if (names.has(el)) return names.get(el);
  const its = role(el);
  let found = its && !NAMELESS.has(its) ? tidy(spoken(el, { in: "self", of: el, seen: new Set(), hidden: isHidden(el) }), 120) : "";
  if (!found && /^(button|link|menuitem|tab)$/.test(its)) found = iconName(el);
  if (!found && its === "textbox" && isEditable(el)) found = attribute(el, "data-placeholder") || attribute(el, "placeholder");
  names.set(el, found);
  return found;
}

const ICON = /(?:^|[\s_-])(?:icon|fa|fas|far|bi|mdi|ti|ri|pi|glyphicon|material-icons|codicon|lucide|octicon|anticon|el-icon|jp-icon|ms-Icon)[-_]{1,2}([a-z][\w-]{1,40})/i;
const UTILITY = /^(flex|grid|inline|items|justify|gap|space|overflow|rounded|border|bg|text|font|p|m|px|py|pt|pb|mx|my|mt|mb|w|h|min|max|col|row|shadow|transition|cursor|absolute|relative|z|top|left)-/;
// What tells of something that has no words: tooltips, ids for tests, the icon, what it points at.
function iconName(el) {
  const parts = [el, ...queryAll(el, "*")].slice(0, 12);
  const of = (...keys) => {
    for (const part of parts) for (const key of keys) if (attribute(part, key)) return attribute(part, key);
    return "";
  };
  const said = of("data-tooltip", "data-title", "data-original-title", "data-bs-original-title", "tooltip", "alt", "data-icon", "icon");
  if (said) return tidy(said, 60);
  for (const part of parts) {
    const found = ICON.exec(get(part, "class") || "") || /#(?:icon-)?([a-z][\w-]{1,40})$/i.exec(get(part, "href") || get(part, "xlink:href") || "");
    if (found) return found[1].replace(/[-_]+/g, " ").trim();
  }
  const test = of("data-testid", "data-test", "data-cy", "data-qa");
  if (test) return tidy(test, 60);
  // Of classes only one that was made for it: those of a style sheet's own words tell of nothing.
  const made = [...classListOf(el)].find((each) => /^[a-z][\w]*([-_]+\w+)+$/i.test(each) && !UTILITY.test(each));
  const first = get(el, "id") || made || (classListOf(el).length < 3 ? get(el, "class") : "");
  return acting.has(el) ? tidy(first || `${get(el, "fill") || ""} ${tagOf(el)}`, 60) : "";
}

const SAYS = "a[href],button,input,select,textarea,summary,option,label,[role],[aria-label]";
const SMALL = new Set("a b circle div ellipse em g i img p path polygon polyline rect span strong svg text use li td".split(" "));
// What only listens is a button if it is small and holds nothing else that acts.
function isSmallActor(el) {
  if (isMatch(el, SAYS) || !SMALL.has(tagOf(el)) || isMatch(el, "[contenteditable],[contenteditable] *")) return false;
  const inner = [...queryAll(el, "*")];
  return !inner.some((each) => acting.has(each) || isMatch(each, SAYS)) && plain(el).trim().length < 80;
}

// The words of an element, without the values of fields and what is hidden in it.
function words(el, without = null) {
  if (!without && texts.has(el)) return texts.get(el);
  const parts = [];
  let size = 0;
  const gather = (node) => {
    if (size > 160 || node === without) return;
    if (typeOf(node) === TEXT) {
      parts.push(node.data);
      size += node.data.trim().length;
    } else if (isElement(node) && !SILENT.has(tagOf(node)) && tagOf(node) !== "svg") {
      if (isField(node) || get(node, "aria-hidden") === "true" || has(node, "hidden")) return;
      if (tagOf(node) === "img") parts.push(` ${get(node, "alt") || ""} `);
      const block = !/^(a|b|i|em|strong|span|small|code|u|sub|sup|label)$/.test(tagOf(node));
      if (block) parts.push(" ");
      insides(node).forEach(gather);
      if (block) parts.push(" ");
    }
  };
  if (!SILENT.has(tagOf(el)) && !/^(textarea|select|svg)$/.test(tagOf(el)) && !isEditable(el)) insides(el).forEach(gather);
  const text = tidy(parts.join(""));
  if (!without) texts.set(el, text);
  return text;
}
// What an element shows inside: what stands in its slots, in its shadow root, or its own children.
function insides(el) {
  if (el instanceof HTMLSlotElement) {
    const given = slotted(el);
    if (given.length) return given;
  }
  const shadow = shadowOf(el);
  return [...childNodesOf(shadow || el)];
}

function isVisible(el) {
  // What takes the keys of an editor has no size of its own; people see the editor.
  const editor = closest(el, EDITORS);
  if (editor && editor !== el && role(el) === "textbox" && get(el, "aria-hidden") !== "true") return isVisible(editor);
  if (tagOf(el) === "option") return Boolean(parent(el)) && isVisible(parent(el));
  if (!isConnected(el)) return false;
  if (isBoxless(el)) return insides(el).some((node) => (isElement(node) ? isVisible(node) : isTextShown(node, el)));
  if (!isShownByCss(el, { visibilityProperty: true })) return false;
  const box = boxOf(el);
  return box.width > 0 && box.height > 0;
}
// It has no box of its own, such as a row of some grids: what stands in it has.
const isBoxless = (el) => styleOf(el).display === "contents";
function isTextShown(node, el) {
  if (typeOf(node) !== TEXT || !node.data.trim() || styleOf(el).visibility !== "visible") return false;
  const range = document.createRange();
  range.selectNodeContents(node);
  return range.getClientRects().length > 0;
}
function isInView(el) {
  const inner = isBoxless(el) ? insides(el).filter(isElement) : [];
  if (inner.length) return inner.some(isInView);
  const box = boxOf(el);
  return box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
}

// What the world of the page knows: which elements came to listen, what its secret fields hold. The
// answer comes under a name that is made here and used once; empty if our scripts are not there.
function askPage(type) {
  const name = `director-${crypto.getRandomValues(new Uint32Array(4)).join("-")}`;
  const told = [];
  const hear = (event) => {
    event.stopImmediatePropagation();
    told.push(event.detail);
  };
  performance.addEventListener(name, hear, true);
  performance.dispatchEvent(new CustomEvent(type, { detail: name }));
  performance.removeEventListener(name, hear, true);
  return told;
}

// While an outline is taken, what only listens says what it is; `untell` puts every attribute back.
const told = [];
let isTold = false;
const put = (el, key, value) => {
  told.push([el, key, get(el, key)]);
  setAttribute(el, key, value);
};
function tell() {
  untell();
  askPage("director-report");
  isTold = true;
  forget();
  const found = allElements().filter(
    (el) => acting.has(el) && !isMatch(el, SAYS) && !isMatch(el, "[contenteditable],[contenteditable] *") && !tagOf(el).includes("-"));
  const said = found.slice(0, 500).map((el) => [el, role(el), name(el)]);
  for (const [el, its, called] of said) {
    if (its === "button") {
      put(el, "role", "button");
      if (called && !words(el)) put(el, "aria-label", called);
    } else if (el !== document.body && styleOf(el).cursor !== "pointer") put(el, "style", `${get(el, "style") || ""};cursor:pointer`);
  }
  forget();
}
function untell() {
  for (const [el, key, value] of told.splice(0).reverse()) {
    if (value === null) removeAttribute(el, key);
    else setAttribute(el, key, value);
  }
}
