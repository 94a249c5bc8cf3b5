"""What is told of a downloaded file: its name, size and type, and the first rows of a table.

Only the start of a file is read for its rows, as text; nothing in it is run or written anywhere. A
packed file is read through, up to a bound, to see that it does not break off.
"""

from __future__ import annotations

import asyncio
import csv
import gzip
import json
import mimetypes
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path

from director.browser.downloads import Downloaded
from director.browser.session import Session
from director.runs.run_journal import RunJournal
from director.runs.stage import Stage
from director.runs.table_profiles import TABLES, profile_table, read_table
from director.runs.values import Step
from director.workflow.paths import is_list
from director.workflow.templates import defuse_templates
from director.workflow.values import Json

ROWS = 3
_ARRIVES = 60.0  # seconds until a file that is on its way has arrived
_BEGINS = 0.3
_STARTS = ("click", "keypress")
_TOUCHES = ("browser_action", "agent")
_LONGEST = 200  # characters of a cell or line that are shown
_READ = 20_000_000  # bytes of a file that is looked into
_START = 2_000  # bytes that tell what a file is
_UNPACKED = 64_000_000  # bytes of a packed file that are read
_PART = 1_000_000
_GZIPS = (".gz", ".tgz")
_ZIPS = (".zip", ".xlsx", ".docx", ".pptx", ".odt", ".ods")
_PAGES = (".html", ".htm", ".xhtml", ".mhtml")
_SIGNS = {
    ".pdf": (b"%PDF",),
    ".png": (b"\x89PNG",),
    ".jpg": (b"\xff\xd8",),
    ".jpeg": (b"\xff\xd8",),
    **dict.fromkeys(_GZIPS, (b"\x1f\x8b",)),
    **dict.fromkeys(_ZIPS, (b"PK",)),
}
_TEXTS = (".txt", ".log", ".md", ".xml", ".html", ".htm", ".ndjson", ".jsonl")


def describe_download(found: Downloaded, clean: Callable[[str], str]) -> dict[str, Json]:
    """A file as it is part of a node's result; `clean` takes secrets out of what it says."""
    path = found.path
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    told: dict[str, Json] = {"name": path.name, "size": found.size, "type": kind}
    if wrong := find_download_mismatch(path):
        told["wrong"] = wrong
    if found.size > _READ:
        return told
    try:
        inside = _look_inside(path)
    except (OSError, ValueError, csv.Error, RecursionError):
        # It is not what its name says; what is known for sure is told.
        return told
    shown = {name: _clean_value(value, clean) for name, value in inside.items()}
    return {**told, **shown}


async def add_downloads(step: Step, session: Session) -> Step:
    """A step with the files that came since the last one was told, and what is kept of tables."""
    files = await session.list_new_downloads(_ARRIVES)
    result = step.result
    if not files or not isinstance(result, Mapping):
        return step
    told: list[Json] = [describe_download(each, session.net.clean) for each in files]
    known = result.get("downloads")
    whole = {**result, "downloads": [*(known if is_list(known) else ()), *told]}
    # Tables of an attempt whose result is gone are not its own.
    earlier = step.tables if known else ()
    tables = (*earlier, *_profile_tables(files, session.net.clean))
    return replace(step, result=whole, tables=tables)


def _profile_tables(
    files: Iterable[Downloaded], clean: Callable[[str], str]
) -> Iterator[dict[str, Json]]:
    for each in files:
        if each.path.suffix.lower() in TABLES and each.size <= _READ:
            # What cannot be read as a table has nothing to compare.
            with suppress(OSError, ValueError, csv.Error):
                yield profile_table(each.path, clean)


async def keep_late_downloads(ledger: RunJournal, stage: Stage) -> None:
    """Tell of files that came after their node, or that only the end of the run waits for."""
    last = next((step for step in reversed(ledger.steps()) if step.type in _TOUCHES), None)
    if last is None or last.state != "finished" or not stage.is_open:
        return
    if last.config.get("action") in _STARTS:
        # A file that was asked for begins to come a moment after the click is over.
        await asyncio.sleep(_BEGINS)
    told = await add_downloads(last, await stage.session())
    if told != last:
        ledger.finish(told)


def list_downloads(steps: Iterable[Step]) -> list[dict[str, Json]]:
    """Every file that the steps of a run downloaded, with the node that did."""
    found: list[dict[str, Json]] = []
    for step in steps:
        result = step.result if isinstance(step.result, Mapping) else {}
        files = result.get("downloads") if step.type in _TOUCHES else None
        told = [each for each in files if isinstance(each, Mapping)] if is_list(files) else []
        found += [{**each, "node": step.alias} for each in told if "name" in each]
    return found


def describe_download_fact(found: Mapping[str, Json]) -> str:
    """A file in one line."""
    rows = f", {found['rows']} rows" if "rows" in found else ""
    wrong = f"; it {found['wrong']}" if found.get("wrong") else ""
    return f"{found['name']} ({found['size']} bytes, {found['type']}{rows}){wrong}"


def find_download_mismatch(path: Path) -> str:
    """Why a file is not what its name says, such as an error page named .csv; else nothing."""
    try:
        with path.open("rb") as file:
            start = file.read(_START)
    except OSError:
        return "cannot be read"
    ending, said = path.suffix.lower(), start.lstrip(b"\xef\xbb\xbf \t\r\n")
    if not said:
        return "is empty"
    if ending not in _PAGES and said[:20].lower().startswith((b"<!doctype html", b"<html")):
        return "is a web page"
    if ending in _SIGNS and not start.startswith(_SIGNS[ending]):
        return f"does not begin as a {ending} file does"
    if ending in TABLES and said.startswith(b"{"):
        return "is an object in JSON, not a table"
    return "" if _is_whole(path, ending) else "breaks off: it cannot be read to its end"


def _is_whole(path: Path, ending: str) -> bool:
    """Whether a packed file can be read to its end; of others nothing is known."""
    try:
        if ending in _GZIPS:
            with gzip.open(path) as packed:
                left = _UNPACKED
                while left > 0 and (part := packed.read(_PART)):
                    left -= len(part)
        elif ending in _ZIPS:
            # What lists its parts stands at its end.
            zipfile.ZipFile(path).close()
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile):
        return False
    return True


def _look_inside(path: Path) -> dict[str, Json]:
    ending = path.suffix.lower()
    if ending in TABLES:
        rows = read_table(path)
        head = next(rows, [])
        first: list[Json] = [dict(zip(head, row, strict=False)) for row in islice(rows, ROWS)]
        count = len(first) + sum(1 for _ in rows)
        return {"columns": list(head), "rows": count, "first": first}
    if ending == ".json":
        value: Json = json.loads(path.read_text(encoding="utf-8-sig"))
        if is_list(value):
            return {"rows": len(value), "first": list(value[:ROWS])}
        return {"first": value}
    if ending in _TEXTS:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
        return {"lines": len(lines), "first": list(lines[:ROWS])}
    return {}


def _clean_value(value: Json, clean: Callable[[str], str]) -> Json:
    if isinstance(value, str):
        # Cleaned before it is cut: half a secret would not be known for one.
        safe = str(defuse_templates(clean(value)))
        return safe if len(safe) <= _LONGEST else f"{safe[:_LONGEST]}…"
    if isinstance(value, Mapping):
        return {clean(str(name)): _clean_value(each, clean) for name, each in value.items()}
    if is_list(value):
        return [_clean_value(each, clean) for each in value]
    return value
