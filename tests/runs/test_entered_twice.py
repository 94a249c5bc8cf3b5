"""What must happen once happens once, in a later run as well: skipped if proven, doubted if not."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from director.runs import Run, Step, run_workflow
from director.runs.done_before import was_looked_for
from director.runs.doubts.effects_done import find_effect_doubts
from director.runs.run_doubts import _effect
from director.store import Store
from director.workflow.values import Config, Workflow
from runs.answers import Answer, AnsweringSite, Form, sent_to, serve_answers
from runs.building import by_key, flow, node, result, statuses
from runs.conftest import Live


@dataclass
class Warehouse:
    """An application that enters whatever it is sent, and shows all of it."""

    site: AnsweringSite
    entries: list[str] = field(default_factory=list)
    keeps_one: bool = False
    shows: bool = True
    copies: int = 1

    def __post_init__(self) -> None:
        tokens = itertools.count(1)

        def show_form(number: str) -> str:
            return (
                "<form method=post action=/add>"
                f"<input type=hidden name=csrf value=token-{next(tokens)}>"
                f"<label>Number <input name=number value='{number}'></label>"
                "<label>Note <input name=note></label><button>Save</button></form>"
            )

        self.site["/new"] = lambda _: show_form("")
        self.site["/edit"] = lambda _: show_form("E-500")
        self.site["/list"] = lambda _: self._list()
        self.site["POST /add"] = self._add

    def _add(self, sent: Form) -> Answer:
        if not (self.keeps_one and sent["number"] in self.entries):
            self.entries += [sent["number"]] * self.copies
        return sent_to("/list")

    def _list(self) -> str:
        rows = "".join(f"<tr><td>{entry}</td></tr>" for entry in self.entries)
        told = f"<table>{rows}</table>" if self.shows else f"<p>Saved {self.entries[-1]}</p>"
        return f"<h1>Deliveries</h1>{told}"


@pytest.fixture
def warehouse() -> Iterator[Warehouse]:
    """An empty one."""
    with serve_answers() as site:
        yield Warehouse(site)


def entering(site: AnsweringSite, number: str, *, page: str = "new", **more: Any) -> Workflow:
    """A workflow that enters one delivery."""
    label = {"label": "Number"}
    return flow(
        node("open", "browser_action", action="navigate", url=f"{site.origin}/{page}"),
        node("number", "browser_action", action="type", selector=label, text=number),
        {
            **node("save", "browser_action", action="click", selector={"role": "button"}),
            "effect": "once",
            **more,
        },
        origin=site.origin,
    )


def run(live: Live, store: Store, workflow: Workflow) -> tuple[Run, list[tuple[str, str]]]:
    """A run that ended well, and its doubts by kind and node."""
    done = live.run(run_workflow(store, workflow, live.means()))
    assert done.state == "done", done.error
    return done, [(str(each["kind"]), str(each["alias"])) for each in done.doubts]


def proven(site: AnsweringSite, number: str) -> dict[str, Config]:
    """A proof that looks for the delivery in the list."""
    happened = [{"element": {"role": "cell", "name": number}}]
    return {"proof": {"url": f"{site.origin}/list", "happened": happened}}


def test_an_entry_that_an_earlier_run_made_as_well_is_doubted(
    live: Live, store: Store, warehouse: Warehouse
) -> None:
    """Though each form has a token of its own; another entry is another matter."""
    site = warehouse.site
    assert run(live, store, entering(site, "E-501"))[1] == []
    assert run(live, store, entering(site, "E-502"))[1] == []
    again, doubts = run(live, store, entering(site, "E-501"))
    assert doubts == [("twice", "save")]
    assert "alike" in str(again.doubts[0]["sentence"])
    warehouse.shows = False
    assert run(live, store, entering(site, "E-503"))[1] == []
    unseen, doubts = run(live, store, entering(site, "E-503"))
    assert doubts == [("twice", "save")]
    assert "sent the same as in" in str(unseen.doubts[0]["sentence"])
    assert warehouse.entries == ["E-501", "E-502", "E-501", "E-503", "E-503"]


def test_an_entry_that_reached_the_application_twice_is_doubted(
    live: Live, store: Store, warehouse: Warehouse
) -> None:
    """Though it was sent once; also where the list does not show the longest text of the form."""
    site = warehouse.site
    noted = node(
        "note", "browser_action", action="type", selector={"label": "Note"}, text="to the back door"
    )
    for number, copies in (("E-501", 1), ("E-502", 2), ("E-503", 2)):
        warehouse.copies = copies
        workflow = entering(site, number, **(proven(site, number) if number != "E-502" else {}))
        if number != "E-502":
            first, typed, save = workflow.nodes
            (note,) = flow(noted, origin=site.origin).nodes
            workflow = replace(workflow, nodes=(first, typed, note, save))
        assert run(live, store, workflow)[1] == [("twice", "save")] * (copies - 1)


def test_what_a_site_keeps_once_and_what_is_changed_anew_is_not_doubted(
    live: Live, store: Store, warehouse: Warehouse
) -> None:
    """A site that keeps one of each shows one row; a form that is filled already changes an entry."""
    site = warehouse.site
    warehouse.keeps_one = True
    for page in ("new", "new", "edit", "edit"):
        assert run(live, store, entering(site, "E-501", page=page))[1] == []


def test_a_node_whose_proof_holds_already_is_skipped(
    live: Live, store: Store, warehouse: Warehouse
) -> None:
    """A person may say that this is right; it is not done then either, and a model says nothing."""
    site = warehouse.site
    workflow = entering(site, "E-501", **proven(site, "E-501"))
    assert run(live, store, workflow)[1] == []
    second, doubts = run(live, store, workflow)
    assert doubts == [("already", "save")]
    assert result(store, second, "save") == {"already": True}
    assert list(statuses(store, second).values()) == ["success", "success", "skipped"]
    began = [step.began for step in by_key(store, second).values()]
    assert began == sorted(began)
    for author, doubted in (("model", [("already", "save")]), ("person", [])):
        check: Config = {"kind": "already", "dismissed": True, "by": author}
        saving = replace(workflow.nodes[-1], checks=(check,))
        kept = replace(workflow, nodes=(*workflow.nodes[:-1], saving))
        assert run(live, store, kept)[1] == doubted
    assert warehouse.entries == ["E-501"]


def test_the_same_entry_in_two_rounds_of_one_run_is_doubted(
    live: Live, store: Store, warehouse: Warehouse
) -> None:
    """A list of which two lines are equal; two that differ in one field are two entries."""
    site = warehouse.site
    warehouse.shows = False
    label = {"label": "Number"}
    body = [
        node("open", "browser_action", action="navigate", url=f"{site.origin}/new"),
        node("number", "browser_action", action="type", selector=label, text="{{number}}"),
        node("save", "browser_action", action="click", selector={"role": "button"}),
    ]
    body[-1]["effect"] = "once"

    def enter(*numbers: str) -> list[tuple[str, str]]:
        names = [each["alias"] for each in body]
        loop = node("each", "iterate", over=list(numbers), variable="number", body=names)
        return run(live, store, flow(loop, *body, origin=site.origin))[1]

    assert enter("E-701", "E-702") == []
    assert enter("E-703", "E-704", "E-703") == [("twice", "save")]


def test_rows_alike_where_a_login_leads_are_not_its_doing() -> None:
    """Though they name who logged in."""
    rows = [["Chair broken", "vera"], ["Chair broken", "vera"]]
    seen = {"typed": ["vera"], "rows": rows, "sent": [], "url": "http://a/", "is_login": True}
    step = Step("in", "i", "log_in", "browser_action", "finished", observed=seen)
    kinds = [
        [
            each.kind
            for each in find_effect_doubts(_effect(replace(step, observed=told), {}, is_seen=True))
        ]
        for told in (seen, {**seen, "is_login": False})
    ]
    assert kinds == [[], ["twice"]]


def look(key: str, count: int, *, began: float = 1.0, url: str = "", selector: str = "tr") -> Step:
    """A step that counted rows on a page."""
    config: Config = {"method": "count", "selector": selector}
    seen: Config = {"url": url}
    return Step(
        key, "hits", "hits", "browser_query", "finished", result={"count": count}, began=began,
        config=config, observed=seen,
    )  # fmt: skip


def test_what_was_looked_for_and_not_there_is_entered_anew() -> None:
    """By the same round, before it was entered, and for this very entry; else nothing was looked for."""
    found = "http://a.test/list?q=Obst+Ritter"
    entered = Step(
        "each[1].look(none).save", "save", "save", "browser_action", "finished", began=2.0,
        observed={"typed": ["Obst Ritter", "DE"]},
    )  # fmt: skip
    cases = (
        (look("each[1].hits", 0, url=found), True),
        (look("each[1].hits", 0, selector="tr:has-text('obst ritter')"), True),
        (look("each[1].hits", 1, url=found), False),
        (look("each[0].hits", 0, url=found), False),
        (look("each[1].hits", 0, url=found, began=3.0), False),
        (look("each[1].hits", 0, url="http://a.test/list?q=Kaffee"), False),
    )
    assert [was_looked_for(entered, [step]) for step, _ in cases] == [found for _, found in cases]
