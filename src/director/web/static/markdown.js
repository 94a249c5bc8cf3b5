// Markdown that is still being written, as elements. It makes text only: no address is loaded or
// followed, no HTML is read. What it does not know it shows as it stands.
const INLINE = /(`[^`]+`|\*\*[^*]+\*\*|__[^_]+__|\*[^*\s][^*]*\*|\[[^\]]+\]\([^)\s]+\))/;

function put(name, parent, text) {
  const made = document.createElement(name);
  if (text !== undefined) inline(text, made);
  parent.append(made);
  return made;
}

function inline(text, parent) {
  for (const piece of text.split(INLINE)) {
    if (!piece) continue;
    if (/^`.+`$/s.test(piece)) parent.append(Object.assign(document.createElement("code"), { textContent: piece.slice(1, -1) }));
    else if (/^(\*\*|__).+\1$/s.test(piece)) put("strong", parent, piece.slice(2, -2));
    else if (/^\*.+\*$/s.test(piece)) put("em", parent, piece.slice(1, -1));
    else if (/^\[.+\]\(.+\)$/s.test(piece)) parent.append(piece.slice(1, piece.indexOf("](")));
    else parent.append(piece);
  }
}

const cells = (line) => line.replace(/^\s*\||\|\s*$/g, "").split("|").map((one) => one.trim());

// Puts the text into an element; `open` adds the mark of where it is being written.
export function markdown(text, into, open = false) {
  const made = document.createDocumentFragment();
  const lines = text.split("\n");
  let list = null;
  let words = null;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at];
    const fence = /^\s*(```|~~~)/.exec(line);
    const item = /^\s*(?:([-*+])|\d+[.)])\s+(.*)$/.exec(line);
    const head = /^(#{1,4})\s+(.*)$/.exec(line);
    if (fence) {
      const code = put("code", put("pre", made));
      const body = [];
      while (++at < lines.length && !lines[at].trim().startsWith(fence[1])) body.push(lines[at]);
      code.textContent = body.join("\n");
      list = words = null;
    } else if (/^\s*\|/.test(line) && /^\s*\|?[\s:|-]+$/.test(lines[at + 1] ?? "")) {
      const table = put("table", made);
      const top = put("tr", put("thead", table));
      for (const cell of cells(line)) put("th", top, cell);
      const body = put("tbody", table);
      at += 1;
      while (/^\s*\|/.test(lines[at + 1] ?? "")) {
        const row = put("tr", body);
        for (const cell of cells(lines[++at])) put("td", row, cell);
      }
      list = words = null;
    } else if (item) {
      const kind = item[1] ? "UL" : "OL";
      if (list?.nodeName !== kind) list = put(kind.toLowerCase(), made);
      words = put("li", list, item[2]);
    } else if (head) {
      put(`h${head[1].length}`, made, head[2]);
      list = words = null;
    } else if (!line.trim()) {
      words = null;
    } else if (words) {
      words.append("\n");
      inline(line.trim(), words);
    } else {
      list = null;
      words = put("p", made, line);
    }
  }
  if (open) {
    const caret = Object.assign(document.createElement("span"), { className: "caret", ariaHidden: "true" });
    (words ?? made.lastElementChild ?? made).append(caret);
  }
  into.replaceChildren(made);
}
