"""Nodes that run others: what they run, what they skip, and what a failure inside does."""

from __future__ import annotations

import asyncio

import pytest

from director.runs import Run, RunDependencies, list_run_records, run_workflow, try_node
from director.store import Store
from director.store.run_variables import read_run_variables
from director.workflow.edit import edit_node
from director.workflow.values import Workflow
from runs.building import by_key, code, fails, flow, node, result, setting, statuses


def done(store: Store, workflow: Workflow, **how: object) -> Run:
    """Run a workflow that needs no browser."""
    return asyncio.run(run_workflow(store, workflow, RunDependencies(), **how))  # type: ignore[arg-type]


def route(alias: str, *branches: tuple[str, object, object]) -> dict[str, object]:
    """A route."""
    named = [{"name": name, "condition": when, "branch": to} for name, when, to in branches]
    return node(alias, "route", branches=named)  # type: ignore[arg-type]


def test_untaken_branches_are_skipped_however_they_are_written(store: Store) -> None:
    """By alias, by position, by range: only the branch that was taken runs, and once."""
    run = done(
        store,
        flow(
            setting("start", n=3),
            route(
                "choose",
                ("low", "{{n}} < 2", "a"),
                ("high", "{{n}} > 2", 4),
                ("rest", True, "c..d"),
            ),
            code("a", "'a'"),
            code("b", "'b'"),
            code("c", "'c'"),
            code("d", "'d'"),
        ),
    )
    assert statuses(store, run) == {
        "start": "success",
        "choose": "success",
        "choose.a": "skipped",
        "choose.b": "success",
        "choose.c": "skipped",
        "choose.d": "skipped",
    }
    assert result(store, run, "choose")["path"] == "high"
    assert run.summary["skipped"] == 3


def test_no_branch_that_holds_is_no_failure(store: Store) -> None:
    """The path is then nothing."""
    run = done(store, flow(route("choose", ("never", "1 > 2", "a")), code("a", "1")))
    assert (run.state, result(store, run, "choose")) == ("done", {"path": None, "results": []})


def test_a_value_in_a_condition_cannot_change_what_it_means(store: Store) -> None:
    """Quotes, operators and code in a value are a value."""
    nasty = "x' or True or 'y && z"
    run = done(
        store,
        flow(
            setting("start", said=nasty),
            route("choose", ("yes", "{{said}} == 'x'", "a"), ("no", True, "b")),
            code("a", "1"),
            code("b", "2"),
        ),
    )
    assert result(store, run, "choose")["path"] == "no"


@pytest.mark.parametrize("condition", ["1 / 0 > 1", "len({{n}}) > 1", "{{n}}"])
def test_a_condition_that_fails_fails_its_node(store: Store, condition: str) -> None:
    """It never counts as false, and neither does one that is no yes or no."""
    run = done(
        store,
        flow(
            setting("start", n=3),
            route("choose", ("a", condition, "x"), ("b", True, "x")),
            code("x", "1"),
        ),
    )
    assert run.state == "failed"
    assert statuses(store, run) == {"start": "success", "choose": "failed"}


def each(alias: str = "each", **config: object) -> dict[str, object]:
    """An iterate over records with the body `work`."""
    return node(alias, "iterate", **{"records": "item_*", "body": "work", **config})  # type: ignore[arg-type]


FIND = code("find", "[{'n': 1}, {'n': 0}, {'n': 2}]", create_records="item")
WORK = code("work", "6 // n", input={"n": "{{current.n}}"}, store_to_record=True)


def test_a_record_that_fails_does_not_stop_the_others(store: Store) -> None:
    """It is marked, and told with its error."""
    run = done(store, flow(FIND, each(), WORK))
    told = result(store, run, "each")
    assert (run.state, told["processed"], told["total"], told["recordsFailed"]) == ("done", 2, 3, 1)
    assert told["errors"][0]["record_id"] == "item_002"
    assert "ZeroDivisionError" in told["errors"][0]["error"]
    assert [
        (each.id, each.status, dict(each.vars)) for each in list_run_records(store, run.id)
    ] == [
        ("item_001", "complete", {"work": 6}),
        ("item_002", "failed", {}),
        ("item_003", "complete", {"work": 3}),
    ]


