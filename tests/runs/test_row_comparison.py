"""What a run read beside the last one with the same inputs: a fact that is told, never a doubt."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Any

import pytest

from director.cli.local_runs import finish, summary
from director.cli.run_tables import history
from director.runs import Run, Step
from director.runs.earlier_readings import list_never_run
from director.runs.row_comparison import (
    RowComparison,
    count_row_changes,
    list_row_comparisons,
    name_compared_rows,
    parse_row_comparison,
)
from director.runs.run_control import save_run_workflow
from director.runs.run_doubts import compare_run
from director.runs.run_journal import encode_run, encode_step, list_run_steps
from director.runs.run_report import render_run_report
from director.runs.run_text import write_age_text, write_comparison_run_lines, write_comparison_text
from director.services.runs import get_run, read_run_history
from director.services.workspace import make_workspace
from director.store import Store
from director.store.run_variables import get_draft_run_id
from director.workflow.values import Config, Json
from runs.building import code, flow, node


def orders(*numbers: int, status: str = "open") -> list[Json]:
    """Rows of orders."""
    return [{"order": f"Order {n}", "status": status} for n in numbers]


Case = tuple[list[Json], list[Json], str, tuple[int, int, int], list[str]]
CASES: dict[str, Case] = {
    "the same": (orders(1, 2), orders(1, 2), "order", (0, 0, 0), []),
    "another order": (orders(2, 1), orders(1, 2), "order", (0, 0, 0), []),
    "amid the list": (orders(1, 3), orders(1, 2, 3), "order", (1, 0, 0), ["Order 2"]),
    "one for another": (orders(1, 4), orders(1, 2), "order", (1, 1, 0), ["Order 2"]),
    "a field changed": (
        [*orders(1), *orders(2, status="paid")],
        orders(1, 2),
        "order",
        (0, 0, 1),
        [],
    ),
    "changed without a key": (
        [*orders(1), *orders(2, status="paid")],
        orders(1, 2),
        "",
        (1, 1, 0),
        ["Order 2"],
    ),
    "one of two alike": (orders(1, 2), orders(1, 1, 2), "order", (1, 0, 0), ["Order 1"]),
    "a row without its key": ([{"order": ""}], [{"order": None}], "order", (1, 1, 0), [""]),
    "plain texts": (["a"], ["a", "b"], "", (1, 0, 0), ["b"]),
    "nothing any more": ([], orders(1, 2, 3, 4), "", (4, 0, 0), ["Order 1", "Order 2", "Order 3"]),
}


@pytest.mark.parametrize(("now", "before", "key", "counts", "names"), CASES.values(), ids=[*CASES])
def test_rows_are_told_by_their_key_else_by_all_they_hold(
    now: list[Json], before: list[Json], key: str, counts: tuple[int, int, int], names: list[str]
) -> None:
    """A row is gone, new or changed; without a key a change is one gone and one new."""
    *found, gone = count_row_changes(now, before, key)
    assert tuple(found) == counts
    if names != [""]:
        assert [*name_compared_rows(gone, before, key)] == names


def test_a_name_shows_no_secret_and_is_short() -> None:
    """The field that tells rows apart names them; what is sensitive is hidden."""
    rows: list[Json] = [{"kind": "a", "token": "s3cr3t-1"}, {"kind": "a", "token": "s3cr3t-2"}]
    assert name_compared_rows(rows[:1], rows) == ("[hidden]",)
    assert len(name_compared_rows(["x" * 200], ["x" * 200])[0]) == 60


def test_a_comparison_is_one_line() -> None:
    """With counts, the run, how long ago it was and the first rows that are gone."""
    told = RowComparison(
        "n1", "read", "58d7", 7200, 26, 23, 4, 1, 1, "order", names=("1", "2", "3")
    )
    assert write_comparison_text(told) == (
        "read: 26 → 23 rows: 4 gone, 1 new, 1 changed (since run 58d7, 2 h earlier); "
        "gone: 1, 2, 3, …"
    )
    same = RowComparison("n1", "read", "58d7", 40, 26, 26, key="order")
    assert (
        write_comparison_text(same) == "read: 26 → 26 rows: the same (since run 58d7, 40 s earlier)"
    )
    counted = RowComparison("n1", "n", "58d7", 40, 26, 23, only_counts=True)
    assert write_comparison_text(counted) == "n: 26 → 23 counted (since run 58d7, 40 s earlier)"
    later = {**told.json(), "added": True}
    assert parse_row_comparison(json.loads(json.dumps(later))) == told
    assert list_row_comparisons({}) == []
    ages = [write_age_text(each) for each in (0, 600, 7200, 47 * 3600, 9 * 86400)]
    assert ages == ["0 s", "10 min", "2 h", "47 h", "9 days"]


READ = {
    "method": "deterministic_extract",
    "selector": "li",
    "fields": {"number": "b", "total": "i"},
    "create_records": {"type": "order", "key": "number"},
}
WORKFLOW = flow(
    node("read", "browser_query", **READ),
    inputs=[{"name": "status", "type": "text", "default": "open"}],
)


def keep_run(store: Store, id_: str, *numbers: int, status: str = "open", **more: Any) -> Run:
    """A run that passed and read these orders, as it is stored at its end."""
    items: list[Json] = [{"number": str(n), "total": f"{n * 7} EUR"} for n in numbers]
    result: Json = {"items": items, "count": len(items)}
    step = Step("id-read", "id-read", "read", "browser_query", "finished", result=result)
    step = replace(step, config=READ, began=time.time(), took=1.0)
    run = Run(id_, "w", save_run_workflow(store, WORKFLOW), "done", {"status": status}, **more)
    store.put("step", f"{id_}/id-read", encode_step(step), "made")
    store.put("run", id_, encode_run(run), "made")
    ended = replace(run, summary=compare_run(store, run, WORKFLOW))
    store.put("run", id_, encode_run(ended), "ended")
    return ended


def test_rows_that_left_a_list_are_told_everywhere_and_change_no_exit_code(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the terminal, as JSON, in the report and on the run's page; nothing in a first run."""
    first = keep_run(store, "first", *range(1, 27))
    assert (write_comparison_run_lines(first), first.summary["compared"]) == ([], [])
    fewer = keep_run(store, "fewer", *(n for n in range(1, 27) if n not in {7, 11, 19}))
    (line,) = write_comparison_run_lines(fewer)
    assert line.startswith("read: 26 → 23 rows: 3 gone, 0 new, 0 changed (since run first, ")
    assert line.endswith(" s earlier); gone: 7, 11, 19")
    workspace = make_workspace(store)
    stored = read_run_history(workspace, "fewer")
    assert f"\ncompared: {line}\n" in f"{summary(stored, None)}\n"
    assert f"\ncompared: {line}\n" in history(stored)
    assert line in render_run_report(store, "fewer")
    assert get_run(workspace, "fewer").compared == (line,)
    assert finish(workspace, "fewer", report=None, as_json=True) == 0
    (compared,) = json.loads(capsys.readouterr().out)["summary"]["compared"]
    assert (compared["before"], compared["now"], compared["gone"]) == (26, 23, 3)
    assert (compared["run"], compared["names"]) == ("first", ["7", "11", "19"])


