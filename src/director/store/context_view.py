"""What a model sees of a thread: a projection of its entries, computed and never stored.

Pure: entries in, values out. A thread that grows is followed: what was read once is not read
again. Never imports a database.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from director.context.units import units
from director.context.values import AgentTurn, Context, UserTurn
from director.store.checkpoints import (
    HIDING,
    ActiveCompression,
    find_current_checkpoint,
    find_deleted,
    find_hidden,
)
from director.store.thread_turns import Telling, Told
from director.store.values import Entry

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
