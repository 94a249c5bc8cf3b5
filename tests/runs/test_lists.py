"""What runs is what is written, in that order; and records of all visits add up."""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from director.runs import drive_run, list_run_records, queue_run, read_run, run_workflow
from director.runs.playwright_script import write_playwright_script
from director.runs.run_queue import Queue, make_queue_url
from director.runs.values import RunDependencies
from director.runs.worker import Pace, Worker
from director.store import Store, open_store
from director.workflow.document import read_workflow_document, write_workflow_document
from director.workflow.values import Workflow
from runs.building import by_key, code, fails, flow, node, result
from store.engines import prepared

LEAVES = ("a", "b", "c", "d")
FAILS = "x"


@pytest.fixture
def store(tmp_path: Path) -> Any:
    """A store in a file."""
    with open_store(tmp_path / "director.db") as opened:
        yield opened


def run_order(workflow: Workflow, store: Store) -> list[str]:
    """The leaves that a run visited, in the order of their visits."""
    run = asyncio.run(run_workflow(store, workflow, RunDependencies(worker="test")))
    assert run.state == "done", run.error
    return _seen(store, run.id)


def _seen(store: Store, run: str) -> list[str]:
    return [str(record.fields[record.source]["n"]) for record in list_run_records(store, run)]  # type: ignore[index, call-overload]


