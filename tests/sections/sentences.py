"""The sentences of a prompt, one by one: what stands in code blocks is left to its own tests."""

from __future__ import annotations

import re

_BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_END = re.compile(
    r"(?<=[.!?])\s+(?=[A-Z`*]|browser_|transform|cognition|iterate|route|handle|context)"
)
_LABEL = re.compile(r"^\*\*[^*]+\.\*\* ")


def sentences(text: str) -> list[str]:
    """Every sentence and every row of a table, on one line each, without headings."""
    found: list[str] = []
    for paragraph in re.split(r"\n\s*\n|\n(?=\d+\. |\| )", _BLOCK.sub("\n\n", text)):
        line = " ".join(paragraph.split())
        if not line or line.startswith("#") or re.fullmatch(r"\|[-| ]+\|?", line):
            continue
        if line.startswith("|"):
            found += [] if line.startswith(("| to know", "|---")) else [line]
            continue
        line = _LABEL.sub("", re.sub(r"^\d+\. ", "", line))
        found += [part.strip() for part in _END.split(line) if part.strip()]
    return found
