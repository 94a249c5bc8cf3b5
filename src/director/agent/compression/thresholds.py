"""When a context is large, and when it is compressed: the settings, within what the model allows.

Windows and prices are data of the model; nothing here knows a model by its name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from director.models import Capabilities, Model
from director.models.prices import find_price_threshold
from director.settings import Settings

Fill: TypeAlias = Literal["fine", "large", "full"]
# What is left for the answer, and for what the counter may be wrong by.
_ANSWER = 8_192
_SHARE = 0.95


@dataclass(frozen=True, slots=True)
class Marks:
    """Tokens: from `warn` a context is large, from `at` compressed; `to` is left of its history."""

    warn: int = 160_000
    at: int = 180_000
    to: int = 20_000

    def fill(self, size: int) -> Fill:
        """How full a context of a size is."""
        if size >= self.at:
            return "full"
        return "large" if size >= self.warn else "fine"

    @property
    def tail_size(self) -> int:
        """Tokens of the newest turns that an automatic compression leaves as they are."""
        return self.to // 4

    @property
    def cap(self) -> int:
        """The most tokens of a summary beside them."""
        return self.to - self.tail_size


def compute_thresholds(
    settings: Settings, can: Capabilities, *, provider: str = "", model: str = ""
) -> Marks:
    """The settings, lowered together where the window is smaller or a larger context is dearer."""
    wanted = Marks(settings.warn_at.value, settings.compress_at.value, settings.compress_to.value)
    room = int(min(can.max_input, can.window - min(_ANSWER, can.max_output)) * _SHARE)
    dear = find_price_threshold(provider, model) if provider else None
    most = min(room, dear) if dear else room
    if most >= wanted.at:
        return wanted
    share = most / wanted.at
    return Marks(int(wanted.warn * share), most, min(wanted.to, most // 4))


def get_thresholds(settings: Settings, model: Model) -> Marks:
    """The marks for a model that is open."""
    place = model.place
    return compute_thresholds(
        settings, model.capabilities, provider=place.provider, model=place.model
    )


# Names of one release ago; they go with the next.
marks_for = compute_thresholds
