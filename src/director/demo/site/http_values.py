"""What comes in and what goes out: a visit and a response, as values. Knows nothing of sockets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from director.demo.site.look import SiteDesign
from director.demo.site.site_state import SiteState
from director.demo.site.values import SiteSession

HTML = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True)
class SubmittedForm:
    """What a form sent: texts by field, possibly several, and a file if there was one."""

    fields: Mapping[str, tuple[str, ...]]
    file: bytes = b""
    file_name: str = ""

    def text(self, name: str) -> str:
        """The last text of a field, without blanks around it; empty if it was not sent."""
        return self.fields.get(name, ("",))[-1].strip()

    def texts(self, name: str) -> tuple[str, ...]:
        """All texts of a field."""
        return self.fields.get(name, ())


@dataclass(frozen=True, slots=True)
class SiteVisit:
    """One request: what was asked for, by whom, and all that the site remembers."""

    path: str
    query: SubmittedForm
    form: SubmittedForm
    session: SiteSession
    state: SiteState
    look: SiteDesign
    arguments: tuple[str, ...] = ()

    def number(self, name: str, usual: int, *, most: int, least: int = 1) -> int:
        """A count from the address, kept within its bounds; `usual` if it is none."""
        text = self.query.text(name)
        if not (text.isascii() and text.isdecimal()) or len(text) > 9:
            return usual
        return max(least, min(int(text), most))


@dataclass(frozen=True, slots=True)
class Response:
    """What the browser gets. `delay` is waited first; `renew` gives the session another name."""

    body: bytes = b""
    status: int = 200
    type: str = HTML
    headers: tuple[tuple[str, str], ...] = ()
    delay: float = 0.0
    renew: bool = False


def redirect(address: str, *, renew: bool = False) -> Response:
    """Go on at another address of the site."""
    return Response(status=303, headers=(("Location", address),), renew=renew)


def download(text: str, name: str) -> Response:
    """A CSV file to be saved."""
    headers = (("Content-Disposition", f'attachment; filename="{name}"'),)
    return Response(text.encode(), type="text/csv; charset=utf-8", headers=headers)


def address(path: str, **query: str | int) -> str:
    """A path with a query; what is empty is left out."""
    given = urlencode({name: value for name, value in query.items() if value not in ("", 0)})
    return f"{path}?{given}" if given else path
