"""For how long a node is tried again while its site is away.

A node that reads, or that may be repeated, is tried again by default. One that must happen once is
tried again only if it has a proof: then it is looked into before it is repeated.
"""

from __future__ import annotations

from director.workflow.values import Node, WorkflowError

_BROWSING = ("browser_action", "browser_query", "agent")
DEFAULT = 30.0  # seconds
LONGEST = 3600.0


def get_retry_seconds(node: Node) -> float:
    """For how many seconds a node is tried again while its site does not answer; 0 for not."""
    if node.type not in _BROWSING or (node.effect == "once" and not node.proof):
        return 0.0
    return DEFAULT if node.retry is None else node.retry


def check_retry(node: Node) -> None:
    """Refuse what cannot be, or would repeat on a guess."""
    if node.retry is None:
        return
    if isinstance(node.retry, bool) or not isinstance(node.retry, int | float):
        raise WorkflowError(f"'retry' is a number of seconds, not {node.retry!r}.")
    if not 0 <= node.retry <= LONGEST:
        raise WorkflowError(f"'retry' is between 0 and {LONGEST:g} seconds, not {node.retry:g}.")
    if node.retry and node.effect == "once" and not node.proof:
        raise WorkflowError(
            "What must happen once is tried again only with a proof of whether it happened: give "
            "the node a 'proof', or leave out 'retry'."
        )
