"""Pages that hide a part of a list, cut it short or write it in another way, and their twins."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from director.runs import list_run_steps
from director.runs.doubts import find_doubts
from director.runs.doubts.column_changes import find_column_doubts
from director.runs.doubts.doubt import RowVisit
from director.runs.doubts.page_claims import says_more
from director.store import Store
from director.workflow.values import Json
from runs.answers import Answer, AnsweringSite, serve_answers
from runs.building import flow, node
from runs.conftest import Live
from runs.doubt_pages import rows, table
from runs.test_doubts import reading, visit
from runs.test_silent_wrongs import go, kinds, once, read

HIDDEN = "<tr style='display:none'>"
FILTER = """<input id=q type=search><script>q.oninput = () => { for (const row of
document.querySelectorAll('tbody tr')) row.hidden = !row.textContent.includes(q.value); };</script>"""


@pytest.fixture
def site() -> Iterator[AnsweringSite]:
    """A site that answers nothing yet."""
    with serve_answers() as served:
        yield served


def body(inside: str) -> str:
    """A table of rows."""
    return f"<table><tbody>{inside}</tbody></table>"


@pytest.mark.parametrize(
    ("page", "doubted"),
    [
        (body(rows(1, 12)), []),
        (body(rows(1, 12) + rows(13, 13).replace("<tr>", HIDDEN)), ["total"]),
        (body(rows(1, 12) + rows(13, 60).replace("<tr>", HIDDEN)), ["total"]),
        (f"<p>12 rows</p>{body(rows(1, 12) + rows(13, 20).replace('<tr>', HIDDEN))}", []),
        (body(rows(1, 12) + f"{HIDDEN}<td colspan=2>Details of a lamp</tr>"), []),
        (body(rows(1, 12) + f"{HIDDEN}<td class=name>{{{{name}}}}<td class=price>0</tr>"), []),
        (f"{table(1, 12)}<p>…and 40 more</p>", ["next"]),
        (f"{table(1, 12)}<p>Only the first 12 rows are shown.</p>", ["next"]),
        (f"{table(1, 12)}<p>Results truncated</p>", ["next"]),
        (f"<p>Showing first 12 results</p>{table(1, 12)}", ["next"]),
        (f"{table(1, 12)}<p>Too many results. Please refine your search.</p>", ["next"]),
        (body(rows(1, 12) + "<tr><td class=name colspan=2>… and 40 more</tr>"), ["blank"]),
        (f"{table(1, 12)}<p><a href='/all'>Show all 82</a></p>", ["next"]),
        (f"{table(1, 12)}<p><a href='/all'>40 more</a></p>", ["next"]),
        (f"<div>{table(1, 12)}<button>Load more</button></div>", ["next"]),
        (f"<div>{table(1, 12)}<button disabled>Load more</button></div>", []),
        (f"{table(1, 12)}<p>Learn more about lamps</p><button>More options</button>", []),
    ],
)
def test_rows_that_a_page_hides_or_cuts_off_are_doubted(
    live: Live, store: Store, site: AnsweringSite, page: str, doubted: list[str]
) -> None:
    """By its styles, by a phrase, by a button; not what it counts, folds or keeps as a template."""
    site["/list"] = page
    workflow = flow(go("open", f"{site.origin}/list"), read(), origin=site.origin)
    assert kinds(live, store, workflow) == doubted


def test_rows_that_the_workflow_filtered_out_itself_are_no_doubt(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """What is typed into the filter of the page hides rows because it was asked to."""
    site["/list"] = FILTER + body(rows(1, 12))
    ask = node("ask", "browser_action", action="type", selector="#q", text="Lamp 1")
    workflow = flow(go("open", f"{site.origin}/list"), ask, read(), origin=site.origin)
    assert kinds(live, store, workflow) == []


@pytest.mark.parametrize(
    ("at", "doubted"),
    [((4, 8), ["total"]), ((9,), []), ((), [])],
)
def test_hidden_rows_among_the_first_are_doubted(
    live: Live, store: Store, site: AnsweringSite, at: tuple[int, ...], doubted: list[str]
) -> None:
    """A reading with a limit took others in their place; those behind it are not missed."""
    every = [rows(n, n) for n in range(1, 13)]
    shown = [row.replace("<tr>", HIDDEN) if n in at else row for n, row in enumerate(every, 1)]
    site["/list"] = body("".join(shown))
    workflow = flow(go("open", f"{site.origin}/list"), read(limit=6), origin=site.origin)
    found = [kind for kind in kinds(live, store, workflow) if kind != "limit"]
    assert found == doubted


@pytest.mark.parametrize(
    ("said", "noted"),
    [
        ("Showing 1 to 0 of 0 items", False),
        ("No matching records found", False),
        ("0 results", False),
        ("Lamps", True),
        ("0 items in your cart", True),
        ("Showing 1 to 10 of 20 items", True),
    ],
)
def test_a_search_that_finds_nothing_is_noted_unless_the_page_says_so(
    live: Live, store: Store, site: AnsweringSite, said: str, *, noted: bool
) -> None:
    """The page has other lists, which a selector that fits nothing may have meant."""
    others = "".join(f"<li>Lamp {n}</li>" for n in range(4))
    site["/list"] = f"<p>{said}</p><main><ul>{others}</ul></main>"
    workflow = flow(go("open", f"{site.origin}/list"), read(), origin=site.origin)
    run = once(live, store, workflow)
    (step,) = [each for each in list_run_steps(store, run.id) if each.alias == "read"]
    told = json.dumps([step.result, step.warnings, step.notes], default=str)
    assert ("Nothing matches" in told) == noted


def test_a_frame_that_did_not_load_is_doubted(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """The list was in it; an empty page without a frame says nothing."""
    site["/list"] = "<h1>Lamps</h1><iframe src='http://127.0.0.1:9/rows'></iframe>"
    workflow = flow(go("open", f"{site.origin}/list"), read(), origin=site.origin)
    assert kinds(live, store, workflow) == ["nothing"]


def test_a_list_that_ends_early_or_counts_in_another_unit_is_doubted(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """The same rows up to a point, and numbers a hundred times what they were; not other rows."""
    workflow = flow(go("open", f"{site.origin}/list"), read(), origin=site.origin)
    hundred = "".join(f"<tr><td class=name>Lamp {n}<td class=price>{n}50.00" for n in range(1, 16))
    for page, doubted in (
        (table(1, 15), []),
        (table(1, 9), ["fewer"]),
        (f"<p>9 rows</p>{table(1, 9)}", []),
        (table(1, 15), []),
        (body(hundred), ["format"]),
        (table(4, 15), []),
    ):
        site["/list"] = page
        assert kinds(live, store, workflow) == doubted, page[:60]


def test_a_frame_that_says_an_error_is_doubted(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """The page around it is as always."""
    site["/list"] = "<h1>Lamps</h1><iframe src='/rows'></iframe>"
    site["/rows"] = Answer("<h1>Internal Server Error</h1>", 500)
    workflow = flow(go("open", f"{site.origin}/list"), read(), origin=site.origin)
    assert kinds(live, store, workflow) == ["nothing"]


def test_one_page_of_several_that_asks_to_log_in_is_doubted(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """The session ended in the middle, and the page was answered with 200."""
    site["/1"], site["/2"] = table(1, 10), Answer("<form><input type=password></form>")
    loop = node("loop", "iterate", over=[1, 2], variable="page", body=["open", "read"])
    opened = go("open", f"{site.origin}/{{{{page}}}}")
    assert kinds(live, store, flow(loop, opened, read(), origin=site.origin)) == ["nothing"]


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("1,234.56", "1.234,56"),
        ("1,234.56", "1 234,56"),
        ("1234.56", "1.234,56"),
        ("$12.50", "12.50 $"),
        ("€12.50", "12.50"),
        ("0.25", "25%"),
        ("1234", "1.2k"),
        ("1,234", "1.234"),
        ("1234", "1,234"),
        ("5 kg", "5 g"),
    ],
)
def test_another_way_of_writing_numbers_is_doubted_and_other_numbers_are_not(
    before: str, now: str
) -> None:
    """Points and commas, the place of a currency, percent, thousands as a letter, units."""

    def column(text: str, add: int = 0) -> list[Json]:
        return [{"name": f"n{n}", "price": text.replace("2", str((n + add) % 9))} for n in range(8)]

    seen = visit(0, 0)
    for rows_now, doubted in ((column(now), ["format"]), (column(before, 3), [])):
        done = reading(type(seen)(seen.key, seen.url, tuple(rows_now)))
        assert [each.kind for each in find_column_doubts(done, column(before))] == doubted


def test_phrases_that_say_there_is_more() -> None:
    """Only those that speak of the list."""
    for said in ("…and 40 more", "+ 12 more results", "Limited to 1000 rows", "Output truncated"):
        assert says_more(said), said
    for said in ("3 more days", "Learn more", "and 2 more reasons to buy this lamp", "first 5"):
        assert not says_more(said), said


@pytest.mark.parametrize(
    ("more", "doubted"),
    [
        ({"hidden_at": (3, 6)}, True),
        ({"hidden_at": (3, 9)}, True),
        ({"hidden_at": (6, 9)}, False),  # behind those that were taken
        ({"hidden_at": (3, 6), "is_touched": True}, False),
        ({"hidden_at": (3, 6), "limited": False}, True),
    ],
)
def test_rows_that_are_hidden_before_the_last_one_taken_are_doubted(
    more: dict[str, object], *, doubted: bool
) -> None:
    """Others were taken in their place; what a page counts without them is not doubted."""
    seen = visit(1, 7, **{"limited": True, "hidden": 2, "drawn": 23, "of": 6, **more})  # type: ignore[arg-type]
    assert kinds_of(seen) == ["total"] * doubted
    for said in ("Showing 1 to 23 of 173 items", "23 rows"):
        counted = replace(seen, counters=({"text": said, "place": "pager"},))
        assert "total" not in kinds_of(counted) or not seen.limited


def kinds_of(seen: RowVisit) -> list[str]:
    """The kinds of the doubts about one visit."""
    return [each.kind for each in find_doubts([reading(seen)])]
