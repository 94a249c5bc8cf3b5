"""The words for a conversation: messages with their cards, summaries, how the last turn ended.

It is read in `director.services.conversations`, a chunk of entries at a time, so a long thread
costs no more than a short one. What a model sees is decided by `director.store.context_view`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from director.services.conversations import (
    ConversationEntry,
    TurnNow,
    read_conversation_entries,
    read_conversation_turn,
)
from director.services.workspace import Workspace
from director.web.views.calls import Card, make_call_card
from director.web.views.step_groups import StepGroup, StepPart, extract_step_title, step_lines

SIZE = 50
# Results of the last answer of a chunk may stand in the next one.
_AHEAD = 60
_RESULT = 40_000
Kind: TypeAlias = Literal["user", "agent", "notice", "summary", "line"]
_ENDS = {
    "cancelled": "Stopped by you. What was done until then is kept.",
    "failed": "This turn failed before it was answered. What was said and done is kept.",
}


@dataclass(frozen=True, slots=True)
class MessageView:
    """One thing in the conversation. The number of its entry is what summaries cite it by."""

    kind: Kind
    said: ConversationEntry
    text: str
    cards: tuple[Card, ...] = ()
    group: StepGroup | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """The messages of one stretch of a thread; `number` counts from 0."""

    number: int
    messages: tuple[MessageView, ...]


@dataclass(frozen=True, slots=True)
class ChatView:
    """A thread with its newest chunk; `seen` changes when older ones must be shown anew."""

    thread: str
    head: int
    chunks: int
    seen: str
    now: TurnNow
    newest: Chunk

    @property
    def running(self) -> bool:
        """Whether a turn of it is taken now."""
        return self.now.state == "running"

    @property
    def ended(self) -> str:
        """How the last turn ended, if it was not answered."""
        is_left = self.now.state == "interrupted"
        return self.now.text if is_left else _ENDS.get(self.now.state, "")


def make_chat_view(workspace: Workspace, thread: str) -> ChatView:
    """The conversation, of which only the newest chunk is read."""
    head = workspace.reads.head(thread)
    chunks = max(1, -(-head // SIZE))
    marks = workspace.reads.hiding(thread)
    seen = f"{len(marks)}.{marks[-1].seq if marks else 0}"
    now = read_conversation_turn(workspace, thread)
    return ChatView(thread, head, chunks, seen, now, _chunk(workspace, now, chunks - 1))


def make_chat_chunk(workspace: Workspace, thread: str, number: int) -> Chunk:
    """One stretch of a thread."""
    return _chunk(workspace, read_conversation_turn(workspace, thread), number)


def _chunk(workspace: Workspace, now: TurnNow, number: int) -> Chunk:
    after = number * SIZE
    listed = read_conversation_entries(
        workspace, now.thread, after=after, upto=after + SIZE + _AHEAD, longest=_RESULT
    )
    here = (said for said in listed if said.seq <= after + SIZE and said.shown != "deleted")
    found = workspace.reads.entries(now.thread, after, after + SIZE + _AHEAD)
    ends = {str(one.body.get("call")): one.at for one in found if one.kind == "result"}
    return Chunk(number, tuple(_group_steps([_message(said, now) for said in here], ends)))


def _group_steps(
    messages: Sequence[MessageView], ends: Mapping[str, float]
) -> Iterator[MessageView]:
    """The messages; calls without words of their own go on with the group before them."""
    last: MessageView | None = None
    for nth, message in enumerate(messages):
        calls = [card for card in message.cards if not card.question]
        if message.kind != "agent" or not calls:
            if last is not None:
                yield last
                last = None
            yield message
            continue
        later = [card for other in messages[nth + 1 :] for card in other.cards]
        steps = step_lines(calls, later, began=message.said.at, ends=ends)
        part = StepPart(message.said.seq, message.said.shown, steps)
        asks = tuple(card for card in message.cards if card.question)
        if last is not None and last.group is not None and not message.text and not last.cards:
            group = replace(last.group, parts=(*last.group.parts, part))
            last = replace(last, group=group, cards=asks)
            continue
        if last is not None:
            yield last
        text, title = extract_step_title(message.text)
        last = replace(message, text=text, cards=asks, group=StepGroup(title, (part,)))
    if last is not None:
        yield last


def _message(said: ConversationEntry, now: TurnNow) -> MessageView:
    match said.kind:
        case "user":
            return MessageView("user", said, said.text)
        case "checkpoint":
            return MessageView("summary", said, said.text)
        case "restore":
            return MessageView(
                "line", said, f"The compression at message {said.covers[0]} was undone"
            )
        case "delete":
            many = "message" if len(said.covers) == 1 else "messages"
            return MessageView("line", said, f"{len(said.covers)} {many} removed")
        case _:
            asked = now.asked.call if now.asked else ""
            running = now.state == "running"
            cards = tuple(make_call_card(call, running=running, asked=asked) for call in said.calls)
            return MessageView("notice" if said.own else "agent", said, said.text, cards)
