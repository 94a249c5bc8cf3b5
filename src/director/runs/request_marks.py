"""What tells one entry in a form from another: a hash of all that a request carries but tokens.

Two requests with the same mark ask the site for the same, though each has a token of its own. The
values themselves are not kept, and secrets are taken out before.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from urllib.parse import parse_qsl

_TOKEN_NAME = re.compile(
    r"csrf|xsrf|token|nonce|authenticity|viewstate|eventvalidation|formhash|sectok|signature"
    r"|timestamp|captcha|(?:request|form|build|session)[_-]?id$",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9+/=_.~-]{20,}")
_PART = re.compile(r'content-disposition:[^\r\n]*?\bname="([^"]*)"', re.IGNORECASE)
_DEEPEST = 12  # levels of a body that are told apart


def mark_request(body: bytes, typed: Collection[str], clean: Callable[[str], str]) -> str:
    """The mark of a request's body; tokens are left out, unless one of them was typed."""
    found = sorted(
        (name, clean(value))
        for name, value in _list_fields(body.decode("utf-8", "replace"))
        if value in typed or not (_TOKEN_NAME.search(name) or _TOKEN.fullmatch(value))
    )
    return hashlib.sha256(json.dumps(found).encode()).hexdigest()[:32]


def _list_fields(text: str) -> Iterator[tuple[str, str]]:
    """The fields of a form or a document; a body of another kind is one field."""
    if text.lstrip()[:1] in ("{", "["):
        try:
            yield from _flatten(json.loads(text), "", _DEEPEST)
        except (ValueError, RecursionError):
            yield "", text
    elif text.startswith("--"):
        boundary = text.partition("\r\n")[0]
        for part in text.split(boundary):
            head, _, content = part.partition("\r\n\r\n")
            if named := _PART.search(head):
                yield named[1], content.removesuffix("\r\n")
    elif "=" in text:
        yield from parse_qsl(text, keep_blank_values=True)
    else:
        yield "", text


def _flatten(value: object, path: str, depth: int) -> Iterator[tuple[str, str]]:
    if depth and isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _flatten(inner, f"{path}.{name}", depth - 1)
    elif depth and isinstance(value, Sequence) and not isinstance(value, str):
        for at, inner in enumerate(value):
            yield from _flatten(inner, f"{path}[{at}]", depth - 1)
    else:
        yield path, value if isinstance(value, str) else json.dumps(value)
