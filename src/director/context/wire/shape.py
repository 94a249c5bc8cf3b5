"""The shape of foreign payloads: mappings or objects, read by duck typing and never changed.

Everything here accepts any object and never raises. A payload is never modified: what has to
differ is a shallow copy, and all that was not named keeps its identity.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

_TEXTS = {"text": "text", "input_text": "text", "output_text": "text", "refusal": "refusal"}
_IMAGES = frozenset({"image", "image_url", "input_image", "output_image", "computer_screenshot"})
_BARE = (str, bytes, bytearray, int, float, complex, list, tuple, set, frozenset)


def is_message(value: object) -> bool:
    """Whether a value can be a message at all: a mapping or an object, not a bare value."""
    return value is not None and not isinstance(value, _BARE)


def peek(value: object, name: str) -> object:
    """The field of a mapping or the attribute of an object, None if it has none."""
    if type(value) is dict:  # nearly always, and far quicker than asking for the protocol
        return value.get(name)
    if isinstance(value, Mapping):
        return value.get(name)
    try:
        return getattr(value, name, None)
    except Exception:  # noqa: BLE001 - a foreign property may raise anything, reading must not
        return None


def is_langchain(value: object) -> bool:
    """Whether a value is a message object of LangChain."""
    return not isinstance(value, Mapping) and peek(value, "additional_kwargs") is not None


def word(value: object, name: str) -> str:
    """The field as text, empty if it is missing or no text."""
    found = peek(value, name)
    return found if isinstance(found, str) else ""


def ident(value: object, name: str) -> str:
    """The field as an identifier: text as it is, a number as its digits, otherwise empty."""
    found = peek(value, name)
    return str(found) if isinstance(found, str | int) else ""


def blocks(content: object) -> Sequence[object]:
    """The blocks of a content that is a list, otherwise none."""
    return content if isinstance(content, list | tuple) else ()


def present(value: object) -> bool:
    """Whether a field holds anything: neither missing nor an empty text or list."""
    return value is not None and not (isinstance(value, str | list | tuple | dict) and not value)


def as_json(value: object) -> str:
    """The JSON text of a value; a value JSON cannot hold is described, never refused."""
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        return "{}"


def as_object(text: str) -> dict[str, object]:
    """The object that an arguments text stands for; any other text becomes its only field."""
    try:
        found: object = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        found = text
    return found if isinstance(found, dict) else {"input": found}


def text_field(block: object) -> str | None:
    """The name of the field that holds the visible text of a block, if it has any."""
    kind = peek(block, "type")
    if kind is None and isinstance(block, Mapping) and isinstance(block.get("text"), str):
        return "text"
    field = _TEXTS.get(kind) if isinstance(kind, str) else None
    return field if field and isinstance(peek(block, field), str) else None


def is_image(block: object) -> bool:
    """Whether a block is an image."""
    return word(block, "type") in _IMAGES


def block_text(block: object) -> str | None:
    """The visible text of a block, None if the block is not text."""
    if isinstance(block, str):
        return block
    field = text_field(block)
    return None if field is None else word(block, field)


def look(content: object) -> tuple[str, int]:
    """The visible text of a content, its blocks joined by line ends, and how many images."""
    if isinstance(content, str):
        return content, 0
    parts = (content,) if isinstance(content, Mapping) else blocks(content)
    texts = [text for text in map(block_text, parts) if text is not None]
    return "\n".join(texts), sum(map(is_image, parts))


def alter(value: object, changes: Mapping[str, object], without: Sequence[str] = ()) -> object:
    """A shallow copy with some fields changed and some removed.

    An object of a provider's library becomes the mapping it is sent as, because a field set to
    None would be sent as null; one that is a message of LangChain stays one.
    """
    copy = peek(value, "model_copy")
    if is_langchain(value) and callable(copy):
        made: object = copy(update={**changes, **dict.fromkeys(without)})
        return made
    fields = {**_fields(value), **changes}
    return {name: field for name, field in fields.items() if name not in without}


def _fields(value: object) -> Mapping[str, object]:
    if isinstance(value, Mapping):
        return value
    dump = peek(value, "model_dump")
    found: object = dump(mode="json", exclude_unset=True) if callable(dump) else None
    held = found if isinstance(found, Mapping) else peek(value, "__dict__")
    return held if isinstance(held, Mapping) else {}


def retext(content: object, text: str, *, images: bool, kind: str = "text") -> object:
    """The content with its visible text replaced: one text block where the first one stood.

    Images stay only if asked for; a cache mark of a removed text block moves to the one that
    stays, so that there are never more of them.
    """
    if isinstance(content, Mapping):
        return content
    if not isinstance(content, list | tuple):
        return text
    kept: list[object] = []
    mark = _cache_mark(content)
    done = not text
    for block in content:
        if block_text(block) is not None:
            if not done:
                kept.append(_retext_block(block, text, mark))
            done = True
        elif images or not is_image(block):
            kept.append(block)
    if not done:
        kept.insert(0, {"type": kind, "text": text})
    return kept or ""


def _cache_mark(content: Sequence[object]) -> object:
    texts = (block for block in content if block_text(block) is not None)
    marks = [mark for mark in (peek(block, "cache_control") for block in texts) if mark]
    return marks[-1] if marks else None


def _retext_block(block: object, text: str, mark: object) -> object:
    field = text_field(block)
    if field is None:
        return text
    return alter(block, {field: text} | ({"cache_control": mark} if mark else {}))
