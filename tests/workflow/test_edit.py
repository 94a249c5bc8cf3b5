"""Workflows change by whole steps: checked from end to end, references to the same nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from director.workflow.edit import (
    NodeDraft,
    add_nodes,
    delete_nodes,
    edit_node,
    move_nodes,
    parse_edit_draft,
)
from director.workflow.references import (
    ChildNodes,
    alias_references,
    list_direct_nodes,
    list_parts,
    list_referenced_ids,
    list_referring_nodes,
    map_parents,
)
from director.workflow.values import Input, Json, Node, Workflow, WorkflowError
from director.workflow.workflow_checks import check_workflow, check_workflow_alias
from workflow_examples import CLICK, ids, mailbox, nodes_named

Ids: TypeAlias = Callable[[], str]


def aliases(workflow: Workflow) -> list[str]:
    """The aliases in their order."""
    return [node.alias for node in workflow.nodes]


def named(workflow: Workflow, alias: str) -> Node:
    """The node of an alias."""
    return next(node for node in workflow.nodes if node.alias == alias)


def body(workflow: Workflow, alias: str = "each") -> list[str]:
    """The aliases of what belongs to a node."""
    names = {node.id: node.alias for node in workflow.nodes}
    return [names[id_] for part in list_parts(named(workflow, alias)) for id_ in part.nodes]


def click(alias: str) -> NodeDraft:
    """One more click."""
    return NodeDraft("browser_action", alias, CLICK)


def test_references_are_kept_as_ids_and_shown_as_aliases() -> None:
    """A range is shown as one where the nodes follow each other."""
    workflow = mailbox()
    assert named(workflow, "each").config["body"] == ["id_4", "id_5"]
    assert alias_references(named(workflow, "each"), workflow.nodes)["body"] == ["read", "choose"]
    choose = alias_references(named(workflow, "choose"), workflow.nodes)["branches"]
    assert isinstance(choose, list)
    assert [branch["branch"] for branch in choose] == ["label", []]


@pytest.mark.parametrize(
    ("written", "places"),
    [
        (3, [3]),
        ("c", [3]),
        ([1, 3], [1, 3]),
        (["c", "a"], [3, 1]),
        (["c", "a", "c"], [3, 1, 3]),
        ("b..d", [2, 3, 4]),
        ("2-4", [2, 3, 4]),
        (["a", "c..d"], [1, 3, 4]),
        ("a, c", [1, 3]),
        (["id_2"], [2]),
        ([], []),
    ],
)
def test_nodes_can_be_named_in_any_way(written: Json, places: list[int]) -> None:
    """Position, alias, list, range; a list keeps its order and its repetitions."""
    nodes = nodes_named("a", "b", "c", "d")
    assert list_referenced_ids(written, nodes) == tuple(f"id_{place}" for place in places)


def test_the_two_numbers_of_a_group_are_the_ends_of_its_range() -> None:
    """Elsewhere a list of numbers is a list of nodes."""
    workflow = add_nodes(
        Workflow("w", "W", nodes_named("a", "b", "c")),
        [
            NodeDraft("group", "g", {"nodeRange": [1, 3]}),
            NodeDraft("iterate", "i", {"records": "*", "body": [1, 3]}),
        ],
        new_id=ids_after(3),
    )
    assert body(workflow, "g") == ["a", "b", "c"]
    assert body(workflow, "i") == ["a", "c"]


def ids_after(last: int) -> Ids:
    """Ids that follow those of named nodes."""
    new_id = ids()
    for _ in range(last):
        new_id()
    return new_id


def test_a_workflow_tells_what_belongs_to_what() -> None:
    """A node may belong to several; only those at the top run by themselves."""
    workflow = mailbox()
    inside = map_parents(workflow)
    assert inside["id_6"] == (ChildNodes("id_5", "spam", ("id_6",)),)
    assert [node.alias for node in list_referring_nodes(workflow, "id_6")] == ["choose"]
    assert list_direct_nodes(workflow, [node.id for node in workflow.nodes]) == (
        "id_1",
        "id_2",
        "id_3",
        "id_7",
    )
    assert list_direct_nodes(workflow, ["id_4", "id_5", "id_6"]) == ("id_4", "id_5")


def test_inserting_shifts_positions_and_no_reference() -> None:
    """The range, the branch and the template still mean what they meant."""
    workflow = add_nodes(mailbox(), [click("login"), click("code")], new_id=ids_after(7), at=2)
    assert aliases(workflow)[:4] == ["open", "login", "code", "find"]
    assert body(workflow) == ["read", "choose"]
    assert body(workflow, "choose") == ["label"]


def test_a_node_between_two_of_a_body_belongs_to_the_body() -> None:
    """Before its first or after its last it does not."""
    within = add_nodes(mailbox(), [click("star")], new_id=ids_after(7), at="choose")
    assert body(within) == ["read", "star", "choose"]
    assert body(add_nodes(mailbox(), [click("star")], new_id=ids_after(7), at="read")) == body(
        mailbox()
    )
    assert body(add_nodes(mailbox(), [click("star")], new_id=ids_after(7), at="report")) == body(
        mailbox()
    )


def test_a_loop_put_into_a_body_brings_its_own_body_along() -> None:
    """Only the loop belongs to the outer body, so nothing runs twice."""
    drafts = [
        NodeDraft("iterate", "inner", {"over": [1], "variable": "x", "body": "star"}),
        click("star"),
    ]
    workflow = add_nodes(mailbox(), drafts, new_id=ids_after(7), at="choose")
    assert body(workflow) == ["read", "inner", "choose"]
    assert body(workflow, "inner") == ["star"]


def test_nodes_of_one_call_may_refer_to_each_other_and_to_no_node_that_is_missing() -> None:
    """The error says to create it first."""
    with pytest.raises(
        WorkflowError, match=r"Did you mean 'label'.*Create what it refers to first"
    ):
        add_nodes(
            mailbox(),
            [NodeDraft("handle", "h", {"try": "labell", "catch": 1})],
            new_id=ids_after(7),
        )


@pytest.mark.parametrize(
    ("alias", "says"),
    [
        ("Open", "'open' would do"),
        ("log in", "'log_in' would do"),
        ("1st", "must begin with a-z"),
        ("", "must begin with a-z"),
        ("größe", "only a-z"),
        ("current", "meaning of its own"),
        ("all", "meaning of its own"),
        ("node4", "meaning of its own"),
    ],
)
def test_an_alias_is_a_plain_word(alias: str, says: str) -> None:
    """A word that templates and selections can use, and none that they use otherwise."""
    with pytest.raises(WorkflowError, match=says):
        check_workflow_alias(alias)


def test_an_alias_is_given_once() -> None:
    """Nor may it be another node's id."""
    for alias in ("find", "id_2"):
        with pytest.raises(WorkflowError, match="would both be called"):
            add_nodes(mailbox(), [click(alias)], new_id=ids_after(7))
    with pytest.raises(WorkflowError, match="would both be called"):
        edit_node(mailbox(), "open", {"alias": "find"})


