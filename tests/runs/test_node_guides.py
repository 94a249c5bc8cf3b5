"""Every example of `describe_node_type` runs as it stands, on the demo site in a real browser."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pytest

from director.browser import Browser, Session
from director.counting import counter_for
from director.demo.site import Site
from director.runs import RunDependencies, list_run_steps, run_workflow
from director.runs.playwright_script import write_playwright_script
from director.sections.node_guides import (
    TOPICS,
    describe_type,
    list_guide_examples,
    read_node_guide,
)
from director.store import Store
from director.store.run_variables import read_run_variables
from director.workflow.conditions import CONDITIONS
from director.workflow.document import read_workflow_document
from director.workflow.types import KINDS
from director.workflow.values import Config, Json, Workflow, WorkflowError

NAMES = (*KINDS, *TOPICS)
RUN = [
    (name, number)
    for name in NAMES
    for number in range(sum(what == "nodes" for what, _ in list_guide_examples(name)))
]


def example(name: str, number: int, site: str) -> Workflow:
    """An example of a guide as a workflow on the demo site."""
    written = json.dumps(list_guide_examples(name)).replace("https://shop.example", site)
    found = cast("list[tuple[str, list[dict[str, Json]]]]", json.loads(written))
    nodes = [given for what, given in found if what == "nodes"][number]
    inputs = next((given for what, given in found if what == "inputs"), [])
    document = {
        "version": 2,
        "id": "w",
        "name": name,
        "nodes": nodes,
        "inputs": inputs,
        "origins": [site],
    }
    ids = iter(f"n{place}" for place in range(99))
    return read_workflow_document(cast("Json", document), new_id=lambda: next(ids))


async def think(_: str, __: Json, schema: Config, /) -> Json:
    """A model that says yes."""
    assert schema == {"type": "boolean"}
    return True


async def work(_: str, steps: int, session: Session, /) -> Mapping[str, Json]:
    """An agent that has nothing to do."""
    assert steps == 5
    assert session.page()
    return {"ok": True}


@pytest.mark.parametrize("of", RUN, ids=lambda of: f"{of[0]}-{of[1]}")
def test_every_example_runs(
    runner: asyncio.Runner, browser: Browser, store: Store, tmp_path: Path, of: tuple[str, int]
) -> None:
    """As it stands, but for the address of the site."""
    name, number = of
    with Site().serve() as site:
        workflow = example(name, number, site.url)
        means = RunDependencies(
            browser=browser, downloads=tmp_path, think=think, work=work, pictures="none"
        )
        run = runner.run(run_workflow(store, workflow, means))
    assert run.error is None
    steps = [step for step in list_run_steps(store, run.id) if step.type != "item"]
    assert {step.alias for step in steps} <= {node.alias for node in workflow.nodes}
    assert steps


@pytest.mark.parametrize("name", NAMES)
def test_every_type_and_topic_is_described(name: str) -> None:
    """With its fields, in few tokens; a promise about a value is that of its example."""
    told = describe_type(name)
    assert read_node_guide(name) in told
    assert counter_for()(told) <= 1_500
    if name in KINDS:
        assert any(what == "nodes" for what, _ in list_guide_examples(name))
        fields = {field for form in KINDS[name].forms.values() for field in form.fields}
        assert [field for field in fields if field not in told] == []


def test_what_a_guide_says_of_a_value_is_so(
    runner: asyncio.Runner, browser: Browser, store: Store, tmp_path: Path
) -> None:
    """What stands after "Then" in a guide holds when its example has run."""
    means = RunDependencies(browser=browser, downloads=tmp_path, pictures="none")

    def found(name: str) -> dict[str, object]:
        workflow = example(name, 0, site.url)
        return read_run_variables(store, runner.run(run_workflow(store, workflow, means)).id)

    with Site().serve() as site:
        assert found("transform")["cheapest.result"] == 69.0
        assert found("values")["text"] == "2 rows, first Lamp"
        read = found("sandbox")
        assert read["read.price"] == {"amount": 1234.5, "currency": "EUR"}
        assert read["read.day"] == "2026-03-09"
        assert found("context")["currency"] == "EUR"
        (report,) = cast("list[dict[str, object]]", found("browser_action")["get_report.files"])
        assert str(report["name"]).endswith(".csv")
        assert report["rows"]
        assert found("handle")["banner"] == "was not there"


def test_the_conditions_and_one_action_are_described() -> None:
    """All kinds of conditions; an action by itself with its fields; a wrong name with a hint."""
    assert all(f"- {kind}: " in describe_type("conditions") for kind in CONDITIONS)
    click = describe_type("browser_action", "click")
    assert "- nth: " in click
    assert "rowIndex" not in click
    with pytest.raises(WorkflowError, match="iterate"):
        describe_type("iterat")
    with pytest.raises(WorkflowError, match="click"):
        describe_type("browser_action", "clik")


@pytest.mark.parametrize("name", ["browser_action", "records"])
def test_an_example_runs_as_a_script(tmp_path: Path, name: str) -> None:
    """With its conditions on downloads and records, and the functions that parse."""
    with Site().serve() as site:
        script = tmp_path / "script.py"
        script.write_text(write_playwright_script(example(name, 0, site.url)))
        command = [sys.executable, str(script), "--out", "out.json", "--downloads", "files"]
        ran = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
        )
    assert ran.returncode == 0, ran.stderr
    found = json.loads((tmp_path / "out.json").read_text())
    assert bool(found["downloads"]) == (name == "browser_action")
    assert bool(found["records"]) == (name == "records")
