"""The site: a state, a look, and an answer to every request; served on this machine only.

Sites know nothing of one another, so a test may run as many as it likes.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from director.demo.site.http_values import Response, SiteVisit, redirect
from director.demo.site.look import SiteDesign
from director.demo.site.site_routes import find
from director.demo.site.site_server import SiteRequest, SiteServer, form_of, query_of
from director.demo.site.site_state import SiteState
from director.demo.site.values import SiteSession

SESSION, REDESIGN = "session", "redesign"
_SAFE = (
    ("Cache-Control", "no-store"),
    ("Content-Security-Policy", "default-src 'self'; frame-ancestors 'self'; form-action 'self'"),
    ("Referrer-Policy", "same-origin"),
    ("X-Content-Type-Options", "nosniff"),
)


class Site:
    """A site made from a seed; `redesign` shows it redesigned to whoever does not choose."""

    def __init__(self, *, seed: int = 1, redesign: bool = False) -> None:
        self.state = SiteState.fresh(seed)
        self._seed = seed
        self._redesign = redesign
        self._url = ""

    @property
    def url(self) -> str:
        """Where it is served, without a slash at the end."""
        if not self._url:
            raise RuntimeError("The site is not served: use `with site.serve() as site:`.")
        return self._url

    def reset(self) -> None:
        """Forget all that happened, and every login."""
        with self.state.lock:
            self.state = SiteState.fresh(self._seed)

    @contextmanager
    def serve(self, port: int = 0) -> Iterator[Site]:
        """Answer on this machine until the block ends; port 0 takes a free one."""
        with SiteServer(port, self.answer) as server:
            listening = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
            listening.start()
            self._url = f"http://127.0.0.1:{server.port}"
            try:
                yield self
            finally:
                self._url = ""
                server.shutdown()
                listening.join()

    def answer(self, asked: SiteRequest) -> Response:
        """The response to a request, cookies and all."""
        if asked.method == "POST" and not asked.from_here:
            return Response(b"Forms are taken from the site's own pages only.", 403)
        if (asked.method, asked.path) == ("POST", "/reset"):
            self.reset()
            return redirect("/")
        state = self.state
        with state.lock:
            return self._visit(asked, state)

    def _visit(self, asked: SiteRequest, state: SiteState) -> Response:
        query = query_of(asked)
        chosen = query.text(REDESIGN) or asked.cookies.get(REDESIGN, "")
        look = SiteDesign(redesign=chosen == "1" if chosen else self._redesign, seed=self._seed)
        token = asked.cookies.get(SESSION, "")
        known = state.sessions.get(token)
        session = known or SiteSession()
        page, arguments = find("GET" if asked.method == "HEAD" else asked.method, asked.path)
        response = page(
            SiteVisit(asked.path, query, form_of(asked), session, state, look, arguments)
        )
        cookies = []
        if query.text(REDESIGN):
            cookies.append(_cookie(REDESIGN, str(int(look.redesign))))
        if response.renew or (known is None and session != SiteSession()):
            state.sessions.pop(token, None)
            token = secrets.token_urlsafe(24)
            state.sessions[token] = session
            cookies.append(_cookie(SESSION, token))
        return replace(response, headers=(*response.headers, *_SAFE, *cookies))


def _cookie(name: str, value: str) -> tuple[str, str]:
    return "Set-Cookie", f"{name}={value}; Path=/; HttpOnly; SameSite=Lax"
