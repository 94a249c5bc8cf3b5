"""Tasks that are clicks: find what is named, and click it, perhaps several in order."""

from __future__ import annotations

from beds.miniwob.building import (
    SUBMIT,
    Tasks,
    act,
    asked,
    choose,
    click,
    each,
    ends,
    look,
    look_at_all,
    node,
    work_out,
)

_QUOTED = asked('{"name": re.search(\'"(.*)"\', said).group(1)}')
_BUTTON = (*_QUOTED, ends(click("press", '#area button:text-is("{{want.name}}")')))
_ONE_OF_TWO = (
    *asked(r'{"name": re.search("button (\w+)", said).group(1)}'),
    ends(click("press", {"role": "button", "name": "{{want.name}}"})),
)
_LINK = '.alink:text-is("{{want.name}}")'
_IN_A_TAB = (
    *_QUOTED,
    look_at_all("panel", f"[id^=tabs-]:has({_LINK})", id="@id"),
    click("open", 'a[href="#{{panel.items[0].id}}"]'),
    ends(click("follow", f"#{{{{panel.items[0].id}}}} {_LINK}")),
)
_IN_A_SECTION = (
    *_QUOTED,
    click("open", f"h3:has(+ div {_LINK})"),
    ends(click("follow", _LINK)),
)
_CHECKED = (
    *asked('{"names": re.match("Select (.*) and click", said).group(1).split(", ")}'),
    look("boxes", "#area label"),
    work_out(
        "which",
        '{"places": [at for at, label in enumerate(labels) if label in names]}',
        labels="{{boxes.items}}",
        names="{{want.names}}",
    ),
    each("all_of_them", "{{which.places}}", "tick"),
    act("tick", "check", "#area label input", nth="{{it}}"),
    SUBMIT,
)
_EXPAND = (click("open", "#area h3"), act("see", "wait", ".ui-accordion-content"), SUBMIT)
_JUDGED = """
n = int(n)
kinds = {"less": n < than, "greater": n > than, "odd": n % 2 == 1, "even": n % 2 == 0}
{"good": kinds[kind]}
"""

TASKS: Tasks = {
    "click-test": (ends(click("press", {"role": "button", "name": "Click Me!"})),),
    "click-test-2": _ONE_OF_TWO,
    "click-test-transfer": _ONE_OF_TWO,
    "click-button": _BUTTON,
    "unicode-test": _BUTTON,
    "click-link": (*_QUOTED, ends(click("follow", _LINK))),
    "click-dialog": (ends(click("close", ".ui-dialog-titlebar-close")),),
    "click-dialog-2": (
        *_QUOTED,
        choose("where", ("corner", "{{want.name}} == 'x'", "close"), ("row", True, "press")),
        ends(click("close", ".ui-dialog-titlebar-close")),
        ends(click("press", '.ui-dialog-buttonpane button:text-is("{{want.name}}")')),
    ),
    "click-widget": (*_QUOTED, ends(click("press", '.widget [data-type="{{want.name}}"]'))),
    "click-tab": (
        *asked(r'{"name": re.search("Tab #\d", said).group(0)}'),
        ends(click("open", '#area li a:text-is("{{want.name}}")')),
    ),
    "click-tab-2": _IN_A_TAB,
    "click-tab-2-easy": _IN_A_TAB,
    "click-tab-2-medium": (
        *_QUOTED,
        look("here", f"#tabs-1 {_LINK}"),
        # The second tab is empty: what is not in the first is there.
        choose("where", ("here", "{{here.count}} > 0", "follow"), ("there", True, "open")),
        ends(click("follow", f"#tabs-1 {_LINK}")),
        ends(click("open", "a[href='#tabs-2']")),
    ),
    "click-tab-2-hard": _IN_A_TAB,
    "click-collapsible": _EXPAND,
    "click-collapsible-nodelay": _EXPAND,
    "click-collapsible-2": _IN_A_SECTION,
    "click-collapsible-2-nodelay": _IN_A_SECTION,
    "click-button-sequence": (
        *asked(r'{"names": re.findall("button (\w+)", said)}'),
        ends(each("in_order", "{{want.names}}", "press", variable="name")),
        click("press", '#area button:text-is("{{name}}")'),
    ),
    "click-checkboxes": _CHECKED,
    "click-checkboxes-large": _CHECKED,
    "click-checkboxes-transfer": _CHECKED,
    "click-option": _CHECKED,
    "focus-text": (ends(click("enter", "#area input")),),
    "focus-text-2": (
        *asked(r'{"nth": int(re.search("\d", said).group(0)) - 1}'),
        ends(click("enter", "#area input", nth="{{want.nth}}")),
    ),
    "grid-coordinate": (
        *asked('{"point": re.search("[(].*[)]", said).group(0)}'),
        ends(click("press", 'circle[id="{{want.point}}"]')),
    ),
    "odd-or-even": (
        look("numbers", ".display-number"),
        work_out(
            "which",
            '{"rows": [{"row": at + 1, "kind": "odd" if int(n) % 2 else "even"} for at, n in enumerate(numbers)]}',
            numbers="{{numbers.items}}",
        ),
        each("every", "{{which.rows}}", "mark", variable="row"),
        click("mark", "#numbers .row:nth-child({{row.row}}) .{{row.kind}}"),
        ends(click("submit", "#submit")),
    ),
    "ascending-numbers": (
        click("first", 'svg text:text-is("1")'),
        # The others are covered now, in the order in which they were drawn.
        ends(each("others", [2, 3, 4, 5], "next")),
        click("next", "svg rect", nth=0),
    ),
    "generate-number": (
        *asked(
            r'found = re.search("(less|greater) than (\d+)|an (odd|even)", said)'
            '\n{"kind": found.group(1) or found.group(3), "than": int(found.group(2) or 0)}'
        ),
        node("start", "context", variables={"good": False}),
        each("again", list(range(30)), "unless"),
        choose("unless", ("had", "{{good}}", []), ("not_yet", True, "generate..note")),
        click("generate", "#generate"),
        look("shown", "#display-number"),
        work_out(
            "judge", _JUDGED, n="{{shown.items[0]}}", kind="{{want.kind}}", than="{{want.than}}"
        ),
        node("note", "context", variables={"good": "{{judge.good}}"}),
        ends(click("submit", "#submit")),
    ),
}
