"""The tools of the browser and of building, in a real browser: looking and trying change nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from agent.office import SAY, asks, desk, results
from director.agent.turn import take_turn
from director.browser import Browser
from director.context.wire.parse_events import INTERRUPTED
from director.demo.site import Site
from director.models.script_values import Emit, Say, Seen
from director.runs import RunDependencies
from director.secrets import Seal
from director.store import Store

SEAL = Seal(b"a key of thirty-two bytes, or so!"[:32])


def played(
    runner: asyncio.Runner,
    store: Store,
    browser: Browser,
    site: str,
    steps: Sequence[Sequence[Emit]],
) -> list[str]:
    """The results of these steps."""
    shown: list[Seen] = []
    means = RunDependencies(browser=browser, pictures="none", seal=SEAL)

    def brain(seen: Seen) -> Sequence[Emit]:
        if "find" not in seen.tools:
            return [Say("There is a form to filter by category.")]
        calls = sum(item.kind == "call" for item in seen.items)
        done = 0
        for step in steps:
            if calls <= done:
                return step
            done += len(step)
        return SAY

    made = desk(store, brain, origins=(site,), means=means, seen=shown)
    runner.run(take_turn(made, "Try."))
    runner.run(made.close())
    return results([each for each in shown if "find" in each.tools][-1])


@pytest.mark.promise("G2")
def test_debugging_and_looking_never_become_nodes(
    runner: asyncio.Runner, browser: Browser, store: Store, site: Site
) -> None:
    """The workflow has the version it had; the browser is where the last action left it."""
    steps: list[Sequence[Emit]] = [
        [
            asks("debug_navigate", url=f"{site.url}/shop", reason="see"),
            asks("debug_open_tab", url=f"{site.url}/lab", tabName="lab"),
            asks("debug_close_tab", tabName="lab"),
            asks("find", text="Filter"),
            asks("inspect_tab", inspectionType="dom_snapshot"),
            asks("find", text="Notebooks"),
            asks(
                "inspect_tab",
                inspectionType="lightweight_exploration",
                instruction="Is there a filter?",
            ),
            asks("debug_action", action="click", selector="nav a[href='/shop/cart']", reason="see"),
            asks("get_browser_state"),
            asks("inspect_tab", inspectionType="dom_snapshot"),
            asks("find", text="Notebooks"),
            asks("inspect_tab", inspectionType="dom_snapshot"),
        ],
    ]
    told = played(runner, store, browser, site.url, steps)
    assert "is at" in told[0]
    assert "Closed 'lab'. Open: main." in told[2]
    # What was only searched was never shown; what was shown is compared with.
    assert "### Snapshot" in told[4]
    assert "[ref=" in told[5]
    assert "form to filter" in told[6]
    assert "### Snapshot" in told[9]
    assert "Nothing changed since the last snapshot" in told[11]
    assert told[8].endswith(f"- main (active) = {site.url}/shop/cart\n</browser>")
    assert [one.version for one in store.versions("workflow", "w")] == [1]


def test_the_browser_goes_on_where_it_was_left(
    runner: asyncio.Runner, browser: Browser, store: Store, site: Site
) -> None:
    """Another desk, another session: the same tabs, from a sealed point."""
    go = [[asks("debug_navigate", url=f"{site.url}/shop/cart", reason="r")]]
    played(runner, store, browser, site.url, go)
    assert b"cart" not in store.read_kept(str(store.get("bench", "w").body["point"]["$kept"]))  # type: ignore[union-attr,index]
    store.put("conversation", "w", {"thread": store.open_thread(workflow="w")})
    look: list[Sequence[Emit]] = [[asks("find", text="cart")], [asks("get_browser_state")]]
    assert f"{site.url}/shop/cart" in played(runner, store, browser, site.url, look)[-1]


def test_a_flow_from_the_beginning_starts_in_a_fresh_browser(
    runner: asyncio.Runner, browser: Browser, store: Store, site: Site
) -> None:
    """What earlier tests left (a cart by its cookie) is gone, unless it is asked for and told."""
    product = next(iter(site.state.products.values()))
    look = {"method": "deterministic_extract", "selector": "nav a[href='/shop/cart']"}
    go = {"action": "navigate", "url": f"{site.url}/shop"}
    steps: list[Sequence[Emit]] = [
        [
            asks("create_node", type="browser_action", alias="open", config=go),
            asks("create_node", type="browser_query", alias="cart", config=look),
            asks("debug_navigate", url=f"{site.url}/shop/products/{product.sku}", reason="r"),
            asks("debug_action", action="click", selector="[data-testid=add-to-cart]", reason="r"),
            asks("execute_nodes", nodes="all", keep_browser=True),
            asks("execute_nodes", nodes="all"),
        ]
    ]
    told = played(runner, store, browser, site.url, steps)
    assert "Cart (1)" in told[-2]
    assert "It ran in the browser as earlier tests left it." in told[-2]
    assert "Cart (0)" in told[-1]
    assert "It ran in a fresh browser." in told[-1]


def test_a_flow_tells_what_changed_since_the_last_and_what_never_ran(
    runner: asyncio.Runner, browser: Browser, store: Store, site: Site
) -> None:
    """A line for each node that read rows in both; a branch that was skipped has not run."""
    rows = {
        "method": "deterministic_extract",
        "selector": "table tbody tr",
        "fields": {"number": "[data-edit=number]"},
        "store": {"count": "count"},
    }
    some = {"name": "some", "condition": "{{rows.count}} > 0", "branch": ["tell"]}
    none = {"name": "none", "condition": True, "branch": ["report_none"]}
    flow_ = asks("execute_nodes", nodes="all")
    steps: list[Sequence[Emit]] = [
        [
            asks(
                "create_node",
                type="browser_action",
                alias="open",
                config={"action": "navigate", "url": f"{site.url}/grid", "timeout": 60_000},
            ),
            asks("create_node", type="browser_query", alias="rows", config=rows),
            asks("create_node", type="transform", alias="tell", config={"code": "1"}),
            asks("create_node", type="transform", alias="report_none", config={"code": "0"}),
            asks("create_node", type="route", alias="any", config={"branches": [some, none]}),
            flow_,
            flow_,
        ]
    ]
    told = played(runner, store, browser, site.url, steps)
    assert "Compared: " not in told[-2]
    assert "Compared: rows: 18 → 18 rows: the same (since run run-" in told[-1]
    assert "\nNever run yet: report_none. Test it with inputs that lead there." in told[-1]


def test_a_flow_and_the_test_of_a_loop_tell_which_item_took_which_branch(
    runner: asyncio.Runner, browser: Browser, store: Store, site: Site
) -> None:
    """By name, so that what was left out is seen; nothing of other tests is among it."""
    enter = {"name": "enter", "condition": "{{one}} != 'Ada'", "branch": ["add"]}
    skip = {"name": "skip", "condition": True, "branch": []}
    over = {"over": ["Ada", "Ben", "Cleo"], "variable": "one", "body": ["decide"]}
    steps: list[Sequence[Emit]] = [
        [
            asks("create_node", type="transform", alias="add", config={"code": "1"}),
            asks("create_node", type="route", alias="decide", config={"branches": [enter, skip]}),
            asks("create_node", type="iterate", alias="each", config=over),
            asks("execute_nodes", nodes="each", mode="isolated"),
            asks("execute_nodes", nodes="all"),
        ]
    ]
    told = played(runner, store, browser, site.url, steps)
    for each in told[-2:]:
        assert "Branches: decide, 3 items: skip 1 (Ada); enter 2 (Ben, Cleo)" in each


def test_nodes_are_updated_moved_and_deleted_with_a_reason(
    runner: asyncio.Runner, browser: Browser, store: Store, site: Site
) -> None:
    """Each change is a version; a changed node is pending until it is tested again."""
    one = {"code": "1", "store": True}
    steps: list[Sequence[Emit]] = [
        [
            asks("create_node", type="transform", alias="a", config=one),
            asks("create_node", type="transform", alias="b", config=one, position=1),
            asks("execute_nodes", nodes="all", mode="isolated"),
            asks("update_node", node="a", changes={"config": {"code": "2"}}),
            asks("get_workflow_nodes"),
            asks("move_node", node="a", to=1),
            asks("delete_node", node="b"),
            asks("get_workflow_variable", variableName="a.result"),
        ]
    ]
    told = played(runner, store, browser, site.url, steps)
    assert "success" in told[2]
    assert " pending" in told[4].split("2 a ")[1].splitlines()[0]
    assert " success" in told[4].split("1 b ")[1].splitlines()[0]
    assert told[5].startswith("The order is now a, b;")
    assert "1 nodes are left" in told[6]
    assert "- a.result = 1" in told[7]
    reasons = [one.reason for one in store.versions("workflow", "w")]
    assert reasons[1:] == ["created a", "created b", "updated a", "moved a to 1", "deleted b"]


@pytest.mark.promise("A6")
@pytest.mark.parametrize("waits", [0, 1, 5, 20])
def test_a_call_in_the_browser_can_be_cancelled_anywhere(
    runner: asyncio.Runner, browser: Browser, store: Store, site: Site, waits: int
) -> None:
    """It is shown as interrupted, and the next turn goes on in the same browser."""
    shown: list[Seen] = []

    def brain(seen: Seen) -> Sequence[Emit]:
        again = sum(item.kind == "user" for item in seen.items) > 1
        if again:
            return SAY if results(seen)[-1] != INTERRUPTED else [asks("get_browser_state")]
        return [asks("debug_navigate", url=f"{site.url}/flaky/slow", reason="r")]

    made = desk(store, brain, browser=browser, origins=(site.url,), seen=shown)

    async def cancelled() -> None:
        called = asyncio.Event()
        made.progress = lambda _: called.set() if _.what == "calling" else None
        task = asyncio.create_task(take_turn(made, "Go."))
        await called.wait()
        for _ in range(waits):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    runner.run(cancelled())
    assert runner.run(take_turn(made, "Go on.")).ended == "said"
    first, tabs = results(shown[-1])
    assert first == INTERRUPTED
    assert "tab" in tabs
    runner.run(made.close())
