"""Every row of the tables that say what a fresh context holds, one test each, named after its row."""

from __future__ import annotations

import re

import pytest

from director.planning.agent_profiles import AGENTS, SKILLS, load_profile
from director.planning.section_format import DEEP, HEADED, ORDER
from director.planning.tasktypes import API, TESTING, UI, find_task_types
from planning.example import bakery, shown, source

_STEP = "goals/01-take-orders/02-ordering/STEP.md"
_TASK = "goals/01-take-orders/02-ordering/tasks/01-order-form.md"
_COLUMNS = {
    "Vision": "vision",
    "Gameplan": "gameplan",
    "Step": "current_step",
    "Task": "task",
    "Recent Changes": "recent_changes",
    "Instructions": "instructions",
    "State": "project_state",
    "Decisions": "decisions",
}
# Each tag that holds one file or more: who is shown it, and a file in it.
_STANDARD = {
    "vision": ("builder", "VISION.md"),
    "gameplan": ("planner", "GAMEPLAN.md"),
    "current_step": ("builder", _STEP),
    "task": ("builder", _TASK),
    "project_state": ("planner", "STATE.md"),
}
_DEEP = {
    "research": ("brainstorm", "research/FEATURES.md"),
    "codebase": ("builder", "codebase/CONVENTIONS.md"),
    "research_summary": ("planner", "research/SUMMARY.md"),
    "codebase_summary": ("planner", "codebase/SUMMARY.md"),
    "step_research": ("planner", "goals/01-take-orders/02-ordering/RESEARCH.md"),
}
# Each share of the window: its target, and the lines of the report that are meant.
_BUDGET = {
    "Vision": ("5-10%", "Vision"),
    "Current step": ("3-5%", "Current Step"),
    "Task": ("2-5%", "Task"),
    "Recent changes": ("3-5%", "Recent Changes"),
    "Instructions": ("1-2%", "Instructions"),
    "Reference docs": ("5-10%", "Reference Docs"),
    "Deep context": ("3-8% together", "Research Summary", "Research", "Codebase"),
}
# Vision, Gameplan, Step, Task, Recent Changes, Instructions, State, Decisions, Research, Codebase.
_AGENTS = {
    "Builder": "YNYYYYNY as-needed as-needed",
    "Planner": "YYNNYYYN summary summary",
    "Verifier": "YNYYYYNN no no",
    "Interviewer": "YNNNNYNN no no",
    "Inspector": "YYNNYYYN summary summary",
    "Syncer": "YNYNYYNN no no",
    "Mapper": "NNNNNYNN no no",
    "Researcher": "YNYYNYNN no no",
    "Deep Researcher": "YNNNNYNN no no",
    "Deep Mapper": "YNNNNYNN no no",
    "Synthesizer": "NNNNNYNN reads-directly no",
}
_SKILLS = {
    "Blueprint": (["SUMMARY.md"], []),
    "Build": ([], ["CONVENTIONS.md", "STRUCTURE.md"]),
    "Brainstorm": (["SUMMARY.md", "FEATURES.md"], ["ARCHITECTURE.md", "STACK.md"]),
    "Pivot": (["SUMMARY.md", "FEATURES.md"], ["ARCHITECTURE.md", "STACK.md"]),
    "Inspect": ([], ["CONVENTIONS.md", "TESTING.md"]),
}


@pytest.mark.parametrize("tag", _STANDARD)
def test_standard_tag(tag: str) -> None:
    """The Markdown inside is the file, unchanged."""
    agent, path = _STANDARD[tag]
    assert shown(bakery(agent))[tag] == {"": source(path)}


@pytest.mark.parametrize("tag", _DEEP)
def test_deep_context_tag(tag: str) -> None:
    """Unchanged too; files that share a tag stand under headings with their names."""
    agent, path = _DEEP[tag]
    name = path.rpartition("/")[2] if tag in HEADED else ""
    assert shown(bakery(agent))[tag][name] == source(path)


def test_standard_tag_decisions() -> None:
    """Locked, Flexible and Deferred word for word, with one rule for each."""
    text = shown(bakery("builder"))["decisions"][""]
    assert source(_STEP).partition("## Decisions\n")[2] in text
    assert [text.count(f"\n- {word} ") for word in ("Locked", "Flexible", "Deferred")] == [1, 1, 1]
    assert text.index("### Locked") < text.index("RULES:")


