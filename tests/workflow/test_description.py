"""A description holds what the user wants; what is missing is suggested, never an error."""

from __future__ import annotations

import json

import pytest

from director.workflow.description import (
    PARTS,
    SUGGESTIONS,
    DescriptionError,
    encode_description,
    list_description_suggestions,
    list_missing_description_parts,
    parse_description,
)
from workflow.written import DESCRIBED


def refused(description: object) -> str:
    """What is said about a description that cannot be taken."""
    with pytest.raises(DescriptionError) as error:
        parse_description(description)
    return str(error.value)


def test_a_description_comes_back_as_it_was_written() -> None:
    """As JSON and as a text of JSON."""
    assert encode_description(parse_description(DESCRIBED)) == DESCRIBED
    assert encode_description(parse_description(json.dumps(DESCRIBED))) == DESCRIBED


def test_missing_parts_are_suggested_with_what_they_should_tell() -> None:
    """In the order of the description; a name is always there and the history writes itself."""
    description = parse_description(DESCRIBED)
    assert list_missing_description_parts(description)[0] == "decision_matrix"
    assert "success_criteria: how to see that a run did its work" in list_description_suggestions(
        description
    )
    full = {part: ["x"] for part in PARTS} | dict.fromkeys(
        ("workflow_name", "goal", "trigger"), "x"
    )
    assert list_missing_description_parts(parse_description(full)) == ()
    assert set(PARTS) - set(SUGGESTIONS) == {"workflow_name", "revision_history"}


def test_a_table_is_taken_for_a_list_of_its_rows() -> None:
    """Models like to write decisions as an object."""
    description = parse_description({"workflow_name": "x", "decision_matrix": {"sold out": "stop"}})
    assert description.decision_matrix == ({"sold out": "stop"},)


@pytest.mark.parametrize(
    ("part", "value", "says"),
    [
        ("workflow_name", "", "'workflow_name' is empty"),
        ("workflow_name", None, "'workflow_name' is missing"),
        ("goal", ["x"], "'goal' must be a text, not a list"),
        ("busines_rules", ["x"], "Did you mean 'business_rules'?"),
        ("actors", "the buyer", "actors: this must be a list of texts or objects, not a text"),
        ("actors", ["x", 3], "actors[1]: this must be a text or an object"),
        ("actors", ["x" * 40_001], "may have 40,000"),
    ],
)
def test_a_mistake_is_named_where_it_stands(part: str, value: object, says: str) -> None:
    """With what the right form is."""
    assert says in refused({**DESCRIBED, part: value})


def test_what_is_no_description_is_refused() -> None:
    """Whatever a model sends."""
    assert "not JSON" in refused("a shop")
    assert "must be an object" in refused([])
