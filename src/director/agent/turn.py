"""A turn of Director: gather → assemble → fit → send → record, until the model has no more calls.

What the user said is stored before anything else, each answer with what goes on from it, each
result as soon as it is there. Wherever this stops, the thread is valid, and nothing runs twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from director.agent.agent_session import AgentSession
from director.agent.compression.thread_compression import compress_when_due
from director.agent.conversation.current_thread import (
    ensure_current_thread,
    has_answered_calls,
    store_notice,
    store_user_message,
    withdraw_last_answer_from_thread,
    withdraw_turn_from_thread,
)
from director.agent.conversation.message_size import check_message
from director.agent.model_choice import get_chosen_model, get_chosen_profile, is_background
from director.agent.model_windows import (
    describe_model_window,
    learn_model_window,
    remember_model_window,
)
from director.agent.permissions.effect_approval import list_requested_effects
from director.agent.permissions.pending_approvals import PendingApprovals
from director.agent.permissions.secret_requests import find_secret_request
from director.agent.request_assembly import (
    FittedRequest,
    compute_request_budget,
    draft_request,
    fit_assembled_request,
)
from director.agent.request_log.kept_requests import RequestRecord, RequestTarget
from director.agent.tool_calls import Round, answer_tool_calls
from director.agent.tools import REGISTRY, TRUSTS, UserQuestion
from director.agent.turn_context import gather_turn_context, read_turn_conversation
from director.agent.turn_events import TurnProgress
from director.agent.turn_lease import (
    Hold,
    TurnRunning,
    find_last_turn,
    has_waiting_job,
    hold_thread,
    is_turn_running,
)
from director.agent.turn_limits import Limit, Spent, describe_turn_limit
from director.models import (
    Image,
    Model,
    ModelError,
    Reply,
    StreamEnd,
    StreamEvent,
    StreamRestart,
    Text,
    Thinking,
    Tool,
)
from director.profiles import Profile
from director.store import Store, StoreError

# How a turn ends that has not come to its end; one whose program died is still "running".
_BROKEN = ("failed", "cancelled", "cut", "running")
Ended: TypeAlias = Literal["said", "asked", "waiting", "cut"] | Limit


@dataclass(frozen=True, slots=True)
class TurnResult:
    """How a turn ended, what the user is told, and what it took.

    `asked` ends with a question, whose answer is what the user says next; `waiting` with origins
    and effects to approve, questions of a run, or secrets to enter; `cut` with an answer that the
    provider cut off; a limit with a word that says so.
    """

    thread: str
    ended: Ended
    text: str
    spent: Spent
    question: UserQuestion | None = None
    call: str = ""
    origins: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()


async def take_turn(
    desk: AgentSession,
    text: str,
    *,
    images: Sequence[Image] = (),
    model: str = "",
    profile: str | Profile = "",
) -> TurnResult:
    """Answer what the user says, with as many calls as it takes.

    `model`, `profile` and the session's `background` are for this message; else the workflow's or
    the deployment's are used. Raises `TurnRunning` if the thread is busy and `MessageTooLarge` if
    the message can never be sent: nothing is stored then. Raises `ContextTooLarge` and `ModelError`
    if nothing could be sent or answered; what was said and done until then is kept.
    """
    text = desk.hide_all(text)
    await check_message(desk, text, model=model, profile=profile)
    desk.thread = ensure_current_thread(desk.store, desk.workflow)
    named = profile if isinstance(profile, str) else profile.name
    async with hold_thread(desk.store, desk.thread, model=model, profile=named) as hold:
        store_user_message(desk.store, desk.thread, text, images, last=hold.before)
        return await _run_turn(desk, hold, model, profile)


async def resume_turn(desk: AgentSession) -> TurnResult:
    """Fetch the answer that a model worked out while no program waited for it, and go on.

    Only for a thread that `has_waiting_job`; it is asked for nothing a second time.
    """
    desk.thread = ensure_current_thread(desk.store, desk.workflow)
    if not has_waiting_job(desk.store, desk.thread):
        raise StoreError("No answer is being worked out in the background. Nothing was changed.")
    last = find_last_turn(desk.store, desk.thread)
    model, profile = str(last.get("model") or ""), str(last.get("profile") or "")
    async with hold_thread(desk.store, desk.thread, model=model, profile=profile) as hold:
        desk.resumes = desk.background = True
        return await _run_turn(desk, hold, model, profile)


async def _run_turn(
    desk: AgentSession, hold: Hold, model: str, profile: str | Profile
) -> TurnResult:
    """Take the turn of a thread that is held; however it ends, the hold says so."""
    hold.ends = {"state": "failed"}
    try:
        turn = await _answer(desk, model, profile)
    except asyncio.CancelledError:
        hold.ends = {"state": "cancelled"}
        raise
    except Exception as problem:
        # Whoever looks later, perhaps in another program, is told why as well.
        why = desk.clean(str(problem)) or type(problem).__name__
        hold.ends = {"state": "failed", "text": why}
        raise
    finally:
        desk.background, desk.resumes = None, False
    _record_end(desk, hold, turn)
    return turn


async def retry_turn(
    desk: AgentSession,
    text: str = "",
    *,
    model: str = "",
    profile: str | Profile = "",
) -> TurnResult:
    """Take the last turn back and say it again, or say another text in its place.

    One that broke off after calls were answered goes on from there, unless there is another text:
    what was done is not taken back, so the model must see it.
    """
    thread = ensure_current_thread(desk.store, desk.workflow)
    if is_turn_running(desk.store, thread):
        raise TurnRunning("The turn is still running. Nothing was changed. Cancel it first.")
    if not text and can_continue_turn(desk.store, thread):
        withdraw_last_answer_from_thread(desk.store, thread)
        desk.thread = thread
        named = profile if isinstance(profile, str) else profile.name
        async with hold_thread(desk.store, thread, model=model, profile=named) as hold:
            return await _run_turn(desk, hold, model, profile)
    before = withdraw_turn_from_thread(desk.store, thread)
    return await take_turn(desk, text or before, model=model, profile=profile)


def can_continue_turn(store: Store, thread: str) -> bool:
    """Whether the last turn broke off after calls were answered."""
    state = find_last_turn(store, thread).get("state")
    return state in _BROKEN and has_answered_calls(store, thread)


async def _answer(desk: AgentSession, model: str, profile: str | Profile) -> TurnResult:
    chosen = get_chosen_profile(desk.store, desk.workflow, desk.settings, now=profile)
    name = model or desk.model
    desk.talks = get_chosen_model(desk.store, desk.workflow, desk.settings, now=name)
    desk.background = is_background(desk.settings, desk.talks, now=desk.background)
    desk.spent = Spent()
    talking = await desk.talking(desk.talks).ready()
    remember_model_window(desk.store, talking)
    try:
        async with asyncio.timeout(chosen.limits.seconds) as limit:
            desk.time_limit = limit
            return await _rounds(desk, talking, chosen)
    except TimeoutError:
        if not limit.expired():
            raise
        return _stop(desk, chosen, "time")
    finally:
        desk.time_limit = None


async def _rounds(desk: AgentSession, model: Model, profile: Profile) -> TurnResult:
    tools = tuple(REGISTRY[name].tool for name in profile.tools)
    while True:
        if over := desk.spent.over(profile.limits):
            return _stop(desk, profile, over)
        fitted, going = await _ready(desk, model, profile, tools)
        desk.progress(TurnProgress("asking"))
        try:
            reply = await _ask_model(desk, model, going.profile, tools, fitted)
        except ModelError as refused:
            if not learn_model_window(desk.store, model, refused):
                raise
            # It was larger than what the server takes: with the window that it showed it fits.
            desk.progress(TurnProgress("again", describe_model_window(model.capabilities)))
            continue
        desk.progress(TurnProgress("answered", reply.text))
        if not reply.calls:
            return _finish(desk, reply)
        await answer_tool_calls(desk, reply, going)
        if going.question is not None:
            said = str(going.question)
            return TurnResult(desk.thread, "asked", said, desk.spent, going.question, going.call)
        if going.pending:
            return _waits(desk, going.pending)


async def _ready(
    desk: AgentSession, model: Model, profile: Profile, tools: Sequence[Tool]
) -> tuple[FittedRequest, Round]:
    """Gather, assemble and fit, all from what is there now."""
    said = read_turn_conversation(desk, TRUSTS)
    state = await gather_turn_context(desk, said)
    draft = draft_request(profile, state, said)
    if await compress_when_due(desk, draft, state, tools=tools):
        desk.progress(TurnProgress("compressed"))
        said = read_turn_conversation(desk, TRUSTS)
        draft = draft_request(profile, replace(state, summary=said.summary), said)
    hidden = replace(draft.context, sections=desk.hide_said(draft.context.sections))
    draft = replace(draft, context=hidden, around=desk.hide_said(draft.around))
    budget = compute_request_budget(model.capabilities, desk.settings, model.counter)
    fitted = fit_assembled_request(
        draft,
        tools=tools,
        budget=budget,
        measure=model.calibration,
        walks=desk.walks,
    )
    return fitted, Round(draft.profile, said)


async def _ask_model(
    desk: AgentSession,
    model: Model,
    profile: Profile,
    tools: tuple[Tool, ...],
    fitted: FittedRequest,
) -> Reply:
    """Send; the answer is stored in the thread with all that goes on from it, as one."""
    waits = bool(desk.background) and model.capabilities.background
    policy = replace(model.policy, chain=profile.chain, background=waits, resume=desk.resumes)
    if waits:
        says = "Its answer is fetched." if desk.resumes else "It goes on if this program ends."
        desk.progress(TurnProgress("background", says))
    asked = RequestTarget(
        desk.workflow, desk.thread, profile.name, model, tools, policy, streaming=True
    )
    log = desk.log
    with desk.keep_record(RequestRecord(asked, fitted.report, log.head, log.view.context)) as made:
        arriving = model.stream(
            fitted.context,
            tools=tools,
            thread=desk.thread,
            policy=policy,
            attempts=made.attempts,
        )
        desk.resumes = False
        made.ended = reply = await _receive(desk, arriving)
    desk.spent.add(reply)
    return reply


async def _receive(desk: AgentSession, arriving: AsyncGenerator[StreamEvent, None]) -> Reply:
    """The whole answer; its text is told as it comes."""
    async with aclosing(arriving):
        async for one in arriving:
            match one:
                case StreamEnd(reply):
                    return reply
                case Text(text):
                    desk.progress(TurnProgress("text", text))
                case Thinking(text):
                    desk.progress(TurnProgress("thinking", text))
                case StreamRestart(reason):
                    desk.progress(TurnProgress("again", reason))
    raise AssertionError("a stream ends with a reply or an error")


def _finish(desk: AgentSession, reply: Reply) -> TurnResult:
    if reply.status == "completed":
        return TurnResult(desk.thread, "said", reply.text, desk.spent)
    said = f"The answer was cut off by the provider ({reply.stop}). Say how to go on."
    store_notice(desk.store, desk.thread, said)
    return TurnResult(desk.thread, "cut", f"{reply.text}\n\n{said}".strip(), desk.spent)


def _stop(desk: AgentSession, profile: Profile, limit: Limit) -> TurnResult:
    said = describe_turn_limit(limit, profile.limits)
    store_notice(desk.store, desk.thread, said)
    return TurnResult(desk.thread, limit, said, desk.spent)


def _waits(desk: AgentSession, pending: PendingApprovals) -> TurnResult:
    asked = [
        one
        for one in list_requested_effects(desk.store, desk.workflow)
        if one.key in pending.effects
    ]
    wanted = [f"to reach {', '.join(pending.origins)}"] if pending.origins else []
    wanted += ["to go on with a run that asks you something"] if pending.questions else []
    wanted += [f"to run {one.name} on {', '.join(one.origins)}" for one in asked]
    approval = (
        f"I need your approval {'; '.join(wanted)}. Nothing was done yet. Approve or refuse it, "
        "then tell me to go on."
    )
    missing = [find_secret_request(desk.store, desk.workflow, key) for key in pending.secrets]
    secrets = "".join(
        f"I need the secret {one.name} for {one.origin}. Enter it where you are asked for it, "
        "never in a message: it goes into the vault."
        for one in missing
    )
    said = "\n\n".join(filter(None, (approval if wanted else "", secrets)))
    store_notice(desk.store, desk.thread, said)
    return TurnResult(
        desk.thread,
        "waiting",
        said,
        desk.spent,
        origins=pending.origins,
        effects=pending.effects,
        questions=pending.questions,
        secrets=pending.secrets,
    )


def _record_end(desk: AgentSession, hold: Hold, turn: TurnResult) -> None:
    spent = turn.spent
    hold.ends = {
        "state": turn.ended,
        "text": desk.hide_said(turn.text),
        "rounds": spent.rounds,
        "tokens": spent.tokens,
        "money": str(spent.money),
        "call": turn.call,
        "origins": list(turn.origins),
        "effects": list(turn.effects),
        "questions": list(turn.questions),
        "secrets": list(turn.secrets),
        "head": desk.store.head(desk.thread),
    }
    desk.progress(TurnProgress("ended", turn.text))
