"""What to say about a name that does not exist: the ones that do, and the one that was meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from itertools import islice

_MOST = 12
# Comparing takes as long as both names are, times how many there are.
_LONGEST, _COMPARED = 100, 500


def find_nearest(name: str, names: Iterable[str]) -> str:
    """The name that was probably meant, or an empty text."""
    if len(name) > _LONGEST:
        return ""
    short = islice((known for known in names if len(known) <= _LONGEST), _COMPARED)
    by_folded = {known.casefold(): known for known in short}
    found = difflib.get_close_matches(name.casefold(), by_folded, 1, 0.6)
    return by_folded[found[0]] if found else ""


def write_nearest_hint(name: str, names: Iterable[str]) -> str:
    """Two sentences for the end of an error: what was meant and what exists, never endless."""
    known = list(dict.fromkeys(names))
    if not known:
        return " There is none yet."
    meant = find_nearest(name, known)
    says = f" Did you mean {meant!r}?" if meant else ""
    return f"{says} There is: {join_names(known)}."


def join_names(names: Iterable[str]) -> str:
    """Names one after another, the first dozen and how many more."""
    known = list(names)
    shown = ", ".join(name[:_LONGEST] for name in known[:_MOST]) or "nothing"
    return f"{shown} and {len(known) - _MOST} more" if len(known) > _MOST else shown
