"""The model behind the nodes that need one: an answer of a form, and a bounded agent in a browser.

Both begin in a fresh context that holds the node's own words and nothing of the conversation. What
is asked is kept beside the workflow's thread. The browser reaches approved origins only.
"""

# ruff: noqa: D417  no model is told of the hand
from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from director.agent.agent_session import AgentSession, Opens, open_session_model
from director.agent.browsing.snapshot_refs import act_on_snapshot_ref
from director.agent.conversation.current_thread import ensure_current_thread
from director.agent.model_choice import get_chosen_model
from director.agent.permissions.effect_approval import ask_at_nodes
from director.agent.permissions.secret_leaks import guard_model_from_leaks
from director.agent.request_assembly import compute_request_budget
from director.agent.request_log.kept_requests import RequestRecord, RequestTarget, keep_record
from director.agent.tools.tool_definition import Spec, make_tool_definition
from director.browser import BrowserError, BrowserGone, Session, closer
from director.browser.bundle import LocatorError
from director.browser.snapshot_text import render_snapshot_text
from director.browser.snapshots import Snapshot
from director.context.report import report_on
from director.context.values import Context, Section, Turn, UserTurn
from director.models import (
    Journal,
    Model,
    Policy,
    Reply,
    Result,
    Tool,
    ToolArgumentError,
    ToolCall,
    turn_of,
)
from director.models.tool_schemas import read_tool_arguments
from director.runs import RunDependencies
from director.runs.resources import Resources
from director.runs.values import NodeModels, Permit
from director.secrets import Redactor
from director.sections.section_texts import read_system_prompt
from director.settings import load_settings
from director.store import Store
from director.workflow.values import Json

_ROOM = 40_000


def lend_node_models(
    supplies: Resources, store: Store, open_model: Opens = open_session_model
) -> None:
    """Let the nodes of every workflow ask the model that is chosen for it, or for all.

    What a model began and somebody else goes on with still asks the user before its effects.
    """

    def opens(name: str, journal: Journal | None) -> Model:
        return guard_model_from_leaks(open_model(name, journal), store, supplies.vault)

    def minds(workflow: str) -> NodeModels:
        lender = NodeModelClient(store, workflow, opens, supplies.vault.net)
        return NodeModels(lender.think, lender.work)

    def permit(workflow: str) -> Permit:
        return ask_at_nodes(
            AgentSession(store, workflow, means=RunDependencies(secrets=supplies.vault))
        )

    supplies.minds, supplies.permit = minds, permit


@dataclass(slots=True)
class AgentBrowser:
    """The browser of an agent at work, what it last saw, and what it says in the end."""

    session: Session
    page: Snapshot | None = None
    ended: dict[str, Json] | None = None


class NodeModelClient:
    """Asks the model of one workflow on behalf of its nodes."""

    def __init__(
        self, store: Store, workflow: str, open_model: Opens, net: Callable[[], Redactor]
    ) -> None:
        self._store = store
        self._workflow = workflow
        self._open = open_model
        self._net = net

    async def think(self, instruction: str, given: Json, schema: Mapping[str, Json], /) -> Json:
        """A value of the schema; whether it is one is checked by the node."""
        told = json.dumps(given, ensure_ascii=False, indent=1)
        asked = instruction if given is None else f"{instruction}\n\nThe input:\n{told}"
        form: dict[str, object] = {
            "type": "object",
            "properties": {"value": schema},
            "required": ["value"],
        }
        tool = Tool("answer", "Give the answer; this ends your work.", form)
        context = Context(
            (Section("cognition", read_system_prompt("cognition")),), (UserTurn(1, asked),)
        )
        policy = Policy(chain="never", tool_choice="answer")
        async with self._model() as model:
            reply = await self._send(model, context, (tool,), policy)
        return _answer(reply)

    async def work(self, goal: str, max_steps: int, session: Session, /) -> Mapping[str, Json]:
        """What an agent brought that looked and acted at most so many times."""
        hand = AgentBrowser(session)
        tools = tuple(one.tool for one in _TOOLS)
        turns: tuple[Turn, ...] = (UserTurn(1, goal),)
        sections = (Section("work", read_system_prompt("work")),)
        async with self._model() as model:
            for nth in range(max_steps):
                context = Context(sections, turns)
                reply = await self._send(model, context, tools, Policy(chain="never"))
                results = {asked.id: await _run_tool_call(hand, asked) for asked in reply.calls}
                if hand.ended is not None:
                    return hand.ended
                if not reply.calls:
                    return {"ok": False, "error": f"It stopped without a word on it: {reply.text}"}
                turns = (*turns, turn_of(reply, nth + 2, results))
        return {"ok": False, "error": f"It was not done after {max_steps} steps."}

    def _model(self) -> Model:
        name = get_chosen_model(self._store, self._workflow, load_settings())
        return self._open(name, None)

    async def _send(
        self, model: Model, context: Context, tools: tuple[Tool, ...], policy: Policy
    ) -> Reply:
        await model.ready()
        budget = compute_request_budget(model.capabilities, load_settings(), model.counter)
        thread = ensure_current_thread(self._store, self._workflow)
        asked = RequestTarget(self._workflow, thread, "", model, tools, policy, by="node")
        known = RequestRecord(asked, report_on(context, context, budget))
        with keep_record(self._store, known, self._clean) as made:
            made.ended = reply = await model.send(
                context, tools=tools, thread="node", policy=policy, attempts=made.attempts
            )
        return reply

    def _clean(self, text: str) -> str:
        return self._net().clean(text)


