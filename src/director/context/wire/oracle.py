"""An oracle: which rules of its provider a list of messages breaks.

Independent of the parser on purpose: it knows messages and rules, never turns, so that the
tests of everything that rewrites a history can trust it. Never changes a message.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from director.context.wire.parse_events import Wire


def problems(messages: Sequence[object], wire: Wire, before: Sequence[object] = ()) -> list[str]:
    """Each broken rule in words; `before` is the unedited history, if there is one.

    Only `before` can show that an item of the Responses wire lost the reasoning it came with.
    """
    if wire == "anthropic":
        return list(_anthropic(messages))
    if wire == "responses":
        return [*_responses(messages), *_find_torn(messages, before or messages)]
    return list(_chat([_plain(message) for message in messages]))


def _get(value: object, name: str) -> object:
    if type(value) is dict:  # nearly always, and far quicker than asking for the protocol
        return value.get(name)
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _many(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else []


_ROLES = {"human": "user", "ai": "assistant", "AIMessageChunk": "assistant"}


def _plain(message: object) -> tuple[str, object]:
    kind = _get(message, "role") or _get(message, "type")
    return _ROLES.get(str(kind), str(kind)), message


def _list_call_ids(message: object) -> list[str]:
    ids = [str(_get(call, "id")) for call in _many(_get(message, "tool_calls"))]
    extra = _get(message, "additional_kwargs")
    legacy = _get(message, "function_call") or _get(extra, "function_call")
    return ids if ids or not legacy else [f"function {_get(legacy, 'name')}"]


def _chat(messages: list[tuple[str, object]]) -> Iterator[str]:
    owed: Counter[str] = Counter()
    paid: Counter[str] = Counter()
    allowed: set[str] = set()
    for index, (role, message) in enumerate([*messages, ("end", None)]):
        if role in ("tool", "function"):
            legacy = role == "function"
            name = f"function {_get(message, 'name')}" if legacy else ""
            name = name or str(_get(message, "tool_call_id"))
            if paid[name] >= max(owed[name], name in allowed):
                known = owed[name] or name in allowed
                yield f"{index}: {'duplicate' if known else 'orphan'} result {name}"
            paid[name] += 1
            continue
        for name in (owed - paid).elements():
            yield f"{index}: unanswered call {name}"
        owed, paid, allowed = Counter(), Counter(), set()
        if role == "assistant":
            owed = Counter(_list_call_ids(message))
            invalid = _many(_get(message, "invalid_tool_calls"))
            allowed = {str(_get(call, "id")) for call in invalid}
            if not owed and not allowed and not _says(message):
                yield f"{index}: empty assistant message"


def _says(message: object) -> bool:
    fields = ("content", "refusal", "audio", "reasoning_content", "reasoning", "additional_kwargs")
    return any(_get(message, name) for name in (*fields, "reasoning_details", "thinking_blocks"))


def _anthropic(messages: Sequence[object]) -> Iterator[str]:
    seen: set[str] = set()
    asked: list[str] = []
    for index, (role, content) in enumerate(_merge(messages)):
        yield from _hollow(index, content)
        kinds = [_get(block, "type") for block in content]
        if index == 0 and role != "user" and kinds[:1] != ["compaction"]:
            yield "0: the first message is not a user's"
        given = content if role == "user" else []
        yield from _check_pairs(index, asked, given)
        uses = [block for block in content if _get(block, "type") == "tool_use"]
        asked = [str(_get(block, "id")) for block in uses] if role == "assistant" else []
        for name in asked:
            if name in seen:
                yield f"{index}: tool_use id {name} is not unique"
            seen.add(name)
    for name in asked:
        yield f"end: unanswered call {name}"


def _merge(messages: Sequence[object]) -> list[tuple[str, list[object]]]:
    """The messages as the provider sees them: consecutive ones of one role are one."""
    merged: list[tuple[str, list[object]]] = []
    for message in messages:
        role, content = str(_get(message, "role")), _get(message, "content")
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else None
        found = _many(content) if parts is None else parts
        # An empty message must not hide behind its neighbour.
        found = found or [{"type": "text", "text": ""}]
        if merged and merged[-1][0] == role:
            merged[-1][1].extend(found)
        else:
            merged.append((role, list(found)))
    return merged


def _hollow(index: int, content: list[object]) -> Iterator[str]:
    for block in content:
        inner = _many(_get(block, "content")) if _get(block, "type") == "tool_result" else []
        for part in (block, *inner):
            if _get(part, "type") == "text" and _get(part, "text") == "":
                yield f"{index}: empty text block"


def _check_pairs(index: int, asked: list[str], content: list[object]) -> Iterator[str]:
    owed = dict.fromkeys(asked, 0)
    first = True
    for block in content:
        if _get(block, "type") != "tool_result":
            first = False
            continue
        name = str(_get(block, "tool_use_id"))
        if name not in owed:
            yield f"{index}: orphan result {name}"
            continue
        owed[name] += 1
        if owed[name] > 1:
            yield f"{index}: duplicate result {name}"
        if not first:
            yield f"{index}: result {name} does not come first"
    for name, times in owed.items():
        if not times:
            yield f"{index}: unanswered call {name}"


_INPUT = ("compaction_trigger", "additional_tools", "configuration_update")
_MUST = ("function_call", "custom_tool_call")


def _type(item: object) -> str:
    return str(_get(item, "type") or ("message" if _get(item, "role") else ""))


def _is_output(item: object) -> bool:
    kind = _type(item)
    if kind == "message":
        return _get(item, "role") == "assistant"
    given = kind.endswith("_output") or kind == "mcp_approval_response"
    return bool(kind) and not given and kind not in _INPUT


def _responses(items: Sequence[object]) -> Iterator[str]:
    asked: Counter[str] = Counter()
    given: Counter[str] = Counter()
    must: Counter[str] = Counter()
    names: set[object] = set()
    referred = False
    for index, item in enumerate(items):
        kind, name = _type(item), str(_get(item, "call_id"))
        if kind.endswith("_call") and _get(item, "call_id"):
            asked[name] += 1
            must[name] += kind in _MUST
        elif kind.endswith("_output") and _get(item, "call_id"):
            given[name] += 1
            if given[name] > asked[name] and not (referred and not asked[name]):
                yield f"{index}: {'duplicate' if asked[name] else 'orphan'} result {name}"
        referred = referred or kind == "item_reference"
        if _get(item, "id") and str(_get(item, "id")) in names:
            yield f"{index}: duplicate item {_get(item, 'id')}"
        names.add(str(_get(item, "id")))
        if kind == "compaction_trigger" and index + 1 < len(items):
            yield f"{index}: compaction_trigger is not last"
    for name in (must - given).elements():
        yield f"end: unanswered call {name}"
    yield from _bare(items)


def _bare(items: Sequence[object]) -> Iterator[str]:
    following = False
    for index in range(len(items) - 1, -1, -1):
        if _type(items[index]) != "reasoning":
            following = _is_output(items[index])
        elif not following:
            yield f"{index}: reasoning without a following item"


def _find_torn(items: Sequence[object], before: Sequence[object]) -> Iterator[str]:
    owner: dict[str, str] = {}
    latest = ""
    by_key: dict[str, str] = {}
    for item in before:
        name = str(_get(item, "id") or "")
        if not _is_output(item):
            latest = ""
        elif _type(item) == "reasoning":
            latest = name
            by_key[_key(name)] = name
        elif name and _type(item) not in ("compaction", "item_reference"):
            owner[name] = latest or by_key.get(_key(name) or "-", "")
    shown: set[str] = set()
    for index, item in enumerate(items):
        name = str(_get(item, "id") or "")
        needed = owner.get(name, "")
        if needed and needed not in shown:
            yield f"{index}: {name} is shown without its reasoning {needed}"
        shown.add(name)


def _key(name: str) -> str:
    body = name.partition("_")[2]
    return body[:16] if len(body) >= 32 else ""
