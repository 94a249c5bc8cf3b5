"""Runs whose nodes all pass and whose result is wrong: each is doubted, and its honest twin is not."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from director.browser import Origins
from director.browser.locators import make_locator_bundle
from director.runs import Run, list_run_steps, run_workflow, try_node
from director.runs.download_facts import list_downloads
from director.runs.run_journal import parse_run
from director.store import Store
from director.store.run_variables import get_draft_run_id, set_run_variable
from director.workflow.document import read_workflow_document, write_workflow_document
from director.workflow.values import Workflow
from runs.answers import Answer, AnsweringSite, file_named, sent_to, serve_answers
from runs.building import flow, node
from runs.conftest import Live
from runs.doubt_pages import rows, table

LATE = """<table><tbody id=t></tbody></table><script>fetch('/rows').then(r => r.text())
.then(text => { t.innerHTML = text; });</script>"""
DRIP = """<table><tbody id=t></tbody></table><script>let n = 0; const add = () => {
t.insertAdjacentHTML('beforeend', `<tr><td class=name>Lamp ${++n}</td><td class=price>${n}.50</td></tr>`);
if (n < 400) setTimeout(add, 5); }; add();</script>"""
VIRTUAL = """<style>#box{height:300px;overflow:auto} td{height:32px;padding:0}</style><div id=box><table>
<tbody></tbody></table></div><script>const tb = document.querySelector('tbody');
function draw() { const a = Math.floor(box.scrollTop / 32), b = Math.min(%d, a + 14);
let h = `<tr style="height:${a * 32}px"></tr>`;
for (let i = a; i < b; i++) h += `<tr><td class=name>Lamp ${i}<td class=price>${i}.50</tr>`;
tb.innerHTML = h + `<tr style="height:${(%d - b) * 32}px"></tr>`; } draw(); box.onscroll = draw;</script>"""
STOPS = """<div id=box style="height:500px;overflow:auto"></div><p>%s</p><script>let n = 0;
const more = () => { for (let i = 0; i < 20 && n < %d; i++) box.insertAdjacentHTML('beforeend',
`<div class=card style="height:30px"><b class=name>Lamp ${++n}</b></div>`); };
more(); box.onscroll = () => { if (box.scrollTop + box.clientHeight > box.scrollHeight - 40) more(); };</script>"""
SPANS = """<table><tbody><tr><td rowspan=2>Bulbs<td>Lamp 1<td>1.50<tr><td>Lamp 2<td>2.50
<tr><td rowspan=2>Tubes<td>Lamp 3<td>3.50<tr><td>Lamp 4<td>4.50</table>"""
PLAIN = """<table><tbody><tr><td>Bulbs<td>Lamp 1<td>1.50<tr><td>Bulbs<td>Lamp 2<td>2.50
<tr><td>Tubes<td>Lamp 3<td>3.50<tr><td>Tubes<td>Lamp 4<td>4.50</table>"""
LOGIN = "<form><input name=user><input type=password name=pass><button>Sign in</button></form>"
THIRD = {"name": "td:nth-child(2)", "price": "td:nth-child(3)"}
FORM = """<form id=f method=post action=/add><input id=name name=name><button id=go>Add</button></form>"""
_NUMBERS = itertools.count(1)
LONG = "Nordwind Handelsgesellschaft mbH"


@pytest.fixture
def site() -> Iterator[AnsweringSite]:
    """A site that answers nothing yet."""
    with serve_answers() as served:
        yield served


def go(alias: str, url: str) -> dict[str, Any]:
    """A node that opens an address."""
    return node(alias, "browser_action", action="navigate", url=url)


def read(**config: Any) -> dict[str, Any]:
    """A node that reads the rows of a table."""
    fields = {"name": ".name", "price": ".price"}
    asked = {"method": "deterministic_extract", "selector": "tbody tr", "fields": fields}
    return node("read", "browser_query", **{**asked, "create_records": "lamp", **config})


def pages(site: AnsweringSite, *parts: dict[str, Any], **config: Any) -> Workflow:
    """A workflow that reads the pages 1 to 3 of a list."""
    opened = go("open", f"{site.origin}/list?page={{{{page}}}}")
    body = ["open", *(each["alias"] for each in parts), "read"]
    loop = node("loop", "iterate", over=[1, 2, 3], variable="page", body=body)
    return flow(loop, opened, *parts, read(**config), origin=site.origin)


def once(live: Live, store: Store, workflow: Workflow) -> Run:
    """A run of a workflow, which must pass."""
    run = live.run(run_workflow(store, workflow, live.means()))
    assert run.state == "done", run.error
    return run


def kinds(live: Live, store: Store, workflow: Workflow) -> list[str]:
    """The kinds of doubts about a run."""
    return [str(each["kind"]) for each in once(live, store, workflow).doubts]


@pytest.mark.parametrize(
    ("parts", "key", "doubted"),
    [
        (((1, 10), (11, 20), (21, 26)), "", []),
        (((1, 10), (11, 20), (1, 10)), "", ["repeated"]),
        (((1, 10), (11, 20), (1, 10)), "name", ["repeated"]),
        (((1, 10), (10, 19), (20, 26)), "", ["repeated"]),
        (((1, 10), (9, 18), (19, 26)), "name", ["repeated"]),
        (((1, 10), (), (11, 20)), "", ["nothing"]),
        (((1, 10), (11, 20), ()), "", []),
    ],
)
def test_a_pager_that_repeats_moves_or_leaves_out_is_doubted(
    live: Live, store: Store, site: AnsweringSite, *, parts: tuple[Any, ...], key: str, doubted: Any
) -> None:
    """Its last page is the first again, rows moved while it was read, a page in between is empty."""
    for number, part in enumerate(parts, 1):
        site[f"/list?page={number}"] = table(*part) if part else "<table><tbody></tbody></table>"
    wanted = {"create_records": {"type": "lamp", "key": key}} if key else {}
    assert kinds(live, store, pages(site, **wanted)) == doubted


@pytest.mark.parametrize(
    "said",
    [
        LOGIN,
        "<h1>Something went wrong</h1>",
        "<h2>429 Too Many Requests</h2><p>Please try again later.</p>",
        "<h1>Your session has expired</h1>",
        "<div role=alert>The rows could not be loaded.</div><table><tbody></table>",
        "<h1>Verify you are human</h1>",
        "<p>Before you continue, choose your cookies.</p><button>Accept all</button>",
    ],
)
def test_nothing_read_of_another_page_is_doubted_at_the_first_run(
    live: Live, store: Store, site: AnsweringSite, said: str
) -> None:
    """All answered with 200, also for a node that only counts."""
    site["/list"] = said
    count = node("count", "browser_query", method="count", selector="tbody tr")
    for look in (read(), count):
        workflow = flow(go("open", f"{site.origin}/list"), look, origin=site.origin)
        assert kinds(live, store, workflow) == ["nothing"]


@pytest.mark.parametrize(
    "said",
    [
        "<table><tbody></tbody></table>",
        "<h1>Errors</h1><p>No errors found</p>",
        "<h1>Maintenance orders</h1><table><thead><tr><th>Order</table>",
        f"<header>{LOGIN}</header><h1>Lamps</h1><p>No lamps found.</p>",
        "<h1>Lamps</h1><p>0 results</p><div role=alert>Something went wrong with the news.</div>",
    ],
)
def test_an_empty_list_is_no_doubt(
    live: Live, store: Store, site: AnsweringSite, said: str
) -> None:
    """Where the page says so, or says nothing else."""
    site["/list"] = said
    workflow = flow(go("open", f"{site.origin}/list"), read(), origin=site.origin)
    assert kinds(live, store, workflow) == []


def test_a_login_that_ends_amid_a_loop_is_doubted(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """The second page sends the browser to the login, which is answered with 200."""
    site["/list?page=1"] = table(1, 10)
    site["/list?page=2"] = site["/list?page=3"] = sent_to("/login")
    site["/login"] = LOGIN
    (doubt,) = once(live, store, pages(site)).doubts
    assert (
        doubt["sentence"]
        == "read read 0 rows, and the page asks for a password: has the login expired?"
    )


def test_rows_that_come_late_are_waited_for_or_doubted(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """What a request brings is read; what a page goes on drawing is a doubt."""
    site["/rows"] = rows(1, 12)
    site["/late"] = LATE
    site["/drip"] = DRIP
    late = once(live, store, flow(go("open", f"{site.origin}/late"), read(), origin=site.origin))
    assert len(result_of(store, late, "read")["items"]) == 12
    assert late.doubts == ()
    assert kinds(
        live, store, flow(go("open", f"{site.origin}/drip"), read(), origin=site.origin)
    ) == ["early"]


def result_of(store: Store, run: Run, alias: str) -> Any:
    """The result of a node."""
    return next(step.result for step in list_run_steps(store, run.id) if step.alias == alias)


def test_a_list_that_draws_only_what_is_in_sight_is_doubted(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """Unless it is scrolled to its end, or all of it is in sight."""
    site["/many"], site["/few"] = VIRTUAL % (300, 300), VIRTUAL % (9, 9)
    count = node("count", "browser_query", method="count", selector="tbody tr")
    scroll = {"method": "extract_all", "key": "name"}

    def of(path: str, look: dict[str, Any]) -> list[str]:
        workflow = flow(go("open", f"{site.origin}{path}"), look, origin=site.origin)
        return kinds(live, store, workflow)

    # The empty room around what is drawn became a record as well.
    assert [of("/many", read()), of("/many", count)] == [["next", "blank"], ["next"]]
    assert [of("/few", read()), of("/few", count)] == [[], []]
    assert of("/many", read(**scroll)) == []
    assert len(result_of(store, _last(store), "read")["items"]) >= 300


def _last(store: Store) -> Run:
    return parse_run(max(store.newest("run"), key=lambda each: each.position))


def test_scrolling_that_stops_early_is_doubted(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """By what the page itself counts; the whole list is no doubt."""
    scroll = {"method": "extract_all", "selector": ".card", "fields": {"name": ".name"}}
    for stated, doubted in (("50 results", ["total"]), ("40 results", [])):
        site["/list"] = STOPS % (stated, 40)
        workflow = flow(go("open", f"{site.origin}/list"), read(**scroll), origin=site.origin)
        assert kinds(live, store, workflow) == doubted


def test_cells_over_several_rows_are_doubted(live: Live, store: Store, site: AnsweringSite) -> None:
    """The same table with a cell in each row is not."""
    for said, doubted in ((SPANS, ["cells", "cells"]), (PLAIN, [])):
        site["/list"] = said
        workflow = flow(go("open", f"{site.origin}/list"), read(fields=THIRD), origin=site.origin)
        assert kinds(live, store, workflow) == doubted


def test_columns_in_another_order_are_doubted(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """Fields read by their place; those of a class and a sorted table are as they were."""
    head = "<table><thead><tr><th>{}<th>{}</tr></thead><tbody>"
    lamps = "".join(f"<tr><td class=name>Lamp {n}<td class=price>Shop {n}" for n in range(1, 5))
    moved = "".join(f"<tr><td class=price>Shop {n}<td class=name>Lamp {n}" for n in range(1, 5))
    right, wrong = head.format("Name", "Price") + lamps, head.format("Price", "Name") + moved
    by_place = {"name": "td:nth-child(1)", "price": "td:nth-child(2)"}
    for fields, doubted in ((by_place, ["cells", "cells"]), (None, [])):
        look = read(fields=fields) if fields else read()
        workflow = flow(go("open", f"{site.origin}/list"), look, origin=site.origin)
        for said, found in ((right, []), (right.replace("Name", "Name ▲"), []), (wrong, doubted)):
            site["/list"] = said
            assert kinds(live, store, workflow) == found


@pytest.mark.parametrize(
    ("values", "doubted"),
    [
        (("1.234,56", "99,90", "7,00"), []),
        (("1.234,56", "99.90", "7,00"), ["format"]),
        (("13/02/2026", "02/03/2026", "28/02/2026"), []),
        (("13/02/2026", "02/03/2026", "02/28/2026"), ["format"]),
    ],
)
def test_two_notations_in_one_field_are_doubted(
    live: Live, store: Store, site: AnsweringSite, values: tuple[str, ...], doubted: Any
) -> None:
    """Numbers by their decimal sign, dates by their order."""
    inside = "".join(f"<tr><td class=name>{v[:2]}<td class=price>{v}" for v in values)
    site["/list"] = f"<table><tbody>{inside}</table>"
    workflow = flow(go("open", f"{site.origin}/list"), read(), origin=site.origin)
    assert kinds(live, store, workflow) == doubted


def test_a_sum_that_is_read_as_a_row_is_doubted(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """More rows than the table's own caption counts."""
    total = "<tr><td class=name>Sum<td class=price>78.00</tbody>"
    site["/list"] = table(1, 12, "12 rows").replace("</tbody>", total)
    workflow = flow(go("open", f"{site.origin}/list"), read(), origin=site.origin)
    (doubt,) = once(live, store, workflow).doubts
    assert doubt["sentence"] == "read read 13 rows, more than the page says: '12 rows'."


