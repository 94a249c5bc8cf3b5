"""Measures what the model layer costs: `.venv/bin/python bench/layer.py`.

The vendors' own clients, with bodies and history kept by hand, beside the layer: both speak to
the double in another process, turn by turn in the same run, so that the ratios mean something on
any machine. Prints tables and writes `bench/results/layer.json`; no model, no network.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from anthropic import AsyncAnthropic
from openai import AsyncOpenAI

from director.context.values import Context, Section, UserTurn
from director.context.wire import emit, parse
from director.models import Model, Policy, Reply, StreamEnd, Tool, open_model, tool, turn_of
from director.models.capabilities import Form
from director.models.request_messages import (
    hash_request,
    prepare_request,
    refuse_unanswered_request_messages,
)
from director.models.script_values import Say
from director.testing.double import Double

RESULTS = Path(__file__).parent / "results" / "layer.json"
LENGTHS = (10, 100, 400)
KEY = "sk-double"
BEGINNING = "You look into rooms and say what is there. Be brief, and name every door you see."
ANSWER = "It is a small room with one door."
Row: TypeAlias = dict[str, object]
Message: TypeAlias = dict[str, object]


@dataclass(frozen=True, slots=True)
class Way:
    """One way to send a conversation."""

    name: str
    form: Form
    model: str
    policy: Policy


WAYS = (
    Way("responses, chained", "responses", "openai:gpt-6.1-terra", Policy()),
    Way("responses, whole", "responses", "openai:gpt-6.1-terra", Policy(chain="never")),
    Way("chat", "chat", "chat:gpt-6.1-terra", Policy()),
    Way("anthropic", "anthropic", "anthropic:claude-sonnet-5-5", Policy()),
)


@tool
def look(place: str) -> str:
    """Look at a place.

    Args:
        place: where to look

    """
    return f"at {place} there is a door"


@tool
def open_door(number: int) -> str:
    """Open a door.

    Args:
        number: which one

    """
    return f"door {number} is open"


TOOLS: tuple[Tool, ...] = (look, open_door)


@contextmanager
def double(profile: str) -> Iterator[str]:
    """The address of a double in a process of its own."""
    command = [sys.executable, __file__, "--serve", profile]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        if server.stdin is None or server.stdout is None:
            raise RuntimeError("the double did not start")
        try:
            yield server.stdout.readline().strip()
        finally:
            server.stdin.close()


def serve(profile: str) -> None:
    """Be that process, until its input ends."""
    with Double(profile, lambda _: [Say(ANSWER)], clock="real") as provider:
        listening = provider._server._socket  # noqa: SLF001
        if listening is not None:
            # Small pieces are sent at once; otherwise each reply waits 40 ms for the other side.
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        print(provider.url, flush=True)
        sys.stdin.read()


def history(turns: int) -> list[Message]:
    """A conversation in chat's form, ended by an answer: a call in every second turn."""
    found: list[Message] = []
    for turn in range(turns):
        found.append({"role": "user", "content": f"Please go into room {turn} and look around."})
        if turn % 2:
            asked = {"name": "look", "arguments": json.dumps({"place": f"room {turn}"})}
            call = {"id": f"call_{turn}", "type": "function", "function": asked}
            found.append({"role": "assistant", "tool_calls": [call]})
            seen = f"room {turn}: " + "a chair, a table, and a door that leads on; " * 8
            found.append({"role": "tool", "tool_call_id": f"call_{turn}", "content": seen})
        found.append({"role": "assistant", "content": f"Room {turn} is small. " * 6})
    return found


def context_of(turns: int) -> Context:
    """The same as a context."""
    parsed = parse(history(turns)).context
    return replace(parsed, sections=(Section("system", BEGINNING),))


@dataclass(slots=True)
class Layer:
    """A conversation by way of the layer."""

    model: Model
    way: Way
    streaming: bool
    context: Context
    reply: Reply | None = None

    async def turn(self, text: str) -> None:
        """One more turn."""
        said = UserTurn(len(self.context.turns), text)
        self.context = replace(self.context, turns=(*self.context.turns, said))
        if self.streaming:
            async for happening in self.model.stream(
                self.context, tools=TOOLS, policy=self.way.policy
            ):
                if isinstance(happening, StreamEnd):
                    self.reply = happening.reply
        else:
            self.reply = await self.model.send(self.context, tools=TOOLS, policy=self.way.policy)
        assert self.reply is not None  # noqa: S101  a turn ends with a reply or an error
        answer = turn_of(self.reply, len(self.context.turns))
        self.context = replace(self.context, turns=(*self.context.turns, answer))