def script_order(workflow: Workflow) -> list[str]:
    """The same by the exported script, which needs no page for this."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "exported.py"
        path.write_text(write_playwright_script(workflow), "utf-8")
        spec = importlib.util.spec_from_file_location("exported", path)
        assert spec is not None
        assert spec.loader is not None
        script: Any = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(script)
        script.main(None, SimpleNamespace())
    records = script.records.values()
    return [next(iter(record["fields"].values()))["n"] for record in records]


def leaf(name: str) -> dict[str, Any]:
    """A node that leaves one record at each visit."""
    return code(name, f"[{{'n': '{name}'}}]", create_records="seen")


def test_a_node_in_a_body_and_in_a_branch_inside_it_runs_in_both(store: Store) -> None:
    """The body says that it runs after the branch, whatever the branch did."""
    workflow = flow(
        node("each", "iterate", over=[1, 2], variable="n", body=["a", "which", "b"]),
        leaf("b"),
        leaf("a"),
        node(
            "which",
            "route",
            branches=[
                {"name": "first", "condition": "{{n}} == 1", "branch": ["b", "a"]},
                {"name": "other", "condition": True, "branch": []},
            ],
        ),
        version=2,
    )
    wanted = ["a", "b", "a", "b", "a", "b"]
    assert run_order(workflow, store) == wanted
    assert script_order(workflow) == wanted


def test_a_loop_over_pages_keeps_the_rows_of_all_pages(store: Store) -> None:
    """Eighty-two rows on five pages are eighty-two records, and the loop says so."""
    rows = "[{'row': page * 20 + n} for n in range(20 if page < 4 else 2)]"
    workflow = flow(
        node("each", "iterate", over=[0, 1, 2, 3, 4], variable="page", body=["read"]),
        code("read", rows, input={"page": "{{page}}"}, create_records="row"),
    )
    run = asyncio.run(run_workflow(store, workflow, RunDependencies(worker="test")))
    found = [record.fields["read"]["row"] for record in list_run_records(store, run.id)]  # type: ignore[index, call-overload]
    assert found == list(range(82))
    assert result(store, run, "each")["records"] == {"row": 82}
    last = by_key(store, run)["each[4].read"].records
    assert last == {"made": 2, "merged": 0, "total": 82}


def test_records_that_cannot_be_made_fail_the_node(store: Store) -> None:
    """A green node that kept nothing would be a run with holes."""
    workflow = flow(code("read", "5", create_records="row"))
    run = asyncio.run(run_workflow(store, workflow, RunDependencies(worker="test")))
    assert run.state == "failed"
    assert "No record was made" in str(run.error)


def test_an_old_document_runs_as_it_ran_and_says_so() -> None:
    """Lists ran in the order of the workflow, without what belonged to another of the list."""
    branches = [{"name": "yes", "condition": True, "branch": ["b"]}]
    nodes = [
        node("each", "iterate", over=[1], variable="n", body=["which", "b", "a"]),
        leaf("a"),
        leaf("b"),
        node("which", "route", branches=branches),
    ]
    document = {"version": 1, "id": "w", "name": "W", "nodes": nodes}
    old = read_workflow_document(document)  # type: ignore[arg-type]
    assert old.nodes[0].config["body"] == ["id-a", "id-which"]
    assert len(old.notes) == 1
    assert (
        "names ['which', 'b', 'a'], of which an earlier version ran ['a', 'which']" in old.notes[0]
    )
    assert read_workflow_document(write_workflow_document(old)) == old
    assert read_workflow_document({**document, "version": 2}).nodes[0].config["body"] == [  # type: ignore[dict-item]
        *("id-which", "id-b", "id-a"),
    ]


Tree = Any
Order = tuple[list[str], bool]
KINDS = ("iterate", "group", "goes_on", "route", "handle", "catch")


def _node(kind: str, inner: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    least = 2 if kind in ("handle", "catch") else 1
    parts = st.lists(inner, min_size=least, max_size=3)
    return st.tuples(st.just(kind), st.integers(0, 2), parts)


trees = st.recursive(
    st.sampled_from((*LEAVES, *LEAVES, FAILS)),
    lambda inner: st.one_of(*(_node(kind, inner) for kind in KINDS)),
    max_leaves=8,
)
forests = st.lists(trees, min_size=1, max_size=4)


def in_turn(trees: Sequence[Tree]) -> Order:
    """Trees one after another, up to the first that fails."""
    found: list[str] = []
    for tree in trees:
        inside, passed = read_tree(tree)
        found += inside
        if not passed:
            return found, False
    return found, True


def read_tree(tree: Tree) -> Order:
    """The leaves in the order in which the tree is written, and whether it passes.

    An oracle that knows no engine.
    """
    if isinstance(tree, str):
        return ([], False) if tree == FAILS else ([tree], True)
    kind, number, parts = tree
    if kind == "route":
        return read_tree(parts[number]) if number < len(parts) else ([], True)
    if kind == "iterate":
        rounds = [in_turn(parts) for _ in range(number)]
        return [name for inside, _ in rounds for name in inside], not rounds or rounds[0][1]
    if kind in ("group", "goes_on"):
        return in_turn(parts) if kind == "group" else (written(parts), True)
    tried, passed = in_turn(parts[:-1])
    last, ended = read_tree(parts[-1])
    if kind == "catch":
        return (tried, True) if passed else ([*tried, *last], ended)
    return [*tried, *last], passed and ended


def build(forest: Sequence[Tree], id_: str = "w") -> Workflow:
    """A workflow of the trees, whose nodes stand in an order that has nothing to do with them."""
    names, made = count(1), []
    used: set[str] = set()

    def add(tree: Tree) -> str:
        if isinstance(tree, str):
            used.add(tree)
            return tree
        kind, number, parts = tree
        ids = [add(part) for part in parts]
        alias = f"{kind}_{next(names)}"
        configs: dict[str, tuple[str, dict[str, Any]]] = {
            "iterate": ("iterate", {"over": list(range(number)), "variable": f"n{alias}", "body": ids}),
            "group": ("group", {"nodeRange": ids}),
            "goes_on": ("group", {"nodeRange": ids, "continueOnError": True}),
            "handle": ("handle", {"try": ids[:-1], "finally": ids[-1:]}),
            "catch": ("handle", {"try": ids[:-1], "catch": ids[-1:]}),
            "route": ("route", {"branches": [
                {"name": f"b{place}", "condition": place == number, "branch": [one]}
                for place, one in enumerate(ids)
            ]}),
        }  # fmt: skip
        type_, config = configs[kind]
        made.append(node(alias, type_, **config))
        return alias

    top = node("top", "group", nodeRange=[add(tree) for tree in forest], continueOnError=True)
    leaves = [fails(FAILS) if name == FAILS else leaf(name) for name in sorted(used)]
    return flow(*made, *leaves, top, version=2, id=id_)


def written(forest: Sequence[Tree]) -> list[str]:
    """What is to run of trees that stand one after another, each whatever became of the others."""
    return [name for tree in forest for name in read_tree(tree)[0]]


@settings(max_examples=settings.default.max_examples // 2)
@given(forests)
def test_what_runs_is_what_is_written(forest: list[Tree]) -> None:
    """For any tree of bodies, branches and groups, by the engine and by the exported script."""
    workflow = build(forest)
    with TemporaryDirectory() as folder, open_store(Path(folder) / "s.db") as store:
        assert run_order(workflow, store) == written(forest)
    assert script_order(workflow) == written(forest)
    assert read_workflow_document(write_workflow_document(workflow)) == workflow


@pytest.mark.parametrize("engine", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
@settings(max_examples=2, suppress_health_check=list(HealthCheck))
@given(st.lists(forests, min_size=6, max_size=6))
def test_what_a_worker_runs_is_what_is_written(engine: str, drawn: list[list[Tree]]) -> None:
    """The same runs, taken from the durable queue on each engine."""
    with TemporaryDirectory() as folder, open_store(prepared(engine, Path(folder))) as store:
        runs = [f"run-{number}" for number in range(len(drawn))]
        with Queue(make_queue_url(store.url)) as queue:
            for run, forest in zip(runs, drawn, strict=True):
                queue_run(store, build(forest, f"flow-{run}"), RunDependencies(), id_=run)
                queue.submit(run, site="")
        asyncio.run(_work_off(store, runs))
        for run, forest in zip(runs, drawn, strict=True):
            assert _seen(store, run) == written(forest)


async def _work_off(store: Store, runs: Sequence[str]) -> None:
    """Be a worker until these runs have ended."""

    async def execute(run: str) -> None:
        await drive_run(store, run, RunDependencies(worker="test"))

    pace = Pace(at_once=2, per_site=2, beat=0.2, patience=5.0, poll=0.05, reconcile=0.2)
    async with Worker(store, execute, pace=pace), asyncio.timeout(250):
        with store.subscribe(after=0) as feed:
            while any(read_run(store, run).state != "done" for run in runs):
                await asyncio.to_thread(feed.next, 0.2)


def test_another_order_is_seen() -> None:
    """The tests above can fail: leaves in another order are another run."""
    forest, other = [("group", 0, ["a", "b"]), "c"], [("group", 0, ["b", "a"]), "c"]
    with TemporaryDirectory() as folder, open_store(Path(folder) / "s.db") as store:
        assert run_order(build(other), store) != written(forest)
    assert script_order(build(other)) != written(forest)
