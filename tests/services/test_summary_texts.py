"""The text of a summary as people read it."""

from __future__ import annotations

import json

import pytest

from director.services.summary_texts import write_summary_markdown

SUMMARY = {
    "user_goal": "Buy a lamp. [1]",
    "openTasks": ["pay", {"node": "read", "why": None}],
    "names": {"shop": "Lamps", "sizes": [1, 2]},
    "errors": [],
}
SHOWN = """\
### User goal

Buy a lamp. [1]

### Open Tasks

- pay
- node: read; why: none

### Names

- **Shop**: Lamps
- **Sizes**: 1, 2

### Errors

None."""


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("{}", SHOWN),
        ("```json\n{}\n```", SHOWN),
        ("Here it is:\n\n```\n{}\n```\n", f"Here it is:\n\n{SHOWN}"),
        ("{}\n[Left out of t1–t4]\nt2 user: so", f"{SHOWN}\n\n[Left out of t1–t4]\nt2 user: so"),
    ],
)
def test_json_is_shown_as_headings_and_lists(written: str, shown: str) -> None:
    """Alone, in a fence, after a line that leads to it, and before what was put back."""
    for indent in (None, 1):
        text = json.dumps(SUMMARY, indent=indent)
        assert write_summary_markdown(written.replace("{}", text)) == shown


def test_citations_behind_the_lines_of_json_are_within_its_texts() -> None:
    """Each line of a summary is given one, whatever the line is."""
    written = [
        "{ [1]",
        ' "goal": "Buy a lamp.", [1, 2]',
        ' "open": [',
        '  "pay", [4]',
        '  "read" [6]',
        " ]",
        "} [6]",
        "t8 user: so [8]",
    ]
    shown = "### Goal\n\nBuy a lamp. [1, 2]\n\n### Open\n\n- pay [4]\n- read [6]"
    assert write_summary_markdown("\n".join(written)) == f"{shown}\n\nt8 user: so [8]"
    assert write_summary_markdown('{"goal": "Buy a lamp."} [1]') == "### Goal\n\nBuy a lamp."


@pytest.mark.parametrize(
    "text",
    ["", "Plain {words}.", 'He sent {"a": 1} to it.', '{"a": 1} is what he sent.', "{}", '{"a": 1'],
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    """Also where braces or JSON stand within a sentence, and where the JSON breaks off."""
    assert write_summary_markdown(text) == text
