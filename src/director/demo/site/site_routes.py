"""Which page answers which address."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from typing import TypeAlias

from director.demo.site.http_values import Response, SiteVisit
from director.demo.site.pages import checkout, flaky, grid, lab, mailbox, shop, start
from director.demo.site.pages.pieces import missing

Answer: TypeAlias = Callable[[SiteVisit], Response]
_STATIC = {"site.css": "text/css", "site.js": "text/javascript", "icon.svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class SiteRoute:
    """A method, a pattern of addresses, and who answers."""

    method: str
    path: re.Pattern[str]
    answer: Answer


def static(visit: SiteVisit) -> Response:
    """A file of the package; a style sheet in the look of the visit."""
    name = visit.arguments[0]
    if name not in _STATIC:
        return missing(visit)
    folder = files("director.demo.site").joinpath("static")
    text = folder.joinpath(name).read_text()
    if name == "site.css":
        redesign = folder.joinpath("redesign.css").read_text() if visit.look.redesign else ""
        text = visit.look.styles(text + redesign)
    return Response(text.encode(), type=f"{_STATIC[name]}; charset=utf-8")


def _routes(*rows: tuple[str, str, Answer]) -> tuple[SiteRoute, ...]:
    return tuple(SiteRoute(method, re.compile(path), answer) for method, path, answer in rows)


ROUTES = _routes(
    ("GET", "/", start.start),
    ("GET", "/api/state", start.state),
    ("GET", r"/static/([a-z]+\.[a-z]+)", static),
    ("GET", "/mail", mailbox.inbox),
    ("GET", "/mail/login", mailbox.login),
    ("POST", "/mail/login", mailbox.enter),
    ("POST", "/mail/logout", mailbox.leave),
    ("POST", "/mail/archive", mailbox.archive_chosen),
    ("GET", r"/mail/([0-9]{1,6})", mailbox.read),
    ("POST", r"/mail/([0-9]{1,6})/archive", mailbox.archive),
    ("POST", r"/mail/([0-9]{1,6})/restore", mailbox.restore),
    ("POST", r"/mail/([0-9]{1,6})/label", mailbox.label),
    ("GET", "/grid", grid.grid),
    ("POST", "/grid/rows", grid.add),
    ("GET", r"/grid/rows\.csv", grid.export),
    ("POST", "/grid/upload", grid.upload),
    ("POST", r"/grid/rows/([0-9]{1,6})", grid.edit),
    ("POST", r"/grid/rows/([0-9]{1,6})/delete", grid.delete),
    ("GET", "/shop", shop.shop),
    ("GET", r"/shop/products/([A-Z]{2}-[0-9]{3})", shop.product),
    ("GET", r"/shop/pictures/([A-Z]{2}-[0-9]{3})\.svg", shop.picture),
    ("GET", "/shop/cart", shop.cart),
    ("POST", "/shop/cart", shop.put),
    ("POST", "/shop/cart/change", shop.change),
    ("GET", "/shop/login", checkout.login),
    ("POST", "/shop/login", checkout.enter),
    ("GET", "/shop/login/code", checkout.code),
    ("POST", "/shop/login/code", checkout.confirm),
    ("POST", "/shop/logout", checkout.leave),
    ("GET", "/shop/checkout", checkout.checkout),
    ("GET", "/shop/orders", checkout.orders),
    ("POST", "/shop/orders", checkout.place),
    ("GET", r"/shop/orders/(OI-[0-9]{4,6})", checkout.order),
    ("GET", "/flaky", flaky.flaky),
    ("POST", "/flaky/notes", flaky.keep_note),
    ("GET", "/flaky/fails", flaky.fails),
    ("GET", "/flaky/slow", flaky.slow),
    ("GET", "/flaky/late", flaky.late),
    ("GET", "/lab", lab.lab),
    ("GET", "/lab/frame", lab.frame),
    ("POST", "/lab/frame", lab.keep_sent),
    ("GET", "/lab/popup", lab.popup),
    ("GET", r"/lab/report\.csv", lab.report),
    ("GET", "/lab/feed", lab.feed),
    ("POST", "/lab/did", lab.did),
)


def find(method: str, path: str) -> tuple[Answer, tuple[str, ...]]:
    """Who answers an address, and what its pattern caught."""
    for route in ROUTES:
        if route.method == method and (found := route.path.fullmatch(path)):
            return route.answer, found.groups()
    return missing, ()
