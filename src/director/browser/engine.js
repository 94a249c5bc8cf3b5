// The model as an engine of selectors. A request comes as the selector's text; its answer is the text
// of an element that stands nowhere, or the element itself that has a number.
const ids = new WeakMap();
const numbered = new Map();
const gathered = new Map();
function idOf(el) {
  if (!ids.has(el)) {
    ids.set(el, numbered.size + 1);
    numbered.set(numbered.size + 1, new WeakRef(el));
  }
  return ids.get(el);
}

// Where the outline that Playwright prints says something else than the model: [ref, role, name].
function amend() {
  const found = [];
  for (const el of allElements()) {
    const shown = el._ariaRef;
    if (!shown || shown.role === "iframe") continue;
    const its = role(el) || "generic", called = name(el);
    if (its !== shown.role || called !== tidy(shown.name, 120)) found.push([shown.ref, its, called]);
  }
  return found;
}

const REQUESTS = {
  // What is known of the element that the request is chained to.
  describe: (_, root) => describe(root),
  place: (_, root) => place(root),
  portraits: ({ bundle, gathered: key }) => {
    const found = key ? gathered.get(key) || [] : bundle.css ? matches(bundle.css) : [];
    gathered.delete(key);
    return portraits(bundle, new Set(found));
  },
  sketches: ({ gathered: key }) => {
    const found = gathered.get(key) || [];
    gathered.delete(key);
    return [...new Set(found)].map(sketch);
  },
  // To the world of the page, which alone knows what of them is masked.
  hand_over: ({ ids: wanted, type }) => {
    for (const id of wanted) {
      const el = numbered.get(id)?.deref();
      if (el && isConnected(el)) el.dispatchEvent(new CustomEvent(type, { composed: true }));
    }
  },
  stir: () => stir(),
  tell: () => tell(),
  untell: () => untell(),
  // What it adds to the outline that was taken, and every attribute is as it was.
  amend: () => {
    // The model says the same of what was told as before: what it has read serves signs as well.
    untell();
    const amended = amend();
    const isSame = isTold;
    isTold = false;
    const [its, title, ...values] = askPage("director-held");
    const held = its && { document: its, title, values };
    return { amended, signs: window === top ? signs() : [], same: isSame, held };
  },
  // How many rows and items the page shows, but for its menus.
  rows: () => allElements().filter((el) =>
    /^(row|listitem|article|treeitem)$/.test(role(el)) && isVisible(el) &&
    !closest(el, "nav,header,footer,[role=navigation],[role=banner],[role=contentinfo],[role=menu]")).length,
  // The share of the list around an element that is drawn.
  drawn: ({ id }) => {
    const el = numbered.get(id)?.deref(), scroller = el && scrollerOf(el);
    return scroller ? drawnShare(scroller) : 1;
  },
  // An item around a link says it for the link, and what the pointer goes through cannot be clicked.
  state: (_, root) => ({
    disabled: [root, closest(root, "li")].some((el) => el && (get(el, "aria-disabled") === "true" ||
      isMatch(el, ":disabled") || /(^|[\s_-])disabled([\s_-]|$)/.test(get(el, "class") || ""))) ||
      styleOf(root).pointerEvents === "none",
  }),
  number: (_, root) => idOf(root),
  said: (_, root) => ({ role: role(root), name: name(root) }),
};

function answer(request, root) {
  if (request.do === "node") {
    const known = numbered.get(request.id)?.deref();
    const el = known && isConnected(known) ? known : request.pin ? pinned(request.pin) : null;
    const same = el && (request.role === undefined || (role(el) === request.role && name(el) === request.name));
    return same ? [el] : [];
  }
  if (request.do === "tell_all") {
    tell();
    return [document.body || document.documentElement];
  }
  if (request.do === "gather") {
    gathered.set(request.key, [...(gathered.get(request.key) || []), root]);
    return [root];
  }
  const slip = document.createElement("pre");
  slip.textContent = JSON.stringify(REQUESTS[request.do](request, root) ?? null);
  return [slip];
}

return {
  queryAll(root, body) {
    listenForActors();
    forget();
    forgetPlaces();
    roots = null;
    return answer(JSON.parse(decodeURIComponent(body)), root);
  },
};