@dataclass(slots=True)
class Bare:
    """A conversation with a vendor's client alone: the same bodies, the history by hand."""

    client: Any
    way: Way
    streaming: bool
    head: Mapping[str, object]
    messages: list[object]
    last: str = ""

    async def turn(self, text: str) -> None:
        """One more turn."""
        chained = self.way.name == "responses, chained"
        said = _said(text, self.way.form)
        self.messages.append(said)
        given = [said] if chained and self.last else self.messages
        body: dict[str, Any] = {**self.head, "timeout": 600.0}
        body["input" if self.way.form == "responses" else "messages"] = given
        if chained and self.last:
            body["previous_response_id"] = self.last
        if self.streaming:
            body["stream"] = True
        self.messages += await _ASK[self.way.form](self, body)


def _said(text: str, form: Form) -> Message:
    if form == "responses":
        return {"type": "message", "role": "user", "content": text}
    return {"role": "user", "content": text}


async def _responses(bare: Bare, body: dict[str, Any]) -> list[object]:
    answer = await bare.client.responses.create(**body)
    if bare.streaming:
        async for event in answer:
            if event.type == "response.completed":
                final = event.response
        answer = final
    bare.last = answer.id
    return [item.to_dict() for item in answer.output]


async def _chat(bare: Bare, body: dict[str, Any]) -> list[object]:
    if not bare.streaming:
        answer = await bare.client.chat.completions.create(**body)
        return [{"role": "assistant", "content": answer.choices[0].message.content}]
    body["stream_options"] = {"include_usage": True}
    pieces = []
    async for chunk in await bare.client.chat.completions.create(**body):
        pieces += [choice.delta.content or "" for choice in chunk.choices]
    return [{"role": "assistant", "content": "".join(pieces)}]


async def _anthropic(bare: Bare, body: dict[str, Any]) -> list[object]:
    answer = await bare.client.beta.messages.create(**body)
    if not bare.streaming:
        return [{"role": "assistant", "content": [block.to_dict() for block in answer.content]}]
    deltas = [event.delta async for event in answer if event.type == "content_block_delta"]
    pieces = [delta.text for delta in deltas if delta.type == "text_delta"]
    return [{"role": "assistant", "content": [{"type": "text", "text": "".join(pieces)}]}]


_ASK: dict[Form, Callable[[Bare, dict[str, Any]], Any]] = {
    "responses": _responses,
    "chat": _chat,
    "anthropic": _anthropic,
}


@asynccontextmanager
async def pair(
    way: Way, urls: Mapping[Form, str], turns: int, *, streaming: bool
) -> AsyncIterator[tuple[Bare, Layer]]:
    """The two conversations, each with the same history behind it."""
    url = urls[way.form]
    env = {"OPENAI_BASE_URL": f"{url}/v1", "ANTHROPIC_BASE_URL": url}
    env |= {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}
    context = context_of(turns)
    prepared = prepare_request(context, way.form, TOOLS)
    kind: Any = AsyncAnthropic if way.form == "anthropic" else AsyncOpenAI
    base = url if way.form == "anthropic" else f"{url}/v1"
    async with (
        open_model(way.model, env=env) as model,
        kind(api_key=KEY, base_url=base, max_retries=0) as client,
    ):
        head = model._dialect.body(prepared, way.policy, None, "bare")  # noqa: SLF001
        yield (
            Bare(client, way, streaming, head, [*prepared.messages]),
            Layer(model, way, streaming, context),
        )


async def timed(
    way: Way, urls: Mapping[Form, str], turns: int, repeats: int, *, streaming: bool
) -> Row:
    """The median turn of each, taken in turns."""
    async with pair(way, urls, turns, streaming=streaming) as both:
        times: dict[str, list[float]] = {"Bare": [], "Layer": []}
        for nth in range(repeats + 2):
            # The order changes, so that neither always comes second.
            for one in both if nth % 2 else reversed(both):
                began = time.perf_counter()
                await one.turn(f"Go into the next room, the one with the number {nth}.")
                if nth > 1:
                    times[type(one).__name__].append(time.perf_counter() - began)
        bare, layer = (statistics.median(times[name]) for name in ("Bare", "Layer"))
    return {
        "way": f"{way.name}{', stream' if streaming else ''}",
        "turns before": turns,
        "bare ms": round(1e3 * bare, 2),
        "layer ms": round(1e3 * layer, 2),
        "ratio": round(layer / bare, 2),
    }


