(ask) => {
  // Changes a page as its owners might between two visits. Seeded. The elements that locators are
  // asked for are in window.truth, which nothing in the document points to.
  let state = ask.seed * 2654435761 + 1;
  const chance = () => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 3266489917) >>> 0;
    return state / 4294967296;
  };
  const some = (list, share) => list.filter(() => chance() < share);
  const all = (selector) => [...document.body.querySelectorAll(selector)];
  const word = () => Math.floor(chance() * 1e9).toString(36);
  const truth = window.truth;
  const replaced = (old, next) => {
    old.replaceWith(next);
    truth.forEach((el, at) => { if (el === old) truth[at] = next; });
  };
  const as = (el, tag) => {
    const next = document.createElement(tag);
    for (const { name, value } of el.attributes) next.setAttribute(name, value);
    next.append(...el.childNodes);
    return next;
  };
  const leaves = () => {
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode())
      if (node.data.trim() && !node.parentElement.closest("script,style,textarea")) found.push(node);
    return found;
  };
  const spoken = () => [
    ...leaves().map((node) => [() => node.data, (text) => { node.data = text; }]),
    ...["aria-label", "title", "placeholder", "alt"].flatMap((key) =>
      all(`[${key}]`).map((el) => [() => el.getAttribute(key), (text) => el.setAttribute(key, text)])),
    ...all("input[type=submit],input[type=button]").map((el) =>
      [() => el.value, (text) => el.setAttribute("value", text)]),
  ];
  const reword = (share, change) =>
    some(spoken(), share).forEach(([read, write]) => { if (read().trim()) write(change(read())); });
  const renamed = (key, change) => {
    for (const el of all(`[${key}]`)) {
      const old = el.getAttribute(key);
      el.setAttribute(key, change(old));
      if (key !== "id") continue;
      for (const by of ["for", "aria-labelledby", "aria-controls", "aria-describedby"])
        all(`[${by}]`).filter((other) => other.getAttribute(by) === old)
          .forEach((other) => other.setAttribute(by, el.id));
    }
  };
  // What counts places: values of the same form with other numbers, by attribute and form.
  const COUNTING = ["id", "name", "data-testid", "data-index", "data-row", "data-key"];
  const countings = () => COUNTING.flatMap((key) => {
    const groups = new Map();
    for (const el of all(`[${key}]`)) {
      const value = el.getAttribute(key), form = value.replace(/\d+/g, "#");
      if (form !== value) groups.set(form, [...(groups.get(form) || []), [el, value]]);
    }
    return [...groups.values()].map((group) => ({ key, group }));
  });
  // Each value that is still there becomes what `next` says of its place among those that were there.
  const count = ({ key, group }, next) => {
    const values = [...new Set(group.map(([, value]) => value))];
    const left = [...new Set(group.filter(([el]) => el.isConnected).map(([, value]) => value))];
    const now = new Map(left.map((value, at) => [value, next(values, at)]));
    group.forEach(([el, value]) => el.isConnected && el.setAttribute(key, now.get(value)));
    if (key !== "id") return;
    for (const by of ["for", "aria-labelledby", "aria-controls", "aria-describedby"])
      all(`[${by}]`).forEach((el) => now.has(el.getAttribute(by)) && el.setAttribute(by, now.get(el.getAttribute(by))));
  };
  const following = (value) => value.replace(/(\d+)(\D*)$/, (_, one, rest) => Number(one) + 1 + rest);
  const buttons = "button,input[type=submit],input[type=button]";

  const KINDS = {
    ids: () => renamed("id", () => `x${word()}`),
    classes: () => all("[class]").forEach((el) => el.setAttribute("class", `css-${word()} c${word()}`)),
    wrappers: () => some(all("a,button,input,select,label,p,ul,table,div"), 0.3).forEach((el) => {
      if (!el.parentElement.matches("div,form,main,body,td,li,p,span,fieldset,section,nav")) return;
      const around = document.createElement(chance() < 0.5 ? "div" : "span");
      el.before(around);
      around.append(el);
    }),
    text: () => {
      const other = { save: "Store", add: "New", delete: "Remove", log: "Sign", submit: "Send", search: "Find",
        change: "Edit", cancel: "Back", order: "Purchase", next: "Continue", view: "See", ok: "Confirm" };
      reword(0.3, (text) => {
        const next = text.replace(/\p{L}+/gu, (one) => other[one.toLowerCase()] || one);
        return next === text ? `${text.trim()} now` : next;
      });
    },
    duplicates: () => {
      const bar = document.createElement("div");
      bar.innerHTML = "<p>Quick access</p>";
      for (const el of some(truth.filter(Boolean), 0.5).slice(0, 6)) {
        if (el.matches("option,tr,td,li")) continue;
        const copy = el.cloneNode(true);
        [copy, ...copy.querySelectorAll("[id]")].forEach((each) => each.removeAttribute("id"));
        bar.append(copy);
      }
      chance() < 0.5 ? document.body.prepend(bar) : document.body.append(bar);
    },
    order: () => all("ul,ol,tbody,form > div,fieldset,nav,p").forEach((list) => {
      const children = [...list.children];
      if (children.length < 2 || chance() < 0.4) return;
      children.sort(() => chance() - 0.5).forEach((child) => list.append(child));
    }),
    attributes: () => ["name", "placeholder", "title", "data-testid", "type", "value"].forEach((key) =>
      some(all(`[${key}]`), 0.4).forEach((el) => {
        if (!["type", "value"].includes(key) || el.nodeName === "BUTTON") el.removeAttribute(key);
      })),
    moved: () => {
      const blocks = all("form,ul,table,fieldset,p,div").filter((el) => {
        const inside = el.querySelectorAll("a,button,input,select").length;
        return inside > 0 && inside < 12;
      });
      some(blocks, 0.2).slice(0, 4).forEach((block) => {
        const aside = document.createElement("aside");
        document.body.append(aside);
        if (!block.contains(aside)) aside.append(block);
      });
    },
    tag: () => some(all(buttons), 0.6).forEach((el) => {
      if (el.nodeName === "INPUT") {
        const next = as(el, "button");
        next.textContent = el.value || "Submit";
        next.removeAttribute("value");
        return replaced(el, next);
      }
      const next = as(el, "a");
      next.setAttribute("role", "button");
      next.setAttribute("href", "#");
      next.removeAttribute("type");
      replaced(el, next);
    }),
    removed: () => some(truth.map((_, at) => at), 0.25).forEach((at) => {
      const el = truth[at];
      if (!el || truth.some((other) => other && other !== el && el.contains(other))) return;
      el.remove();
      truth[at] = null;
    }),
    // Something new came first, so that each has the number of the one after it.
    counted_on: () => countings().forEach((one) =>
      count(one, (values, at) => values[at + 1] || following(values[at]))),
    // What is left takes the numbers of what has gone.
    closed_up: () => {
      const before = countings();
      KINDS.removed();
      before.forEach((one) => count(one, (values, at) => values[at]));
    },

    // Held out: not looked at while the vote was being weighed.
    translated: () => {
      const said = new Map();
      const foreign = (one) => {
        const low = one.toLowerCase();
        if (!said.has(low)) said.set(low, low.split("").reverse().join("") + "ung");
        return said.get(low);
      };
      reword(1, (text) => text.replace(/\p{L}{2,}/gu, foreign));
    },
    labels: () => all("label").forEach((label) => {
      const field = label.control;
      const text = label.textContent.trim().replace(/[:*]$/, "");
      if (!field || !text || label.contains(field)) return;
      if (chance() < 0.5) {
        field.setAttribute("aria-label", text);
        label.remove();
        truth.forEach((el, at) => { if (el === label) truth[at] = null; });
      } else label.append(" (required)");
    }),
    numbers: () => {
      reword(1, (text) => text.replace(/\d+/g, (one) => String(Number(one) + 1 + Math.floor(chance() * 7))));
      some(all("a,button").filter((el) => !el.children.length && el.textContent.trim()), 0.4)
        .forEach((el) => el.append(` (${Math.floor(chance() * 90)})`));
    },
    prefixes: () => {
      renamed("id", (id) => `form-0-${id}`);
      renamed("name", (name) => `data[${name}]`);
      all("a[href]").forEach((el) => el.setAttribute("href", `/v2${el.getAttribute("href")}`));
    },
    icons: () => some(all("button,a[href]"), 0.4).forEach((el) => {
      const text = el.textContent.trim();
      if (!text || truth.some((other) => other && other !== el && el.contains(other))) return;
      el.setAttribute("aria-label", text);
      el.innerHTML = "<svg width=16 height=16><circle r=8 cx=8 cy=8 /></svg>";
    }),
    grids: () => all("td,th,tr,thead,tbody,tfoot,table").forEach((el) => replaced(el, as(el, "div"))),
    inserted: () => some(all("li,tr,option,p,label").filter((el) => el.parentElement), 0.25).forEach((el) => {
      const next = el.cloneNode(true);
      [next, ...next.querySelectorAll("[id]")].forEach((each) => each.removeAttribute("id"));
      next.querySelectorAll("[for],[name],[href]").forEach((each) => {
        each.removeAttribute("for");
        if (each.name) each.name = `other_${each.getAttribute("name")}`;
        if (each.href) each.setAttribute("href", `${each.getAttribute("href")}other/`);
      });
      const walker = document.createTreeWalker(next, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode())
        if (node.data.trim()) node.data = `Other ${word()}`;
      chance() < 0.5 ? el.before(next) : el.after(next);
    }),
    capitals: () => reword(1, (text) => text.toUpperCase()),
    sections: () => some(all("form,ul,table,fieldset"), 0.6).forEach((el) => {
      if (!el.parentElement.matches("div,form,main,body,section,nav,article")) return;
      const around = document.createElement("section");
      around.innerHTML = `<h3>Part ${word()}</h3>`;
      el.before(around);
      around.append(el);
    }),
    hidden_twins: () => some(truth.filter((el) => el && !el.matches("option,tr,td,li")), 0.4).forEach((el) => {
      const twin = el.cloneNode(true);
      const menu = document.createElement("div");
      menu.style.display = "none";
      menu.append(twin);
      document.body.prepend(menu);
    }),
  };
  ask.kinds.forEach((kind) => KINDS[kind]());
  // What is asked of a locator for each: this element, or none if it is gone; nothing if it is hidden.
  return truth.map((el) => {
    if (!el) return "gone";
    const box = el.getBoundingClientRect();
    const shown = el.isConnected && el.checkVisibility({ visibilityProperty: true });
    return shown && box.width && box.height ? "there" : "hidden";
  });
}
