"""The program that matches a pattern with Python's `re`, and ends itself when it is late.

It is started by its path and imports nothing of the project. Each line of input is one question,
each line of output its answer: a list of truth values, or what is wrong with the pattern.
"""

from __future__ import annotations

import json
import re
import signal
import sys
import warnings
from contextlib import suppress

_MEMORY = 512 << 20


def answer_pattern_request(line: str) -> list[bool] | str:
    """Whether the pattern is found in each text, or why it cannot be read."""
    pattern, ignore_case, texts = json.loads(line)
    try:
        compiled = re.compile(pattern, re.IGNORECASE if ignore_case else 0)
        return [compiled.search(text) is not None for text in texts]
    except (re.error, OverflowError, RecursionError, MemoryError) as problem:
        return str(problem) or type(problem).__name__


def main() -> None:
    """Answer until the input ends, within the memory that is allowed."""
    with suppress(ImportError, ValueError):  # not on every system
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        _limit(float(sys.argv[1]))
        sys.stdout.write(f"{json.dumps(answer_pattern_request(line))}\n")
        sys.stdout.flush()


def _limit(seconds: float) -> None:
    """End this program after so much work; the time of a busy machine does not count."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)


if __name__ == "__main__":
    main()
