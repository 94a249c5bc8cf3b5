// What deterministic_extract reads of each element. A missing field is an empty text.
(elements, {fields, limit}) => {
    const words = text => (text ?? "").replace(/\s+/g, " ").trim();
    const shown = element => {
        if (element.type === "password") return "";
        if (element.matches("input, textarea, select")) return element.value;
        return words(element.innerText ?? element.textContent);
    };
    const address = (element, name, value) =>
        ["href", "src", "action"].includes(name) ? String(element[name] ?? value) : value;
    const attribute = (element, name) => {
        if (name === "value") return shown(element);
        return address(element, name, element.getAttribute(name) ?? "");
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
            return (element.getAttribute(name) ?? "").includes(part);
        }
        const inside = element.querySelector(rule);
        return inside ? shown(inside) : "";
    };
    const item = element => fields
        ? Object.fromEntries(Object.entries(fields).map(([name, rule]) => [name, read(element, rule)]))
        : shown(element);
    return elements.slice(0, limit ?? undefined).map(item);
}
