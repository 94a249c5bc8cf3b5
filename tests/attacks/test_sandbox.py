"""Values that are small in memory and endless when they are unfolded; the loop goes on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from attacks.heartbeat import TURN, ended_within, run_attack
from director.browser.approved_origins import Origins
from director.browser.queries import run_query
from director.cli import app
from director.models.arguments import parse_argument_object
from director.runs import RunDependencies, RunError, run_workflow
from director.runs.sandbox import Sandbox, SandboxError
from director.store import Store
from director.workflow.bounds import ValueTooLarge
from director.workflow.document import read_workflow_document
from director.workflow.sensitive import mask_sensitive
from director.workflow.templates import resolve_templates
from director.workflow.values import WorkflowError
from runs.building import by_key, code, flow, node

DOUBLED = "x = []\nfor i in range({}):\n    x = {}\nx"
FOLDED = {
    "lists 21 deep": DOUBLED.format(21, "[x, x]"),
    "lists 60 deep": DOUBLED.format(60, "[x, x]"),
    "dicts": DOUBLED.format(60, "{'a': x, 'b': x}"),
    "tuples": DOUBLED.format(60, "(x, x)"),
    "keys that are numbers": DOUBLED.format(60, "[x, x]").replace("\nx", "\n{1: x}", 1)
    + "\n{1: x}",
    "a set beside it": DOUBLED.format(60, "[x, x]") + "\n[{1}, x]",
    "bytes below it": "x = b'b'\nfor i in range(60):\n    x = [x, x]\nx",
    "many parts": "[0] * 1_000_000",
    "a long number": "2 ** 100_000",
    "a long text": "'a' * 20_000_000",
    "long keys": "{'k' * 6_000_000: 1}",
    "a long error": "raise ValueError('e' * 10_000_000)",
    "an error of folded lists": DOUBLED.format(40, "[x, x]") + "\nraise ValueError(x)",
}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """One sandbox for all."""
    with Sandbox() as opened:
        yield opened


def nested(levels: int) -> Any:
    """A list in a list in a list."""
    value: Any = "deep"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.attack(
    "Code gives a value that is small in memory and endless when it is copied, counted or shown",
    must="an error in a few words; no turn of the event loop works on it",
    tries=13,
)
@pytest.mark.parametrize("code_", FOLDED.values(), ids=FOLDED)
def test_a_folded_result_is_counted_before_it_is_unfolded(sandbox: Sandbox, code_: str) -> None:
    """Lists in lists sixty levels deep, each twice; numbers, texts and errors without end."""
    found = run_attack(sandbox.value(code_, {}))
    assert isinstance(found.error, SandboxError)
    assert len(str(found.error)) < 2_000
    assert found.turn < TURN


@pytest.mark.attack(
    "A condition of a route gives an endless value",
    must="an error in a few words; the event loop goes on",
)
def test_a_condition_is_bounded_as_code_is(sandbox: Sandbox) -> None:
    """The sentence about what it gave does not unfold it either."""
    found = run_attack(sandbox.holds("[x for x in [[]] for i in range(3)]", {}))
    assert "not True or False" in str(found.error)
    folded = "(lambda f: f(f, 60))(lambda f, n: (lambda x: [x, x])(f(f, n - 1)) if n else [])"
    found = run_attack(sandbox.holds(folded, {}))
    assert isinstance(found.error, SandboxError)
    assert found.turn < TURN


@pytest.mark.attack(
    "A workflow with a transform of sixty doubled levels is run",
    must="the node fails with words, the run ends, the event loop goes on",
)
def test_a_run_with_an_endless_transform_ends(store: Store) -> None:
    """And keeps nothing of it."""
    workflow = flow(code("fold", FOLDED["lists 60 deep"], store=True))
    found = run_attack(run_workflow(store, workflow, RunDependencies()))
    assert found.value.state == "failed"
    step = by_key(store, found.value)["fold"]
    assert "nested" in step.error or "parts" in step.error
    assert step.result is None
    assert found.turn < TURN


@pytest.mark.attack(
    "A text names a large variable ten thousand times, or a config holds it as often",
    must="refused as soon as the bound is reached, however often it is named",
    tries=3,
)
@pytest.mark.parametrize(
    "config", ["{{big}}" * 10_000, ["{{big}}"] * 10_000, [{"a": "-{{big}}"}] * 10_000]
)
def test_templates_do_not_multiply_what_they_name(config: Any) -> None:
    """Each value is within its bounds; together they would be forty gigabytes."""
    big = ["x" * 1_000] * 4_000
    with ended_within(30), pytest.raises(ValueTooLarge, match="templates"):
        resolve_templates(config, lambda _: big)


@pytest.mark.attack(
    "The condition of a route names a large variable a thousand times",
    must="the node fails with words before anything is handed to the sandbox",
)
def test_a_condition_does_not_multiply_what_it_names(store: Store) -> None:
    """Each name would be a copy of four megabytes."""
    named = " or ".join(["{{big.result}} == 1"] * 1_000)
    workflow = flow(
        code("big", "'x' * 4_000_000", store=True),
        node("way", "route", branches=[{"name": "a", "condition": named, "branch": []}]),
    )
    found = run_attack(run_workflow(store, workflow, RunDependencies()))
    assert "is given has more than" in by_key(store, found.value)["way"].error
    assert found.turn < TURN


@pytest.mark.attack(
    "A node makes a record of each of a hundred thousand items",
    must="none is made, with words; the event loop goes on",
)
def test_records_do_not_flood_the_store(store: Store) -> None:
    """Each would be written by itself, one after the other."""
    workflow = flow(code("many", "[{'a': 1}] * 60_000", create_records="thing", strict_store=True))
    found = run_attack(run_workflow(store, workflow, RunDependencies()))
    assert "at most 5,000 records" in by_key(store, found.value)["many"].error
    assert found.turn < TURN


@pytest.mark.attack(
    "A node makes as many records as it may",
    must="they are written beside the event loop, which goes on",
)
def test_many_records_are_written_beside_the_loop(store: Store) -> None:
    """Thousands take seconds."""
    made = code("many", "[{'id': i} for i in range(3_000)]", create_records="thing")
    found = run_attack(run_workflow(store, flow(made), RunDependencies()), 200)
    assert found.value.state == "done"
    assert by_key(store, found.value)["many"].records == {
        "made": 3_000,
        "merged": 0,
        "total": 3_000,
    }
    assert found.turn < TURN


@pytest.mark.attack(
    "An imported document holds half a million opened braces that are never closed",
    must="refused in one pass over the text",
    tries=2,
)
@pytest.mark.parametrize("text", ["{{" * 500_000, "{{a}}" * 100_000 + "{{"])
def test_opened_braces_are_read_once(text: str) -> None:
    """Looking for the end from each of them would take hours."""
    shown = node("show", "context", variables={"a": text})
    with ended_within(60), pytest.raises(WorkflowError):
        flow(shown)


@pytest.mark.attack(
    "JSON that is nested nine hundred levels deep: a document, inputs, arguments of a tool, a text "
    "of a page",
    must="refused or shown, with words and without a crash",
    tries=5,
)
def test_deep_json_is_refused_wherever_it_arrives(store: Store, tmp_path: Path) -> None:
    """Python would stop in the middle of it, each time in another place."""
    deep = nested(900)
    document = {
        "version": 1,
        "id": "w",
        "name": "W",
        "nodes": [node("a", "context", variables={"a": deep})],
    }
    with pytest.raises(WorkflowError, match="nested more than 60 deep"):
        read_workflow_document(document)
    for text in (json.dumps(document), "[" * 100_000 + "]" * 100_000):
        file = tmp_path / "deep.json"
        file.write_text(text)
        told = CliRunner().invoke(
            app, ["workflow", "import", str(file), "--store", f"sqlite:///{tmp_path}/d.db"]
        )
        assert told.exit_code
        assert not isinstance(told.exception, RecursionError)
    problems: list[str] = []
    assert parse_argument_object(json.dumps({"a": deep}), problems) == {}
    assert "nested" in problems[0]
    assert mask_sensitive(json.dumps(deep))
    workflow = flow(code("a", "1"), inputs=[{"name": "given"}])
    found = run_attack(run_workflow(store, workflow, RunDependencies(), inputs={"given": deep}))
    assert isinstance(found.error, RunError | WorkflowError)


@pytest.mark.attack(
    "A model answers a cognition node with nine hundred levels",
    must="the node fails with words",
)
def test_a_deep_answer_of_a_model_fails_the_node(store: Store) -> None:
    """The run ends as failed and not in a crash."""

    async def think(*_: object) -> Any:
        return nested(900)

    workflow = flow(node("ask", "cognition", instruction="x", schema={"type": "array"}))
    found = run_attack(run_workflow(store, workflow, RunDependencies(think=think)))
    assert found.value.state == "failed"
    assert "nested" in by_key(store, found.value)["ask"].error


@pytest.mark.attack(
    "A page holds more text than a run can keep",
    must="the extraction is refused in the page; nothing of it arrives",
    tries=2,
)
@pytest.mark.parametrize("html", ["'x'.repeat(6e6)", "'<b>x</b>'.repeat(4000)"])
def test_a_page_cannot_flood_a_run(run: Any, browser: Any, html: str) -> None:
    """One long element, and very many short ones."""
    fields = {f"field_{at}": "." for at in range(60)}

    async def extract() -> Any:
        async with browser.session(Origins([])) as session:
            await session.page().evaluate(f"document.body.innerHTML = '<p></p>' + {html}")
            config = {"method": "deterministic_extract", "selector": "body, b", "fields": fields}
            return await run_query(session, {**config, "visibleOnly": False})

    with pytest.raises(Exception, match="200,000 fields"):
        run(extract())
