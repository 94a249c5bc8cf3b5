"""Facts as they stand in texts: `key=value`. Pure functions of the context.

Only what is visible counts: this is how it is decided, without a model, what a shortened history
still tells.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from director.models.script_values import Seen

KEY = r"[A-Za-z_][\w-]*(?:\.[\w-]+)*"
_FACT = re.compile(rf'(?<![\w.-])({KEY})=(?:"([^"\n]*)"|([^\s,;"]+))')
_ASKED = re.compile(
    rf"\bwhat is (?:the )?({KEY})\s*\?|\bask:[ \t]*({KEY}(?:,[ \t]*{KEY})*)", re.IGNORECASE
)
_TOLD_IN = frozenset({"system", "user", "agent", "result", "compaction"})


def find_text_facts(text: str) -> dict[str, str]:
    """The facts of one text; of several values the last."""
    return {
        key: quoted or plain.rstrip(".:!?)]}'")
        for key, quoted, plain in _FACT.findall(text)
        if quoted or plain
    }


def list_visible_facts(seen: Seen) -> dict[str, str]:
    """All facts of a context, each with its newest value."""
    told = find_text_facts(seen.instructions)
    for item in seen.items:
        if item.kind in _TOLD_IN:
            told |= find_text_facts(item.text)
    return told


def find_fact_questions(text: str) -> list[str]:
    """The keys that a text asks for, as `What is KEY?` or `ask: KEY, KEY`."""
    keys = [
        key.strip()
        for single, several in _ASKED.findall(text)
        for key in (single or several).split(",")
    ]
    return list(dict.fromkeys(keys))


def score_facts(truth: Mapping[str, str], answers: Iterable[str]) -> float:
    """The share of the facts in `truth` that the answers tell right; a later answer counts."""
    told: dict[str, str] = {}
    for answer in answers:
        told |= find_text_facts(answer)
    right = [key for key, value in truth.items() if told.get(key) == value]
    return len(right) / len(truth) if truth else 1.0


def write_facts(keys: Sequence[str], known: Mapping[str, str]) -> str:
    """Facts as a text that can be read back."""
    return "\n".join(f"{key}={_quote(known[key])}" for key in keys)


def _quote(value: str) -> str:
    return value if find_text_facts(f"k={value}").get("k") == value else f'"{value}"'
