"""A field that the application drops when it saves is doubted wherever a page shows it again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from director.browser.entry_links import choose_entry_page
from director.runs import Run, list_run_steps, run_workflow
from director.runs.doubts import EffectSeen, find_doubts
from director.store import Store
from director.workflow.values import Config
from runs.answers import AnsweringSite, sent_to, serve_answers
from runs.building import flow, node
from runs.conftest import Live
from runs.test_silent_wrongs import go

FORM = """<form method=post action=/add><label>Name <input id=name name=name></label>
<label>Phone <input id=phone name=phone></label><label>Price <input id=price name=price></label>
<button id=go>Add</button></form>"""
TYPED = {"name": "Nordwind", "phone": "+49 30 1234", "price": "12.5"}
DL = "<h1>{name}</h1><dl><dt>Name<dd>{name}<dt>Phone:<dd>{phone}<dt>Price<dd>{price}</dl>"
TH = "<table><tr><th>Name<td>{name}<tr><th>Phone<td>{phone}<tr><th>Price<td>{price}</table>"
LIST = """<table><thead><tr><th>Name<th>Phone<th>Price</thead><tbody><tr><td>Old<td>1<td>2
<tr><td>{name}<td>{phone}<td>{price}</table>"""
FIELDS = (
    "<form><input name=name value='{name}'><input id=id_phone name=phone value='{phone}'></form>"
)
BOLD = "<p><b>Name:</b> {name}</p><p><b>Phone:</b> {phone}</p><p><b>Price:</b> {price}</p>"


@pytest.fixture
def site() -> Iterator[AnsweringSite]:
    """A site that answers nothing yet."""
    with serve_answers() as served:
        yield served


def save(live: Live, store: Store, site: AnsweringSite, *, form: str = FORM, **more: Any) -> Run:
    """A run that fills the form and sends it once."""
    site["/"] = form
    filled = [
        node(f"type_{name}", "browser_action", action="type", selector=f"#{name}", text=text)
        for name, text in TYPED.items()
    ]
    add = {**node("add", "browser_action", action="click", selector="#go"), "effect": "once"}
    nodes = (go("open", f"{site.origin}/"), *filled, {**add, **more})
    run = live.run(run_workflow(store, flow(*nodes, origin=site.origin), live.means()))
    assert run.state == "done", run.error
    return run


@pytest.mark.parametrize(
    "shape",
    [LIST, *(pytest.param(each, marks=pytest.mark.slow) for each in (DL, TH, FIELDS, BOLD))],
)
def test_a_dropped_or_changed_field_is_doubted_and_a_kept_one_is_not(
    live: Live, store: Store, site: AnsweringSite, shape: str
) -> None:
    """In a list of terms, a table of one, a table of many, a form, after bold words."""
    site["POST /add"] = sent_to("/1")
    for shown, doubted in (
        ({**TYPED, "price": "12,50 €"}, []),
        ({**TYPED, "phone": ""}, ["value"]),
        ({**TYPED, "phone": "+49 40 9876"}, ["value"]),
    ):
        site["/1"] = shape.format(**shown)
        run = save(live, store, site)
        found = [each for each in run.doubts if each["kind"] == "value"]
        assert [each["kind"] for each in found] == doubted, shown
        assert all("phone" in str(each["sentence"]).casefold() for each in found)


def test_a_dropped_field_is_found_on_the_page_of_the_proof(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """The page after the click says only that it was saved; the proof names the name alone."""
    kept: list[bool] = []
    site["POST /add"] = lambda _: kept.append(True) or "<p id=ok>Saved Nordwind</p>"
    site["/list"] = lambda _: LIST.format(**{**TYPED, "phone": ""}) if kept else "<p>None</p>"
    row = {"element": {"role": "cell", "name": "Nordwind"}}
    run = save(live, store, site, proof={"url": f"{site.origin}/list", "happened": [row]})
    assert [each["kind"] for each in run.doubts] == ["value"]
    (add,) = [step for step in list_run_steps(store, run.id) if step.alias == "add"]
    assert add.notes == ("Not seen again on the page after it was sent: #phone, #price.",)


BARE = """<table><thead><tr><th>Actions<th>Name</thead><tbody><tr><td><a href=/visits/remove/1>x</a><td>Old
<tr><td>{links}<td>Nordwind</table>"""
LINKS = """<a href=/visits/remove/7>View</a><a href=/visits/show/7?mark=paid>Show</a>
<a href=/other/show/7>Show</a><a href=/visits/delete/show/7>Show</a>"""


@pytest.mark.parametrize(
    ("link", "phone", "doubted"),
    [
        ("/visits/show/7", TYPED["phone"], []),
        ("/visits/show/7", "", ["value"]),
        ("/visits/edit/7", "None", ["value"]),
        ("", "", []),
    ],
)
def test_a_dropped_field_is_found_on_the_page_of_the_entry(  # noqa: PLR0917  fixtures
    live: Live, store: Store, site: AnsweringSite, link: str, phone: str, doubted: list[str]
) -> None:
    """Its list has no column for it; what the row leads to besides is never opened."""
    kept: list[str] = []
    site["POST /add"] = lambda _: kept.append("add") or sent_to("/visits/list")
    own = f"{LINKS}<a href={link}>Open</a>" if link else LINKS
    site["/visits/list"] = lambda _: BARE.format(links=own) if kept else "<p>Nothing</p>"
    for path in ("/visits/remove/7", "/other/show/7", "/visits/delete/show/7", "/visits/remove/1"):
        site[path] = lambda _, path=path: kept.append(path) or ""
    site["/visits/show/7?mark=paid"] = lambda _: kept.append("paid") or ""
    if link:
        site[link] = DL.format(**{**TYPED, "phone": phone})
    proof = {
        "url": f"{site.origin}/visits/list",
        "happened": [{"element": {"role": "cell", "name": "Nordwind"}}],
    }
    run = save(live, store, site, proof=proof)
    assert [each["kind"] for each in run.doubts] == doubted
    assert kept == ["add"]


@pytest.mark.parametrize(
    ("listed_on", "links", "chosen"),
    [
        ("http://a/v/list/?q=1", ["http://a/v/edit/3", "http://a/v/show/3"], "http://a/v/show/3"),
        ("http://a/adm/v/", ["http://a/adm/v/3/change/"], "http://a/adm/v/3/change/"),
        ("http://a/v/list/", ["http://b/v/show/3", "http://a/w/show/3", "http://a/show/3"], ""),
        ("http://a/v/list/", ["http://a/v/show/3?do=1", "http://a/v/deleteview/view/3"], ""),
        ("http://a/v/list/", ["http://a/v/show", "http://a/v/list/#x", "javascript:x()"], ""),
        ("http://a/", ["http://a/show/3"], ""),
    ],
)
def test_only_a_link_that_says_that_it_shows_is_the_page_of_an_entry(
    listed_on: str, links: list[str], chosen: str
) -> None:
    """Under the path of its list, on its site, without a query and without words of an effect."""
    assert choose_entry_page(listed_on, links) == chosen


@pytest.mark.parametrize(
    ("typed", "shown", "doubted"),
    [
        ("2026-04-05", "2026-05-04", ["value"]),
        ("5.4.2026", "04.05.2026", ["value"]),
        ("5.4.2026", "05.04.2026", []),
        ("2026-04-05", "05.04.2026", []),
        ("2026-04-05", "04/05/2026", []),
        ("04/05/2026", "05/04/2026", []),
    ],
)
def test_a_date_whose_day_and_month_changed_places_is_doubted(
    typed: str, shown: str, doubted: list[str]
) -> None:
    """Where both are written in a way that has one order; slashes may be either."""
    fields: tuple[Config, ...] = (
        {"field": "#name", "typed": "Ada", "shown": "Ada"},
        {"field": "#planned", "typed": typed, "shown": shown},
    )
    seen = EffectSeen("n1", "save", "n1", "http://a/", fields=fields, is_seen=True)
    assert [each.kind for each in find_doubts((), [seen])] == doubted


def test_a_form_for_the_next_entry_is_no_dropped_field() -> None:
    """All its texts are empty again, and a list stays as it was chosen; one text of two is dropped."""
    chosen = {"field": "#domain", "typed": "ferry", "shown": "ferry", "is_text": False}
    name = {"field": "#name", "typed": "trial", "shown": "", "is_text": True}
    goal = {"field": "#goal", "typed": "e.f@else.example", "shown": "", "is_text": True}
    stored = {"field": "#goal", "typed": "e.f@else.example", "shown": ""}

    def told(*fields: Config) -> list[str]:
        effect = EffectSeen("n", "add", "n", "http://a.test/add", fields=fields)
        return [each.kind for each in find_doubts([], [effect])]

    assert told(chosen, name, goal) == []
    assert told(chosen, {**name, "shown": "trial"}, goal) == ["value"]
    # The page of the proof speaks for itself.
    kept = {"field": "#name", "typed": "trial", "shown": "trial"}
    assert told(chosen, name, goal, kept, stored) == ["value"]


WITH_DEFAULTS = """<form method=post action=/add><label>Name <input id=name name=name></label>
<label>Phone <input id=phone name=phone></label><label>Price <input id=price name=price></label>
<label>Currency <input name=currency value=EUR></label>
<label>Country <select name=country><option value="">-<option value=DE selected>Germany<option value=CH>Swiss</select></label>
<label>Status <input name=status value=draft></label><label>Date <input name=date value=2026-11-19></label>
<button id=go>Add</button></form>"""
KEPT = {"currency": "EUR", "country": "DE", "status": "draft", "date": "2026-11-19"}
EDIT = """<form method=post><label>Name <input name=name value='{name}'></label>
<label>Phone <input name=phone value='{phone}'></label><label>Price <input name=price value='{price}'></label>
<label>Currency <input name=currency value='{currency}'></label>
<label>Country <select name=country>{options}</select></label>
<label>Status <input name=status value='{status}'></label><label>Date <input name=date value='{date}'></label></form>"""
TERMS = """<form><input name=currency value=""><select name=country><option value="">All</select></form>
<dl><dt>Name<dd>{name}<dt>Phone<dd>{phone}<dt>Price<dd>{price}<dt>Currency<dd>{currency}
<dt>Country<dd>{country}<dt>Status<dd>{status}<dt>Date<dd>{date}</dl>"""


@pytest.mark.parametrize("shape", [EDIT, TERMS], ids=["form", "terms"])
def test_a_field_that_nobody_typed_is_doubted_where_it_is_gone(
    live: Live, store: Store, site: AnsweringSite, shape: str
) -> None:
    """A text or a list that the page filled in by itself; a site may set states and times anew."""
    site["POST /add"] = sent_to("/1")
    for changed, doubted in (
        ({}, ""),
        ({"currency": ""}, "Currency"),
        ({"currency": "USD"}, "Currency"),
        ({"country": ""}, "Country"),
        ({"status": "open", "date": "2026-11-20"}, ""),
    ):
        shown = {**TYPED, **KEPT, **changed}
        names = {"DE": "Germany", "CH": "Swiss", "": "-"}
        options = "".join(
            f"<option value='{code}' {'selected' * (code == shown['country'])}>{name}"
            for code, name in names.items()
        )
        shown["country"] = names[shown["country"]]
        site["/1"] = shape.format(**shown, options=options)
        run = save(live, store, site, form=WITH_DEFAULTS)
        found = [each for each in run.doubts if each["kind"] == "value"]
        assert [each["evidence"]["field"] for each in found] == ([doubted] if doubted else [])  # type: ignore[index,call-overload]
        assert all("stood in the form" in str(each["sentence"]) for each in found)


def test_a_form_that_comes_back_for_the_next_entry_drops_nothing(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """Its texts are empty, what it fills in by itself is there again; one text of three is dropped."""
    saved = "<p>Saved Nordwind</p>"
    site["POST /add"] = saved + WITH_DEFAULTS
    assert save(live, store, site, form=WITH_DEFAULTS).doubts == ()
    kept = WITH_DEFAULTS.replace("name=name", f"name=name value='{TYPED['name']}'")
    site["POST /add"] = saved + kept.replace("name=price", f"name=price value={TYPED['price']}")
    doubts = save(live, store, site, form=WITH_DEFAULTS).doubts
    # The same was sent by the run before.
    assert [each["kind"] for each in doubts] == ["value", "twice"]
    assert "phone" in str(doubts[0]["sentence"])
