"""Items: the rules they obey together, and how each is shown to a script engine and counted.

The rules look at a whole context: what a chain brings and what a request sends. Nothing here
changes what is kept.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from director.models.script_values import Kind, Shown
from director.testing.double import refusals
from director.testing.double.exchange import ParsedRequest, Refusal
from director.testing.double.field_types import (
    FieldRule,
    check_field,
    refuse_field_length,
    refuse_missing_field,
)
from director.testing.double.request_log.block import CacheBlock
from director.testing.double.responses.checks import get_responses_item_kind
from director.testing.double.responses.response_state import (
    Item,
    Shelf,
    get_response_owner,
    unseal_response_content,
)
from director.testing.double.world import World

PREFIXES = {
    "message": "msg",
    "function_call": "fc",
    "function_call_output": "fc",
    "custom_tool_call": "ctc",
    "custom_tool_call_output": "ctc",
    "reasoning": "rs",
    "compaction": "cmp",
}
CALLS = {"function_call": "function call", "custom_tool_call": "custom tool call"}
RESULTS = {f"{kind}_output": words for kind, words in CALLS.items()}
ROLES: dict[str, Kind] = {
    "user": "user",
    "assistant": "agent",
    "system": "system",
    "developer": "system",
}
IMAGE = 3_060


@dataclass(frozen=True, slots=True)
class Rendered:
    """An item as it is shown, the block it is counted as, and whether this request sent it."""

    item: Item
    shown: Shown
    block: CacheBlock
    own: bool


@dataclass(slots=True)
class Pages:
    """The kept items as they were rendered before, by their identity: each is rendered once."""

    rendered: dict[int, Rendered] = field(default_factory=dict)


def read_response_items(body: Mapping[str, object]) -> list[Item]:
    """The items that a request sends; a text is one message of the user."""
    given = body.get("input")
    if isinstance(given, str):
        return [{"type": "message", "role": "user", "content": given}]
    items = given if isinstance(given, list) else []
    return [
        {**item, "type": get_responses_item_kind(item)} for item in items if isinstance(item, dict)
    ]


def resolve_response_items(world: World, asked: ParsedRequest, items: Sequence[Item]) -> list[Item]:
    """The items with references put in place; what was never stored cannot be referred to."""
    shelf, mine, made = world.state(Shelf), get_response_owner(asked), []
    for item in items:
        name = str(item.get("id"))
        whose, known = shelf.items.get(name, ("", None))
        by_name = item["type"] == "item_reference" or (
            item["type"] == "reasoning" and item.get("id") and not item.get("encrypted_content")
        )
        if by_name and known is not None and whose == mine:
            made.append(known)
        elif by_name and world.profile.pairing:
            raise _refuse_unstored(name)
        elif item["type"] != "item_reference":
            made.append(item)
    return made


def _refuse_unstored(name: str) -> Refusal:
    message = (
        f"Item with id '{name}' not found. Items are not persisted when `store` is set to false. "
        "Try again with `store` set to true, or remove this item from your input."
    )
    return refusals.write_openai_refusal("R7", message, status=404, param="input")


def check_own_items(asked: ParsedRequest, items: Sequence[Item]) -> None:
    """Refuse items of this request that are wrong by themselves: ids, seals, a trigger's place."""
    for place, item in enumerate(items):
        where = f"input[{place}]"
        if item["type"] == "compaction_trigger" and place != len(items) - 1:
            message = "Invalid 'input': 'compaction_trigger' must be the last input item."
            raise refusals.write_openai_refusal("R15", message, param="input", code="invalid_value")
        _check_id(item, where)
        if item["type"] == "reasoning" and not (item.get("id") or item.get("encrypted_content")):
            raise refuse_missing_field("R7", f"{where}.id")
        token = item.get("encrypted_content")
        if token is not None:
            _check_seal(asked, str(item["type"]), str(token))


