"""Attacks on the use of secrets: typed into a field that nobody has approved."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agent.office import SAY, asks, desk
from browser.sites import site as served
from director.agent.turn import take_turn
from director.browser import Browser
from director.cli import app
from director.runs import (
    Question,
    RunDependencies,
    RunError,
    answer_run_question,
    drive_run,
    list_run_questions,
    queue_run,
    save_run_workflow,
)
from director.runs.questions import KIND
from director.runs.resources import Resources, RunOptions
from director.runs.run_execution import list_open_run_questions
from director.runs.run_journal import list_run_steps
from director.runs.secret_uses import ALLOW, REFUSE, list_secret_uses
from director.secrets import (
    SHORT,
    Clear,
    FieldNotAllowed,
    Origin,
    Redactor,
    Reference,
    Seal,
    SecretRefused,
)
from director.store import Store
from director.workflow.edit import add_nodes, parse_edit_draft
from director.workflow.values import Workflow
from web.rooms import a_studio, let_in

PIN = "pin-4711-canary"
PAGE = "<label>Search <input name=q></label>"


class Door:
    """A vault in memory, of one secret that is bound to one origin and asks for every field."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.allowed: list[tuple[str, str, str]] = []

    def origins(self, name: str, /) -> tuple[str, ...]:
        """The origins a secret is bound to."""
        return (self.origin,) if name == "pin" else ()

    def allow_field(self, name: str, origin: str, field: str, /) -> None:
        """Let a secret be typed into one more field."""
        self.allowed.append((name, origin, field))

    def allows_field(self, reference: Reference, origin: Origin | str, field: str, /) -> bool:
        """Whether the user allowed this field."""
        return (reference.name, str(origin), field) in self.allowed

    def reveal(self, reference: Reference, origin: Origin | str, /) -> Clear:
        """The value, for its origin and once a field of it is allowed."""
        if str(origin) != self.origin:
            raise SecretRefused("It is bound to another origin.")
        if not any((name, at) == (reference.name, str(origin)) for name, at, _ in self.allowed):
            raise FieldNotAllowed(reference.name, str(origin), "text name=q")
        return Clear(PIN)

    def net(self) -> Redactor:
        """A net for its value."""
        return Redactor([PIN])


def typing(store: Store, origin: str) -> Workflow:
    """A workflow that types the secret into a search box; typing it twice would be wrong."""
    made = Workflow("w", "Typing", origins=(origin,))
    go = {"type": "browser_action", "alias": "go", "config": {"action": "navigate", "url": origin}}
    config = {"action": "type", "selector": "[name=q]", "text": "{{secret:pin}}"}
    put = {"type": "browser_action", "alias": "put", "config": config, "effect": "once"}
    made = add_nodes(made, [parse_edit_draft(go)], new_id=lambda: "n_go")  # type: ignore[arg-type]
    made = add_nodes(made, [parse_edit_draft(put)], new_id=lambda: "n_put")  # type: ignore[arg-type]
    save_run_workflow(store, made)
    return made


def unattended(browser: Browser, door: Door) -> RunDependencies:
    """What a run works with that nobody watches."""
    seal = Seal(bytes(32))
    return RunDependencies(browser=browser, secrets=door, seal=seal, patience=0.0, pictures="none")


def parked(
    store: Store, means: RunDependencies, workflow: Workflow, runner: asyncio.Runner
) -> Question:
    """The question that a run of the workflow waits for."""
    run = queue_run(store, workflow, means)
    ended = runner.run(drive_run(store, run.id, means))
    assert ended.state == "waiting", ended.error
    (question,) = list_open_run_questions(store, run.id)
    return question


@pytest.mark.promise("D2")
@pytest.mark.attack(
    "A workflow types a secret into a field that nobody has approved, in a run that nobody watches",
    must="nothing is typed; the run waits as asked, with origin, field and picture; allowed once, "
    "the field is remembered",
    tries=2,
)
def test_the_first_use_in_a_field_waits_for_a_person(
    runner: asyncio.Runner, browser: Browser, store: Store
) -> None:
    """And the step that asked is not taken for one that may have happened."""
    with served({"/": PAGE}) as site:
        door = Door(site.origin)
        means = unattended(browser, door)
        workflow = typing(store, site.origin)
        question = parked(store, means, workflow, runner)
        assert question.use is not None
        assert (question.use.secret, question.use.origin) == ("pin", site.origin)
        assert site.origin in question.text
        assert store.read_kept(question.picture).startswith((b"\x89PNG", b"\xff\xd8"))
        assert door.allowed == []
        answer_run_question(store, question.id, ALLOW, vault=door)
        assert runner.run(drive_run(store, question.run, means)).state == "done"
        assert [one[:2] for one in door.allowed] == [("pin", site.origin)]
        again = queue_run(store, workflow, means)
        assert runner.run(drive_run(store, again.id, means)).state == "done"
        assert list_run_questions(store, again.id) == []


