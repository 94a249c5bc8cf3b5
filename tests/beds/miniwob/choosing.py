"""Tasks with controls of their own: lists, calendars, menus, sliders, shapes to tell apart."""

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
    node,
    type_into,
    work_out,
)

_DATE = r"""
month, day, year = [int(part) for part in re.search(r"(\d+)/(\d+)/(\d+)", said).groups()]
{"month": month, "day": day, "year": year}
"""
_MONTHS = "January February March April May June July August September October November December"
_BACK = f"""
months = "{_MONTHS}".split()
{{"turns": list(range(months.index(shown) + 1 - month))}}
"""
# A calendar opens on its last month; earlier ones are behind the arrow.
_PICK_DAY = (
    click("open_calendar", "#datepicker"),
    look("shown", ".ui-datepicker-month"),
    work_out("back", _BACK, shown="{{shown.items[0]}}", month="{{want.month}}"),
    each("turn_back", "{{back.turns}}", "earlier"),
    click("earlier", ".ui-datepicker-prev"),
    click("day", '.ui-datepicker-calendar a:text-is("{{want.day}}")'),
)
_CALENDAR = (*asked(_DATE), *_PICK_DAY, SUBMIT)
_COMPLETED = (
    *asked(r"""
parts = re.findall('"(.*?)"', said)
{"start": parts[0], "end": parts[1] if len(parts) > 1 else ""}
"""),
    type_into("begin", "#tags", "{{want.start}}"),
    act("offered", "wait", ".ui-menu-item"),
    look("items", ".ui-menu-item"),
    work_out(
        "which",
        '{"nth": [n for n, item in enumerate(items) if item.startswith(start) and item.endswith(end)][0]}',
        items="{{items.items}}",
        start="{{want.start}}",
        end="{{want.end}}",
    ),
    click("pick", ".ui-menu-item", nth="{{which.nth}}"),
    SUBMIT,
)
_PRESSES = r"""
by = int(wanted) - int(shown)
{"keys": ["ArrowRight" if by > 0 else "ArrowLeft"] * abs(by)}
"""
_SLIDE = (
    look("shown", "#val"),
    work_out("by", _PRESSES, wanted="{{want.n}}", shown="{{shown.items[0]}}"),
    # Clicking a handle where it stands only gives it the keys.
    click("grasp", "#slider .ui-slider-handle"),
    look("grasped", "#val"),
    work_out("keys", _PRESSES, wanted="{{want.n}}", shown="{{grasped.items[0]}}"),
    each("slide", "{{keys.keys}}", "step", variable="key"),
    act("step", "keypress", key="{{key}}"),
)
_SHAPES = look(
    "drawn",
    "#area_svg > *",
    text=".",
    color="@fill",
    font="@font-size",
    width="@width",
    radius="@r",
    points="@points",
)
_DESCRIBED = r"""
def kind(one):
    if one["width"]:
        return "shape", "rectangle", float(one["width"])
    if one["radius"]:
        return "shape", "circle", 2 * float(one["radius"])
    if one["points"]:
        corners = [float(corner.split(",")[0]) for corner in one["points"].split()]
        return "shape", "triangle", max(corners) - min(corners)
    return "digit" if one["text"].isdigit() else "letter", one["text"], float(one["font"][:-2])

def fits(one):
    sort, name, size = kind(one)
    words = asked.split()
    good = words[-1] in ("item", sort, name)
    for word in words[:-1]:
        good = good and word in ("large" if size > 15 else "small", one["color"])
    return good
"""
_KIND = look(
    "drawn",
    "#area_svg > *",
    text=".",
    font="@font-size",
    width="@width",
    radius="@r",
    points="@points",
)

