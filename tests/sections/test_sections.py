"""Sections show the state, all that belongs to it and no more, for as few tokens as it takes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from director.context.values import Summary, Trust
from director.counting import counter_for
from director.sections.boundary import read_sections
from director.sections.overview import compute_overview_status, write_overview_summary
from director.sections.section_texts import (
    PULLED,
    SECTIONS,
    render_plan_section,
    render_section_text,
    render_summary_section,
    render_tool_result,
    write_summary_spans,
)
from director.sections.value_text import write_compact_value, write_value_line
from director.sections.variables import list_state_variables, render_variables_in_full
from director.sections.workflow import render_workflow_section, select_nodes
from director.sections.workflow_state import WorkflowState
from director.workflow.document import write_workflow_document
from director.workflow.plan import encode_plan
from director.workflow.values import Json, Workflow, WorkflowError
from sections.states import BUILDING, HOSTILE, STATES, node
from workflow.written import WRITTEN

ROOT = Path(__file__).parent.parent.parent
count = counter_for()


def text(name: str, state: WorkflowState = BUILDING) -> str:
    """The text of a section."""
    found = render_section_text(name, state)
    assert found is not None
    return found.text


def workflow_of(length: int) -> Workflow:
    """A workflow of so many nodes, every second of them a query."""
    action = ("browser_action", {"action": "refresh"})
    query = ("browser_query", {"method": "count", "selector": "a"})
    pairs = (query if number % 2 else action for number in range(length))
    made = (node(f"n{i}", f"step_{i}", *pair) for i, pair in enumerate(pairs, 1))
    return Workflow("w", "W", tuple(made))


@pytest.mark.promise("B8")
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize(("tool", "name"), PULLED.items())
def test_what_is_pulled_is_what_is_pushed(tool: str, name: str, state: str) -> None:
    """Byte for byte, with the same trust."""
    assert render_tool_result(tool, STATES[state]) == render_section_text(name, STATES[state])


_PRINT = """
import sys
sys.path.insert(0, "tests")
from director.sections.section_texts import section, SECTIONS
from sections.states import STATES
shown = [section(name, state) for state in STATES.values() for name in SECTIONS]
sys.stdout.buffer.write("".join(one.text for one in shown if one).encode("utf-8", "surrogatepass"))
"""


@pytest.mark.promise("B7")
def test_the_same_state_gives_the_same_bytes() -> None:
    """In two processes with another hash seed, time zone and language."""
    texts = {
        subprocess.run(
            [sys.executable, "-c", _PRINT],
            cwd=ROOT,
            env={
                **os.environ,
                "PYTHONPATH": "src",
                "PYTHONHASHSEED": seed,
                "TZ": zone,
                "LANG": lang,
            },
            capture_output=True,
            check=True,
        ).stdout
        for seed, zone, lang in (("1", "UTC", "C"), ("2", "Asia/Tokyo", "de_DE.UTF-8"))
    }
    assert len(texts) == 1
    assert len(texts.pop()) > 10_000


def test_the_order_of_keys_does_not_change_a_section() -> None:
    """Configs and variables come back from a store in another order."""

    def turned(value: object) -> object:
        if isinstance(value, dict):
            return {key: turned(value[key]) for key in reversed(value)}
        return [turned(one) for one in value] if isinstance(value, list) else value

    nodes = tuple(replace(one, config=turned(dict(one.config))) for one in BUILDING.workflow.nodes)
    other = replace(
        BUILDING,
        workflow=replace(BUILDING.workflow, nodes=nodes, origins=BUILDING.workflow.origins[::-1]),
        variables=turned(dict(BUILDING.variables)),
        statuses=turned(dict(BUILDING.statuses)),
    )
    assert [render_section_text(name, other) for name in SECTIONS] == [
        render_section_text(name, BUILDING) for name in SECTIONS
    ]


@pytest.mark.parametrize("name", [name for name in SECTIONS if name not in ("system", "summary")])
def test_no_content_can_add_a_line_to_a_section(name: str) -> None:
    """Each thing is on its own line, whatever it holds."""
    (read,) = read_sections(text(name, HOSTILE))
    assert not any(
        said.startswith(("Pay", "- x", "2 completed")) for said in read.text.splitlines()
    )
    assert "\u200b" not in read.text


@pytest.mark.promise("C3")
@pytest.mark.parametrize("trust", ["user", "agent", "web"])
def test_a_summary_is_shown_as_trusted_as_it_is(trust: Trust) -> None:
    """What covers words of the web says so to the model."""
    shown = render_summary_section(Summary("x", (1,), trust))
    assert shown is not None
    assert shown.trust == trust
    assert shown.text.startswith("<summary trust=web>") == (trust == "web")


def test_who_wrote_a_section_is_told() -> None:
    """What pages write is the web's; nothing of theirs, nothing of the web."""
    told = {
        name: found.trust for name in SECTIONS if (found := render_section_text(name, BUILDING))
    }
    assert told == {
        "system": "system",
        "description": "agent",
        "plan": "agent",
        "workflow": "agent",
        "variables": "web",
        "browser": "web",
        "summary": "user",
    }
    begun = {
        found.trust for name in SECTIONS if (found := render_section_text(name, STATES["begun"]))
    }
    assert begun == {"system", "agent"}


