"""What Director did, in steps: calls that serve one intention as a group with a title and a result.

A title is in the agent's own words before its calls, else made from what the calls did. A group
that failed says so until a later call has put it right; nothing is called fixed that was not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from director.web.views.calls import Card

Mark: TypeAlias = tuple[str, str]
_TITLE = 90
_WHY = 200
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_STRUCTURED = re.compile(r"^\s*([-*+#>|]|\d+[.)])|[`*_\[|]")
_BLANK = re.compile(r"\n\s*\n")
# What a call did and what it does, with its arguments put in.
_DID: Mapping[str, tuple[str, str]] = {
    "update_plan": ("Wrote the plan", "Writing the plan"),
    "get_current_plan": ("Read the plan", "Reading the plan"),
    "update_workflow_description": ("Described the workflow", "Describing the workflow"),
    "get_workflow_description": ("Read the description", "Reading the description"),
    "get_workflow_summary": ("Read the workflow", "Reading the workflow"),
    "get_workflow_nodes": ("Read the nodes", "Reading the nodes"),
    "get_workflow_variables": ("Read the variables", "Reading the variables"),
    "get_workflow_variable": ("Read {variableName}", "Reading {variableName}"),
    "set_variable": ("Set {variableName}", "Setting {variableName}"),
    "clear_variable": ("Cleared {variableName}", "Clearing {variableName}"),
    "clear_all_variables": ("Cleared all variables", "Clearing all variables"),
    "get_browser_state": ("Looked at the browser", "Looking at the browser"),
    "inspect_tab": ("Looked at the page", "Looking at the page"),
    "find": ("Searched the page", "Searching the page"),
    "expand": ("Read a part of the page", "Reading a part of the page"),
    "read": ("Read a part of the page", "Reading a part of the page"),
    "describe_element": ("Looked at an element", "Looking at an element"),
    "debug_navigate": ("Opened {url}", "Opening {url}"),
    "debug_action": ("Tried {action} on the page", "Trying {action} on the page"),
    "debug_open_tab": ("Opened a tab", "Opening a tab"),
    "debug_close_tab": ("Closed a tab", "Closing a tab"),
    "deploy_scout": ("Sent a scout", "A scout looks at the page"),
    "send_scout": ("Sent a scout", "A scout looks at the page"),
    "create_node": ("Created {alias}", "Creating {alias}"),
    "update_node": ("Changed {node}", "Changing {node}"),
    "delete_node": ("Deleted {node}", "Deleting {node}"),
    "move_node": ("Moved {node}", "Moving {node}"),
    "test_single_node": ("Tested {node}", "Testing {node}"),
    "execute_nodes": ("Ran nodes: {nodes}", "Running nodes: {nodes}"),
    "ask_user": ("Asked: {question}", "Waiting for your answer"),
    "ask_secret": ("Asked for the secret {name}", "Waiting for the secret {name}"),
    "recall": ("Looked up an earlier message", "Looking up an earlier message"),
    "describe_node_type": ("Read how {type} works", "Reading how {type} works"),
    "declare_input": ("Declared the input {name}", "Declaring the input {name}"),
    "remove_input": ("Removed the input {name}", "Removing the input {name}"),
    "reset_browser": ("Reset the browser", "Resetting the browser"),
}
_MARKS: Mapping[str, Mark] = {
    "done": ("ok", "Done"),
    "failed": ("bad", "Failed"),
    "held": ("wait", "Asked you first"),
    "running": ("run", "Running"),
    "interrupted": ("skp", "Not finished"),
}
_WORST_FIRST = ("running", "failed", "interrupted", "held")
_HELD = {"held": "Not done yet: it needs your approval first."}
_TESTS = ("test_single_node", "execute_nodes")
_COUNTED = (
    ("create_node", "1 node created", "{} nodes created"),
    ("update_node", "1 node changed", "{} nodes changed"),
    ("delete_node", "1 node deleted", "{} nodes deleted"),
)


@dataclass(frozen=True, slots=True)
class StepLine:
    """A call as a sentence; `why` is what it failed with, and `fixed` that it was put right."""

    card: Card
    text: str
    mark: Mark
    took: float | None
    why: str = ""
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class StepPart:
    """The steps of one entry of the conversation."""

    seq: int
    shown: str
    steps: tuple[StepLine, ...]


@dataclass(frozen=True, slots=True)
class StepGroup:
    """Steps that serve one intention: their title, their result in one line."""

    title: str
    parts: tuple[StepPart, ...]

    @property
    def steps(self) -> tuple[StepLine, ...]:
        """All of them."""
        return tuple(step for part in self.parts for step in part.steps)

    @property
    def is_failed(self) -> bool:
        """Whether something in it is still failed."""
        return any(step.card.state == "failed" and not step.fixed for step in self.steps)

    @property
    def fix_count(self) -> int:
        """How many failures were put right."""
        return sum(step.fixed for step in self.steps)

    @property
    def mark(self) -> Mark:
        """The mark of the worst that is in it."""
        states = [step.card.state for step in self.steps if not step.fixed]
        worst = next(
            (each for each in ("running", "failed", "interrupted", "held") if each in states), ""
        )
        return _MARKS[worst or "done"]

    @property
    def name(self) -> str:
        """Its title, else what its calls did."""
        if self.title:
            return self.title
        doing = [step for step in self.steps if step.card.tool in dict(_STRONG)] or self.steps
        tools = list(dict.fromkeys(step.card.tool for step in doing))
        if len(doing) == 1:
            return doing[0].text
        return dict(_STRONG).get(tools[0], doing[0].text)

    @property
    def line(self) -> str:
        """What came of it."""
        running = [step for step in self.steps if step.card.state == "running"]
        if running:
            return f"step {len(self.steps)}: {running[0].text}"
        if len(self.steps) == 1 and not self.title:
            return ""
        done = [step.card.tool for step in self.steps if step.card.state == "done"]
        said = [
            (one if done.count(tool) == 1 else many.format(done.count(tool)))
            for tool, one, many in _COUNTED
            if tool in done
        ]
        tests = [step for step in self.steps if step.card.tool in _TESTS]
        passed = sum(step.card.state == "done" for step in tests)
        open_ = sum(step.card.state == "failed" and not step.fixed for step in tests)
        if passed:
            said.append("1 test passed" if passed == 1 else f"{passed} tests passed")
        if open_:
            said.append(f"{open_} failed")
        count = len(self.steps)
        return ", ".join(said) or ("1 step" if count == 1 else f"{count} steps")

    @property
    def took(self) -> float | None:
        """How long its steps took, as far as that is known."""
        known = [step.took for step in self.steps if step.took is not None]
        return sum(known) if known else None


# What a group is named by, if it did this and something else.
_STRONG = (
    ("create_node", "Built nodes"),
    ("update_node", "Changed nodes"),
    ("delete_node", "Deleted nodes"),
    ("execute_nodes", "Ran the workflow"),
    ("test_single_node", "Tested nodes"),
    ("update_plan", "Wrote the plan"),
)


def extract_step_title(text: str) -> tuple[str, str]:
    """The words that stay a message, and the last sentence as a title, if it can be one."""
    paragraphs = _BLANK.split(text.strip())
    last = paragraphs[-1]
    if "\n" in last.strip() and _STRUCTURED.search(last):
        return text, ""
    sentences = _SENTENCE.split(last.strip())
    title = sentences[-1].strip().rstrip(".:…").strip()
    if not 3 <= len(title) <= _TITLE or _STRUCTURED.search(title) or title.endswith("?"):
        return text, ""
    before = " ".join(sentences[:-1])
    return "\n\n".join([*paragraphs[:-1], *([before] if before else [])]), title[0].upper() + title[
        1:
    ]


def step_lines(
    cards: Sequence[Card], later: Sequence[Card], *, began: float, ends: Mapping[str, float]
) -> tuple[StepLine, ...]:
    """Cards as sentences; `later` are the calls that came after them, which may put one right."""
    found = []
    at = began
    for nth, card in enumerate(cards):
        end = ends.get(card.id)
        took = max(0.0, end - at) if end is not None else None
        at = end if end is not None else at
        fixed = card.state == "failed" and _is_fixed(card, [*cards[nth + 1 :], *later])
        mark = ("bad", "Failed, then fixed") if fixed else _MARKS.get(card.state, ("ok", "Done"))
        why = _first_line(card.result) if card.state == "failed" else _HELD.get(card.state, "")
        found.append(StepLine(card, _sentence(card), mark, took, why, fixed))
    return tuple(found)


def _is_fixed(card: Card, later: Sequence[Card]) -> bool:
    target = _target(card)
    for other in later:
        if other.state != "done":
            continue
        if other.tool == card.tool and _target(other) == target:
            return True
        if card.tool in _TESTS and other.tool in _TESTS and _target(other) in (target, "all"):
            return True
    return False


def _target(card: Card) -> str:
    args = _args(card)
    return str(next((args[n] for n in ("node", "nodes", "alias", "url", "name") if n in args), ""))


def _sentence(card: Card) -> str:
    did, doing = _DID.get(card.tool, (card.tool, card.tool))
    said = doing if card.state == "running" else did
    args = {name: _short(value) for name, value in _args(card).items()}
    try:
        return said.format(**args)
    except (KeyError, IndexError, ValueError):
        return said.partition("{")[0].rstrip(" :") or card.tool


def _args(card: Card) -> Mapping[str, object]:
    try:
        found = json.loads(card.args or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _short(value: object) -> str:
    said = " ".join(str(value).split())
    return said if len(said) <= _TITLE else f"{said[: _TITLE - 1]}…"


def _first_line(text: str) -> str:
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= _WHY else f"{line[: _WHY - 1]}…"
