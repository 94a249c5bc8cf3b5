"""Rows that are no items: a line that says there is none, one that is missing, a heading.

A row that merely lacks fields is no sign: items may. It must say so itself, and either hold
nothing else or be marked so by the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from director.runs.doubts.doubt import Doubt, RowReading, RowVisit
from director.runs.doubts.page_claims import says_more
from director.workflow.values import Json

_LONGEST = 120
_NONE = re.compile(
    r"^(?:(?:there (?:is|are) )?no (?:[\w-]+ ){0,3}"
    r"(?:found|available|yet|match\w*|to (?:show|display|list))\b"
    r"|no (?:matching |more )?(?:data|results?|records?|entries|items|rows|matches|content)\W*$"
    r"|nothing (?:found|here|yet|to (?:show|display|see))\b"
    r"|(?:still )?loading(?: data| items| results| more| rows)?(?:,? please wait)?\W*$"
    r"|keine (?:\w+ ){0,3}(?:gefunden|vorhanden|verf\u00fcgbar)\b"
    r"|(?:daten )?(?:werden|wird) geladen\W*$"
    r"|aucune? (?:\w+ ){0,3}(?:trouv\w+|disponible)\b|chargement\W*$"
    r"|(?:no se encontr|sin resultados|nessun risultato)\w*)",
    re.IGNORECASE,
)
_MISSING = re.compile(
    r"^(?:missing|deleted|removed|unavailable|empty|placeholder)\W+\w|\bnot found\b", re.IGNORECASE
)


def find_notice_rows(reading: RowReading) -> Iterator[Doubt]:
    """A doubt about rows that say themselves that they are none, or repeat the fields' names.

    Where rows only choose a branch, by these very words, the notice is what was looked for.
    """
    for visit in reading.visits:
        told = [said for row in visit.rows if (said := _read_notice(row, visit))]
        found = [said for said in told if not _is_expected(said, reading.decided_by)]
        if found:
            yield reading.doubt(
                "blank",
                f"{reading.alias} read {len(visit.rows)} rows, of which {len(found)} may be no "
                f"item: {found[0]!r}. Take a narrower selector.",
                rows=len(visit.rows),
                notices=len(found),
                text=found[0],
                url=visit.url,
            )
            return


def _is_expected(said: str, words: Iterable[str]) -> bool:
    """Whether a branch is chosen by words of a notice."""
    sought = (rf"(?<!\w){re.escape(' '.join(each.split()))}(?!\w)" for each in words)
    return any(re.search(each, said, re.IGNORECASE) for each in sought)


def _read_notice(row: Json, visit: RowVisit) -> str:
    """What a row says, if that is no item; else nothing."""
    named = row if isinstance(row, Mapping) else {"": row}
    texts = {name: " ".join(v.split()) for name, v in named.items() if isinstance(v, str)}
    filled = {name: text for name, text in texts.items() if text}
    said = next(iter(filled.values()), "")[:_LONGEST]
    is_alone = len(filled) == 1 and (len(named) > 1 or len(visit.rows) == 1)
    if is_alone and len(said) < _LONGEST and (_NONE.match(said) or says_more(said)):
        return said
    if len(filled) > 1 and all(_plain(name) == _plain(text) for name, text in filled.items()):
        return ", ".join(filled.values())[:_LONGEST]
    told = [text for text in filled.values() if _NONE.match(text) or _MISSING.search(text)]
    if told and any(_holds(str(each), filled.values()) for each in visit.marked):
        return told[0][:_LONGEST]
    return ""


def _holds(shown: str, texts: Iterable[str]) -> bool:
    """Whether the text of an element holds all texts of a row."""
    return all(text[:_LONGEST] in shown for text in texts)


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text).strip().casefold()