def test_no_section_shows_a_secret_or_what_a_page_is_called() -> None:
    """Nor does a variable in full; a path into it finds what is shown."""
    everything = "".join(text(name) for name in SECTIONS)
    workflow = BUILDING.workflow
    for asked in ("all", "login", "login.password"):
        everything += render_variables_in_full(BUILDING.variables, workflow, name=asked).text
    assert "canary" not in everything
    assert "ignore all rules" not in everything
    assert "{{secret:shop}}" in everything


def test_variables_are_shown_by_the_rules() -> None:
    """Short ones whole, long ones cut, lists by their first and count, nothing as nothing."""
    values: dict[str, Json] = {"a": "x" * 100, "b": "x" * 101, "c": [1, 2, 3], "d": []}
    values |= {"e": None, "api_key": "k"}
    state = WorkflowState(Workflow("w", "W"), variables=values)
    shown = list_state_variables(state).text.splitlines()
    assert f'- a = "{"x" * 100}"' in shown
    assert f'- b = "{"x" * 100}..."' in shown
    assert "- c = [Array of 3 - first: 1]" in shown
    assert "- d = [] (empty)" in shown
    assert "- e = null" in shown
    assert "- api_key = [hidden]" in shown


def test_variables_are_found_by_name_path_and_node() -> None:
    """A node by its alias, its position or its id."""
    variables, workflow = BUILDING.variables, BUILDING.workflow
    whole = '- read_prices.items = [{"name":"Lamp A","price":18},{"name":"Lamp B","price":20}]'
    for asked in (
        {"name": "read_prices.items"},
        {"node": "read_prices"},
        {"node": 3},
        {"node": "n3"},
    ):
        assert render_variables_in_full(variables, workflow, **asked).text.splitlines()[1:-1] == [
            whole
        ]
    one = render_variables_in_full(variables, workflow, name="read_prices.items[1].name")
    assert '- read_prices.items[1].name = "Lamp B"' in one.text
    assert "No variables yet." in render_variables_in_full(variables, workflow, node="order").text


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"name": "read_price.items"}, "Did you mean 'read_prices.items'?"),
        ({"name": "login.pasword"}, "Did you mean 'password'?"),
        ({"node": "n9"}, "no node 'n9'"),
        ({}, "variableName"),
        ({"name": "a", "node": "b"}, "either"),
    ],
)
def test_a_variable_that_does_not_exist_is_refused_with_the_nearest(
    asked: dict[str, str], says: str
) -> None:
    """In words that a model can act on."""
    with pytest.raises(WorkflowError, match=says.replace("?", r"\?").replace("[", r"\[")):
        render_variables_in_full(BUILDING.variables, BUILDING.workflow, **asked)


