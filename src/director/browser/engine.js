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
  for (const el of everything(document)) {
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
  tell: () => tell(),
  untell: () => untell(),
  amend: () => {
    const found = amend();
    untell();
    return found;
  },
  said: (_, root) => ({ role: role(root), name: name(root) }),
};

function answer(request, root) {
  if (request.do === "node") {
    const known = numbered.get(request.id)?.deref();
    const el = known && isConnected(known) ? known : request.pin ? pinned(request.pin) : null;
    const same = el && (request.role === undefined || (role(el) === request.role && name(el) === request.name));
    return same ? [el] : [];
  }
  if (request.do === "nodes") {
    const found = request.ids.map((id) => numbered.get(id)?.deref());
    return found.filter((el) => el && isConnected(el));
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
    forget();
    roots = null;
    return answer(JSON.parse(decodeURIComponent(body)), root);
  },
};