def test_an_update_merges_the_config_or_replaces_it() -> None:
    """Null takes a field out; what results is checked."""
    workflow = edit_node(mailbox(), "find", {"config": {"limit": 5, "store": None}})
    assert named(workflow, "find").config["limit"] == 5
    assert "store" not in named(workflow, "find").config
    replaced = edit_node(
        mailbox(), 2, {"config": {"method": "count", "selector": "tr"}}, merge="replace"
    )
    assert named(replaced, "find").config == {"method": "count", "selector": "tr"}
    with pytest.raises(WorkflowError, match="Did you mean 'limit'"):
        edit_node(mailbox(), "find", {"config": {"limt": 5}})
    with pytest.raises(WorkflowError, match="Did you mean 'config'"):
        edit_node(mailbox(), "find", {"confg": {}})
    shorter = edit_node(mailbox(), "each", {"config": {"body": ["read"]}})
    assert body(shorter) == ["read"]


def test_the_effect_follows_the_config_unless_its_author_said_otherwise() -> None:
    """A click that became a wait may be repeated."""
    wait: Json = {"config": {"action": "wait", "time": 5}}
    assert named(mailbox(), "label").effect == "once"
    assert (
        named(edit_node(mailbox(), "label", wait, merge="replace"), "label").effect == "idempotent"
    )
    said = edit_node(mailbox(), "label", {"effect": "read"})
    assert named(edit_node(said, "label", wait, merge="replace"), "label").effect == "read"
    with pytest.raises(WorkflowError, match="read, idempotent, once"):
        edit_node(mailbox(), "label", {"effect": "twice"})


