"""What is gathered about a record from a page of another item is doubted."""

from __future__ import annotations

from typing import Any

import pytest

from director.runs import run_workflow
from director.store import Store
from runs.building import flow, node
from runs.conftest import Live

PEOPLE = [{"number": f"M-{n}", "name": f"Person {n}"} for n in range(6)]


def read_details(details: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Nodes that make a record of each person, and read the page of each."""
    make = node(
        "make", "transform", code=repr(PEOPLE), create_records={"type": "person", "key": "number"}
    )
    pages = {one["number"]: page for one, page in zip(PEOPLE, details, strict=True)}
    page = node(
        "page",
        "transform",
        input={"n": "{{current.number}}"},
        code=f"{pages!r}[n]",
        store_to_record=True,
    )
    loop = node("loop", "iterate", records="person_*", body=["page"])
    return [make, loop, page]


def detail(n: int, **more: str) -> dict[str, Any]:
    """What the page of a person says."""
    return {
        "number": f"M-{n}",
        "mail": f"p{n}@mail.example",
        "town": "Bern",
        "since": f"20{n}0",
        **more,
    }


@pytest.mark.parametrize(
    ("details", "said"),
    [
        ([detail(n) for n in range(6)], ""),
        ([detail(n if n != 4 else 5) for n in range(6)], "read 'M-5' in 'number' for the record"),
        ([detail(n, number=f"M-{n} (active)") for n in range(6)], ""),
        ([detail(n, number=f"person {n}") for n in range(6)], ""),
        ([{**detail(n if n != 4 else 5), "number": ""} for n in range(6)], "read the same for 2"),
        ([{"town": "Bern" if n != 4 else "Chur"} for n in range(6)], ""),
    ],
)
def test_a_page_of_another_item_is_doubted(
    live: Live, store: Store, details: list[dict[str, Any]], said: str
) -> None:
    """By the number that both have, or by two pages that are the same; not if all are written otherwise."""
    run = live.run(run_workflow(store, flow(*read_details(details)), live.means()))
    assert run.state == "done", run.error
    told = [str(each["sentence"]) for each in run.doubts]
    assert len(told) == bool(said)
    assert said in "".join(told)