def _check_id(item: Item, where: str) -> None:
    name, prefix = item.get("id"), PREFIXES.get(str(item["type"]))
    if not isinstance(name, str):
        return
    if len(name) > 64:
        raise refuse_field_length("R5", f"{where}.id", name, 64)
    if prefix and not name.startswith(prefix):
        message = f"Invalid '{where}.id': '{name}'. Expected an ID that begins with '{prefix}'."
        raise refusals.write_openai_refusal(
            "R5", message, param=f"{where}.id", code="invalid_value"
        )


def _check_seal(asked: ParsedRequest, kind: str, token: str) -> None:
    content = unseal_response_content(get_response_owner(asked), token)
    if content is None or content.get("kind") != kind:
        short = token if len(token) <= 16 else f"{token[:8]}...{token[-4:]}"
        message = (
            f"The encrypted content {short} could not be verified. "
            "Reason: Encrypted content could not be decrypted or parsed."
        )
        raise refusals.write_openai_refusal("R8", message, code="invalid_encrypted_content")


def check_unique_items(items: Sequence[Item]) -> None:
    """Refuse a context that holds one item twice."""
    seen: set[object] = set()
    for item in items:
        name = item.get("id")
        if name is not None and name in seen:
            message = (
                f"Duplicate item found with id {name}. "
                "Remove duplicate items from your input and try again."
            )
            raise refusals.write_openai_refusal("R5", message, param="input")
        seen.add(name)


def check_reasoning_items(shelf: Shelf, before: Sequence[Item], own: Sequence[Item]) -> None:
    """Refuse replayed reasoning without what followed it, and what followed without reasoning."""
    known = {str(item.get("id")) for item in before}
    for place, item in enumerate(own):
        name = str(item.get("id"))
        known.add(name)
        if item["type"] == "reasoning" and item.get("id"):
            after = own[place + 1] if place + 1 < len(own) else None
            if after is None or not _may_follow(after, shelf.follows.get(name)):
                message = (
                    f"Item '{name}' of type 'reasoning' was provided without its required "
                    "following item."
                )
                raise refusals.write_openai_refusal("R6", message, param="input")
        needed = shelf.needs.get(name)
        if needed and needed not in known:
            message = (
                f"Item '{name}' of type '{item['type']}' was provided without its required "
                f"'reasoning' item: '{needed}'."
            )
            raise refusals.write_openai_refusal("R6", message, param="input")


def _may_follow(item: Item, expected: str | None) -> bool:
    if expected and item.get("id"):
        return item["id"] == expected
    given = item["type"] == "message" and item.get("role") != "assistant"
    return not given and item["type"] not in RESULTS and item["type"] != "compaction_trigger"


def check_item_pairs(items: Sequence[Item]) -> None:
    """Refuse outputs without a call, then the first call without an output."""
    calls: dict[tuple[str, str], None] = {}
    answered: set[tuple[str, str]] = set()
    for item in items:
        kind, call = str(item["type"]), str(item.get("call_id"))
        if kind in CALLS:
            calls[kind, call] = None
        elif kind in RESULTS:
            pair = (kind.removesuffix("_output"), call)
            if pair not in calls:
                message = f"No tool call found for {RESULTS[kind]} output with call_id {call}."
                raise refusals.write_openai_refusal("R4", message, param="input")
            answered.add(pair)
    for kind, call in calls:
        if (kind, call) not in answered:
            message = f"No tool output found for {CALLS[kind]} {call}."
            raise refusals.write_openai_refusal("R3", message, param="input")


def render_response_items(
    world: World, asked: ParsedRequest, before: Sequence[Item], own: Sequence[Item]
) -> list[Rendered]:
    """What a chain or conversation brings, and what a request sends, as they are shown."""
    tools = {
        str(item.get("call_id")): str(item.get("name"))
        for item in (*before, *own)
        if item["type"] in CALLS
    }
    known, made = world.state(Pages).rendered, []
    for item in before:
        found = known.get(id(item))
        if found is None:
            found = known[id(item)] = _render_item(asked, item, tools, own=False)
        made.append(found)
    made += [
        _render_item(asked, item, tools, own=True)
        for item in own
        if item["type"] != "compaction_trigger"
    ]
    return made


