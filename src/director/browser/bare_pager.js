// The pager of a list whose links are bare numbers, whatever they stand in: their addresses differ in one number only.
// Reads only. What stands by the list, and what is inside its rows, is told by who asks.
({list, inside, isOurs, seen, words, elsewhere, otherKind}) => {
    const NUMBER = /^\d{1,6}$/;
    const NO_PAGE = /(^|_)(day|month|year|date|week|tag|monat|jahr|rating|star|\w*size|limit|per_?page|count|show|level|lang|version|id)s?(_|$)/i;
    const PAGE_KEY = /^_?(p|pg|page\w*|seite|pagina|offset|start|from|skip)$/i;
    const IN_PATH = /\/(?:page|p|seite|pagina)[/-]?(\d+)(?=\/|$)/;
    const numberIn = (url, key) => key ? url.searchParams.get(key) : url.pathname.match(IN_PATH)?.[1] ?? null;
    const without = (href, key) => {
        const url = new URL(href);
        if (key) url.searchParams.delete(key); else url.pathname = url.pathname.replace(IN_PATH, "");
        return url.href.split("#")[0];
    };
    const turnedBy = (links, key) => {
        const parts = links.map(a => [Number(words(a.innerText)), numberIn(new URL(a.href), key), without(a.href, key)]);
        const counted = parts.filter(([, at]) => at !== null);
        if (!counted.length || new Set(parts.map(([, , rest]) => rest)).size > 1 || NO_PAGE.test(key)) return false;
        if (parts.some(([n, at]) => at === null ? n !== 1 : !NUMBER.test(at)) || (counted.length < 2 && key && !PAGE_KEY.test(key))) return false;
        const [most, far] = counted.reduce((one, other) => other[0] > one[0] ? other : one);
        // Pages are counted from 1 or 0, or by their first row.
        return [0, 1].some(from => {
            const step = Number(far) / (most - from);
            return Number.isInteger(step) && step > 0 && counted.every(([n, at]) => Number(at) === step * (n - from));
        });
    };
    const here = location.href.split("#")[0];
    const isCurrent = a => [a, a.parentElement].some(e => e.matches("[aria-current],.active,.current,.selected")) || a.href.split("#")[0] === here;
    const loose = holder => {
        const walk = document.createTreeWalker(holder, NodeFilter.SHOW_TEXT);
        const found = [];
        while (walk.nextNode()) {
            const [at, said] = [walk.currentNode.parentElement, walk.currentNode.data.match(/^\W*(\d{1,6})\W*$/)];
            if (!said || !seen(at) || at.closest("button,label,select,script,style")) continue;
            const link = at.closest("a[href]");
            if (!link || isCurrent(link)) found.push(Number(said[1]));
        }
        return found;
    };
    const every = [...document.querySelectorAll("a[href]")].filter(a => NUMBER.test(words(a.innerText)) && /^http/.test(a.href) && seen(a));
    for (const a of every.filter(a => !inside(a) && !isCurrent(a) && !a.closest(elsewhere))) {
        let [holder, up] = [a.parentElement, 0];
        while (holder && up < 4 && loose(holder).length !== 1) [holder, up] = [holder.parentElement, up + 1];
        if (!holder || up > 3 || holder.contains(list) || holder.matches("table,tbody") || words(holder.innerText).length > 300 || !isOurs(holder)) continue;
        for (let at = holder, n = 0; at && n < 3; at = at.parentElement, n += 1) if (otherKind.test(`${at.className} ${at.id}`)) holder = null;
        if (!holder) continue;
        const [links, [current]] = [every.filter(b => holder.contains(b) && !isCurrent(b)), loose(holder)];
        if ([...holder.children].filter(part => links.filter(b => b !== part && part.contains(b)).length > 1).length > 1) continue;
        const all = links.map(b => Number(words(b.innerText)));
        if (all.includes(current) || ![current, ...all].includes(1) || !all.some(n => Math.abs(n - current) === 1)) continue;
        const keys = [...new Set(links.flatMap(b => [...new URL(b.href).searchParams.keys()])), ""];
        const key = keys.find(one => turnedBy(links, one));
        const last = Math.max(current, ...all);
        // Numbers that go on elsewhere are days, or cells of another grid.
        const goesOn = b => !holder.contains(b) && Number(words(b.innerText)) === last + 1 && turnedBy([...links, b], key);
        if (key !== undefined && !every.some(goesOn)) return {current, last, linked: Math.max(...all), key};
    }
    return null;
}
