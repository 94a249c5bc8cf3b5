"""A pager that leads to a page which nobody read is doubted even if the count agrees."""

from __future__ import annotations

from typing import Any

import pytest

from director.browser.turned_pages import TurnedPages
from director.runs.doubts import Doubt, RowReading, find_doubts
from director.runs.doubts.doubt import RowVisit
from director.workflow.values import Json


def visit(page: int, size: int, said: str, place: str = "pager", **pager: Json) -> RowVisit:
    """A visit of one page of a list, with what its pager said."""
    rows = tuple({"sku": f"s-{n}"} for n in range((page - 1) * size, page * size))
    counters = ({"text": said, "place": place},)
    return RowVisit(
        f"l[{page}].n1", f"http://a.test/?page={page}", rows, counters, pages=pager, of=size
    )


def find(*visits: RowVisit) -> list[Doubt]:
    """The doubts about a node that made these visits."""
    return find_doubts([RowReading("n1", "read", visits)])


def make_pages(many: int, **last: Json) -> list[RowVisit]:
    """Pages of five rows, each of whose pagers leads to the others that there are, or more."""
    total = 5 * many
    return [
        visit(
            n, 5, f"Showing {5 * n - 4} to {5 * n} of {total} items",
            **{"current": n, "last": many, "linked": many - (n == many), **last},
        )
        for n in range(1, many + 1)
    ]  # fmt: skip


def test_a_page_beyond_the_stated_count_that_a_pager_leads_to_is_doubted() -> None:
    """A list that is cut short with its counter: one of the two is wrong."""
    first, second = make_pages(2)
    cut = visit(1, 5, "Showing 1 to 5 of 10 items", current=1, last=3, linked=3)
    (doubt,) = find(cut, second)
    assert doubt.kind == "next"
    assert doubt.sentence == (
        "read read 10 rows on 2 pages, and the page still offers page 3, though it says "
        "'Showing 1 to 5 of 10 items'."
    )
    alone = visit(1, 5, "Showing 1 to 5 of 5 items", current=1, last=3, linked=3)
    assert [each.kind for each in find(alone)] == ["next"]
    assert find(first, second) == []


HONEST: dict[str, list[RowVisit]] = {
    "all of ten pages": make_pages(10),
    "listed without links": make_pages(2, last=5, linked=1),
    "sizes of a page": [visit(1, 5, "5 results", current=25, last=100, linked=0)],
    "of another list": [visit(1, 5, "5 results", "heading", current=1, last=4, linked=4)],
    "hidden pages that were read too": [
        RowVisit(
            "n1", "http://a.test/", tuple({"sku": f"s-{n}"} for n in range(82)),
            ({"text": "1-10 of 82", "place": "pager"},),
            pages={"current": 1, "last": 9, "linked": 9}, of=10,
        )
    ],
}  # fmt: skip


@pytest.mark.parametrize("what", HONEST)
def test_an_honest_pager_is_not_doubted(what: str) -> None:
    """Pages that were read, numbers without links, sizes of a page, another list's pager."""
    assert find(*HONEST[what]) == []


@pytest.mark.parametrize(
    ("looks", "steps", "doubted"),
    [
        ([(1, 3)], 1, True),  # the second page leads no further
        ([(1, 3), (2, 3)], 2, False),
        ([(1, 10), (2, 10), (3, 10)], 3, True),
        ([(1, 2)], 1, False),
        ([], 1, False),  # no pager
        ([(1, 10), (1, 10), (1, 10)], 3, False),  # what it shows is no page that counts on
        ([(1, 10), (3, 10)], 2, False),
        ([(1, 3), (2, 2), (2, 2), (2, 2)], 4, True),  # what leads on does nothing
        ([(1, 3), (2, 3), (3, 3), (3, 3)], 4, False),
    ],
)
def test_a_list_that_ends_before_its_pager_does_is_doubted(
    looks: list[tuple[int, int]], steps: int, *, doubted: bool
) -> None:
    """By what the pager led to on the pages before."""
    turned = TurnedPages()
    for look in looks:
        turned.note(*look)
    found: list[Any] = turned.list_doubts(steps, is_last=True)
    assert [each["kind"] for each in found] == ["next"] * doubted


def test_pages_that_turn_and_bring_nothing_new_are_not_doubted() -> None:
    """All rows were on the first page, some of them hidden; turning was given up."""
    turned = TurnedPages()
    for page in (1, 2, 3):
        turned.note(page, 9)
    assert turned.list_doubts(3, is_last=False) == []


def test_what_a_step_told_of_its_pages_is_told_once() -> None:
    """The page that it did not read is not doubted again by what was kept of it."""
    cut = visit(1, 5, "Showing 1 to 5 of 5 items", current=1, last=3, linked=3)
    told = Doubt("next", "n1", "read", "The pager of the list leads to page 3.", {})
    assert find_doubts([RowReading("n1", "read", (cut,))], told=[told]) == [told]
