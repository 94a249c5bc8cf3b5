"""The text of a summary as people read it: where a model wrote JSON, headings and lists.

What is stored and sent stays as it was written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard

# At most one line leads to the JSON, which may stand in a fence.
_LEAD = re.compile(r"\s*(?:(?P<lead>(?!```)[^\n{}]{1,200})\n)?\s*(?:```(?:json)?)?\s*(?=\{)")
# What ends a line of JSON, and the citation that every line of a summary is given.
_CITED = re.compile(r"(?P<ends>\"?,?) (?P<turns>\[\d+(?:, \d+)*\])$")
_END = re.compile(r"[ \t]*(?:\n\s*```[ \t]*)?(?:\n|$)")


def write_summary_markdown(text: str) -> str:
    """The text as Markdown; one that is no JSON as it is."""
    lines = text.splitlines()
    whole = "\n".join(_CITED.sub(_cite_inside, line) for line in lines)
    lead = _LEAD.match(whole)
    if lead is None:
        return text
    try:
        value, end = json.JSONDecoder().raw_decode(whole, lead.end())
    except ValueError:
        return text
    after = _END.match(whole, end)
    if not isinstance(value, Mapping) or not value or after is None:
        return text
    rest = "\n".join(lines[whole[: after.end()].rstrip("\n").count("\n") + 1 :]).strip()
    parts = [lead["lead"], *(_section(str(name), one) for name, one in value.items()), rest]
    return "\n\n".join(part for part in parts if part)


def _cite_inside(found: re.Match[str]) -> str:
    """A citation that was put behind a line of JSON, within the text of that line if it has one."""
    return f" {found['turns']}{found['ends']}" if found["ends"].startswith('"') else found["ends"]


def _section(name: str, value: object) -> str:
    return f"### {_title(name)}\n\n{_block(value)}"


def _title(name: str) -> str:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|[_-]+", " ", name).strip()
    return words[:1].upper() + words[1:] if words else name


def _block(value: object) -> str:
    """What stands under a heading: items as a list, anything else as a paragraph."""
    if isinstance(value, Mapping):
        return "\n".join(f"- **{_title(str(name))}**: {_line(one)}" for name, one in value.items())
    if _is_list(value):
        return "\n".join(f"- {_line(one)}" for one in value) or "None."
    return _line(value)


def _line(value: object) -> str:
    """A value in one line."""
    if isinstance(value, Mapping):
        return "; ".join(_write_pairs(value))
    if _is_list(value):
        return ", ".join(_line(one) for one in value) or "none"
    if value is None or value == "":
        return "none"
    return " ".join(str(value).split()) if isinstance(value, str) else json.dumps(value)


def _write_pairs(value: Mapping[object, object]) -> Iterator[str]:
    return (f"{_title(str(name)).lower()}: {_line(one)}" for name, one in value.items())


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, list | tuple)