def test_a_click_that_leads_to_an_error_page_is_doubted(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """Also if the site takes its time; a page that is there is no doubt."""
    site["/"] = "<a id=bad href=/gone>Bad</a> <a id=good href=/there>Good</a>"
    site["/there"] = "<p>There</p>"
    for link, doubted in (("#bad", ["status"]), ("#good", [])):
        click = node("click", "browser_action", action="click", selector=link)
        look = node("look", "browser_query", method="count", selector="p")
        workflow = flow(go("open", f"{site.origin}/"), click, look, origin=site.origin)
        assert kinds(live, store, workflow) == doubted


@pytest.mark.parametrize(
    ("file", "doubted"),
    [
        (file_named("lamps.csv", "name,price\nLamp 1,1.50\n", "text/csv"), []),
        (
            file_named("lamps.csv", "<!doctype html><h1>Please log in</h1>", "text/csv"),
            ["download"],
        ),
        (file_named("lamps.csv", "", "text/csv"), ["download"]),
        (file_named("lamps.csv", '{"error": "no access"}', "text/csv"), ["download"]),
        (file_named("lamps.pdf", "%PDF-1.4 and so on"), []),
        (file_named("lamps.pdf", "<html>busy</html>"), ["download"]),
        (file_named("lamps.xlsx", "not a zip"), ["download"]),
    ],
)
def test_a_file_that_is_not_what_its_name_says_is_doubted(
    live: Live, store: Store, site: AnsweringSite, *, tmp_path: Any, file: Answer, doubted: Any
) -> None:
    """An error page, nothing at all, an error in JSON."""
    site["/"], site["/file"] = "<a id=get href=/file>Export</a>", file
    click = node("get", "browser_action", action="click", selector="#get")
    workflow = flow(go("open", f"{site.origin}/"), click, origin=site.origin)
    run = live.run(run_workflow(store, workflow, live.means(downloads=tmp_path)))
    assert [each["kind"] for each in run.doubts] == doubted


def test_a_file_with_other_columns_or_far_fewer_rows_is_doubted(
    live: Live, store: Store, site: AnsweringSite, tmp_path: Any
) -> None:
    """Compared with the last run that passed; a blank line is no row."""
    lines = "".join(f"{n},Lamp\n" for n in range(12))
    site["/"] = "<a id=get href=/file>Export</a>"
    click = node("get", "browser_action", action="click", selector="#get")
    workflow = flow(go("open", f"{site.origin}/"), click, origin=site.origin)
    for text, doubted in (
        (f"id,name\n{lines}\n", []),
        (f"id,name,price\n{lines}", []),
        (f"id,title\n{lines}", ["download"]),
        ("id,name,price\n1,Lamp,2\n\n", ["download"]),
    ):
        site["/file"] = file_named("lamps.csv", text, "text/csv")
        run = live.run(run_workflow(store, workflow, live.means(downloads=tmp_path)))
        assert [each["kind"] for each in run.doubts] == doubted
        (file,) = list_downloads(list_run_steps(store, run.id))
        assert file["rows"] == len([one for one in text.splitlines() if one]) - 1


def add(**more: Any) -> dict[str, Any]:
    """A click that must happen once."""
    click = node("add", "browser_action", action="click", selector="#go")
    return {**click, "effect": "once", **more}


def filled(site: AnsweringSite, *last: dict[str, Any], text: str = LONG, own: str = "") -> Workflow:
    """A workflow that fills the form; another each time, unless its id is given."""
    named = node("name", "browser_action", action="type", selector="#name", text=text)
    return flow(
        go("open", f"{site.origin}/"),
        named,
        *last,
        origin=site.origin,
        id=own or f"w{next(_NUMBERS)}",
    )


def test_what_says_saved_and_was_not_kept_is_doubted(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """With a proof it is looked for; without one it is unproven, unless something shows it."""
    kept: list[str] = []
    site["/"], site["POST /add"] = FORM, "<p id=ok>Saved</p>"
    site["/list"] = lambda _: f"<ul>{''.join(f'<li>{name}</li>' for name in kept)}</ul>"
    ok = {"ensures": [{"element": "#ok", "text": "Saved"}]}
    proof = {"url": f"{site.origin}/list", "happened": [{"element": "li", "text": LONG}],
             "not_happened": [{"count": "li", "equals": 0}]}  # fmt: skip
    assert kinds(live, store, filled(site, add(**ok))) == ["unproven"]
    assert kinds(live, store, filled(site, add(**ok, proof=proof))) == ["gone"]
    site["POST /add"] = lambda form: (kept.append(form["name"]), "<p id=ok>Saved</p>")[1]  # type: ignore[func-returns-value]
    assert kinds(live, store, filled(site, add(**ok, proof=proof))) == []
    reads = [go("open_list", f"{site.origin}/list"), read(selector="li", fields={"name": "."})]
    kept.clear()
    assert kinds(live, store, filled(site, add(**ok), *reads)) == []
    site["POST /add"] = lambda form: f"<p>{form['name']} was added</p>"
    assert kinds(live, store, filled(site, add())) == []


def test_a_value_that_the_site_cuts_is_doubted(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """A site that keeps twenty letters of a name, and one that keeps all of them."""
    kept: list[str] = []
    site["/"] = FORM
    site["POST /add"] = lambda form: (kept.append(form["name"]), sent_to("/list"))[1]  # type: ignore[func-returns-value]
    for most, doubted in ((20, ["value"]), (90, [])):
        site["/list"] = lambda _, most=most: f"<table><tr><td>1<td>{kept[-1][:most]}</table>"  # type: ignore[misc]
        found = kinds(live, store, filled(site, add()))
        assert [kind for kind in found if kind != "unproven"] == doubted


def test_a_field_that_takes_fewer_letters_fails_its_node(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """It is read back after typing, so nothing shortened is sent."""
    site["/"] = FORM.replace("<input id=name", "<input maxlength=8 id=name")
    run = live.run(run_workflow(store, filled(site, add()), live.means()))
    assert run.state == "failed"


def test_what_is_refused_behind_the_page_is_doubted(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """A click that deletes by a request: its answer counts, also if nothing was typed."""
    page = """<button id=go>Delete</button><p id=told></p><script>go.onclick = () => {
    told.textContent = 'Deleted'; fetch('/api/metrics', {method: 'POST'});
    fetch('/lamps/1', {method: 'DELETE'}); };</script>"""
    site["/"], site["POST /api/metrics"] = page, Answer("no", 500)
    told = {"ensures": [{"element": "#told", "text": "Deleted"}]}
    workflow = flow(go("open", f"{site.origin}/"), add(**told), origin=site.origin)
    for status, doubted in ((500, ["refused"]), (204, [])):
        site["DELETE /lamps/1"] = Answer("", status)
        assert kinds(live, store, workflow) == doubted


def test_a_select_that_falls_back_is_doubted(live: Live, store: Store, site: AnsweringSite) -> None:
    """A page that puts the first option back; an option that is not there fails the node."""
    select = "<select id=colour {}><option>Red<option>Green<option>Blue</select>"
    chosen = node("choose", "browser_action", action="select", selector="#colour", label="Green")
    workflow = flow(go("open", f"{site.origin}/"), chosen, origin=site.origin)
    for how, doubted in (("onchange='this.selectedIndex = 0'", ["value"]), ("", [])):
        site["/"] = select.format(how)
        assert kinds(live, store, workflow) == doubted
    missing = {**chosen, "config": {**chosen["config"], "label": "Violet", "timeout": 300}}
    workflow = flow(go("open", f"{site.origin}/"), missing, origin=site.origin)
    assert live.run(run_workflow(store, workflow, live.means())).state == "failed"


def test_a_filter_that_the_page_does_not_take_is_doubted(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """All rows are still there then, as if nothing had been asked."""
    for mark, doubted in (("aria-invalid=true", ["early"]), ("", [])):
        site["/list"] = f"<input {mark} value='~u ('>{table(1, 12)}"
        workflow = flow(go("open", f"{site.origin}/list"), read(), origin=site.origin)
        assert kinds(live, store, workflow) == doubted


def test_a_proof_is_looked_for_under_an_encoded_address(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """A value with signs of its own is one value, at the end of a run as in a node."""
    said = "50 % & Söhne + Co?"
    sent: list[Any] = []
    site["/"], site["POST /add"] = FORM, lambda form: sent.append(form) or "<p>Saved</p>"
    address = "/list?name=50%20%25%20%26%20S%C3%B6hne%20%2B%20Co%3F"
    site[address] = lambda _: "<p id=there>There</p>" if sent else "<p>None</p>"
    proof = {"url": f"{site.origin}/list?name={{{{name}}}}", "happened": [{"element": "#there"}]}
    workflow = filled(site, add(proof=proof), text="{{name}}")
    given = read_workflow_document(
        {
            **write_workflow_document(workflow),
            "inputs": [{"name": "name", "description": "A name."}],
        }  # type: ignore[dict-item]
    )
    run = live.run(run_workflow(store, given, live.means(), inputs={"name": said}))
    assert (run.state, run.doubts) == ("done", ())


def test_a_rule_that_does_not_hold_is_doubted_unless_its_result_is_used(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """`continue_with_error` goes on, and says so."""
    site["/"] = "<p>Nothing</p>"
    rules = [{"type": "element_exists", "selector": "#sum"}]
    config = {
        "method": "validate",
        "rules": rules,
        "onFailure": "continue_with_error",
        "timeout": 0,
    }
    for more, doubted in (({}, ["rule"]), ({"store": {"passed": "passed"}}, [])):
        look = node("look", "browser_query", **config, **more)
        workflow = flow(go("open", f"{site.origin}/"), look, origin=site.origin)
        assert kinds(live, store, workflow) == doubted


def test_one_element_that_is_not_there_is_doubted(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """A bundle that means one element and finds none, as it would fail an action."""
    one = {"role": "status", "name": "Total", "text": "Total: 261.00 EUR"}
    look = read(selector=one, fields={"text": "."}, limit=1)
    for said, doubted in (
        ("<p>Busy</p>", ["nothing"]),
        ("<p role=status aria-label=Total>7</p>", []),
    ):
        site["/"] = said
        workflow = flow(go("open", f"{site.origin}/"), look, origin=site.origin)
        assert kinds(live, store, workflow) == doubted


def test_a_filter_that_the_site_ignores_is_doubted(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """A test saw that every row is of the input; a run that reads others is doubted."""
    cells = "<tr><td class=name>Lamp {0}<td class=price>{1}"
    states = ["open", "open", "done", "open"]
    site["/list?state=open"] = "<table><tbody>" + "".join(cells.format(n, "open") for n in range(3))
    site["/list?state=done"] = "<table><tbody>" + cells.format(9, "done")
    site["/list"] = "<table><tbody>" + "".join(cells.format(n, s) for n, s in enumerate(states))
    given = {"name": "state", "description": "Which.", "default": "open"}
    nodes = (go("open", f"{site.origin}/list?state={{{{state}}}}"), read())
    workflow = flow(*nodes, origin=site.origin, inputs=[given])
    set_run_variable(store, get_draft_run_id(workflow.id), "state", "open", "to test with")

    async def try_both() -> None:
        async with live.browser.session(Origins([site.origin])) as session:
            for alias in ("open", "read"):
                await try_node(store, workflow, alias, live.means(session=session))

    live.run(try_both())
    built = read_workflow_document(store.get("workflow", workflow.id).body)  # type: ignore[union-attr, arg-type]
    assert {"kind": "input", "field": "price", "input": "state"} in built.nodes[1].checks
    for state, doubted in (("open", []), ("done", []), ("lost", ["input"])):
        run = live.run(run_workflow(store, built, live.means(), inputs={"state": state}))
        assert [each["kind"] for each in run.doubts] == doubted


def test_the_text_of_a_condition_is_compared_with_its_case_unless_told_otherwise(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """A small letter is not a large one, unless `ignore_case` says so; blanks are one."""
    site["/"] = "<p id=ok>Was  Saved</p>"
    for more, state in (({"within": 0}, "failed"), ({"ignore_case": True}, "done")):
        condition = {"element": "#ok", "text": "was saved", **more}
        opened = {**go("open", f"{site.origin}/"), "ensures": [condition]}
        run = live.run(run_workflow(store, flow(opened, origin=site.origin), live.means()))
        assert run.state == state


def test_a_script_that_asks_for_the_page_again_is_not_taken_for_its_answer(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """A page that is there, whose script is refused; an error page, whose script is answered."""
    asks = "<script>x = new XMLHttpRequest(); x.open('DELETE', '/page', false); x.send()</script>"
    workflow = flow(go("open", f"{site.origin}/page"), origin=site.origin)
    for own, other, state in ((200, 404, "done"), (500, 200, "failed")):
        site["/page"], site["DELETE /page"] = Answer(f"<p>Lamps</p>{asks}", own), Answer("", other)
        assert live.run(run_workflow(store, workflow, live.means())).state == state


SAVED = "<form method=post action=/add>{}<button id=go>Save</button></form>"
FIELDS = "<input id=name name=name value='{}'><input id=keyword name=keyword value='{}'>"


def test_a_field_that_the_site_drops_is_doubted(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """The page afterwards shows it empty beside one that was kept; a form for the next is empty."""
    site["/"] = SAVED.format(FIELDS.format("", ""))
    word = node("word", "browser_action", action="type", selector="#keyword", text="pump")
    for name, keyword, more, doubted in (
        ("Lamp 7", "", "", ["value"]),
        ("Lamp 7", "pump", "", []),
        ("", "", "<p>Lamp 7 was added</p>", []),
        ("Lamp 7", "", "<p>Added: pump</p>", []),
    ):
        said = SAVED.format(FIELDS.format(name, keyword)) + more
        site["POST /add"], site["/saved"] = sent_to("/saved"), said
        assert kinds(live, store, filled(site, word, add(), text="Lamp 7")) == doubted


def test_what_an_earlier_run_has_sent_already_is_doubted(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """A second run with the same values enters it again; with others, or found once, it is right."""
    kept: list[str] = []

    def keep(form: Any) -> Answer:
        kept.append(form["name"])
        return sent_to("/list")

    site["/"], site["POST /add"] = FORM, keep
    site["/list"] = lambda _: "<table>" + "".join(f"<tr><td>{n}<td>5 kg" for n in kept) + "</table>"
    for text, doubted in (("E-501", []), ("E-502", []), ("E-501", ["twice"])):
        assert kinds(live, store, filled(site, add(), text=text, own="w")) == doubted
    proof = {"url": f"{site.origin}/list", "happened": [{"element": "table", "text": "E-501"}]}
    proved = filled(site, add(proof=proof), text="E-501", own="w")
    assert kinds(live, store, proved) == ["already"]
    kept.clear()
    assert kinds(live, store, proved) == []
    assert kept == ["E-501"]


def test_a_loop_over_records_that_no_node_makes_fails(live: Live, store: Store) -> None:
    """It would go through nothing, for ever; one whose maker found none is done."""
    loop = node("each", "iterate", records="lamp_*", body=["look"])
    look = node("look", "context", variables={"seen": True})
    run = live.run(run_workflow(store, flow(loop, look), live.means()))
    assert run.state == "failed"
    assert run.error is not None
    assert "makes records 'lamp_*': no node makes any" in str(run.error["message"])
    maker = node("make", "transform", input={}, code="[]", create_records="lamp")
    assert once(live, store, flow(maker, loop, look)).doubts == ()


def test_options_are_told_by_what_they_show(live: Live, store: Store, site: AnsweringSite) -> None:
    """A label that is a value is said to be one."""
    site["/"] = "<select id=s><option value=1>Nordholz<option value=2>Suhr</select>"
    config = {"selector": "#s", "label": "2", "timeout": 1500}
    chosen = node("choose", "browser_action", action="select", **config)
    workflow = flow(go("open", f"{site.origin}/"), chosen, origin=site.origin)
    run = live.run(run_workflow(store, workflow, live.means()))
    assert run.error is not None
    assert "one by its value: write 'value' in place of 'label'" in str(run.error["message"])


def test_a_count_that_a_route_asks_for_may_be_none(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """Whether something is there already; a count that nothing uses means that it should be."""
    site["/"] = "<p>No deliveries</p>"
    one = {"role": "link", "name": "E-501"}
    hits = node("hits", "browser_query", method="count", selector=one, store=True)
    ask = {"name": "none", "condition": "{{hits.result.count}} == 0", "branch": ["note"]}
    route = node("is_there", "route", branches=[ask])
    note = node("note", "context", variables={"new": True})
    opened = go("open", f"{site.origin}/")
    assert kinds(live, store, flow(opened, hits, route, note, origin=site.origin)) == []
    assert kinds(live, store, flow(opened, hits, note, origin=site.origin)) == ["nothing"]


def test_a_search_is_no_effect_and_a_proof_that_cannot_tell_is_said_to_be(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """What is typed to look for something stands in the address; a fresh page shows no message."""
    site["/"], site["POST /add"] = FORM, sent_to("/?who=mia")
    site["/?who=mia"] = "<p>2 results</p>"
    for _ in range(2):
        assert kinds(live, store, filled(site, add(), text="mia", own="search")) == []
    site["POST /add"] = "<p id=ok>Added</p>"
    happened, bad = ([{"element": "#ok", "text": text, "within": 0}] for text in ("Added", "No"))
    proof = {"url": f"{site.origin}/", "happened": happened, "not_happened": bad}
    shown = [{"element": "#ok", "text": "Added"}]
    (doubt,) = once(live, store, filled(site, add(ensures=shown, proof=proof))).doubts
    assert str(doubt["sentence"]).startswith("The proof of add cannot tell")


def test_a_field_that_shows_only_icons_is_doubted(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """Its text is empty in every row; so is that of a column in which nothing is."""
    for n, cell in enumerate(
        ("<span title='active: no'>&nbsp;</span>", "<i class=icon-yes></i>", "")
    ):
        lines = "".join(f"<tr><td class=name>Lamp {i}<td class=price>{cell}" for i in range(4))
        site[f"/{n}"] = (
            f"<style>i {{ display: inline-block; width: 9px }}</style><table>{lines}</table>"
        )
        run = once(live, store, flow(go("open", f"{site.origin}/{n}"), read(), origin=site.origin))
        assert [each["kind"] for each in run.doubts] == (["blank"] if cell else [])
        assert ("the field '.price span@title' reads it" in str(run.doubts)) == ("title" in cell)


def test_a_result_that_is_not_kept_is_said_to_be(live: Live, store: Store) -> None:
    """The node ran, its result has the field, and only `store` is missing."""
    made = node("made", "transform", input={}, code="{'count': 3}")
    used = node("used", "transform", input={"n": "{{made.count}}"}, code="n")
    run = live.run(run_workflow(store, flow(made, used), live.means()))
    assert run.error is not None
    assert "the node made ran, and keeps nothing under this name" in str(run.error["message"])


NOTEBOOK = "<h1>Notebook</h1>{}<button>Run all</button>"
CELL = (
    "<div class=cell id='cell-{n}'><textarea id='code-{n}' name='code-{n}'>{says}</textarea></div>"
)


def cells(*said: str) -> str:
    """A notebook whose cells are numbered by their places."""
    return NOTEBOOK.format("".join(CELL.format(n=n, says=one) for n, one in enumerate(said)))


@pytest.mark.parametrize(
    "now",
    [
        ("import os", "import sys", "a = 1", "b = 2"),
        ("a = 1", "b = 2"),
    ],
    ids=["one more before it", "one less before it"],
)
def test_an_id_that_counts_places_finds_no_other_cell(
    live: Live, store: Store, site: AnsweringSite, now: tuple[str, ...]
) -> None:
    """None is found where only the numbers fit: another would be written over."""
    kept: list[str] = []
    page = "<script>document.oninput = e => fetch('/wrote?' + encodeURIComponent(e.target.defaultValue))</script>"
    site["/"] = cells("import os", "a = 1", "b = 2") + page

    async def describe() -> Any:
        async with live.browser.session(Origins([site.origin])) as session:
            await session.navigate(f"{site.origin}/")
            return (await make_locator_bundle(session.page(), "#code-1")).json()

    bundle = live.run(describe())
    wrote = {"action": "type", "selector": bundle, "text": "a = 5"}
    site["/wrote"] = "ok"
    for said, is_same in ((("import os", "a = 1", "b = 2"), True), (now, False)):
        kept.clear()
        write = node("write", "browser_action", **wrote, timeout=20_000 if is_same else 500)
        workflow = flow(go("open", f"{site.origin}/"), write, origin=site.origin)
        site["/"] = cells(*said) + page
        for one in said:
            site[f"/wrote?{quote(one)}"] = lambda _, one=one: (kept.append(one), "ok")[1]  # type: ignore[misc]
        run = live.run(run_workflow(store, workflow, live.means()))
        assert set(kept) == ({"a = 1"} if is_same else set())
        assert (run.state == "done") == is_same
