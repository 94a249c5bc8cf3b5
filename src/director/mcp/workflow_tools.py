"""Director's own tools on one workflow: retrieval, building, trying and running.

They are the tools of Director's turn, under the same policies: an origin that the user has not
approved is never reached from here, and nothing that a client says approves one.
"""

from __future__ import annotations

from dataclasses import replace

from director.agent.agent_session import AgentSession
from director.agent.tool_calls import Round, run_tool_call, write_tool_result
from director.agent.tools import REGISTRY, UserQuestion
from director.models import Result, Tool, ToolCall
from director.profiles import load_profile

# These turn to the user, to another model, or to a conversation: the client has its own.
_LEFT_OUT = frozenset({"ask_user", "deploy_scout", "send_scout", "recall"})
NAMES = tuple(name for name in REGISTRY if name not in _LEFT_OUT)


class Working:
    """The tools of one session."""

    def __init__(self, desk: AgentSession) -> None:
        self.desk = desk
        self._profile = replace(load_profile("clean"), tools=NAMES)
        self._made = 0

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools as a client sees them."""
        return tuple(REGISTRY[name].tool for name in NAMES)

    async def call(self, name: str, args: str) -> Result:
        """Make a call; what goes wrong is told as its result."""
        self._made += 1
        asked = ToolCall(f"mcp_{self._made}", name, args)
        given = await run_tool_call(self.desk, asked, Round(self._profile))
        if isinstance(given, UserQuestion):
            return Result(str(given))
        return replace(given, text=write_tool_result(self.desk, name, given))
