"""The public functions over the engine: `fit_messages` for one list, `ContextManager` for a run.

Messages go in and come out in the same wire form; nothing that was given is ever changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from director.context.compaction import Compactor
from director.context.presets import PRESETS, Options
from director.context.recall import recall as read_back
from director.context.report import Report, report_on
from director.context.shrink import Shrinking
from director.context.strategy import Strategy
from director.context.summary_checks import mechanical, repair_summary
from director.context.summary_prompt import request
from director.context.values import LEVELS, Budget, Context, Fold, Level, Summary, UserTurn
from director.context.wire import emit, parse
from director.counting import counter_for


@dataclass(frozen=True, slots=True)
class Fitted:
    """What to send, what it cost to make it fit, and the way back to what was cut."""

    messages: list[object]
    report: Report
    context: Context

    @property
    def fold(self) -> Fold | None:
        """The turns that left, which a model may summarise better."""
        return self.context.fold

    def recall(self, reference: str) -> str:
        """The original text behind a reference in a notice or a citation."""
        return read_back(self.context, reference)


def fit_messages(  # noqa: PLR0913  every argument but the first has a name and a default
    messages: Sequence[object],
    *,
    budget: int | Budget,
    strategy: str | Strategy = "hybrid",
    compression_level: Level = "medium",
    model: str | None = None,
    summary: Summary | None = None,
    thrift: bool = False,
    recall: bool = True,
) -> Fitted:
    """Fit messages of any wire form into a budget, and report what that took.

    What fits is given back as it came. Never raises for size: see `report.fits` and `report.floor`.
    With `thrift` large results are sent in compact form at once; without `recall` notices name no
    references, since nothing could open them.
    """
    as_messages(messages)
    budget = as_budget(budget, model)
    shrinking = Shrinking(as_level(compression_level), recalls=recall)
    chosen = as_strategy(strategy, Options(shrinking=shrinking, thrift=thrift))
    parsed = parse(messages)
    given = parsed.context
    sent = chosen(with_summary(given, summary), budget)
    repairs = tuple(f"message {repair.where}: {repair.action}" for repair in parsed.repairs)
    untouched = not repairs and sent == given
    out = list(messages) if untouched else emit(sent, parsed.wire)
    return Fitted(out, report_on(given, sent, budget, repairs=repairs), sent)


def summarise(
    fold: Fold,
    model: Callable[[str], str] | None = None,
    *,
    tokens: int = 2_000,
    written: str | None = None,
    prompt: str | None = None,
) -> Summary:
    """A summary of folded turns: in excerpts, or a model's text checked and repaired.

    `model` is anything that answers a text with a text, such as `open_model(...)`; or give what
    it has `written`. `prompt` are rules of your own for it, with `{tokens}` where their number is
    to stand. What the text lost is appended verbatim, with the turns it came from; an
    empty or worthless one gives way to the excerpts. The result is for `fit_messages(summary=)`.
    """
    counter = counter_for()
    if model is not None and written is None:
        written = model(request(fold, tokens, counter, rules=prompt))
    if written is None:
        return mechanical(fold, tokens, counter)
    return repair_summary(written, fold, tokens, counter)


def as_budget(budget: int | Budget, model: str | None) -> Budget:
    """A budget from a number of tokens; refuses what cannot be a size.

    The stated error of the model's counter is a margin: a budget near the window never overflows.
    """
    if isinstance(budget, Budget):
        return budget
    number: object = budget
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        message = f"budget must be a positive number of tokens or a Budget, not {budget!r}"
        raise ValueError(message)
    counter = counter_for(model)
    return Budget(max(1, int(number / (1 + counter.error))), counter=counter)


def as_messages(messages: object) -> None:
    """Refuse what is no list of messages."""
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Sequence):
        what = f"messages must be a list of messages, not {type(messages).__name__}"
        raise TypeError(f"{what}: give the whole history, such as [{{'role': 'user', ...}}]")


def as_strategy(strategy: str | Strategy, options: Options) -> Strategy:
    """A strategy from its name, or the strategy itself."""
    return as_preset(strategy, options) if isinstance(strategy, str) else strategy


def as_preset(name: str, options: Options) -> Compactor:
    """A preset from its name."""
    given: object = name
    if not isinstance(given, str) or given not in PRESETS:
        message = f"unknown strategy {name!r}: choose one of {', '.join(PRESETS)}"
        raise ValueError(message)
    return PRESETS[name](options)


def as_level(level: str) -> Level:
    """A compression level from its name."""
    for known in LEVELS:
        if known == level:
            return known
    message = f"unknown compression_level {level!r}: choose one of {', '.join(LEVELS)}"
    raise ValueError(message)


def with_summary(context: Context, summary: Summary | None) -> Context:
    """The context with a summary in place of the turns it covers; what never leaves stays."""
    if summary is None:
        return context
    gone = tuple(
        turn
        for turn in context.turns
        if turn.at in summary.covers
        and not (isinstance(turn, UserTurn) and (turn.pinned or turn.request))
    )
    kept = tuple(turn for turn in context.turns if turn not in gone)
    return replace(context, turns=kept, summary=summary, fold=Fold(gone, summary))
