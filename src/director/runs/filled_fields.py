"""The fields that a run filled before it sent a form: by which names a page may show them again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from director.runs.run_text import write_selector_text
from director.runs.values import Step
from director.workflow.paths import is_list
from director.workflow.values import Config, Json

_LONGEST = 80  # letters of a text that a page shows as it is
_FILLS = ("type", "set", "select")
_IN_CSS = re.compile(r"#([\w-]+)|\[(?:name|id|aria-label)[*^$~|]?=[\"']?([^\"'\]]+)")
_MARKUP = re.compile(r"[*_`<>{}\[\]\n]|''|==")
_NO_TEXT = ("true", "false", "yes", "no", "on", "off")


def name_filled_fields(steps: Iterable[Step]) -> list[Config]:
    """The fields that steps filled with a plain text, with the names that they go by."""
    found: dict[str, Config] = {}
    for step in steps:
        config = step.config
        if config.get("action") not in _FILLS:
            continue
        typed = str(config.get("label") or config.get("text") or "").strip()
        if config.get("action") == "set":
            typed = str(config.get("value") or "").strip()
        names = [*_list_names(config.get("selector"))]
        field = write_selector_text(config.get("selector"))
        found.pop(field, None)
        if names and _is_plain(typed):
            found[field] = {"field": field, "names": names, "typed": typed}
    return list(found.values())


def list_shown_again(step: Step) -> list[Config]:
    """The fields that a page may show after an effect: those that were filled, and all others.

    Without a filled one nothing would tell its entry from another.
    """
    seen = step.observed or {}
    named = _objects(seen.get("named"))
    return [*named, *_objects(seen.get("kept_fields"))] if named else []


def list_unseen_filled_fields(step: Step) -> list[str]:
    """The fields whose text the page after an effect does not show, where it shows another's."""
    seen = step.observed or {}
    texts = seen.get("texts_shown")
    shown = {str(each).casefold() for each in texts} if is_list(texts) else set()
    pairs = seen.get("fields")
    known = {str(each["field"]) for each in _objects(pairs)}
    named = [each for each in _objects(seen.get("named")) if str(each["field"]) not in known]
    if not shown or seen.get("is_login") or not seen.get("sent"):
        return []
    return [str(each["field"]) for each in named if str(each["typed"]).casefold() not in shown]


def _objects(value: Json) -> list[Config]:
    listed = value if is_list(value) else ()
    return [each for each in listed if isinstance(each, Mapping)]


def _is_plain(text: str) -> bool:
    """Whether a page that keeps a text shows it as it was typed."""
    is_short = 1 < len(text) <= _LONGEST and text.casefold() not in _NO_TEXT
    return is_short and not _MARKUP.search(text)


def _list_names(selector: Json) -> Sequence[str]:
    if isinstance(selector, Mapping):
        given = [selector.get(name) for name in ("label", "name", "placeholder", "text")]
        inner = [str(selector.get(name) or "") for name in ("css", "path")]
        return [str(each) for each in given if each] + [
            n for css in inner for n in _list_names(css)
        ]
    found = _IN_CSS.findall(str(selector or ""))[-1:]
    return [name for pair in found for name in pair if name]
