"""What a field is made of, as scripts for a page: how it is set, and what it shows then.

Director and exported scripts ask the same questions. Nothing here changes a page.
"""

from __future__ import annotations

import json
from typing import Final

_TYPED: Final = ("date", "time", "month", "week", "datetime-local", "color", "number", "range")
_LISTS: Final = ".selectize-control, .ts-wrapper"
OPTION: Final = "[role=option], .selectize-dropdown [data-selectable]"
"""What an option of a list is: libraries that give no roles are known by their classes."""
KIND: Final = """element => {
    const field = element.control ?? element;
    const role = field.getAttribute("role") || "";
    if (field.localName === "select") return "select";
    if (["checkbox", "radio"].includes(field.type)) return "switch";
    if (["checkbox", "radio", "switch", "menuitemcheckbox"].includes(role)) return "switch";
    if (["slider", "spinbutton"].includes(role))
        return field.localName === "input" ? "typed" : "slider";
    if (field.localName === "input" && TYPED.includes(field.type)) return "typed";
    if (field.matches("input.irs-hidden-input")) return "range";
    const opens = field.getAttribute("aria-haspopup") === "listbox" || field.closest(LISTS);
    if (field.readOnly === true && role !== "combobox" && !opens) return "closed";
    if (field.hasAttribute("list")) return "text";
    if (role === "combobox" || opens) return "combobox";
    if (field.matches("input, textarea") || field.isContentEditable) return "text";
    return field.matches("[aria-haspopup], [aria-expanded]") ? "combobox" : "none";
}""".replace("TYPED", json.dumps(_TYPED)).replace("LISTS", json.dumps(_LISTS))
SHOWN: Final = """element => {
    const field = element.control ?? element;
    const masks = globalThis.__directorMasks;
    if (masks?.hidesValue(field)) return null;
    if (field.localName === "select")
        return [...field.selectedOptions].map(option => option.label || option.text).join(", ");
    const list = field.closest(LISTS);
    if (list) {
        // What was typed into its search field is not chosen.
        const items = masks?.hidesText(list) ? [] : [...list.querySelectorAll(".item")];
        const own = item => [...item.childNodes].filter(each => !each.matches?.(".remove"));
        const said = item => own(item).map(each => each.textContent).join("").trim();
        return items.map(said).join(", ");
    }
    if (typeof field.value === "string" && field.value) return field.value;
    const own = field.getAttribute("aria-valuetext") || field.getAttribute("aria-valuenow")
        || (field.innerText ?? "").trim();
    // A list of a script may take keys in an empty input, and show what was chosen around it.
    const labels = [...(field.labels ?? [])].filter(each => !each.contains(field));
    let at = own ? null : field.parentElement;
    for (let up = 0; at && up < 4; at = at.parentElement, up += 1) {
        const others = [...at.querySelectorAll("input:not([type=hidden]),textarea")];
        if (others.some(e => e !== field && e.checkVisibility?.())) break;
        if (labels.some(each => at.contains(each))) break;
        const said = masks?.hidesText(at) ? "" : (at.innerText ?? "").trim();
        if (said) return said.slice(0, 200);
    }
    return own;
}""".replace("LISTS", json.dumps(_LISTS))
HAS_PICKER: Final = """element => {
    const field = element.control ?? element;
    if (field.localName !== "input" || field.type !== "text") return false;
    if (field.hasAttribute("data-date-format")) return true;
    const PICKER = /date-?(picker|input|time|range)|flatpickr|pikaday|calendar/i;
    for (let at = field, far = 0; at && far < 3; at = at.parentElement, far += 1) {
        if (at.matches("form, body, main")) return false;
        if (PICKER.test(at.getAttribute("class") ?? "")) return true;
    }
    return false;
}"""
"""Whether a field of text has a calendar of its own, which may write another date as it is left."""
RANGE_NOW: Final = """element => {
    const field = element.control ?? element;
    return Number(field.getAttribute("aria-valuenow") ?? (field.value || NaN));
}"""
RANGE_FOCUS: Final = """element => {
    const box = (element.control ?? element).parentElement;
    const line = box.querySelector(".irs-line") ?? box.querySelector(".irs-handle");
    line?.focus();
    return Boolean(line) && document.activeElement === line;
}"""
