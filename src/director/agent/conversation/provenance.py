"""Where the words in a call came from: a page, if they stand in what was read of the web.

It tells the user, and decides nothing: a model that rewrites what it read is not found out here.
Words that the user said are the user's, wherever else they stand. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from director.agent.permissions.tool_policy import list_policy_addresses, list_policy_origins
from director.browser.approved_origins import get_origin_place
from director.context.values import AgentTurn, Call, Context, UserTurn
from director.secrets import OriginError
from director.workflow.paths import is_list
from director.workflow.values import Json

# What is shorter stands on many pages by chance.
SHORTEST = 12
_WORDS, _LONG = 4, 16  # a run of plain words that is no chance
_MOST = 8_000  # characters of a value that are looked for
# The lines in which our tools say which page they show; a page's own words stand below them.
_AT = re.compile(r"(?:- Page URL: |snapshot \w+ of |looked at |Tab '[^'\n]*' is at )(https?://\S+)")
_HEAD = 400
# The same in the results of nodes, which are JSON: no page can write an open quotation mark there.
_WENT = re.compile(r'"navigated":"(https?://[^"]+)"')
_RAN = frozenset({"test_single_node", "execute_nodes"})
# Their words are of many pages, or of none.
_MIXED = frozenset({"get_workflow_variables", "get_workflow_variable", "recall"})
_TABS = "get_browser_state"
# Arguments that are opened, typed or run, by the names that tools and configs have for them.
_OPENED = frozenset({"url", "source"})
_TYPED = frozenset({"text", "value", "label"})
_RUN = frozenset({"code", "goal", "instruction"})
_INSIDE = frozenset({"", "config", "changes"})


@dataclass(frozen=True, slots=True)
class PageText:
    """What was read of the web: the origin of the page, empty if not known, and its words."""

    origin: str
    text: str


@dataclass(frozen=True, slots=True)
class ReadTexts:
    """All that a model has read: the user's own words, and the web's."""

    user: str = ""
    web: tuple[PageText, ...] = field(default=())


def collect_provenance_texts(said: Context) -> ReadTexts:
    """The words of a conversation, by who wrote them."""
    user: list[str] = []
    web: list[PageText] = []
    at = ""
    if said.summary is not None and said.summary.trust == "web":
        web.append(PageText("", _plain(said.summary.text)))
    for turn in said.turns:
        if isinstance(turn, UserTurn):
            user.append(turn.text)
        for call in turn.calls if isinstance(turn, AgentTurn) else ():
            if call.trust == "user":
                user.append(call.result)
            elif call.trust == "web" and call.tool != _TABS:
                page, words = _page(call)
                at = page or at
                web.append(PageText("" if call.tool in _MIXED else at, words))
    return ReadTexts(_plain("\n".join(user)), tuple(web))


def find_text_sources(args: Json, known: ReadTexts, *, here: str = "") -> tuple[str, ...]:
    """The pages that opened, typed or run arguments came from; `here` is where text is typed.

    An origin that is not known is given as an empty text. Text that goes back to the page that it
    came from is not told.
    """
    found: dict[str, None] = {}
    for name, value in _arguments(args):
        for read in known.web:
            if name in _TYPED and read.origin and read.origin == here:
                continue
            if _came_from(name, value, read, known.user):
                found[read.origin] = None
    return tuple(found)


def write_provenance_line(found: tuple[str, ...]) -> str:
    """The pages in a few words; empty if there are none."""
    if not found:
        return ""
    named = [origin for origin in found if origin]
    return f"from the page {', '.join(named)}" if named else "from a page"


def find_address_provenance(origin: str, known: ReadTexts) -> str:
    """The page on which an origin was read, if the user did not name it."""
    if origin in map(str, list_policy_origins(known.user)):
        return ""
    host = origin.partition("://")[2]
    return next((read.origin for read in known.web if host in read.text and read.origin), "")


def find_text_provenance(text: str, known: ReadTexts) -> str:
    """The page that words were taken from, if the user did not say them; empty if from none."""
    for read in known.web:
        if any(piece in read.text and piece not in known.user for piece in _pieces(text)):
            return read.origin or "that was read"
    return ""


def _arguments(value: Json, name: str = "") -> Iterator[tuple[str, str]]:
    """The texts in the arguments that are opened, typed or run, each with its name."""
    if isinstance(value, str):
        if name in _OPENED | _TYPED | _RUN:
            yield name, value[:_MOST]
    elif isinstance(value, Mapping) and name in _INSIDE:
        for key, inner in value.items():
            yield from _arguments(inner, str(key))
    elif is_list(value):
        for inner in value:
            yield from _arguments(inner, name)


def _came_from(name: str, value: str, read: PageText, user: str) -> bool:
    if name in _OPENED:
        return any(_address_came_from(each, read, user) for each in list_policy_addresses(value))
    return any(piece in read.text and piece not in user for piece in _pieces(value))


def _address_came_from(address: str, read: PageText, user: str) -> bool:
    try:
        origin = str(get_origin_place(address))
    except OriginError:
        return address in read.text
    if origin == read.origin or origin in map(str, list_policy_origins(user)):
        return False
    return origin.partition("://")[2] in read.text


def _pieces(value: str) -> Iterator[str]:
    """What of a value tells where it came from: all of it, odd words, runs of plain ones."""
    whole = _plain(value)
    if len(whole) >= SHORTEST:
        yield whole
    words = [word.strip("\"'`()[]{},;") for word in whole.split(" ")]
    yield from (word for word in words if len(word) >= SHORTEST and not word.isalpha())
    parts = whole.split(" ")
    for start in range(len(parts) - _WORDS + 1):
        run = " ".join(parts[start : start + _WORDS])
        if len(run) >= _LONG:
            yield run


@lru_cache(256)
def _plain(text: str) -> str:
    return " ".join(text.split())


def _page(call: Call) -> tuple[str, str]:
    """The origin of the page that a result shows, and its words without our own line on it."""
    head, rest = call.result[:_HEAD], call.result[_HEAD:]
    found = _AT.search(head)
    text = f"{_AT.sub('', head)}{rest}"
    if call.tool in _RAN:
        went = list(_WENT.finditer(text))
        text, found = _WENT.sub("", text), went[-1] if went else found
    try:
        return (str(get_origin_place(found[1])) if found else ""), _plain(text)
    except OriginError:
        return "", _plain(text)
