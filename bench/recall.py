"""What an agent still knows after 1, 3 and 10 compressions: ours, LangChain's, a plain summary.

Facts are planted in users' words, in JSON and in page texts. The same scripted, lossy summariser
writes every summary; a mind that knows only its context is asked for every fact that was planted.
No model is asked, and the same seed gives the same table.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import random
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from director.agent.compression.thread_compression import compress_now
from director.agent.compression.thresholds import Marks
from director.context.values import AgentTurn, Context
from director.counting import counter_for
from director.models import Capabilities, Model, Timing
from director.models.model import ModelLocation
from director.models.script_values import Emit, Say, Seen
from director.models.scripted import Scripted
from director.sections.workflow_state import WorkflowState
from director.store import EntryDraft, Store, open_store
from director.store.context_view import project_context_view
from director.workflow.values import Workflow

RESULTS = Path(__file__).parent / "results" / "recall.json"
AFTER = (1, 3, 10)
KINDS = ("selector", "preference", "rejected", "id")
PLACES = ("prose", "json", "page")
# Two thirds of all lines are dropped, and the rest cut: a bad day of a small model.
KEEPS, WIDTH = 33, 140
TRIES = 5
PLAIN = (
    "Summarise this conversation so that another assistant can go on with it.\n\nConversation:\n"
)
COUNT = counter_for()
THINGS = (
    "basket drawer login banner footer invoice parcel coupon search calendar avatar ledger "
    "gallery ticket warehouse courier brochure receipt catalogue voucher"
).split()
WORDS = (
    "amber birch cobalt dahlia ember fennel ginger hazel indigo juniper kelp lilac maple nectar "
    "olive poppy quartz rowan saffron thistle umber violet willow yarrow zinnia"
).split()


@dataclass(frozen=True)
class Fact:
    """A fact: what it is about, what is known of it, and how it was told."""

    kind: str
    place: str
    about: str
    value: str
    told: str


def facts_of(rng: random.Random) -> list[Fact]:
    """The facts of one stretch of a conversation: each kind in each place."""
    found = []
    for kind in KINDS:
        for place in PLACES:
            about = f"{rng.choice(THINGS)} {rng.choice(WORDS)}"
            value = _value(kind, rng)
            found.append(Fact(kind, place, about, value, _told(kind, place, about, value)))
    return found


def _value(kind: str, rng: random.Random) -> str:
    word, number = rng.choice(WORDS), rng.randrange(1_000, 9_999)
    return {
        "selector": f"div.{word} > a[data-k='{number}']",
        "preference": f"{word} {rng.choice(WORDS)} ribbon",
        "rejected": f"{word} shortcut",
        "id": f"{word[:3].upper()}{number}-{rng.randrange(10, 99)}",
    }[kind]


def _told(kind: str, place: str, about: str, value: str) -> str:
    """The fact in words that no extractor was made for."""
    if place == "json":
        return json.dumps({"item": about, "kind": kind[:3], "payload": {"v": value}})
    if place == "page":
        return f"- listitem: {about} | {kind[0].upper()} | {value}"
    return {
        "selector": f"For the {about} one reaches it through {value}, by the way.",
        "preference": f"About the {about}: I am fond of the {value}.",
        "rejected": f"With the {about} we gave the {value} a go and went back on it.",
        "id": f"The {about} goes under {value} with them.",
    }[kind]


def stretch(segment: int, facts: Sequence[Fact], rng: random.Random) -> list[dict[str, Any]]:
    """Rounds of a conversation, each with some facts in it and much that is none.

    As on real sites most of a page is on every page: its links, with what differs in between.
    """
    rounds = []
    site = random.Random(7)
    links = [f"- link: {site.choice(THINGS)} {site.choice(THINGS)}" for _ in range(12)]
    for nth in range(0, len(facts), 2):
        some = facts[nth : nth + 2]
        own = [
            f"- text: {rng.choice(THINGS)} {rng.choice(THINGS)}, {rng.randrange(99)} of them"
            for _ in range(6)
        ]
        noise = [*links, *own]
        said = [one.told for one in some if one.place == "prose"]
        result = [one.told for one in some if one.place != "prose"]
        at = rng.randrange(len(noise))
        rounds.append(
            {
                "user": " ".join(["Please go on with the next page.", *said]),
                "call": f"c{segment}x{nth}",
                "args": json.dumps({"tabName": "main", "step": f"{segment}.{nth}"}),
                "result": "\n".join([*noise[:at], *result, *noise[at:]]),
                "agent": "That page is read; on to the next.",
            }
        )
    return rounds


def summariser(text: str, room: int, again: int = 0) -> str:
    """The same for all: it keeps a third of the lines it is given, cut short, to the room.

    Which ones depends on all that it is given: what survived once may be lost the next time. Asked
    again for the same, it keeps others.
    """
    kept: list[str] = []
    size = 0
    now = f"{len(text)} {again}"
    for line in dict.fromkeys(one.strip() for one in text.splitlines() if one.strip()):
        if int(hashlib.sha256(f"{now} {line}".encode()).hexdigest(), 16) % 100 >= KEEPS:
            continue
        cut = line[:WIDTH]
        size += COUNT(cut) + 1
        if size > room:
            break
        kept.append(cut)
    return "\n".join(kept) or "Nothing much."


def knows(context: str, fact: Fact) -> bool:
    """A mind that knows only its context: what is known of a thing stands by its name."""
    return any(
        fact.value in context[max(0, at.start() - 240) : at.end() + 240]
        for at in re.finditer(re.escape(fact.about), context)
    )


class Ours:
    """A thread in a store, compressed as Director does it."""

    name = "Director"

    def __init__(self, room: int) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._store: Store = open_store(Path(self._folder.name) / "recall.db")
        self._marks = Marks(warn=room * 2, at=room * 3, to=room)
        self.refused = 0
        self._model = _writer(
            lambda text: summariser(_inside(text), room * 2 // 3, again=self.refused)
        )

    def say(self, rounds: Sequence[dict[str, Any]]) -> None:
        """Go on with the conversation."""
        self._store.append("main", [draft for one in rounds for draft in _drafts(one)])

    def compress(self) -> None:
        """Put a summary in the place of all of it; one that is refused is asked for again."""
        state = WorkflowState(Workflow("recall", "Recall"))
        for _ in range(TRIES):
            doing = compress_now(self._store, "main", state, writer=self._model, marks=self._marks)
            if asyncio.run(doing).status == "done":
                return
            self.refused += 1
        raise AssertionError("no summary was taken")

    def context(self) -> str:
        """What the model is shown of the conversation."""
        return _text(project_context_view(self._store.entries("main")))


class Plain:
    """The usual prompt; the answer stands for the conversation."""

    name = "plain summary prompt"

    def __init__(self, room: int) -> None:
        self._room = room
        self._said = ""

    def say(self, rounds: Sequence[dict[str, Any]]) -> None:
        """Go on with the conversation."""
        for one in rounds:
            self._said += f"\nuser: {one['user']}\ntool: {one['result']}\nagent: {one['agent']}"

    def compress(self) -> None:
        """Ask for a summary of all there is."""
        asked = PLAIN + self._said
        self._said = summariser(asked.partition("Conversation:\n")[2], self._room)

    def context(self) -> str:
        """What the model is shown."""
        return self._said


class LangChain:
    """LangChain's SummarizationMiddleware, told to summarise now and to keep two messages."""

    def __init__(self, room: int, *, trim: int | None) -> None:
        from langchain.agents.middleware import SummarizationMiddleware  # noqa: PLC0415

        default = 4_000
        self.name = (
            f"LangChain SummarizationMiddleware ({'default' if trim == default else 'untrimmed'})"
        )
        self._messages: list[Any] = []
        model = _chat_model(lambda text: summariser(text.rpartition("<messages>")[2], room))
        self._middleware = SummarizationMiddleware(
            model, trigger=("messages", 3), keep=("messages", 2), trim_tokens_to_summarize=trim
        )

    def say(self, rounds: Sequence[dict[str, Any]]) -> None:
        """Go on with the conversation."""
        from langchain_core.messages import AIMessage, HumanMessage, ToolMessage  # noqa: PLC0415

        for one in rounds:
            call = {"name": "inspect_tab", "args": json.loads(one["args"]), "id": one["call"]}
            self._messages += [
                HumanMessage(one["user"]),
                AIMessage("", tool_calls=[call]),
                ToolMessage(one["result"], tool_call_id=one["call"]),
                AIMessage(one["agent"]),
            ]

    def compress(self) -> None:
        """Let the middleware do what it does before a model is called."""
        from langchain_core.messages import RemoveMessage  # noqa: PLC0415

        state: Any = {"messages": list(self._messages)}
        changed = self._middleware.before_model(state, None)  # type: ignore[arg-type]
        assert changed is not None  # noqa: S101  it was told to
        self._messages = [m for m in changed["messages"] if not isinstance(m, RemoveMessage)]

    def context(self) -> str:
        """What the model is shown."""
        return "\n".join(str(message.content) for message in self._messages)


