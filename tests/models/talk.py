"""A small agent for the tests: it says what it is told to, runs what the model calls, goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from director.context.values import AgentTurn, Context, Section, Turn, UserTurn
from director.models import Model, Policy, Reply, StreamEnd, Tool, tool, turn_of
from director.models import call_tool as run
from director.models.script_values import Ask, Emit, Say, Seen, Shown, Think
from director.testing.double import Double

KEY = "test-key-of-nobody"
MODELS = {
    "responses": "openai:gpt-6.1-terra",
    "chat": "chat:gpt-6.1-terra",
    "anthropic": "anthropic:claude-sonnet-5-5",
}
PROFILES = {"responses": "openai", "chat": "openai", "anthropic": "anthropic"}


def environment(double: Double) -> dict[str, str]:
    """The variables by which the double is found."""
    return {
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": double.openai_url,
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": double.anthropic_url,
    }


@tool
def look(place: str) -> str:
    """Look at a place.

    Args:
        place: where to look

    """
    return f"at {place} there is a door"


@tool
def open_door(number: int, gently: bool = True) -> str:  # noqa: FBT001, FBT002
    """Open a door.

    Args:
        number: which one
        gently: whether to be gentle

    """
    return f"door {number} is open" if gently else f"door {number} broke"


TOOLS: tuple[Tool, ...] = (look, open_door)


def ten_turns() -> list[list[Emit]]:
    """Ten requests in five exchanges with a user: thinking, single and parallel calls, text."""
    steps: list[list[Emit]] = []
    for nth in range(5):
        place = json.dumps({"place": f"room {nth}"})
        door = json.dumps({"number": nth, "gently": True})
        asked: list[Emit] = [Think(f"I should look at room {nth}."), Ask("look", place)]
        if nth % 2:
            asked.append(Ask("open_door", door))
        steps.append([Say(f"Looking into room {nth}."), *asked] if nth == 2 else asked)
        steps.append([Say(f"Room {nth} is done.")])
    return steps


def rooms(shown: Seen) -> list[Emit]:
    """A brain that looks into the room that was named last, and says so when it has."""
    last = shown.items[-1]
    if last.kind == "result":
        return [Say(f"{len(shown.items)} things later: {last.text}.")]
    return [Think("I should look."), Ask("look", json.dumps({"place": last.text}))]


@dataclass(slots=True)
class Talk:
    """One conversation with a model, and the replies to it."""

    model: Model
    thread: str = "main"
    policy: Policy | None = None
    streaming: bool = False
    before: Callable[[], None] = lambda: None
    context: Context = field(
        default_factory=lambda: Context((Section("system", "You open doors. Be brief."),))
    )
    replies: list[Reply] = field(default_factory=list)
    sent: list[Context] = field(default_factory=list)

    async def say(self, text: str) -> str:
        """Say something, run what is called, and return the last answer."""
        self._add(UserTurn(len(self.context.turns), text))
        return await self.go_on()

    async def go_on(self) -> str:
        """Send what stands, and go on until nothing is called any more."""
        while True:
            reply = await self.once()
            if not reply.calls:
                return reply.text

    async def once(self) -> Reply:
        """One request, its calls answered."""
        self.before()
        reply = await self._send()
        self.sent.append(self.context)
        self.replies.append(reply)
        self._add(turn_of(reply, len(self.context.turns), answers(reply)))
        return reply

    async def _send(self) -> Reply:
        given = {"tools": TOOLS, "thread": self.thread, "policy": self.policy}
        if not self.streaming:
            return await self.model.send(self.context, **given)  # type: ignore[arg-type]
        async for happening in self.model.stream(self.context, **given):  # type: ignore[arg-type]
            if isinstance(happening, StreamEnd):
                return happening.reply
        raise AssertionError("a stream ends with its reply")

    def _add(self, turn: Turn) -> None:
        self.context = replace(self.context, turns=(*self.context.turns, turn))


def answers(reply: Reply) -> dict[str, str]:
    """The results of what a reply calls."""
    known: Mapping[str, Tool] = {one.name: one for one in TOOLS}
    return {asked.id: str(run(known[asked.tool], asked.args)) for asked in reply.calls}


def told(context: Context) -> list[tuple[str, str, str]]:
    """A history as pairs of who and what, thinking left out."""
    found: list[tuple[str, str, str]] = []
    for turn in context.turns:
        if not isinstance(turn, AgentTurn):
            found.append(("user", turn.text, ""))
            continue
        if turn.text:
            found.append(("agent", turn.text, ""))
        found += [("call", json.dumps(json.loads(call.args)), call.id) for call in turn.calls]
        found += [("result", call.result, call.id) for call in turn.calls]
    return found


def seen(items: Sequence[Shown]) -> list[tuple[str, str, str]]:
    """What a model was shown, in the same form."""
    found: list[tuple[str, str, str]] = []
    for item in items:
        if item.kind == "call":
            found.append(("call", json.dumps(json.loads(item.text)), item.call))
        elif item.kind in ("user", "agent", "result"):
            found.append((item.kind, item.text, item.call))
    return found
