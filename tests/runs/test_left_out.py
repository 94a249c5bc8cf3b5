"""An item that is left out because it is there already: exactly, or only as a part of another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from director.runs import Run, run_workflow
from director.runs.branch_choices import read_branch_choices
from director.runs.doubts.part_fits import find_part_fits
from director.runs.run_report import render_run_report
from director.store import Store
from director.workflow.values import Json, Workflow
from runs.answers import Answer, AnsweringSite, Form, sent_to, serve_answers
from runs.building import code, flow, node
from runs.conftest import Live

ROW = "<tr><td>{n}</td><td>{name}</td><td>Kiel</td></tr>"
MARKED = "<tr><td>{n}</td><td><a href='/{n}'>{marked}</a></td><td>Kiel</td></tr>"


@dataclass
class Customers:
    """An application whose search fits a part of a name, and which enters whatever it is sent."""

    site: AnsweringSite
    names: list[str] = field(default_factory=list)
    row: str = ROW

    def __post_init__(self) -> None:
        self.site["/new"] = lambda _: (
            "<form method=post action=/add><label>Name <input name=name></label><button>Save</button></form>"
        )
        self.site["POST /add"] = self._add
        self.site["/list"] = lambda _: self._list("")

    def offer(self, *asked: str) -> None:
        """Answer a search for each of these."""
        for each in asked:
            self.site[f"/list?q={each}"] = lambda _, each=each: self._list(each)

    def _add(self, sent: Form) -> Answer:
        self.names.append(sent["name"])
        return sent_to("/list")

    def _list(self, asked: str) -> str:
        found = [each for each in self.names if asked.casefold() in each.casefold()]
        rows = "".join(
            self.row.format(
                n=n,
                name=each,
                marked=each.replace(asked, f"<mark>{asked}</mark>") if asked else each,
            )
            for n, each in enumerate(found, 101)
        )
        told = f"{len(found)} results for {asked}" if found else f"No customer is called {asked}"
        search = f"<form role=search><input name=q value='{asked}'></form>"
        return f"{search}<p>{told}</p><table><tbody>{rows}</tbody></table>"


@pytest.fixture
def customers() -> Iterator[Customers]:
    """An application without customers."""
    with serve_answers() as site:
        yield Customers(site)


SAVE = {"role": "button", "name": "Save"}
ENTER = ("open_form", "type_name", "save")


def act(alias: str, action: str, **config: Any) -> dict[str, Any]:
    """An action."""
    return node(alias, "browser_action", action=action, **config)


def entering(site: AnsweringSite) -> list[dict[str, Any]]:
    """The nodes that enter a customer."""
    return [
        act("open_form", "navigate", url=f"{site.origin}/new"),
        act("type_name", "type", selector={"label": "Name"}, text="{{name}}"),
        {**act("save", "click", selector=SAVE), "effect": "once"},
    ]


def loop(
    site: AnsweringSite,
    names: Sequence[str],
    *looks: dict[str, Any],
    condition: Json,
    at: str = "/list",
) -> Workflow:
    """A workflow that looks for each name, and enters it unless a condition holds."""
    branches = [
        {"name": "there", "condition": condition, "branch": []},
        {"name": "enter", "condition": True, "branch": [*ENTER]},
    ]
    route = node("decide", "route", branches=branches)
    opened = act("open", "navigate", url=f"{site.origin}{at}")
    body = ["open", *(each["alias"] for each in looks), "decide"]
    each = node("each", "iterate", over=[*names], variable="name", body=body)
    return flow(each, opened, *looks, route, *entering(site), origin=site.origin)


def run(live: Live, store: Store, workflow: Workflow) -> Run:
    """A run that ended well."""
    done = live.run(run_workflow(store, workflow, live.means()))
    assert done.state == "done", done.error
    return done


def told(done: Run) -> list[tuple[str, str]]:
    """Its doubts, by kind and by what was looked for."""
    return [
        (str(each["kind"]), str(each["evidence"].get("looked_for", ""))) for each in done.doubts
    ]  # type: ignore[union-attr]


ROWS = node("hits", "browser_query", method="count", selector="tbody tr", store="*")
NAMED = node("hits", "browser_query", method="count", selector='tr:has-text("{{name}}")', store="*")
CELL = node(
    "hits",
    "browser_query",
    method="count",
    selector={"role": "cell", "name": "{{name}}"},
    store="*",
)
READ = node("hits", "browser_query", method="deterministic_extract", selector="tbody tr", store="*")
LINES = node(
    "hits",
    "browser_query",
    method="deterministic_extract",
    selector="main",
    fields={"all": "."},
    store="*",
)
CELLS = {**READ, "config": {**READ["config"], "fields": {"name": "td:nth-child(2)"}}}
SEARCH = "/list?q={{name}}"
SOME = "{{hits.count}} > 0"
WAYS = {
    "rows that a search found": ((ROWS,), SOME, SEARCH),
    "a row that holds the text": ((NAMED,), SOME, "/list"),
    "rows read as a whole": ((READ,), "any({{name}} in row for row in {{hits.items}})", "/list"),
    "the text of the page": ((LINES,), "{{name}} in {{hits.items[0].all}}", "/list"),
    "cells compared in a transform": (
        (
            CELLS,
            code(
                "known",
                "any(name in row['name'] for row in rows)",
                input={"name": "{{name}}", "rows": "{{hits.items}}"},
                store=True,
            ),
        ),
        "{{known.result}}",
        "/list",
    ),
    "no notice that there is none": (
        (
            node(
                "none",
                "browser_query",
                method="count",
                selector='p:has-text("No customer")',
                store="*",
            ),
        ),
        "{{none.count}} == 0",
        SEARCH,
    ),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("row", [ROW, MARKED], ids=["plain", "marked"])
def test_an_item_left_out_for_a_part_of_another_is_doubted_and_one_that_is_there_is_not(
    live: Live, store: Store, customers: Customers, *, way: str, row: str
) -> None:
    """By rows, texts, cells, or a notice; beside the number and the town of its own row."""
    looks, condition, at = WAYS[way]
    customers.row = row
    customers.names += ["Blumen Adler", "Borg", "Adlerhorst"]
    customers.offer("Adler", "Borg", "Cohn")
    workflow = loop(customers.site, ["Borg", "Adler", "Cohn"], *looks, condition=condition, at=at)
    done = run(live, store, workflow)
    assert customers.names == ["Blumen Adler", "Borg", "Adlerhorst", "Cohn"]
    assert told(done) == [("part", "Adler")]
    assert "'Adlerhorst'" in str(done.doubts[0]["sentence"])
    assert "decide left &#x27;Adler&#x27; out" in render_run_report(store, done.id)
    # The same where it is there.
    customers.names.append("Adler")
    assert told(run(live, store, workflow)) == []


def test_an_exact_comparison_enters_what_is_missing(
    live: Live, store: Store, customers: Customers
) -> None:
    """So nothing is left out, and nothing doubted; nor is it in a second run."""
    names = node(
        "hits",
        "browser_query",
        method="deterministic_extract",
        selector="td:nth-child(2)",
        store="*",
    )
    customers.names.append("Blumen Adler")
    workflow = loop(customers.site, ["Adler"], names, condition="{{name}} in {{hits.items}}")
    for _ in range(2):
        done = run(live, store, workflow)
        assert (customers.names, told(done)) == (["Blumen Adler", "Adler"], [])
    assert [each.branch for each in read_branch_choices(done.summary)] == ["there"]


def test_a_list_that_was_read_once_before_the_loop_is_compared_as_well(
    live: Live, store: Store, customers: Customers
) -> None:
    """Though nothing was known of the items then; several of them are told as one doubt."""
    customers.names += ["Blumen Adler", "Borg & Co"]
    condition = "any({{name}} in row for row in {{hits.items}})"
    looped = loop(customers.site, ["Adler", "Borg"], condition=condition)
    (read,) = flow(READ, origin=customers.site.origin).nodes
    each, opened, *others = looped.nodes
    once = replace(each, config={**each.config, "body": ["id-decide"]})
    workflow = replace(looped, nodes=(opened, read, once, *others))
    done = run(live, store, workflow)
    assert told(done) == [("part", "Adler")]
    assert "'Borg'" in str(done.doubts[0]["sentence"])
    customers.names += ["Adler", "Borg"]
    assert told(run(live, store, workflow)) == []


def test_an_item_left_out_for_a_row_that_shows_nothing_of_it_is_doubted(
    live: Live, store: Store, customers: Customers
) -> None:
    """A table that has a row to say that it is empty, and a search that finds everything."""
    empty = "<table><tbody><tr><td colspan=3>There are no items in the table.</td></tr></table>"
    workflow = loop(customers.site, ["Adler"], ROWS, condition=SOME, at=SEARCH)
    for said, doubted in (
        (empty, "There are no items"),
        (ROW.format(n=1, name="Borg").join(("<table><tbody>", "</table>")), "'Borg'"),
        (ROW.format(n=1, name="Adler").join(("<table><tbody>", "</table>")), ""),
    ):
        customers.site["/list?q=Adler"] = said
        done = run(live, store, workflow)
        assert told(done) == ([("part", "Adler")] if doubted else []), said
        assert doubted in str([each["sentence"] for each in done.doubts])


@pytest.mark.parametrize("there", [False, True])
def test_what_a_handle_tries_before_it_enters_is_compared(
    live: Live, store: Store, customers: Customers, *, there: bool
) -> None:
    """A `validate` that finds a part, and a catch that would have entered it."""
    customers.names += ["Blumen Adler", *(["Adler"] if there else [])]
    site = customers.site
    rule = {"type": "element_exists", "selector": 'tr:has-text("{{name}}")'}
    check = node("check", "browser_query", method="validate", rules=[rule], timeout=200)
    tried = node("unless", "handle", **{"try": ["open", "check"], "catch": [*ENTER]})
    opened = act("open", "navigate", url=f"{site.origin}/list")
    each = node("each", "iterate", over=["Adler", "Cohn"], variable="name", body=["unless"])
    done = run(live, store, flow(each, tried, opened, check, *entering(site), origin=site.origin))
    assert told(done) == ([] if there else [("part", "Adler")])
    assert customers.names[-1] == "Cohn"


@pytest.mark.parametrize(
    ("wanted", "texts", "fits"),
    [
        ("Adler", ["Blumen Adler"], ["Blumen Adler"]),
        ("Adler", ["Blumen Adler", "adler"], []),
        ("Adler", ["Adlerhorst"], ["Adlerhorst"]),
        ("1001", ["11001", "10010"], ["11001", "10010"]),
        ("1001", ["#1001"], []),
        ("Fix door", ["#12: Fix door"], []),
        ("Fix door", ["Fix door (3)"], []),
        ("Fix door", ["#12: Fix door again"], ["#12: Fix door again"]),
        ("Adler", ["Name: Adler"], []),
        ("Adler", ["Adler, Kiel", "Kiel"], []),
        ("Adler", ["Adler, Bonn"], ["Adler, Bonn"]),
        ("Adler", ["“Adler”"], []),
        ("Handelsgesellschaft Adler", ["Handelsgesell…"], []),
        ("Lamp 1", ["Lamp 10"], ["Lamp 10"]),
        ("Adler", ["Borg"], []),
    ],
)
def test_which_texts_are_longer_than_what_was_looked_for(
    wanted: str, texts: list[str], fits: list[str]
) -> None:
    """Not one with a number, a name of its field, or other values of the same entry beside it."""
    assert [*find_part_fits(wanted, texts, [wanted, "Kiel"])] == fits
