"""How the site looks: as built, or redesigned.

A redesign gives every id and class another name, wraps elements, rewords labels and reorders
blocks. What the site does is the same in both; no page may decide that by its look.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TypeVar

_T = TypeVar("_T")
_CLASS = re.compile(r"\.([a-z][a-z-]*)(?=[^{}]*\{)")


@dataclass(frozen=True, slots=True)
class SiteDesign:
    """One of the two looks; the seed decides the names of the redesign."""

    redesign: bool = False
    seed: int = 1

    def name(self, word: str) -> str:
        """The name that an id or a class has in this look."""
        if not self.redesign:
            return word
        drawn = hashlib.blake2s(f"{self.seed}:{word}".encode(), digest_size=4).hexdigest()
        return f"v{drawn}"

    def says(self, usual: str, redesigned: str) -> str:
        """The words of a label."""
        return redesigned if self.redesign else usual

    def order(self, *blocks: _T) -> tuple[_T, ...]:
        """Blocks in the order of this look."""
        return blocks[::-1] if self.redesign else blocks

    def styles(self, sheet: str) -> str:
        """A style sheet whose classes have the names of this look."""
        return _CLASS.sub(lambda found: f".{self.name(found[1])}", sheet)
