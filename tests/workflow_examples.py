"""Nodes and workflows that tests of workflows use."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from director.workflow.edit import NodeDraft, add_nodes
from director.workflow.values import Config, Node, Workflow

CLICK: Config = {"action": "click", "selector": "#go"}


def nodes_named(*aliases: str) -> tuple[Node, ...]:
    """A click for each alias, with ids that number them."""
    return tuple(
        Node(f"id_{place}", alias, "browser_action", CLICK)
        for place, alias in enumerate(aliases, 1)
    )


def ids() -> Callable[[], str]:
    """A source of ids."""
    numbers = count(1)
    return lambda: f"id_{next(numbers)}"


def mailbox(new_id: Callable[[], str] | None = None) -> Workflow:
    """Find the mails, then for each: read it, and label it if it is spam."""
    drafts = [
        NodeDraft(
            "browser_action", "open", {"action": "navigate", "url": "https://mail.example.org/"}
        ),
        NodeDraft(
            "browser_query",
            "find",
            {
                "method": "deterministic_extract",
                "selector": "tr.mail",
                "fields": {"sender": ".from"},
                "create_records": "email",
                "store": "*",
            },
        ),
        NodeDraft("iterate", "each", {"records": "email_*", "body": "read..label"}),
        NodeDraft(
            "cognition",
            "read",
            {
                "instruction": "Is this spam? {{current.sender}}",
                "schema": {"type": "boolean"},
                "store_to_record": True,
            },
        ),
        NodeDraft(
            "route",
            "choose",
            [
                {"name": "spam", "condition": "{{current.read}}", "branch": "label"},
                {"name": "other", "condition": True, "branch": []},
            ],
        ),
        NodeDraft("browser_action", "label", CLICK),
        NodeDraft("browser_action", "report", {**CLICK, "selector": "#n{{find.count}}"}),
    ]
    return add_nodes(Workflow("wf", "Mailbox"), drafts, new_id=new_id or ids())
