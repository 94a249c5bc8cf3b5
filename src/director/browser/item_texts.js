// The texts that elements show, each as it stands alone: a cell, a line, a link, the value of a field.
// Of `wanted` texts only those that hold one, also in the rows of the page. Reads only.
(elements, {wanted, rows}) => {
  const masks = globalThis.__directorMasks, editors = masks?.editors() ?? [];
  const LEFT = 'script,style,template,noscript,select,datalist,nav,[role=navigation],[role=search]';
  const EMPHASIS = 'mark,em,strong,b,i,u,font';
  const words = text => (text ?? '').replace(/\s+/g, ' ').trim();
  const lower = wanted.map(each => words(each).toLowerCase());
  const found = new Set();
  const add = text => {
    const said = words(text), small = said.toLowerCase();
    if (said && said.length <= 300 && (!lower.length || lower.some(each => small.includes(each)))) found.add(said);
  };
  const isInline = e => getComputedStyle(e).display.startsWith('inline');
  const isText = node => node?.nodeType === Node.TEXT_NODE && words(node.data);
  const letter = /[\p{L}\p{N}]/u;
  // "Blumen <mark>Adler</mark>" is one text, "Adler <span>new</span>" and "<a>Adler</a>, Kiel" hold one of its own.
  const isAlone = node => {
    const [before, after] = [node.previousSibling, node.nextSibling];
    if (node.nodeType === Node.TEXT_NODE) return ![before, after].some(each => each?.matches?.(EMPHASIS));
    return !(isText(before) && letter.test(words(before.data).slice(-1))) &&
      !(isText(after) && letter.test(words(after.data)[0]));
  };
  // What stands inside a word that is marked is no text of its own.
  const walk = (e, tell = add) => {
    let run = '';
    const flush = () => { tell(run); run = ''; };
    for (const node of (e.shadowRoot ?? e).childNodes) {
      if (node.nodeType === Node.TEXT_NODE) {
        run += node.data;
        if (isAlone(node)) tell(node.data);
      } else if (node.nodeType === Node.ELEMENT_NODE) {
        if (node.matches(LEFT) || !(node.checkVisibility?.({visibilityProperty: true}) ?? true)) continue;
        if (masks?.hidesText(node, editors)) continue;
        if (node.matches('input,textarea')) {
          const isOfRow = node.closest('tr,li,[role=row],[role=listitem]');
          const isShown = node.matches('textarea,input:not([type]),[type=text],[type=email],[type=number],[type=url],[type=tel]');
          if (isOfRow && isShown && !masks?.hidesValue(node)) tell(node.value);
        } else if (node.localName === 'br') flush();
        else if (isInline(node)) {
          const inner = walk(node, isAlone(node) ? tell : () => {});
          if (isAlone(node)) tell(inner);
          run += inner;
        } else {
          flush();
          tell(walk(node));
        }
      }
    }
    return run;
  };
  const seen = e => !masks?.hidesText(e, editors);
  const every = [...elements, ...(wanted.length ? document.querySelectorAll(rows) : [])];
  const outer = new Set(every.filter(e => seen(e) && !e.closest(LEFT)));
  for (const e of outer) {
    if (e.matches('input,textarea')) continue;
    if (![...outer].some(other => other !== e && outer.size < 500 && other.contains(e))) add(walk(e));
  }
  return [...found].sort((one, other) => one.length - other.length);
}
