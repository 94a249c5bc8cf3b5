"""Every request is kept: what is shown is what left, and it can be made again from the store."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from director.agent import StoreJournal, record_message, record_results
from director.agent.request_log.kept_requests import (
    StoredRequest,
    decode_delta_frame,
    encode_delta_frame,
    keep_request,
    read_kept_request,
    read_sent_body,
)
from director.agent.request_log.request_replay import replay_request
from director.context.presets import hybrid
from director.context.report import report_on
from director.context.values import Budget, Context, Section, UserTurn
from director.models import Model, ModelError, Policy, open_model
from director.store import Store, StoreError, open_store
from director.store.context_view import project_context_view
from director.testing.double import Double, Fault
from models.talk import KEY, MODELS, PROFILES, TOOLS, answers, environment, rooms
from store.engines import prepared_file

SYSTEM = Section("system", "You open doors. Be brief. 中 äß 😀")
LAST = "<plan>\nOpen all doors.\n</plan>\n\n<browser trust=web>\nNo tab is open.\n</browser>"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store in a file."""
    with open_store(prepared_file(tmp_path / "store.db")) as opened:
        yield opened


async def talked(
    store: Store, model: Model, rounds: int, *, limit: int = 100_000, streaming: bool = False
) -> None:
    """Talk as a turn does: assemble, fit, send, record, and keep each request."""
    for nth in range(rounds):
        record_message(store, "main", f"room {nth} {'far away ' * 40}")
        for _ in range(2):
            head = store.head("main")
            told = project_context_view(store.entries("main"))
            last = (UserTurn(head + 1, LAST, pinned=True),)
            given_ = Context((SYSTEM,), (*told.turns, *last))
            budget = Budget(limit, counter=model.counter)
            cut = hybrid()(Context((SYSTEM,), told.turns), budget)
            sent = replace(cut, turns=(*cut.turns, *last))
            report = report_on(given_, sent, budget)
            asking = StoredRequest(
                "main", head, "w", "clean", tools=TOOLS, policy=Policy(), streaming=streaming
            )
            reply = await _sent(model, sent, streaming=streaming)
            keep_request(store, asking, model=model, report=report, ended=reply)
            if not reply.calls:
                break
            record_results(store, "main", reply, answers(reply))


async def _sent(model: Model, sent: Context, *, streaming: bool):  # noqa: ANN202
    given_ = {"tools": TOOLS, "thread": "main", "policy": Policy()}
    if not streaming:
        return await model.send(sent, **given_)  # type: ignore[arg-type]
    async for one in model.stream(sent, **given_):  # type: ignore[arg-type]
        found = getattr(one, "reply", None)
        if found is not None:
            return found
    raise AssertionError("a stream ends with its reply")


@pytest.mark.promise("B9")
@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streaming"])
@pytest.mark.parametrize("form", sorted(MODELS))
def test_what_is_shown_is_what_left_and_it_is_made_again_from_the_store(
    store: Store, form: str, *, streaming: bool
) -> None:
    """In each dialect: the bytes that the provider received, and the same bytes from the log."""
    with Double(PROFILES[form], brain=rooms) as double:

        async def talk() -> None:
            journal = StoreJournal(store)
            env = environment(double)
            async with open_model(MODELS[form], journal=journal, env=env) as model:
                await talked(store, model, 3, limit=600, streaming=streaming)

        asyncio.run(talk())
        received = [one.asked for one in double.exchanges if one.asked.body.get("model")]
    newest = store.get("request", "main")
    assert newest is not None
    assert newest.version == len(received) == 6
    for number, asked in enumerate(received, 1):
        shown = read_sent_body(store, "main", number)
        assert json.loads(shown) == asked.body
        length = {name.lower(): value for name, value in asked.headers.items()}["content-length"]
        assert len(shown) == int(length)
        again = asyncio.run(replay_request(store, "main", number))
        assert again.same, (again.differs, again.sent[-300:], again.made[-300:])
    whole = json.dumps(newest.body, default=str)
    assert KEY not in whole
    assert KEY.encode() not in read_sent_body(store, "main", 6)


