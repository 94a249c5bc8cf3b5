"""For how long a node is tried again while its site is away: by its effect, or as it says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from director.workflow.document import read_workflow_document, write_workflow_document
from director.workflow.edit import edit_node
from director.workflow.retry import DEFAULT, get_retry_seconds
from director.workflow.values import Json, Node, Workflow, WorkflowError

PROOF: Json = {"happened": [{"element": "#yes"}]}
CLICK: Json = {"action": "click", "selector": "#go"}


def flow(**more: Json) -> Workflow:
    """A workflow of one click."""
    node: dict[str, Json] = {"id": "n1", "alias": "go", "type": "browser_action", "config": CLICK}
    nodes: Json = [{**node, **more}]
    return read_workflow_document({"version": 2, "id": "w", "name": "W", "nodes": nodes})


def node_of(**more: Json) -> Node:
    """The click."""
    return flow(**more).nodes[0]


def test_reads_and_what_may_be_repeated_are_tried_again_and_the_rest_only_with_a_proof() -> None:
    """What must happen once is never repeated on a guess."""
    assert get_retry_seconds(node_of(effect="read")) == DEFAULT
    assert get_retry_seconds(node_of(effect="idempotent")) == DEFAULT
    assert get_retry_seconds(node_of(effect="once")) == 0
    assert get_retry_seconds(node_of(effect="once", proof=PROOF)) == DEFAULT
    assert get_retry_seconds(node_of(effect="read", retry=0)) == 0
    assert get_retry_seconds(node_of(effect="read", retry=120)) == 120


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"effect": "once", "retry": 5}, "only with a proof"),
        ({"effect": "read", "retry": -1}, "between 0 and 3600"),
        ({"effect": "read", "retry": 10_000}, "between 0 and 3600"),
    ],
)
def test_a_time_that_cannot_be_is_refused(more: dict[str, Json], said: str) -> None:
    """With what would be right."""
    with pytest.raises(WorkflowError, match=said):
        node_of(**more)


def test_a_document_says_it_only_where_it_is_said() -> None:
    """Documents of before stay as they are; what is said goes out and comes back."""
    plain = flow(effect="read")
    assert "retry" not in str(write_workflow_document(plain))
    said = flow(effect="read", retry=7)
    assert read_workflow_document(write_workflow_document(said)) == said
    assert replace(said, nodes=(replace(said.nodes[0], retry=None),)) == plain


def test_it_can_be_changed_and_taken_back() -> None:
    """By whoever edits the node."""
    changed = edit_node(flow(effect="read"), "go", {"retry": 9})
    assert changed.nodes[0].retry == 9
    assert edit_node(changed, "go", {"retry": None}).nodes[0].retry is None
