// Whether a line of the page says that a list is empty: "Showing 1 to 0 of 0 items", "No results". Reads only.
(() => {
    const NONE = new RegExp([
        /(^|[^\d.,\s]\s+)0 (\w+ )?(items?|results?|rows?|entr(y|ies)|records?|hits?|match(es)?|eintr\u00e4ge|treffer|ergebnisse|zeilen)\b/,
        /\d\s+(of|von|sur|de|di)\s+0\b(?![.,]\d)/,
        /^(no|keine|aucune?|sin) (\S+ ){0,2}(items?|results?|rows?|entries|records?|hits?|matches|found|gefunden|trouv)/,
        /nothing (was )?found|nichts gefunden/,
    ].map(one => one.source).join("|"), "i");
    const OTHER = /select|cart|basket|\bbag\b|unread|warenkorb|favou?rite|wish|notif|ausgew/i;
    const lines = (document.body?.innerText ?? "").split("\n").map(line => line.trim());
    return lines.some(line => line.length < 160 && NONE.test(line) && !OTHER.test(line));
})()