def test_a_new_alias_is_carried_into_templates_and_references() -> None:
    """Templates in configs and conditions name the node as it is called now."""
    workflow = edit_node(
        mailbox(), "report", {"ensures": [{"count": "tr", "equals": "{{find.count}}"}]}
    )
    renamed = edit_node(workflow, "find", {"alias": "seek"})
    assert named(renamed, "report").config["selector"] == "#n{{seek.count}}"
    assert named(renamed, "report").ensures == ({"count": "tr", "equals": "{{seek.count}}"},)
    again = edit_node(renamed, "read", {"alias": "judge"})
    assert body(again) == ["judge", "choose"]


def test_a_node_that_others_need_is_not_deleted() -> None:
    """The error names who refers to it, by reference or by template."""
    for which, who in (("label", "choose"), ("find", "report"), ("4-5", "each")):
        with pytest.raises(WorkflowError, match=f"{who} refers to it"):
            delete_nodes(mailbox(), which)


def test_a_node_can_be_taken_out_of_what_refers_to_it() -> None:
    """With handle_dependencies; a loop that would be empty is refused all the same."""
    workflow = delete_nodes(mailbox(), "label", handle_dependencies=True)
    assert body(workflow) == ["read", "choose"]
    assert body(workflow, "choose") == []
    with pytest.raises(WorkflowError, match="'each'"):
        delete_nodes(mailbox(), "read..label", handle_dependencies=True)
    assert aliases(delete_nodes(mailbox(), "each..label")) == ["open", "find", "report"]


def test_moving_keeps_references_and_brings_them_into_the_new_order() -> None:
    """A list that follows the workflow goes on doing so; one in an order of its own keeps it."""
    workflow = move_nodes(mailbox(), "choose", to="read")
    assert aliases(workflow) == ["open", "find", "each", "choose", "read", "label", "report"]
    assert body(workflow) == ["choose", "read"]
    backwards = edit_node(mailbox(), "each", {"config": {"body": ["choose", "read"]}})
    assert body(move_nodes(backwards, "label", to="read")) == ["choose", "read"]
    assert aliases(move_nodes(mailbox(), "open..find", to="end"))[-2:] == ["open", "find"]
    assert aliases(move_nodes(mailbox(), 7, to=1))[0] == "report"


def test_nodes_that_run_one_another_without_end_are_refused() -> None:
    """Directly, or by way of others."""
    with pytest.raises(WorkflowError, match="each → each"):
        edit_node(mailbox(), "each", {"config": {"body": "each..label"}})
    branches: Json = [{"name": "again", "condition": True, "branch": "each"}]
    with pytest.raises(WorkflowError, match="without end: each → choose → each"):
        edit_node(mailbox(), "choose", {"config": {"branches": branches}})


def test_a_draft_is_read_from_an_object() -> None:
    """What it lacks or does not know is named."""
    draft = parse_edit_draft(
        {"type": "agent", "alias": "a", "config": {"goal": "x"}, "ensures": [{"url": "*"}]}
    )
    assert draft.ensures == ({"url": "*"},)
    with pytest.raises(WorkflowError, match=r"'alias' is missing.*'config' is missing"):
        parse_edit_draft({"type": "agent"})
    with pytest.raises(WorkflowError, match="Did you mean 'alias'"):
        parse_edit_draft({"type": "agent", "alis": "a", "config": {}})
    with pytest.raises(WorkflowError, match="'requires': this must be a list"):
        parse_edit_draft({"type": "agent", "alias": "a", "config": {}, "requires": "x"})
    proven = edit_node(mailbox(), "label", {"proof": {"happened": [{"element": "#ok"}]}})
    assert edit_node(proven, "label", {"proof": None, "alias": None, "ensures": None}) == mailbox()


