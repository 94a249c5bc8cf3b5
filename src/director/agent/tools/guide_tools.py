"""The tool that tells how nodes are written: from their forms, and from guides that are run."""

from __future__ import annotations

from director.agent.agent_session import AgentSession
from director.sections.node_guides import describe_type


async def describe_node_type(desk: AgentSession, type: str, action: str = "") -> str:
    """Get the fields of a node type and an example that runs, or a topic explained.

    Args:
        type: one of the ten node types, or a topic: inputs, values, records, pagination,
            selectors, conditions, proof, sandbox, tests
        action: only this action of browser_action, or method of browser_query

    """
    del desk
    return describe_type(type, action)
