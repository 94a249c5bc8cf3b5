"""What a model sees of a thread: a projection of its entries, computed and never stored.

Pure: entries in, values out. Items of a provider come back as they were written; a call without
a result is shown as interrupted, and no other text is made up. Never imports a database.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, cast

from director.context.units import units
from director.context.values import AgentTurn, Call, Context, Summary, Trust, Turn, UserTurn
from director.context.wire import Parser, Wire
from director.context.wire.dialects import DIALECTS
from director.context.wire.events import INTERRUPTED, Answer, Spoke, Use
from director.context.wire.shape import blocks, is_message, peek, word
from director.store.values import Entry, Json

State: TypeAlias = Literal["current", "merged", "restored"]
TURNS = ("user", "agent")
HIDING = ("checkpoint", "restore", "delete")
TRUSTS: tuple[Trust, ...] = ("system", "user", "agent", "web")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A compression: its summary, the turns it added to the one it builds on, and its state.

    It is `current` if the model sees its summary, `merged` if a later one took it in, and
    `restored` if it, or one that it builds on, was undone.
    """

    seq: int
    at: float
    by: str
    summary: Summary
    added: tuple[int, ...]
    previous: int | None
    before: int
    after: int
    state: State


@dataclass(frozen=True, slots=True)
class Told:
    """A user or agent entry as turns; `waits` says that a call of it has no result yet."""

    seq: int
    turns: tuple[Turn, ...]
    waits: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """A thread as it stands: what was told, what is hidden, and every compression.

    It begins with the first visible turn. What was told before is not read: no model sees it, so
    nothing of it can change what one sees.
    """

    told: tuple[Told, ...]
    deleted: frozenset[int]
    checkpoints: tuple[Checkpoint, ...]

    @property
    def current(self) -> Checkpoint | None:
        """The compression whose summary is shown."""
        return next((one for one in self.checkpoints if one.state == "current"), None)

    @property
    def archived(self) -> frozenset[int]:
        """The turns that the summary stands for."""
        return frozenset(self.current.summary.covers) if self.current else frozenset()

    @property
    def shown(self) -> tuple[Told, ...]:
        """What the model sees, besides the summary."""
        out_of_sight = hidden(self.checkpoints, self.deleted)
        return tuple(one for one in self.told if one.seq not in out_of_sight)

    @property
    def context(self) -> Context:
        """What the model sees."""
        summary = self.current.summary if self.current else None
        return Context(turns=tuple(t for one in self.shown for t in one.turns), summary=summary)

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


def view(entries: Sequence[Entry]) -> View:
    """A thread of all its entries, or of those that are seen, in their order."""
    made = tuple(checkpoints(entries))
    gone = deleted(entries)
    out_of_sight = hidden(made, gone)
    first = next((e.seq for e in entries if e.kind in TURNS and e.seq not in out_of_sight), None)
    told = _told([e for e in entries if e.seq >= first]) if first is not None else ()
    return View(tuple(told), gone, made)


def deleted(entries: Iterable[Entry]) -> frozenset[int]:
    """The turns that were taken out of view for good."""
    gone = (_seqs(entry.body, "seqs") for entry in entries if entry.kind == "delete")
    return frozenset(seq for seqs in gone for seq in seqs)


def hidden(made: Iterable[Checkpoint], gone: frozenset[int]) -> frozenset[int]:
    """The turns that no model sees: deleted, or covered by the summary that is shown."""
    current = next((one for one in made if one.state == "current"), None)
    return gone.union(current.summary.covers) if current else gone


def project(entries: Sequence[Entry]) -> Context:
    """What the model sees of a thread; a turn's number is the place of its entry."""
    return view(entries).context


def archived(entries: Sequence[Entry]) -> frozenset[int]:
    """The turns that a summary stands for."""
    current = next((one for one in checkpoints(entries) if one.state == "current"), None)
    covers = set(current.summary.covers) if current else set()
    return frozenset(e.seq for e in entries if e.kind in TURNS and e.seq in covers)


def visible(entries: Sequence[Entry]) -> tuple[int, ...]:
    """The turns that the model sees, in their order."""
    return tuple(one.seq for one in view(entries).shown)


def units_of(entries: Sequence[Entry]) -> tuple[tuple[int, ...], ...]:
    """What may be compressed, as whole units."""
    return view(entries).units


def checkpoints(entries: Iterable[Entry]) -> list[Checkpoint]:
    """Every compression of a thread, each with its state."""
    made: list[Entry] = []
    undone: set[object] = set()
    for entry in entries:
        if entry.kind == "checkpoint":
            made.append(entry)
        elif entry.kind == "restore":
            undone.add(entry.body.get("checkpoint"))
    active: dict[int, Entry] = {}
    for entry in made:
        previous = entry.body.get("previous")
        whole = previous is None or previous in active
        if whole and entry.seq not in undone and word(entry.body, "summary").strip():
            active[entry.seq] = entry
    newest = max(active, default=0)
    covers = {entry.seq: _seqs(entry.body, "covers") for entry in made}
    states: dict[int, State] = {
        entry.seq: "current" if entry.seq == newest else "merged" for entry in active.values()
    }
    return [_checkpoint(entry, covers, states.get(entry.seq, "restored")) for entry in made]


