"""A visitor of the site without a browser: keeps cookies, follows redirects, reads what comes."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from html import unescape
from http.client import HTTPMessage
from http.cookiejar import CookieJar
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, ProxyHandler, Request, build_opener

from director.demo.site import Site
from director.demo.site.values import MAIL_PASSWORD, SHOP_PASSWORD, USER

ADDRESS = {
    "name": "Ada Byron",
    "street": "Mill Lane 3",
    "postcode": "4010",
    "city": "Oldtown",
    "country": "Norway",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    url: str
    text: str
    headers: HTTPMessage

    def all(self, pattern: str) -> list[str]:
        """What a pattern finds in the markup, unescaped."""
        return [unescape(found) for found in re.findall(pattern, self.text, re.DOTALL)]


class Visitor:
    """One browser, or as much of it as is needed."""

    def __init__(self, site: Site) -> None:
        self._url = site.url
        self.cookies = CookieJar()
        self._opener = build_opener(ProxyHandler({}), HTTPCookieProcessor(self.cookies))

    def get(self, path: str, **headers: str) -> Answer:
        """Ask for a page."""
        return self._ask(Request(self._url + path, headers=headers))  # noqa: S310  http only

    def post(self, path: str, fields: Any = (), **headers: str) -> Answer:
        """Send a form."""
        body = fields if isinstance(fields, bytes) else urlencode(fields, doseq=True).encode()
        return self._ask(Request(self._url + path, body, headers))  # noqa: S310  http only

    def _ask(self, request: Request) -> Answer:
        try:
            with self._opener.open(request, timeout=60) as came:
                return Answer(came.status, came.url, came.read().decode(), came.headers)
        except HTTPError as refused:
            with refused:
                return Answer(refused.code, refused.url, refused.read().decode(), refused.headers)

    def state(self) -> dict[str, Any]:
        """What the site says has happened."""
        told: dict[str, Any] = json.loads(self.get("/api/state").text)
        return told

    def enter_mailbox(self) -> Answer:
        """Log in to the mailbox."""
        return self.post("/mail/login", {"user": USER, "password": MAIL_PASSWORD})

    def begin_login(self) -> Answer:
        """The first step into the shop, after which a code is on its way."""
        return self.post("/shop/login", {"user": USER, "password": SHOP_PASSWORD})

    def code(self) -> str:
        """The code in the newest letter, read as a person would read it."""
        self.enter_mailbox()
        newest = self.get("/mail?label=Codes").all(r'href="/mail/(\d+)"')[0]
        return self.get(f"/mail/{newest}").all(r"<dt>Code</dt><dd>(\d{6})</dd>")[0]

    def enter_shop(self) -> Answer:
        """Log in to the shop, both steps."""
        self.begin_login()
        return self.post("/shop/login/code", {"code": self.code()})
