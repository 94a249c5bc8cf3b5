// Portraits of elements: what a locator bundle may know of them, from the model of the page.
// Nothing on the page is changed, and the value of a field is never kept: neither of this one nor of
// those around it.
const TEST_IDS = ["data-testid", "data-test-id", "data-test", "data-cy", "data-qa"];
const KEPT = ["id", "name", "type", "href", "for", "placeholder", "alt", "title", "aria-controls"];
const HOLDERS = new Set(
  ("form navigation main region dialog alertdialog banner contentinfo complementary row listitem " +
    "table list group toolbar menu tabpanel article search tree grid radiogroup").split(" "));
const ROWS = new Set(["row", "listitem"]);
const ACTIVE =
  "a[href],button,input:not([type=hidden]),select,textarea,summary,option,[role],[onclick]," +
  "[tabindex],[contenteditable='']," + "[contenteditable=true],label,area[href]";
const MOST = 4000;

// Found once in a look, for all the elements that stand beside or below: else a long list takes as
// many steps as it has items, for each of its items.
const nodesIn = new Map(), elementsIn = new Map(), pieces = new Map();
const headingsAt = new Map(), headingsBefore = new Map();
const forgetPlaces = () => [nodesIn, elementsIn, pieces, headingsAt, headingsBefore].forEach((each) => each.clear());
// What stands in a parent, with the place of each.
function orderOf(up, known, list) {
  if (!known.has(up)) {
    const all = [...list(up)];
    known.set(up, { all, at: new Map(all.map((node, at) => [node, at])) });
  }
  return known.get(up);
}
const elementsOf = (up) => (isElement(up) ? childrenOf(up) : up.children);
const MOST_TEXTS = 3;
function textsIn(node, room) {
  if (!pieces.has(node)) pieces.set(node, gatherTexts(node, MOST_TEXTS));
  return pieces.get(node).slice(0, room);
}
function gatherTexts(el, room) {
  const pieces = [];
  const gather = (node) => {
    if (pieces.length >= room) return;
    if (typeOf(node) === TEXT) {
      const text = tidy(node.data, 40);
      if (/[\p{L}\p{N}]/u.test(text)) pieces.push(text);
    } else if (isElement(node) && !SILENT.has(tagOf(node)) && tagOf(node) !== "svg") {
      if (!isField(node) && !has(node, "hidden")) insides(node).forEach(gather);
    }
  };
  gather(el);
  return pieces;
}

// The outermost field that an element is or stands in, such as the editor around a link; the options
// of a list are no value of it.
function fieldAround(el) {
  let found = null;
  for (let at = el; at; at = parent(at)) if (isField(at) && tagOf(at) !== "select") found = at;
  return found;
}

// Outwards from the element, the nearest texts first, until enough has been seen.
function near(el) {
  const seen = [];
  const from = fieldAround(el) || el;
  for (let at = from, up = parent(from); up && seen.length < 8; at = up, up = parent(up)) {
    const { all: beside, at: places } = orderOf(parentNodeOf(at), nodesIn, childNodesOf);
    const here = places.get(at);
    for (let far = 1; far < beside.length && seen.length < 8; far++) {
      for (const next of [beside[here - far], beside[here + far]])
        if (next) seen.push(...textsIn(next, Math.min(MOST_TEXTS, 8 - seen.length)));
      if (far > 12) break;
    }
    if (tagOf(up) === "body") break;
  }
  return [...new Set(seen)].slice(0, 8);
}

// The heading that an element is or ends with; null if it has none.
function headingAt(el) {
  if (headingsAt.has(el)) return headingsAt.get(el);
  const inner = /^h[1-6]$|^legend$/.test(tagOf(el)) ? [el] : queryAll(el, "h1,h2,h3,h4,h5,h6");
  const found = inner.length ? words(inner[inner.length - 1]) : null;
  headingsAt.set(el, found);
  return found;
}
// The nearest heading among the elements that stand before one; null if there is none.
function headingBefore(el) {
  const unknown = [];
  let found = null;
  for (let at = el; at; at = previousOf(at)) {
    if (headingsBefore.has(at)) {
      found = headingsBefore.get(at);
      break;
    }
    unknown.push(at);
    const before = previousOf(at);
    found = before ? headingAt(before) : null;
    if (found !== null) break;
  }
  unknown.forEach((each) => headingsBefore.set(each, found));
  return found;
}
function heading(el) {
  for (let at = el; at; at = parent(at)) {
    const found = headingBefore(at);
    if (found !== null) return found;
  }
  return "";
}

