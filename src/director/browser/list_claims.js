// What a page says about a list: phrases with counts that stand by it, what leads to its next part.
// Reads only. Which phrase is a count, and what follows from it, is decided elsewhere.
(every, {fields, wide, unpicked, barePager}) => {
    const masks = globalThis.__directorMasks;
    const editors = masks?.editors() ?? [];
    const words = text => (text ?? "").replace(/\s+/g, " ").trim();
    const text = e => masks?.hidesText(e, editors) ? "" : words(e.innerText ?? e.textContent);
    // What has no box of its own, such as a row of some grids, is seen by what stands in it.
    const seen = e => (e.checkVisibility?.({visibilityProperty: true}) ?? e.getClientRects().length > 0) ||
        (getComputedStyle(e).display === "contents" && [...e.children].some(seen));
    const depth = e => { let n = 0; for (; e; e = e.parentElement) n += 1; return n; };
    const shared = (one, other) => { while (one && !one.contains(other)) one = one.parentElement; return one; };
    const before = (one, other) => Boolean(one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING);
    const NUMBER = /^\d{1,6}$/;
    const PAGER = "nav[aria-label*=pag i],[role=navigation][aria-label*=pag i],[class*=pagin i],[class*=pager i]," +
        "[id*=pagin i],[id*=pager i],[class*=tables_info i],[class*=dt-info i]";
    const ASIDE = "aside,[role=banner],[role=complementary],[role=search] option,body>header,body>footer," +
        "select,option,textarea,template,dialog:not([open])";
    const ELSEWHERE = `nav,${ASIDE}`;
    const OTHER_KIND = /calendar|date-?picker|carousel|slider|slide|month|week|gallery|wizard|stepper/i;

    // A selector may fit rows of other tables as well, beside the list or inside its cells: the list is where most are.
    const tables = Map.groupBy(every, e => e.closest("table,[role=grid],[role=table]"));
    const largest = [...tables.values()].reduce((one, other) => other.length > one.length ? other : one, []);
    const elements = largest.length * 2 > every.length ? largest : every;

    // The list itself: what holds all elements, and the rows of their kind that it shows.
    const first = elements[0];
    const box = elements.reduce((at, e) => shared(at, e), first?.parentElement ?? null);
    const list = box ? box.closest("table,[role=grid],[role=table]") ?? box : null;
    const tableRows = () => {
        const table = box?.closest("table");
        if (!table || first.contains(table)) return null;
        // A head or a foot may be made of plain cells; it is no row unless it is read.
        const isBody = r => !r.closest("thead,tfoot") || elements.some(e => r.contains(e));
        return [...table.querySelectorAll("tr")].filter(r => r.closest("table") === table && r.querySelector("td") && isBody(r) && seen(r));
    };
    const rows = () => {
        const body = tableRows();
        if (body) return body.filter(text);
        const own = elements.map(e => { while (e.parentElement !== box) e = e.parentElement; return e; });
        if (new Set(own).size !== own.length) return elements;
        const [tag, kind] = [own[0].tagName, own[0].classList[0] ?? ""];
        return [...box.children].filter(c => c.tagName === tag && (c.classList[0] ?? "") === kind && seen(c) && text(c));
    };
    // Whether rows are left out by their place alone: without it the selector would match all of them.
    const held = (shown, parts) => {
        const [known, found] = [new Set(shown), new Set()];
        for (const part of parts) for (let at = part; at; at = at.parentElement) if (known.has(at)) found.add(at);
        return found.size;
    };
    const skips = shown => {
        if (!wide || held(shown, elements) === shown.length) return false;
        try {
            return held(shown, first.getRootNode().querySelectorAll(wide)) === shown.length;
        } catch {
            return false; // No plain CSS: nothing is known of it.
        }
    };

    // How many there are of which each was picked by its place, alone of its list; 0 where they were not.
    const pickedOf = () => {
        if (!unpicked || !first || elements.length > 20) return 0;
        try {
            const every = [...first.getRootNode().querySelectorAll(unpicked)].filter(seen);
            const isAlone = e => {
                let at = e;
                while (at && !every.some(o => o !== e && at.contains(o))) at = at.parentElement;
                return at && !elements.some(o => o !== e && at.contains(o));
            };
            return every.length > elements.length && elements.every(isAlone) ? every.length : 0;
        } catch {
            return 0;
        }
    };

    // How many rows the table has that they are taken from, each of another row; 0 where that is not known.
    const ownRows = () => {
        const body = tableRows() ?? [];
        return (elements.length > 1 || first?.matches("tr")) && held(body, elements) === elements.length ? body.length : 0;
    };

    // Other lists of the page: a count may be theirs.
    const pagerOf = e => {
        const named = e.closest(PAGER);
        if (named && !named.contains(list)) return named;
        for (let at = e, up = 0; at && up < 4 && at !== document.body; at = at.parentElement, up += 1) {
            if ((list && at.contains(list)) || at.matches("table,td,tr,tbody") || words(at.textContent).length > 300) break;
            if ([...at.querySelectorAll("a,button,span,strong,b,li")].filter(l => NUMBER.test(words(l.textContent))).length > 1) return at;
        }
        return null;
    };
    const inside = e => elements.some(row => row.contains(e)) ||
        (list?.matches("table") && e.closest("tbody,tr")?.closest("table") === list && !e.closest("thead,tfoot,caption"));
    const others = [...document.querySelectorAll("table,ul,ol,[role=grid],[role=feed],[role=list]")].filter(o => {
        if (list && (o.contains(list) || list.contains(o))) return false;
        if (o.closest("nav,aside,[role=navigation],[role=menu],[role=tablist]") || o.closest(PAGER) || !seen(o)) return false;
        const parts = o.matches("table") ? o.querySelectorAll("tr") : o.children;
        return [...parts].filter(seen).length > 2;
    });
    const headings = [...document.querySelectorAll("h1,h2,h3,h4,h5,h6,[role=heading],legend")].filter(seen);
    // One element by itself is no list that a count beside it could be of.
    const isList = elements.length > 1 || Boolean(first?.closest("table,ul,ol,[role=grid],[role=list],[role=feed]"));
    const isOurs = e => {
        if (!list) return others.every(o => !o.contains(e));
        const near = depth(shared(e, list));
        const heading = e.closest("h1,h2,h3,h4,h5,h6,[role=heading]");
        return others.every(o => {
            if (o.contains(e)) return false;
            const theirs = depth(shared(e, o));
            if (theirs !== near) return theirs < near;
            // A count above several lists is the first one's only if the next begins under a heading of its own.
            if (before(e, list) && before(list, o) && !headings.some(h => before(list, h) && before(h, o))) return false;
            if (before(e, list)) return before(o, e) ? Boolean(heading) || !before(e, o) : !(before(e, o) && before(o, list));
            return before(o, list) || (before(e, o) && !heading);
        });
    };

    // Phrases with numbers, each as its block says it.
    const block = e => { while (e.parentElement && /^(inline|contents)/.test(getComputedStyle(e).display)) e = e.parentElement; return e; };
    const SAYS = /\d|\b(no|keine|aucun|nothing|sin|truncated|too many|cut|shortened)\b/i;
    const counters = [];
    const add = (said, e, place) => {
        const known = counters.some(c => c.text === said && c.place === place);
        if (place && said && said.length <= 160 && !known && counters.length < 12) counters.push({text: said, place});
    };
    const placeOf = e => {
        if (!list) return "page";
        if (!isList && !pagerOf(e)) return "";
        if (list.matches("table") && list.contains(e)) return "caption";
        if (pagerOf(e)) return "pager";
        return e.closest("h1,h2,h3,h4,h5,h6,[role=heading]") ? "heading" : "near";
    };
    const isCandidate = e => seen(e) && !inside(e) && !e.closest("a,button,[role=button],[role=tab],label input") &&
        (!e.closest(ELSEWHERE) || pagerOf(e)) && !others.some(o => o.contains(e)) && isOurs(e);
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let n = 0; walk.nextNode() && n < 20000; n += 1) {
        const node = walk.currentNode;
        if (!SAYS.test(node.data) || !node.parentElement || masks?.hidesText(node.parentElement, editors)) continue;
        const parent = node.parentElement;
        if (parent.closest("script,style,noscript,template") || !isCandidate(parent)) continue;
        const whole = block(parent);
        const place = placeOf(parent);
        if (place === "pager") add(words(node.data), parent, place);
        if (!whole.contains(list ?? whole.ownerDocument.body)) {
            for (const line of (whole.innerText ?? "").split("\n")) if (/\d/.test(line) || SAYS.test(line)) add(words(line), whole, place);
        }
    }
    const counted = list?.closest("[aria-rowcount]");
    const total = Number(counted?.getAttribute("aria-rowcount"));
    if (total > 0) add(`${total - [...counted.querySelectorAll("[role=columnheader],th")].map(h => h.closest("tr,[role=row]"))
        .filter((r, at, all) => r && all.indexOf(r) === at && !r.querySelector("td,[role=gridcell]")).length} rows`, counted, "caption");

    // What leads on.
    const NEXT = /^(next|older|weiter|n\u00e4chste|suivante?|siguiente|successiv[ao]|avanti|volgende|n\u00e4sta|nast\u0119pna|\u0434\u0430\u043b\u0435\u0435)\W*$/i;
    const NEXT_PAGE = /^(next (page|results|\d+)|older (posts|entries|messages)|n\u00e4chste seite|page suivante|p\u00e1gina siguiente|pagina successiva|volgende pagina)\W*$/i;
    const PREVIOUS = /^(prev(ious)?|newer|zur\u00fcck|vorherige|pr\u00e9c\u00e9dente?|anterior|precedente|indietro|vorige|f\u00f6reg\u00e5ende|poprzednia)\W*$/i;
    const PREVIOUS_PAGE = /^(prev(ious)? (page|results|\d+)|newer (posts|entries|messages)|vorherige seite|page pr\u00e9c\u00e9dente|p\u00e1gina anterior|pagina precedente|vorige pagina)\W*$/i;
    const MORE = /^(load|show|fetch) more (data|results|rows|items|entries|records)\W*$|^(load|show) more\W*$|^(show|view|see) all \(?\d+\)?( \w+)?\W*$|^\W*(and |show )?\d+ more( \w+)?\W*$|^(mehr|weitere) (\w+ )?laden\W*$/i;
    const FORWARD = {rel: "next", plain: NEXT, whole: NEXT_PAGE, sign: /^[\u203a\u00bb\u2192>]{1,2}$/};
    const BACK = {rel: "prev", plain: PREVIOUS, whole: PREVIOUS_PAGE, sign: /^[\u2039\u00ab\u2190<]{1,2}$/};
    // A button by itself leads on only right beside the list.
    const isNear = e => Boolean(list) && e.matches("button,[role=button],input") && depth(list) - depth(shared(e, list)) <= 2;
    const leading = way => {
        for (const e of document.querySelectorAll("a,button,[role=button],input[type=submit],input[type=button]")) {
            if (!seen(e) || inside(e) || !isOurs(e)) continue;
            const said = words(e.getAttribute("aria-label") || e.innerText || e.value || e.title);
            const named = way.plain.test(said) || way.sign.test(said);
            const isMore = way === FORWARD && MORE.test(said) && (e.matches("a[href]:not([href^='#'])") ? /^http/.test(e.href) : isNear(e));
            if (!isMore && !way.whole.test(said) && !(named && (e.matches(`[rel~=${way.rel}]`) || pagerOf(e)))) continue;
            if (e.closest("[class],[id]") && OTHER_KIND.test(`${e.className} ${pagerOf(e)?.className ?? ""} ${e.parentElement?.className ?? ""} ${said}`)) continue;
            if (e.disabled || e.closest("[aria-disabled=true],.disabled,[disabled]") || getComputedStyle(e).pointerEvents === "none") continue;
            const at = e.matches("a") ? e.getAttribute("href") : null;
            if (e.matches("a") && at === null && !e.matches("[role=button],[onclick]")) continue;
            const href = at && !/^(#|javascript:)/i.test(at) ? e.href : "";
            if (href && href.split("#")[0] === location.href.split("#")[0]) continue;
            return {text: said.slice(0, 60), href};
        }
        return null;
    };
    // A link to a part of the list that can be followed.
    const isLive = e => !e.disabled && !e.closest("[aria-disabled=true],.disabled,[disabled]") && getComputedStyle(e).pointerEvents !== "none" &&
        (e.matches("button,[role=button],[onclick]") || e.hasAttribute("href"));
    const pages = () => {
        for (const pager of document.querySelectorAll(PAGER)) {
            if (!seen(pager) || pager.contains(list) || !isOurs(pager) || OTHER_KIND.test(pager.className)) continue;
            const current = Number([...pager.querySelectorAll("[aria-current],.this-page,.current,.active,.selected,strong")]
                .map(e => words(e.innerText)).find(t => NUMBER.test(t)));
            const numbered = [...pager.querySelectorAll("a,button")].filter(e => NUMBER.test(words(e.innerText)));
            const [all, linked] = [numbered, numbered.filter(isLive)].map(some => some.map(e => Number(words(e.innerText))));
            // Numbers that do not count on from 1 are perhaps sizes of a page.
            const counts = [current, ...all].includes(1) && all.some(n => Math.abs(n - current) === 1);
            if (current && all.length) return {current, last: Math.max(current, ...all), linked: counts ? Math.max(0, ...linked) : 0};
        }
        return null;
    };

    // The fields: which were found in no row, which are shown cut although the page has more.
    const rules = Object.entries(fields ?? {}).filter(([, rule]) => typeof rule === "string");
    // "a@href" is an attribute of a part.
    const partOf = rule => {
        const at = rule.lastIndexOf("@");
        return at > 0 && !rule.slice(at).includes("]") ? rule.slice(0, at) : rule;
    };
    const find = (e, rule) => e.querySelector(partOf(rule));
    const has = (e, rule) => {
        if (rule === "." || rule === "@form-url" || /^@.*~/.test(rule)) return true;
        if (rule.startsWith("@")) return rule === "@value" || e.hasAttribute(rule.slice(1));
        return find(e, rule) !== null;
    };
    const hasAny = e => !rules.length || rules.some(([, rule]) => has(e, rule));
    const cutIn = (e, rule) => {
        const at = rule === "." ? e : partOf(rule) !== rule || rule.startsWith("@") ? null : find(e, rule);
        const shown = at ? text(at) : "";
        const start = shown.replace(/(\u2026|\.\.\.)$/, "");
        if (start === shown || !start) return false;
        return [at, at.parentElement, ...at.querySelectorAll("[title],[aria-label]")].some(held =>
            ["title", "aria-label", "data-original-title"].some(name => {
                const full = words(held?.getAttribute?.(name));
                return full.length > shown.length && full.startsWith(start.trim());
            }));
    };
    // Fields that show something which is no text: an icon, a picture, a box that is ticked.
    const PICTURE = "img,svg,canvas,input[type=checkbox],input[type=radio],[title],[aria-label],i,[class*=icon i]";
    const pictureIn = (e, rule) => {
        const at = rule === "." ? e : partOf(rule) !== rule || rule.startsWith("@") ? null : find(e, rule);
        if (!at || masks?.hidesText(at, editors) || text(at)) return null;
        const parts = [at, ...at.querySelectorAll("*")].filter(p => p.matches(PICTURE) && seen(p));
        if (!parts.length) return null;
        for (const part of parts) for (const name of ["title", "aria-label", "alt"]) {
            const said = words(part.getAttribute(name));
            if (said) return {said: said.slice(0, 60), read: `${part === at ? rule : `${rule} ${part.localName}`}@${name}`};
        }
        return {said: "", read: ""};
    };
    const pictured = () => {
        const found = {};
        for (const [name, rule] of rules) {
            const all = elements.slice(0, 5000).map(e => pictureIn(e, rule)).filter(Boolean);
            if (all.length) found[name] = {rows: all.length, ...(all.find(one => one.said) ?? all[0])};
        }
        return found;
    };
    // Fields of a table that are not in their column: a cell reaches over several rows or columns.
    const columnsOf = table => {
        const [at, held] = [new Map(), []];
        [...table.rows].forEach((row, y) => {
            let x = 0;
            for (const cell of row.cells) {
                while (held[y]?.[x]) x += 1;
                at.set(cell, x);
                const high = cell.rowSpan || table.rows.length;
                for (let dy = 0; dy < Math.min(high, table.rows.length - y); dy += 1) {
                    for (let dx = 0; dx < cell.colSpan; dx += 1) (held[y + dy] ??= [])[x + dx] = cell;
                }
                x += cell.colSpan;
            }
        });
        return {at, held};
    };
    const covered = () => {
        const table = first?.closest("table");
        if (!table || !table.querySelector("[rowspan],[colspan]") || !elements.every(e => e.matches("tr")) || elements.length > 5000) return {};
        const [{at, held}, found] = [columnsOf(table), {}];
        const cellOf = (e, rule) => {
            const cell = find(e, rule)?.closest("td,th");
            return cell?.closest("table") === table ? cell : undefined;
        };
        const parts = rules.filter(([, rule]) => !rule.startsWith("@") && rule !== ".");
        // A heading between the rows has none of the fields.
        const ours = elements.filter(e => e.closest("table") === table && parts.some(([, rule]) => cellOf(e, rule)));
        for (const [name, rule] of parts) {
            const cells = ours.map(e => [e, cellOf(e, rule)]);
            const whole = cells.filter(([e, c]) => c && held[e.rowIndex].every(one => one.parentElement === e && one.colSpan === 1));
            const column = at.get((whole[0] ?? cells.find(([, c]) => c) ?? [])[1]);
            const isMoved = /:(nth|first|last|only)-|[+~]/.test(rule);
            const many = cells.filter(([e, c]) => {
                const over = held[e.rowIndex]?.[column];
                if (!over || over === c) return false;
                return isMoved || (!c && over.parentElement !== e);
            }).length;
            if (many) found[name] = many;
        }
        return found;
    };
    // What names a field that is read by its place: the heading over its column, or a label beside its value.
    const isByPlace = rule => {
        if (/:(nth|first|last|only)-|[+~]/.test(rule) || /[.#][\w-]*\d/.test(rule)) return true;
        return !/[.#[]/.test(rule) && first.querySelectorAll(rule).length > 1;
    };
    const holds = new Set(elements);
    const isHead = (row, rest) => row && !holds.has(row) && !elements.some(e => row.contains(e)) && rest.every(e => holds.has(e)) &&
        [...row.children].every(c => words(c.textContent) && !/\d/.test(c.textContent));
    // A table's row of headings, also one of plain cells if all rows but that one are read.
    const headOf = table => {
        const shown = [...table.querySelectorAll("tr,[role=row]")].filter(r => r.closest("table,[role=grid],[role=table]") === table && words(r.textContent));
        const body = elements.find(hasAny);
        const heads = shown.filter(r => (!body || before(r, body)) && r.querySelector("th,[role=columnheader]") && !r.querySelector("td,[role=gridcell],[role=cell]"));
        const wide = heads.filter(r => r.children.length > 1);
        return wide.at(-1) ?? heads.at(-1) ?? (isHead(shown[0], shown.slice(1)) ? shown[0] : null);
    };
    const headBeside = () => {
        const mates = [...(first?.parentElement?.children ?? [])].filter(c => words(c.textContent));
        const above = first?.parentElement?.previousElementSibling;
        const head = [mates[0], above].find(r => isHead(r, mates.filter(m => m !== r)));
        return head?.children.length > 1 && head.children.length === first.children.length ? head : null;
    };
    const headingOver = (part, row, table, columns, head) => {
        const cell = table ? part.closest("td,th,[role=gridcell],[role=cell]") : [...row.children].find(c => c.contains(part));
        if (!head || !cell || (table && !table.contains(cell))) return "";
        const over = columns ? columns.held[head.rowIndex]?.[columns.at.get(cell)] :
            head.children[[...cell.parentElement.children].indexOf(cell)];
        return over ? text(over) : "";
    };
    const COLON = /^[^\d:]{2,40}:$/;
    const labelOf = (part, row) => {
        for (let at = part; at && at !== row; at = at.parentElement) {
            const given = ["data-label", "data-title", "data-th", "data-column", "data-header"].map(n => words(at.getAttribute(n))).find(Boolean);
            if (given) return given;
            let near = at.previousSibling;
            while (near && (near.nodeType === Node.COMMENT_NODE || !words(near.textContent))) near = near.previousSibling;
            if (near && !masks?.hidesText(near.nodeType === Node.TEXT_NODE ? near.parentElement : near, editors)) {
                const said = words(near.textContent);
                if (COLON.test(said) || (said.length < 60 && near.matches?.("dt,th,label"))) return said;
            }
            const own = text(at).match(/^([^\d:]{2,40}:) /);
            if (own) return own[1];
        }
        return "";
    };
    const namesOver = () => {
        const found = {};
        const table = first?.closest("table,[role=grid],[role=table]");
        const none = [...document.querySelectorAll("table,[role=grid],[role=table]")].filter(seen);
        const columnsIn = head => [...(head?.children ?? [])].slice(0, 100).map(c => text(c).slice(0, 80)).filter(Boolean);
        if (!first) return {headings: found, columns: none.slice(0, 20).flatMap(t => columnsIn(headOf(t)))};
        if (elements.length > 5000) return {headings: found, columns: []};
        const head = table ? headOf(table) : headBeside();
        const columns = table?.matches("table") ? columnsOf(table) : null;
        for (const [name, rule] of rules) {
            const path = rule.split("@")[0];
            if (!path || path === "." || !isByPlace(path)) continue;
            const parts = elements.slice(0, 30).map(e => [e.querySelector(path), e]).filter(([part]) => part);
            if (!parts.length) continue;
            const labels = new Set(parts.map(([part, row]) => labelOf(part, row)));
            const said = headingOver(...parts[0], table, columns, head) || (labels.size === 1 ? [...labels][0] : "");
            if (said) found[name] = said.slice(0, 80);
        }
        return {headings: found, columns: columnsIn(head)};
    };

    // Rows of the same form as those that were read, in the same place, that cannot be seen.
    // For each of them, how many of those that were read stand before it.
    const hiddenRows = () => {
        const holder = first?.parentElement;
        if (!holder || elements.length < 2 || !elements.every(e => e.parentElement === holder)) return [];
        const [tag, size] = [first.tagName, first.children.length];
        const known = new Set(elements.map(e => words(e.textContent)));
        const isHidden = c => c.tagName === tag && c.children.length === size && size && !seen(c) && !c.closest("template") &&
            words(c.textContent).length > 3 && !/\{\{|\$\{|__prefix__/.test(c.textContent) && !known.has(words(c.textContent)) &&
            c.getAttribute("aria-hidden") !== "true";
        const [found, ours] = [[], new Set(elements)];
        let passed = 0;
        for (const c of holder.children) if (ours.has(c)) passed += 1; else if (isHidden(c)) found.push(passed);
        return found;
    };

    // How many rows the list has room for, if it draws only those in sight: empty room stands for the rest.
    const roomFor = shown => {
        if (shown.length < 2 || !shown.every(r => r.parentElement === shown[0].parentElement)) return 0;
        const boxes = shown.map(r => r.getBoundingClientRect());
        const high = boxes.map(b => b.height).sort((a, b) => a - b)[Math.floor(boxes.length / 2)];
        const [top, bottom] = [Math.min(...boxes.map(b => b.top)), Math.max(...boxes.map(b => b.bottom))];
        const isEmpty = e => !words(e.textContent) && !e.querySelector("img,svg,canvas,video,input,iframe") && !e.matches("img,svg,canvas,video,iframe");
        const holder = shown[0].parentElement;
        const around = [...holder.children, ...(holder.matches("tbody") ? holder.closest("table").tBodies : holder.parentElement?.children ?? [])];
        const spacers = around.filter(e => !shown.includes(e) && e !== holder && !e.contains(holder) && isEmpty(e)).map(e => e.offsetHeight);
        const style = getComputedStyle(holder);
        const isPlaced = shown.every(r => /absolute/.test(getComputedStyle(r).position) || getComputedStyle(r).transform !== "none");
        const holds = isPlaced ? holder.getBoundingClientRect().height - (bottom - top) : 0;
        const free = spacers.reduce((sum, one) => sum + one, 0) + parseFloat(style.paddingTop) + parseFloat(style.paddingBottom) + holds;
        return high > 4 && free >= Math.max(3 * high, 150) ? Math.round((bottom - top + free) / high) : 0;
    };

    // What says that this is another page, or a part of one.
    const WRONG = new RegExp("something went wrong|went wrong|too many requests|rate limit|try again later|temporarily " +
        "unavailable|service unavailable|internal (server )?error|bad gateway|gateway time-?out|(access|permission) denied|" +
        "not authori[sz]ed|unauthori[sz]ed|do(n.t| not) have permission|session (has |was )?(expired|timed out|ended)|(log|sign) ?in " +
        "(again|to continue|required)|(please|must) (log|sign) in|you are (a )?human|not a robot|captcha|unusual traffic|" +
        "page (was )?not (be )?found|(an|unexpected) error|error occurred|(could|can) ?not (be )?(load|fetch)|(failed|unable) to " +
        "(load|fetch)|error (while )?loading|(under|down for) maintenance|before you continue|^\\W*(error\\W*)?[45]\\d\\d\\W+(error|not|internal|bad|service|forbidden|unauthor|too many|gone)|" +
        "etwas ist schief|zu viele anfragen|sitzung ist abgelaufen|bitte (erneut )?anmelden|zugriff verweigert|ein fehler|nicht " +
        "geladen werden|une erreur|session expir|se connecter|ocurri. un error|algo sali. mal|errore", "i");
    const PART = /(could|can) ?not (be )?(load|fetch)|(failed|unable) to (load|fetch)|error (while )?loading|went wrong|nicht geladen werden/i;
    const troubleIn = (all, pattern) => all.filter(e => seen(e) && !inside(e)).map(text)
        .find(said => said && said.length < 200 && pattern.test(said)) ?? "";
    // A filter that the page does not take leaves all rows as they are.
    const refusedField = () => {
        const isWrong = e => e?.getAttribute?.("aria-invalid") === "true" || /(^|[\s_-])(has-error|is-invalid|invalid)([\s_-]|$)/.test(e?.className ?? "");
        const fields = [...document.querySelectorAll("input:not([type=password]):not([type=hidden]),textarea,select")];
        const bad = fields.find(f => f.value && seen(f) && !inside(f) && !masks?.hidesText(f, editors) && [f, f.parentElement].some(isWrong));
        return bad ? `${words(bad.value)} (marked as wrong)` : "";
    };
    const trouble = () => {
        const told = [...document.querySelectorAll("[role=alert],[role=alertdialog],[class*=error i],[class*=alert i],[class*=toast i]")];
        if (elements.length) return troubleIn(told, PART) || refusedField();
        const said = [...document.querySelectorAll("h1,h2,h3,[role=heading],legend")];
        const whole = words(document.body.innerText);
        const lines = (document.body.innerText ?? "").split("\n").map(words);
        return troubleIn([...told, ...said], WRONG) || (WRONG.test(document.title) ? words(document.title) : "") ||
            (whole.length < 400 ? lines.find(line => line.length < 200 && WRONG.test(line)) ?? "" : "");
    };
    const asksLogin = () => !elements.length && [...document.querySelectorAll("input[type=password]")].some(seen);

    // Elements that the page itself marks as no item, amid others.
    const NO_ITEM = /(^|[-_])(missing|placeholder|skeleton|loading|shimmer|empty|no-?(data|results?|records|rows|items))($|[-_])/i;
    const marked = () => {
        const found = elements.filter(e => [...e.classList].some(name => NO_ITEM.test(name)));
        return found.length * 2 < elements.length ? found.slice(0, 20).map(e => text(e).slice(0, 2000)) : [];
    };

    const cut = {};
    for (const [name, rule] of rules) {
        const many = elements.filter(e => cutIn(e, rule)).length;
        if (many) cut[name] = many;
    }
    const shown = elements.length ? rows() : [];
    return {
        counters,
        following: isList ? leading(FORWARD) : null,
        preceding: isList ? leading(BACK) : null,
        pages: isList ? pages() ?? barePager({list, inside, isOurs, seen, words, elsewhere: ASIDE, otherKind: OTHER_KIND}) : null,
        of: Math.max(shown.length, pickedOf()),
        own: ownRows(),
        skips: skips(shown),
        absent: elements.length ? rules.filter(([, rule]) => elements.every(e => !has(e, rule))).map(([name]) => name) : [],
        cut,
        pictured: pictured(),
        ...(at => ({hidden: at.length, hidden_at: at.slice(0, 200)}))(hiddenRows()),
        room: isList ? roomFor(shown) : 0,
        covered: covered(),
        ...namesOver(),
        marked: marked(),
        trouble: trouble().slice(0, 160),
        asks_login: asksLogin(),
        drawn: every.length,
        distinct: new Set(elements.slice(0, 5000).map(e => [text(e), ...[...e.querySelectorAll("a[href]")].map(a => a.href)].join("\n"))).size,
        words: words([document.title, ...[...document.querySelectorAll("h1,h2,caption")].slice(0, 8).map(text),
            decodeURIComponent(location.pathname).replace(/[\W_]+/g, " ")].join(" ")).slice(0, 600),
        url: location.href,
    };
}
