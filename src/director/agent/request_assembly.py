"""Assemble and fit: the sections in their places around the conversation, within the budget.

Pure. What does not fit even at its smallest is refused here, before anything is sent.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from director.agent.compression.continuation_modes import apply_refresh
from director.agent.conversation.compaction_states import Walks
from director.context.report import Report, report_on
from director.context.sizes import context_size
from director.context.values import Budget, Context, Counter, Turn, UserTurn
from director.counting import Calibration
from director.errors import DirectorError
from director.models import Capabilities, Tool
from director.profiles import Placed, Profile, place_sections
from director.sections.workflow_state import WorkflowState
from director.settings import Settings

_ANSWER = 8_192  # tokens left for what the model says


class ContextTooLarge(DirectorError):
    """What must be sent is larger than what may be; nothing was sent. `size` is in tokens."""

    kept = "What was said is kept."

    def __init__(self, text: str, size: int = 0) -> None:
        super().__init__(text)
        self.size = size


@dataclass(frozen=True, slots=True)
class FittedRequest:
    """A request that may be sent, and what it took to make it fit."""

    context: Context
    report: Report


def assemble_request(
    profile: Profile, state: WorkflowState, said: Context
) -> tuple[Context, Placed]:
    """The conversation with the instructions above it, and the blocks that go around it."""
    shown = place_sections(profile, state)
    # A summary that the profile shows as a section must not be sent a second time.
    summary = None if "summary" in profile.sections else said.summary
    return Context(shown.instructions, said.turns, summary), shown


@dataclass(frozen=True, slots=True)
class RequestDraft:
    """A request before it is fitted: the conversation, and what goes around it under a profile."""

    profile: Profile
    said: Context
    context: Context
    around: Placed


def draft_request(profile: Profile, state: WorkflowState, said: Context) -> RequestDraft:
    """Assemble a request once, to be measured and to be sent."""
    shown = apply_refresh(profile, said)
    return RequestDraft(shown, said, *assemble_request(shown, state, said))


def fit_assembled_request(
    draft: RequestDraft,
    *,
    tools: Sequence[Tool],
    budget: Budget,
    measure: Calibration,
    walks: Walks,
) -> FittedRequest:
    """The request within the budget; `ContextTooLarge` names what is too large.

    `measure` is that of the budget's counter; `walks` are those of earlier requests.
    """
    context, around = draft.context, draft.around
    counter, strategy = budget.counter, draft.profile.strategy
    first = _block(0, around.first_message)
    last = _block(_after(context.turns), around.last_message)
    # What changes with every request stands beside the walk, or no walk would ever go on.
    moving = Context(tuple(one for one in context.sections if not one.stable), (*first, *last))
    beside = context_size(moving, counter) + measure_request_tools(tools, counter)
    room = replace(budget, limit=max(1, budget.limit - beside))
    steady = replace(context, sections=tuple(one for one in context.sections if one.stable))
    cut = walks.within(room, steady, strategy=strategy, limit=budget.limit, measure=measure)
    sent = replace(cut, sections=context.sections, turns=(*first, *cut.turns, *last))
    given = replace(context, turns=(*first, *context.turns, *last))
    bare = context_size(replace(given, turns=(*first, *last)), counter)
    sizes = walks.given.of(context.turns, measure)
    report = report_on(
        given,
        sent,
        replace(budget, limit=room.limit + beside),
        before=None if cut.turns == context.turns else bare + sum(sizes),
        gone=walks.gone.of(cut.fold.turns, measure) if cut.fold else (),
    )
    if context_size(cut, counter) > room.limit:
        more = measure_request_tools(tools, counter)
        raise ContextTooLarge(_too_large(report, more), report.after + more)
    return FittedRequest(sent, report)


def compute_request_budget(can: Capabilities, settings: Settings, counter: Counter) -> Budget:
    """What a request may take: up to the setting, and never more than the model's window."""
    room = min(can.max_input, can.window - min(_ANSWER, can.max_output))
    limit = min(room, settings.compress_at.value)
    return Budget(limit, warn=min(settings.warn_at.value, limit), counter=counter)


def measure_request_tools(tools: Sequence[Tool], counter: Counter) -> int:
    """Tokens of what a model is told about its tools."""
    return sum(
        counter(f"{tool.name} {tool.description} {json.dumps(tool.parameters)}") for tool in tools
    )


def _block(at: int, text: str) -> tuple[Turn, ...]:
    return (UserTurn(at, text, pinned=True),) if text else ()


def _after(turns: Sequence[Turn]) -> int:
    return turns[-1].at + 1 if turns else 1


def _too_large(report: Report, tools: int) -> str:
    largest = ", ".join(f"{name} {size:,}" for name, size in report.floor[:5])
    turn = next((name for name, _ in report.floor if name.startswith("turn ")), "")
    leave = f"Leave {turn} out (/drop {turn[5:]}), shorten" if turn else "Shorten"
    return (
        f"The request was not sent: it takes {report.after + tools:,} tokens at the least, and "
        f"{report.limit:,} are allowed. What cannot be left out: {largest}, tools {tools:,}. "
        f"{leave} what is largest, or choose a model with a larger window."
    )
