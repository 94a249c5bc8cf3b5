"""Whether the cached prefix of a conversation was kept, over every request that a test makes.

What is stable must be the same in the next request, byte for byte: the tools, the sections ahead of
the first one that may change, and every message ahead of the block behind the history.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import pairwise

from director.agent.agent_session import AgentSession
from director.agent.request_log.kept_requests import RequestRecord
from director.context.values import Section, Turn, UserTurn
from director.models.script_values import Seen, Shown
from director.sections.boundary import read_sections

# What changes them is rare and wanted: another summary, another agreement with the user.
_RARE = ("summary", "description")
MADE: ContextVar[list[RequestRecord] | None] = ContextVar("made", default=None)


@dataclass(slots=True)
class WatchedSession(AgentSession):
    """A session whose requests can be read, and are looked at when the test is over."""

    requests: list[RequestRecord] = field(default_factory=list)

    @contextmanager
    def keep_record(self, record: RequestRecord) -> Iterator[RequestRecord]:
        """Make a request inside; it is kept, and remembered."""
        with AgentSession.keep_record(self, record):
            try:
                yield record
            finally:
                self.requests.append(record)
                all_of_the_test = MADE.get()
                if all_of_the_test is not None:
                    all_of_the_test.append(record)


def moved(requests: Iterable[RequestRecord]) -> list[str]:
    """What was changed of the prefix of a conversation, without a summary or another profile."""
    threads: dict[object, list[RequestRecord]] = {}
    for one in requests:
        asked = one.asked
        key = (asked.thread, asked.by, asked.model.name)
        threads.setdefault(key, []).append(one)
    return [said for made in threads.values() for a, b in pairwise(made) for said in _parted(a, b)]


def _parted(before: RequestRecord, after: RequestRecord) -> Iterator[str]:
    if before.asked.by == "scout" or _rewritten(before, after):
        return
    if before.asked.tools != after.asked.tools:
        yield "other tools"
    old, new = before.report.sent.sections, after.report.sent.sections
    yield from _sections(old, new)
    kept, now = _history(before.report.sent.turns), _history(after.report.sent.turns)
    if [_words(turn) for turn in now[: len(kept)]] != [_words(turn) for turn in kept]:
        yield f"the history before turn {len(kept)} was rewritten"


def _rewritten(before: RequestRecord, after: RequestRecord) -> bool:
    """Whether something happened that may move the prefix: all of it is told in the reports."""
    full = any(one.report.before > one.report.limit for one in (before, after))
    other = before.asked.profile != after.asked.profile
    return full or other or _summaries(before) != _summaries(after)


def _summaries(made: RequestRecord) -> list[str]:
    shown = [one.text for one in made.report.sent.sections if one.name == "summary"]
    return shown + [
        turn.text for turn in made.report.sent.turns[:1] if turn.text.startswith("<summary")
    ]


def _sections(old: Sequence[Section], new: Sequence[Section]) -> Iterator[str]:
    for was, now in zip(old, new, strict=False):
        if was.text != now.text:
            if was.name not in _RARE and was.stable:
                yield f"the section {was.name!r} was changed"
            return


def _history(turns: Sequence[Turn]) -> Sequence[Turn]:
    last = turns[-1] if turns else None
    block = isinstance(last, UserTurn) and last.pinned and bool(_names(last.text))
    return turns[:-1] if block else turns


def _words(turn: Turn) -> object:
    calls = [(c.id, c.tool, c.args, c.result) for c in getattr(turn, "calls", ())]
    return type(turn), turn.text, calls


def _names(text: str) -> list[str]:
    try:
        return [one.name for one in read_sections(text)] if text.startswith("<") else []
    except ValueError:
        return []


def parted(seen: Sequence[Seen]) -> list[str]:
    """The same of what a provider's model saw, whatever of it the server remembered."""
    found = []
    for nth, (before, after) in enumerate(pairwise(seen)):
        kept = [one for one in before.items if not _is_block(one)]
        if list(after.items[: len(kept)]) != kept:
            found.append(f"request {nth + 2} does not begin with request {nth + 1}")
        if before.tools != after.tools:
            found.append(f"request {nth + 2} has other tools")
    return found


def _is_block(one: Shown) -> bool:
    return one.kind == "user" and _names(one.text)[:1] in (["plan"], ["description"])