def _answer(reply: Reply) -> Json:
    for asked in reply.calls:
        found = json.loads(asked.args)
        if asked.tool == "answer" and isinstance(found, dict) and "value" in found:
            value: Json = found["value"]
            return value
    try:
        # A model that cannot be made to call says it in words; the node checks what it is.
        said: Json = json.loads(reply.text)
    except (ValueError, RecursionError):
        raise ValueError(f"it gave no value: {reply.text[:200]!r}") from None
    return said


async def _run_tool_call(hand: AgentBrowser, asked: ToolCall) -> Result:
    """What came of one call of the agent; what it can correct is its result."""
    found = next((one for one in _TOOLS if one.name == asked.tool), None)
    if found is None:
        return Result(f"There is no tool {asked.tool!r}.", failed=True)
    try:
        given = await found.run(hand, **read_tool_arguments(found.tool, asked.args))
    except BrowserGone:
        raise
    except (ToolArgumentError, BrowserError, LocatorError) as problem:
        return Result(hand.session.net.clean(str(problem)), failed=True)
    return Result(hand.session.net.clean(str(given)))


async def _page(hand: AgentBrowser) -> Snapshot:
    if hand.page is None:
        hand.page = await hand.session.snapshot()
    return hand.page


async def _describe_place(hand: AgentBrowser) -> str:
    """Where the browser is after something was done; what was seen before is void."""
    hand.page = None
    active = next((tab for tab in await hand.session.tabs() if tab.active), None)
    return f"Done. The page is {active.url} now." if active else "Done. No tab is open."


async def _look(hand: AgentBrowser) -> str:
    """Look at the page: its outline with refs."""
    hand.page = await hand.session.snapshot()
    return render_snapshot_text(hand.page, room=_ROOM)


async def _find(hand: AgentBrowser, text: str) -> str:
    """Find a text on the page; gives the lines with their refs.

    Args:
        text: what to find

    """
    return closer.find_snapshot_lines(await _page(hand), text)


async def _expand(hand: AgentBrowser, ref: str) -> str:
    """Show everything under a ref.

    Args:
        ref: such as "e12"

    """
    return closer.expand_snapshot_ref(await _page(hand), ref)


async def _read(hand: AgentBrowser, ref: str) -> str:
    """Read the plain text under a ref.

    Args:
        ref: such as "e12"

    """
    return closer.read_snapshot_ref(await _page(hand), ref)


async def _click(hand: AgentBrowser, ref: str) -> str:
    """Click an element.

    Args:
        ref: of the newest look, such as "e12"

    """
    await act_on_snapshot_ref(hand.session, "click", ref)
    return await _describe_place(hand)


async def _type(hand: AgentBrowser, ref: str, text: str) -> str:
    """Type into a field, in place of what is in it.

    Args:
        ref: of the newest look, such as "e12"
        text: what to type; a secret only as {{secret:name}}

    """
    await act_on_snapshot_ref(hand.session, "type", ref, text)
    return await _describe_place(hand)


async def _navigate(hand: AgentBrowser, url: str) -> str:
    """Go to an address in the active tab.

    Args:
        url: where to go

    """
    await hand.session.navigate(url)
    return await _describe_place(hand)


async def _end(hand: AgentBrowser, ok: bool, result: str) -> str:  # noqa: FBT001  a model says it by name
    """Say that the goal is reached, or why it cannot be; this ends your work.

    Args:
        ok: whether you have seen that it is reached
        result: what you found, or why not

    """
    clean = hand.session.net.clean(result)
    hand.ended = {"ok": ok, "result": clean} if ok else {"ok": ok, "error": clean}
    return "Thank you."


_TOOLS: tuple[Spec, ...] = (
    make_tool_definition(_look, "look", "web", name="look"),
    make_tool_definition(_find, "look", "web", name="find"),
    make_tool_definition(_expand, "look", "web", name="expand"),
    make_tool_definition(_read, "look", "web", name="read"),
    make_tool_definition(_click, "run", "web", name="click"),
    make_tool_definition(_type, "run", "web", name="type"),
    make_tool_definition(_navigate, "reach", "web", name="navigate"),
    make_tool_definition(_end, "look", "web", name="done"),
)
