(given, ask) => {
  // Portraits of elements: what a locator bundle may know of them, in one pass over a document.
  // Nothing on the page is changed, and what somebody typed into a field is never read.
  const TEST_IDS = ["data-testid", "data-test-id", "data-test", "data-cy", "data-qa"];
  const KEPT = ["id", "name", "type", "href", "for", "placeholder", "alt", "title", "aria-controls"];
  const SILENT = new Set(["SCRIPT", "STYLE", "TEMPLATE", "NOSCRIPT", "TEXTAREA", "SELECT", "svg"]);
  const BUTTONS = new Set(["button", "submit", "reset", "image"]);
  const INPUTS = {
    checkbox: "checkbox", radio: "radio", range: "slider", number: "spinbutton", search: "searchbox",
  };
  const ROLES = {
    BUTTON: "button", OPTION: "option", TEXTAREA: "textbox", NAV: "navigation",
    MAIN: "main", ASIDE: "complementary", UL: "list", OL: "list", LI: "listitem", TABLE: "table",
    TR: "row", TD: "cell", DIALOG: "dialog", FIELDSET: "group", IMG: "img",
    H1: "heading", H2: "heading", H3: "heading", H4: "heading", H5: "heading", H6: "heading",
    ARTICLE: "article", SEARCH: "search", PROGRESS: "progressbar", P: "paragraph", DETAILS: "group",
  };
  const SPOKEN = new Set(
    ("button link heading checkbox radio tab menuitem menuitemcheckbox menuitemradio option cell " +
      "gridcell row treeitem switch columnheader rowheader").split(" "));
  const HOLDERS = new Set(
    ("form navigation main region dialog alertdialog banner contentinfo complementary row listitem " +
      "table list group toolbar menu tabpanel article search tree grid radiogroup").split(" "));
  const ACTIVE =
    "a[href],button,input:not([type=hidden]),select,textarea,summary,option,[role],[onclick]," +
    "[tabindex],[contenteditable='']," + "[contenteditable=true],label,area[href]";

  const tidy = (text, most = 80) => (text || "").replace(/\s+/g, " ").trim().slice(0, most).trim();
  const parent = (el) =>
    el.parentElement || (el.getRootNode() instanceof ShadowRoot ? el.getRootNode().host : null);
  const insides = (el) => (el.shadowRoot || el).childNodes;
  const attribute = (el, name) => tidy(el.getAttribute(name), 120);

  function* everything(root) {
    for (const el of root.querySelectorAll("*")) {
      yield el;
      if (el.shadowRoot) yield* everything(el.shadowRoot);
    }
  }

  const said = new Map();
  function words(el, without = null) {
    if (!without && said.has(el)) return said.get(el);
    const parts = [];
    let size = 0;
    const gather = (node) => {
      if (size > 160 || node === without) return;
      if (node.nodeType === Node.TEXT_NODE) {
        parts.push(node.data);
        size += node.data.trim().length;
      } else if (node.nodeType === Node.ELEMENT_NODE && !SILENT.has(node.nodeName)) {
        if (node.isContentEditable || node.getAttribute("aria-hidden") === "true" || node.hidden)
          return;
        if (node.nodeName === "IMG") parts.push(` ${node.alt} `);
        if (node.nodeName === "BR") parts.push(" ");
        const block = !/^(A|B|I|EM|STRONG|SPAN|SMALL|CODE|U|SUB|SUP|LABEL)$/.test(node.nodeName);
        if (block) parts.push(" ");
        insides(node).forEach(gather);
        if (block) parts.push(" ");
      }
    };
    if (!SILENT.has(el.nodeName) && !el.isContentEditable) insides(el).forEach(gather);
    const text = tidy(parts.join(""));
    if (!without) said.set(el, text);
    return text;
  }

  function role(el) {
    const own = (el.getAttribute("role") || "").trim().split(/\s+/)[0];
    if (own) return own === "none" || own === "presentation" || /[^a-z-]/i.test(own) ? "" : own;
    const tag = el.nodeName;
    if (tag === "A" || tag === "AREA") return el.hasAttribute("href") ? "link" : "";
    if (tag === "INPUT") {
      if (BUTTONS.has(el.type)) return "button";
      if (el.type in INPUTS) return INPUTS[el.type];
      return el.hasAttribute("list") ? "combobox" : el.type === "hidden" ? "" : "textbox";
    }
    if (tag === "TH") {
      const row = /^row/.test(el.scope) || (!el.scope && parent(el).querySelector(":scope > td"));
      return row ? "rowheader" : "columnheader";
    }
    if (tag === "SELECT") return el.multiple || el.size > 1 ? "listbox" : "combobox";
    if (tag === "FORM" || tag === "SECTION") {
      const named = el.hasAttribute("aria-label") || el.hasAttribute("aria-labelledby");
      return named ? (tag === "FORM" ? "form" : "region") : "";
    }
    if (tag === "HEADER" || tag === "FOOTER")
      return el.closest("article,aside,main,nav,section") ? "" : tag === "HEADER" ? "banner" : "contentinfo";
    if (el.isContentEditable && !parent(el)?.isContentEditable) return "textbox";
    return ROLES[tag] || "";
  }

  function labelOf(el) {
    const texts = [...(el.labels || [])].map((label) => words(label, el));
    return tidy(texts.join(" "));
  }

  const names = new Map();
  function name(el, its) {
    if (names.has(el)) return names.get(el);
    const root = el.getRootNode();
    const pointed = (el.getAttribute("aria-labelledby") || "").split(/\s+/)
      .map((id) => id && root.getElementById?.(id)).filter(Boolean).map((other) => words(other));
    let found = tidy(pointed.join(" ")) || attribute(el, "aria-label") || labelOf(el);
    if (!found && el.nodeName === "FIELDSET") found = words(el.querySelector("legend") || el);
    if (!found && el.nodeName === "TABLE" && el.caption) found = words(el.caption);
    if (!found && el.nodeName === "INPUT" && BUTTONS.has(el.type))
      found = tidy(el.value) || attribute(el, "alt") ||
        { submit: "Submit", image: "Submit", reset: "Reset" }[el.type] || "";
    if (!found && (el.nodeName === "IMG" || el.nodeName === "AREA")) found = attribute(el, "alt");
    if (!found && SPOKEN.has(its)) found = words(el);
    found = found || attribute(el, "title") || attribute(el, "placeholder");
    names.set(el, found);
    return found;
  }

  function texts(el, room) {
    const pieces = [];
    const gather = (node) => {
      if (pieces.length >= room) return;
      if (node.nodeType === Node.TEXT_NODE) {
        const text = tidy(node.data, 40);
        if (/[\p{L}\p{N}]/u.test(text)) pieces.push(text);
      } else if (node.nodeType === Node.ELEMENT_NODE && !SILENT.has(node.nodeName)) {
        if (!node.isContentEditable && !node.hidden) insides(node).forEach(gather);
      }
    };
    gather(el);
    return pieces;
  }

  // Outwards from the element, the nearest texts first, until enough has been seen.
  function near(el) {
    const seen = [];
    for (let at = el, up = parent(el); up && seen.length < 8; at = up, up = parent(up)) {
      const beside = [...insides(up)];
      const here = beside.indexOf(at);
      for (let far = 1; far < beside.length && seen.length < 8; far++) {
        for (const next of [beside[here - far], beside[here + far]])
          if (next) seen.push(...texts(next, Math.min(3, 8 - seen.length)));
        if (far > 12) break;
      }
      if (up.nodeName === "BODY") break;
    }
    return [...new Set(seen)].slice(0, 8);
  }

  function heading(el) {
    for (let at = el, up = parent(el); up; at = up, up = parent(up)) {
      for (let next = at.previousElementSibling; next; next = next.previousElementSibling) {
        if (/^H[1-6]$|^LEGEND$/.test(next.nodeName)) return words(next);
        const inner = next.querySelectorAll("h1,h2,h3,h4,h5,h6");
        if (inner.length) return words(inner[inner.length - 1]);
      }
    }
    return "";
  }

  function within(el) {
    const found = [];
    for (let up = parent(el); up && found.length < 3; up = parent(up)) {
      const its = role(up) || (up.nodeName === "FORM" ? "form" : "");
      if (!HOLDERS.has(its)) continue;
      const called = its === "row" || its === "listitem" ? tidy(words(up, el), 60) : name(up, its);
      found.push(called ? { role: its, name: called } : { role: its });
    }
    const above = heading(el);
    return above ? [...found, { role: "heading", name: above }] : found;
  }

  function path(el) {
    const tags = [];
    for (let at = el; at && (at === el || at.nodeName !== "BODY") && tags.length < 6; at = parent(at))
      tags.unshift(at.nodeName.toLowerCase());
    return tags.join(">");
  }

  const random = (text) =>
    /\d{3,}|[:]|^[\d_-]|[a-z]\d[a-z]|\d[a-z]+\d|[bcdfghjklmnpqrstvwxz]{5,}/i.test(text) ||
    /^(css|sc|jss|ember|mui|radix|svelte)-/.test(text) || /__?[a-z]*[A-Z0-9][a-zA-Z0-9]{4,}$/.test(text) ||
    text.length > 40 || text.includes("`");
  // Without the signs that Playwright reads in its own way.
  const coded = (sign) => `\\${sign.charCodeAt(0).toString(16)} `;
  const quoted = (text) => `"${text.replace(/["\\]/g, "\\$&").replace(/[\n`]|>(?=>)|\/(?=\*)/g, coded)}"`;

  // Shadow roots have their own trees: a selector is counted in all of them.
  let roots = null;
  function matches(selector) {
    roots = roots || [document, ...[...everything(document)].map((el) => el.shadowRoot).filter(Boolean)];
    return roots.flatMap((root) => [...root.querySelectorAll(selector)]);
  }

  function css(el) {
    const tag = el.nodeName.toLowerCase();
    const own = [];
    if (el.id && !random(el.id)) own.push(`#${CSS.escape(el.id)}`);
    for (const key of ["name", "aria-label", "href", "placeholder", "for", "title", "alt"]) {
      const value = el.getAttribute(key);
      if (value && value.length < 60 && !(key !== "aria-label" && random(value)))
        own.push(`${tag}[${key}=${quoted(value)}]`);
    }
    if (own.length && el.matches("[type=radio],[type=checkbox],[type=submit]") && el.getAttribute("value"))
      own.push(`${tag}[type=${el.type}][value=${quoted(el.getAttribute("value").slice(0, 60))}]`);
    const classes = [...el.classList].filter((each) => !random(each)).slice(0, 20).map(CSS.escape);
    if (classes.length) own.push(`${tag}.${classes.join(".")}`);
    const found = own.find((each) => matches(each).length === 1);
    if (found) return found;
    for (let up = parent(el); up; up = parent(up)) {
      if (!up.id || random(up.id)) continue;
      const scoped = [...own, tag].map((each) => `#${CSS.escape(up.id)} ${each}`);
      return scoped.find((each) => matches(each).length === 1) || "";
    }
    return "";
  }

  function attributes(el) {
    const kept = {};
    for (const key of KEPT) if (el.getAttribute(key)) kept[key] = attribute(el, key);
    // What follows the question mark of a link may be a token.
    const [page, query] = (kept.href || "").split("?");
    if (query && random(query)) kept.href = page;
    // Of these the value is what they mean; of every other field it is what somebody typed.
    if (/^(checkbox|radio|submit|button|reset|image)$/.test(el.type) || el.nodeName === "OPTION")
      if (el.getAttribute("value")) kept.value = attribute(el, "value");
    return kept;
  }

  function visible(el) {
    const box = el.getBoundingClientRect();
    const shown = el.checkVisibility({ visibilityProperty: true });
    if (el.nodeName === "OPTION") return parent(el).checkVisibility({ visibilityProperty: true });
    return shown && box.width > 0 && box.height > 0;
  }

  function inView(el) {
    const box = el.getBoundingClientRect();
    return box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
  }

  // Where it stands now. It also names what it holds, so that it finds nothing rather than another
  // element when the page changes before it is used.
  function pin(el) {
    const steps = [];
    for (let at = el; at; at = parent(at)) {
      const order = [...(at.parentNode?.children || [])].indexOf(at) + 1;
      steps.unshift(at.nodeName === "HTML" ? "html" : `${CSS.escape(at.nodeName.toLowerCase())}:nth-child(${order})`);
    }
    let last = "";
    for (const key of ["id", "name", "type", "href", "aria-label", "placeholder"])
      if (el.getAttribute(key)) last += `[${key}=${quoted(el.getAttribute(key))}]`;
    const text = SPOKEN.has(role(el)) ? texts(el, 1)[0] : "";
    return steps.join(" > ") + last + (text ? `:has-text(${quoted(text)})` : "");
  }

  function framed() {
    try {
      return window.name || window.frameElement?.id || "";
    } catch {
      return "";
    }
  }

  function portrait(el) {
    const its = role(el);
    const called = name(el, its);
    const label = labelOf(el);
    const text = SPOKEN.has(its) || !el.matches("input,select,textarea") ? words(el) : "";
    const test = TEST_IDS.map((key) => attribute(el, key)).find(Boolean);
    return {
      role: its, name: called, test_id: test || "", label: label === called ? "" : label,
      text: text === called ? "" : text, attributes: attributes(el),
      classes: [...el.classList].slice(0, 6), within: within(el), near: near(el), path: path(el),
    };
  }

  const all = [...everything(document)];
  const listed = new Set(given);
  const target = ask.target ? given[0] : null;
  const like = target ? portrait(target) : ask.bundle;
  const tag = (like.path || "").split(">").pop();
  const byCss = new Set(like.css ? matches(like.css) : []);
  const wanted = (el) =>
    listed.has(el) || byCss.has(el) || el.matches(ACTIVE) || el.nodeName.toLowerCase() === tag ||
    (like.role && role(el) === like.role) ||
    TEST_IDS.some((key) => like.test_id && attribute(el, key) === like.test_id) ||
    (like.text && words(el) === like.text && ![...el.children].some((inner) => words(inner) === like.text));
  const pool = all.filter(wanted).slice(0, 4000);
  // Which of those with the same role and name each is, and of how many.
  const ordered = (drawn) => {
    const groups = new Map();
    for (const each of drawn) {
      const alike = `${each.role}\n${each.name}`;
      groups.set(alike, [...(groups.get(alike) || []), each]);
    }
    for (const alike of groups.values())
      alike.forEach((each, at) => (each.nth = [at, alike.length]));
    return drawn;
  };

  if (target) {
    ordered(pool.map((el) => (el === target ? like : { role: role(el), name: name(el, role(el)) })));
    const frame = window === top ? null : { name: framed(), url: location.href.split(/[?#]/)[0] };
    return JSON.stringify({ ...like, css: css(target), frame });
  }
  const drawn = pool.map((el) => ({
    ...portrait(el), listed: listed.has(el), by_css: byCss.has(el), visible: visible(el),
    in_view: inView(el), pin: pin(el),
  }));
  // One text crosses to the other side many times faster than so many values.
  return JSON.stringify(ordered(drawn));
}
