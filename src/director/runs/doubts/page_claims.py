"""What a page says about the length of a list: "82 results", "1-40 of 82", "Page 2 of 7".

Only phrases that speak of a list are read; a number beside other words ("3 unread", "12 items in
cart") says nothing. A phrase that is not understood is no claim.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

_GAP = "[.,'\u2019\u00a0\u202f ]"
_N = rf"(\d{{1,3}}(?:{_GAP}\d{{3}})+(?!\d)|\d{{1,9}})(?![.,]?\d)"
_OF = r"(?:of|out of|von|sur|de|di|van|av|af|из|z|/)"
_TO = r"(?:-|\u2013|\u2014|to|through|bis|\u00e0|al?|t/m|till|\.\.+|\u2026)"
_NOUN = (
    r"(?:results?|rows?|entr(?:y|ies)|items?|records?|hits?|match(?:es)?|elements?|objects?|"
    r"documents?|files?|lines?|ergebniss?e?|treffer|eintr(?:ag|\u00e4ge)|zeilen?|datens(?:atz|\u00e4tze)|"
    r"r\u00e9sultats?|lignes?|entr\u00e9es?|\u00e9l\u00e9ments?|resultados?|filas?|registros?|"
    r"elementos?|risultat[oi]|righe|voci|resultaten|rijen|resultat|rader|wyniki?|wynik\u00f3w|"
    r"\u0437\u0430\u043f\u0438\u0441(?:\u0435\u0439|\u0438|\u044c))"
)
_FOUND = (
    r"(?:found|in total|total|altogether|available|listed|shown|displayed|gefunden|insgesamt|"
    r"trouv\u00e9e?s?|au total|encontrad[oa]s|en total|trovat[ie]|in totale|gevonden|totaal)"
)
_SHOWING = (
    r"(?:showing|displaying|viewing|shown|displayed|zeige|angezeigt|affichage(?: de)?|mostrando|"
    r"visualizzati)"
)
_AFTER = (
    r"(?: (?:where|matching|for|with|sorted|filtered|containing|in|f\u00fcr|pour|para|per)\b.*)?"
)
# What follows a number that speaks of something else than the length of a list.
_OTHER = re.compile(
    r"\b(?:select\w*|unread|new|cart|basket|bag|per page|ago|seconds?|minutes?|hours?|days?|weeks?|"
    r"months?|years?|left|remaining|views?|likes?|points?|stars?|votes?|online|pages?|steps?|"
    r"ausgew\u00e4hlt|ungelesen|neue?|warenkorb|pro seite|seiten?|vor|par page|por p\u00e1gina)\b"
)
_MORE = re.compile(r"(?:>|more than|over|at least|mehr als|plus de|m\u00e1s de)\s*$")
_ABOUT = re.compile(
    r"(?:~|\u2248|about|around|approximately|approx\.?|circa|ca\.?|environ|etwa)\s*$"
)
_RANGE = re.compile(
    rf"{_N}\s*{_TO}\s*{_N}\s*{_OF}\s*(?P<about>about |ca\.? |~|>)?\s*{_N}(?P<plus>\+)?"
)
_PAGE = re.compile(rf"\b(?:page|seite|p\u00e1gina|pagina|sida|strona|p\.)\s*{_N}\s*{_OF}\s*{_N}")
_SHOWN_FIRST = re.compile(rf"{_SHOWING}\s+(?:only |the )?(?:first |top )?{_N}\s*{_OF}\s*{_N}")
_SHOWN_LAST = re.compile(rf"{_N}\s*{_OF}\s*{_N}\s+(?:{_NOUN}\s+)?(?:{_SHOWING}|{_NOUN})\b")
_TOTAL = re.compile(rf"{_N}(?P<plus>\+)?\s+(?:\w+ )?{_NOUN}(?:\s+{_FOUND})?{_AFTER}[.:!]?$")
_NAMED = re.compile(rf"\b{_NOUN}(?:\s+(?:{_FOUND}|count))?\s*[:=]\s*{_N}[.!]?$")
_FOUND_N = re.compile(rf"^(?:{_FOUND}|we found)\s+{_N}(?P<plus>\+)?\s+\w+{_AFTER}[.:!]?$")
_AND_MORE = re.compile(
    rf"^\W*(?:(?:and|plus|und|et|y)\s+|\+\s*){_N}\s+(?:more|others?|weitere|autres|m\u00e1s)(?:\s+\w+){{0,2}}\W*$"
)
_CAPPED = re.compile(
    r"\b(?:(?:limited|capped|truncated|cut off) (?:to|at|after)(?: the)?(?: first)?|only the first|"
    r"(?:showing|displaying|shows?)(?: only)?(?: the)? first|nur die ersten)\s+"
    rf"{_N}(?:\s+(?:\w+\s+)?{_NOUN}\b|\W*$)|"
    r"\b(?:results?|list|output|rows) (?:was |were |has been |have been |is |are )?"
    r"(?:truncated|cut|shortened)\b|\btoo many (?:results|rows|matches|entries|hits)\b"
)
_PLAIN = re.compile(rf"^{_N}\s+(?P<noun>[^\W\d_]+(?:[ -][^\W\d_]+){{0,2}})$")
_PAREN = re.compile(rf"^(?P<noun>[^()]{{2,60}}?)\s*\({_N}\)$")
_NONE = re.compile(
    rf"^(?:no|there are no|keine|aucune?|ning\u00fan|sin|nessun)\s+(?:\w+ )?{_NOUN}\b|"
    rf"\b(?:nothing found|no matches|nichts gefunden|nothing matched)\b"
)
_NONE_OF = re.compile(
    r"^(?:(?:there are |you have )?no|keine|aucune?|ning\u00fan|sin|nessun)\s+"
    r"(?P<noun>[^\W\d_]+)"
    r"(?:\s+(?:yet|found|here|available|to (?:show|display)|gefunden|vorhanden))*[.!]?$"
)
_ASIDE = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\.?$")
_PAGE_AFTER = re.compile(r",\s+(?:showing|displaying|page|seite|sorted|ordered|filtered)\b.*")
_FILTER = re.compile(r"(?<=\w) (?:where|matching|for|with|containing|f\u00fcr|pour|para)\b.*")
_PAGES = re.compile(r"\b(?:pages|seiten)\b", re.IGNORECASE)
_LONGEST = 160


@dataclass(frozen=True, slots=True)
class Claim:
    """What one phrase says of a list: its length, perhaps which part of it is shown, or pages.

    `least` says that the length is a lower bound.
    """

    text: str
    place: str
    total: int | None = None
    first: int | None = None
    last: int | None = None
    page: int | None = None
    pages: int | None = None
    least: bool = False


def read_claim(text: str, place: str = "near", words: str = "") -> Claim | None:
    """What a phrase says of the list it stands by, or None.

    `place` is where it stands: pager, caption, heading, page or near. `words` are the page's own
    (its title, headings, address): a noun in them may name what is counted.
    """
    said = " ".join(text.split())
    if not said or len(said) > _LONGEST:
        return None
    folded = said.casefold()
    for read in (_read_range, _read_pages, _read_shown, _read_total):
        found = read(folded, place)
        if found is not None:
            return _with_text(found, said)
    found = _read_plain(folded, place, words.casefold())
    return None if found is None else _with_text(found, said)


def read_pages_as_rows(text: str, place: str, pages: Collection[int]) -> Claim | None:
    """What "1-18 of 18 pages" says of a list of pages, or None.

    `pages` are how many the pager itself counts: any other number is one of rows.
    """
    found = read_claim(_PAGES.sub("rows", text), place) if pages else None
    if found is None or found.total is None or found.total in pages:
        return None
    is_sure = found.first is not None or place in ("pager", "caption")
    return _with_text(found, " ".join(text.split())) if is_sure else None


def pattern_of(text: str) -> str:
    """The words of a count without its numbers, nor what it is filtered by."""
    return re.sub(_N, "#", _FILTER.sub("", " ".join(text.split())))


def says_none(text: str, words: str) -> bool:
    """Whether a phrase says that there are none of what the page is about: "No orders yet"."""
    found = _NONE_OF.match(" ".join(text.casefold().split()))
    return found is not None and _is_named(found["noun"], words.casefold())


def says_more(text: str) -> bool:
    """Whether a phrase says that the list goes on: "…and 40 more", "only the first 1000"."""
    said = " ".join(text.casefold().split())
    return len(said) <= _LONGEST and bool(_AND_MORE.match(said) or _CAPPED.search(said))


def _with_text(claim: Claim, text: str) -> Claim:
    return Claim(
        text, claim.place, claim.total, claim.first, claim.last, claim.page, claim.pages,
        claim.least,
    )  # fmt: skip


def _number(text: str) -> int:
    return int(re.sub(r"\D", "", text))


def _read_range(text: str, place: str) -> Claim | None:
    found = _RANGE.search(text)
    if found is None or _OTHER.search(text[found.end() :]) or _is_about(found):
        return None
    first, last, total = (_number(found[at]) for at in (1, 2, 4))
    if not total and not last:
        return Claim(text, place, 0)
    if not first <= last <= total:
        return None
    least = found["plus"] is not None or found["about"] == ">"
    return Claim(text, place, total, first, last, least=least)


def _is_about(found: re.Match[str]) -> bool:
    return found["about"] not in (None, ">")


def _read_pages(text: str, place: str) -> Claim | None:
    found = _PAGE.search(text)
    if found is None or _number(found[1]) > _number(found[2]):
        return None
    return Claim(text, place, page=_number(found[1]), pages=_number(found[2]))


def _read_shown(text: str, place: str) -> Claim | None:
    found = _SHOWN_FIRST.search(text) or _SHOWN_LAST.search(text)
    if found is None or _OTHER.search(text[found.end() :]):
        return None
    count, total = _number(found[1]), _number(found[2])
    return Claim(text, place, total, 1, count) if count <= total else None


def _read_total(text: str, place: str) -> Claim | None:
    if _NONE.search(text):
        return Claim(text, place, 0)
    for part in _parts(text):
        for pattern in (_TOTAL, _FOUND_N, _NAMED):
            found = pattern.search(part)
            if found is None or _OTHER.search(part[found.start() :]):
                continue
            before = part[: found.start()]
            if _ABOUT.search(before) or re.search(r"[\d/.,-]\s*$", before):
                continue
            least = bool(_MORE.search(before)) or (
                "plus" in found.groupdict() and bool(found["plus"])
            )
            if before.strip() and not least and not _is_lead(before):
                continue
            return Claim(text, place, _number(found[1]), least=least)
    return None


def _is_lead(before: str) -> bool:
    """Whether words before a count only lead to it."""
    lead = (
        rf"(?:{_SHOWING}|{_FOUND}|all|there are|we found|(?:your search )?returned|total of|of|:)"
    )
    return (
        re.fullmatch(rf"(?:.*[:.\u2013\u2014|]\s*)?(?:{lead}\s*)*", before.strip() + " ")
        is not None
    )


def _parts(text: str) -> Iterator[str]:
    """A phrase as it is, and without what it says aside: "3 results (82 total)"."""
    shorter = (_ASIDE.sub("", text), _PAGE_AFTER.sub("", text))
    yield from dict.fromkeys((text, *shorter))


def _read_plain(text: str, place: str, words: str) -> Claim | None:
    """A count of things that the page calls by their own name: "82 suppliers"."""
    found = _PLAIN.match(_ASIDE.sub("", text))
    if found is not None and not _OTHER.search(found["noun"]):
        if place in ("pager", "caption") or _is_named(found["noun"], words):
            return Claim(text, place, _number(found[1]))
        return None
    found = _PAREN.match(text)
    if found is not None and place in ("heading", "caption") and not _OTHER.search(found["noun"]):
        return Claim(text, place, _number(found[2]))
    return None


def _is_named(noun: str, words: str) -> bool:
    stem = re.sub(r"(?:ies|es|s|en|e|n)$", "", noun.rsplit(maxsplit=1)[-1])
    return len(stem) > 2 and re.search(rf"\b{re.escape(stem)}", words) is not None
