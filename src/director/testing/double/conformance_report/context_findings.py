"""How a client kept its context: findings about chains, calls, results and broken streams."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from director.testing.double.conformance_report import exchange_content
from director.testing.double.conformance_report.exchange_content import Item
from director.testing.double.conformance_report.finding import ConformanceFinding
from director.testing.double.world import Exchange

Journal: TypeAlias = Sequence[Exchange]


@dataclass(frozen=True, slots=True)
class _Known:
    """The creates by the id that they were answered with, and what was said under each id."""

    creates: Mapping[str, Exchange]
    said: Mapping[str, list[Item]]


def _collect_ids(journal: Journal) -> _Known:
    """What the journal tells of ids; a background job says its items only when it is polled."""
    creates: dict[str, Exchange] = {}
    said: dict[str, list[Item]] = {}
    for exchange in journal:
        answered = exchange_content.read_answer_id(exchange)
        if answered and exchange_content.is_create(exchange):
            creates[answered] = exchange
        if answered and (
            exchange_content.is_create(exchange) or exchange.asked.endpoint == "responses.get"
        ):
            said[answered] = exchange_content.list_output_items(exchange) or said.get(answered, [])
    return _Known(creates, said)


def _parent(exchange: Exchange) -> str:
    """The id of the answer that a request goes on from, in a chain or a thread."""
    body = exchange.asked.body
    thread = body.get("thread")
    told = thread.get("previous_message_id") if isinstance(thread, Mapping) else None
    return str(body.get("previous_response_id") or told or "")


def _chain(exchange: Exchange, known: _Known) -> list[Exchange]:
    """The requests that one goes on from, the root first, itself last."""
    found = {exchange.asked.number: exchange}
    parent = known.creates.get(_parent(exchange))
    while parent is not None and parent.asked.number not in found:
        found[parent.asked.number] = parent
        parent = known.creates.get(_parent(parent))
    return list(reversed(found.values()))


def _list_shown_items(exchange: Exchange, known: _Known) -> list[Item]:
    """All items that the model was shown: those of the chain, what it said, and the new ones."""
    *before, last = _chain(exchange, known)
    shown = [
        item
        for one in before
        for item in (
            *exchange_content.list_sent_items(one),
            *known.said[exchange_content.read_answer_id(one)],
        )
    ]
    return [*shown, *exchange_content.list_sent_items(last)]


def _find_forgotten(journal: Journal, field: str) -> Iterator[ConformanceFinding]:
    known = _collect_ids(journal)
    for exchange in journal:
        if exchange.asked.endpoint != "responses.create":
            continue
        root = _chain(exchange, known)[0]
        if root.asked.body.get(field) and not exchange.asked.body.get(field):
            message = f"#{root.asked.number}, where the chain begins, had {field}"
            yield ConformanceFinding(f"{field}_forgotten", exchange.asked.number, message)


def find_forgotten_tools(journal: Journal) -> Iterator[ConformanceFinding]:
    """Chained requests without tools although the chain began with some."""
    return _find_forgotten(journal, "tools")


def find_forgotten_instructions(journal: Journal) -> Iterator[ConformanceFinding]:
    """Chained requests without instructions although the chain began with some."""
    return _find_forgotten(journal, "instructions")


def find_repeated_result(journal: Journal) -> Iterator[ConformanceFinding]:
    """Results that stand twice in what one request shows."""
    known = _collect_ids(journal)
    for exchange in journal:
        if not exchange_content.is_create(exchange):
            continue
        new = {
            call
            for item in exchange_content.list_sent_items(exchange)
            for call in exchange_content.list_item_results(item)
        }
        shown = _list_shown_items(exchange, known) if new else []
        counts = Counter(
            call for item in shown for call in exchange_content.list_item_results(item)
        )
        for call in sorted(new):
            if counts[call] > 1:
                message = f"the result of {call} was sent {counts[call]} times"
                yield ConformanceFinding("result_twice", exchange.asked.number, message)


def find_dropped_call(journal: Journal) -> Iterator[ConformanceFinding]:
    """Calls that were never answered and left out later, while what was before them stayed."""
    known = _collect_ids(journal)
    for index, asking in enumerate(journal):
        if not exchange_content.is_create(asking) or not exchange_content.has_whole_answer(asking):
            continue
        said = known.said.get(exchange_content.read_answer_id(asking), [])
        issued = [call for item in said for call in exchange_content.list_item_calls(item)]
        later = [one for one in journal[index + 1 :] if issued and _same_run(asking, one)]
        if any(exchange_content.is_same_exchange_request(asking, one) for one in later):
            continue  # asked again, so the second answer is the one that counts
        for call in issued:
            yield from _where_dropped(call, asking, later, known)


def _same_run(one: Exchange, other: Exchange) -> bool:
    return exchange_content.is_create(other) and one.asked.run == other.asked.run


def _where_dropped(
    call: str, asking: Exchange, later: Journal, known: _Known
) -> Iterator[ConformanceFinding]:
    before = _list_shown_items(asking, known)
    for exchange in later:
        shown = _list_shown_items(exchange, known)
        if any(call in exchange_content.list_item_results(item) for item in shown):
            return
        goes_on = bool(before) and len(shown) > len(before) and before[-1] in shown
        folded = any(item.get("type") == "compaction" for item in shown)
        if (
            goes_on
            and not folded
            and not any(call in exchange_content.list_item_calls(item) for item in shown)
        ):
            message = f"{call}, asked for in #{asking.asked.number}, was dropped and not answered"
            yield ConformanceFinding("dropped_call", exchange.asked.number, message)
            return


def find_repeated_thread(journal: Journal) -> Iterator[ConformanceFinding]:
    """Second continuations of one message of a thread."""
    continued: dict[str, Exchange] = {}
    for exchange in journal:
        if exchange.asked.endpoint != "messages.create" or not _parent(exchange):
            continue
        parent = _parent(exchange)
        if parent in continued:
            message = f"{parent} was already continued by #{continued[parent].asked.number}"
            yield ConformanceFinding("thread_twice", exchange.asked.number, message)
        elif exchange.answer is not None and exchange.answer.status < 300:
            continued[parent] = exchange


def find_partial_as_whole(journal: Journal) -> Iterator[ConformanceFinding]:
    """Texts of broken streams that a later request gives out as what the model said."""
    for index, exchange in enumerate(journal):
        answer = exchange.answer
        if answer is None or not answer.events or exchange_content.has_ended_well(answer):
            continue
        partial = exchange_content.join_streamed_text(answer).strip()
        later = [one for one in journal[index + 1 :] if _same_run(exchange, one)]
        taken = _find_taken_for_whole(partial, later) if partial else None
        if taken is not None:
            message = f"the text of #{exchange.asked.number}, which broke off, is sent as whole"
            yield ConformanceFinding("partial_as_whole", taken.asked.number, message)


def _find_taken_for_whole(partial: str, later: Journal) -> Exchange | None:
    for one in later:
        for item in exchange_content.list_sent_items(one):
            said = {text.strip() for text in exchange_content.list_item_texts(item)}
            if item.get("role") == "assistant" and partial in said:
                return one
        if partial in {text.strip() for text in exchange_content.list_whole_texts(one)}:
            return None
    return None