@pytest.mark.attack(
    "After a refusal the workflow runs again, and asks again until somebody gives in",
    must="the node fails with words and nobody is asked, until the user allows the field",
)
def test_a_refused_use_is_not_asked_for_again(
    runner: asyncio.Runner, browser: Browser, store: Store
) -> None:
    """A new run, the same field."""
    with served({"/": PAGE}) as site:
        door = Door(site.origin)
        means = unattended(browser, door)
        workflow = typing(store, site.origin)
        question = parked(store, means, workflow, runner)
        answer_run_question(store, question.id, REFUSE, vault=door)
        assert [state for _, state in list_secret_uses(store)] == ["refused"]
        again = queue_run(store, workflow, means)
        ended = runner.run(drive_run(store, again.id, means))
        assert ended.state == "failed"
        assert "the user refused it" in str((ended.error or {}).get("message"))
        assert door.allowed == []
        assert list_open_run_questions(store, again.id) == []


@pytest.mark.promise("D2")
@pytest.mark.attack(
    "A store arrives with a question that is answered already: allowed",
    must="only the vault allows: the run asks anew",
)
def test_an_answer_in_the_store_allows_nothing(
    runner: asyncio.Runner, browser: Browser, store: Store
) -> None:
    """Whoever wrote the answer did not write the vault."""
    with served({"/": PAGE}) as site:
        door = Door(site.origin)
        means = unattended(browser, door)
        question = parked(store, means, typing(store, site.origin), runner)
        found = store.get(KIND, question.id)
        assert found is not None
        store.put(KIND, question.id, {**found.body, "answer": ALLOW}, "forged")
        assert runner.run(drive_run(store, question.run, means)).state == "waiting"
        (anew,) = list_open_run_questions(store, question.run)
        with pytest.raises(RunError, match="vault"):
            answer_run_question(store, anew.id, ALLOW)
        assert door.allowed == []


@pytest.mark.attack(
    "A hijacked model types a secret into a search box, by a node and by a call that is no node",
    must="the turn ends and asks the user; nothing is typed",
    tries=2,
)
@pytest.mark.parametrize("tool", ["node", "debug"])
def test_a_turn_waits_for_the_user_before_a_secret_is_typed(
    runner: asyncio.Runner, browser: Browser, store: Store, tool: str
) -> None:
    """In chat the question is the turn's; a node of the workbench goes on when it is tested again."""
    with served({"/": PAGE}) as site:
        door = Door(site.origin)
        typing(store, site.origin)
        there = asks("debug_navigate", url=site.origin, reason="r")
        text = "{{secret:pin}}"
        calls = {
            "node": asks("test_single_node", node="put"),
            "debug": asks(
                "debug_action", action="type", selector="[name=q]", text=text, reason="r"
            ),
        }
        made = desk(
            store,
            [[there, calls[tool]], [calls[tool]], SAY],
            means=RunDependencies(browser=browser, secrets=door, pictures="none"),
        )
        turn = runner.run(take_turn(made, "Type it."))
        assert turn.ended == "waiting"
        (id_,) = turn.questions
        assert door.allowed == []
        answer_run_question(store, id_, ALLOW, vault=door)
        assert runner.run(take_turn(made, "Go on.")).ended == "said"
        live = made.bench.live
        assert live is not None
        typed = runner.run(live.page().locator("[name=q]").input_value())
        runner.run(made.close())
    assert typed == PIN


@pytest.mark.attack(
    "A secret is used where it is bound, and the user never hears where that is",
    must="its origins count as approved, and are listed with its first use, only once",
)
def test_bound_origins_are_listed_once(
    runner: asyncio.Runner, browser: Browser, store: Store
) -> None:
    """As a note of the step that used it first."""
    with served({"/": PAGE}) as site:
        door = Door(site.origin)
        door.allow_field("pin", site.origin, "text name=q")
        means = unattended(browser, door)
        workflow = typing(store, site.origin)
        told = []
        for _ in range(2):
            run = queue_run(store, workflow, means)
            runner.run(drive_run(store, run.id, means))
            told.append([w for step in list_run_steps(store, run.id) for w in step.warnings])
    assert [len(one) for one in told] == [1, 0]
    assert site.origin in told[0][0]


@pytest.mark.attack(
    "A secret is so short that all values can be tried, and the mark tells which one it is",
    must="whoever stores it is warned: as an input of a run, in the app, in the list of secrets",
    tries=3,
)
def test_a_short_secret_is_stored_with_a_warning(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Redaction cannot hide what can be counted; a longer one is not spoken of."""
    monkeypatch.setenv("DIRECTOR_HOME", str(tmp_path / "home"))
    bound = ["https://bank.example"]
    with let_in(a_studio(store, tmp_path)) as client:
        for name, value in (("pin", "4711"), ("word", "long-enough-word")):
            put = client.put(f"/api/secrets/{name}", json={"value": value, "origins": bound})
            assert put.status_code == 200, put.text
        assert {one["name"]: one["warning"] for one in put.json()} == {"pin": SHORT, "word": ""}
        assert client.get("/settings").text.count(SHORT) == 1
    _, hiding = Resources(store, RunOptions()).offline(Workflow("w", "W", origins=tuple(bound)))
    hiding("password", "0815")
    hiding("pin", "another-long-word")
    assert [SHORT in told for told in hiding.told] == [True, False]
    listed = CliRunner().invoke(app, ["secrets", "list"], catch_exceptions=False).stdout
    assert listed.count(SHORT) >= 1