def test_a_run_in_which_a_round_failed_is_doubted_until_that_is_dismissed(store: Store) -> None:
    """It is done, and says which share is missing and why."""
    workflow = flow(FIND, each(), WORK)
    (doubt,) = done(store, workflow).doubts
    assert (doubt["kind"], doubt["alias"]) == ("rounds", "each")
    assert str(doubt["sentence"]).startswith("1 of 3 rounds of each failed and were left out: ")
    assert "ZeroDivisionError" in str(doubt["sentence"])
    dismissed = {"checks": [{"kind": "rounds", "dismissed": True, "because": "one is known"}]}
    assert done(store, edit_node(workflow, "each", dismissed)).doubts == ()


def test_a_loop_of_which_every_round_failed_fails(store: Store) -> None:
    """Nothing of what it is for was done."""
    find = code("find", "[{'n': 0}, {'n': 0}]", create_records="item")
    run = done(store, flow(find, each(), WORK))
    assert run.state == "failed"
    assert "Every round failed, 2 in all" in str((run.error or {})["message"])


def test_on_error_stop_stops_at_the_record_that_fails(store: Store) -> None:
    """The run failed; what came before stays done and what comes after was not touched."""
    run = done(store, flow(FIND, each(on_error="stop"), WORK))
    assert run.state == "failed"
    assert [each.status for each in list_run_records(store, run.id)] == [
        "complete",
        "failed",
        "discovered",
    ]
    assert run.error is not None
    assert run.error["key"] == "id-each[item_002].id-work"


def test_an_iterate_over_nothing_is_a_success_with_0(store: Store) -> None:
    """Whether there are no records or the list is empty."""
    over = node("over", "iterate", over="{{none}}", variable="x", body="work2")
    make = code("make", "[]", create_records="item")
    nodes = (make, each(), WORK, setting("start", none=[]), over, code("work2", "1"))
    run = done(store, flow(*nodes))
    assert run.state == "done"
    assert result(store, run, "each")["total"] == result(store, run, "over")["processed"] == 0


def test_an_iterate_over_a_list_names_its_element_and_its_number(store: Store) -> None:
    """With a limit; index, total, isFirst and isLast are there too, and gone afterwards."""
    body = code(
        "say",
        "[name, i, index, total, isFirst, isLast]",
        input={
            name: f"{{{{{name}}}}}" for name in ("name", "i", "index", "total", "isFirst", "isLast")
        },
    )
    over = node(
        "each", "iterate", over="{{names}}", variable="name", index="i", body="say", limit=2
    )
    run = done(store, flow(setting("start", names=["a", "b", "c"]), over, body))
    assert [one["results"][0]["result"] for one in result(store, run, "each")["results"]] == [
        ["a", 0, 0, 2, True, False],
        ["b", 1, 1, 2, False, True],
    ]
    assert sorted(read_run_variables(store, run.id)) == ["names"]


def test_an_iterate_over_what_is_no_list_fails(store: Store) -> None:
    """A text is no list."""
    over = node("each", "iterate", over="{{names}}", variable="name", body="say")
    run = done(store, flow(setting("start", names="abc"), over, code("say", "1")))
    assert run.state == "failed"
    assert "must be a list" in str(run.error)


def test_records_found_again_keep_what_was_gathered(store: Store) -> None:
    """A second extraction brings new fields and wipes nothing."""
    keyed = {"type": "item", "key": "n"}
    again = code("again", "[{'n': 1, 'more': 7}, {'n': 9}]", create_records=keyed)
    find = {**FIND, "config": {**FIND["config"], "create_records": keyed}}
    run = done(store, flow(find, each(), WORK, again))
    first, *others = list_run_records(store, run.id)
    assert (first.status, dict(first.vars)) == ("complete", {"work": 6})
    assert dict(first.fields) == {"find": {"n": 1}, "again": {"n": 1, "more": 7}}
    assert len(others) == 3
    assert by_key(store, run)["again"].records == {"made": 1, "merged": 1, "total": 4}


