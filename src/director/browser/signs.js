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
  const busy = selected("[aria-busy=true]").filter(isVisible);
  return {
    ready: document.readyState !== "loading",
    since: performance.now() - stirredAt,
    busy: busy.map((el) => `${role(el) || tagOf(el)} ${name(el)}`.trim()),
  };
}

const said = (el) => `${role(el) || tagOf(el)}${name(el) ? ` "${name(el)}"` : ""}`;
function cover() {
  const modal = selected("dialog,[aria-modal=true],[role]").filter((el) =>
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

// Of what scrolls and is mostly empty, the share of its height that is drawn; 1 if all of it is. A
// list that draws its rows while it is scrolled leaves the place of the others empty.
const scrollHeightOf = getter(Element, "scrollHeight"), clientHeightOf = getter(Element, "clientHeight");
const scrollTopOf = getter(Element, "scrollTop");
const FILLED = /^(img|svg|canvas|video|iframe|input|textarea|select)$/;
function drawnShare(scroller) {
  const height = scrollHeightOf(scroller), view = clientHeightOf(scroller);
  if (height < view * 1.5 || view < 40) return 1;
  const start = boxOf(scroller).top - scrollTopOf(scroller);
  let top = Infinity, bottom = -Infinity, seen = 0;
  for (const el of everything(scroller)) {
    if ((seen += 1) > 8000) return 1;
    const isFilled = FILLED.test(tagOf(el)) || [...childNodesOf(el)].some((node) => typeOf(node) === TEXT && node.data.trim());
    if (!isFilled || !isShownByCss(el, { visibilityProperty: true })) continue;
    const box = boxOf(el);
    if (box.height) [top, bottom] = [Math.min(top, box.top - start), Math.max(bottom, box.bottom - start)];
  }
  const empty = height - Math.max(0, bottom - top);
  return bottom < 0 || empty < Math.max(160, view * 0.75) ? 1 : (bottom - top) / height;
}
const isScroller = (el) => el !== document.documentElement && el !== document.body &&
  scrollHeightOf(el) > clientHeightOf(el) * 1.5 && /auto|scroll|overlay/.test(styleOf(el).overflowY);
function scrollerOf(el) {
  for (let up = parent(el); up; up = parent(up)) if (isScroller(up)) return up;
  return null;
}
const MANY = /^(row|listitem|option|treeitem|article|gridcell)$/;
function drawnLists() {
  return allElements().filter((el) => isHtml(el) && isScroller(el) && isVisible(el)).slice(0, 20)
    .map((el) => [el, drawnShare(el)]).filter(([, share]) => share < 1)
    .map(([el, share]) => {
      const rows = [...everything(el)].filter((each) => MANY.test(role(each)) && words(each)).length;
      const many = rows > 2 ? `about ${rows} of ${Math.round(rows / share)} rows` : `about ${Math.round(share * 100)}% of the content`;
      const where = closest(el, "[role=grid],[role=table],[role=list],[role=tree],table,ul,ol") || [...everything(el)].find((each) => /^(table|grid|list|tree)$/.test(role(each))) || el;
      return `${many} are drawn in ${said(where)}; it scrolls, and extract_all reads all of it`;
    });
}

// Lists that draw a part of what they hold.
function parts() {
  const found = [];
  for (const el of selected("[aria-rowcount]")) {
    const total = Math.max(Number(get(el, "aria-rowcount")) || 0, Number(get(el, "aria-setsize")) || 0);
    if (total < 1) continue;
    const drawn = [...everything(el)].filter((each) => role(each) === "row").length;
    if (drawn && drawn < total) found.push(`${drawn} of ${total} rows are drawn in ${said(el)}; it scrolls`);
  }
  const holders = new Set(selected("[aria-setsize]").map(parentNodeOf).filter(Boolean));
  for (const el of holders.size ? allElements().filter((each) => holders.has(each)) : []) {
    if (found.length >= 5) break;
    const item = [...childrenOf(el)].find((each) => Number(get(each, "aria-setsize")) > childrenOf(el).length);
    if (item) found.push(`${childrenOf(el).length} of ${get(item, "aria-setsize")} items are drawn in ${said(el)}; it scrolls`);
  }
  return (found.length ? found : drawnLists()).slice(0, 5);
}

function signs() {
  const covering = cover();
  const disabled = selected("button:disabled,input:disabled,select:disabled,textarea:disabled,[aria-disabled=true]").filter(isVisible).map((el) => {
    const why = wordsOf(get(el, "aria-describedby")).map((id) => document.getElementById(id)).filter(Boolean).map((each) => words(each));
    const told = tidy(why.join(" ") || get(el, "title"), 100);
    return told && told !== name(el) ? `${said(el)} is disabled: ${told}` : "";
  }).filter(Boolean);
  return [
    ...(covering ? [`${covering} covers the page`] : []), ...parts(), ...disabled.slice(0, 5),
  ];
}
