"""What an exchange says, whichever API it was spoken in: calls, results, texts and ends.

Pure functions on journal entries; they judge nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from email.utils import parsedate_to_datetime
from typing import TypeAlias

from director.testing.double.exchange import ProviderResponse, ServerSentEvent
from director.testing.double.faults import CREATES
from director.testing.double.world import Exchange

Item: TypeAlias = Mapping[str, object]

GOOD_ENDS = ("response.completed", "response.incomplete", "message_stop")
ENDED = ("completed", "failed", "incomplete", "cancelled")
_AGAIN = re.compile(r"try again in ([\d.]+)(ms|s)", re.IGNORECASE)


def list_content_items(value: object) -> list[Item]:
    """The objects of a list; nothing else."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        return []
    return [each for each in value if isinstance(each, Mapping)]


def is_create(exchange: Exchange) -> bool:
    """Whether an answer of the model was asked for."""
    return exchange.asked.endpoint in CREATES


def has_good_answer(exchange: Exchange) -> bool:
    """Whether it was answered with success and the whole answer was sent."""
    answer = exchange.answer
    return answer is not None and answer.status < 300 and exchange.finished


def has_whole_answer(exchange: Exchange) -> bool:
    """Whether it was answered with success, and a stream came to its good end."""
    answer = exchange.answer
    return answer is not None and has_good_answer(exchange) and has_ended_well(answer)


def is_same_exchange_request(one: Exchange, other: Exchange) -> bool:
    """Whether two requests ask the very same, for the same run."""
    first, second = one.asked, other.asked
    return (
        (first.method, first.path, first.run) == (second.method, second.path, second.run)
        and first.method == "POST"
        and first.body == second.body
    )


def list_sent_items(exchange: Exchange) -> list[Item]:
    """The items or messages of a request; a bare text is one message."""
    body = exchange.asked.body
    given = body.get("input", body.get("messages"))
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    return list_content_items(given)


def _data(events: Sequence[ServerSentEvent]) -> Iterator[Item]:
    return (event.data for event in events if isinstance(event.data, Mapping))


def _field(item: Item, name: str) -> Item:
    inner = item.get(name)
    return inner if isinstance(inner, Mapping) else {}


def read_final_object(answer: ProviderResponse | None) -> Item:
    """The object that an answer ends with: its body, or the response in its last event."""
    if answer is None:
        return {}
    if not answer.events:
        return answer.body
    ends = [_field(data, "response") for data in _data(answer.events) if "response" in data]
    return ends[-1] if ends else {}


def read_answer_id(exchange: Exchange) -> str:
    """The id of what was answered, however far the answer got."""
    answer = exchange.answer
    if answer is None:
        return ""
    for data in (answer.body, *_data(answer.events)):
        for holder in (data, _field(data, "response"), _field(data, "message")):
            if isinstance(holder.get("id"), str):
                return str(holder["id"])
    return ""


def _output(answer: ProviderResponse) -> Iterator[Item]:
    """What the model said, item by item, in whatever form it was said."""
    yield from list_content_items(answer.body.get("output"))
    yield from list_content_items(answer.body.get("content"))
    for choice in list_content_items(answer.body.get("choices")):
        yield _field(choice, "message")
    for data in _data(answer.events):
        if data.get("type") == "response.output_item.done":
            yield _field(data, "item")
        elif data.get("type") == "content_block_start":
            yield _field(data, "content_block")
        for choice in list_content_items(data.get("choices")):
            yield _field(choice, "delta")


def list_output_items(exchange: Exchange) -> list[Item]:
    """The items that the model's answer adds to a context."""
    return list(_output(exchange.answer)) if exchange.answer else []


def list_item_calls(item: Item) -> Iterator[str]:
    """The ids of the calls in an item or message."""
    kind = item.get("type")
    if kind in ("function_call", "custom_tool_call"):
        yield str(item.get("call_id"))
    elif kind == "tool_use":
        yield str(item.get("id"))
    yield from (
        str(call["id"]) for call in list_content_items(item.get("tool_calls")) if call.get("id")
    )
    for block in list_content_items(item.get("content")):
        yield from list_item_calls(block)


def list_item_results(item: Item) -> Iterator[str]:
    """The ids of the calls that an item or message answers."""
    if str(item.get("type", "")).endswith("_call_output"):
        yield str(item.get("call_id"))
    elif item.get("type") == "tool_result":
        yield str(item.get("tool_use_id"))
    elif item.get("role") == "tool":
        yield str(item.get("tool_call_id"))
    for block in list_content_items(item.get("content")):
        yield from list_item_results(block)


def has_ended_well(answer: ProviderResponse) -> bool:
    """Whether a stream came to the end that makes it a whole answer."""
    if not answer.events:
        return True
    for event in answer.events:
        data = event.data
        if data == "[DONE]" and not event.name:
            return all("error" not in each for each in _data(answer.events))
        if isinstance(data, Mapping) and data.get("type") in GOOD_ENDS:
            return True
    return False


def join_streamed_text(answer: ProviderResponse) -> str:
    """The text that a stream delivered, as far as it got."""
    parts: list[str] = []
    for data in _data(answer.events):
        if data.get("type") == "response.output_text.delta":
            parts.append(str(data.get("delta", "")))
        parts.append(str(_field(data, "delta").get("text", "")))
        parts += [
            str(_field(choice, "delta").get("content") or "")
            for choice in list_content_items(data.get("choices"))
        ]
    return "".join(parts)


def list_item_texts(item: Item) -> Iterator[str]:
    """The texts of an item or message: its content, or the parts of it and all of them joined."""
    content = item.get("content")
    if isinstance(content, str):
        yield content
        return
    parts = [
        str(part["text"])
        for part in list_content_items(content)
        if isinstance(part.get("text"), str)
    ]
    yield from parts
    yield "".join(parts)


def list_whole_texts(exchange: Exchange) -> set[str]:
    """The texts that a whole answer delivered."""
    answer = exchange.answer
    if answer is None or not has_whole_answer(exchange):
        return set()
    if answer.events:
        return {join_streamed_text(answer)}
    found = {text for item in _output(answer) for text in list_item_texts(item)}
    return found | set(list_item_texts(answer.body))


def read_error_content(answer: ProviderResponse | None) -> Item:
    """The error that an answer tells of: a refusal's, a failed response's, or a stream's."""
    if answer is None:
        return {}
    for data in (answer.body, *_data(answer.events)):
        for holder in (data, _field(data, "response")):
            if holder.get("error"):
                return _field(holder, "error")
        if data.get("type") == "error":
            return data
    return {}


def read_error_code(answer: ProviderResponse | None) -> str:
    """The code of an answer's error, in either provider's place for it."""
    error = read_error_content(answer)
    details = _field(error, "details")
    return str(details.get("error_code") or error.get("code") or error.get("type") or "")


def read_delay(exchange: Exchange) -> float:
    """The seconds that the client was told to wait, in a header or only in words."""
    answer = exchange.answer
    if answer is None or not read_error_content(answer):
        return 0.0
    headers = answer.headers
    if "retry-after-ms" in headers:
        return float(headers["retry-after-ms"]) / 1000
    after = headers.get("retry-after", "")
    if after.replace(".", "", 1).isdigit():
        return float(after)
    if after:
        return parsedate_to_datetime(after).timestamp() - exchange.at
    again = _AGAIN.search(str(read_error_content(answer).get("message", "")))
    if again is None:
        return 0.0
    return float(again[1].rstrip(".")) / (1000 if again[2] == "ms" else 1)
