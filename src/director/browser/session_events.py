"""What happened in a session, in its order: errors, dialogs, downloads, forms, blocked origins.

Kept in memory, bounded, and cleaned of secrets before it is kept.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias, final

Kind: TypeAlias = Literal[
    "console", "error", "dialog", "download", "blocked", "unreached", "popup", "crash", "form"
]
_KEPT: Final = 2_000
_LONGEST: Final = 2_000
_DIALOGS: Final = 50
_SENDINGS: Final = 100
_LONGEST_BODY: Final = 100_000


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened, when in the session's count, and in which tab if in one."""

    number: int
    kind: Kind
    text: str
    tab: str = ""


@dataclass(frozen=True, slots=True)
class DialogEvent:
    """A dialog of a page; `is_expected` unless it asked something that nobody had an answer to."""

    type: str
    message: str
    answer: str
    is_expected: bool


@dataclass(frozen=True, slots=True)
class Answered:
    """A response to a request of the session; status 0 if the request failed.

    `is_page` if it is the document of a tab. `address` is where it came from as conditions compare
    it, without secrets too; never shown.
    """

    number: int
    method: str
    url: str
    status: int
    is_page: bool = False
    address: str = ""


@dataclass(frozen=True, slots=True)
class OutgoingRequest:
    """A request that changes something, as it left: `is_page` if its answer is a page.

    Its body is kept in memory only, to tell whether the same was sent twice.
    """

    number: int
    method: str
    url: str
    body: bytes
    is_page: bool


@final
class Events:
    """The events of one session."""

    def __init__(
        self, clean: Callable[[str], str], replace_values: Callable[[str], str] = str
    ) -> None:
        self._clean, self._replace_values = clean, replace_values
        self._count = itertools.count(1)
        self._last = 0
        self._events: deque[Event] = deque(maxlen=_KEPT)
        self._answered: deque[Answered] = deque(maxlen=_KEPT)
        self._dialogs: list[DialogEvent] = []
        self._sendings: deque[OutgoingRequest] = deque(maxlen=_SENDINGS)

    def mark(self) -> int:
        """Now, for `since`."""
        return self._last

    def add(self, kind: Kind, text: str, tab: str = "") -> None:
        """Keep an event."""
        self._events.append(Event(self._next(), kind, self._clean(text)[:_LONGEST], tab))

    def add_response(self, method: str, url: str, *, status: int, is_page: bool = False) -> None:
        """Keep a response."""
        address = self._replace_values(url)
        told = Answered(self._next(), method, self._clean(url), status, is_page, address)
        self._answered.append(told)

    def add_dialog(self, dialog: DialogEvent, tab: str = "") -> None:
        """Keep a dialog: as an event, and for `take_dialogs`."""
        said = replace(dialog, message=self._clean(dialog.message)[:_LONGEST])
        self.add("dialog", f"{said.type}: {said.message} ({said.answer})", tab)
        self._dialogs = [*self._dialogs, said][-_DIALOGS:]

    def take_dialogs(self) -> tuple[DialogEvent, ...]:
        """The dialogs since they were last taken."""
        taken, self._dialogs = tuple(self._dialogs), []
        return taken

    def add_sending(self, method: str, url: str, body: bytes, *, is_page: bool) -> None:
        """Keep a request that changes something."""
        url, body = self._clean(url), body[:_LONGEST_BODY]
        self._sendings.append(OutgoingRequest(self._next(), method, url, body, is_page))

    def since(self, mark: int = 0) -> tuple[Event, ...]:
        """The events after a mark, oldest first."""
        return tuple(event for event in self._events if event.number > mark)

    def responses(self, mark: int = 0) -> tuple[Answered, ...]:
        """The responses after a mark, oldest first."""
        return tuple(each for each in self._answered if each.number > mark)

    def sendings(self, mark: int = 0) -> tuple[OutgoingRequest, ...]:
        """The requests that change something, after a mark, oldest first."""
        return tuple(each for each in self._sendings if each.number > mark)

    def _next(self) -> int:
        self._last = next(self._count)
        return self._last
