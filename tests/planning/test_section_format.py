"""No content can forge or close a tag, or pass for another file; all is read back as it was."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from director.planning.recent_changes import (
    Commit,
    read_change_log,
    read_recent_changes,
    simplify_change_subject,
)
from director.planning.section_format import (
    HEADED,
    ORDER,
    Source,
    escape_section_name,
    read_context,
    render_context,
    write_section,
)
from director.planning.tasktypes import contains_task_word, find_task_types

_BITS = [
    *(f"<{mark}{tag}>" for tag in ORDER for mark in ("", "/")),
    "## A.md",
    "\\## A.md",
    "## .director/x.md",
    "\n",
    "<",
    "\\",
]
_BITS += [
    "＜vision＞",
    "<vіsion>",
    "</Vision >",
    "## a/b ",
    "##  c.md",
    "\r\n",
    "\x00",
    "\udc80",
    "\x85",
    "\u2028",
]
contents = st.lists(st.sampled_from(_BITS) | st.text(max_size=3), max_size=10).map("".join)
_FORMS = {"instructions": "{}.md", "working_files": ".director/{}.txt"}


def texts_of(tag: str) -> st.SearchStrategy[tuple[str, list[tuple[str, str]]]]:
    """Files with names such as a section has them."""
    words = st.text(min_size=1, max_size=8) if tag in _FORMS else st.sampled_from("ABC")
    names = words.map(_FORMS.get(tag, "{}.md").format)
    return st.tuples(st.just(tag), st.lists(st.tuples(names, contents), min_size=1, max_size=3))


@pytest.mark.promise("B4")
@settings(max_examples=120)
@given(
    st.lists(
        st.sampled_from(ORDER).flatmap(texts_of),
        max_size=4,
        unique_by=lambda one: one[0],
    )
)
def test_what_is_read_back_is_what_was_written(
    given_: list[tuple[str, list[tuple[str, str]]]],
) -> None:
    """Each section once, in order, each file byte for byte."""
    sections = []
    for tag, texts in given_:
        kept = texts if tag in HEADED else [("", texts[0][1])]
        sections.append(
            write_section(tag, tuple(Source("s", text, "r", name) for name, text in kept))
        )
    back = read_context(render_context(sections))
    ranked = sorted(sections, key=lambda one: ORDER.index(one.name))
    assert back == [
        (one.name, tuple((escape_section_name(source.name), source.text) for source in one.sources))
        for one in ranked
    ]


@pytest.mark.promise("B4")
@pytest.mark.parametrize(
    "text", ["</vision>", "<task>", "< / TASK >", "＜instructions＞", "<tаsk>"]
)
def test_look_alikes_of_our_tags_are_escaped_and_nothing_else(text: str) -> None:
    """A reader is not fooled either."""
    whole = render_context(
        [write_section("vision", (Source("s", f"a {text} <div> <tasks> b", "r"),))]
    )
    assert f"a {text[0]}\\{text[1:]} <div> <tasks> b" in whole


@pytest.mark.promise("B4")
@pytest.mark.parametrize(
    "text", ["## package.json", "## v1.2.0", "## src/api/", "### A.md", "# A.md"]
)
def test_a_heading_that_is_no_name_of_such_a_file_stays_as_it_is(text: str) -> None:
    """Only what could pass for another file of the same section gets a backslash."""
    source = Source("s", f"one\n{text}\ntwo\n", "r", "A.md")
    assert f"one\n{text}\ntwo\n" in render_context([write_section("codebase", (source,))])
    assert "\\## A.md" in render_context(
        [write_section("codebase", (Source("s", "## A.md", "r", "B.md"),))]
    )


@pytest.mark.parametrize(
    "text",
    [
        "<vision>\na",
        "x",
        "<vision>\na\n</vision>\n\n<vision>\nb\n</vision>\n",
        "<vision>\na\n</vision>\nx",
    ],
)
def test_a_text_that_is_no_context_is_refused(text: str) -> None:
    """Half a section, something between two, one that is there twice."""
    with pytest.raises(ValueError, match=r"section|twice"):
        read_context(text)


@pytest.mark.parametrize(
    ("subject", "told"),
    [
        ("feat(create-prd): add a plugin", "New in create-prd: add a plugin"),
        ("fix: split the check (#31)", "Fixed: split the check"),
        ("docs(05-02): complete the plan", "Documentation: complete the plan"),
        ("refactor!: drop the old form", "Reworked (breaks what was): drop the old form"),
        ("[quick] make it blue", "Quick change: Make it blue"),
        ("Merge pull request #3 from mira/oven", "Merged mira/oven"),
        ("Merge branch 'main' of example.org:x", "Merged main"),
        ("note: not a type", "Note: not a type"),
        ("added the oven", "Added the oven"),
        ("", "(a commit without a subject)"),
    ],
)
def test_a_commit_is_told_in_plain_language(subject: str, told: str) -> None:
    """Without codes."""
    assert simplify_change_subject(subject) == told


def test_bookkeeping_is_left_out_before_ten_are_taken() -> None:
    """And only what lay between them is counted."""
    log = [Commit("1", "session: update timestamps"), Commit("2", "Log undo: x")] * 3
    found = read_recent_changes([*log, *(Commit("3", f"Change {n}") for n in range(12)), *log])
    assert (len(found.lines), found.left_out) == (10, 6)
    assert read_recent_changes([]).text == "No earlier progress is recorded.\n"
    assert [one.subject for one in read_change_log("abcdef1 2026-01-02 a b\nabcdef2 c\nno\n")] == [
        "a b",
        "c",
    ]


@pytest.mark.parametrize(
    ("subject", "books"),
    [
        ("session: update timestamps", True),
        ("Session: updated state after task 3", True),
        ("Log undo: the last task", True),
        ("session: keep it in a cookie", False),
        ("feat(session): update timestamps", False),
        ("Logging: undo", False),
    ],
)
def test_only_the_tools_own_commits_are_bookkeeping(subject: str, books: bool) -> None:  # noqa: FBT001
    """A project may have sessions of its own."""
    assert read_recent_changes([Commit("1", subject)]).left_out == books


@pytest.mark.parametrize(
    ("word", "text", "there"),
    [
        ("form", "information", False),
        ("view", "a review", False),
        ("spec", "specific", False),
        ("test", "the latest, tested", False),
        ("test", "Write tests", True),
        ("server", "IntersectionObserver", False),
        ("REST", "the rest of it", False),
        ("REST", "a REST interface", True),
        ("unit test", "a unit\ntest", True),
        ("CSS", "some css.", True),
        ("query", "two queries", True),
    ],
)
def test_a_word_counts_only_whole(word: str, text: str, there: bool) -> None:  # noqa: FBT001
    """Or as a plural."""
    assert contains_task_word(word, text) is there


def test_only_what_is_to_do_and_when_it_is_done_tell_the_kind() -> None:
    """Why it matters does not."""
    task = "# Task: Page\n\n## What To Do\n\nBake.\n\n## Why It Matters\n\nThe form.\n\n## Done When\n\n- a route answers\n"
    assert find_task_types(task).evidence == {"API": ("route",)}
