"""The tabs that are open in the live browser, as they are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from director.workflow.sensitive import mask_sensitive
from director.workflow.values import Tab


@dataclass(frozen=True, slots=True)
class TabView:
    """A tab by its name and its address; what a page says is never part of it."""

    name: str
    url: str
    active: bool


def tabs_view(tabs: Sequence[Tab]) -> list[TabView]:
    """The tabs in their order; a token in an address is hidden."""
    return [TabView(tab.name, str(mask_sensitive(tab.url)), tab.active) for tab in tabs]