def test_variables_of_one_run_are_unknown_to_the_next(store: Store) -> None:
    """Nothing stale is ever read."""
    workflow = flow(setting("start", kept="old"))
    done(store, workflow)
    run = done(store, flow(code("read", "kept", input={"kept": "{{kept}}"})))
    assert run.state == "failed"
    assert "{{kept}}" in str(run.error)


def handle(**parts: object) -> dict[str, object]:
    """A handle."""
    return node("handle", "handle", **parts)  # type: ignore[arg-type]


def test_a_catch_that_succeeds_clears_the_error(store: Store) -> None:
    """It sees what went wrong, and finally runs as well."""
    catch = code("mend", "error['node'] + ' mended'", input={"error": "{{lastError}}"})
    run = done(
        store,
        flow(
            handle(**{"try": "bad", "catch": "mend", "finally": "last"}),
            fails(),
            catch,
            code("last", "1"),
        ),
    )
    told = result(store, run, "handle")
    assert (run.state, told["recovered"], told["result"]) == ("done", True, "bad mended")
    assert told["error"]["node"] == "bad"
    assert by_key(store, run)["handle(finally).last"].status == "success"


def test_a_finally_never_masks_the_first_error(store: Store) -> None:
    """Not even if it fails itself; nor does a catch that fails."""
    run = done(
        store,
        flow(
            handle(**{"try": "bad", "catch": "worse", "finally": "worst"}),
            fails(),
            code("worse", "undefined_name", input={"undefined_name": "{{nothing}}"}),
            code("worst", "[][1]"),
        ),
    )
    assert run.state == "failed"
    assert run.error is not None
    assert run.error["node"] == "bad"
    assert statuses(store, run)["handle(finally).worst"] == "failed"


def test_a_try_that_succeeds_runs_no_catch(store: Store) -> None:
    """Its own result is the result."""
    run = done(
        store,
        flow(handle(**{"try": "good", "catch": "mend"}), code("good", "5"), code("mend", "6")),
    )
    assert result(store, run, "handle") == {
        "success": True,
        "recovered": False,
        "error": None,
        "result": 5,
    }
    assert "handle(catch).mend" not in statuses(store, run)


def test_a_group_stops_at_its_first_error_and_fails(store: Store) -> None:
    """It hides nothing."""
    group = node("group", "group", nodeRange="one..three")
    run = done(store, flow(group, code("one", "1"), fails("two"), code("three", "3")))
    assert run.state == "failed"
    assert statuses(store, run) == {
        "group": "failed",
        "group.one": "success",
        "group.two": "failed",
    }


def test_a_group_that_continues_tells_its_errors(store: Store) -> None:
    """And is no success inside."""
    group = node("group", "group", nodeRange="one..three", continueOnError=True)
    run = done(store, flow(group, code("one", "1"), fails("two"), code("three", "3")))
    told = result(store, run, "group")
    assert (run.state, told["success"], told["executed"]) == ("done", False, 2)
    assert told["errors"][0]["node"] == "two"


def test_a_group_hands_parameters_to_its_nodes(store: Store) -> None:
    """And runs nothing twice that belongs to another of its nodes."""
    group = node("group", "group", nodeRange="choose..say", params={"x": 7})
    say = code("say", "x", input={"x": "{{param.x}}"})
    run = done(store, flow(group, route("choose", ("a", True, "say")), say))
    assert statuses(store, run) == {
        "group": "success",
        "group.choose": "success",
        "group.choose.say": "success",
    }
    assert result(store, run, "group.choose.say") == 7


