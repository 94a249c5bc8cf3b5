"""Rows that are no items: each is doubted, and an item that looks a little like it is not."""

from __future__ import annotations

from typing import Any

import pytest

from director.runs import run_workflow
from director.runs.doubts import RowReading, find_doubts
from director.runs.doubts.doubt import RowVisit
from director.runs.row_uses import find_record_key, list_decision_words
from director.store import Store
from director.workflow.values import Json
from runs.answers import serve_answers
from runs.building import code, flow, node, setting
from runs.conftest import Live

LAMPS: tuple[Json, ...] = tuple({"name": f"Lamp {n}", "price": f"{n}.50"} for n in range(1, 4))


def told(*rows: Json, **more: Any) -> list[Json]:
    """The texts of the rows that are doubted as no items."""
    visit = RowVisit("n1", "http://a.test/list", rows, **more)
    found = find_doubts([RowReading("n1", "read", (visit,))])
    return [each.evidence["text"] for each in found if "notices" in each.evidence]


@pytest.mark.parametrize(
    "said",
    [
        "No data available in table",
        "No matching records found",
        "No lamps yet.",
        "There are no lamps to show",
        "Loading…",
        "Keine Daten vorhanden",
        "Aucun résultat trouvé",
    ],
)
def test_a_row_that_says_that_there_is_none_is_doubted(said: str) -> None:
    """If it holds nothing else; as an item with a price, or in a list of texts, it is one."""
    assert told({"name": said, "price": ""}) == told(said) == [said]
    assert told(*LAMPS, {"name": said, "price": ""}) == [said]
    assert told(*LAMPS, {"name": said, "price": "9.50"}) == told("A", said, "B") == []


@pytest.mark.parametrize("said", ["Nora", "No. 5", "No lamp", "Missing", "Loading bay door", ""])
def test_an_item_without_a_price_is_no_doubt(said: str) -> None:
    """Only what it says makes it one."""
    assert told(*LAMPS, {"name": said, "price": ""}) == []


def test_a_heading_that_was_read_as_a_row_is_doubted() -> None:
    """Its values are the names of the fields."""
    head: Json = {"lamp_name": "Lamp name", "price": "Price"}
    assert told(head, {"lamp_name": "Lamp 1", "price": "1.50"}) == ["Lamp name, Price"]
    assert told({"name": "Name", "price": "1.50"}) == []


SAYS_NONE = "texts = [item['text'] for item in items]\nany('No Results Found' in t for t in texts)"
CHOOSES = {"name": "none", "condition": "{{said.result}}", "branch": []}


def decide(code_: str = SAYS_NONE, *more: dict[str, Any], **kept: Any) -> tuple[str, ...]:
    """By which words a route chooses a branch that a transform has read in the rows of a node."""
    read = node("read", "browser_query", method="deterministic_extract", selector="h2", **kept)
    said = code("said", code_, input={"items": "{{read.items}}"}, store=True)
    made = flow(read, said, node("choose", "route", branches=[CHOOSES]), *more)
    nodes = {each.id: each for each in made.nodes}
    return list_decision_words(nodes["id-read"], nodes)


def test_a_notice_by_which_a_branch_is_chosen_is_no_doubt() -> None:
    """Where its words are looked for and rows are kept nowhere; counted rows stay doubted."""
    visit = RowVisit("n1", "http://a.test/list", ({"text": "No Results Found"},))

    def is_doubted(words: tuple[str, ...]) -> bool:
        return bool(find_doubts([RowReading("n1", "read", (visit,), decided_by=words)]))

    assert decide() == ("No Results Found",)
    assert not is_doubted(decide())
    assert is_doubted(decide("len(items)"))
    assert is_doubted(decide("[i['results'] for i in items]"))
    assert is_doubted(decide(create_records="hit"))
    keeps = code("keep", "items", input={"items": "{{read.items}}"}, create_records="hit")
    assert is_doubted(decide(SAYS_NONE, keeps))
    assert is_doubted(decide(SAYS_NONE, setting("told", what="{{said.result}}")))


def test_the_key_of_records_is_found_where_a_transform_makes_them() -> None:
    """Of the rows that it uses; not if two make records of them with other keys."""
    read = node("read", "browser_query", method="deterministic_extract", selector="tr")
    rows: dict[str, Any] = {"input": {"rows": "{{read.items}}"}}
    one = code("one", "rows", **rows, create_records={"type": "a", "key": "number"})
    two = code("two", "rows", **rows, create_records={"type": "b", "key": "name"})
    for made, key in ((flow(read, one), "number"), (flow(read, one, two), ""), (flow(read), "")):
        nodes = {each.id: each for each in made.nodes}
        assert find_record_key(nodes["id-read"], nodes) == key


def test_what_the_page_marks_as_missing_and_says_so_is_doubted(live: Live, store: Store) -> None:
    """A frame of a wiki for a page that is no more; not an item whose state is missing."""
    frame = "<div class='frame {}'><h2>{}</h2><p>{}</p></div>"
    whole = "".join(frame.format("view", f"Plant {n}", f"Tree {n}") for n in range(4))
    fields: dict[str, Json] = {"title": "h2", "text": "p"}
    look = node(
        "read", "browser_query", method="deterministic_extract", selector=".frame", fields=fields
    )
    with serve_answers() as site:
        opened = node("open", "browser_action", action="navigate", url=f"{site.origin}/list")
        workflow = flow(opened, look, origin=site.origin)
        for kind, text, found in (
            ("tiddler-missing", "Missing tiddler Oak: click to create", ["blank"]),
            ("tiddler-missing", "Missing", []),
            ("view", "Missing tiddler Oak: click to create", []),
        ):
            site["/list"] = whole + frame.format(kind, "Oak", text)
            run = live.run(run_workflow(store, workflow, live.means()))
            assert (run.state, [each["kind"] for each in run.doubts]) == ("done", found)
