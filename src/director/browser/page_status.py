"""Whether a page that was opened is the page that was meant: an error page is none."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from director.browser.errors import BrowserError, SiteAway

if TYPE_CHECKING:
    from director.browser.session import Session

_AWAY: Final = (502, 503, 504)


def find_page_status(session: Session, since: int) -> int | None:
    """The status with which the page that is open came, if it came after a mark.

    A request that a script of the page makes to the same address is not the page.
    """
    url = session.net.clean(session.page().url).partition("#")[0]
    pages = [each for each in session.responses(since) if each.is_page]
    answers = [each for each in pages if each.url.partition("#")[0] == url]
    return answers[-1].status if answers else None


def refuse_error_page(session: Session, since: int) -> None:
    """Fail if the site answered with an error instead of the page."""
    status = find_page_status(session, since)
    if status is None or status < HTTPStatus.BAD_REQUEST:
        return
    kind = SiteAway if status in _AWAY else BrowserError
    raise kind(
        f"{session.net.clean(session.page().url)!r} answered with an error, {status}: it is not "
        "the page that was meant. See whether the address and its values are right. If the "
        "workflow needs this error page, set 'any_status' to true."
    )


def describe_error_page(session: Session, since: int) -> str:
    """A warning if what was done led to a page that is an error; else nothing."""
    status = find_page_status(session, since)
    if status is None or status < HTTPStatus.BAD_REQUEST:
        return ""
    return f"The page that this led to is an error: the site answered {status}."
