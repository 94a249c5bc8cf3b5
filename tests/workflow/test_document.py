"""A workflow is one JSON document, and comes back from it as it was."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from director.workflow.document import read_workflow_document, write_workflow_document
from director.workflow.values import Input, Node, Workflow, WorkflowError
from workflow_examples import ids, mailbox

_words = st.text(max_size=12)
_names = st.sampled_from("open find each read choose label report a b c x_1".split())
_nodes = st.builds(
    Node,
    id=st.uuids().map(str),
    alias=_names,
    type=st.just("context"),
    config=st.dictionaries(
        st.just("variables"),
        st.dictionaries(
            _names.map("v_{}".format),
            st.integers() | _words.map(lambda w: w.replace("{", "")),
            min_size=1,
        ),
        min_size=1,
    ),
    description=_words,
    effect=st.sampled_from(["read", "idempotent", "once"]),
    requires=st.lists(st.just({"url": "https://example.org/*"}), max_size=2).map(tuple),
    ensures=st.lists(st.just({"count": "tr", "equals": 3}), max_size=2).map(tuple),
    proof=st.none() | st.just({"happened": [{"element": "#ok"}]}),
)
_workflows = st.builds(
    Workflow,
    id=_words,
    name=_words,
    nodes=st.lists(_nodes, max_size=4, unique_by=lambda node: node.alias).map(tuple),
    inputs=st.lists(
        st.builds(
            Input,
            name=_names.map("in_{}".format),
            description=_words,
            default=st.none() | st.integers(),
        ),
        max_size=3,
        unique_by=lambda given: given.name,
    ).map(tuple),
    origins=st.lists(_words, max_size=2).map(tuple),
    description=_words,
    limits=st.dictionaries(_words, st.integers(), max_size=2),
)


@settings(deadline=None, max_examples=30)
@given(_workflows)
def test_a_workflow_comes_back_from_its_document_as_it_was(workflow: Workflow) -> None:
    """Through the text of JSON, and with the same document again."""
    document = write_workflow_document(workflow)
    again = read_workflow_document(json.loads(json.dumps(document)))
    assert again == workflow
    assert write_workflow_document(again) == document


def test_references_survive_the_document() -> None:
    """They are ids in it."""
    assert (
        read_workflow_document(json.loads(json.dumps(write_workflow_document(mailbox()))))
        == mailbox()
    )


def test_a_document_written_by_hand_names_nodes_by_alias() -> None:
    """Ids, defaults and effects are filled in."""
    written = {
        "version": 1,
        "id": "w",
        "name": "By hand",
        "nodes": [
            {"alias": "each", "type": "iterate", "config": {"records": "*", "body": "go"}},
            {"alias": "go", "type": "browser_action", "config": {"action": "back"}},
        ],
    }
    workflow = read_workflow_document(written, new_id=ids())
    assert workflow.nodes[0].config["body"] == ["id_2"]
    assert [node.effect for node in workflow.nodes] == ["idempotent", "once"]
    with pytest.raises(WorkflowError, match=r"nodes\[0\] needs 'id'"):
        read_workflow_document(written)


def test_a_document_of_an_earlier_version_finds_what_it_found() -> None:
    """CSS took the first of several and keys went to the focus; both are said in its notes."""
    nodes = [
        {"alias": "pay", "config": {"action": "click", "selector": "button"}},
        {"alias": "one", "config": {"action": "click", "selector": "#go"}},
        {"alias": "last", "config": {"action": "click", "selector": "a", "nth": -1}},
        {"alias": "key", "config": {"action": "keypress", "key": "Enter"}},
    ]
    written = {
        "id": "w",
        "name": "W",
        "nodes": [{"id": each["alias"], "type": "browser_action", **each} for each in nodes],
    }
    read = read_workflow_document({"version": 2, **written})
    assert [node.config.get("first") for node in read.nodes] == [True, None, None, None]
    assert read.nodes[3].config["page"] is True
    assert [note.partition(":")[0] for note in read.notes] == ["'pay'", "'key'"]
    assert read_workflow_document(write_workflow_document(read)) == read
    with pytest.raises(WorkflowError, match="exactly one of selector, page"):
        read_workflow_document({"version": 3, **written})


def _broken(**changes: Any) -> dict[str, Any]:
    return {**write_workflow_document(mailbox()), **changes}


def _broken_node(**changes: Any) -> dict[str, Any]:
    document: dict[str, Any] = write_workflow_document(mailbox())
    return {**document, "nodes": [{**document["nodes"][0], **changes}, *document["nodes"][1:]]}


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ([], "is an object, not a list"),
        ({}, "version None"),
        (_broken(version=4), "version 4; this program reads versions 1 to 3"),
        (_broken(version=True), "version True"),
        (_broken(nods=[]), "Did you mean 'nodes'"),
        (_broken(name=3), "'name' cannot be a whole number"),
        (_broken(nodes={}), "'nodes' must be a list"),
        (_broken(nodes=[3]), r"nodes\[0\] must be an object"),
        (_broken(inputs=[{"nam": "x"}]), r"inputs\[0\] has no 'nam'"),
        (_broken(inputs=[{}]), r"inputs\[0\] needs 'name'"),
        (_broken(origins=[3]), r"origins\[0\] must be a text"),
        (_broken_node(config=[]), r"nodes\[0\]: 'config' cannot be a list"),
        (_broken_node(config={"action": "clik"}), r"nodes\[0\] \(open\): .*'click'"),
        (_broken_node(type="brwser_action"), "Did you mean 'browser_action'"),
        (_broken_node(alias="find"), "Two nodes are called 'find'"),
        (_broken_node(effect="twice"), "read, idempotent, once"),
        (_broken_node(requires=["x"]), "A condition is an object"),
        (_broken_node(status="done"), r"nodes\[0\] has no 'status'"),
        (_broken_node(type="iterate", config={"records": "*", "body": ["gone"]}), "no node 'gone'"),
    ],
)
def test_a_bad_document_is_refused_with_the_place(document: Any, says: str) -> None:
    """Nothing in it is dropped or repaired."""
    with pytest.raises(WorkflowError, match=says):
        read_workflow_document(document)
