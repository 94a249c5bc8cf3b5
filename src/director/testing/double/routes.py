"""All endpoints of the double, and how a path finds its own. It knows no socket."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from director.testing.double import listing
from director.testing.double.chat import endpoints as chat
from director.testing.double.endpoint import EndpointRoute
from director.testing.double.messages import endpoints as messages
from director.testing.double.responses import compact, conversations
from director.testing.double.responses import endpoints as responses

ROUTES: tuple[EndpointRoute, ...] = (
    *responses.ROUTES,
    *conversations.ROUTES,
    *compact.ROUTES,
    *chat.ROUTES,
    *listing.ROUTES,
    *messages.ROUTES,
)


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    """The expression of a route's pattern: its names stand for anything but a slash."""
    named = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(pattern))
    return re.compile(named)


def find_route(
    routes: Iterable[EndpointRoute], method: str, path: str
) -> tuple[EndpointRoute, dict[str, str]] | None:
    """The route of a path with the names in it; a literal path goes before one with names."""
    for route in sorted(routes, key=lambda route: route.pattern.count("{")):
        match = _pattern(route.pattern).fullmatch(path)
        if route.method == method and match:
            return route, match.groupdict()
    return None
