"""From turns to messages: what was not edited comes back as the very objects received.

What was edited is a copy in which only that differs; what has no message is built from its
values. Never changes a message, and never sends a call without its result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from director.context.notices import separate_parts
from director.context.values import AgentTurn, Call, Context, Section, Summary, Turn, UserTurn
from director.context.wire import anthropic, responses
from director.context.wire.formats import FORMATS
from director.context.wire.parse_events import (
    NO_BEGINNING,
    Edit,
    Heard,
    MessageFormat,
    NativeAnswer,
    Said,
    Wire,
)
from director.context.wire.shape import alter, is_langchain, peek, retext, word

_Pair: TypeAlias = tuple[Call, NativeAnswer]


@dataclass(frozen=True, slots=True)
class _Part:
    """A message, or (`inner`) a block of a user message that came in `source`."""

    part: object
    source: object = None
    inner: bool = False


def emit(context: Context, wire: Wire) -> list[object]:
    """The messages of a context; the sections of Anthropic's wire are not among them."""
    written = FORMATS[wire]
    pieces = [*_instructions(context.sections, wire)]
    reasoned: set[str] = set()
    parts = _summary_parts(context.summary)
    for turn in _fitting(context.turns) if wire == "anthropic" else context.turns:
        while parts and turn.at > parts[0][0]:
            pieces.append(_Part(written.write_user(parts.pop(0)[1])))
        if isinstance(turn, UserTurn):
            pieces.extend(_user(turn, wire))
        else:
            pieces.extend(_agent(turn, wire, reasoned))
    pieces += [_Part(written.write_user(text)) for _, text in parts]
    return list(_join(pieces)) if wire == "anthropic" else [piece.part for piece in pieces]


def _summary_parts(summary: Summary | None) -> list[tuple[int, str]]:
    """The parts of a summary, each with the turn behind which it stands."""
    if summary is None:
        return []
    first = summary.covers[0] if summary.covers else -1
    return [(first if at is None else at, text) for at, text in separate_parts(summary.text)]


def bare(context: Context) -> Context:
    """The context without anything that only its own wire understands."""
    sections = tuple(replace(section, native=None) for section in context.sections)
    turns = tuple(map(_bare_turn, context.turns))
    return replace(context, sections=sections, turns=turns)


def _bare_turn(turn: Turn) -> Turn:
    if isinstance(turn, UserTurn):
        return replace(turn, images=0, native=None)
    calls = tuple(replace(call, images=0, native=None) for call in turn.calls)
    return replace(turn, calls=calls, thinking=(), native=None)


def _instructions(sections: Iterable[Section], wire: Wire) -> Iterator[_Part]:
    if wire == "anthropic":
        return
    for section in sections:
        native = section.native
        foreign = (wire != "langchain" and is_langchain(native)) or (
            wire == "chat" and bool(word(native, "type"))
        )
        if native is None or foreign:
            yield _Part(FORMATS[wire].write_system(section.text))
        elif responses.read_input_text(native) == section.text:
            yield _Part(native)
        else:
            yield _Part(_reheard(native, section.text, wire, images=True))


def _reheard(message: object, text: str, wire: Wire, *, images: bool) -> object:
    kind = "input_text" if wire == "responses" else "text"
    content = retext(peek(message, "content"), text, images=images, kind=kind)
    return alter(message, {"content": content})


def _user(turn: UserTurn, wire: Wire) -> Iterator[_Part]:
    native = turn.native
    if not isinstance(native, Heard) or native.wire != wire:
        if turn.text or wire != "anthropic":
            yield _Part(FORMATS[wire].write_user(turn.text))
        return
    same = turn.text == native.text and turn.images == native.images
    if native.parts:
        parts = native.parts if same else retext(native.parts, turn.text, images=turn.images > 0)
        for part in parts if isinstance(parts, list | tuple) else ():
            yield _Part(part, native.source, inner=True)
    elif same:
        yield _Part(native.source)
    else:
        made = _reheard(native.source, turn.text, wire, images=turn.images > 0)
        if wire != "anthropic" or peek(made, "content"):
            yield _Part(made)


