"""The entries of a thread as turns, each read once, as they come.

Pure. Items of a provider come back as they were written; a call without a result is shown as
interrupted, and no other text is made up.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from director.context.values import AgentTurn, Call, Turn, UserTurn
from director.context.wire import Parser, Wire
from director.context.wire.formats import FORMATS
from director.context.wire.parse_events import INTERRUPTED, Answer, Spoke, Use
from director.context.wire.shape import blocks, is_message, peek, word
from director.store.values import Entry


@dataclass(frozen=True, slots=True)
class Told:
    """A user or agent entry as turns; `waits` says that a call of it has no result yet."""

    seq: int
    turns: tuple[Turn, ...]
    waits: bool = False


class Telling:
    """A thread as it is told: fed its entries in their order, it has read each of them once."""

    def __init__(self) -> None:
        self.told: list[Told] = []
        self._reader = _Reader()
        self._waiting: dict[str, list[int]] = {}

    def feed(self, entries: Sequence[Entry]) -> bool:
        """Read on; False if something belongs to a turn that was told: begin anew with all."""
        uses = {entry.seq: _uses(entry) for entry in entries if entry.kind == "agent"}
        results = self._results(entries, uses)
        if not results.keys() <= uses.keys():
            return False
        for entry in entries:
            if entry.kind == "user":
                self.told.append(Told(entry.seq, (_user(entry, self._reader),)))
            elif entry.kind == "agent":
                found = results.get(entry.seq, [])
                self.told.append(_agent(entry, uses[entry.seq], found, self._reader))
        return True

    def _results(
        self, entries: Sequence[Entry], uses: Mapping[int, Sequence[Use]]
    ) -> dict[int, list[Entry]]:
        """The results of each agent entry: an id means the latest call that has it."""
        found: dict[int, list[Entry]] = defaultdict(list)
        waiting = self._waiting
        for entry in entries:
            if entry.kind == "agent":
                for name, times in Counter(use.id for use in uses[entry.seq]).items():
                    waiting[name] = [entry.seq] * times
            elif entry.kind == "result" and waiting.get(word(entry.body, "call")):
                found[waiting[word(entry.body, "call")].pop()].append(entry)
        return found


class _Reader:
    """One parser for each wire over a whole thread, so that an id used twice is noticed."""

    def __init__(self) -> None:
        self._parsers: dict[Wire, Parser] = {}
        self._counts: Counter[Wire] = Counter()

    def turns(self, wire: Wire, messages: Sequence[object]) -> tuple[Turn, ...]:
        """The turns of one entry, which never runs on into the next."""
        if wire not in self._parsers:
            self._parsers[wire] = Parser(wire, first=1)
        parser = self._parsers[wire]
        kept, turns = parser.extend(messages)
        parser.pause()
        found = turns[max(self._counts[wire] - kept, 0) :]
        self._counts[wire] += len(found)
        return found


def _user(entry: Entry, reader: _Reader) -> Turn:
    native = entry.body.get("native")
    wire, message = _wire(native), peek(native, "message")
    found = reader.turns(wire, [message]) if wire and is_message(message) else ()
    if len(found) == 1 and isinstance(found[0], UserTurn):
        return replace(found[0], at=entry.seq)
    return UserTurn(entry.seq, word(entry.body, "text"))


def _wire(value: object) -> Wire | None:
    name = word(value, "wire")
    return cast("Wire", name) if name in FORMATS else None


def _uses(entry: Entry) -> list[Use]:
    wire = _wire(entry.body)
    items = filter(is_message, blocks(entry.body.get("items"))) if wire else ()
    events = (event for item in items for event in FORMATS[wire or "chat"].read(item))
    return [use for event in events if isinstance(event, Spoke) for use in event.uses]


def _agent(entry: Entry, uses: list[Use], results: list[Entry], reader: _Reader) -> Told:
    wire = _wire(entry.body)
    spoken = AgentTurn(entry.seq, word(entry.body, "text"))
    if wire is None:
        return Told(entry.seq, (spoken,))
    missing = _missing(uses, results)
    by_id = {use.id: use for use in uses}
    parts = [_part(result, by_id[word(result.body, "call")], wire) for result in results]
    parts += [_write_result(use, INTERRUPTED, wire, failed=True) for use in missing]
    if wire == "anthropic" and parts:
        parts = [{"role": "user", "content": parts}]
    found = reader.turns(wire, [*blocks(entry.body.get("items")), *parts])
    failures: dict[str, deque[bool]] = defaultdict(deque)
    for result in results:
        failures[word(result.body, "call")].append(result.body.get("failed") is True)
    for use in missing:
        failures[use.id].append(True)
    turns = tuple(_number_turn(turn, entry.seq, failures) for turn in found)
    return Told(entry.seq, turns or (spoken,), bool(missing))


def _missing(uses: list[Use], results: list[Entry]) -> list[Use]:
    given = Counter(word(result.body, "call") for result in results)
    found: list[Use] = []
    for use in uses:
        if given[use.id]:
            given[use.id] -= 1
        elif use.strict:
            found.append(use)
    return found


def _part(result: Entry, use: Use, wire: Wire) -> object:
    """The result as it was written for this wire; on Anthropic's it is a block of a message."""
    native = result.body.get("native")
    message = peek(native, "message")
    if _wire(native) == wire and is_message(message):
        bare = wire == "anthropic" and not word(message, "role")
        whole = {"role": "user", "content": [message]} if bare else message
        for event in FORMATS[wire].read(whole):
            if isinstance(event, Answer) and event.id == use.id:
                return event.part
    failed = result.body.get("failed") is True
    return _write_result(use, word(result.body, "text"), wire, failed=failed)


def _write_result(use: Use, text: str, wire: Wire, *, failed: bool) -> object:
    call = Call(use.id, use.tool, use.args, text, failed)
    return FORMATS[wire].write_result(call, use.form)


def _number_turn(turn: Turn, seq: int, failures: dict[str, deque[bool]]) -> Turn:
    if isinstance(turn, UserTurn):
        return replace(turn, at=seq)
    calls = tuple(
        replace(call, failed=failures[call.id].popleft()) if failures.get(call.id) else call
        for call in turn.calls
    )
    return replace(turn, at=seq, calls=calls)