def test_a_run_is_compared_with_the_last_one_that_passed_with_the_same_inputs(
    store: Store,
) -> None:
    """Not with one of other inputs, and not with one that is doubted."""
    keep_run(store, "first", 1, 2, 3)
    assert write_comparison_run_lines(keep_run(store, "paid", 1, status="paid")) == []
    doubt: dict[str, Json] = {"kind": "total", "sentence": "", "node": "", "alias": "read"}
    keep_run(store, "doubted", 1, doubts=(doubt,))
    (compared,) = list_row_comparisons(keep_run(store, "second", 1, 2, 4).summary)
    assert (compared.run, compared.gone, compared.new) == ("first", 1, 1)
    (compared,) = list_row_comparisons(keep_run(store, "third", 1, 2, 4).summary)
    assert (compared.run, compared.gone, compared.new) == ("second", 0, 0)


def test_a_run_is_compared_with_one_whose_doubts_a_person_has_dismissed(store: Store) -> None:
    """It was accepted; a dismissal that only a model wrote accepts nothing."""
    keep_run(store, "first", 1, 2, 3)
    doubt: dict[str, Json] = {"kind": "total", "sentence": "", "node": "id-read", "alias": "read"}
    keep_run(store, "doubted", 1, doubts=(doubt,))
    (read,) = WORKFLOW.nodes
    for by, compared_with in (("model", "first"), ("person", "doubted")):
        said: Config = {"kind": "total", "dismissed": True, "because": "it is so", "by": by}
        checked = replace(WORKFLOW, nodes=(replace(read, checks=(said,)),))
        save_run_workflow(store, checked)
        now = Run(by, "w", 1, "done", {"status": "open"})
        store.put("step", f"{by}/id-read", encode_step(list_run_steps(store, "doubted")[0]), "made")
        (compared,) = list_row_comparisons(compare_run(store, now, checked))
        assert compared.run == compared_with


def test_nodes_that_no_run_and_no_test_has_done_are_named(store: Store) -> None:
    """A branch that was only skipped has never run."""
    more = [code("none", "1"), code("tested", "1")]
    workflow = flow(node("read", "browser_query", **READ), *more)
    keep_run(store, "first", 1)
    skipped = Step("id-none", "id-none", "none", "transform", "finished", status="skipped")
    store.put("step", "first/id-none", encode_step(skipped), "made")
    assert list_never_run(store, workflow) == ["none", "tested"]
    tested = Step("id-tested", "id-tested", "tested", "transform", "finished")
    store.put("step", f"{get_draft_run_id('w')}/id-tested", encode_step(tested), "made")
    assert list_never_run(store, workflow) == ["none"]
