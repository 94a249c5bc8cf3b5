"""The events of a stream, from a finished response: each in its place, numbered without a gap.

Nothing here knows a request, a clock or a socket.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from director.testing.double.exchange import ServerSentEvent
from director.testing.double.responses.build import make_unfinished
from director.testing.double.responses.response_state import Item

PIECES = 4


def make_response_events(
    final: Mapping[str, object], *, background: bool
) -> tuple[ServerSentEvent, ...]:
    """All events of a response, up to the one that ends it."""
    return tuple(
        ServerSentEvent(str(each["type"]), {**each, "sequence_number": number})
        for number, each in enumerate(_all(final, background=background))
    )


def _all(final: Mapping[str, object], *, background: bool) -> Iterator[Item]:
    first = "queued" if background else "in_progress"
    yield {"type": "response.created", "response": make_unfinished(final, first)}
    if background:
        yield {"type": "response.queued", "response": make_unfinished(final, "queued")}
    yield {"type": "response.in_progress", "response": make_unfinished(final, "in_progress")}
    output = final["output"]
    for index, item in enumerate(output if isinstance(output, list) else []):
        yield from _item(item, index)
    yield {"type": f"response.{final['status']}", "response": dict(final)}


def _item(item: Item, index: int) -> Iterator[Item]:
    place: Item = {"item_id": item["id"], "output_index": index}
    kind = item["type"]
    added = dict(item)
    if "status" in item:
        added["status"] = "in_progress"
    inner: Iterator[Item] = iter(())
    if kind == "message":
        added["content"] = []
        inner = _message(item, place)
    elif kind == "function_call":
        added["arguments"] = ""
        inner = _call(item, place)
    elif kind == "reasoning":
        added["summary"] = []
        # What comes first is not yet all of it: only a client that waits for the end can replay it.
        added["encrypted_content"] = str(item["encrypted_content"])[:40]
        inner = _reasoning(item, place)
    elif kind == "compaction":
        added["encrypted_content"] = ""
        inner = iter([{"type": "response.compaction.compacting", **place}])
    yield {"type": "response.output_item.added", "output_index": index, "item": added}
    yield from inner
    yield {"type": "response.output_item.done", "output_index": index, "item": dict(item)}


def _message(item: Item, place: Item) -> Iterator[Item]:
    content = item["content"]
    for index, part in enumerate(content if isinstance(content, list) else []):
        at = {**place, "content_index": index}
        refused = part["type"] == "refusal"
        key = "refusal" if refused else "text"
        name = "response.refusal" if refused else "response.output_text"
        more: Item = {} if refused else {"logprobs": []}
        yield {"type": "response.content_part.added", **at, "part": {**part, key: ""}}
        for piece in split_event_text(part[key]):
            yield {"type": f"{name}.delta", **at, "delta": piece, **more}
        yield {"type": f"{name}.done", **at, key: part[key], **more}
        yield {"type": "response.content_part.done", **at, "part": part}


def _call(item: Item, place: Item) -> Iterator[Item]:
    name = "response.function_call_arguments"
    for piece in split_event_text(str(item["arguments"])):
        yield {"type": f"{name}.delta", **place, "delta": piece}
    yield {"type": f"{name}.done", **place, "arguments": item["arguments"]}


def _reasoning(item: Item, place: Item) -> Iterator[Item]:
    summary = item["summary"]
    for index, part in enumerate(summary if isinstance(summary, list) else []):
        at = {**place, "summary_index": index}
        name = "response.reasoning_summary"
        yield {"type": f"{name}_part.added", **at, "part": {**part, "text": ""}}
        for piece in split_event_text(part["text"]):
            yield {"type": f"{name}_text.delta", **at, "delta": piece}
        yield {"type": f"{name}_text.done", **at, "text": part["text"]}
        yield {"type": f"{name}_part.done", **at, "part": part}


def split_event_text(text: str) -> list[str]:
    """A text in a few pieces."""
    size = max(1, -(-len(text) // PIECES))
    return [text[start : start + size] for start in range(0, len(text), size)]
