// What an outline does not show by itself: what covers the page, what of a list is drawn, frames,
// why something is disabled; and whether the page rests.
let stirredAt = null;
function stir() {
  if (stirredAt === null) {
    // Before anybody looked, the page rests since it was loaded.
    stirredAt = performance.getEntriesByType("navigation")[0]?.loadEventEnd || performance.now();
    new MutationObserver(() => (stirredAt = performance.now()))
      .observe(document, { subtree: true, childList: true, characterData: true });
  }
  const busy = [...everything(document)].filter((el) => get(el, "aria-busy") === "true" && isVisible(el));
  return {
    ready: document.readyState !== "loading",
    since: performance.now() - stirredAt,
    busy: busy.map((el) => `${role(el) || tagOf(el)} ${name(el)}`.trim()),
  };
}

const said = (el) => `${role(el) || tagOf(el)}${name(el) ? ` "${name(el)}"` : ""}`;
function cover() {
  const modal = [...everything(document)].filter((el) =>
    (isMatch(el, "dialog[open],[aria-modal=true]") || /^(dialog|alertdialog)$/.test(role(el))) && isVisible(el));
  if (modal.length) return said(modal[modal.length - 1]);
  const points = [[0.5, 0.5], [0.15, 0.2], [0.85, 0.2], [0.15, 0.8], [0.85, 0.8]];
  const over = points.map(([x, y]) => {
    for (let el = document.elementFromPoint(innerWidth * x, innerHeight * y); el; el = parent(el))
      if (styleOf(el).position === "fixed" && isOver(el)) return el;
    return null;
  });
  return over[0] && over.every((el) => el === over[0]) ? said(over[0]) : "";
}
const isOver = (el) => {
  const box = boxOf(el);
  return box.width > innerWidth * 0.8 && box.height > innerHeight * 0.8 && Number(styleOf(el).zIndex) > 0;
};

// Lists that draw a part of what they hold.
function parts() {
  const found = [];
  for (const el of everything(document)) {
    const total = Math.max(Number(get(el, "aria-rowcount")) || 0, Number(get(el, "aria-setsize")) || 0);
    if (!has(el, "aria-rowcount") || total < 1) continue;
    const drawn = [...everything(el)].filter((each) => role(each) === "row").length;
    if (drawn && drawn < total) found.push(`${drawn} of ${total} rows are drawn in ${said(el)}; it scrolls`);
  }
  for (const el of everything(document)) {
    if (found.length >= 5) break;
    const item = [...childrenOf(el)].find((each) => Number(get(each, "aria-setsize")) > childrenOf(el).length);
    if (item) found.push(`${childrenOf(el).length} of ${get(item, "aria-setsize")} items are drawn in ${said(el)}; it scrolls`);
  }
  return found.slice(0, 5);
}

function signs() {
  const covering = cover();
  const disabled = [...everything(document)].filter((el) =>
    (isMatch(el, "button:disabled,input:disabled,select:disabled,textarea:disabled") || get(el, "aria-disabled") === "true") &&
    isVisible(el)).map((el) => {
    const why = wordsOf(get(el, "aria-describedby")).map((id) => document.getElementById(id)).filter(Boolean).map((each) => words(each));
    const told = tidy(why.join(" ") || get(el, "title"), 100);
    return told && told !== name(el) ? `${said(el)} is disabled: ${told}` : "";
  }).filter(Boolean);
  return [
    ...(covering ? [`${covering} covers the page`] : []), ...parts(), ...disabled.slice(0, 5),
  ];
}
