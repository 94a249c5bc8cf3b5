"""Exactly what a model sees of a state, in files: a change of a text is seen in its review.

`DIRECTOR_GOLDEN=write ./test -k golden` writes the files anew.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from director.sections.boundary import NAMES
from director.sections.overview import write_overview_summary
from director.sections.section_texts import render_section_text
from director.sections.variables import render_variables_in_full
from director.sections.workflow import render_workflow_section
from sections.states import STATES

GOLDEN = Path(__file__).parent / "golden"
_SHOWN = [
    (state, name)
    for state, given in STATES.items()
    for name in NAMES
    if name != "system" and render_section_text(name, given)
]


def held(file: str, text: str) -> None:
    """A text is what its file holds."""
    path = GOLDEN / file
    if os.environ.get("DIRECTOR_GOLDEN") == "write":
        path.write_text(f"{text}\n", encoding="utf-8")
    assert text == path.read_text(encoding="utf-8").removesuffix("\n")


@pytest.mark.parametrize(("state", "name"), _SHOWN)
def test_a_section_is_the_text_in_its_file(state: str, name: str) -> None:
    """Byte for byte."""
    found = render_section_text(name, STATES[state])
    assert found is not None
    held(f"{state}.{name}.txt", found.text)


def test_nothing_is_shown_of_a_summary_that_does_not_exist() -> None:
    """All other sections say that there is nothing yet."""
    assert [name for name in NAMES if render_section_text(name, STATES["begun"]) is None] == [
        "summary"
    ]


def test_the_narrower_forms_are_the_texts_in_their_files() -> None:
    """Some of the nodes, variables in full, the overview."""
    state = STATES["building"]
    some = render_workflow_section(
        state.workflow, state.statuses, range_="2-6", type_="browser_action"
    )
    held("building.workflow_some.txt", some.text)
    held(
        "building.variables_all.txt",
        render_variables_in_full(state.variables, state.workflow, name="all").text,
    )
    held("building.overview.txt", write_overview_summary(state))


def test_every_file_is_still_asked_for() -> None:
    """None is left over."""
    extra = {"workflow_some", "variables_all", "overview"}
    asked = {f"{state}.{name}.txt" for state, name in _SHOWN}
    asked |= {f"building.{name}.txt" for name in extra}
    assert {path.name for path in GOLDEN.iterdir()} == asked