@pytest.mark.parametrize(
    ("nodes", "inputs", "says"),
    [
        (
            (Node("a", "x", "agent", {"goal": "g"}), Node("a", "y", "agent", {"goal": "g"})),
            (),
            "'a'",
        ),
        ((Node("a", "x", "agent", {}),), (), "is empty"),
        ((Node("a", "x", "agent", {"goal": "g"}, requires=({"elment": "#a"},)),), (), "requires"),
        (
            (Node("a", "x", "agent", {"goal": "g"}, proof={"happened": []}),),
            (),
            "list of conditions",
        ),
        ((Node("a", "x", "iterate", {"records": "*", "body": ["gone"]}),), (), "do not exist"),
        ((), (Input("a b"),), "cannot be a name"),
        ((), (Input("a"), Input("a")), "Two inputs"),
        ((), (Input("a", default=1, required=True),), "never used"),
    ],
)
def test_a_workflow_is_checked_as_a_whole(
    nodes: tuple[Node, ...], inputs: tuple[Input, ...], says: str
) -> None:
    """Names, configs, conditions, references, inputs."""
    with pytest.raises(WorkflowError, match=says):
        check_workflow(Workflow("w", "W", nodes, inputs))


_steps = st.lists(
    st.tuples(
        st.sampled_from(["add", "move", "delete", "rename"]), st.integers(1, 12), st.integers(1, 12)
    ),
    max_size=8,
)


@settings(max_examples=30, deadline=None)
@given(_steps)
def test_after_any_changes_references_mean_the_same_nodes(
    steps: list[tuple[str, int, int]],
) -> None:
    """A body loses only what was deleted, gains only what was put inside it, and stays in order."""
    new_id = ids()
    workflow = mailbox(new_id)
    before = {
        part.owner + part.name: set(part.nodes) for n in workflow.nodes for part in list_parts(n)
    }
    added: set[str] = set()
    for number, step in enumerate(steps):
        known = {node.id for node in workflow.nodes}
        workflow = _changed(workflow, step, new_id, alias=f"new_{number}")
        added |= {node.id for node in workflow.nodes} - known
    left = [node.id for node in workflow.nodes]
    assert check_workflow(workflow) is workflow
    for node in workflow.nodes:
        for part in list_parts(node):
            was = before[part.owner + part.name]
            assert set(part.nodes) - added == was & set(left)
            assert list(part.nodes) == [id_ for id_ in left if id_ in part.nodes]
        shown = alias_references(node, workflow.nodes)
        assert edit_node(workflow, node.alias, {"config": shown}) == workflow


def _changed(
    workflow: Workflow, step: tuple[str, int, int], new_id: Ids, *, alias: str
) -> Workflow:
    count = len(workflow.nodes)
    what, first, second = step
    try:
        if what == "add":
            return add_nodes(workflow, [click(alias)], new_id=new_id, at=min(first, count + 1))
        if what == "move":
            return move_nodes(workflow, min(first, count), to=min(second, count))
        if what == "rename":
            return edit_node(workflow, min(first, count), {"alias": alias})
        return delete_nodes(workflow, min(first, count), handle_dependencies=second > 6)
    except WorkflowError:
        return workflow


def test_what_a_test_proposed_of_a_field_goes_with_the_way_in_which_it_was_read() -> None:
    """With that of its field, or with all of another list; what somebody decided stays."""
    fields = {"number": "td:nth-child(2)", "name": ".name"}
    heading = {"kind": "cells", "field": "number", "heading": "Id"}
    unique = {"kind": "unique", "field": "name"}
    counted = {"kind": "total", "counter": "# lamps"}
    decided = {"kind": "blank", "field": "number", "dismissed": True, "because": "rare"}
    draft = NodeDraft(
        "browser_query",
        "read",
        {"method": "deterministic_extract", "selector": "tr", "fields": fields},
        checks=(heading, unique, counted, decided),
    )
    built = add_nodes(Workflow("w", "W"), [draft], new_id=lambda: "n1")

    def change(**config: Json) -> list[Json]:
        return [*edit_node(built, "read", {"config": config}).nodes[0].checks]

    assert change(limit=5) == [heading, unique, counted, decided]
    assert change(fields={**fields, "number": "td:nth-child(3)"}) == [unique, counted, decided]
    assert change(selector="tbody tr") == [decided]
