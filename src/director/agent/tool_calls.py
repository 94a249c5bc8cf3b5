"""The calls of one answer: in order, each under its policy, each answered and stored at once.

A call is begun only here and only once. What goes wrong in a tool is told to the model as text;
what the program is told to stop with goes through, and the call is then shown as interrupted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import cast

from director.agent.agent_session import AgentSession
from director.agent.conversation.current_thread import record_results
from director.agent.conversation.provenance import (
    ReadTexts,
    collect_provenance_texts,
    find_address_provenance,
    find_text_sources,
    write_provenance_line,
)
from director.agent.permissions.effect_approval import EffectNotApproved, check_effects
from director.agent.permissions.origin_requests import (
    ASKED,
    Approval,
    list_origin_approvals,
    request_origin,
)
from director.agent.permissions.pending_approvals import PendingApprovals, await_approvals
from director.agent.permissions.secret_requests import SecretWanted, request_secret
from director.agent.permissions.tool_policy import (
    Allowed,
    Denied,
    Waits,
    decide_tool_call,
    list_policy_origins,
    select_typed_for_policy,
)
from director.agent.tools import REGISTRY, Spec, UserQuestion
from director.agent.turn_events import TurnProgress
from director.browser import BrowserError, BrowserGone, Session
from director.browser.approved_origins import get_origin_place
from director.browser.bundle import LocatorError
from director.context.values import Context, UserTurn
from director.models import Reply, Result, ToolArgumentError, ToolCall
from director.models.tool_schemas import read_tool_arguments
from director.profiles import Profile
from director.runs import RunError
from director.secrets import OriginError, SecretRefused, VaultError
from director.sections.boundary import guard_boundary
from director.sections.section_texts import SECTION_TOOLS
from director.store import StoreError, VersionConflict
from director.workflow.nearest import write_nearest_hint
from director.workflow.values import Json, WorkflowError

_LATER = "Not run: the user is asked first. Call it again after the answer, if it is still wanted."
# What a model can correct, or tell the user; its text was written for them.
_MISTAKES = (
    WorkflowError,
    BrowserError,
    LocatorError,
    RunError,
    StoreError,
    ToolArgumentError,
    OriginError,
    SecretRefused,
    VaultError,
    VersionConflict,
)


@dataclass(slots=True)
class Round:
    """What the model had read when it answered, and what its calls led to.

    `pending` is what the user is to approve or answer before a call of this round can be made;
    `unanswered` says that the user was asked while a call waited, and gave no answer in time.
    """

    profile: Profile
    said: Context = field(default_factory=Context)
    question: UserQuestion | None = None
    call: str = ""
    pending: PendingApprovals = field(default_factory=PendingApprovals)
    unanswered: bool = False
    _texts: ReadTexts | None = None

    @property
    def texts(self) -> ReadTexts:
        """Who wrote the words that the model has read."""
        if self._texts is None:
            self._texts = collect_provenance_texts(self.said)
        return self._texts

    @property
    def user_origins(self) -> frozenset[str]:
        """The origins that the user wrote out in a message that was typed."""
        words = select_typed_for_policy(
            turn.text for turn in self.said.turns if isinstance(turn, UserTurn)
        )
        return frozenset(map(str, list_policy_origins(words)))


async def answer_tool_calls(desk: AgentSession, reply: Reply, going: Round) -> None:
    """Run the calls of an answer one after the other; a question ends them."""
    for asked in reply.calls:
        if going.question is not None:
            record_results(desk.store, desk.thread, reply, {asked.id: Result(_LATER, failed=True)})
            continue
        source = _source(desk, asked, going)
        desk.progress(TurnProgress("calling", asked.args, asked.tool, asked.id, source=source))
        given = await run_tool_call(desk, asked, going)
        if isinstance(given, UserQuestion):
            going.question, going.call = given, asked.id
            continue
        result = replace(given, text=write_tool_result(desk, asked.tool, given))
        record_results(desk.store, desk.thread, reply, {asked.id: result}, source=source)
        told = TurnProgress("called", result.text, asked.tool, asked.id, result.failed, source)
        desk.progress(told)


def write_tool_result(desk: AgentSession, tool: str, given: Result) -> str:
    """What a model is shown of a result: no secret, and nothing like a section unless it is one."""
    text = desk.clean(given.text)
    return text if tool in SECTION_TOOLS and not given.failed else guard_boundary(text)


def _source(desk: AgentSession, asked: ToolCall, going: Round) -> str:
    """The pages that the arguments of a call came from, in words, if it acts on them."""
    spec = REGISTRY.get(asked.tool)
    if spec is None or spec.policy not in ("reach", "run"):
        return ""
    try:
        args = read_tool_arguments(spec.tool, asked.args)
    except ToolArgumentError:
        return ""
    live = desk.bench.live
    return write_provenance_line(
        find_text_sources(cast("Json", args), going.texts, here=_origin_of(live))
    )


def _origin_of(live: Session | None) -> str:
    """Where text is typed now; nowhere if no page is open."""
    try:
        return str(get_origin_place(live.page().url)) if live else ""
    except (BrowserError, OriginError):
        return ""


async def run_tool_call(desk: AgentSession, asked: ToolCall, going: Round) -> Result | UserQuestion:
    """Make one call under its policy; what goes wrong is its result.

    What it needs from the user is asked for while it waits. Answered, it is judged and made again,
    which goes on where it was stopped; else the turn ends and waits.
    """
    spec = REGISTRY.get(asked.tool) if asked.tool in going.profile.tools else None
    if spec is None:
        near = write_nearest_hint(asked.tool, going.profile.tools)
        return Result(f"There is no tool {asked.tool!r}.{near}", failed=True)
    known = PendingApprovals()
    while True:
        given, wanted = await _try_call(desk, spec, asked, going)
        if not wanted:
            return given
        # What was answered and is wanted again cannot be helped by the same answer.
        is_new = known.join(wanted) != known
        if not is_new or going.unanswered or not await await_approvals(desk, wanted):
            going.unanswered = desk.asks_user is not None
            going.pending = going.pending.join(wanted)
            return given
        known = known.join(wanted)


async def _try_call(
    desk: AgentSession, spec: Spec, asked: ToolCall, going: Round
) -> tuple[Result | UserQuestion, PendingApprovals]:
    """Make a call once; its result, and what the user is to approve before it can be made."""
    desk.questions.clear()
    desk.effects.clear()
    try:
        args = read_tool_arguments(spec.tool, asked.args)
        refused = _check_policy(desk, spec, args, going)
        if refused is not None:
            return refused
        check_effects(desk, spec.name, await spec.does(desk, args))
        given = await spec.run(desk, **args)
    except BrowserGone as gone:
        await desk.bench.drop()
        return _fail(f"{gone} The browser is opened again at the next use.")
    except SecretWanted as missing:
        key = request_secret(desk.store, desk.workflow, missing.wanted, going.texts)
        return Result(str(missing)), PendingApprovals(secrets=(key,))
    except _MISTAKES as mistake:
        keys = mistake.asked if isinstance(mistake, EffectNotApproved) else ()
        return Result(str(mistake), failed=True), PendingApprovals(effects=keys)
    except Exception as fault:  # noqa: BLE001  a fault of a tool must not cost the conversation
        said = f"{asked.tool} broke: {type(fault).__name__}: {fault}. This is a fault of Director."
        return _fail(said)
    waits = PendingApprovals(effects=tuple(desk.effects), questions=tuple(desk.questions))
    return Result(given) if isinstance(given, str) else given, PendingApprovals().join(waits)


def _fail(said: str) -> tuple[Result, PendingApprovals]:
    return Result(said, failed=True), PendingApprovals()


def _check_policy(
    desk: AgentSession, spec: Spec, args: Mapping[str, object], going: Round
) -> tuple[Result, PendingApprovals] | None:
    """Why a call is not made, if it is not, and what it waits for."""
    wanted = spec.wants(args)
    known = list_origin_approvals(desk.store, desk.workflow) if wanted else []
    decision = decide_tool_call(
        spec.policy,
        wanted,
        approved=[one.origin for one in known if one.state == "approved"],
        refused=[one.origin for one in known if one.state == "refused"],
    )
    match decision:
        case Allowed():
            return None
        case Denied(why):
            return _fail(f"{spec.name} was not run: {why.rstrip('.')}.")
        case Waits(origins):
            return _waits(desk, spec, args, origins, going)


def _waits(
    desk: AgentSession,
    spec: Spec,
    args: Mapping[str, object],
    origins: tuple[str, ...],
    going: Round,
) -> tuple[Result, PendingApprovals]:
    why = str(args.get("reason") or args.get("description") or "")[:300]
    for origin in origins:
        wanted = Approval(
            origin,
            "asked",
            spec.name,
            why,
            desk.thread,
            named=origin in going.user_origins,
            source=find_address_provenance(origin, going.texts),
        )
        request_origin(desk.store, desk.workflow, wanted)
    told = Result(
        f"{spec.name} was not run: {', '.join(origins)} is not approved, and nothing was sent "
        f"there. {ASKED}; call it again when the user has approved it.",
        failed=True,
    )
    return told, PendingApprovals(origins)
