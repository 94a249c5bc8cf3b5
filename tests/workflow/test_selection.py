"""A selection names nodes by position, alias or range; what it cannot mean is refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from director.workflow.selection import resolve_selection
from director.workflow.values import WorkflowError
from workflow_examples import nodes_named

NODES = nodes_named("open", "login", "find", "each", "read", "label", "done", "a", "b", "c")


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("5", [5]),
        ("3-5", [3, 4, 5]),
        ("1-3,10", [1, 2, 3, 10]),
        (" 1 - 3 , 10 ", [1, 2, 3, 10]),
        ("login", [2]),
        ("login..read", [2, 3, 4, 5]),
        ("read, open", [1, 5]),
        ("2,2-3,login", [2, 3]),
        ("all", list(range(1, 11))),
        ("ALL", list(range(1, 11))),
        ("id_7", [7]),
    ],
)
def test_a_selection_names_nodes(text: str, places: list[int]) -> None:
    """Each once, in the order of the workflow."""
    assert resolve_selection(text, NODES) == tuple(f"id_{place}" for place in places)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("0", "has nodes 1 to 10"),
        ("11", "has nodes 1 to 10"),
        ("4-12", "There is no node 12"),
        ("5-3", "runs backwards"),
        ("read..login", "runs backwards"),
        ("logn", "Did you mean 'login'?"),
        ("open..redd", "Did you mean 'read'?"),
        ("", "There is no node ''"),
        ("1,,2", "There is no node ''"),
        ("-3", "There is no node '-3'"),
    ],
)
def test_what_does_not_exist_is_refused_with_what_does(text: str, says: str) -> None:
    """The error names the nearest alias or the positions there are."""
    with pytest.raises(WorkflowError, match=says.replace("?", r"\?")):
        resolve_selection(text, NODES)


def test_a_workflow_without_nodes_has_nothing_to_select() -> None:
    """Not even all."""
    with pytest.raises(WorkflowError, match="no nodes"):
        resolve_selection("all", [])


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 10), st.integers(1, 10)), min_size=1, max_size=5))
def test_numbers_and_aliases_mean_the_same(ranges: list[tuple[int, int]]) -> None:
    """A range of positions and the range of their aliases select the same nodes."""
    ends = [(min(pair), max(pair)) for pair in ranges]
    by_number = ",".join(f"{a}-{b}" for a, b in ends)
    by_alias = ",".join(f"{NODES[a - 1].alias}..{NODES[b - 1].alias}" for a, b in ends)
    chosen = {place for a, b in ends for place in range(a, b + 1)}
    assert resolve_selection(by_number, NODES) == resolve_selection(by_alias, NODES)
    assert resolve_selection(by_number, NODES) == tuple(f"id_{place}" for place in sorted(chosen))


@settings(max_examples=50, deadline=None)
@given(st.text(alphabet="0123456789-,. abcdefx_", max_size=12))
def test_any_text_selects_or_is_refused_in_words(text: str) -> None:
    """Nothing else is raised."""
    try:
        chosen = resolve_selection(text, NODES)
    except WorkflowError:
        chosen = ()
    assert set(chosen) <= {node.id for node in NODES}
