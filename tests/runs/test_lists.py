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
from hypothesis import given, settings
from hypothesis import strategies as st

from director.runs import records_of, run_workflow
from director.runs.script import script_of
from director.runs.values import Means
from director.store import Store, open_store
from director.workflow.document import from_json, to_json
from director.workflow.values import Workflow
from runs.building import by_key, code, flow, node, result

LEAVES = ("a", "b", "c", "d")


@pytest.fixture
def store(tmp_path: Path) -> Any:
    """A store in a file."""
    with open_store(tmp_path / "director.db") as opened:
        yield opened


def run_order(workflow: Workflow, store: Store) -> list[str]:
    """The leaves that a run visited, in the order of their visits."""
    run = asyncio.run(run_workflow(store, workflow, Means(worker="test")))
    assert run.state == "done", run.error
    return [str(record.fields[record.source]["n"]) for record in records_of(store, run.id)]  # type: ignore[index, call-overload]


def script_order(workflow: Workflow) -> list[str]:
    """The same by the exported script, which needs no page for this."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "exported.py"
        path.write_text(script_of(workflow), "utf-8")
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
    run = asyncio.run(run_workflow(store, workflow, Means(worker="test")))
    found = [record.fields["read"]["row"] for record in records_of(store, run.id)]  # type: ignore[index, call-overload]
    assert found == list(range(82))
    assert result(store, run, "each")["records"] == {"row": 82}
    last = by_key(store, run)["each[4].read"].records
    assert last == {"made": 2, "merged": 0, "total": 82}


def test_records_that_cannot_be_made_fail_the_node(store: Store) -> None:
    """A green node that kept nothing would be a run with holes."""
    workflow = flow(code("read", "5", create_records="row"))
    run = asyncio.run(run_workflow(store, workflow, Means(worker="test")))
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
    old = from_json(document)  # type: ignore[arg-type]
    assert old.nodes[0].config["body"] == ["id-a", "id-which"]
    assert len(old.notes) == 1
    assert (
        "names ['which', 'b', 'a'], of which an earlier version ran ['a', 'which']" in old.notes[0]
    )
    assert from_json(to_json(old)) == old
    assert from_json({**document, "version": 2}).nodes[0].config["body"] == [  # type: ignore[dict-item]
        *("id-which", "id-b", "id-a"),
    ]


Tree = Any
trees = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: st.one_of(
        st.tuples(st.just("iterate"), st.integers(0, 2), st.lists(inner, min_size=1, max_size=3)),
        st.tuples(st.just("group"), st.just(0), st.lists(inner, min_size=1, max_size=3)),
        st.tuples(st.just("route"), st.integers(0, 2), st.lists(inner, min_size=1, max_size=3)),
        st.tuples(st.just("handle"), st.just(0), st.lists(inner, min_size=2, max_size=3)),
    ),
    max_leaves=8,
)


def read_tree(tree: Tree) -> list[str]:
    """The leaves in the order in which the tree is written, as an oracle that knows no engine."""
    if isinstance(tree, str):
        return [tree]
    kind, number, parts = tree
    inside = [read_tree(part) for part in parts]
    if kind == "route":
        return inside[number] if number < len(inside) else []
    joined = [name for part in inside for name in part]
    return joined * number if kind == "iterate" else joined


def build(forest: Sequence[Tree]) -> Workflow:
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
        if kind == "iterate":
            config = {"over": list(range(number)), "variable": f"n{alias}", "body": ids}
        elif kind == "group":
            config = {"nodeRange": ids}
        elif kind == "handle":
            config = {"try": ids[:-1], "finally": ids[-1:]}
        else:
            config = {
                "branches": [
                    {"name": f"b{place}", "condition": place == number, "branch": [id_]}
                    for place, id_ in enumerate(ids)
                ]
            }
        made.append(node(alias, kind, **config))
        return alias

    top = node("top", "group", nodeRange=[add(tree) for tree in forest])
    return flow(*made, *map(leaf, sorted(used)), top, version=2)


@settings(max_examples=20)
@given(st.lists(trees, min_size=1, max_size=4))
def test_what_runs_is_what_is_written(forest: list[Tree]) -> None:
    """For any tree of bodies, branches and groups, by the engine and by the exported script."""
    wanted = [name for tree in forest for name in read_tree(tree)]
    workflow = build(forest)
    with TemporaryDirectory() as folder, open_store(Path(folder) / "s.db") as store:
        assert run_order(workflow, store) == wanted
    assert script_order(workflow) == wanted
    assert from_json(to_json(workflow)) == workflow
