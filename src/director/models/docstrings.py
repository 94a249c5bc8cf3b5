"""What a docstring says of a function: its first paragraph, and each parameter.

Google, Sphinx and NumPy sections are read; what is in no such form is left alone.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

_GOOGLE = re.compile(r"(?:Args|Arguments|Parameters|Attributes):")
_NUMPY = re.compile(r"(?:Parameters|Other Parameters|Attributes)")
_UNDERLINE = re.compile(r"-{3,}\s*")
_GOOGLE_ENTRY = re.compile(r"\*{0,2}(?P<name>\w+)\s*(?:\([^)]*\))?\s*:\s*(?P<text>.*)")
_NUMPY_ENTRY = re.compile(r"(?P<names>\*{0,2}\w+(?:\s*,\s*\w+)*)\s*(?::.*)?")
_SPHINX_ENTRY = re.compile(
    r":(?:param|parameter|arg|argument|key|var|ivar)\s+(?:[^:]*\s)?\*{0,2}(?P<name>\w+)\s*:"
    r"\s*(?P<text>.*)"
)


def parse_docstring(doc: str | None) -> tuple[str, dict[str, str]]:
    """The first paragraph in one line, and the description of each parameter by its name."""
    lines = inspect.cleandoc(doc or "").splitlines()
    described: dict[str, str] = {}
    for name, text in (*_google(lines), *_numpy(lines), *_sphinx(lines)):
        described.setdefault(name, " ".join(text.split()))
    return _summary(lines), {name: text for name, text in described.items() if text}


def _summary(lines: list[str]) -> str:
    said: list[str] = []
    for at, line in enumerate(lines):
        ends = not line.strip() or line.startswith(":") or _is_heading(lines, at)
        if ends:
            break
        said.append(line.strip())
    return " ".join(said)


def _is_heading(lines: list[str], at: int) -> bool:
    google = _GOOGLE.fullmatch(lines[at].strip()) is not None
    return google or (at + 1 < len(lines) and _UNDERLINE.fullmatch(lines[at + 1]) is not None)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _google(lines: list[str]) -> Iterator[tuple[str, str]]:
    for at, line in enumerate(lines):
        if _indent(line) == 0 and _GOOGLE.fullmatch(line.strip()):
            yield from _google_entries(_block(lines, at + 1))


def _block(lines: list[str], start: int) -> list[str]:
    """The indented lines after a heading."""
    block: list[str] = []
    for line in lines[start:]:
        if line.strip() and _indent(line) == 0:
            break
        block.append(line)
    return block


def _google_entries(block: list[str]) -> Iterator[tuple[str, str]]:
    written = [line for line in block if line.strip()]
    margin = min(map(_indent, written), default=0)
    name, text = "", ""
    for line in written:
        entry = _GOOGLE_ENTRY.fullmatch(line.strip()) if _indent(line) == margin else None
        if entry is None:
            text += f" {line.strip()}"
            continue
        yield from _yield_named(name, text)
        name, text = entry["name"], entry["text"]
    yield from _yield_named(name, text)


def _yield_named(name: str, text: str) -> Iterator[tuple[str, str]]:
    if name:
        yield name, text


def _numpy(lines: list[str]) -> Iterator[tuple[str, str]]:
    for at, line in enumerate(lines[:-1]):
        if _NUMPY.fullmatch(line.strip()) and _UNDERLINE.fullmatch(lines[at + 1]):
            yield from _numpy_entries(lines, at + 2)


def _numpy_entries(lines: list[str], start: int) -> Iterator[tuple[str, str]]:
    names: list[str] = []
    text = ""
    for at in range(start, len(lines)):
        line = lines[at]
        if line.strip() and _indent(line) == 0:
            yield from ((name, text) for name in names)
            entry = _NUMPY_ENTRY.fullmatch(line)
            if entry is None or _is_heading(lines, at):
                return
            names = [name.strip(" *") for name in entry["names"].split(",")]
            text = ""
        else:
            text += f" {line.strip()}"
    yield from ((name, text) for name in names)


def _sphinx(lines: list[str]) -> Iterator[tuple[str, str]]:
    name, text = "", ""
    for line in lines:
        entry = _SPHINX_ENTRY.fullmatch(line.strip())
        if entry is None and name and line.strip() and not line.strip().startswith(":"):
            text += f" {line.strip()}"
            continue
        yield from _yield_named(name, text)
        name, text = (entry["name"], entry["text"]) if entry else ("", "")
    yield from _yield_named(name, text)
