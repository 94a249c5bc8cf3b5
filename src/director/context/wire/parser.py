"""From messages to turns: pairs results with their calls and reports what had to be repaired.

Never raises, never changes a message, and looks at each message once: what comes later only
touches the turn it belongs to, so a long history can be read as it grows.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from director.context.values import Context, Section, Turn
from director.context.wire import anthropic, responses
from director.context.wire.detect import detect
from director.context.wire.drafts import Listening, Pause, Speaking, turn_of
from director.context.wire.formats import FORMATS
from director.context.wire.parse_events import (
    Answer,
    Event,
    Flaw,
    Heard,
    Kind,
    Loose,
    Parsed,
    Repair,
    Said,
    Spoke,
    Wire,
)
from director.context.wire.shape import alter, is_message, word


class Parser:
    """Reads a history message by message; only turns that a message touches are made anew."""

    def __init__(self, wire: Wire, first: int = 0) -> None:
        self._wire: Wire = wire
        self._format = FORMATS[wire]
        self._first = first
        self._seen = 0
        self._requested = first > 0
        self._sections: list[Section] = []
        self._drafts: list[Listening | Speaking | Pause] = []
        self._speaking: dict[int, Speaking] = {}
        self._before: list[int] = []
        self._turns: list[Turn] = []
        self._starts: list[int] = []
        self._flaws: list[Repair] = []
        self._repairs: dict[int, list[Repair]] = {}
        self._waiting: dict[str, dict[int, deque[int]]] = {}
        self._known: set[str] = set()
        self._numbers: dict[str, int] = {}
        self._strays: dict[str, tuple[int, Answer]] = {}
        self._items: dict[str, tuple[str, ...]] = {}
        self._stale = 0

    def extend(self, messages: Sequence[object]) -> tuple[int, tuple[Turn, ...]]:
        """Reads on; how many turns stand as they were, and the turns that follow them."""
        self._stale = len(self._drafts)
        for message in messages:
            self._feed(message)
            self._seen += 1
        kept = self._settle()
        return kept, tuple(self._turns[kept:])

    def pause(self) -> None:
        """End what was said here: whatever follows is a turn of its own."""
        self._drafts.append(Pause(self._seen))
        self._before.append(len(self._turns))

    def finish(self) -> Parsed:
        """All that was read so far."""
        repairs = [*self._flaws, *(r for rs in self._repairs.values() for r in rs)]
        if self._wire == "anthropic" and self._first == 0 and self._headless():
            action = "A line saying that the beginning is not shown is put first."
            repairs.append(Repair("missing_user", self._starts[0], "", action))
        repairs.sort(key=lambda repair: repair.where)
        context = Context(tuple(self._sections), tuple(self._turns))
        return Parsed(context, tuple(repairs), self._wire, tuple(self._starts))

    def _headless(self) -> bool:
        native = self._turns[0].native if self._turns else None
        return isinstance(native, Said) and not anthropic.opens_alone(native.items[0])

    def _feed(self, message: object) -> None:
        if not is_message(message):
            what = type(message).__name__
            self._flaw("unknown_message", "", f"A value of type {what} was dropped.")
            return
        unique = self._unique(message) if self._wire == "responses" else message
        if unique is not None:
            for event in self._format.read(unique):
                self._take(event)

    def _unique(self, item: object) -> object:
        name = word(item, "id")
        if name in ("", responses.PLACEHOLDER):
            return item
        gist = responses.gist(item)
        if name not in self._items:
            self._items[name] = gist
            return item
        if not gist[0] or gist == self._items[name]:
            self._flaw("duplicate_item", name, "The repeated item was dropped.")
            return None
        self._flaw("duplicate_item", name, "The repeated id was removed from the item.")
        return alter(item, {}, ("id",))

    def _take(self, event: Event) -> None:
        if isinstance(event, Flaw):
            self._flaw(event.kind, event.ident, event.action)
        elif isinstance(event, Heard):
            self._hear(event)
        elif isinstance(event, Spoke):
            self._speak(event)
        elif isinstance(event, Answer):
            self._answer(event)
        else:
            self._attach(event)

    def _flaw(self, kind: Kind, ident: str, action: str) -> None:
        self._flaws.append(Repair(kind, self._seen, ident, action))

    def _hear(self, event: Heard) -> None:
        system = event.role == "system"
        leading = not self._drafts and self._first == 0 and self._wire != "anthropic"
        if system and leading:
            self._sections.append(Section("system", event.text, native=event.source))
            return
        request = event.role == "user" and not self._requested and bool(event.text.strip())
        self._requested = self._requested or request
        self._drafts.append(Listening(self._seen, event, request))

    def _speak(self, event: Spoke) -> None:
        draft = self._latest()
        if draft is None or not draft.open:
            lean = draft.keys() or draft.lean if draft else frozenset[str]()
            draft = Speaking(self._seen, lean=lean)
            self._speaking[len(self._drafts)] = draft
            self._drafts.append(draft)
        here = len(self._drafts) - 1
        self._stale = min(self._stale, here)
        draft.spoken.append(event)
        draft.open = draft.open or event.open
        draft.refers = draft.refers or event.refers
        for use in event.uses:
            nth = len(draft.uses)
            if use.id in self._known:
                draft.repeats[nth] = self._free(use.id)
            self._known.add(use.id)
            self._waiting.setdefault(use.id, {}).setdefault(here, deque()).append(nth)
            draft.uses.append((self._seen, use))
            self._adopt(use.id)

    def _adopt(self, name: str) -> None:
        """Give a call the result that was taken for one of an item which is not shown."""
        index, stray = self._strays.pop(name, (0, None))
        if stray is None:
            return
        loose = self._speaking[index].loose
        loose[:] = [(rank, item) for rank, item in loose if item is not stray.part]
        self._stale = min(self._stale, index)
        self._answer(replace(stray, late=True))

    def _free(self, name: str) -> str:
        number = self._numbers.get(name, 2)
        while f"{name}_{number}" in self._known:
            number += 1
        self._numbers[name] = number + 1
        self._known.add(f"{name}_{number}")
        return f"{name}_{number}"

    def _latest(self) -> Speaking | None:
        return self._speaking.get(len(self._drafts) - 1)

    def _answer(self, event: Answer) -> None:
        here = len(self._drafts) - 1
        waiting = self._waiting.get(event.id)
        if not waiting:
            self._take_unexpected(event)
            return
        # An id may be used again: the answer is then to the call it directly follows.
        index = here if here in waiting else next(iter(waiting))
        nth = waiting[index].popleft()
        if not waiting[index]:
            del waiting[index]
        draft = self._speaking[index]
        if event.late or index != here:
            self._flaw("misplaced_result", event.id, "The result was moved to its call.")
        draft.answers[nth] = (draft.rank(), event)
        self._stale = min(self._stale, index)

    def _take_unexpected(self, event: Answer) -> None:
        latest = self._latest()
        if event.id in self._known or event.id in self._strays:
            self._flaw("duplicate_result", event.id, "The first result stays, this was dropped.")
        elif latest and latest.refers:
            self._strays[event.id] = (len(self._drafts) - 1, event)
            self._attach(Loose(event.part))
        else:
            self._flaw("orphan_result", event.id, "The result without a call was dropped.")

    def _attach(self, event: Loose) -> None:
        latest = self._latest()
        if latest is None:
            self._hear(Heard(self._wire, event.item, "", role="other"))
            return
        latest.loose.append((latest.rank(), event.item))
        self._stale = min(self._stale, len(self._drafts) - 1)

    def _settle(self) -> int:
        low = self._stale
        kept = self._before[low] if low < len(self._before) else len(self._turns)
        del self._turns[kept:], self._starts[kept:], self._before[low:]
        for index in range(low, len(self._drafts)):
            self._before.append(len(self._turns))
            draft = self._drafts[index]
            at = self._first + len(self._turns)
            turn, repairs = turn_of(draft, at, self._wire)
            self._repairs.pop(index, None)
            if repairs:
                self._repairs[index] = repairs
            if turn is not None:
                self._turns.append(turn)
                self._starts.append(draft.start)
        return kept


def parse(messages: Sequence[object], wire: Wire | None = None, first: int = 0) -> Parsed:
    """Reads a history, or with `first` above 0 the tail of one that begins with that turn."""
    parser = Parser(wire or detect(messages), first)
    parser.extend(messages)
    return parser.finish()