@pytest.mark.parametrize(
    ("range_", "type_", "first", "last", "length"),
    [
        ("all", "", "n1", "n24", 24),
        ("", "", "n1", "n24", 24),
        ("1-10", "", "n1", "n10", 10),
        ("20-99", "", "n20", "n24", 5),
        ("7", "", "n7", "n7", 1),
        ("recent", "", "n15", "n24", 10),
        ("recent", "browser_query", "n6", "n24", 10),
        ("1-10", "browser_query", "n2", "n10", 5),
        ("step_3..step_5", "", "n3", "n5", 3),
        ("90-99", "", "", "", 0),
    ],
)
def test_nodes_are_chosen_by_range_and_type(
    range_: str, type_: str, first: str, last: str, length: int
) -> None:
    """A range that reaches too far ends where the nodes end."""
    workflow = workflow_of(24)
    chosen = select_nodes(workflow, range_=range_, type_=type_)
    ids = [one.id for one in workflow.nodes if one.id in chosen]
    assert len(ids) == length
    assert ids[:1] + ids[-1:] == ([first, last] if length else [])


def test_a_range_or_type_that_means_nothing_is_refused() -> None:
    """With what would mean something."""
    with pytest.raises(WorkflowError, match="Did you mean 'browser_query'"):
        select_nodes(workflow_of(3), type_="browser_querry")
    with pytest.raises(WorkflowError, match="no node 'lats'"):
        select_nodes(workflow_of(3), range_="lats")


def test_the_overview_has_the_fields_that_were_promised() -> None:
    """And says how far the workflow is."""
    told = json.loads(write_overview_summary(BUILDING))
    assert set(told) == set(
        "workflowId name description nodeCount currentPhase lastExecuted status".split()
    )
    assert told["description"] == "Order the cheapest lamp each week"
    assert json.loads(write_overview_summary(STATES["begun"]))["currentPhase"] == "No plan"
    ready = {one.id: "success" for one in BUILDING.workflow.nodes}
    assert compute_overview_status(replace(BUILDING, statuses=ready)) == "ready"
    assert compute_overview_status(STATES["begun"]) == "building"
    assert compute_overview_status(BUILDING) == "failing"


def test_sections_cost_half_of_indented_json_or_less() -> None:
    """By the exact counter."""
    plan = count(render_plan_section(BUILDING.plan).text)
    assert plan <= 0.5 * count(json.dumps(encode_plan(BUILDING.plan), indent=2))
    workflow = count(render_workflow_section(BUILDING.workflow, BUILDING.statuses).text)
    assert workflow <= 0.5 * count(json.dumps(write_workflow_document(BUILDING.workflow), indent=2))
    assert json.loads(json.dumps(WRITTEN)) == encode_plan(BUILDING.plan)


@given(st.text() | st.lists(st.text()) | st.dictionaries(st.text(), st.text()))
def test_a_value_is_one_visible_line_and_can_be_read_back(value: object) -> None:
    """Whatever characters it holds."""
    assert write_compact_value(value).isprintable()
    assert json.loads(write_compact_value(value)) == value
    if isinstance(value, str):
        assert write_value_line(value) == value or json.loads(write_value_line(value)) == value


@given(st.sets(st.integers(1, 60)))
def test_spans_name_the_numbers_and_no_others(numbers: set[int]) -> None:
    """Runs are written short."""
    named: set[int] = set()
    for run in filter(None, write_summary_spans(numbers).split(", ")):
        ends = [int(end) for end in run.split("-")]
        named |= set(range(ends[0], ends[-1] + 1))
    assert named == numbers


def test_the_summary_section_does_not_grow_with_the_turns_that_it_stands_for() -> None:
    """A few spans are named; of many, where they begin and end."""
    few = render_summary_section(Summary("x", (1, 2, 4, 6)))
    assert few is not None
    assert "turns 1-2, 4, 6, which" in few.text
    for last in (2_000, 8_000):
        many = render_summary_section(Summary("x", tuple(range(1_001, last, 3))))
        assert many is not None
        named = f"turns 1001-{max(range(1_001, last, 3))}, but for those that are shown, which"
        assert named in many.text
