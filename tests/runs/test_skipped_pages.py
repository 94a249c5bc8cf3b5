"""Pages of a list that nobody read, before the first one or between two of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from director.runs import run_workflow
from director.store import Store
from runs.answers import AnsweringSite, serve_answers
from runs.building import flow, node
from runs.conftest import Live
from runs.doubt_pages import table


@pytest.fixture
def site() -> Iterator[AnsweringSite]:
    """Four pages of a list, counted from 0 in their addresses and from 1 in their pager."""
    with serve_answers() as served:
        for n in range(4):
            for kind, more in (("numbers", numbers(n)), ("words", "")):
                shown = table(5 * n + 1, 5 * n + 5) + pager(kind, n, more)
                served[f"/{kind}?page={n}"] = shown
                if not n:
                    served[f"/{kind}"] = shown
        yield served


def numbers(current: int) -> str:
    """The links of a pager that counts its pages."""
    shown = (f"<a href='?page={n}'>{n + 1}</a>" for n in range(4) if n != current)
    return f"<span class=active>{current + 1}</span>" + "".join(shown)


def pager(kind: str, n: int, more: str) -> str:
    """What leads to the other pages of a list."""
    back = f"<a href='/{kind}?page={n - 1}'>Previous</a>" if n else "<span>Previous</span>"
    on = f"<a href='/{kind}?page={n + 1}'>Next</a>" if n < 3 else "<span>Next</span>"
    return f"<div class=pagination>{back}{more}{on}</div>"


def read_pages(site: AnsweringSite, kind: str, over: Sequence[Any]) -> list[dict[str, Any]]:
    """The nodes that read some pages of a list."""
    opened = node(
        "open", "browser_action", action="navigate", url=f"{site.origin}/{kind}{{{{at}}}}"
    )
    fields = {"name": ".name", "price": ".price"}
    asked = {"method": "deterministic_extract", "selector": "tbody tr", "fields": fields}
    read = node("read", "browser_query", **asked, create_records="lamp")
    loop = node("loop", "iterate", over=[*over], variable="at", body=["open", "read"])
    return [loop, opened, read]


FIRST = "'Previous' on the first of them"


@pytest.mark.parametrize("kind", ["numbers", "words"])
def test_pages_before_the_first_that_was_read_are_doubted(
    live: Live, store: Store, site: AnsweringSite, kind: str
) -> None:
    """A site that counts its pages from 0 loses the first to a loop that begins with 1."""
    for visited, said in (
        (["?page=1", "?page=2", "?page=3"], FIRST),
        (["?page=3"], FIRST),
        (["?page=0", "?page=1", "?page=2", "?page=3"], ""),
        (["", "?page=1", "?page=2", "?page=3"], ""),
        (["?page=3", "?page=2", "?page=1", ""], ""),
    ):
        workflow = flow(*read_pages(site, kind, visited), origin=site.origin)
        run = live.run(run_workflow(store, workflow, live.means()))
        assert run.state == "done", run.error
        assert [each["kind"] for each in run.doubts] == (["next"] if said else []), visited
        assert not said or said in str(run.doubts[0]["sentence"])


def test_a_page_between_two_that_were_read_is_doubted(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """Where the pager says at which page one is."""
    visited = ["?page=0", "?page=2", "?page=3"]
    workflow = flow(*read_pages(site, "numbers", visited), origin=site.origin)
    (doubt,) = live.run(run_workflow(store, workflow, live.means())).doubts
    assert "still offers page 2, which was not read" in str(doubt["sentence"])


def test_a_list_that_is_turned_to_its_end_is_not_doubted(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """Its last page offers the one before, which was read."""
    opened = node("open", "browser_action", action="navigate", url=f"{site.origin}/words")
    following = {"role": "link", "name": "Next"}
    asked = {"method": "extract_all", "selector": "tbody tr", "next": following}
    read = node("read", "browser_query", **asked, fields={"name": ".name"})
    run = live.run(run_workflow(store, flow(opened, read, origin=site.origin), live.means()))
    assert (run.state, run.doubts) == ("done", ())


def show_part(page: int, *, links: bool) -> str:
    """A page of a list of which the counter states two, and whose pager lists three."""
    at = [f"<a href='/cut?page={n}'>{n}</a>" for n in (1, 2, 3)]
    if page == 2 or not links:
        at[2] = "<a>3</a>"
    at[page - 1] = f"<span class=active>{at[page - 1]}</span>"
    on = "<a href='/cut?page=2'>next</a>" if page == 1 else "<a>next</a>"
    said = f"<p>Showing {5 * page - 4} to {5 * page} of 10 items</p>"
    shown = table(5 * page - 4, 5 * page)
    return f"{shown}<div>{said}<div class=pagination>{''.join(at)}{on}</div></div>"


@pytest.mark.parametrize("links", [True, False])
def test_a_list_that_ends_before_the_last_page_of_its_pager_is_doubted(
    live: Live, store: Store, site: AnsweringSite, *, links: bool
) -> None:
    """Whether its pages are turned or opened; a number without a link leads nowhere."""
    for page in (1, 2):
        site[f"/cut?page={page}"] = show_part(page, links=links)
    opened = node("open", "browser_action", action="navigate", url=f"{site.origin}/cut?page=1")
    following = {"role": "link", "name": "next"}
    asked = {"method": "extract_all", "selector": "tbody tr", "next": following}
    read = node("read", "browser_query", **asked, fields={"name": ".name"})
    for nodes in ([opened, read], read_pages(site, "cut", ["?page=1", "?page=2"])):
        run = live.run(run_workflow(store, flow(*nodes, origin=site.origin), live.means()))
        assert [each["kind"] for each in run.doubts] == ["next"] * links
