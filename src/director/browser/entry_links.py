"""The page of one entry, by the link that its row in a list has to it. Looks only, opens nothing.

Only a link that says itself that it shows or edits, under the path of the list, without a query: a
page may hold links that do something as soon as they are opened.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import cast
from urllib.parse import unquote, urlsplit

from director.browser.list_claims import ROW
from director.browser.masks import MaskedPage
from director.browser.session import Session

_LINKS = """(elements, texts) => {
  const words = e => (e.innerText ?? '').replace(/\\s+/g, ' ').trim().toLowerCase();
  const rows = elements.filter(row => texts.some(text => words(row).includes(text.toLowerCase())));
  return rows.length === 1 ? [...rows[0].querySelectorAll('a[href]')].map(a => a.href) : [];
}"""
_SHOWS = re.compile(r"show|view|details?|display", re.IGNORECASE)
_ACTS = re.compile(
    r"delet|remov|destroy|trash|archiv|cancel|approv|confirm|accept|reject|send|pay|log-?out|copy",
    re.IGNORECASE,
)
_EDITS = re.compile(r"edit|change|update", re.IGNORECASE)


async def find_entry_page(session: Session, texts: Sequence[str]) -> str:
    """The address of the page of the one row that shows one of these texts; else nothing."""
    page = session.page()

    async def look(_: MaskedPage) -> list[str]:
        rows = page.locator(f"css={ROW}").filter(visible=True)
        return cast("list[str]", await rows.evaluate_all(_LINKS, list(texts)))

    async with session.doing("see where the entry is shown"):
        links = await session.look(page, look)
    return choose_entry_page(page.url, links)


def choose_entry_page(listed_on: str, links: Iterable[str]) -> str:
    """Of the links of a row the one that shows its entry, else the one that edits it."""
    fit = [link for link in dict.fromkeys(links) if _is_beside(listed_on, link)]
    for kind in (_SHOWS, _EDITS):
        for link in fit:
            if any(kind.fullmatch(part) for part in _split_path(link)[1:]):
                return link
    return ""


def _is_beside(listed_on: str, link: str) -> bool:
    """Whether a link leads to an entry by its number or name, under the path of its list."""
    here, there = urlsplit(listed_on), urlsplit(link)
    own, path = _split_path(listed_on), _split_path(link)
    common = max(1, len(own) - 1)
    is_plain = (here.scheme, here.netloc) == (there.scheme, there.netloc) and not there.query
    is_under = len(own) < len(path) <= len(own) + 2 and path[:common] == own[:common] != []
    return is_plain and is_under and not any(_ACTS.search(part) for part in path)


def _split_path(url: str) -> list[str]:
    return [unquote(part) for part in urlsplit(url).path.split("/") if part]