// The nearest of those that hold an element, and the heading over it.
function within(el, most = 3) {
  const above = heading(el);
  const found = holdersOf(el, most);
  return above ? [...found, { role: "heading", name: above }] : found;
}
function holdersOf(el, most) {
  const found = [];
  for (let up = parent(el); up && found.length < most; up = parent(up)) {
    const its = role(up) || (tagOf(up) === "form" ? "form" : "");
    if (!HOLDERS.has(its)) continue;
    const called = its === "row" || its === "listitem" ? tidy(words(up, el), 60) : name(up);
    found.push(called ? { role: its, name: called } : { role: its });
  }
  return found;
}

function path(el) {
  const tags = [];
  for (let at = el; at && (at === el || tagOf(at) !== "body") && tags.length < 6; at = parent(at))
    tags.unshift(tagOf(at));
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
  roots = roots || [document, ...allElements().map(shadowOf).filter(Boolean)];
  return roots.flatMap((root) => [...queryIn(root, selector)]);
}

function css(el) {
  const tag = tagOf(el);
  const own = [];
  const id = get(el, "id");
  if (id && !random(id)) own.push(`#${CSS.escape(id)}`);
  for (const key of ["name", "aria-label", "href", "placeholder", "for", "title", "alt"]) {
    const value = get(el, key);
    if (value && value.length < 60 && !(key !== "aria-label" && random(value)))
      own.push(`${tag}[${key}=${quoted(value)}]`);
  }
  const value = get(el, "value");
  if (own.length && value && isMatch(el, "[type=radio],[type=checkbox],[type=submit]"))
    own.push(`${tag}[type=${get(el, "type")}][value=${quoted(value.slice(0, 60))}]`);
  const classes = [...classListOf(el)].filter((each) => !random(each)).slice(0, 20).map((each) => CSS.escape(each));
  if (classes.length) own.push(`${tag}.${classes.join(".")}`);
  const found = own.find((each) => matches(each).length === 1);
  if (found) return found;
  for (let up = parent(el); up; up = parent(up)) {
    const above = get(up, "id");
    if (!above || random(above)) continue;
    const scoped = [...own, tag].map((each) => `#${CSS.escape(above)} ${each}`);
    return scoped.find((each) => matches(each).length === 1) || "";
  }
  return "";
}

// Its place alone: steps down from the nearest id or from its root; empty if even that fits others.
function place(el) {
  const steps = [];
  for (let at = el; at; at = isElement(parentNodeOf(at)) ? parentNodeOf(at) : null) {
    const id = get(at, "id");
    if (at !== el && id && !random(id)) {
      steps.unshift(`#${CSS.escape(id)}`);
      break;
    }
    const up = parentNodeOf(at);
    const order = orderOf(up, elementsIn, elementsOf).at.get(at) + 1;
    steps.unshift(`${CSS.escape(tagOf(at))}:nth-child(${order})`);
  }
  const found = steps.join(" > ");
  return matches(found).length === 1 ? found : "";
}

function attributes(el) {
  const kept = {};
  for (const key of KEPT) if (get(el, key)) kept[key] = attribute(el, key);
  // What follows the question mark of a link may be a token.
  const [page, query] = (kept.href || "").split("?");
  if (query && random(query)) kept.href = page;
  // Of these the value is what they mean; of every other field it is what somebody typed.
  if (/^(checkbox|radio|submit|button|reset|image)$/i.test(get(el, "type") || "") || tagOf(el) === "option")
    if (get(el, "value")) kept.value = attribute(el, "value");
  return kept;
}

// Whoever writes a bundle by hand may mean a field by what it shows; one of the page never does.
function portrait(el, byHand = false) {
  const its = role(el), called = name(el), label = tidy(labelText(el));
  const text = byHand || !fieldAround(el) ? words(el) : "";
  const test = TEST_IDS.map((key) => attribute(el, key)).find(Boolean);
  return {
    role: its, name: called, test_id: test || "", label: label === called ? "" : label,
    text: text === called ? "" : text, attributes: attributes(el),
    classes: [...classListOf(el)].slice(0, 6), within: within(el), near: near(el), path: path(el),
  };
}

