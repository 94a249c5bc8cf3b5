"""Documents of earlier versions, written anew so that they do what they did. Pure.

What changes is said in a note. Nothing is dropped, and a document of today passes as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from director.workflow.doubt_checks import DoubtKind
from director.workflow.paths import is_list
from director.workflow.values import Config, Json

_ONE_ELEMENT = ("click", "hover", "type", "select", "check", "uncheck", "upload", "drag")
_ONE_ID = re.compile(r"\s*#[\w-]+\s*")


def choose_before_migration(document: Config) -> tuple[Config, tuple[str, ...]]:
    """A document before version 3: CSS meant the first of several, keys went to the focus."""
    given = document.get("nodes")
    if not is_list(given):
        return document, ()
    nodes = [_choose(node) for node in given]
    pairs = list(zip(given, nodes, strict=True))
    first = [_alias(new) for old, new in pairs if _has_gained(old, new, "first")]
    keys = [_alias(new) for old, new in pairs if _has_gained(old, new, "page")]
    notes = []
    if first:
        notes.append(
            f"{', '.join(first)}: if several elements match the CSS, the first is taken, as before "
            "(first: true). A run in which it happens is doubted. Name one element and take it out."
        )
    if keys:
        notes.append(
            f"{', '.join(keys)}: the keys go to whatever has the focus, as before (page: true). "
            "Its runs are doubted. Name the element that is meant in 'selector' instead."
        )
    return {**document, "nodes": nodes}, tuple(notes)


def _choose(node: Json) -> Json:
    if not isinstance(node, Mapping) or node.get("type") != "browser_action":
        return node
    config = node.get("config")
    if not isinstance(config, Mapping):
        return node
    if config.get("action") == "keypress" and not {"selector", "page"} & set(config):
        return _add_doubt_check({**node, "config": {**config, "page": True}}, "focus")
    if config.get("action") in _ONE_ELEMENT and config.get("nth") is None:
        named = [config.get(name) for name in ("selector", "to")]
        several = [css for css in named if isinstance(css, str) and not _ONE_ID.fullmatch(css)]
        if several and "first" not in config:
            return _add_doubt_check({**node, "config": {**config, "first": True}}, "several")
    return node


def _add_doubt_check(node: Config, kind: DoubtKind) -> Config:
    """The node with a check that its runs are doubted by, until a person says that it is right."""
    checks = node.get("checks")
    return {**node, "checks": [*(checks if is_list(checks) else ()), {"kind": kind}]}


def _has_gained(old: Json, new: Json, field: str) -> bool:
    return old is not new and field in _config(new) and field not in _config(old)


def _config(node: Json) -> Config:
    config = node.get("config") if isinstance(node, Mapping) else None
    return config if isinstance(config, Mapping) else {}


def _alias(node: Json) -> str:
    return repr(str(node.get("alias"))) if isinstance(node, Mapping) else ""