def _checkpoint(entry: Entry, covers: dict[int, tuple[int, ...]], state: State) -> Checkpoint:
    body = entry.body
    previous = _number(body, "previous")
    earlier = set(covers.get(previous, ()))
    trust = word(body, "trust")
    return Checkpoint(
        entry.seq,
        entry.at,
        word(body, "by"),
        Summary(
            word(body, "summary"),
            covers[entry.seq],
            trust if trust in TRUSTS else "web",
        ),
        tuple(seq for seq in covers[entry.seq] if seq not in earlier),
        previous or None,
        _number(body, "before"),
        _number(body, "after"),
        state,
    )


def _number(body: Json, name: str) -> int:
    found = body.get(name)
    return found if isinstance(found, int) else 0


def _seqs(body: Json, name: str) -> tuple[int, ...]:
    return tuple(sorted({seq for seq in blocks(body.get(name)) if isinstance(seq, int)}))


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
        # A line of a user ends what the model says; it is not part of what is found.
        kept, turns = parser.extend([*messages, DIALECTS[wire].heard("-")])
        found = turns[max(self._counts[wire] - kept, 0) :]
        self._counts[wire] += len(found)
        return found[:-1]


def _told(entries: Sequence[Entry]) -> Iterable[Told]:
    reader = _Reader()
    uses = {entry.seq: _uses(entry) for entry in entries if entry.kind == "agent"}
    results = _results(entries, uses)
    for entry in entries:
        if entry.kind == "user":
            yield Told(entry.seq, (_user(entry, reader),))
        elif entry.kind == "agent":
            yield _agent(entry, uses[entry.seq], results[entry.seq], reader)


def _user(entry: Entry, reader: _Reader) -> Turn:
    native = entry.body.get("native")
    wire, message = _wire(native), peek(native, "message")
    found = reader.turns(wire, [message]) if wire and is_message(message) else ()
    if len(found) == 1 and isinstance(found[0], UserTurn):
        return replace(found[0], at=entry.seq)
    return UserTurn(entry.seq, word(entry.body, "text"))


def _wire(value: object) -> Wire | None:
    name = word(value, "wire")
    return cast("Wire", name) if name in DIALECTS else None


def _uses(entry: Entry) -> list[Use]:
    wire = _wire(entry.body)
    items = filter(is_message, blocks(entry.body.get("items"))) if wire else ()
    events = (event for item in items for event in DIALECTS[wire or "chat"].read(item))
    return [use for event in events if isinstance(event, Spoke) for use in event.uses]


def _results(entries: Sequence[Entry], uses: dict[int, list[Use]]) -> dict[int, list[Entry]]:
    """The results of each agent entry: an id means the latest call that has it."""
    found: dict[int, list[Entry]] = defaultdict(list)
    waiting: dict[str, list[int]] = {}
    for entry in entries:
        if entry.kind == "agent":
            for name, times in Counter(use.id for use in uses[entry.seq]).items():
                waiting[name] = [entry.seq] * times
        elif entry.kind == "result" and waiting.get(word(entry.body, "call")):
            found[waiting[word(entry.body, "call")].pop()].append(entry)
    return found


def _agent(entry: Entry, uses: list[Use], results: list[Entry], reader: _Reader) -> Told:
    wire = _wire(entry.body)
    spoken = AgentTurn(entry.seq, word(entry.body, "text"))
    if wire is None:
        return Told(entry.seq, (spoken,))
    missing = _missing(uses, results)
    by_id = {use.id: use for use in uses}
    parts = [_part(result, by_id[word(result.body, "call")], wire) for result in results]
    parts += [_written(use, INTERRUPTED, wire, failed=True) for use in missing]
    if wire == "anthropic" and parts:
        parts = [{"role": "user", "content": parts}]
    found = reader.turns(wire, [*blocks(entry.body.get("items")), *parts])
    failures: dict[str, deque[bool]] = defaultdict(deque)
    for result in results:
        failures[word(result.body, "call")].append(result.body.get("failed") is True)
    for use in missing:
        failures[use.id].append(True)
    turns = tuple(_numbered(turn, entry.seq, failures) for turn in found)
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
        for event in DIALECTS[wire].read(whole):
            if isinstance(event, Answer) and event.id == use.id:
                return event.part
    failed = result.body.get("failed") is True
    return _written(use, word(result.body, "text"), wire, failed=failed)


def _written(use: Use, text: str, wire: Wire, *, failed: bool) -> object:
    call = Call(use.id, use.tool, use.args, text, failed)
    return DIALECTS[wire].answered(call, use.form)


def _numbered(turn: Turn, seq: int, failures: dict[str, deque[bool]]) -> Turn:
    if isinstance(turn, UserTurn):
        return replace(turn, at=seq)
    calls = tuple(
        replace(call, failed=failures[call.id].popleft()) if failures.get(call.id) else call
        for call in turn.calls
    )
    return replace(turn, at=seq, calls=calls)