async def sizes(urls: Mapping[Form, str]) -> list[Row]:
    """What one more turn sends and what is billed for it, chained and whole."""
    rows: list[Row] = []
    threaded = Way(
        "anthropic, in a thread", "anthropic", "anthropic:claude-sonnet-5-5", Policy(chain="any")
    )
    for which, way in enumerate((WAYS[0], WAYS[1], threaded, WAYS[3])):
        for turns in LENGTHS:
            async with pair(way, urls, turns, streaming=False) as (_, layer):
                sent: list[int] = []
                client: Any = layer.model._dialect._client  # type: ignore[attr-defined]  # noqa: SLF001

                async def weigh(request: Any, sent: list[int] = sent) -> None:
                    sent.append(len(request.content))

                client._client.event_hooks = {"request": [weigh]}  # noqa: SLF001
                for nth in range(2):
                    await layer.turn(f"Go into room {nth}{which}, as I said.")
                usage = layer.reply.usage if layer.reply else None
            rows.append(
                {
                    "way": way.name,
                    "turns before": turns,
                    "bytes sent": f"{sent[-1]:,}",
                    "tokens billed": f"{usage.input:,}" if usage else "",
                    "of them cached": f"{usage.read:,}" if usage else "",
                }
            )
    return rows


def own(repeats: int, turn_ms: Mapping[tuple[str, int], float]) -> list[Row]:
    """The layer's own work before it sends, by the length of the history."""
    rows: list[Row] = []
    for way in WAYS[1:]:
        for turns in LENGTHS:
            context = context_of(turns)
            bare = replace(context, sections=())
            messages = prepare_request(context, way.form, TOOLS).messages
            works: dict[str, Callable[[], object]] = {
                "prepare ms": lambda c=context, w=way: prepare_request(c, w.form, TOOLS),  # type: ignore[misc]
                "write ms": lambda c=bare, w=way: emit(c, w.form),  # type: ignore[misc]
                "gate ms": lambda m=messages, w=way: refuse_unanswered_request_messages(m, w.form),  # type: ignore[misc]
                "digests ms": lambda m=messages: hash_request(m),  # type: ignore[misc]
            }
            took = {name: _cpu(work, repeats) for name, work in works.items()}
            whole = took["prepare ms"]
            rows.append(
                {
                    "way": way.name,
                    "turns before": turns,
                    "messages": len(messages),
                    **{name: round(1e3 * value, 2) for name, value in took.items()},
                    "µs a message": round(1e6 * whole / len(messages), 1),
                    "of a turn %": round(1e5 * whole / turn_ms[way.name, turns], 0),
                }
            )
    return rows


def _cpu(work: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return statistics.median(times)


def _table(rows: list[Row]) -> str:
    columns = list(dict.fromkeys(column for row in rows for column in row))
    lines = ["| " + " | ".join(columns) + " |", "|---" + "|---:" * (len(columns) - 1) + "|"]
    lines += ["| " + " | ".join(str(row.get(c, "")) for c in columns) + " |" for row in rows]
    return "\n".join(lines)


async def _turns(urls: Mapping[Form, str], repeats: int) -> list[Row]:
    rows: list[Row] = []
    for way in WAYS:
        for streaming in (False, True):
            for turns in LENGTHS:
                rows.append(await timed(way, urls, turns, repeats, streaming=streaming))
                print(rows[-1], file=sys.stderr, flush=True)
    return rows


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(given.serve)
        return
    repeats = given.repeats
    with ExitStack() as stack:
        openai = stack.enter_context(double("openai"))
        urls: dict[Form, str] = {"responses": openai, "chat": openai}
        urls["anthropic"] = stack.enter_context(double("anthropic"))
        turns = asyncio.run(_turns(urls, repeats))
        parts = {"One turn": turns, "Chained and whole": asyncio.run(sizes(urls))}
    layer = {(str(row["way"]), int(str(row["turns before"]))): row["layer ms"] for row in turns}
    parts["The layer's own work"] = own(
        repeats, {key: float(str(value)) for key, value in layer.items()}
    )
    for title, rows in parts.items():
        print(f"\n### {title}\n\n{_table(rows)}", flush=True)
    RESULTS.write_text(json.dumps(parts, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
