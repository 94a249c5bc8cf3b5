"""What a model sees of a thread: a projection of its entries, computed and never stored.

Pure: entries in, values out. A thread that grows is followed: what was read once is not read
again. Items of a provider come back as they were written; a call without a result is shown as
interrupted, and no other text is made up. Never imports a database.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, Protocol, TypeVar, cast

from director.context.units import units
from director.context.values import AgentTurn, Call, Context, Turn, UserTurn
from director.context.wire import Parser, Wire
from director.context.wire.formats import FORMATS
from director.context.wire.parse_events import INTERRUPTED, Answer, Spoke, Use
from director.context.wire.shape import blocks, is_message, peek, word
from director.store.checkpoints import (
    HIDING,
    ActiveCompression,
    find_current_checkpoint,
    find_deleted,
    find_hidden,
)
from director.store.values import Entry


@dataclass(frozen=True, slots=True)
class Told:
    """A user or agent entry as turns; `waits` says that a call of it has no result yet."""

    seq: int
    turns: tuple[Turn, ...]
    waits: bool = False


@dataclass(slots=True)
class _Reader:
    """One parser for each wire over a whole thread, so that an id used twice is noticed."""

    _parsers: dict[Wire, Parser] = field(default_factory=dict)
    _counts: Counter[Wire] = field(default_factory=Counter)

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


@dataclass(slots=True)
class Telling:
    """A thread as it is told: fed its entries in their order, it has read each of them once."""

    told: list[Told] = field(default_factory=list)
    _reader: _Reader = field(default_factory=_Reader)
    _waiting: dict[str, list[int]] = field(default_factory=dict)

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


TURNS = ("user", "agent")


@dataclass(frozen=True, slots=True)
class View:
    """A thread as it stands: what was told, what of it is hidden, and the summary that is shown.

    It begins with the first visible turn. What was told before is not read: no model sees it, so
    nothing of it can change what one sees. Nor are the summaries that the shown one took in: what
    is kept here grows by no more than the numbers of the turns that it stands for.
    """

    told: tuple[Told, ...]
    deleted: frozenset[int]
    current: ActiveCompression | None
    hidden: frozenset[int]

    @property
    def summary_turns(self) -> frozenset[int]:
        """The turns that the summary stands for."""
        return frozenset(self.current.summary.covers) if self.current else frozenset()

    archived = summary_turns  # its name of one release ago

    @property
    def visible(self) -> tuple[Told, ...]:
        """What the model sees, besides the summary."""
        return tuple(one for one in self.told if one.seq not in self.hidden)

    shown = visible  # its name of one release ago

    @property
    def context(self) -> Context:
        """What the model sees."""
        summary = self.current.summary if self.current else None
        return Context(turns=tuple(t for one in self.visible for t in one.turns), summary=summary)

    @property
    def units(self) -> tuple[tuple[int, ...], ...]:
        """What may be compressed: whole units, without what is still going on."""
        going_on = self._going_on()
        found: list[tuple[int, ...]] = []
        for unit in units(self.context.turns):
            seqs = tuple(dict.fromkeys(turn.at for turn in unit))
            if found and found[-1][-1] == seqs[0]:
                seqs = (*found.pop(), *seqs[1:])
            found.append(seqs)
        return tuple(unit for unit in found if going_on.isdisjoint(unit))

    def _going_on(self) -> set[int]:
        """The request that is not answered yet, and a last turn whose calls are still running."""
        standing = [one for one in self.told if one.seq not in self.deleted]
        if not standing or _ends(standing[-1]):
            return set()
        found = {standing[-1].seq} if standing[-1].waits else set()
        asked = [i for i, one in enumerate(standing) if _asks(one)]
        i = asked[-1] if asked else -1
        while i >= 0 and _asks(standing[i]):
            found.add(standing[i].seq)
            i -= 1
        return found


def _asks(one: Told) -> bool:
    return isinstance(one.turns[0], UserTurn)


def _ends(one: Told) -> bool:
    """Whether an exchange is over with this: the model spoke and called nothing."""
    last = one.turns[-1]
    return isinstance(last, AgentTurn) and not one.waits and not last.calls


class Following:
    """The view of a thread that grows; it starts with all its entries, or with those seen."""

    def __init__(self, seen: Sequence[Entry]) -> None:
        self.head = seen[-1].seq if seen else 0
        self._current = find_current_checkpoint(seen)
        gone = find_deleted(seen)
        out_of_sight = find_hidden(self._current, gone)
        self._telling = Telling()
        shown = (e.seq for e in seen if e.kind in TURNS and e.seq not in out_of_sight)
        first = next(shown, self.head + 1)
        self._telling.feed([entry for entry in seen if entry.seq >= first])
        self._deleted = frozenset(seq for seq in gone if seq >= first)
        self._hidden = frozenset(seq for seq in out_of_sight if seq >= first)

    def feed(self, new: Sequence[Entry]) -> bool:
        """Read what was written since; False if that changes what was told: follow it anew."""
        if any(entry.kind in HIDING for entry in new) or not self._telling.feed(new):
            return False
        self.head = new[-1].seq if new else self.head
        return True

    @property
    def view(self) -> View:
        """The thread as it stands."""
        told = tuple(self._telling.told)
        return View(told, self._deleted, self._current, self._hidden)


def build_thread_view(entries: Sequence[Entry]) -> View:
    """A thread of all its entries, or of those that are seen, in their order."""
    return Following(entries).view


def project_context_view(entries: Sequence[Entry]) -> Context:
    """What the model sees of a thread; a turn's number is the place of its entry."""
    return build_thread_view(entries).context


