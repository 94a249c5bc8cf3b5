"""Searching a conversation for some words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from director.services.outgoing import redact_result
from director.services.workspace import Workspace
from director.store import Entry

_SHOWN_HITS = 60
_AROUND = 60
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class SearchHit:
    """Where some words were said: the turn, who said it, the words around them."""

    at: int
    who: str
    before: str
    found: str
    after: str


@redact_result
def search_conversation(workspace: Workspace, thread: str, words: str) -> list[SearchHit]:
    """Where these words stand in the conversation, the newest first."""
    wanted = words.strip().casefold()
    if not wanted:
        return []
    found: list[SearchHit] = []
    turn = 0
    for entry in workspace.reads.entries(thread):
        # A result is shown with the turn that called for it.
        turn = turn if entry.kind == "result" else entry.seq
        for who, text in _searched(entry):
            # What is cut out of a text may hold the half of a secret: that is redacted nowhere.
            shown = workspace.clean(text)
            at = shown.casefold().find(wanted)
            if at >= 0:
                found.append(_hit(turn, who, shown, at, len(wanted)))
    return found[: -_SHOWN_HITS - 1 : -1]


def _searched(entry: Entry) -> Iterator[tuple[str, str]]:
    if entry.kind == "checkpoint":
        yield "summary", str(entry.body.get("summary") or "")
    elif entry.kind in ("user", "agent", "result"):
        who = {"user": "you", "agent": "Director", "result": "result"}[entry.kind]
        yield who, str(entry.body.get("text") or "")


def _hit(seq: int, who: str, text: str, at: int, length: int) -> SearchHit:
    before = _SPACES.sub(" ", text[max(0, at - _AROUND) : at])
    after = _SPACES.sub(" ", text[at + length : at + length + _AROUND])
    return SearchHit(seq, who, before, text[at : at + length], after)
