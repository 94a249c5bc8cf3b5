"""Values that are gone in rows that had them before, in a field that was filled in every row.

Rows are told by their key, else by a field whose values all differ. A field that had gaps before
may have others now: such gaps are noted, not doubted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from director.runs.doubts.doubt import Doubt, RowReading, list_doubt_columns
from director.runs.doubts.node_checks import is_key_name
from director.secrets.clear import MARK
from director.workflow.values import Json

_SOME = 3  # rows of a field that was always filled
_FEW = 0.25
_SHOWN = 5
_LETTER = re.compile(r"[^\W\d_]")
_NO_VALUE = re.compile(
    r"^(?:[-\u2013\u2014\u2212.?*#\u2026]+|n/?a|n\.a\.?|#n/a|nan|null|none|nil|undefined|\(none\)|\(empty\)|"
    r"unknown|tbd|k\.\s?a\.|keine angabe|error|#(?:ref|value|name)[!?])$",
    re.IGNORECASE,
)
_LOADING = re.compile(
    r"^(?:loading|please wait|wird geladen|chargement|cargando)\s*(?:\u2026|\.{2,})$", re.IGNORECASE
)


def find_lost_values(reading: RowReading) -> Iterator[Doubt]:
    """Doubts about fields of known rows that hold nothing any more, or still say "loading…"."""
    rows = [row for row in reading.rows if isinstance(row, Mapping)]
    for name, texts in list_doubt_columns(rows).items():
        masked = [text for text in texts if MARK in text]
        if masked:
            yield _doubt_masked(reading, name, len(masked), len(texts))
            continue
        waits = [text for text in texts if _LOADING.match(text)]
        if waits and len(waits) < len(texts):
            yield reading.doubt(
                "early",
                f"In {len(waits)} of {len(texts)} rows the field {name!r} of {reading.alias} is "
                f"{waits[0]!r}: it was read before its value came.",
                field=name,
                rows=len(texts),
                url=reading.visits[-1].url,
            )
            continue
        lost = _list_lost(reading, rows, name)
        if lost:
            yield _doubt(reading, name, lost)


def describe_lost_values(items: Sequence[Json]) -> list[str]:
    """A sentence for each field that is filled in nearly all rows, with those that have none."""
    rows = [row for row in items if isinstance(row, Mapping)]
    found: list[str] = []
    for name in list_doubt_columns(rows):
        gaps = [at for at, row in enumerate(rows, 1) if _is_none(write_lost_value(row.get(name)))]
        if len(rows) > _SOME and 0 < len(gaps) <= max(1, _FEW * len(rows)):
            shown = ", ".join(map(str, gaps[:_SHOWN])) + (", …" if len(gaps) > _SHOWN else "")
            word = "row" if len(gaps) == 1 else "rows"
            has = "has" if len(gaps) == 1 else "have"
            found.append(f"{len(gaps)} of {len(rows)} rows {has} no {name}: {word} {shown}")
    return found


def _doubt_masked(reading: RowReading, name: str, masked: int, count: int) -> Doubt:
    return reading.doubt(
        "value",
        f"In {masked} of {count} rows the field {name!r} of {reading.alias} is not what the page "
        f"shows: a secret of the vault has the same value, and {MARK} is kept in its place. If it "
        "is a common word, give the login another password.",
        field=name,
        masked=masked,
        rows=count,
    )


def _doubt(reading: RowReading, name: str, lost: Sequence[tuple[str, str, str]]) -> Doubt:
    row, now, before = lost[0]
    more = f", and in {len(lost) - 1} more rows" if len(lost) > 1 else ""
    return reading.doubt(
        "blank",
        f"The field {name!r} of {reading.alias} is {now!r} for {row!r}{more}; in "
        f"{reading.name_before} it was {before!r}, and no row was without it.",
        field=name,
        row=row,
        now=now,
        before=before,
        lost=len(lost),
        rows=len(reading.rows),
        run_before=reading.run_before,
        url=reading.visits[-1].url,
    )


def _list_lost(
    reading: RowReading, rows: Sequence[Mapping[str, Json]], name: str
) -> list[tuple[str, str, str]]:
    """What tells each row whose value is gone, with what it is now and was before."""
    for earlier in reading.rows_before:
        known = [row for row in earlier if isinstance(row, Mapping)]
        was = [write_lost_value(row.get(name)) for row in known]
        if len(known) < _SOME or not all(was) or any(map(_is_none, was)):
            continue
        now = [write_lost_value(row.get(name)) for row in rows]
        gone = [at for at, text in enumerate(now) if _is_none(text)]
        if not gone or len(gone) == len(now):
            return []
        own = find_identity(reading, (rows, known), name)
        before = {
            write_lost_value(row.get(own)): text for row, text in zip(known, was, strict=True)
        }
        told = [(write_lost_value(rows[at].get(own)), now[at]) for at in gone] if own else []
        return [(row, text, before[row]) for row, text in told if row in before]
    return []


def find_identity(
    reading: RowReading, both: Sequence[Sequence[Mapping[str, Json]]], name: str
) -> str:
    """The field that tells rows apart, now and before; empty if none does."""
    names = [one for one in list_doubt_columns(both[0]) if one != name]
    ranked = sorted(
        names,
        key=lambda one: (one != reading.key, not is_key_name(one), not _has_words(both[0], one)),
    )
    return next((one for one in ranked if all(_tells_apart(rows, one) for rows in both)), "")


def _has_words(rows: Sequence[Mapping[str, Json]], name: str) -> bool:
    return all(_LETTER.search(write_lost_value(row.get(name))) for row in rows)


def _tells_apart(rows: Sequence[Mapping[str, Json]], name: str) -> bool:
    texts = [write_lost_value(row.get(name)) for row in rows]
    return all(texts) and len({*texts}) == len(texts)


def _is_none(text: str) -> bool:
    return not text or bool(_NO_VALUE.match(text) or _LOADING.match(text))


def write_lost_value(value: Json) -> str:
    """A plain value as one line; nothing for any other."""
    plain = isinstance(value, str | int | float) and not isinstance(value, bool)
    return " ".join(str(value).split()) if plain else ""