def find_archived(entries: Sequence[Entry]) -> frozenset[int]:
    """The turns that a summary stands for."""
    shown = find_current_checkpoint(entries)
    covers = set(shown.summary.covers) if shown else set()
    return frozenset(e.seq for e in entries if e.kind in TURNS and e.seq in covers)


def list_visible_turns(entries: Sequence[Entry]) -> tuple[int, ...]:
    """The turns that the model sees, in their order."""
    return tuple(one.seq for one in build_thread_view(entries).visible)


# Names of one release ago; they go with the next.
project = project_context_view
visible = list_visible_turns


class EntryReader(Protocol):
    """What is needed of a store to read a thread on."""

    def entries(self, thread: str, after: int = 0, /) -> list[Entry]:
        """The entries of a thread after one."""

    def read_visible(self, thread: str, /) -> list[Entry]:
        """The entries that decide what a model sees."""


@dataclass(slots=True)
class ThreadLog:
    """A thread as it is seen, of which only what is new is read: what is written stays.

    `view` is the thread as it stood when it was last read, `head` the last entry that was read.
    """

    store: EntryReader
    view: View = View((), frozenset(), None, frozenset())
    head: int = 0
    _thread: str = ""
    _following: Following | None = None

    def read(self, thread: str) -> View:
        """Read on to the end of a thread; how it stands."""
        known = self._following if thread == self._thread else None
        if known is None or not known.feed(self.store.entries(thread, self.head)):
            known = Following(self.store.read_visible(thread))
        self._thread, self._following = thread, known
        self.view, self.head = known.view, known.head
        return self.view


T = TypeVar("T")


@dataclass(slots=True)
class Once(Generic[T]):
    """Something worked out of turns, once for each turn that is still there."""

    _known: dict[int, tuple[Turn, T]] = field(default_factory=dict)

    def of(self, turns: Sequence[Turn], made: Callable[[Turn], T]) -> list[T]:
        """What is made of each of the turns; what was known of others is forgotten."""
        known = self._known
        found = [known.get(id(turn)) or (turn, made(turn)) for turn in turns]
        self._known = {id(turn): each for turn, each in zip(turns, found, strict=True)}
        return [one for _, one in found]