TASKS: Tasks = {
    "choose-list": (
        *asked('{"name": re.match("Select (.*) from the list", said).group(1)}'),
        act("pick", "select", "#options", label="{{want.name}}"),
        ends(click("submit", {"role": "button", "name": "Submit"})),
    ),
    "click-scroll-list": (
        *asked('{"names": re.match("Select (.*) from the scroll", said).group(1).split(", ")}'),
        act("pick", "select", "#options", label="{{want.names}}"),
        ends(click("submit", {"role": "button", "name": "Submit"})),
    ),
    "choose-date-easy": _CALENDAR,
    "choose-date-medium": _CALENDAR,
    "choose-date-nodelay": _CALENDAR,
    "choose-date": _CALENDAR,
    "use-autocomplete": _COMPLETED,
    "use-autocomplete-nodelay": _COMPLETED,
    "use-spinner": (
        *asked(r"""
n = int(re.search(r"-?\d+", said).group(0))
{"n": n, "presses": ["up" if n > 0 else "down"] * abs(n)}
"""),
        each("turns", "{{want.presses}}", "press", variable="way"),
        click("press", ".ui-spinner-{{way}}"),
        {
            **act("see", "wait", "#spinner"),
            "ensures": [{"element": "#spinner", "value": "{{want.n}}"}],
        },
        SUBMIT,
    ),
    "use-slider": (*asked(r'{"n": re.search(r"-?\d+", said).group(0)}'), *_SLIDE, SUBMIT),
    "form-sequence": (
        *asked(r"""
found = re.search(r"Select (-?\d+) .* the (\d)", said)
{"n": found.group(1), "box": int(found.group(2)) - 1}
"""),
        *_SLIDE,
        act("tick", "check", "#area input[type=checkbox]", nth="{{want.box}}"),
        SUBMIT,
    ),
    "form-sequence-2": (
        *asked(r"""
found = re.search(r'the (\d).. radio .* "(-?\d+)" into the (\d)', said)
{"radio": int(found.group(1)) - 1, "number": found.group(2), "box": int(found.group(3))}
"""),
        act("choose", "check", "#area input[type=radio]", nth="{{want.radio}}"),
        type_into("enter", "#input-{{want.box}}", "{{want.number}}"),
        SUBMIT,
    ),
    "form-sequence-3": (
        *asked(r"""
found = re.search('Choose (.*) from the dropdown.*"(.*)"', said)
{"option": found.group(1), "button": found.group(2)}
"""),
        click("open", ".selectric"),
        click("pick", '.selectric-items li:text-is("{{want.option}}")'),
        ends(click("press", '#buttons button:text-is("{{want.button}}")')),
    ),
    "click-menu": (
        *asked(
            'path = re.match("Select (.*)", said).group(1).split(">")\n{"over": path[:-1], "last": path[-1]}'
        ),
        each("down", "{{want.over}}", "point", variable="name"),
        act("point", "hover", '#menu div:text-is("{{name}}")'),
        ends(click("pick", '#menu div:text-is("{{want.last}}")')),
    ),
    "click-menu-2": (
        *asked(
            """found = re.search('labeled "(.*)"', said)\n{"label": found.group(1) if found else ""}"""
        ),
        look("icon", "#query .ui-icon", name="@class"),
        click("open", "#open-menu"),
        choose(
            "how",
            (
                "by_label",
                "{{want.label}} in ('Prev', 'Stop', 'Play', 'Next')",
                "playback, sub_label",
            ),
            ("plain_label", "{{want.label}} != ''", "label"),
            ("by_icon", True, "playback_too, icons"),
        ),
        act("playback", "hover", '#menu div:text-is("Playback")'),
        ends(click("sub_label", '#menu ul div:has-text("{{want.label}}")')),
        ends(click("label", '#menu > li > div:has-text("{{want.label}}")')),
        act("playback_too", "hover", '#menu div:text-is("Playback")'),
        ends(click("icons", '#menu span[class="{{icon.items[0].name}}"]')),
    ),
    "click-color": (
        look("task", "#query", text=".", style="div"),
        look("colour", "#query-color", style="@style"),
        work_out(
            "want",
            'found = re.search("color: (.*);", shown[0]["style"]) if shown else re.search("the (.*) colored", said)'
            '\n{"color": found.group(1)}',
            said="{{task.items[0].text}}",
            shown="{{colour.items}}",
        ),
        ends(click("press", '#area [style*="background-color: {{want.color}};"]')),
    ),
    "click-shades": (
        *asked('{"color": re.search("shades of (.*) and", said).group(1)}'),
        look("shades", "#area span", style="@style"),
        work_out(
            "which",
            r"""
places = []
for nth, shade in enumerate(shades):
    parts = [int(part) for part in re.findall(r"\d+", shade["style"])][:3]
    if ("red", "green", "blue")[parts.index(max(parts))] == color:
        places.append(nth)
{"places": places}
""",
            shades="{{shades.items}}",
            color="{{want.color}}",
        ),
        each("all_of_them", "{{which.places}}", "pick"),
        click("pick", "#area span", nth="{{it}}"),
        ends(click("submit", "#submit")),
    ),
    "click-shape": (
        *asked('{"shape": re.match("Click on an? (.*)", said).group(1)}'),
        _SHAPES,
        work_out(
            "which",
            _DESCRIBED + '{"nth": [nth for nth, one in enumerate(drawn) if fits(one)][0]}',
            drawn="{{drawn.items}}",
            asked="{{want.shape}}",
        ),
        ends(click("press", "#area_svg > *", nth="{{which.nth}}")),
    ),
    "count-shape": (
        *asked('{"shape": re.search("How many (.*)s are there", said).group(1)}'),
        _SHAPES,
        work_out(
            "counted",
            _DESCRIBED + '{"n": len([one for one in drawn if fits(one)])}',
            drawn="{{drawn.items}}",
            asked="{{want.shape}}",
        ),
        ends(click("press", '#count-buttons button:text-is("{{counted.n}}")')),
    ),
    "identify-shape": (
        _KIND,
        work_out(
            "which",
            _DESCRIBED
            + 'sort, name, size = kind(drawn[0])\n{"type": name if sort == "shape" else sort}',
            drawn="{{drawn.items}}",
            asked="",
        ),
        ends(click("press", '#area-buttons [data-type="{{which.type}}"]')),
    ),
    "find-greatest": (
        node("start", "context", variables={"best": -1, "place": 0}),
        each("cards", [0, 1, 2], ["turn", "value", "compare", "note"], variable="card"),
        click("turn", ".card", nth="{{card}}"),
        look("value", ".card:not(.hidden) .card-value"),
        work_out(
            "compare",
            'n = int(shown)\n{"best": max(n, best), "place": card if n > best else place}',
            shown="{{value.items[0]}}",
            best="{{best}}",
            place="{{place}}",
            card="{{card}}",
        ),
        node(
            "note", "context", variables={"best": "{{compare.best}}", "place": "{{compare.place}}"}
        ),
        click("again", ".card", nth="{{place}}"),
        ends(click("submit", "#submit")),
    ),
    "drag-box": (act("put", "drag", "#draggableSmall", to="#draggableLarge"), SUBMIT),
}
