"""What a page shows under the names of fields: in definition lists, tables, labels and forms.

Looking only. A name must be the whole of what stands beside or over a value.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import cast

from director.browser.masks import MaskedPage
from director.browser.queries import clean_query
from director.browser.session import Session
from director.workflow.values import Config, Json

_LONGEST = 300


async def find_shown_fields(session: Session, named: Sequence[Config]) -> list[Json]:
    """What the active page shows for fields that were filled, where it names them once.

    Each of `named` has `field`, `names` and `typed`; of several values under one name none is sure.
    """
    page = session.page()
    script = (files("director.browser") / "shown_fields.js").read_text("utf-8")

    async def look(_: MaskedPage) -> list[list[Json]]:
        typed = [str(each["typed"]) for each in named]
        return cast("list[list[Json]]", await page.evaluate(script, typed))

    async with session.doing("see what is shown of the fields"):
        pairs = await session.look(page, look)
    found: list[Json] = []
    for each in named:
        wanted = {
            normalize_field_name(str(name)) for name in cast("Sequence[Json]", each["names"])
        } - {""}
        shown = {
            str(value)[:_LONGEST]
            for names, value in pairs
            if wanted & {normalize_field_name(str(name)) for name in cast("list[Json]", names)}
        }
        if len(shown) == 1:
            told = {"field": each["field"], "typed": each["typed"], "shown": shown.pop()}
            found.append(cast("Json", told))
    return cast("list[Json]", clean_query(found, session.net.clean))


def normalize_field_name(name: str) -> str:
    """A name without case, signs and the beginning that frameworks give to ids."""
    plain = "".join(sign for sign in name.casefold() if sign.isalnum())
    return plain.removeprefix("id") if name.casefold().startswith("id_") else plain