def test_isolated_runs_every_chosen_node_and_flow_only_those_at_the_top(store: Store) -> None:
    """A node inside another runs by itself only where nothing else runs it."""
    make = {"create_records": "item"}
    workflow = flow(each(), code("work", "1"), code("after", "[]", **make))
    assert statuses(store, done(store, workflow, mode="isolated")) == {
        "each": "success",
        "work": "success",
        "after": "success",
    }
    assert statuses(store, done(store, workflow)) == {"each": "success", "after": "success"}
    assert statuses(store, done(store, workflow, selection="work")) == {"work": "success"}
    assert statuses(store, done(store, workflow, selection="1,after")) == {
        "each": "success",
        "after": "success",
    }


def test_a_run_stops_at_the_first_error(store: Store) -> None:
    """And names the node; what follows was never begun."""
    run = done(store, flow(code("one", "1"), fails("two"), code("three", "3")))
    assert statuses(store, run) == {"one": "success", "two": "failed"}
    assert run.error is not None
    assert (run.error["node"], run.error["kind"]) == ("two", "SandboxError")


def test_store_keeps_what_templates_read(store: Store) -> None:
    """Whole results, members and named parts, whatever their type."""
    run = done(
        store,
        flow(
            code("number", "5", store=True),
            code("thing", "{'a': {'b': [1, 2]}}", store="*"),
            code("part", "{'list': [{'x': 9}]}", store={"list[0].x": "x"}),
            code(
                "read",
                "[n, b, x]",
                input={"n": "{{number.result}}", "b": "{{thing.a.b[1]}}", "x": "{{part.x}}"},
            ),
        ),
    )
    assert result(store, run, "read") == [5, 2, 9]


def test_what_cannot_be_kept_is_a_warning_or_a_failure_if_strict(store: Store) -> None:
    """As the node says."""
    run = done(store, flow(code("part", "{'a': 1}", store={"b": "x"})))
    assert run.state == "done"
    assert "'b'" in by_key(store, run)["part"].warnings[0]
    run = done(store, flow(code("part", "{'a': 1}", store={"b": "x"}, strict_store=True)))
    assert run.state == "failed"


def test_a_node_can_be_tried_in_the_workbench(store: Store) -> None:
    """Again and again, with a record for `current`; what it wrote stays for the next try."""
    workflow = flow(FIND, each(), WORK)
    asyncio.run(try_node(store, workflow, "find", RunDependencies()))
    for _ in range(2):
        run = asyncio.run(try_node(store, workflow, "work", RunDependencies(), record="item_003"))
        assert (run.state, result(store, run, "work")) == ("done", 3)
    assert by_key(store, run)["work"].attempt > 1
    assert dict(list_run_records(store, run.id)[2].vars) == {"work": 3}
    assert list_run_records(store, run.id)[0].status == "discovered"


@pytest.mark.parametrize("name", ["key", "self", "name"])
def test_the_variable_of_a_loop_may_have_any_name(store: Store, name: str) -> None:
    """Also one that the code around it uses itself."""
    loop = node("each", "iterate", over=[1, 2], variable=name, body="double")
    run = done(store, flow(loop, code("double", "n * 2", input={"n": f"{{{{{name}}}}}"})))
    assert (run.state, result(store, run, "each[1].double")) == ("done", 4)


def test_code_that_keeps_none_of_many_rows_says_what_their_fields_hold(store: Store) -> None:
    """As a note of its step: none may be right. A secret field stays hidden."""
    rows = [{"paid": f"{n}.50", "api_key": f"k{n}"} for n in range(260)]
    keep = "[row for row in rows if row['paid'] == wanted and row['api_key']]"
    workflow = flow(
        *(
            code(alias, keep, input={"rows": rows, "wanted": wanted})  # type: ignore[dict-item]
            for alias, wanted in (("none", "0"), ("one", "3.50"))
        )
    )
    run = asyncio.run(run_workflow(store, workflow, RunDependencies()))
    (note,) = by_key(store, run)["none"].notes
    assert note.startswith("None of 260 rows was kept. 'paid' is '0.50', '1.50', '2.50', ….")
    assert "k1" not in note
    assert by_key(store, run)["one"].notes == ()
