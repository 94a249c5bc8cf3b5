// Makes a part of the page equal to what the server sent, and keeps what belongs to the person:
// what is open, what has the focus, what is being typed, where it is scrolled to.

const KEPT = new Set(["open", "data-kept"]);

// A press is lost if what it began on is moved or replaced before it ends: changes wait for it.
const LONGEST = 60000;
const waiting = new Set();
let pressing = 0;

function released() {
  clearTimeout(pressing);
  pressing = 0;
  for (const go of waiting) go();
  waiting.clear();
}

// The click comes after these, in the same turn of the loop.
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => setTimeout(released), true);
addEventListener("blur", released); // of the window; a press takes the focus from what had it
addEventListener(
  "pointerdown",
  () => {
    clearTimeout(pressing);
    pressing = setTimeout(released, LONGEST);
  },
  true,
);

export function unpressed() {
  return pressing ? new Promise((go) => waiting.add(go)) : Promise.resolve();
}

export function morph(old, fresh) {
  if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName) {
    old.replaceWith(fresh);
    return fresh;
  }
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return old;
  }
  if (old.nodeType !== Node.ELEMENT_NODE || old.isEqualNode(fresh)) return old;
  attributes(old, fresh);
  if (old.nodeName === "TEXTAREA") {
    if (old.value === old.defaultValue) old.value = fresh.value;
    return old;
  }
  children(old, fresh);
  return old;
}

function attributes(old, fresh) {
  const own = old.hasAttribute("data-kept");
  // A picture is put in by its address, and stays while that is the same.
  const shown = old.hasAttribute("data-src") && old.dataset.src === fresh.dataset.src;
  for (const { name } of [...old.attributes]) {
    const stays = KEPT.has(name) || (own && name === "hidden") || (shown && name === "src");
    if (!fresh.hasAttribute(name) && !stays) old.removeAttribute(name);
  }
  // What the server opens or closes by itself when it changes: a group in which something failed.
  if (fresh.dataset.open !== undefined && old.dataset.open !== fresh.dataset.open) old.open = fresh.dataset.open === "1";
  for (const { name, value } of fresh.attributes) {
    if (KEPT.has(name) || (own && name === "hidden")) continue;
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
}

function children(old, fresh) {
  const keyed = new Map();
  for (const child of old.children) if (child.id) keyed.set(child.id, child);
  let at = old.firstChild;
  for (const wanted of [...fresh.childNodes]) {
    const same = wanted.id ? keyed.get(wanted.id) : null;
    if (same) {
      if (same === at) at = at.nextSibling;
      else old.insertBefore(same, at);
      morph(same, wanted);
    } else if (at && !at.id && !wanted.id && at.nodeName === wanted.nodeName) {
      const next = at.nextSibling;
      morph(at, wanted);
      at = next;
    } else {
      old.insertBefore(wanted, at);
    }
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

export function parsed(html) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  return [...holder.content.children];
}

export function swap(html) {
  const made = [];
  for (const fresh of parsed(html)) {
    const old = fresh.id && document.getElementById(fresh.id);
    if (old) made.push(morph(old, fresh));
  }
  return made;
}
