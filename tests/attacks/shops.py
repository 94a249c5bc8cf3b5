"""A shop for the attacks on what happens once: its workflow, its page, and a desk that asks."""

from __future__ import annotations

from typing import Any

from director.agent.agent_session import AgentSession
from director.runs import save_run_workflow
from director.settings import load_settings
from director.store import Store
from director.workflow.edit import add_nodes, parse_edit_draft
from director.workflow.values import Workflow

SHOP = "https://shop.example"
FORM = "<form method=post action=/buy><button id=buy>Buy now</button></form>"
BUY = {"action": "click", "selector": "#buy"}


def shop(store: Store, *nodes: dict[str, Any], origins: tuple[str, ...] = (SHOP,)) -> Workflow:
    """A workflow on a site, with these nodes."""
    made = Workflow("w", "Shop", origins=origins)
    for nth, node in enumerate(nodes):
        given = {"type": "browser_action", "alias": f"n{nth}", **node}
        made = add_nodes(made, [parse_edit_draft(given)], new_id=lambda nth=nth: f"n_{nth}")  # type: ignore[misc]
    save_run_workflow(store, made)
    return made


def shown_always(made: AgentSession) -> AgentSession:
    """The desk with the setting that shows effects on this machine's sites too."""
    given = {"profile": "structured", "confirm_effects": "always"}
    made.settings = load_settings(given, environ={"DIRECTOR_HOME": "/nonexistent"})
    return made
