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
_SHORT = 80  # letters of a value that a page shows as it is
_FEW = 40  # fields of a form


async def find_shown_fields(session: Session, named: Sequence[Config]) -> list[Json]:
    """What the active page shows for fields that were filled, where it names them once.

    Each of `named` has `field`, `names` and `typed`; of several values under one name none is sure.
    """
    page = session.page()
    script = (files("director.browser") / "shown_fields.js").read_text("utf-8")

    async def look(_: MaskedPage) -> list[list[Json]]:
        # What the page filled in by itself tells no entry from another.
        typed = [str(each["typed"]) for each in named if not each.get("kept")]
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
            found.append(cast("Json", {**told, "kept": True} if each.get("kept") else told))
    return cast("list[Json]", clean_query(found, session.net.clean))


async def find_kept_fields(session: Session, typed: Sequence[str]) -> list[Config]:
    """The fields of the active page's form that hold something which was not typed into them.

    As `find_shown_fields` takes them, and marked as `kept`: the page filled them in by itself.
    """
    page = session.page()

    script = (files("director.browser") / "kept_fields.js").read_text("utf-8")

    async def look(_: MaskedPage) -> list[list[Json]]:
        return cast("list[list[Json]]", await page.evaluate(script, [*typed]))

    async with session.doing("see what the form holds"):
        pairs = await session.look(page, look)
    found: list[Config] = []
    for given, value in pairs[:_FEW]:
        names = [str(name) for name in cast("list[Json]", given) if name]
        if len(str(value)) <= _SHORT:
            told: Json = {"field": names[-1], "names": [*names], "typed": value, "kept": True}
            found.append(cast("Config", clean_query(told, session.net.clean)))
    return found


def normalize_field_name(name: str) -> str:
    """A name without case, signs and the beginning that frameworks give to ids."""
    plain = "".join(sign for sign in name.casefold() if sign.isalnum())
    return plain.removeprefix("id") if name.casefold().startswith("id_") else plain