def test_a_request_says_what_it_is_made_of_and_what_it_cost(store: Store) -> None:
    """Parts that add up to its size, what was cut, usage, price, attempts."""
    with Double("openai", brain=rooms) as double:

        async def talk() -> None:
            env = environment(double)
            journal = StoreJournal(store)
            async with open_model(MODELS["responses"], journal=journal, env=env) as model:
                await talked(store, model, 2)

        asyncio.run(talk())
    body = read_kept_request(store, "main", 4).body
    places = [(part["place"], part["name"]) for part in body["parts"]]  # type: ignore[attr-defined]
    assert places[:2] == [("instructions", "system"), ("tools", "2 tools")]
    assert places[-2:] == [("last", "plan"), ("last", "browser")]
    tools = next(part["tokens"] for part in body["parts"] if part["place"] == "tools")  # type: ignore[attr-defined]
    total = sum(part["tokens"] for part in body["parts"])  # type: ignore[attr-defined]
    assert total - tools == body["report"]["after"]  # type: ignore[index]
    assert body["outcome"] == "answered"
    assert body["usage"]["uncached"] + body["usage"]["read"] > 0  # type: ignore[index]
    assert float(str(body["cost"])) > 0
    assert [one["outcome"] for one in body["attempts"]] == ["ok"]  # type: ignore[attr-defined]


def test_a_request_that_failed_is_kept_with_all_its_attempts(store: Store) -> None:
    """Each attempt has its bytes; the failure is told."""
    with Double("openai", brain=rooms) as double:
        double.strike(Fault("server_error"), Fault("server_error", nth=2))

        async def talk() -> None:
            env = environment(double)
            policy = Policy(attempts=2)
            async with open_model(MODELS["chat"], env=env, policy=policy) as model:
                context = Context((SYSTEM,), (UserTurn(1, "room 1"),))
                report = report_on(context, context, Budget(1_000, counter=model.counter))
                with pytest.raises(ModelError) as failed:
                    await model.send(context, thread="main")
                asking = StoredRequest("main", 0)
                keep_request(store, asking, model=model, report=report, ended=failed.value)

        asyncio.run(talk())
    body = read_kept_request(store, "main", 1).body
    assert body["outcome"] == "failed"
    assert len(body["sent"]) == 2  # type: ignore[arg-type]
    assert read_sent_body(store, "main", 1, 1) == read_sent_body(store, "main", 1, 2)


def test_a_conversation_is_kept_once_and_not_with_every_request(store: Store) -> None:
    """What is kept for each request is small beside its body."""
    with Double("openai", brain=rooms) as double:

        async def talk() -> None:
            env = environment(double)
            async with open_model(MODELS["chat"], env=env, journal=StoreJournal(store)) as model:
                await talked(store, model, 12)

        asyncio.run(talk())
    sizes = []
    for number in range(12, 25):
        one = read_kept_request(store, "main", number).body["sent"][0]  # type: ignore[index]
        sizes.append((len(store.read_kept(one["frame"]["$kept"])), one["bytes"]))
    assert sum(frame for frame, _ in sizes) < 0.3 * sum(whole for _, whole in sizes)


def test_a_purged_thread_takes_its_requests_with_it(store: Store) -> None:
    """What was sent holds what was said: no word of it stays."""
    with Double("openai", brain=rooms) as double:

        async def talk() -> None:
            env = environment(double)
            async with open_model(MODELS["chat"], env=env, journal=StoreJournal(store)) as model:
                await talked(store, model, 1)

        asyncio.run(talk())
    entries = len(store.entries("main"))
    assert store.purge("main") == entries
    assert store.get("request", "main") is None
    with pytest.raises(StoreError, match="no request 1"):
        read_kept_request(store, "main", 1)


@given(st.lists(st.binary(max_size=40), max_size=8), st.lists(st.binary(max_size=40), max_size=8))
def test_a_frame_gives_back_the_same_bytes(old: list[bytes], new: list[bytes]) -> None:
    """Whatever stands in a body, and whatever stood in the one before."""
    before = b'{"role":"user",'.join(old)
    body = b'{"role":"user",'.join([*old[:3], *new])
    assert decode_delta_frame(encode_delta_frame(body, before), before) == body
    assert decode_delta_frame(encode_delta_frame(body)) == body
