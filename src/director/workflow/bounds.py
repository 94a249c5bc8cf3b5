"""How large a value may be: counted by visits, with an early stop, before anything unfolds it.

A value from code or from a page may hold the same list twice at each of sixty levels: small in
memory, endless when it is copied, compared or written. Whatever comes from there is counted here
first; nothing larger goes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from director.workflow.values import WorkflowError

_BITS = 14_000  # of a whole number: about 4,200 digits, which Python writes and reads


class ValueTooLarge(WorkflowError):
    """A value has more parts, levels or characters than it may have."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How many parts and characters a value may have, and how deep it may be nested."""

    nodes: int = 200_000
    depth: int = 100
    characters: int = 5 * 2**20


VALUE = Bounds()
DOCUMENT = Bounds(nodes=100_000, depth=60, characters=5_000_000)


@dataclass(slots=True)
class BoundsCounter:
    """What is left of the bounds while a value is put together from several."""

    bounds: Bounds
    what: str
    nodes: int = 0
    characters: int = 0

    def spend(self, value: object) -> None:
        """Count one more value; ValueTooLarge as soon as a bound is passed."""
        ways: list[Iterator[object]] = [iter((value,))]
        while ways:
            for each in ways[-1]:
                inside = self._visit(each)
                if inside is not None:
                    ways.append(inside)
                    break
            else:
                ways.pop()
            # The first way holds only the value itself.
            if len(ways) - 1 > self.bounds.depth:
                raise self._refuse(f"is nested more than {self.bounds.depth} deep")

    def spend_text(self, length: int) -> None:
        """Count a text of this length."""
        self.characters += length
        if self.characters > self.bounds.characters:
            raise self._refuse(f"has more than {self.bounds.characters:,} characters")

    def _visit(self, value: object) -> Iterator[object] | None:
        self.nodes += 1
        if self.nodes > self.bounds.nodes:
            raise self._refuse(f"has more than {self.bounds.nodes:,} parts")
        if isinstance(value, str):
            self.spend_text(len(value))
        elif isinstance(value, int) and value.bit_length() > _BITS:
            raise self._refuse("holds a number with more than 4,000 digits")
        elif isinstance(value, Mapping):
            return self._members(value)
        elif isinstance(value, list | tuple | set | frozenset):
            return iter(value)
        return None

    def _members(self, value: Mapping[object, object]) -> Iterator[object]:
        for key, inner in value.items():
            if isinstance(key, str):
                self.spend_text(len(key))
            else:
                yield key
            yield inner

    def _refuse(self, why: str) -> ValueTooLarge:
        return ValueTooLarge(
            f"{self.what} {why}. Nothing of it was kept. Take less of it, for example only the "
            "fields or rows that are needed."
        )


def check_bounds(value: object, *, what: str, bounds: Bounds = VALUE) -> None:
    """ValueTooLarge if a value is larger than it may be; takes no longer than the bounds allow."""
    BoundsCounter(bounds, what).spend(value)
