"""The calls of Director as compact cards: what was called, with what, what came of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from director.agent.permissions.origin_requests import ASKED
from director.services.conversations import Called

State: TypeAlias = Literal["done", "failed", "held", "running", "interrupted", "asked", "answered"]
SCOUTS = ("deploy_scout", "send_scout")
_LINE = 110
# What tells most about a call, the most telling first.
_TELLING = (
    "reason",
    "instruction",
    "alias",
    "node",
    "nodes",
    "url",
    "selector",
    "variableName",
    "query",
    "question",
    "tabName",
)


@dataclass(frozen=True, slots=True)
class FindingView:
    """What a scout found, and whether it held when it was done again on the page."""

    text: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Card:
    """A call: how it stands, a line about it, and in full what was given and what came back."""

    id: str
    tool: str
    state: State
    line: str
    args: str
    result: str
    left_out: int = 0
    images: int = 0
    findings: tuple[FindingView, ...] = ()
    question: str = ""
    choices: tuple[str, ...] = ()
    source: str = ""


def make_call_card(call: Called, *, running: bool, asked: str) -> Card:
    """A call as a card; `asked` is the call that waits for the user's word, if one does."""
    args = _args(call.args)
    question = str(args.get("question", "")) if call.tool == "ask_user" else ""
    choices = args.get("choices")
    return Card(
        call.id,
        call.tool,
        _state(call, running=running, asked=asked, is_question=bool(question)),
        _line(args, call),
        json.dumps(args, indent=2, ensure_ascii=False) if args else call.args,
        call.result,
        call.characters - len(call.result),
        call.images,
        _findings(call),
        question,
        tuple(map(str, choices)) if isinstance(choices, list) else (),
        call.source,
    )


def _state(call: Called, *, running: bool, asked: str, is_question: bool) -> State:
    if call.state == "open":
        if call.id == asked:
            return "asked"
        return "running" if running else "interrupted"
    if call.state == "failed" and ASKED in call.result:
        # Nothing went wrong: the user is asked first.
        return "held"
    return "answered" if is_question else call.state


def _args(written: str) -> Mapping[str, object]:
    try:
        found = json.loads(written or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _line(args: Mapping[str, object], call: Called) -> str:
    told = [str(args[name]) for name in _TELLING if isinstance(args.get(name), str | int)]
    if call.tool in SCOUTS and call.state != "open":
        held = sum(each.holds for each in _findings(call))
        told.insert(0, "1 finding confirmed" if held == 1 else f"{held} findings confirmed")
    line = " · ".join(" ".join(each.split()) for each in told if each)
    return line if len(line) <= _LINE else f"{line[: _LINE - 1]}…"


def _findings(call: Called) -> tuple[FindingView, ...]:
    """The findings in a scout's report: a line each, those that were dropped under a heading."""
    if call.tool not in SCOUTS:
        return ()
    found: list[FindingView] = []
    holds = True
    for line in call.result.splitlines():
        if line.startswith("Dropped"):
            holds = False
        elif line.startswith("- "):
            found.append(FindingView(line.removeprefix("- "), holds))
    return tuple(found)
