"""A value that is gone from a row that had it is doubted; a field that has gaps is only noted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from director.runs import list_run_steps, run_workflow
from director.runs.doubts.lost_values import describe_lost_values, find_lost_values
from director.runs.doubts.rewritten_values import find_rewritten_values
from director.secrets import Vault
from director.store import Store
from director.workflow.values import Json
from runs.answers import AnsweringSite, serve_answers
from runs.building import flow, node
from runs.conftest import Live
from runs.test_doubts import reading, visit
from runs.test_silent_wrongs import go, kinds, read


@pytest.fixture
def site() -> Iterator[AnsweringSite]:
    """A site that answers nothing yet."""
    with serve_answers() as served:
        yield served


NAMES = ("admin", "ada", "bob", "admin")


def lamps(**prices: str) -> list[Json]:
    """Fifteen rows, each with a price; `l3` is that of the third."""
    return [{"name": f"Lamp {n}", "price": prices.get(f"l{n}", f"{n}.50")} for n in range(1, 16)]


def page(rows: list[Json]) -> str:
    """Rows as a table without a head."""
    told = "".join(f"<tr><td class=name>{r['name']}<td class=price>{r['price']}" for r in rows)  # type: ignore[call-overload, index]
    return f"<table><tbody>{told}</tbody></table>"


@pytest.mark.parametrize("gone", ["", "-", "—", "N/A", "n/a", "null", "#REF!"])
def test_a_value_that_became_nothing_is_doubted_with_its_row(gone: str) -> None:
    """One of fifteen: empty, a dash, a word for nothing."""
    seen = visit(0, 0)
    rows = tuple(lamps(l9=gone))
    now = reading(type(seen)(seen.key, seen.url, rows), rows_before=(lamps(),), run_before="r1")
    (doubt,) = find_lost_values(now)
    assert doubt.kind == "blank"
    assert "'Lamp 9'" in doubt.sentence
    assert "in run r1 it was '9.50'" in doubt.sentence


@pytest.mark.parametrize(
    ("now", "before"),
    [
        (lamps(l9=""), lamps(l3="")),
        (lamps(l9="-"), lamps(l3="N/A")),
        (lamps(l9="9.75", l2="2.00"), lamps()),
        ([*lamps(), {"name": "Lamp 16", "price": ""}], lamps()),
        (lamps(l9="")[:9], lamps()[:2]),
        (lamps()[3:], lamps()),
    ],
    ids=["gaps before", "dashes before", "other values", "a new row", "too few", "rows gone"],
)
def test_gaps_that_a_field_may_have_are_no_doubt(now: list[Json], before: list[Json]) -> None:
    """A field that had gaps before, a row that is new, values that changed."""
    seen = visit(0, 0)
    done = reading(type(seen)(seen.key, seen.url, tuple(now)), rows_before=(before,))
    assert [*find_lost_values(done)] == []


def test_a_wrong_run_that_passed_does_not_become_the_measure() -> None:
    """The newest of the earlier runs had a gap; the one before it had none."""
    seen = visit(0, 0)
    now = type(seen)(seen.key, seen.url, tuple(lamps(l9="")))
    done = reading(now, rows_before=(lamps(l9=""), lamps()))
    assert [each.kind for each in find_lost_values(done)] == ["blank"]


def test_gaps_are_told_in_the_first_run() -> None:
    """Which rows have none, if nearly all have one; a field that is mostly empty is not told."""
    assert describe_lost_values(lamps(l3="", l9="-")) == ["2 of 15 rows have no price: rows 3, 9"]
    assert describe_lost_values([{"a": "x", "b": "" if n else "y"} for n in range(9)]) == []
    assert describe_lost_values(lamps()) == []


def test_a_run_is_doubted_by_one_lost_value_and_notes_gaps(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """The first run is right, so is the second with other prices; the third lacks one."""
    workflow = flow(go("open", f"{site.origin}/list"), read(), origin=site.origin)
    site["/list"] = page(lamps())
    assert kinds(live, store, workflow) == []
    site["/list"] = page(lamps(l4="7.20"))
    assert kinds(live, store, workflow) == []
    site["/list"] = page(lamps(l4=""))
    run = live.run(run_workflow(store, workflow, live.means()))
    assert [each["kind"] for each in run.doubts] == ["blank"]
    steps = {step.alias: step for step in list_run_steps(store, run.id)}
    assert steps["read"].notes == ("1 of 15 rows has no price: row 4",)


def test_a_list_is_compared_with_the_run_in_the_middle(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """A short run that passed, because the list was shorter then, does not hide a shorter one."""
    look = node("read", "browser_query", method="count", selector="tbody tr")
    workflow = flow(go("open", f"{site.origin}/list"), look, origin=site.origin)
    for size in (15, 8, 15):
        site["/list"] = page(lamps()[:size])
        assert kinds(live, store, workflow) == []
    site["/list"] = page(lamps()[:6])
    assert kinds(live, store, workflow) == ["fewer"]


@pytest.mark.parametrize(("password", "doubts"), [("admin", ["value"]), ("canary-9-swordfish", [])])
def test_a_value_that_equals_a_secret_is_not_kept_silently(  # noqa: PLR0917  fixtures
    live: Live, store: Store, site: AnsweringSite, tmp_path: Path, password: str, doubts: list[str]
) -> None:
    """A column of user names where the password is "admin" too: the mark is no name."""
    site["/list"] = page([{"name": f"Issue {n}", "price": name} for n, name in enumerate(NAMES)])
    vault = Vault(tmp_path / "vault", b"k" * 32)
    vault.put("login", password, site.origin)
    workflow = flow(go("open", f"{site.origin}/list"), read(), origin=site.origin)
    run = live.run(run_workflow(store, workflow, live.means(secrets=vault)))
    assert [each["kind"] for each in run.doubts] == doubts


def test_rows_are_not_looked_for_where_no_page_was_opened(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """The node that opens the page stands in a branch: "nothing found" would be untrue."""
    site["/list"] = page(lamps())
    opened = go("open", f"{site.origin}/list")
    count = node("hits", "browser_query", method="count", selector="tbody tr", store="*")
    branches = [
        {"name": "some", "condition": "{{hits.count}} > 0", "branch": ["open"]},
        {"name": "none", "condition": True, "branch": []},
    ]
    decide = node("decide", "route", branches=branches)
    workflow = flow(opened, count, decide, origin=site.origin)
    run = live.run(run_workflow(store, workflow, live.means()))
    assert "No page is open here" in str(run.error)


def labelled(*values: str) -> list[Json]:
    """The rows of a table of labels, on as many pages as there are values."""
    return [
        {"label": label, "value": text}
        for value in values
        for label, text in (("Home port", "Bilbao"), ("Tonnage", value), ("Seen", "24 May 2023"))
    ]


@pytest.mark.parametrize(
    ("now", "before", "doubted"),
    [
        (labelled("64.107"), labelled("64,107"), ["value"]),
        (labelled("64,107", "28.739"), labelled("64,107", "28,739"), ["value"]),
        (labelled("64,107"), labelled("64,107"), []),
        (labelled("64,108"), labelled("64,107"), []),
        (labelled("1.5"), labelled("15"), []),
        (labelled("28,739", "64,107"), labelled("64,107", "28,739"), []),
    ],
)
def test_one_number_with_other_signs_between_its_digits_is_doubted(
    now: list[Json], before: list[Json], doubted: list[str]
) -> None:
    """In a table of labels too, of one page or several; another number is another number."""
    seen = visit(0, 0)
    found = reading(type(seen)(seen.key, seen.url, tuple(now)), rows_before=(before,))
    assert [each.field_name for each in find_rewritten_values(found)] == doubted
