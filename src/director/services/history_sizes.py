"""The sizes of a history that grows, by kind and by turn: what was counted is not counted again.

A counter remembers some texts, and a long history has more: counting it anew with each change would
read all of it each time. Any thread of the program may ask.
"""

from __future__ import annotations

import threading
from operator import is_

from director.context.report import by_kind
from director.context.sizes import summary_size, turn_size
from director.context.values import Context, Counter, Turn


class HistorySizes:
    """The sizes of the turns of one conversation, as long as they stand in front of what is new."""

    def __init__(self) -> None:
        self._counter: Counter | None = None
        self._turns: tuple[Turn, ...] = ()
        self._kinds: dict[str, int] = {}
        self._sizes: dict[int, int] = {}
        self._counting = threading.Lock()

    def by_kind(self, context: Context, counter: Counter) -> dict[str, int]:
        """Tokens of a history and its summary by kind of content; it has no sections."""
        with self._counting:
            if counter is not self._counter or not self._goes_on(context.turns):
                self._counter, self._turns, self._kinds, self._sizes = counter, (), {}, {}
            new = context.turns[len(self._turns) :]
            more = by_kind(Context((), new), counter)
            self._kinds = {name: self._kinds.get(name, 0) + size for name, size in more.items()}
            self._sizes |= {id(turn): turn_size(turn, counter) for turn in new}
            self._turns = context.turns
            return self._kinds | {"summary": summary_size(context.summary, counter)}

    def turn_size(self, turn: Turn, counter: Counter) -> int:
        """Tokens of one turn."""
        known = self._sizes.get(id(turn)) if counter is self._counter else None
        return turn_size(turn, counter) if known is None else known

    def _goes_on(self, turns: tuple[Turn, ...]) -> bool:
        # An id is a turn's own while the turn is held here: the very same ones must stand in front.
        return len(self._turns) <= len(turns) and all(map(is_, self._turns, turns))
