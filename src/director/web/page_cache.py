"""Pages that were made before, kept as bytes while all that they were made of is the same.

What a page reads of the store is noted while it is made; whatever else it shows is handed in as its
surroundings, by value. If either is another now, the page is made again: an old one is never given.
It is used on the loop that the app runs on.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field

from director.store.cached_store import CachedStore, ReadSet

MOST = 32 * 1_048_576  # bytes of all pages together


@dataclass(frozen=True, slots=True)
class CachedPage:
    """A page, and what it was made of."""

    body: bytes
    surroundings: object
    reads: ReadSet


@dataclass(eq=False, slots=True)
class PageCache:
    """The pages of one store that were asked for last."""

    store: CachedStore
    most: int = MOST
    _pages: OrderedDict[Hashable, CachedPage] = field(default_factory=OrderedDict)
    _size: int = 0
    hits: int = 0  # how often a page did not have to be made

    def find(self, key: Hashable, surroundings: object) -> bytes | None:
        """The page of this key, if it would be the same were it made now."""
        page = self._pages.get(key)
        if page is None:
            return None
        if page.surroundings != surroundings or not self.store.is_current(page.reads):
            self._drop(key)
            return None
        self._pages.move_to_end(key)
        self.hits += 1
        return page.body

    def keep(self, key: Hashable, page: CachedPage) -> None:
        """Keep a page; one of which some reads are not known cannot be kept."""
        self._drop(key)
        if not page.reads.is_complete or len(page.body) > self.most:
            return
        self._pages[key] = page
        self._size += len(page.body)
        while self._size > self.most:
            self._drop(next(iter(self._pages)))

    def _drop(self, key: Hashable) -> None:
        page = self._pages.pop(key, None)
        self._size -= len(page.body) if page else 0
