"""What is around a conversation: the variables of the workbench and the tabs that are open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from director.store import Store
from director.store.run_variables import KIND, variables, workbench
from director.workflow.display import render_value
from director.workflow.sensitive import mask_value
from director.workflow.values import Json, Tab


@dataclass(frozen=True, slots=True)
class VariableView:
    """A variable in one line, as the model is shown it, with why it was set last."""

    name: str
    shown: str
    reason: str
    versions: int


@dataclass(frozen=True, slots=True)
class TabView:
    """A tab by its name and its address; what a page says is never part of it."""

    name: str
    url: str
    active: bool


def variables_view(store: Store, workflow: str) -> list[VariableView]:
    """The variables of the workbench, by name."""
    run = workbench(workflow)
    found: list[VariableView] = []
    for name, value in sorted(variables(store, run).items()):
        kept = store.get(KIND, f"{run}/{name}")
        reason = kept.reason if kept else ""
        told = render_value(name, cast("Json", value))
        found.append(VariableView(name, told, reason, kept.version if kept else 1))
    return found


def tabs_view(tabs: Sequence[Tab]) -> list[TabView]:
    """The tabs in their order; a token in an address is hidden."""
    return [TabView(tab.name, str(mask_value(tab.url)), tab.active) for tab in tabs]
