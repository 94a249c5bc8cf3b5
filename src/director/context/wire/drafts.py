"""Turns while they are read: what was said, which answers came, and the turn that makes.

A draft grows with its messages; the turn made from it is a value, made anew when it has grown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from director.context.values import AgentTurn, Call, Turn, UserTurn
from director.context.wire import responses
from director.context.wire.formats import FORMATS
from director.context.wire.parse_events import (
    NO_RESULT,
    Answer,
    Edit,
    Heard,
    NativeAnswer,
    Repair,
    Said,
    Spoke,
    Use,
    Wire,
)
from director.context.wire.shape import alter, word

_LAST = 1 << 30


@dataclass(slots=True)
class Listening:
    """A user turn as it is read."""

    start: int
    event: Heard
    request: bool


@dataclass(slots=True)
class Speaking:
    """An agent turn as it is read; `repeats` are calls under a used id, with a free one."""

    start: int
    spoken: list[Spoke] = field(default_factory=list)
    uses: list[tuple[int, Use]] = field(default_factory=list)
    answers: dict[int, tuple[int, Answer]] = field(default_factory=dict)
    loose: list[tuple[int, object]] = field(default_factory=list)
    repeats: dict[int, str] = field(default_factory=dict)
    lean: frozenset[str] = frozenset()
    ranks: int = 0
    open: bool = False
    refers: bool = False

    def rank(self) -> int:
        """The rank of the next answer, each one once; an answer ends what is said."""
        self.ranks += 1
        self.open = False
        return self.ranks

    def keys(self) -> frozenset[str]:
        """The responses whose reasoning this turn shows."""
        items = (spoke.item for spoke in self.spoken)
        return frozenset(map(responses.response_key, filter(responses.is_reasoning, items)))


@dataclass(slots=True)
class Pause:
    """Where one turn ends and the next begins, though nobody says anything in between."""

    start: int


def turn_of(
    draft: Listening | Speaking | Pause, at: int, wire: Wire
) -> tuple[Turn | None, list[Repair]]:
    """The turn of a draft, None if nothing of it may be sent, and what was repaired in it."""
    if isinstance(draft, Pause):
        return None, []
    if isinstance(draft, Speaking):
        return _make_agent_turn(draft, at, wire)
    event = draft.event
    pinned = event.role == "system"
    turn = UserTurn(at, event.text, pinned, event.images, event, request=draft.request)
    return turn, []


def _make_agent_turn(draft: Speaking, at: int, wire: Wire) -> tuple[AgentTurn | None, list[Repair]]:
    calls, edit, repairs = _calls(draft, wire)
    items: Sequence[object] = [spoke.item for spoke in draft.spoken]
    thinking = [thought for spoke in draft.spoken for thought in spoke.thinking]
    if edit.gone or edit.calls:
        items = FORMATS[wire].rewrite_turn(items, edit)
    keys: tuple[str, ...] = ()
    leans = ""
    if wire == "responses":
        items = items[: responses.count_unbared(items)]
        shown = set(map(id, items))
        for thought in (thought for thought in thinking if id(thought) not in shown):
            what = "Reasoning that nothing follows was dropped."
            repairs.append(Repair("bare_thinking", draft.start, word(thought, "id"), what))
        thinking = [thought for thought in thinking if id(thought) in shown]
        keys = tuple(draft.keys() - {""})
        named = map(responses.response_key, items)
        leans = next((key for key in named if key and key in draft.lean), "")
    if not items:
        return None, repairs
    text = "\n".join(spoke.text for spoke in draft.spoken if spoke.text)
    nths = tuple(native.nth for call in calls if isinstance(native := call.native, NativeAnswer))
    thinks = any(word(thought, "type") != "compaction" for thought in thinking)
    loose = tuple(draft.loose)
    said = Said(wire, tuple(items), text, nths, thinks, loose, keys, leans)
    return AgentTurn(at, text, calls, tuple(thinking), said), repairs


def _calls(draft: Speaking, wire: Wire) -> tuple[tuple[Call, ...], Edit, list[Repair]]:
    calls: list[Call] = []
    gone: set[int] = set()
    renamed: dict[int, Call] = {}
    repairs: list[Repair] = []
    for nth, (where, read) in enumerate(draft.uses):
        use = read
        rank, answer = draft.answers.get(nth, (_LAST, None))
        if answer is None and not use.strict:
            continue
        if answer is None and nth in draft.repeats:
            gone.add(nth)
            what = "The second call under this id has no result and was dropped."
            repairs.append(Repair("duplicate_call", where, use.id, what))
            continue
        if answer is None:
            what = "A result saying that none was recorded was added."
            repairs.append(Repair("unanswered_call", where, use.id, what))
        if answer is not None and nth in draft.repeats and wire == "anthropic":
            what = f"The second call under this id was renamed to {draft.repeats[nth]}."
            repairs.append(Repair("duplicate_call", where, use.id, what))
            use, answer = _rename(use, answer, draft.repeats[nth])
            renamed[nth] = _call(use, answer, None)
        calls.append(_call(use, answer, NativeAnswer(wire, nth - len(gone), use, rank, answer)))
    return tuple(calls), Edit(frozenset(gone), renamed), repairs


def _call(use: Use, answer: Answer | None, native: NativeAnswer | None) -> Call:
    if answer is None:
        return Call(use.id, use.tool, use.args, NO_RESULT, failed=True, native=native)
    result, failed, images = answer.text, answer.failed, answer.images
    return Call(use.id, use.tool, use.args, result, failed, images=images, native=native)


def _rename(use: Use, answer: Answer, name: str) -> tuple[Use, Answer]:
    part = alter(answer.part, {"tool_use_id": name})
    return replace(use, id=name), replace(answer, id=name, part=part)