def _render_item(
    asked: ParsedRequest, item: Item, tools: Mapping[str, str], *, own: bool
) -> Rendered:
    shown = _show_item(asked, item, tools)
    text = shown.text if item["type"] not in CALLS else shown.tool + shown.text
    return Rendered(item, shown, CacheBlock("history", text + _pictures(item)), own)


def _show_item(asked: ParsedRequest, item: Item, tools: Mapping[str, str]) -> Shown:
    kind, call = str(item["type"]), str(item.get("call_id") or "")
    if kind == "message":
        images = len(_images(item.get("content")))
        role = ROLES.get(str(item.get("role")), "user")
        return Shown(role, read_item_text(item.get("content")), images=images)
    if kind in CALLS:
        said = item.get("arguments") if kind == "function_call" else item.get("input")
        return Shown("call", str(said), str(item.get("name")), call)
    if kind in RESULTS:
        images = len(_images(item.get("output")))
        return Shown(
            "result", read_item_text(item.get("output")), tools.get(call, ""), call, images
        )
    sealed = unseal_response_content(get_response_owner(asked), item.get("encrypted_content")) or {}
    if kind == "reasoning":
        return Shown("thinking", str(sealed.get("text") or read_item_text(item.get("summary"))))
    if kind == "compaction":
        return Shown("compaction", str(sealed.get("text", "")))
    return Shown("other", json.dumps(item, ensure_ascii=False, sort_keys=True))


def read_item_text(content: object) -> str:
    """The text of a content: a text, or parts of which some are."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    found = []
    for part in parts:
        if isinstance(part, dict):
            text = part.get("text", part.get("refusal"))
            found.append(str(text if text is not None else part.get("filename") or ""))
    return "\n".join(each for each in found if each)


def _images(content: object) -> list[Mapping[str, object]]:
    parts = content if isinstance(content, list) else []
    return [part for part in parts if isinstance(part, dict) and part.get("type") == "input_image"]


def _pictures(item: Item) -> str:
    """What stands for an item's images where it is counted: a fixed size for each."""
    images = [*_images(item.get("content")), *_images(item.get("output"))]
    digests = [
        hashlib.sha256(json.dumps(each, sort_keys=True).encode()).hexdigest() for each in images
    ]
    return "".join((digest * 48)[:IMAGE] for digest in digests)


def digest_response_item(item: Item) -> str:
    """What a compaction knows a message by that it left in place."""
    text = f"{item.get('role')}:{read_item_text(item.get('content'))}{_pictures(item)}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def complete_item(world: World, item: Item, key: str) -> Item:
    """An item as it is kept and listed: with an id, a status, and its content in parts."""
    kind, at = str(item["type"]), world.clock.now()
    made = {name: value for name, value in item.items() if value is not None}
    if kind in PREFIXES and "id" not in made:
        made["id"] = world.ids.item(PREFIXES[kind], key, at)
    if kind in CALLS or kind in RESULTS or kind == "message":
        made.setdefault("status", "completed")
    if kind == "message" and isinstance(made.get("content"), str):
        said = made.get("role") == "assistant"
        part: Item = {"type": "output_text" if said else "input_text", "text": made["content"]}
        made["content"] = [part]
    if kind == "message" and isinstance(made["content"], list):
        made["content"] = [
            {"annotations": [], **part} if part.get("type") == "output_text" else part
            for part in made["content"]
        ]
    return made


def page_response_items(items: Sequence[Item], query: Mapping[str, str]) -> Item:
    """A page of a list of items, newest first unless asked otherwise."""
    limit = query.get("limit", "20")
    check_field(
        "limit", int(limit) if limit.lstrip("-").isdigit() else limit, FieldRule((int,), 1, 100)
    )
    order = query.get("order", "desc")
    check_field("order", order, FieldRule((str,), values=("asc", "desc")))
    row = list(items) if order == "asc" else list(reversed(items))
    names = [str(item.get("id")) for item in row]
    after = query.get("after")
    start = names.index(after) + 1 if after in names else 0
    data = row[start : start + int(limit)]
    return {
        "object": "list",
        "data": data,
        "first_id": str(data[0].get("id")) if data else "",
        "last_id": str(data[-1].get("id")) if data else "",
        "has_more": start + int(limit) < len(row),
    }
