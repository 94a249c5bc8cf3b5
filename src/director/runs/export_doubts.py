"""Doubts about a table that was downloaded on the page of a list: it holds fewer or other rows.

An export may leave out what is not on the page, or ignore the filter that is set there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from director.runs.doubts import Doubt, RowReading
from director.runs.doubts.doubt import RowVisit
from director.runs.doubts.page_claims import Claim
from director.runs.doubts.row_counts import claims_of, list_of
from director.runs.file_doubts import DownloadedTable, list_tables
from director.runs.row_readings import as_rows
from director.runs.run_text import write_selector_text
from director.runs.values import Step
from director.workflow.values import Config, Json

_ENOUGH = 2  # rows that a table and a list have in common
_SHARE = 0.5  # of those that could be found in what was kept of the table
_FILTERS = ("type", "select", "set", "check", "uncheck", "keypress")
_CHOOSES = re.compile(r"checkbox|radio|option|\btab\b", re.IGNORECASE)

_Row = Mapping[str, Json]


def find_wrong_exports(steps: Iterable[Step], readings: Sequence[RowReading]) -> Iterator[Doubt]:
    """Tables that share rows with the list on their page and have another number of them.

    The number is what the page states, or what was read if it states none. Not where something was
    typed or chosen between reading the list and downloading: that may have changed which it is.
    """
    done = [*steps]
    tables = list_tables(done)
    for table in tables:
        for reading in readings:
            visits = [
                visit
                for visit in reading.visits
                if _is_same_list(visit, table) and not _is_changed(visit.key, table.step, done)
            ]
            found = _compare(table, reading, visits, _count_together(table, tables))
            if found is not None:
                yield found
                break


def _compare(
    table: DownloadedTable, reading: RowReading, visits: Sequence[RowVisit], together: int
) -> Doubt | None:
    rows, name = table.file.get("rows"), table.file["name"]
    read = [row for visit in visits for row in visit.rows if isinstance(row, Mapping)]
    if not isinstance(rows, int) or not read or not _has_rows_of(table, rows, read):
        return None
    evidence: Config = {"rows": rows, "read": len(read), "url": visits[-1].url}
    start = f"{name}, which {table.step.alias} downloaded, has {rows} rows"
    totals = {each.total: each for each in _list_totals(visits)}
    if len(totals) == 1:
        ((total, claim),) = totals.items()
        if total in (rows, together) or total is None:
            return None
        why = "only a part of the list" if rows < total else "more than the list that is shown"
        said = (
            f"{start}, and the page on which it was downloaded states {total} ({claim.text!r}) for "
            f"the list that {reading.alias} read there: it may hold {why}."
        )
        return _doubt(table, said, {**evidence, "said": total, "text": claim.text})
    if totals or rows >= len(read) or together >= len(read):
        return None
    said = (
        f"{start}, all of them among the {len(read)} that {reading.alias} read on that page: it "
        "may hold only a part of the list."
    )
    return _doubt(table, said, evidence)


def _doubt(table: DownloadedTable, said: str, evidence: Config) -> Doubt:
    return Doubt("download", table.step.node, table.step.alias, said, evidence)


def _list_totals(visits: Iterable[RowVisit]) -> list[Claim]:
    """What the page surely states as the length of the list."""
    return [
        claim
        for visit in visits
        for claim in claims_of(visit)
        if claim.total is not None
        and not claim.least
        and (claim.first is not None or claim.place in ("pager", "caption"))
    ]


def _count_together(table: DownloadedTable, tables: Iterable[DownloadedTable]) -> int:
    """The rows of all files that a node downloaded of one list, such as one for each page."""
    counts = [
        each.file.get("rows")
        for each in tables
        if each.step.node == table.step.node and _lists_of(each) == _lists_of(table)
    ]
    return sum(count for count in counts if isinstance(count, int))


def _lists_of(table: DownloadedTable) -> tuple[str, str]:
    return _name_list(str((table.step.before or {}).get("url", "")))


def _is_same_list(visit: RowVisit, table: DownloadedTable) -> bool:
    return bool(visit.url) and _name_list(visit.url) == _lists_of(table)


def _name_list(url: str) -> tuple[str, str]:
    """The address of a list, with the part behind # if that is an address too."""
    inside = url.partition("#")[2]
    return list_of(url), inside if re.search(r"[/=]", inside) else ""


def _is_changed(key: str, download: Step, steps: Sequence[Step]) -> bool:
    """Whether a run typed or chose something between reading a list and downloading."""
    read = [step.began for step in steps if step.key == key]
    if not read:
        return False
    first, last = sorted((read[-1], download.began))
    return any(_may_filter(step) for step in steps if first < step.began < last)


def _may_filter(step: Step) -> bool:
    """Whether a step may have changed which rows a page shows or exports."""
    action = step.config.get("action")
    chosen = write_selector_text(step.config.get("selector"))
    is_choice = action == "click" and _CHOOSES.search(chosen) is not None
    return step.type == "browser_action" and (action in _FILTERS or is_choice)


def _has_rows_of(table: DownloadedTable, rows: int, read: Sequence[_Row]) -> bool:
    """Whether a column that tells the rows of a table apart has the values of one field."""
    kept = [row for row in as_rows(table.profile.get("rows")) if isinstance(row, Mapping)]
    told = table.profile.get("twice")
    twice = told if isinstance(told, Mapping) else {}
    columns = {name for row in kept for name in row if name not in twice}
    share = _SHARE * min(1.0, len(kept) / max(1, rows))
    for name in {name for row in read for name in row}:
        listed = {_plain(row.get(name)): row for row in read if _plain(row.get(name))}
        wanted = max(min(_ENOUGH, len(listed)), share * len(listed))
        for column in columns:
            cells = {_plain(row.get(column)): row for row in kept}
            common = [
                text
                for text in cells.keys() & listed.keys()
                if _tells(text) or _agree(cells[text], listed[text], text)
            ]
            if common and (len(common) >= wanted or len(common) == len(cells)):
                return True
    return False


def _tells(text: str) -> bool:
    """Whether a value is none that rows of other lists have too, such as a small number."""
    return len(text) > 3 and any(map(str.isalpha, text)) and any(map(str.isdigit, text))


def _agree(row: _Row, listed: _Row, text: str) -> bool:
    """Whether two rows have another value in common."""
    known = {_plain(value) for value in row.values()} & {_plain(v) for v in listed.values()}
    return bool(known - {text, ""})


def _plain(value: Json) -> str:
    return "" if value is None else " ".join(str(value).split()).casefold()
