"""Regular expressions that a workflow or a model wrote: matched without ever holding the program.

The meaning is that of Python's `re`. Where RE2 gives the same answer it gives it, in time that
grows with the text only. What RE2 does not know (look-around, back-references) or reads in
another way goes to a program of its own, which is ended when its time is over. No such pattern is
matched by Python's `re` in this process.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import re
import subprocess
import sys
import threading
from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import unquote, unquote_plus

from director.workflow.values import WorkflowError

LONGEST = 300  # characters of a pattern
SECONDS = 0.5  # of work that the worker may spend on one question
_PATIENCE = 30.0  # seconds until a worker that does not keep its own time is ended
_TEXT = 5_000_000  # characters of all texts together
_WORK = 20_000_000  # instructions of RE2 times characters: about half a second
_MEMORY = 2 << 20  # bytes that RE2 may use for one pattern
# What RE2 reads in another way than Python, or reads and Python does not.
_DIFFERS = re.compile(
    r"\\[0-9BCEPQXpz]|\\x\{|\[:"  # escapes and named classes
    r"|\{(?!\d+(?:,\d*)?\})"  # {,n}, and braces that are meant as they stand
    r"|\(\?(?![ims]*[:)]|[ims]*-[ims]+:)|.\(\?[ims]*\)"  # groups, flags not at the head
    r"|[*+?}][*+{]|[*+?}]\?[*+?{]|(?:\\[bA]|[\^$]|\(\?[ims]*\))[*+?{]",  # what is repeated
    re.DOTALL,
)
# Classes, boundaries, letter case and line ends: the same in both only for plain texts.
_DEPENDS = re.compile(r"\\[A-Za-z]|\(\?|\$")
_PROGRAM = str(Path(__file__).with_name("pattern_worker.py"))
_PLAIN = re.compile(r"[\t\n\r\x20-\x7e]*")


class PatternError(WorkflowError):
    """A pattern that cannot be read, or was ended because it took too long."""


def check_pattern(pattern: str) -> None:
    """Refuse what is no pattern; what it matches is not tried."""
    if len(pattern) > LONGEST:
        raise PatternError(
            f"the regular expression has {len(pattern):,} characters and may have {LONGEST}. "
            "Shorten it, or compare a plain text."
        )
    if not _DIFFERS.search(pattern) and _compile(pattern, ignore_case=False) is not None:
        return
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as problem:
        raise PatternError(f"this is no regular expression: {problem}.") from None


def search_pattern_in_texts(
    pattern: str, texts: Sequence[str], *, ignore_case: bool = False
) -> list[bool]:
    """Whether the pattern is found in each text. It may wait: never call it on the event loop."""
    check_pattern(pattern)
    if sum(map(len, texts)) > _TEXT:
        raise PatternError(
            f"the texts have more than {_TEXT:,} characters, too many for a regular expression. "
            "Nothing was matched: look at less."
        )
    compiled = None if _DIFFERS.search(pattern) else _compile(pattern, ignore_case=ignore_case)
    if compiled is None or compiled.programsize * sum(map(len, texts)) > _WORK:
        return _WORKER.search(pattern, texts, ignore_case=ignore_case)
    depends = ignore_case or bool(_DEPENDS.search(pattern))
    strange = {at for at, text in enumerate(texts) if not _same(text, pattern, depends=depends)}
    found = [at not in strange and bool(compiled.search(text)) for at, text in enumerate(texts)]
    if strange:
        places = sorted(strange)
        rest = _WORKER.search(pattern, [texts[at] for at in places], ignore_case=ignore_case)
        for at, holds in zip(places, rest, strict=True):
            found[at] = holds
    return found


async def search_pattern_in_text(pattern: str, text: str) -> bool:
    """Whether the pattern is found in a text, without holding the event loop."""
    return (await asyncio.to_thread(search_pattern_in_texts, pattern, [text]))[0]


def matches_glob_pattern(pattern: str, text: str) -> bool:
    """Whether a text matches, where `*` is any run and every other letter is itself."""
    first, *rest = pattern.split("*")
    if not rest:
        return text == pattern
    *middle, last = rest
    if len(text) < len(first) + len(last):
        return False
    if not (text.startswith(first) and text.endswith(last)):
        return False
    at, end = len(first), len(text) - len(last)
    for piece in middle:
        found = text.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def matches_address_pattern(pattern: str, address: str) -> bool:
    """Whether an address matches as it is, or with its encoded letters read: "+" and "%20" too."""
    path, mark, query = address.partition("?")
    read = f"{unquote(path)}{mark}{unquote_plus(query)}"
    return matches_glob_pattern(pattern, address) or matches_glob_pattern(pattern, read)


def _same(text: str, pattern: str, *, depends: bool) -> bool:
    """Whether both engines give the same answer for this text."""
    if depends:
        line_end = "$" in pattern and text.endswith("\n")
        return not line_end and _PLAIN.fullmatch(text) is not None
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


@lru_cache(maxsize=256)
def _compile(pattern: str, *, ignore_case: bool) -> Any:  # noqa: ANN401  re2 has no types
    """The pattern for RE2, or None if RE2 is not installed or does not know what it says."""
    re2 = _load_re2()
    if re2 is None:
        return None
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    options.case_sensitive = not ignore_case
    try:
        return re2.compile(pattern, options)
    except (re2.error, UnicodeEncodeError):
        return None


@lru_cache(maxsize=1)
def _load_re2() -> Any:  # noqa: ANN401  the same
    try:
        return import_module("re2")
    except ImportError:
        return None


class _Worker:
    """One program that matches with Python's `re`: started when needed, ended when it is late."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._program: subprocess.Popen[str] | None = None

    def search(self, pattern: str, texts: Sequence[str], *, ignore_case: bool) -> list[bool]:
        """Whether the pattern is found in each text."""
        asked = json.dumps([pattern, ignore_case, list(texts)])
        with self._lock:
            program = self._start()
            late = threading.Timer(_PATIENCE, program.kill)
            late.start()
            answer = self._ask(program, asked)
            late.cancel()
            if not answer:
                self.close()
        if not answer:
            raise PatternError(
                f"the regular expression {pattern!r} did not end within {SECONDS:g} s of work and "
                "was stopped. Nothing was changed. Write it without a repetition inside a "
                "repetition, such as (a+)+, or compare a plain text."
            )
        found = json.loads(answer)
        if isinstance(found, str):
            raise PatternError(f"this is no regular expression: {found}.")
        return [bool(each) for each in found]

    def close(self) -> None:
        """End the program; the next search starts another."""
        program, self._program = self._program, None
        if program is not None:
            program.kill()
            program.communicate()

    def _start(self) -> subprocess.Popen[str]:
        if self._program is None or self._program.poll() is not None:
            self.close()
            self._program = subprocess.Popen(  # noqa: S603  our own file
                [sys.executable, "-I", "-S", _PROGRAM, str(SECONDS)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                encoding="ascii",
            )
        return self._program

    @staticmethod
    def _ask(program: subprocess.Popen[str], asked: str) -> str:
        if program.stdin is None or program.stdout is None:
            return ""
        try:
            program.stdin.write(f"{asked}\n")
            program.stdin.flush()
            return program.stdout.readline()
        except (BrokenPipeError, ValueError):
            return ""


_WORKER = _Worker()
atexit.register(_WORKER.close)
