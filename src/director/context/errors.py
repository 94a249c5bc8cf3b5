"""Errors, found without a flag: exit codes, tracebacks, words at the start of a line, HTTP status.

Only the first and the last lines of a text are read; a page that speaks about errors is none.
"""

from __future__ import annotations

import re

from director.context.memory import remember

_HEAD, _TAIL = 1_200, 2_500
# All of these read small letters: to ignore the case while searching takes several times as long.
_NAMED = r"(?:[a-z_][\w.]*)?(?:error|exception|timeout|interrupt|refused)"
_ERROR = re.compile(
    r"^\W{0,4}(?:(?:fatal|fail(?:ed|ure)|panic|unhandled|uncaught|aborted|denied|critical)\b"
    r"(?! (?:to|tests?:? 0|: 0|0)\b)"
    r"|(?:an? |the )?(?:\w+ ){0,2}errors?\b(?=\s*[:!\[(]| occurred|\s*$| in | while | at )"
    rf"|{_NAMED}\b(?=\s*[:(]|\s*$| in )"
    r"|traceback \(most recent call last\)"
    r"|(?:[\w./-]+: ){1,3}(?:command not found|no such file|permission denied|cannot )"
    r"|(?:failed|error|e  ) "
    r"|http(?:/[\d.]+)? (?:status )?[45]\d\d\b|status(?: code)?:? [45]\d\d\b)",
    re.MULTILINE,
)
_CODE = re.compile(
    r"(?:exit(?:ed)?(?: with)?(?: code| status)?|return ?code|<returncode>)\W{0,3}"
    r"(?!0\b)-?\d+\b"
)
# Without one of these there is no match: most texts are spared the search.
_SIGNS = (
    *("error", "fail", "exception", "timeout", "fatal", "denied", "refused", "aborted", "panic"),
    *("critical", "unhandled", "uncaught", "interrupt", "traceback", "not found", "no such file"),
    *("cannot ", "http", "status", "e   "),
)
_KEYS = tuple(
    key + quote
    for key in ("rror", "errors", "exception", "traceback", "status", "ode", "success", "ok")
    for quote in "\"'"
)
_KEY = re.compile(
    r"[{,]\s*[\"'](?:error|errors|exception|traceback)[\"']\s*:\s*(?!null|None|false|False|\"\"|''|\[\]|\{\}|0\b)"
    r"|[\"'](?:status|status_code|code|statusCode)[\"']\s*:\s*[45]\d\d\b"
    r"|[\"'](?:success|ok)[\"']\s*:\s*[fF]alse\b|[\"']isError[\"']\s*:\s*[tT]rue\b"
)


def _names_error(text: str) -> bool:
    """Whether a line begins as one that reports an error: only those with a sign are read."""
    for sign in _SIGNS:
        at = text.find(sign)
        while at >= 0:
            if _ERROR.match(text, text.rfind("\n", 0, at) + 1):
                return True
            end = text.find("\n", at)
            at = text.find(sign, end) if end >= 0 else -1
    return False


def _tells_code(text: str) -> bool:
    return ("exit" in text or "return" in text) and _CODE.search(text) is not None


@remember
def is_error(text: str) -> bool:
    """Whether a result reports that something went wrong."""
    if len(text) > _HEAD + _TAIL:
        text = f"{text[:_HEAD]}\n{text[-_TAIL:]}"
    low = text.lower()
    return (
        _tells_code(low)
        or _names_error(low)
        or (any(key in text for key in _KEYS) and _KEY.search(text) is not None)
    )


def error_line(line: str) -> bool:
    """Whether one line of a text reports an error."""
    line = line[:300].lower()
    return _ERROR.match(line) is not None or _tells_code(line)