def _agent(turn: AgentTurn, wire: Wire, reasoned: set[str]) -> Iterator[_Part]:
    written = FORMATS[wire]
    said = _find_native(turn, wire)
    calls = _calls(turn)
    if said is None:
        yield from (_Part(item) for item in written.write_turn(turn))
        for call in turn.calls:
            yield _Part(written.write_result(call), inner=wire == "anthropic")
        return
    edit = _edit(turn, said, calls, reasoned)
    if not edit.unthink:
        reasoned.update(said.keys)
    items = said.items if edit == Edit() else written.rewrite_turn(said.items, edit)
    yield from (_Part(item) for item in items)
    ranked = [(rank, _Part(item)) for rank, item in said.loose]
    ranked += [(native.rank, _answer(call, native, written)) for call, native in calls]
    ranked.sort(key=lambda one: one[0])
    answers = [piece for _, piece in ranked]
    yield from _in_one(answers) if wire == "anthropic" else answers


def _find_native(turn: AgentTurn, wire: Wire) -> Said | None:
    native = turn.native
    known = len(_calls(turn)) == len(turn.calls)
    return native if isinstance(native, Said) and native.wire == wire and known else None


def _calls(turn: AgentTurn) -> list[_Pair]:
    pairs = ((call, call.native) for call in turn.calls)
    return [(call, native) for call, native in pairs if isinstance(native, NativeAnswer)]


def _edit(turn: AgentTurn, said: Said, calls: list[_Pair], reasoned: set[str]) -> Edit:
    changed: dict[int, Call] = {}
    there: set[int] = set()
    for call, native in calls:
        there.add(native.nth)
        if call.id != native.use.id or call.args != native.use.args:
            changed[native.nth] = call
    thinks = any(word(thought, "type") != "compaction" for thought in turn.thinking)
    unthink = said.thinks and not thinks
    unnamed = unthink or bool(said.leans and said.leans not in reasoned)
    text = turn.text if turn.text != said.text else None
    return Edit(frozenset(said.calls) - there, changed, text, unthink, unnamed)


def _answer(call: Call, native: NativeAnswer, written: MessageFormat) -> _Part:
    answer = native.answer
    inner = written is FORMATS["anthropic"]
    if answer is None:
        return _Part(written.write_result(call, native.use.form), None, inner)
    read = (native.use.id, answer.text, answer.images)
    part = answer.part
    if (call.id, call.result, call.images) != read:
        part = written.rewrite_result(part, call)
    return _Part(part, answer.source, inner)


def _in_one(answers: list[_Part]) -> list[_Part]:
    """The results as they came if their messages are whole, otherwise all in one message."""
    sources = [piece.source for piece in answers if piece.source is not None]
    if not sources:
        return answers
    filled = [replace(piece, source=piece.source or sources[0]) for piece in answers]
    groups = list(_group(filled))
    if all(anthropic.gather(_pairs(group)) is group[0].source for group in groups[:-1]):
        return filled
    return [replace(piece, source=sources[0]) for piece in filled]


def _pairs(group: list[_Part]) -> list[tuple[object, object]]:
    return [(piece.source, piece.part) for piece in group]


def _group(pieces: Iterable[_Part]) -> Iterator[list[_Part]]:
    group: list[_Part] = []
    for piece in pieces:
        if group and not (piece.inner and group[0].inner and piece.source is group[0].source):
            yield group
            group = []
        group.append(piece)
    if group:
        yield group


def _join(pieces: Iterable[_Part]) -> Iterator[object]:
    """The messages of Anthropic's wire, blocks gathered again, a user's message first."""
    first = True
    for group in _group(pieces):
        message = anthropic.gather(_pairs(group)) if group[0].inner else group[0].part
        alone = word(message, "role") == "assistant" and not anthropic.opens_alone(message)
        if first and alone:
            yield anthropic.write_user(NO_BEGINNING)
        first = False
        yield message


def _fitting(turns: Sequence[Turn]) -> Iterator[Turn]:
    """The turns with ids that Anthropic accepts, where they are built from values."""
    agents = [turn for turn in turns if isinstance(turn, AgentTurn)]
    spoken = [turn for turn in agents if _find_native(turn, "anthropic") is not None]
    # What stays as it came keeps its ids, so what is built must not take them first.
    used = {call.id: 2 for turn in spoken for call in turn.calls}
    for turn in turns:
        if isinstance(turn, UserTurn) or _find_native(turn, "anthropic") is not None:
            yield turn
        else:
            yield replace(turn, calls=tuple(_fresh(call, used) for call in turn.calls))


def _fresh(call: Call, used: dict[str, int]) -> Call:
    stem = name = anthropic.fitting(call.id)
    while name in used:
        name = f"{stem}_{used[stem]}"
        used[stem] += 1
    used[name] = 2
    return call if name == call.id else replace(call, id=name)
