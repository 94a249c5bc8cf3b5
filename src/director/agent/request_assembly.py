"""Assemble and fit: the sections in their places around the conversation, within the budget.

What does not fit even at its smallest is refused here, before anything is sent. The walks along a
conversation are kept between requests: each goes on where it stopped. What a walk gives depends on
the turns and on the marks it was begun with, never on whether it was kept; so the marks are set at
steps, and two requests seldom need different ones.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from director.context.presets import PRESETS, Options
from director.context.report import Report, report_on
from director.context.resumable import ResumableCompaction
from director.context.sizes import context_size, turn_size
from director.context.unseen import cut_unseen
from director.context.values import Budget, Context, Counter, Section, Summary, Turn, UserTurn
from director.counting import Calibration
from director.errors import DirectorError
from director.models import Capabilities, Tool
from director.profiles import Placed, Profile, place_sections
from director.sections.workflow_state import WorkflowState
from director.settings import Settings
from director.store.context_view import Once

_STEPS = 32
_EIGHTS = 8
_KEPT = 6
_Key: TypeAlias = tuple[str, tuple[Section, ...], Summary | None, Budget, bool]


@dataclass(slots=True)
class Sizes:
    """The tokens of turns, each counted once, whatever is found out about the counter later."""

    _counter: Counter | None = None
    _known: Once[int] = field(default_factory=Once)

    def of(self, turns: Sequence[Turn], measure: Calibration) -> list[int]:
        """The tokens of each turn, as they are measured now."""
        counter, factor = measure.base, measure.factor
        if counter is not self._counter:
            self._counter, self._known = counter, Once()
        bare = self._known.of(turns, lambda turn: turn_size(turn, counter))
        return [round(size * factor) for size in bare]


@dataclass(slots=True)
class Walks:
    """The walks of one conversation, and the sizes of its turns; nothing outlives its turns."""

    given: Sizes = field(default_factory=Sizes)
    gone: Sizes = field(default_factory=Sizes)
    _walks: dict[_Key, ResumableCompaction] = field(default_factory=dict)

    def within(
        self, room: Budget, context: Context, *, strategy: str, limit: int, measure: Calibration
    ) -> Context:
        """The context as it is if there is room for it, else cut.

        `limit` is that of the whole request, of which the room is left; `measure` that of the
        room's counter. A walk counts by the bare counter, which stays the same.
        """
        raw, factor = replace(room, counter=measure.base, warn=None), measure.factor
        wide = replace(raw, limit=limit * _EIGHTS // max(1, int(factor * _EIGHTS)))
        whole = self._walk(strategy, context, wide, whole=True)
        if not whole.cuts and context_size(whole.sent, room.counter) <= room.limit:
            return whole.sent
        step = max(1, limit // _STEPS)
        most = max(1, int(room.limit / factor))
        most = most // step * step or most
        cut = self._walk(strategy, context, replace(raw, limit=most)).sent
        if context_size(cut, room.counter) > room.limit and most > step:
            # Roundings of many small texts may add up to more than the room.
            cut = self._walk(strategy, context, replace(raw, limit=most - step)).sent
        return cut

    def _walk(
        self, strategy: str, context: Context, budget: Budget, *, whole: bool = False
    ) -> ResumableCompaction:
        key = (strategy, context.sections, context.summary, budget, whole)
        going = {at: walk for at, walk in self._walks.items() if walk.goes_on(context.turns)}
        start = replace(context, turns=())
        # A message that is too large is refused with its size: its user can say it again.
        options = Options(cuts_requests=False)
        walk = going.pop(key, None) or ResumableCompaction(
            PRESETS[strategy](options), start, budget
        )
        if not (whole and walk.cuts):
            walk.advance(context.turns)
        self._walks = {**dict(list(going.items())[1 - _KEPT :]), key: walk}
        return walk


class SingleCut(Walks):
    """Cuts a history once, at its end: for how small it can be, not for what is sent."""

    def within(
        self, room: Budget, context: Context, *, strategy: str, limit: int, measure: Calibration
    ) -> Context:
        """The context cut to the room, without a look at the calls on the way there."""
        raw = replace(room, counter=measure.base, warn=None, limit=min(room.limit, limit))
        cutting = PRESETS[strategy](Options())
        smaller = cutting.cut(context, raw, raw.limit)
        return cut_unseen(smaller, raw, recalls=cutting.recalls)


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


def measure_request(
    draft: RequestDraft, tools: Sequence[Tool], measure: Calibration, walks: Walks
) -> int:
    """Tokens of a request before it is fitted: sections, history and tools."""
    counter = measure.counter()
    history = sum(walks.given.of(draft.context.turns, measure))
    blocks = sum(counter(text) for text in (draft.around.first_message, draft.around.last_message))
    bare = context_size(replace(draft.context, turns=()), counter)
    return bare + history + blocks + measure_request_tools(tools, counter)


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


# What the retrieval tools would tell, all at once.
STATE = ("description", "plan", "workflow", "variables", "browser")


def apply_refresh(profile: Profile, said: Context) -> Profile:
    """The profile for the next request: with the state behind the history when that is due.

    It is due with every so-many-th message of the user that is in view, for all requests that are
    made for that message. Those are not chained: a server would remember what they show for good.
    """
    how = profile.compression
    if how.mode != "refresh" or how.every < 1:
        return profile
    messages = sum(isinstance(turn, UserTurn) for turn in said.turns)
    if messages == 0 or messages % how.every:
        return profile
    missing = tuple(name for name in STATE if name not in profile.sections)
    return replace(profile, last=(*profile.last, *missing), chain="never") if missing else profile
