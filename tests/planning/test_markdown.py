"""Markdown is cut between blocks only, and no character is lost between them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from director.planning.markdown import (
    find_frontmatter_end,
    list_markdown_headings,
    parse_markdown_blocks,
    read_markdown_fields,
    read_markdown_section,
)

_PIECES = [
    "```",
    "```py",
    "~~~~",
    "    ```",
    "- a",
    "  - b",
    "1. c",
    "| a | b |",
    "|---|---|",
    "# H",
]
_PIECES += [
    "## S",
    "> q",
    "text",
    "",
    "---",
    "<!--",
    "-->",
    "- ```",
    "  ```",
    "\r",
    "x: `y`",
    "````",
]
texts = st.lists(st.sampled_from(_PIECES), max_size=20).map("\n".join)


@given(texts)
def test_blocks_follow_one_another_without_a_gap(text: str) -> None:
    """Together they are the text."""
    assert "".join(text[one.start : one.end] for one in parse_markdown_blocks(text)) == text


@given(texts)
def test_no_cut_leaves_a_fence_open_that_was_closed(text: str) -> None:
    """As a simple reader counts them: outside of a fence at each cut."""
    for block in parse_markdown_blocks(text)[:-1]:
        fence = ""
        for line in text[: block.end].replace("\r", "\n").split("\n"):
            bare = line.lstrip(" ")
            if len(line) - len(bare) > 3:
                continue
            run = bare[: len(bare) - len(bare.lstrip(bare[:1]))] if bare[:1] in ("`", "~") else ""
            if not fence and len(run) >= 3 and not (run[0] == "`" and "`" in bare[len(run) :]):
                fence = run
            elif fence and run.startswith(fence) and not bare[len(run) :].strip():
                fence = ""
        assert fence == ""


@pytest.mark.parametrize(
    "whole",
    [
        "```python\na\n\nb\n```\n",
        "~~~\n```\n\n~~~\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "- a\n\n  more\n\n- b\n",
        "Intro:\n- a\n\n- b\n",
        "1. a\n   ```\n\n   ```\n2. b\n",
        "<!-- a\n\nb -->\n",
        "---\na: b\n\nc: d\n---\n",
        "> a\n> b\n",
    ],
)
def test_fences_tables_lists_comments_and_frontmatter_are_one_block(whole: str) -> None:
    """Nothing inside is a place to cut."""
    assert len(parse_markdown_blocks(whole)) == 1
    assert len(parse_markdown_blocks(f"{whole}\nBehind it.\n")) == 2


def test_headings_in_fences_are_none() -> None:
    """Nor in comments."""
    text = "# A\n```\n# no\n```\n<!--\n# no\n-->\n## B ##\n#no\n"
    assert [(one.level, one.words) for one in list_markdown_headings(text)] == [(1, "A"), (2, "B")]


def test_a_section_ends_at_the_next_heading_of_its_level() -> None:
    """Deeper ones belong to it."""
    text = "## A\none\n### deep\ntwo\n## B\nthree\n"
    assert read_markdown_section(text, "a") == "one\n### deep\ntwo\n"
    assert read_markdown_section(text, "C") == ""


def test_fields_are_read_whatever_dash_stands_ahead() -> None:
    """The first of a name counts."""
    assert read_markdown_fields("**Status:** On\n- **Progress:**  3 of 4\n**Status:** Off\n") == {
        "status": "On",
        "progress": "3 of 4",
    }


def test_frontmatter_ends_behind_its_second_line_of_dashes() -> None:
    """Without that there is none."""
    assert find_frontmatter_end("---\na: b\n---\nc") == len("---\na: b\n---\n")
    assert find_frontmatter_end("---\na: b\n") == 0