def _inside(text: str) -> str:
    """What is to be summarised of Director's request: the earlier summary and the conversation."""
    return text[
        text.find("<earlier_summary>")
        if "<earlier_summary>" in text
        else text.find("<conversation>") :
    ]


def _drafts(one: dict[str, Any]) -> list[EntryDraft]:
    call = {"type": "function_call", "call_id": one["call"], "name": "inspect_tab"}
    said = {"type": "message", "role": "assistant"}
    content = [{"type": "output_text", "text": one["agent"], "annotations": []}]
    return [
        EntryDraft("user", {"text": one["user"]}),
        EntryDraft("agent", _spoken({**call, "arguments": one["args"]})),
        EntryDraft("result", {"call": one["call"], "text": one["result"], "failed": False}),
        EntryDraft("agent", _spoken({**said, "content": content})),
    ]


def _spoken(item: dict[str, Any]) -> dict[str, object]:
    return {"wire": "responses", "items": [item], "text": "", "model": "m"}


def _text(context: Context) -> str:
    said = [context.summary.text] if context.summary else []
    for turn in context.turns:
        said.append(turn.text)
        said += [call.result for call in turn.calls] if isinstance(turn, AgentTurn) else []
    return "\n".join(said)


def _writer(says: Callable[[str], str]) -> Model:
    def brain(seen: Seen) -> Sequence[Emit]:
        return [Say(says(seen.items[-1].text))]

    timing = Timing()

    def made(_known: Capabilities | None = None) -> Model:
        dialect = Scripted(brain, "summariser", timing)
        place = ModelLocation("scripted", "nobody", "summariser")
        return Model(place, dialect, timing=timing, counter=COUNT, reopen=made)

    return made()


