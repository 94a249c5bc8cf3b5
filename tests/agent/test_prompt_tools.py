"""What the system prompt says of the tools is done by them, in a real browser on the demo site."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from agent.office import SAY, asks, desk, results
from director.agent.turn import take_turn
from director.browser import Browser
from director.demo.site import Site
from director.models.script_values import Ask, Emit, Seen
from director.runs import RunDependencies
from director.store import Store


class Told:
    """Plays calls one after another, each with what the one before it told."""

    def __init__(self, store: Store, means: RunDependencies, site: str) -> None:
        self._store, self._means, self._site = store, means, site

    def __call__(self, runner: asyncio.Runner, *steps: Ask | Callable[[str], Ask]) -> list[str]:
        """What each call told."""
        shown: list[Seen] = []

        def brain(seen: Seen) -> Sequence[Emit]:
            told = results(seen)
            if len(told) == len(steps):
                return SAY
            step = steps[len(told)]
            return [step if isinstance(step, Ask) else step(told[-1])]

        made = desk(self._store, brain, origins=(self._site,), means=self._means, seen=shown)
        runner.run(take_turn(made, "Try."))
        runner.run(made.close())
        return results(shown[-1])


@pytest.fixture
def told(store: Store, browser: Browser, site: Site, tmp_path: Path) -> Told:
    """A conversation of calls on the demo site."""
    means = RunDependencies(browser=browser, pictures="none", downloads=tmp_path / "files")
    return Told(store, means, site.url)


def node(alias: str, type_: str, config: dict[str, Any], **more: Any) -> Ask:
    """A call that creates a node."""
    return asks("create_node", type=type_, alias=alias, config=config, **more)


def go(site: Site, path: str) -> Ask:
    """A call that opens a page of the site."""
    return asks("debug_navigate", url=f"{site.url}{path}", reason="r")


def test_every_look_is_of_the_page_as_it_is_now_and_says_so(
    runner: asyncio.Runner, told: Told, site: Site
) -> None:
    """A look after a change sees the change; each says how old it is and what it compares with."""
    count = asks("debug_action", action="click", selector="[data-shadow] button", reason="r")
    found = told(
        runner,
        go(site, "/lab"),
        asks("find", text="Counted"),
        asks("find", text="Counted"),
        count,
        asks("find", text="Counted"),
        lambda text: asks("read", ref=re.findall(r"paragraph \[ref=(\w+)\]", text)[0]),
        go(site, "/shop"),
        asks("find", text="Counted"),
        asks("inspect_tab", inspectionType="dom_snapshot"),
    )
    assert re.search(r"snapshot \w{12} of \S+/lab taken now, \d\d:\d\d:\d\d UTC\n", found[1])
    # It stands in a shadow root, and is counted there too.
    assert "of it)" in found[1]
    assert "(0 of it)" not in found[1]
    assert "; the same as the look " in found[2]
    assert "; changed since the look " in found[4]
    assert found[5].splitlines()[1:] == ["Counted:", "1"]
    assert "; another page than at the look " in found[7]
    assert "Nothing on the page matches 'Counted'" in found[7]
    assert "/shop taken now" in found[8].splitlines()[0]


def test_what_find_gives_can_be_copied_into_a_node(
    runner: asyncio.Runner, told: Told, site: Site
) -> None:
    """The selector of a finding finds the element; so does a ref, which a node never keeps."""

    def by_ref(text: str) -> Ask:
        config = {"action": "type", "selector": re.findall(r"\[ref=(\w+)\]", text)[-1], "text": "z"}
        return node("again", "browser_action", config)

    def copied(text: str) -> Ask:
        bundle = json.loads(
            text.split("As selectors of nodes:\n")[1].splitlines()[0].split(": ", 1)[1]
        )
        assert bundle["name"] == "Filter"
        assert bundle["attributes"]["id"] == "field-q"
        return node("filter", "browser_action", {"action": "type", "selector": bundle, "text": "x"})

    found = told(
        runner,
        go(site, "/grid"),
        asks("find", text="searchbox"),
        copied,
        asks("test_single_node", node="filter"),
        asks("find", text="searchbox"),
        lambda text: asks(
            "debug_action",
            action="type",
            selector=re.findall(r"\[ref=(\w+)\]", text)[-1],
            text="y",
            reason="r",
        ),
        asks("find", text="searchbox"),
        by_ref,
        asks("test_single_node", node="again"),
        asks("get_workflow_nodes", range="again"),
    )
    assert "filter: success" in found[3]
    assert found[5].startswith("Did type on ")
    assert "again: success" in found[8]
    assert "field-q" in found[9]


def test_a_declared_input_is_given_tested_and_shown(
    runner: asyncio.Runner, told: Told, site: Site, store: Store
) -> None:
    """Its default is tested with, a flow may be given another, the sections show it."""
    config = {"action": "navigate", "url": f"{site.url}/shop?category={{{{category}}}}"}
    found = told(
        runner,
        asks(
            "declare_input",
            name="category",
            type="text",
            description="Which category",
            default="Pens",
        ),
        asks("declare_input", name="limit", type="number", description="How many", example=2),
        node("open", "browser_action", config),
        node("count", "browser_query", {"method": "count", "selector": ".good", "store": "*"}),
        asks("execute_nodes", mode="isolated"),
        asks("execute_nodes", inputs={"category": "Nothing"}),
        asks("execute_nodes", inputs={"limit": "many"}),
        asks("get_workflow_variables"),
        asks("get_workflow_nodes"),
        asks("remove_input", name="limit"),
        asks("declare_input", name="api_key", type="text", description="Key", default="k-123"),
    )
    assert "write {{category}} in nodes" in found[0]
    assert "category=Pens" in found[4]
    assert "category=Nothing" in found[5]
    assert '"limit":2' in found[5]
    assert "takes a number" in found[6]
    assert '- category = "Pens" (input)' in found[7]
    assert "- limit number (required): How many" in found[8]
    assert "is removed" in found[9]
    assert "Nothing was kept" in found[10]
    assert [one["name"] for one in store.get("workflow", "w").body["inputs"]] == ["category"]  # type: ignore[union-attr,index,attr-defined]


def test_what_a_click_downloads_and_what_a_query_finds_is_told(
    runner: asyncio.Runner, told: Told, site: Site
) -> None:
    """In the result, in the variables, and as conditions that hold or do not."""
    click = {"action": "click", "selector": {"role": "link", "name": "Download CSV"}}
    rows = {
        "method": "deterministic_extract",
        "selector": "table tbody tr",
        "fields": {"supplier": "[data-edit=supplier]", "number": "[data-edit=number]"},
        "create_records": {"type": "invoice", "key": "number"},
    }
    found = told(
        runner,
        node("open", "browser_action", {"action": "navigate", "url": f"{site.url}/grid"}),
        node("get", "browser_action", click, ensures=[{"download": "*.csv", "at_least": 100}]),
        node("rows", "browser_query", rows, ensures=[{"records": "invoice", "equals": 18}]),
        asks("execute_nodes", mode="isolated"),
        asks("get_workflow_variables"),
        asks("get_workflow_variable", variableName="invoice_*"),
        asks("execute_nodes"),
        lambda text: asks(
            "get_workflow_variable",
            variableName="invoice_018",
            run=re.findall(r"Run (run-\w+)", text)[0],
        ),
        asks(
            "update_node", node="rows", changes={"ensures": [{"records": "invoice", "equals": 9}]}
        ),
        asks("execute_nodes"),
    )
    assert re.search(r"download: \S+\.csv \(\d+ bytes, text/csv, 18 rows\)", found[3])
    assert "records: 18 made, 0 merged with known ones, 18 of the type in all" in found[3]
    assert "records: 18 of type 'invoice' (invoice_001 to invoice_018); first: " in found[4]
    assert re.search(r'download: "\S+\.csv" \(\d+ bytes, text/csv, 18 rows\) by get', found[4])
    assert found[5].count("\n- invoice_") == 18
    assert "Records: 18 of type 'invoice'" in found[6]
    assert "- invoice_018 = " in found[7]
    assert "It ensures {'records': 'invoice', 'equals': 9}, but found 18" in found[9]


def test_a_flow_has_nothing_of_tests_but_its_inputs(
    runner: asyncio.Runner, told: Told, site: Site
) -> None:
    """A test sees the variables of earlier tests and the browser as it is; a flow does not."""
    found = told(
        runner,
        asks("set_variable", variableName="left", value=7, reason="r"),
        node("read", "transform", {"input": {"x": "{{left}}"}, "code": "x", "store": True}),
        asks("test_single_node", node="read"),
        asks("execute_nodes"),
        go(site, "/shop"),
        asks("reset_browser", reason="r"),
        asks("get_browser_state"),
    )
    assert "read: success" in found[2]
    assert "nothing has this name" in found[3]
    assert found[5].startswith("The browser is fresh")
    assert "/shop" not in found[6]


def test_a_loop_is_told_by_its_first_visit_and_by_what_differs(
    runner: asyncio.Runner, told: Told
) -> None:
    """By alias, short, and the hint of a node is given once."""
    code = "1 / (0 if x == 3 else 1)"
    found = told(
        runner,
        node("pick", "transform", {"input": {"x": "{{one}}"}, "code": code}),
        node("over", "transform", {"code": "list(range(40))", "store": True}),
        node("loop", "iterate", {"over": "{{over.result}}", "variable": "one", "body": ["pick"]}),
        asks("execute_nodes"),
        asks("describe_node_type", type="iterate"),
    )
    flow = found[3]
    assert "loop[0] › pick: success" in flow
    assert " and 39 more visits: 38 success, 1 failed; those that ended otherwise:" in flow
    assert "loop[3] › pick: failed" in flow
    assert "n_" not in flow
    assert '"… 37 more"' in flow
    assert len(flow) < 3_000
    assert "- body*: the nodes to run" in found[4]


def test_a_plan_is_replaced_whole_and_names_only_nodes_that_exist(
    runner: asyncio.Runner, told: Told
) -> None:
    """A plan before the nodes names none; what an update leaves out is gone."""

    def plan(*tasks: dict[str, Any]) -> Ask:
        phase = {"phase_name": "Read", "status": "pending", "tasks": list(tasks)}
        body = {"overall_goal": "Prices", "current_phase": "Read", "phases": [phase]}
        return asks("update_plan", plan=body, reason="r")

    first = {"task_id": "1", "description": "Open the shop", "status": "pending"}
    second = {"task_id": "2", "description": "Read the rows", "status": "pending"}
    found = told(
        runner,
        plan({**first, "node_ids": ["open"]}),
        plan(first, second),
        plan(second),
        asks("get_current_plan"),
    )
    assert "there is no node 'open'" in found[0]
    assert "version 1" in found[1]
    assert "Open the shop" not in found[3]
    assert "Read the rows" in found[3]


def test_a_model_cannot_dismiss_a_doubt_only_explain_it(
    runner: asyncio.Runner, told: Told, store: Store
) -> None:
    """What it says is told beside the doubt, marked as its own, however it signs; a person's counts."""
    code = {"code": "1 // (n - 1)", "input": {"n": "{{n}}"}}
    loop = {"over": [1, 2], "variable": "n", "body": ["divide"]}
    check = {"kind": "rounds", "dismissed": True, "because": "zero is no number", "by": "person"}
    found = told(
        runner,
        node("divide", "transform", code),
        node("each", "iterate", loop),
        asks("update_node", node="each", changes={"checks": [check]}),
        asks("execute_nodes", nodes="each"),
    )
    assert "done, with 1 doubt" in found[-1]
    assert "each: partial in" in found[-1]
    assert "you say that it is right: zero is no number; not confirmed yet" in found[-1]
    workflow = next(each.body for each in store.newest("workflow"))
    kept = next(each for each in workflow["nodes"] if each["alias"] == "each")["checks"]  # type: ignore[union-attr, index, call-overload]
    assert kept == [{**check, "by": "model"}]
