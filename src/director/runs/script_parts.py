"""The parts of a script that are the same in all: how it finds, acts, waits and keeps.

A script that uses bundles carries the model of a page and the vote as they are in Director, so that
both find the same elements.
"""

from __future__ import annotations

import inspect
from functools import cache
from importlib.resources import files

from director.browser import (
    bundle_standing,
    bundle_vote,
    element_likeness,
    field_kinds,
    list_items,
)
from director.browser.bundle import Bundle, Holder, Inner
from director.browser.collection import SCROLL
from director.browser.element_portraits import load_portraits_script as model_script
from director.browser.list_claims import read_list_script
from director.runs.doubts import page_claims, row_counts
from director.runs.doubts.doubt import (
    Doubt,
    RowReading,
    RowVisit,
    dismissals_of,
    is_blank,
    is_dismissed,
    name_of,
)
from director.runs.held_before import DIGEST
from director.workflow import css_values
from director.workflow.doubt_checks import is_doubt_check_by_model

_LATE = "from __future__ import annotations\n\n"
_BUNDLE_IMPORTS = """import difflib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias
from urllib.parse import quote

"""
_ROW_IMPORTS = """from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice, pairwise
from urllib.parse import parse_qsl, urlencode, urlsplit

"""
_NO_ROWS = """def row_doubts():
    \"\"\"No list was read.\"\"\"
    return ()
"""
_ROW_CLASSES = (Doubt, RowVisit, RowReading)
_ROW_FUNCTIONS = (is_doubt_check_by_model, is_dismissed, dismissals_of, is_blank, name_of)
_PREPARE = """    playwright.selectors.register("director", MODEL, content_script=True)
"""
_WATCH = """    context.add_init_script(CLICKS)
"""

_FIELDS = ("KIND", "HAS_PICKER", "SHOWN", "RANGE_NOW", "RANGE_FOCUS", "OPTION")


def read_script_part(name: str) -> str:
    """A part as it is written."""
    return (files("director.runs") / name).read_text(encoding="utf-8")


@cache
def write_script_head(*, bundles: bool, rows: bool = True) -> str:
    """What comes before the nodes; with what finds bundles and doubts lists if there are any."""
    head = read_script_part("script_head.txt").rstrip("\n")
    for mark, text in (
        ("@EXTRACT@", _browser("extract.js")),
        ("@SCROLL@", SCROLL),
        ("@DIGEST@", DIGEST),
        ("@GATHERING@", _gathering()),
        ("@CSS_VALUES@", _css_values()),
        *((f"@{name}@", _escape(getattr(field_kinds, name))) for name in _FIELDS),
    ):
        head = head.replace(mark, text)
    lists = _doubting() if rows else _NO_ROWS
    head = f"{_ROW_IMPORTS if rows else ''}{head}\n\n\n{lists.rstrip()}"
    if not bundles:
        return f"{_LATE if rows else ''}{head}"
    locate = read_script_part("script_locate.txt")
    for mark, text in (
        ("@MODEL@", model_script()),
        ("@CLICKS@", _browser("clicks.js")),
        ("@VOTING@", _voting()),
    ):
        locate = locate.replace(mark, text)
    return f"{_LATE}{_BUNDLE_IMPORTS}{head}\n\n\n{locate.rstrip()}"


@cache
def write_script_tail(*, bundles: bool) -> str:
    """What comes after the nodes."""
    tail = read_script_part("script_tail.txt").rstrip("\n")
    tail = tail.replace("@PREPARE@\n", f"    {_PREPARE}" if bundles else "")
    return tail.replace("@WATCH@\n", f"    {_WATCH}" if bundles else "")


def _doubting() -> str:
    """The rules about counts and pages as they are in Director, with the look at a list."""
    claims, counts = inspect.getsource(page_claims), inspect.getsource(row_counts)
    rules = [inspect.getsource(each) for each in (*_ROW_CLASSES, *_ROW_FUNCTIONS)]
    rules += [claims[claims.index("_GAP = ") :], counts[counts.index("# What a query names") :]]
    text = read_script_part("script_rows.txt").replace("@LIST_CLAIMS@", read_list_script().strip())
    return text.replace("@DOUBTING@", "\n\n".join(rules))


def _gathering() -> str:
    whole = inspect.getsource(list_items)
    return whole[whole.index("class Gathering") :]


def _escape(script: str) -> str:
    """A script as it stands between quotes in Python."""
    return script.replace("\\", "\\\\")


def _css_values() -> str:
    whole = inspect.getsource(css_values)
    return whole[whole.index("# Quotes") :].rstrip()


def _voting() -> str:
    grades, votes = inspect.getsource(element_likeness), inspect.getsource(bundle_vote)
    standing = inspect.getsource(bundle_standing)
    rules = "\n\n".join(
        (
            grades[grades.index("AT_HOME = ") :],
            standing[standing.index("_OWN_WORDS = ") :],
            votes[votes.index("NEEDED = ") :],
        )
    )
    return "\n\n".join(map(inspect.getsource, (Holder, Inner, Bundle))) + "\n\n" + rules


def _browser(name: str) -> str:
    return (files("director.browser") / name).read_text(encoding="utf-8")
