"""`ContextManager`: fits a growing history before each model call and remembers its work.

What was parsed, counted or shrunk once is not looked at again: a call touches the new messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from director.api import Fitted, as_budget, as_messages, as_preset, with_summary
from director.config import ContextConfig
from director.context.compaction import Compactor
from director.context.report import report_on
from director.context.resumable import ResumableCompaction
from director.context.sizes import context_size, turn_size
from director.context.units import find_protected, units
from director.context.user_turns import keep_users
from director.context.values import AgentTurn, Budget, Context, Counter, Fold, Summary, Turn
from director.context.window import by_messages, message_budget
from director.context.wire import Parser, Wire, emit, find_certain_wire
from director.counting import TextSizes, counter_for
from director.metrics import ContextMetrics

__all__ = ["ContextConfig", "ContextManager"]


class ContextManager:
    """Sits before the model of one agent run; feed it the whole history before every call.

    `wire` is told where it is known; otherwise the messages show it. `prepared` is a summary that
    stands for the oldest turns from the next compaction on, as long as the history goes on from
    that of which it was made.
    """

    def __init__(self, config: ContextConfig | None = None, *, wire: Wire | None = None) -> None:
        """Check the configuration at once, so that a mistake shows before the first call."""
        self.config = config or ContextConfig()
        self.metrics = ContextMetrics()
        self.prepared: Summary | None = None
        self.compactions = 0
        self._known_wire = wire
        self.config.check()
        self._model = self.config.model
        self._named: tuple[tuple[int, str], ...] = ()
        self._counter = self._counting()
        self._budget = self._find_budget()
        self._strategy(())
        self._forget()

    async def process_messages(
        self, messages: Sequence[object], current_phase: str | None = None
    ) -> list[object]:
        """The messages to send instead of these, in the same wire form."""
        return self.fit(messages, current_phase).messages

    def fit(self, messages: Sequence[object], current_phase: str | None = None) -> Fitted:
        """Like `process_messages`, with the report and the way back to what was cut."""
        as_messages(messages)
        self._read(messages)
        if current_phase and (not self._named or self._named[-1][1] != current_phase):
            self._named = (*self._named, (max(0, len(self._turns) - 1), current_phase))
            self._compaction.change_strategy(self._strategy(self._named))
        sent = self._build_sent() if self.config.enabled else self._build_given()
        given = self._build_given()
        repairs = tuple(f"message {r.where}: {r.action}" for r in self._parser.finish().repairs)
        untouched = not self.config.enabled or (not repairs and sent == given)
        out = list(messages) if untouched else emit(sent, self._wire)
        report = report_on(given, sent, self._token_budget(), before=self._size, repairs=repairs)
        self.metrics.record_call(report.before, report.after, self.config.strategy)
        return Fitted(out, report, sent)

    @property
    def crossings(self) -> int:
        """The name of `compactions` one release ago."""
        return self.compactions

    @property
    def seen(self) -> int:
        """How many messages were seen so far."""
        return len(self._seen)

    def goes_on(self, messages: Sequence[object]) -> bool:
        """Whether messages begin with all those that were seen so far."""
        known = len(self._seen)
        return known <= len(messages) and list(messages[:known]) == self._seen

    def oldest(self, keep: int) -> Fold | None:
        """All turns but the newest `keep` tokens of them, for a summary; None if none may go."""
        parts = units(tuple(self._turns))
        stay, left = find_protected(parts), keep
        stay |= keep_users(Context(turns=tuple(self._turns)), parts, self._token_budget())[1]
        for place in range(len(parts) - 1, -1, -1):
            left -= sum(turn_size(turn, self._counter) for turn in parts[place])
            if left >= 0 or place == len(parts) - 1:
                stay = stay | {place}
        gone = [turn for place, part in enumerate(parts) if place not in stay for turn in part]
        new = tuple(turn for turn in gone if turn.at not in self._gone)
        return Fold(new, self._summary) if new else None

    def holds(self, fold: Fold) -> bool:
        """Whether the turns of a fold are still those of this history."""
        here = len(self._turns)
        return fold.previous == self._summary and all(
            turn.at < here and self._turns[turn.at] == turn for turn in fold.turns
        )

    def count_for(self, model: str | None) -> None:
        """Count, and take the budget, for the model of the next request, unless one is set.

        Another model means other sizes: what was known of the history is worked out anew.
        """
        if self.config.model is not None or model is None or model == self._model:
            return
        self._model = model
        self._counter = self._counting()
        self._budget = self._find_budget()
        self._forget()

    def name_references(self, *, on: bool) -> None:
        """Name references in notices or not, as something can open them or nothing can."""
        if self.config.recall != on:
            self.config = replace(self.config, recall=on)
            self._forget()

    def _counting(self) -> Counter:
        budget = self.config.budget
        counter = budget.counter if isinstance(budget, Budget) else counter_for(self._model)

        def count_new(text: str) -> int:
            self.metrics.counted += 1
            return counter.count(text)

        return replace(counter, count=TextSizes(count_new).__getitem__)

    def _find_budget(self) -> Budget:
        if self.config.budget is None:
            return message_budget(self.config.window_size)
        budget = self.config.budget_for(self._model) or 1
        return replace(as_budget(budget, self._model), counter=self._counter)

    def _strategy(self, named: tuple[tuple[int, str], ...]) -> Compactor:
        preset = as_preset(self.config.strategy, self.config.options(named))
        if self.config.budget is None and self.config.strategy != "sliding_window":
            return preset.with_cut(by_messages(preset.cut, self._counter))
        return preset

    def _forget(self) -> None:
        """Start anew: the history given is not the one known so far."""
        self._seen: list[object] = []
        self._wire: Wire = "chat"
        self._told: Wire | None = self._known_wire
        self._parser = Parser("chat")
        self._turns: list[Turn] = []
        self._size = 0
        self._named = ()
        self._left = 0
        self._summary: Summary | None = None
        self._gone: frozenset[int] = frozenset()
        self.prepared = None
        self._compaction = ResumableCompaction(self._strategy(()), Context(), self._budget)

    def _read(self, messages: Sequence[object]) -> None:
        """Parse what is new; on any difference in what was seen before, all of it."""
        known = len(self._seen)
        # Plain messages of text look alike on most wires: the first that does not settles it.
        wire = self._told or find_certain_wire(messages[known:])
        late = wire not in (None, self._wire)
        if late or len(messages) < known or list(messages[:known]) != self._seen:
            self._forget()
            known, wire = 0, self._known_wire or find_certain_wire(messages)
        self._told = wire
        if known == 0:
            self._wire = wire or "chat"
            self._parser = Parser(self._wire)
        new = list(messages[known:])
        kept, turns = self._parser.extend(new)
        self._seen += new
        self.metrics.parsed += len(new)
        self._size -= sum(turn_size(turn, self._counter) for turn in self._turns[kept:])
        self._turns[kept:] = turns
        self._size += sum(turn_size(turn, self._counter) for turn in turns)
        if known == 0 or kept < self._compaction.length:
            self._restart()

    def _restart(self) -> None:
        sections = self._parser.finish().context.sections
        start = Context(sections)
        self._size = context_size(start, self._counter) + sum(
            turn_size(turn, self._counter) for turn in self._turns
        )
        if self._summary is not None:
            given = with_summary(Context(sections, tuple(self._turns)), self._summary)
            gone = given.fold.turns if given.fold else ()
            self._gone = frozenset(turn.at for turn in gone)
            start = replace(given, turns=())
        self._compaction = ResumableCompaction(self._strategy(self._named), start, self._budget)

    def _build_sent(self) -> Context:
        """What to send; at a compaction a summary that was prepared stands in place of excerpts."""
        sent = self._advance()
        left = len(sent.fold.turns) if sent.fold else 0
        if left > self._left and self.prepared is not None:
            self._summary, self.prepared = self.prepared, None
            self._restart()
            sent = self._advance()
            left = len(sent.fold.turns) if sent.fold else 0
        self.compactions += left > self._left
        self._left = left
        return sent

    def _advance(self) -> Context:
        """Take in the turns that can no longer change; look ahead over the last one."""
        state, turns = self._compaction, self._turns
        for turn in turns[state.length :]:
            calls = turn.calls if isinstance(turn, AgentTurn) else ()
            self.metrics.shrunk += len(calls)
        folded = len(state.fold_turns)
        sent = state.advance(turns, settled=max(0, len(turns) - 1), gone=self._gone)
        now = state.fold_turns
        if len(now) > folded:
            phase = self._named[-1][1] if self._named else None
            self.metrics.record_checkpoint(now[-1].at, phase)
        return sent

    def _build_given(self) -> Context:
        return Context(self._compaction.sections, tuple(self._turns))

    def _token_budget(self) -> Budget:
        """The budget in tokens, also where messages are counted."""
        limit = self._budget.limit if self.config.budget is not None else max(1, self._size)
        return replace(self._budget, limit=limit, counter=self._counter)