def test_standard_tag_recent_changes() -> None:
    """In plain language, without bookkeeping, and it is said how much of that was left out."""
    text = shown(bakery("builder"))["recent_changes"][""]
    assert "- New in shop: show the breads of today with their prices\n" in text
    assert "session" not in text
    assert "(2 commits" in text


def test_standard_tag_instructions() -> None:
    """The profile's own words first, reference documents behind them."""
    texts = shown(bakery("builder"))["instructions"]
    assert texts[""] == load_profile("builder").instructions
    assert list(texts)[1:] == [
        "terminology.md",
        "plain-language-guide.md",
        "verification-patterns.md",
    ]


@pytest.mark.parametrize("name", [*AGENTS, *SKILLS])
def test_tag_nesting_rules(name: str) -> None:
    """Side by side, each at most once, vision first, scope, context, instructions last."""
    tags = list(shown(bakery(name, fill=True)))
    assert tags == sorted(set(tags), key=ORDER.index)
    assert tags[-1] == "instructions"


@pytest.mark.parametrize("row", _AGENTS)
def test_agent_profile(row: str) -> None:
    """Exactly its sections, no more and no fewer."""
    marks, research, codebase = _AGENTS[row].split()
    made = shown(bakery(row.lower()))
    wanted = {tag for tag, mark in zip(_COLUMNS.values(), marks, strict=True) if mark == "Y"}
    assert set(made) - set(DEEP) == wanted
    for kind, told in (("research", research), ("codebase", codebase)):
        assert (f"{kind}_summary" in made) == (told == "summary")
        assert told == "as-needed" or kind not in made
        assert getattr(load_profile(row), kind) == told.replace("-", " ")


@pytest.mark.parametrize("row", _SKILLS)
def test_skill_profile(row: str) -> None:
    """The research and codebase files that it loads."""
    made = shown(bakery(row.lower()))
    for kind, files in zip(("research", "codebase"), _SKILLS[row], strict=True):
        assert (f"{kind}_summary" in made) == ("SUMMARY.md" in files)
        assert list(made.get(kind, {})) == [name for name in files if name != "SUMMARY.md"]


@pytest.mark.parametrize(
    ("row", "words", "files"),
    [
        ("UI", UI.words, ["CONVENTIONS.md", "STRUCTURE.md"]),
        ("API", API.words, ["ARCHITECTURE.md", "CONVENTIONS.md"]),
        ("Testing", TESTING.words, ["TESTING.md", "CONVENTIONS.md"]),
        ("General", ("bread", "information", "review", "specific", "latest"), ["CONVENTIONS.md"]),
    ],
    ids=["UI", "API", "Testing", "General"],
)
def test_task_type(row: str, words: tuple[str, ...], files: list[str]) -> None:
    """Each keyword tells it, and chooses its files."""
    for word in words:
        kinds = find_task_types(f"## What To Do\n\nDo the {word} now.\n")
        assert row in [one.name for one in kinds.types]
        assert list(kinds.files)[: len(files)] == files or len(kinds.types) > 1
        assert row == "General" or word in kinds.evidence[row]


@pytest.mark.parametrize("row", _BUDGET)
def test_budget_allocation(row: str) -> None:
    """The target is shown in the report beside what is used; it is no cap."""
    agent = "brainstorm" if row.startswith("Deep") else "builder"
    told = str(bakery(agent).report).splitlines()
    target, *lines = _BUDGET[row]
    for line in lines:
        (found,) = (one for one in told if one.strip().startswith(f"{line}:"))
        assert f"% of window, target {target};" in found


@pytest.mark.parametrize("row", ["Total"])
def test_budget_allocation_of_the_whole(row: str) -> None:
    """The report has a total in percent of both, the budget of 30% and a status."""
    made = bakery("builder")
    told = str(made.report)
    assert told.startswith("Context Budget Report:\n  Vision:")
    assert re.search(rf"  {row}: +{made.tokens:,} tokens \(\d+\.\d% of window; ", told)
    assert "Budget:             60,000 tokens (30% of a window of 200,000)" in told
    assert "Within budget" in told


@pytest.mark.parametrize(
    "hidden",
    [
        "Keep orders in the database\n\n## What To Do",
        "Make the baking list",
        "The list of bags",
        "A bell that rings",
        "A standing order is an order that repeats",
        "Mind the second tap",
    ],
)
def test_what_gets_excluded(hidden: str) -> None:
    """Other tasks, other steps, ideas, conversations, other agents' output."""
    assert hidden not in bakery("builder").text
