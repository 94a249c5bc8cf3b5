"""Trust: a summary is as untrusted as the least trusted text that it covers."""

from __future__ import annotations

from collections.abc import Sequence

from director.context.values import AgentTurn, Summary, Trust, Turn

_TRUSTS: tuple[Trust, ...] = ("system", "user", "agent", "web")


def trust_of(turns: Sequence[Turn], before: Summary | None = None) -> Trust:
    """The trust of a summary of these turns and of the summary before them."""
    found: list[Trust] = [before.trust] if before else []
    for turn in turns:
        found += [call.trust for call in turn.calls] if isinstance(turn, AgentTurn) else []
        found.append("agent" if isinstance(turn, AgentTurn) else "user")
    return max(found, key=_TRUSTS.index, default="agent")
