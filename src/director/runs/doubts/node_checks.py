"""The checks of a node: what its page stated when it was built, kept with the node as data.

A check is `{"kind": …}` with what its kind needs: `counter` and `tolerance` for total, `share` for
fewer, `field` for unique and others, `input` beside it for what the page is filtered by. One that
is `dismissed` says for good that doubts of its kind
about the node are right as they are, and `because` says why.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from director.runs.doubts.doubt import RowVisit, is_same_text, list_doubt_columns
from director.runs.doubts.headings import propose_headings
from director.runs.doubts.page_claims import pattern_of
from director.runs.doubts.row_counts import claims_of
from director.workflow.doubt_checks import get_doubt_check_place, merge_doubt_checks
from director.workflow.values import Config, Json

_KEY = re.compile(
    r"^(?:id|sku|uuid|isbn|ean|iban|ref|reference|key|code|slug|number|nr|no)$|_(?:sku|uuid|isbn|ean)$"
)
_SOME = 3
_TELLING = 2  # letters of a value that can tell rows apart


def propose_checks(visit: RowVisit, inputs: Mapping[str, Json] | None = None) -> list[Config]:
    """The checks that a node could carry, from what was seen when it was tested with `inputs`."""
    return [*_propose(visit), *propose_headings(visit), *_propose_inputs(visit, inputs or {})]


def _propose_inputs(visit: RowVisit, inputs: Mapping[str, Json]) -> Iterator[Config]:
    """Fields of which every value is that of an input: the page is filtered by it."""
    for name, value in inputs.items():
        if not isinstance(value, str) or len(value.strip()) < _TELLING or "{{" in value:
            continue
        for column, texts in list_doubt_columns(visit.rows).items():
            if len(texts) > 1 and column and all(is_same_text(text, value) for text in texts):
                yield {"kind": "input", "field": column, "input": name}


def _propose(visit: RowVisit) -> Iterator[Config]:
    stated = [claim for claim in claims_of(visit) if claim.total is not None]
    if stated and visit.rows and visit.is_whole:
        yield {"kind": "total", "counter": pattern_of(stated[0].text)}
    for name, texts in list_doubt_columns(visit.rows).items():
        filled = [text for text in texts if text]
        if len(filled) >= _SOME and len(set(filled)) == len(texts) and is_key_name(name):
            yield {"kind": "unique", "field": name}


def is_key_name(name: str) -> bool:
    """Whether a field is named as what tells rows apart."""
    return bool(_KEY.search(name.strip().casefold()))


def add_proposals(known: Sequence[Config], proposed: Sequence[Config]) -> tuple[Config, ...]:
    """Checks with the proposed ones that are not there yet; what somebody edited stays."""
    return merge_doubt_checks(proposed, known) if _new(known, proposed) else tuple(known)


def _new(known: Sequence[Config], proposed: Sequence[Config]) -> bool:
    places = {get_doubt_check_place(each) for each in known}
    return any(get_doubt_check_place(each) not in places for each in proposed)
