"""Truncation in the given orders; what is protected stays; what does not fit is refused in figures."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from director.context.values import chars4
from director.planning.budget_report import Limit
from director.planning.context_assembly import ContextRequest, Fresh, assemble_context
from director.planning.markdown import parse_markdown_blocks
from director.planning.recent_changes import Commit
from director.planning.section_budget import TooLarge
from director.planning.section_format import read_context
from planning.folders import SMALL, STEP, TASK, project_of

_LONG = "".join(
    f"## Part {n}\n\nSome words about part {n}.\n\n```\ncode {n}\n\nmore\n```\n\n"
    for n in range(60)
)
_FILES = {
    **SMALL,
    ".director/research/SUMMARY.md": "# Research in short\n\nFlour matters.\n",
    ".director/research/FEATURES.md": f"# Features\n\n{_LONG}",
    ".director/codebase/SUMMARY.md": "# Code in short\n\nThree files.\n",
    ".director/codebase/CONVENTIONS.md": f"# Conventions\n\n{_LONG}",
    ".director/codebase/STRUCTURE.md": f"# Structure\n\n{_LONG}",
    ".director/codebase/TESTING.md": f"# Testing\n\n{_LONG}",
    ".director/codebase/ARCHITECTURE.md": f"# Architecture\n\n{_LONG}",
    ".director/codebase/STACK.md": f"# Stack\n\n{_LONG}",
    ".director/GAMEPLAN.md": f"# Gameplan\n\n## Overview\n\n{_LONG}## Current Focus\n\n**Current Goal:** Goal 1\n",
    ".director/STATE.md": f"# State\n\n## Current Position\n\n**Current task:** Order form\n\n{_LONG}",
}
_COMMITS = [Commit("0" * 40, f"Change number {n} of the many that were made") for n in range(12)]


def made(agent: str, window: int, files: Mapping[str, str] = _FILES, **options: object) -> Fresh:
    """A context of these files in a window counted in fours of characters."""
    ask = ContextRequest(agent, **options)  # type: ignore[arg-type]
    return assemble_context(project_of(files), ask, Limit(window, chars4), commits=_COMMITS)


def whole(agent: str, files: Mapping[str, str] = _FILES) -> int:
    """The tokens of the uncut context."""
    return made(agent, 10_000_000, files).tokens


def steps(fresh: Fresh) -> list[str]:
    """The rules by which it was cut, in order."""
    return [cut.rule for cut in fresh.report.cuts]


def just_below(agent: str, files: Mapping[str, str] = _FILES, less: int = 1) -> Fresh:
    """The context in a window that is too small by so many tokens."""
    return made(agent, (whole(agent, files) - less) * 10 // 3 + 1, files)


def test_truncation_1_git_log_first() -> None:
    """The oldest commits go before anything else, one by one."""
    text = just_below("builder")
    assert steps(text) == ["git log first: fewer commits"]
    shown = dict(read_context(text.text))["recent_changes"][0][1]
    assert "Change number 0" in shown
    assert "Change number 9" not in shown
    assert "older changes left out" in shown


def test_truncation_2_reference_docs_second() -> None:
    """Only what bears on the task, then only their names."""
    cut = just_below("builder", less=130)
    assert steps(cut)[-1].startswith("reference docs second")
    texts = dict(dict(read_context(cut.text))["instructions"])
    assert "## Page, component, form" in texts["verification-patterns.md"]
    assert "## Test, spec" not in texts["verification-patterns.md"]
    assert "director context reference terminology.md" in texts["terminology.md"]


def test_truncation_3_step_context_third() -> None:
    """The step is told in short, in its own words."""
    long = {
        **_FILES,
        f"{STEP}/STEP.md": SMALL[f"{STEP}/STEP.md"].replace("## Tasks", f"{_LONG}\n## Tasks"),
    }
    cut = just_below("builder", long, less=900)
    assert steps(cut)[-1].startswith("step context third")
    step = dict(read_context(cut.text))["current_step"][0][1]
    assert step.startswith("# Step 1: Take orders\n")
    assert "Orders come in." in step
    assert "Order form" in step
    assert f"read {STEP}/STEP.md" in step


@pytest.mark.promise("B3")
@pytest.mark.parametrize("window", [2_000, 3_000, 6_000, 20_000, 60_000])
def test_truncation_4_and_5_never_task_vision_or_decisions(window: int) -> None:
    """However small the window is in which they fit."""
    texts = {tag: found[0][1] for tag, found in read_context(made("builder", window).text)}
    assert texts["vision"] == SMALL[".director/VISION.md"]
    assert texts["task"] == SMALL[TASK]
    assert SMALL[f"{STEP}/STEP.md"].partition("## Decisions\n")[2] in texts["decisions"]


def test_deep_truncation_1_summaries_over_specifics() -> None:
    """The summary stands where the files stood, and says which."""
    cut = just_below("brainstorm")
    assert steps(cut)[0] == "summaries over specifics: research"
    tags = dict(read_context(cut.text))
    assert "research" not in tags
    assert "stands for .director/research/FEATURES.md" in tags["research_summary"][0][1]


def test_deep_truncation_2_research_before_codebase() -> None:
    """While research gives way, the codebase is still there."""
    files = {path: text for path, text in _FILES.items() if not path.endswith("SUMMARY.md")}
    cut = just_below("brainstorm", files, less=500)
    assert steps(cut) == ["research before codebase: research gives way"]
    assert (
        dict(read_context(cut.text))["codebase"][0][1]
        == files[".director/codebase/ARCHITECTURE.md"]
    )


def test_deep_truncation_3_drop_unrelated_domains() -> None:
    """A task about a form needs no testing file when there is too little room."""
    files = {path: text for path, text in _FILES.items() if not path.endswith("SUMMARY.md")}
    cut = just_below("inspect", files)
    assert steps(cut) == ["unrelated domains are left out"]
    texts = dict(dict(read_context(cut.text))["codebase"])
    assert texts["TESTING.md"].startswith("[… all ")
    assert texts["CONVENTIONS.md"] == files[".director/codebase/CONVENTIONS.md"]


@pytest.mark.parametrize("window", [2_600, 4_000, 9_000])
def test_deep_truncation_4_never_drop_research_during_planning(window: int) -> None:
    """It is there in any window, and other sections gave way before it."""
    files = {**_FILES, ".director/research/SUMMARY.md": f"# Research\n\n{_LONG}"}
    for agent in ("planner", "blueprint"):
        cut = made(agent, window, files)
        assert "research_summary" in dict(read_context(cut.text))
        rules = steps(cut)
        given_way = [rule for rule in rules if rule.startswith("research_summary is shortened")]
        assert given_way == rules[-len(given_way) :] or not given_way
        assert rules[0].startswith("git log")


@pytest.mark.parametrize("window", [2_600, 4_000, 6_000])
def test_deep_truncation_5_never_drop_codebase_during_build(window: int) -> None:
    """Shortened last of all, block by block."""
    files = {
        path: text for path, text in _FILES.items() if not path.endswith("codebase/SUMMARY.md")
    }
    for agent in ("builder", "build"):
        cut = made(agent, window, files)
        texts = dict(dict(read_context(cut.text))["codebase"])
        assert list(texts) == ["CONVENTIONS.md", "STRUCTURE.md"]
        assert steps(cut)[-1] == "codebase is shortened, last of all"
        for name, text in texts.items():
            assert text.count("```") % 2 == 0
            assert f"read .director/codebase/{name}]" in text


def test_after_the_seeds_steps_the_state_gives_way_before_the_gameplan() -> None:
    """Both keep what says where the project is."""
    sizes = whole("planner")
    state_only = made("planner", (sizes - 600) * 10 // 3)
    assert steps(state_only)[-1] == "project_state is shortened"
    both = made("planner", 4_000)
    assert [rule for rule in steps(both) if "shortened" in rule][:2] == [
        "project_state is shortened",
        "gameplan is shortened",
    ]
    assert "**Current Goal:** Goal 1" in both.text


@pytest.mark.promise("B2")
@pytest.mark.parametrize("off", [-1, 0, 1])
def test_the_budget_holds_at_its_very_edge(off: int) -> None:
    """One token more or less decides whether something is cut, and never whether it is kept."""
    window = -(-whole("builder") * 10_000 // 3_000) + off
    cut = made("builder", window)
    assert cut.tokens <= window * 3 // 10
    assert (off < 0) == bool(cut.report.cuts)


@pytest.mark.promise("B2")
def test_what_may_not_be_cut_and_does_not_fit_is_refused_with_figures() -> None:
    """The sizes, the budget, and the window that would do."""
    with pytest.raises(TooLarge) as refused:
        made("builder", 500)
    told = str(refused.value)
    assert "the budget is 150 (30% of a window of 500)" in told
    assert re.search(r"vision \d+", told)
    need = int(told.rpartition("at least ")[2].rstrip(".").replace(",", ""))
    assert made("builder", need).tokens <= need * 3 // 10
    with pytest.raises(TooLarge):
        made("builder", need - 1)


def test_a_cut_falls_between_blocks_and_names_the_lines() -> None:
    """Fences, tables and lists stay whole."""
    files = {path: text for path, text in _FILES.items() if not path.endswith("SUMMARY.md")}
    cut = made("build", 6_000, files)
    section = next(one for one in cut.sections if one.name == "codebase")
    for source in section.sources:
        ends = {block.end for block in parse_markdown_blocks(source.text)}
        assert source.spans
        assert all(end in ends for _, end in source.spans)
        assert re.search(
            r"\[… lines \d+-\d+ of \d+ left out: read \.director/codebase/", source.notice
        )


@pytest.mark.parametrize(
    "heading", ["Decisions", "decisions:", "User Decisions", "Decisions (final)"]
)
def test_decisions_are_found_whatever_else_their_heading_says(heading: str) -> None:
    """What the user decided is never lost to a word."""
    step = (
        SMALL[f"{STEP}/STEP.md"].replace("## Decisions", f"## {heading}") + "\n## Later\n\nMore.\n"
    )
    shown = dict(read_context(made("builder", 200_000, {**SMALL, f"{STEP}/STEP.md": step}).text))
    assert "### Locked\n- Pay in the shop" in shown["decisions"][0][1]
    assert "More." not in shown["decisions"][0][1]


@pytest.mark.parametrize("heading", ["Open decisions", "Decisions to make"])
def test_a_heading_about_decisions_without_any_of_the_three_kinds_is_none(heading: str) -> None:
    """What is still open binds nobody."""
    step = f"# Step 1: S\n\n## {heading}\n\n- Which oven?\n"
    shown = dict(read_context(made("builder", 200_000, {**SMALL, f"{STEP}/STEP.md": step}).text))
    assert "decisions" not in shown


def test_missing_and_blank_files_leave_no_trace() -> None:
    """No empty tag, no word about it."""
    bare = made("builder", 200_000, {".director/VISION.md": " \n", TASK: SMALL[TASK]})
    assert [tag for tag, _ in read_context(bare.text)] == ["task", "recent_changes", "instructions"]


def test_fill_takes_whole_files_that_the_task_names_into_spare_budget() -> None:
    """Off by default; a file that does not fit is told and left."""
    names = {
        f"{STEP}/recipes.md": "flour\n",
        f"{STEP}/other.md": "not named\n",
        f"{STEP}/big-book.md": "x" * 9_000,
    }
    task = SMALL[TASK].replace("Task 1.", "Needs recipes.md and the big book.")
    files = {**SMALL, **names, TASK: task}
    assert "working_files" not in dict(read_context(made("builder", 200_000, files).text))
    filled = made("builder", 6_000, files, fill=True)
    assert dict(read_context(filled.text))["working_files"] == ((f"{STEP}/recipes.md", "flour\n"),)
    assert any("no room for" in note and "big-book.md" in note for note in filled.notes)
    both = made("builder", 200_000, files, fill=True)
    assert len(dict(read_context(both.text))["working_files"]) == 2
