"""The terminal: its width, its colours and the marks it can draw. Knows nothing of contexts."""

from __future__ import annotations

import os
import shutil
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TextIO, TypeAlias

Ink: TypeAlias = Literal["plain", "bold", "dim", "green", "yellow", "red"]

_CODES: Mapping[Ink, str] = {
    "plain": "",
    "bold": "1",
    "dim": "2",
    "green": "32",
    "yellow": "33",
    "red": "31",
}


@dataclass(frozen=True, slots=True)
class Screen:
    """What the output can show; every method returns text."""

    width: int = 80
    colour: bool = False
    blocks: bool = True

    @classmethod
    def of(cls, stream: TextIO, environment: Mapping[str, str] = os.environ) -> Screen:
        """The screen behind a stream: no colour in a file, with NO_COLOR or on a dumb terminal."""
        terminal = stream.isatty()
        columns = shutil.get_terminal_size((80, 24)).columns
        plain = environment.get("NO_COLOR") or environment.get("TERM") == "dumb"
        encoding = (stream.encoding or "ascii").lower().replace("-", "")
        return cls(
            width=max(50, min(columns, 100)),
            colour=terminal and not plain,
            blocks=encoding.startswith("utf"),
        )

    def ink(self, text: str, colour: Ink) -> str:
        """The text in a colour, if there are colours."""
        code = _CODES[colour]
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and code else text

    def bar(self, part: float, whole: float, width: int) -> str:
        """A bar of `whole` (a share of the width), its first `part` solid, the rest light."""
        solid, light = ("█", "░") if self.blocks else ("#", ".")
        long = max(1, min(width, round(whole * width)))
        filled = max(int(part > 0), min(long, round(part * width)))
        return (
            self.ink(solid * filled, "green")
            + self.ink(light * (long - filled), "dim")
            + " " * (width - long)
        )

    def mark(self, drawn: str, plain: str) -> str:
        """A sign that needs more than ASCII, or what stands for it."""
        return drawn if self.blocks else plain

    def one_line(self, text: str, room: int) -> str:
        """Text made to fit one line of the screen, with nothing in it that moves the cursor."""
        kept = "".join(sign if sign.isprintable() else " " for sign in text[: 4 * room])
        if not self.blocks:
            kept = kept.encode("ascii", "replace").decode()
        flat = " ".join(kept.split())
        more = self.mark("…", "...")
        return flat if len(flat) <= room else flat[: room - len(more)] + more

    def wrap(self, text: str) -> list[str]:
        """Text broken into lines of the screen."""
        return textwrap.wrap(text, self.width, break_on_hyphens=False)


def short(tokens: float) -> str:
    """A number in at most five characters: 940, 9.4k, 94k, 9.4M."""
    for size, sign in ((1e6, "M"), (1e3, "k")):
        if tokens >= size * 0.9995:
            scaled = tokens / size
            return f"{scaled:.1f}{sign}" if scaled < 99.95 else f"{scaled:.0f}{sign}"
    return f"{tokens:.0f}"
