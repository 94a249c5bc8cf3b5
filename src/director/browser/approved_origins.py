"""The approved origins of a session: the only places that its browser may reach.

Asked anew for every connection, so that an approval takes effect at once. Compared exactly, as
scheme, host and port; a wildcard stands for subdomains only where it is written out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, final

from director.browser.errors import NotApproved
from director.secrets import Origin, OriginError, parse_page_origin

_LONGEST: Final = 300


@final
class Origins:
    """A set of origins such as `https://example.org`, `http://127.0.0.1:8000`, `https://*.x.org`.

    The wildcard stands for every subdomain and not for `https://x.org` itself.
    """

    def __init__(self, approved: Iterable[str] = ()) -> None:
        self._exact: dict[Origin, None] = {}
        self._below: dict[Origin, None] = {}
        for origin in approved:
            self.approve(origin)

    def __iter__(self) -> Iterator[str]:
        yield from map(str, self._exact)
        yield from (str(each).replace("://", "://*.", 1) for each in self._below)

    def __repr__(self) -> str:
        return f"Origins({list(self)!r})"

    def approve(self, origin: str) -> None:
        """Let the browser reach one more origin, from now on."""
        scheme, found, rest = origin.partition("://*.")
        approved = parse_page_origin(f"{scheme}://{rest}" if found else origin)
        if _after_host(origin.partition("://")[2]) not in {"", "/"}:
            raise OriginError(
                f"An origin is approved as a whole: write {str(approved)!r}, with nothing after it."
            )
        if found and (approved.host.startswith("[") or approved.host.count(".") == 0):
            raise OriginError(
                f"The wildcard in {origin!r} would approve too much: it stands before a domain "
                "of at least two parts, as in 'https://*.example.org'."
            )
        (self._below if found else self._exact)[approved] = None

    def allows(self, origin: Origin) -> bool:
        """Whether the browser may reach this origin."""
        if origin in self._exact:
            return True
        labels = origin.host.split(".")
        return any(
            Origin(origin.scheme, ".".join(labels[cut:]), origin.port) in self._below
            for cut in range(1, len(labels))
        )

    def check(self, url: str) -> None:
        """Refuse an address that no navigation may go to."""
        if url == "about:blank":
            return
        try:
            origin = get_origin_place(url)
        except OriginError as error:
            raise NotApproved(
                f"The address {_scheme(url)!r} is not opened: only http and https addresses on "
                f"approved origins are. {error}"
            ) from None
        if not self.allows(origin):
            raise NotApproved(
                f"The origin {str(origin)!r} is not approved, and nothing was sent to it. "
                f"Approved: {', '.join(self) or 'none'}. "
                "If the workflow needs it, approve it: add it to the workflow's origins."
            )


def get_origin_place(url: str) -> Origin:
    """The origin of an address as a browser has it: after the host any letter may stand."""
    scheme, found, rest = url.partition("://")
    return parse_page_origin(f"{scheme}{found}{rest.removesuffix(_after_host(rest))}")


def describe_origin_place(url: str) -> str:
    """Where an address leads, as it is written: scheme and host, or the scheme alone.

    For what cannot be read as an origin. The user, path and query are never repeated.
    """
    scheme, found, rest = url.partition("://")
    if not found:
        return f"{url.partition(':')[0][:_LONGEST]}:" if ":" in url else "no address"
    host = re.split(r"[/\\?#]", rest, maxsplit=1)[0].rpartition("@")[2]
    return f"{scheme[:_LONGEST]}://{host[:_LONGEST]}"


def _after_host(rest: str) -> str:
    start = next((place for place, letter in enumerate(rest) if letter in "/?#"), len(rest))
    return rest[start:]


def _scheme(url: str) -> str:
    return f"{url.partition(':')[0][:20]}:…"
