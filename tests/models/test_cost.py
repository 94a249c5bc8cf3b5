"""What a conversation costs is known to the token and to the last digit, whatever way it is sent."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from itertools import groupby, pairwise

import pytest

from director.context.values import Context, Section
from director.models import Policy, Reply, open_model
from director.models.capabilities import Capabilities
from director.models.prices import compute_price
from director.models.script_values import Ask, Compact, Emit, Say, Seen, Think
from director.models.timing import Timing
from director.models.usage import add_all_usages
from director.models.values import Usage
from director.testing.double import Double
from models.talk import MODELS, PROFILES, Talk, environment

MESSAGES = 50
BEGINNINGS = {"short": "You open doors. Be brief.", "long": "You open doors. Be brief. " * 800}
WAYS = {
    "responses, chained": ("responses", "durable"),
    "responses, whole": ("responses", "never"),
    "chat": ("chat", "durable"),
    "anthropic": ("anthropic", "durable"),
    "anthropic, in a thread": ("anthropic", "any"),
}
CHAINED = {"responses, chained": "responses, whole", "anthropic, in a thread": "anthropic"}
MILLION = Decimal(1_000_000)
STREAMING = [False, pytest.param(True, marks=pytest.mark.slow)]


@dataclass(frozen=True, slots=True)
class Books:
    """The replies to a conversation, and what the provider booked for each."""

    replies: tuple[Reply, ...]
    booked: tuple[tuple[Usage, Decimal | None], ...]
    total: Decimal | None

    @property
    def usages(self) -> list[Usage | None]:
        """What the replies say that they took."""
        return [reply.usage for reply in self.replies]


def door_keeper(seen: Seen) -> Sequence[Emit]:
    """Looks into every fourth room before it answers, and into every eighth behind a door too."""
    if seen.purpose == "compact":
        return [Compact(f"There were {len(seen.items)} things to remember.")]
    last = seen.items[-1]
    room = int(last.text.split()[0]) if last.kind == "user" else 1
    if room % 4:
        return [Say("That room is done.")]
    place = json.dumps({"place": f"room {room}"})
    asked: list[Emit] = [Think(f"I should look at room {room}."), Ask("look", place)]
    return asked if room % 8 else [*asked, Ask("open_door", json.dumps({"number": room}))]


def converse(
    profile: str,
    name: str,
    policy: Policy,
    said: Sequence[str],
    *,
    beginning: str = BEGINNINGS["short"],
    streaming: bool = False,
) -> Books:
    """Say all this to a model; a client that makes a mistake on the way fails the test."""

    async def talk(double: Double) -> tuple[Reply, ...]:
        timing = Timing(double.now, double.sleep)
        named = name.replace("{url}", double.openai_url)
        can = Capabilities() if named != name else None  # a server at home is not asked for them
        keys = environment(double)
        async with open_model(named, env=keys, timing=timing, capabilities=can) as model:
            context = Context((Section("system", beginning),))
            conversation = Talk(model, policy=policy, streaming=streaming, context=context)
            for text in said:
                await conversation.say(text)
        return tuple(conversation.replies)

    with Double(profile, door_keeper) as double:
        listening = double._server._socket
        assert listening
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # saves 40 ms a request
        replies = asyncio.run(talk(double))
        assert double.defects == []
        assert double.verdict() == []
        return Books(replies, booked(double), double.ledger.totals().cost)


def booked(double: Double) -> tuple[tuple[Usage, Decimal | None], ...]:
    """The books of each request; one that compacted first has several lines."""
    found: list[tuple[Usage, Decimal | None]] = []
    for _, group in groupby(double.ledger.lines, key=lambda line: line.exchange):
        lines = list(group)
        usages = [
            Usage(line.uncached, line.read, line.writes, line.output, line.reasoning)
            for line in lines
        ]
        costs = [line.cost for line in lines if line.cost is not None]
        known = len(costs) == len(lines)
        found.append((add_all_usages(usages), sum(costs, Decimal(0)) if known else None))
    return tuple(found)


@cache
def conversation(way: str, beginning: str, *, cached: bool, streaming: bool) -> Books:
    """Fifty messages to a model, sent in one of the ways."""
    form, chain = WAYS[way]
    policy = Policy(chain=chain, cache=cached)  # type: ignore[arg-type]  # the table is plain
    return converse(
        PROFILES[form],
        MODELS[form],
        policy,
        [f"{number} is the room that is next." for number in range(MESSAGES)],
        beginning=BEGINNINGS[beginning],
        streaming=streaming,
    )


def assert_equal_to_the_books(books: Books) -> None:
    """Each turn for itself, and all of them together."""
    assert [(reply.usage, reply.cost) for reply in books.replies] == list(books.booked)
    assert sum((reply.cost for reply in books.replies if reply.cost), Decimal(0)) == books.total
    assert {warning for reply in books.replies for warning in reply.warnings} == set()


def variants() -> list[object]:
    """All of them; the quick ones see each way with and without a cache, a stream, and a length."""
    quick = {("long", True, False), ("short", False, True)}
    return [
        pytest.param(
            way,
            beginning,
            cached,
            streaming,
            id=f"{way}, {beginning}, {'' if cached else 'un'}cached{', stream' * streaming}",
            marks=() if (beginning, cached, streaming) in quick else pytest.mark.slow,
        )
        for way in WAYS
        for beginning in BEGINNINGS
        for cached in (True, False)
        for streaming in (True, False)
    ]


@pytest.mark.parametrize(("way", "beginning", "cached", "streaming"), variants())
def test_a_conversation_costs_what_the_provider_booked(
    way: str, beginning: str, *, cached: bool, streaming: bool
) -> None:
    """To the token, turn by turn; and a cache is read if it may be, and only then."""
    books = conversation(way, beginning, cached=cached, streaming=streaming)
    assert_equal_to_the_books(books)
    assert len(books.replies) > MESSAGES
    total = add_all_usages(usage for usage in books.usages if usage)
    assert total.reasoning
    first, *later = [usage.read for usage in books.usages if usage]
    if not cached:
        assert (total.read, total.writes, total.uncached) == (0, {}, total.input)
    elif beginning == "long":
        assert first == 0
        assert all(read > 4_096 for read in later)
    else:
        assert first == later[0] == 0
        assert later[-1] > 1_024


@pytest.mark.parametrize("chained", CHAINED)
def test_a_chain_saves_no_tokens(chained: str) -> None:
    """What the server remembers is billed like what is sent again."""
    short = conversation(chained, "long", cached=True, streaming=False)
    whole = conversation(CHAINED[chained], "long", cached=True, streaming=False)
    assert all(reply.attempts[-1].chained for reply in short.replies[1:])
    assert not any(reply.attempts[-1].chained for reply in whole.replies)
    assert short.usages == whole.usages
    assert short.total == whole.total


@pytest.mark.parametrize("streaming", STREAMING)
@pytest.mark.parametrize("way", [way for way in WAYS if way != "chat"])
def test_a_compaction_on_the_way_is_paid_for(way: str, *, streaming: bool) -> None:
    """Where the provider lists it apart from the answer, it is added."""
    form, chain = WAYS[way]
    threshold, words = {"responses": (1_000, 160), "anthropic": (50_000, 5_500)}[form]
    policy = Policy(chain=chain, compact_at=threshold)  # type: ignore[arg-type]
    said = [f"{number} is the room. {'Look well. ' * words}" for number in range(9)]
    books = converse(PROFILES[form], MODELS[form], policy, said, streaming=streaming)
    assert_equal_to_the_books(books)
    sizes = [usage.input for usage in books.usages if usage]
    assert sum(after < before for before, after in pairwise(sizes)) > 1


def test_each_part_of_an_answer_has_the_price_of_its_own_size() -> None:
    """A compaction of more than 100,000 tokens is dear on this model, the answer after it not."""
    said = [f"{number} is the room. {'Look well. ' * 14_000}" for number in (1, 2, 3)]
    policy = Policy(compact_at=110_000, cache=False)
    books = converse("anthropic", "anthropic:claude-haiku-5-5", policy, said)
    assert_equal_to_the_books(books)
    last = books.replies[-1]
    assert last.usage
    as_one, _ = compute_price("anthropic", last.model, last.usage)
    assert as_one
    assert last.cost
    assert last.cost < as_one


@pytest.mark.parametrize("streaming", STREAMING)
@pytest.mark.parametrize(
    ("profile", "name", "words", "prices", "dear"),
    [
        ("openai", "openai:gpt-6.1-terra", 105_000, ("1", "5"), ("2", "7.5")),
        ("openai", "chat:gpt-6.1-terra", 105_000, ("1", "5"), ("2", "7.5")),
        ("anthropic", "anthropic:claude-haiku-5-5", 40_000, ("0.10", "0.50"), ("0.50", "2.50")),
    ],
)
def test_a_large_request_is_priced_anew_as_a_whole(
    profile: str,
    name: str,
    *,
    words: int,
    prices: tuple[str, str],
    dear: tuple[str, str],
    streaming: bool,
) -> None:
    """Above 272,000 tokens, or 100,000 on the small one, not only what is above costs more."""
    said = ["1 is a small room.", f"2 is a large room. {'Look well. ' * words}"]
    books = converse(profile, name, Policy(cache=False), said, streaming=streaming)
    assert_equal_to_the_books(books)
    for reply, (each_in, each_out) in zip(books.replies, (prices, dear), strict=True):
        assert reply.usage
        paid = reply.usage.input * Decimal(each_in) + reply.usage.output * Decimal(each_out)
        assert reply.cost == paid / MILLION


@pytest.mark.parametrize("streaming", [False, True])
def test_a_model_without_a_price_costs_an_unknown_sum_and_not_nothing(*, streaming: bool) -> None:
    """A server at home sells nothing; its tokens are counted all the same."""
    said = ["1 is the room.", "4 is the room."]
    books = converse("ollama", "chat:{url}#some-model", Policy(), said, streaming=streaming)
    assert [reply.cost for reply in books.replies] == [None, None, None]
    assert books.total is None
    for reply, (usage, _) in zip(books.replies, books.booked, strict=True):
        assert any("cost is unknown" in warning for warning in reply.warnings)
        assert reply.usage
        assert (reply.usage.input, reply.usage.output) == (usage.input, usage.output)
