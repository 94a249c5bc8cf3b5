// What deterministic_extract reads of each element. A missing field is an empty text.
// On a page of a session, what a secret is in is not read; `unread` names attributes that hold one.
(elements, {fields, limit, unread = []}) => {
    // A page may hold any number of elements of any length: too much is refused, never cut.
    let parts = 0, letters = 0;
    const counted = value => {
        parts += 1;
        letters += String(value).length;
        if (parts > 200000 || letters > 5000000) throw new Error(
            "The elements hold more than 200,000 fields or 5,000,000 characters. " +
            "Set a limit, or read fewer fields.");
        return value;
    };
    const words = text => (text ?? "").replace(/\s+/g, " ").trim();
    // Where line breaks are drawn as they are written, they are part of the text.
    const lines = text => (text ?? "").split("\n").map(words).join("\n").trim();
    const drawsBreaks = element => /^(pre|break-spaces)/.test(getComputedStyle(element).whiteSpace);
    // Nothing changes meanwhile: editors are looked for once, and each element is read once.
    const masks = globalThis.__directorMasks;
    const editors = masks?.editors() ?? [];
    const known = new Map();
    const shown = element => {
        if (!known.has(element)) known.set(element, text(element));
        return known.get(element);
    };
    const text = element => {
        if (element.type === "password") return "";
        if (masks?.hidesValue(element) || masks?.hidesText(element, editors)) return "[redacted]";
        if (element.matches("input, textarea, select")) return element.value;
        const said = holdsShadow(element) ? drawn(element) : element.innerText ?? element.textContent;
        return drawsBreaks(element) ? lines(said) : words(said);
    };
    // What stands in a shadow root, or in its slots, is part of what an element shows.
    const holdsShadow = element =>
        Boolean(element.shadowRoot) || [...element.querySelectorAll("*")].some(each => each.shadowRoot);
    const isBoxless = node => getComputedStyle(node).display === "contents";
    const drawn = node => {
        if (node.nodeType === Node.TEXT_NODE) return node.data;
        if (node.nodeType !== Node.ELEMENT_NODE || !(node.checkVisibility() || isBoxless(node))) return "";
        if (node.matches("script, style, template, input, textarea, select")) return "";
        if (masks?.hidesText(node, editors)) return "[redacted]";
        const given = node.localName === "slot" ? node.assignedNodes() : [];
        const inside = given.length ? given : (node.shadowRoot ?? node).childNodes;
        const text = [...inside].map(drawn).join("");
        return getComputedStyle(node).display === "inline" ? text : ` ${text} `;
    };
    const first = (root, rule) => {
        const found = root.querySelector(rule);
        if (found) return found;
        for (const each of [root, ...root.querySelectorAll("*")]) {
            const inner = each.shadowRoot && first(each.shadowRoot, rule);
            if (inner) return inner;
        }
        return null;
    };
    const address = (element, name, value) =>
        ["href", "src", "action"].includes(name) ? String(element[name] ?? value) : value;
    // What an attribute is does not depend on how its name is written; of SVG, whether it is there does.
    const small = name => name.toLowerCase();
    const hidden = new Set(unread.map(small));
    const attribute = (element, name) => {
        if (small(name) === "value") return shown(element);
        return address(element, small(name), element.getAttribute(name) ?? "");
    };
    const read = (element, rule) => {
        if (rule === ".") return shown(element);
        if (rule === "@form-url") {
            const form = element.closest("form") ?? element.querySelector("form");
            return form ? form.action : "";
        }
        if (rule.startsWith("@")) {
            const [name, part] = rule.slice(1).split(/~(.*)/s);
            if (part === undefined) return attribute(element, name);
            return !hidden.has(small(name)) && (element.getAttribute(name) ?? "").includes(part);
        }
        // A part and an attribute of it: "a@href".
        const at = rule.lastIndexOf("@");
        const mixed = at > 0 && !rule.slice(at).includes("]");
        const inside = first(element, mixed ? rule.slice(0, at) : rule);
        return inside ? (mixed ? read(inside, rule.slice(at)) : shown(inside)) : "";
    };
    const item = element => fields
        ? Object.fromEntries(Object.entries(fields).map(([name, rule]) => [name, counted(read(element, rule))]))
        : counted(shown(element));
    return elements.slice(0, limit ?? undefined).map(item);
}