def _chat_model(says: Callable[[str], str]) -> Any:
    from langchain_core.language_models import BaseChatModel  # noqa: PLC0415
    from langchain_core.messages import AIMessage  # noqa: PLC0415
    from langchain_core.outputs import ChatGeneration, ChatResult  # noqa: PLC0415

    class Summariser(BaseChatModel):
        """The summariser behind LangChain's interface."""

        @property
        def _llm_type(self) -> str:
            return "scripted"

        def _generate(self, messages: Any, *_args: Any, **_kwargs: Any) -> ChatResult:
            said = says("\n".join(str(message.content) for message in messages))
            return ChatResult(generations=[ChatGeneration(message=AIMessage(said))])

    return Summariser()


def measured(room: int, seed: int) -> list[dict[str, Any]]:
    """One conversation for all, and what each still knows of it."""
    rng = random.Random(seed)
    segments = [facts_of(rng) for _ in range(max(AFTER))]
    rounds = [stretch(nth, facts, rng) for nth, facts in enumerate(segments)]
    rows = []
    for peer in (
        Ours(room),
        LangChain(room, trim=4_000),
        LangChain(room, trim=None),
        Plain(room),
    ):
        planted: list[Fact] = []
        for nth in range(max(AFTER)):
            peer.say(rounds[nth])
            planted += segments[nth]
            peer.compress()
            if nth + 1 in AFTER:
                rows.append(_row(peer.name, nth + 1, planted, peer.context(), seed))
    return rows


def _row(name: str, after: int, planted: Sequence[Fact], context: str, seed: int) -> dict[str, Any]:
    known = [fact for fact in planted if knows(context, fact)]
    by = {
        group: sum(group in (one.kind, one.place) for one in known)
        / sum(group in (one.kind, one.place) for one in planted)
        for group in (*KINDS, *PLACES)
    }
    size = COUNT(context)
    return {
        "name": name,
        "after": after,
        "seed": seed,
        "planted": len(planted),
        "known": len(known),
        "share": len(known) / len(planted),
        "tokens": size,
        "by": by,
    }


def table(rows: Sequence[dict[str, Any]]) -> str:
    """The means over all seeds, as Markdown."""
    lines = [
        "| | " + " | ".join(f"after {n}" for n in AFTER) + " | tokens then |",
        "|---|" + "--:|" * 4,
    ]
    for name in dict.fromkeys(row["name"] for row in rows):
        mine = [row for row in rows if row["name"] == name]
        shares = [_mean([row["share"] for row in mine if row["after"] == n]) for n in AFTER]
        tokens = _mean([row["tokens"] for row in mine if row["after"] == AFTER[-1]])
        told = " | ".join(f"{share:.0%}" for share in shares)
        lines.append(f"| {name} | {told} | {tokens:,.0f} |")
    return "\n".join(lines)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def main() -> None:
    """Measure, print the table, and keep the figures."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--room", type=int, nargs="*", default=[4_000, 20_000])
    asked.add_argument("--seeds", type=int, default=5)
    asked.add_argument("--dry", action="store_true", help="write nothing")
    given = asked.parse_args()
    kept = {}
    for room in given.room:
        rows = [row for seed in range(given.seeds) for row in measured(room, seed)]
        print(f"\nA summary of at most {room:,} tokens, {given.seeds} conversations:\n")
        print(table(rows))
        kept[str(room)] = rows
    if not given.dry:
        now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M")
        RESULTS.write_text(json.dumps({"at": now, "rooms": kept}, indent=1) + "\n")


if __name__ == "__main__":
    main()