// Where it stands now and among what: if the page draws it anew, the same place holds it. A place
// that has other neighbours may hold another element, and counts as empty.
function pin(el, drawn = { within: within(el), near: near(el) }) {
  const steps = [];
  for (let at = el; at && parentNodeOf(at); at = parent(at)) {
    const up = parentNodeOf(at);
    if (up instanceof Document) break;
    steps.unshift([up instanceof ShadowRoot ? 1 : 0, orderOf(up, elementsIn, elementsOf).at.get(at), tagOf(at)]);
  }
  return JSON.stringify([steps, drawn.within, drawn.near]);
}
function pinned(text) {
  const [steps] = JSON.parse(text);
  let at = document.documentElement;
  for (const [shadow, index, tag] of steps) {
    const next = at && (shadow ? shadowOf(at)?.children[index] : childrenOf(at)[index]);
    if (!next || tagOf(next) !== tag) return null;
    at = next;
  }
  return pin(at) === text ? at : null;
}

// The elements that may be meant by what is known of one, in the order of the page.
function pool(like, byCss) {
  const tag = (like.path || "").split(">").pop();
  const isPooled = (el) =>
    byCss.has(el) || acting.has(el) || isMatch(el, ACTIVE) || tagOf(el) === tag ||
    (like.role && role(el) === like.role) ||
    TEST_IDS.some((key) => like.test_id && attribute(el, key) === like.test_id) ||
    (like.text && words(el) === like.text && ![...childrenOf(el)].some((inner) => words(inner) === like.text));
  return allElements().filter(isPooled).slice(0, MOST);
}

// Which of those with the same role and name each is, and of how many.
function number(drawn) {
  const groups = new Map();
  for (const each of drawn) {
    const alike = `${each.role}\n${each.name}`;
    groups.set(alike, [...(groups.get(alike) || []), each]);
  }
  for (const alike of groups.values()) alike.forEach((each, at) => (each.nth = [at, alike.length]));
  return drawn;
}

function framed() {
  try {
    return window.name || window.frameElement?.id || "";
  } catch {
    return "";
  }
}

function rowOf(el) {
  let up = parent(el);
  while (up && !ROWS.has(role(up))) up = parent(up);
  return up;
}
// What others have as well tells nothing: an id in several shadow roots, a row that says the same as
// the row of one that is alike.
function forgetShared(like, twins) {
  for (const key of ["id", "for", "aria-controls"])
    if (like.attributes[key] && matches(`[${key}=${quoted(like.attributes[key])}]`).length > 1) delete like.attributes[key];
  const rows = like.within.filter((each) => ROWS.has(each.role) && each.name);
  if (!rows.length) return;
  const others = twins.slice(0, 200).flatMap((el) => within(el)).filter((each) => ROWS.has(each.role)).map((each) => each.name);
  rows.filter((each) => others.includes(each.name)).forEach((each) => delete each.name);
}

// All that may be known of one element.
function describe(target) {
  const like = portrait(target);
  const pooled = pool(like, new Set());
  number(pooled.map((el) => (el === target ? like : { role: role(el), name: name(el) })));
  const twins = pooled.filter((el) => el !== target && role(el) === like.role && name(el) === like.name);
  forgetShared(like, twins.filter((el) => rowOf(el) !== rowOf(target)));
  const frame = window === top ? null : { name: framed(), url: location.href.split(/[?#]/)[0] };
  return { ...like, css: css(target), frame };
}

// A field may have several labels, and any of them is enough to name it.
function isLabelled(el, wanted) {
  const labels = wanted ? labelsOf(el) : [];
  const said = (label) => tidy(spoken(label, { in: "label", of: el, seen: new Set([el]) }));
  return labels.length > 1 && labels.some((each) => said(each).toLowerCase() === tidy(wanted).toLowerCase());
}

const placed = (el) => ({ node: idOf(el), visible: isVisible(el), in_view: isInView(el) });
function portraits(like, byCss) {
  return number(pool(like, byCss).map((el) => {
    const drawn = portrait(el, !like.nth);
    if (isLabelled(el, like.label)) drawn.label = like.label;
    // Whoever writes a bundle by hand may name what is far around.
    return { ...drawn, within: within(el, 8), ...placed(el), pin: pin(el, drawn), by_css: byCss.has(el) };
  }));
}
// Of many only what is needed to count them and to name them.
const sketch = (el, _, all) => ({
  role: role(el), name: name(el), text: words(el).slice(0, 60), path: path(el), ...placed(el),
  pin: all.length > 50 ? "" : pin(el),
});
