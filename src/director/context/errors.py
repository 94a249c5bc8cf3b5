"""Errors, found without a flag: exit codes, tracebacks, words at the start of a line, HTTP status.

Only the first and the last lines of a text are read; a page that speaks about errors is none.
"""

from __future__ import annotations

import re

from director.context.memory import remember

_HEAD, _TAIL = 1_200, 2_500
_NAMED = r"(?:[A-Za-z_][\w.]*)?(?:Error|Exception|Timeout|Interrupt|Refused)"
_ERROR = re.compile(
    r"^\W{0,4}(?:(?:fatal|fail(?:ed|ure)|panic|unhandled|uncaught|aborted|denied|critical)\b"
    r"(?! (?:to|tests?:? 0|: 0|0)\b)"
    r"|(?:an? |the )?(?:\w+ ){0,2}errors?\b(?=\s*[:!\[(]| occurred|\s*$| in | while | at )"
    rf"|{_NAMED}\b(?=\s*[:(]|\s*$| in )"
    r"|Traceback \(most recent call last\)"
    r"|(?:[\w./-]+: ){1,3}(?:command not found|No such file|Permission denied|cannot )"
    r"|(?:FAILED|ERROR|E  ) "
    r"|HTTP(?:/[\d.]+)? (?:status )?[45]\d\d\b|status(?: code)?:? [45]\d\d\b)",
    re.MULTILINE | re.IGNORECASE,
)
_CODE = re.compile(
    r"(?:exit(?:ed)?(?: with)?(?: code| status)?|return ?code|<returncode>)\W{0,3}"
    r"(?!0\b)-?\d+\b",
    re.IGNORECASE,
)
_KEY = re.compile(
    r"[{,]\s*[\"'](?:error|errors|exception|traceback)[\"']\s*:\s*(?!null|None|false|False|\"\"|''|\[\]|\{\}|0\b)"
    r"|[\"'](?:status|status_code|code|statusCode)[\"']\s*:\s*[45]\d\d\b"
    r"|[\"'](?:success|ok)[\"']\s*:\s*[fF]alse\b|[\"']isError[\"']\s*:\s*[tT]rue\b"
)


@remember
def is_error(text: str) -> bool:
    """Whether a result reports that something went wrong."""
    if len(text) > _HEAD + _TAIL:
        text = f"{text[:_HEAD]}\n{text[-_TAIL:]}"
    return bool(_CODE.search(text) or _ERROR.search(text) or _KEY.search(text))


def error_line(line: str) -> bool:
    """Whether one line of a text reports an error."""
    return bool(_ERROR.match(line[:300]) or _CODE.search(line[:300]))
