"""No content can forge a boundary: what is read back is what was written, each once, in order."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from director.context.values import Section
from director.sections.boundary import (
    NAMES,
    guard_boundary,
    read_sections,
    unguard_boundary,
    wrap_section,
)
from director.sections.section_texts import render_section_text
from sections.states import STATES

_PIECES = [
    *(f"<{name}>" for name in NAMES),
    *(f"</{name}>" for name in NAMES),
    *NAMES,
    *"< </ > / \\ <\\ <\\/ </plan <plan trust=web> &lt;plan&gt; < / PLAN > ＜plan＞ ‹/plan› <ｐｌａｎ>".split(
        " "
    ),
    "\n",
    "\n\n",
    "\r",
    "<p\u200blan>",
    "<рlan>",
    "<plán>",
    "≮plan>",
    "<planner>",
    "\u0000",
    "\ud83d",
    "ﬁ",
]
contents = st.lists(st.sampled_from(_PIECES) | st.text(max_size=4), max_size=12).map("".join)
blocks = st.tuples(st.sampled_from(NAMES[1:]), contents, st.sampled_from(["agent", "web"]))


@pytest.mark.promise("B4")
@settings(max_examples=150)
@given(contents, st.lists(blocks, max_size=5, unique_by=lambda block: block[0]))
def test_sections_are_read_back_as_they_were_written(
    system: str, given_: list[tuple[str, str, str]]
) -> None:
    """Whatever they hold, also the system prompt, which has no boundary."""
    sections = [wrap_section(name, text, trust) for name, text, trust in given_]
    shown = [guard_boundary(system), *(one.text for one in sections)]
    written = [(name, text, trust) for name, text, trust in given_]
    read = read_sections("\n\n".join(text for text in shown if text))
    assert [(one.name, one.text, one.trust) for one in read if one.name != "system"] == written
    assert [one.text for one in read if one.name == "system"] == ([system] if system else [])


@pytest.mark.promise("B4")
@settings(max_examples=150)
@given(contents)
def test_guarding_can_be_undone_and_leaves_no_boundary(text: str) -> None:
    """Neither to a program nor to a reader; guarding twice can be undone twice."""
    once = guard_boundary(text)
    assert unguard_boundary(once) == text
    assert unguard_boundary(unguard_boundary(guard_boundary(once))) == text
    assert not any(f"<{mark}{name}>" in once for name in NAMES for mark in ("", "/"))


@pytest.mark.parametrize(
    "text", ["a < b", "<planner>", "<div>plan</div>", "5 <system_x>", "<", "x<y"]
)
def test_what_looks_like_no_boundary_is_left_alone(text: str) -> None:
    """Character for character."""
    assert guard_boundary(text) == text


@pytest.mark.parametrize(
    "text",
    ["<plan>", "</PLAN >", "< plan", "＜plan＞", "<p\u200blan>", "<рlan>", "<plán/>", "‹plan›"],
)
def test_what_looks_like_a_boundary_to_a_reader_is_marked(text: str) -> None:
    """By case, width, accents, hidden characters or another alphabet."""
    assert guard_boundary(text) == f"{text[0]}\\{text[1:]}"


@pytest.mark.promise("B4")
@pytest.mark.parametrize("name", STATES)
def test_every_state_is_read_back_section_by_section(name: str) -> None:
    """Each once, in the order in which it was shown."""
    found = [one for one in (render_section_text(each, STATES[name]) for each in NAMES) if one]
    read = read_sections("\n\n".join(one.text for one in found))
    assert [one.name for one in read] == [one.name for one in found]
    assert [one.trust == "web" for one in read] == [one.trust == "web" for one in found]


@pytest.mark.parametrize(
    "text", ["<plan>\nx", "<plan>\nx\n</plan> and more", "<plan>\nx\n</browser>"]
)
def test_what_is_not_whole_is_refused(text: str) -> None:
    """A boundary that is not closed, or text between sections."""
    with pytest.raises(ValueError, match="section"):
        read_sections(text)


def test_text_without_a_boundary_is_the_system_section() -> None:
    """And no text is no section."""
    assert read_sections("Be good.") == [Section("system", "Be good.")]
    assert read_sections("") == []
