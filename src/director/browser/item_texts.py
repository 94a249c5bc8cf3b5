"""The single texts that a look at a page saw: cells, lines, links. Looking only."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import cast

from director.browser.elements import find_matching_elements
from director.browser.fields import evaluate_field_script
from director.browser.list_claims import ROW
from director.browser.masks import MaskedPage
from director.browser.queries import clean_query
from director.browser.session import Session
from director.workflow.values import Config, Json

_EACH = 12  # texts for each that is wanted
_FEW = 3
_MOST = 3_000
_LETTERS = 60_000


async def find_other_texts(session: Session, selectors: Sequence[Json]) -> list[Json]:
    """Some of what elements show, where nothing of what was wanted is shown."""
    return (await find_item_texts(session, selectors, []))[:_FEW]


async def find_item_texts(
    session: Session, selectors: Sequence[Json], wanted: Sequence[str]
) -> list[Json]:
    """The texts of the elements that selectors fit, the shortest first.

    Of `wanted` ones only those that hold one, also in the rows of the page; without any, all, or
    none if they are too many to be kept.
    """
    script = files("director.browser").joinpath("item_texts.js").read_text("utf-8")
    page, asked = session.page(), cast("Config", {"wanted": [*wanted], "rows": ROW})

    async def look(seen: MaskedPage) -> list[Json]:
        found: dict[str, Json] = {}
        for selector in selectors:
            every = (await find_matching_elements(seen, selector)).visible()
            texts = await every.evaluate_all(script, cast("Json", asked)) if len(every) else None
            if texts is None:
                frame = seen.page.main_frame
                texts = await evaluate_field_script(frame, f"({script})([], given)", asked)
            found |= {str(text): None for text in texts or ()}
        return [*found]

    async with session.doing("see which texts were found"):
        found = await session.look(page, look)
    texts = [str(each) for each in cast("list[Json]", clean_query(found, session.net.clean))]
    if wanted:
        small = [each.casefold() for each in wanted]
        kept = [[text for text in texts if each in text.casefold()][:_EACH] for each in small]
        return [*dict.fromkeys(text for each in kept for text in each)]
    is_little = len(texts) <= _MOST and sum(map(len, texts)) <= _LETTERS
    return cast("list[Json]", texts) if is_little else []
