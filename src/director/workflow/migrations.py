"""Documents of earlier versions, written anew so that they do what they did. Pure.

What changes is said in a note. Nothing is dropped, and a document of today passes as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from director.workflow.paths import is_list

_ONE_ELEMENT = ("click", "hover", "type", "select", "check", "uncheck", "upload", "drag")
_ONE_ID = re.compile(r"\s*#[\w-]+\s*")


def choose_as_before(document: Mapping[str, Any]) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """A document before version 3: CSS meant the first of several, keys went to the focus."""
    given = document.get("nodes")
    if not is_list(given):
        return document, ()
    nodes = [_choose(node) for node in given]
    first = [
        _alias(new) for old, new in zip(given, nodes, strict=True) if _gained(old, new, "first")
    ]
    keys = [_alias(new) for old, new in zip(given, nodes, strict=True) if _gained(old, new, "page")]
    notes = []
    if first:
        notes.append(
            f"{', '.join(first)}: if several elements match the CSS, the first is taken, as before "
            "(first: true). A run says so when it happens. Name one element, and take it out."
        )
    if keys:
        notes.append(
            f"{', '.join(keys)}: the keys go to whatever has the focus, as before (page: true). "
            "Name the element that is meant in 'selector' instead."
        )
    return {**document, "nodes": nodes}, tuple(notes)


def _choose(node: Any) -> Any:  # noqa: ANN401  a document is checked later
    if not isinstance(node, Mapping) or node.get("type") != "browser_action":
        return node
    config = node.get("config")
    if not isinstance(config, Mapping):
        return node
    if config.get("action") == "keypress" and not {"selector", "page"} & set(config):
        return {**node, "config": {**config, "page": True}}
    if config.get("action") in _ONE_ELEMENT and config.get("nth") is None:
        named = [config.get(name) for name in ("selector", "to")]
        several = [css for css in named if isinstance(css, str) and not _ONE_ID.fullmatch(css)]
        if several and "first" not in config:
            return {**node, "config": {**config, "first": True}}
    return node


def _gained(old: Any, new: Any, field: str) -> bool:  # noqa: ANN401
    return old is not new and field in new["config"] and field not in old["config"]


def _alias(node: Any) -> str:  # noqa: ANN401
    return repr(str(node.get("alias")))
