"""The items of a list that is seen piece by piece. Pure: it sees items, never a page.

An exported script carries it as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence


class Gathering:
    """Items in the order in which they were seen; those of one key are one item."""

    def __init__(self, key: object = None) -> None:
        self._key = key if isinstance(key, str) else None
        self._items: dict[str, object] = {}
        self._alike: set[str] = set()

    def __len__(self) -> int:
        return len(self._items)

    def add(self, seen: Sequence[object]) -> int:
        """Take what was seen at once; how many items of it are new."""
        known, here = len(self._items), set[str]()
        for item in seen:
            if is_empty(item):
                # Room that a list keeps for what it has not drawn.
                continue
            of = self._identity(item)
            if of in here:
                self._alike.add(of)
            here.add(of)
            self._items.setdefault(of, item)
        return len(self._items) - known

    def items(self, limit: int) -> list[object]:
        """The first items."""
        return list(self._items.values())[:limit]

    def doubts(self) -> list[str]:
        """What speaks against the items: some were seen beside another of the same key."""
        if not self._alike:
            return []
        told = f"the same {self._key!r}" if self._key else "the same content"
        first = min(self._alike)
        said = f"Several items stood beside each other with {told}, such as {first[:80]}: each was "
        return [
            f"{said}taken once, {len(self._items)} in all. Give a 'key' that tells items apart."
        ]

    def _identity(self, item: object) -> str:
        named = item.get(self._key) if self._key and isinstance(item, Mapping) else None
        # An item without a key is known by all that it says.
        return json.dumps(named or item, sort_keys=True)


class Patience:
    """When a list is left before its end: nothing new came for long, or it took too long in all.

    All times are seconds of one clock. `within` is the limit that its node was given, if any.
    """

    STALLS = 120.0
    LONGEST = 3600.0

    def __init__(self, began: float, within: float | None = None) -> None:
        self._began = self._last = began
        self._within = self.LONGEST if within is None else within

    def note(self, new: int, now: float) -> None:
        """Take that so many new items came."""
        if new:
            self._last = now

    def explain_end(self, now: float) -> str:
        """Why the list is to be left now; empty if it is not."""
        if now - self._began >= self._within:
            return f"The list had not ended after {self._within:g} s"
        if now - self._last >= self.STALLS:
            return f"Nothing new came for {self.STALLS:g} s, and the list had not ended"
        return ""


def is_empty(item: object) -> bool:
    """Whether an item holds nothing in any field."""
    return not any(item.values() if isinstance(item, Mapping) else [item])


def explain_missing_key(seen: Sequence[object], keys: Sequence[object]) -> str:
    """Why items cannot be told apart by a key that none of the first has; empty if they can."""
    rows = [item for item in seen if isinstance(item, Mapping)]
    for key in keys if rows else ():
        if isinstance(key, str) and key and not any(row.get(key) for row in rows):
            first = json.dumps(rows[0], ensure_ascii=False)[:200]
            many = "it" if len(rows) == 1 else f"any of the {len(rows)} items that were seen first"
            return f"The key {key!r} has no value in {many}: {first}."
    return ""


def read_total(text: str) -> int | None:
    """The greatest number that a text states; "Showing 1 to 0 of 0" states none of them."""
    found = re.findall(r"\d[\d.,\u00a0\u202f' ]*", text)
    numbers = [int(re.sub(r"\D", "", each)) for each in found]
    if numbers[1:] == [0, 0]:
        return 0
    return max(numbers, default=None)
