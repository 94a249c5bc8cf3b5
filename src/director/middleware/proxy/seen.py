"""What the proxy saw of each client: counts, and nothing that was said.

A client is known by a digest of its key, made with a secret that dies with the proxy; without a
key, by the session that it names, or by its connection. Keys and texts are never kept.
"""

from __future__ import annotations

import hashlib
import html
import secrets
from collections import OrderedDict
from dataclasses import asdict, dataclass, replace

from director.context.report import Report
from director.middleware.proxy.http_lines import ProxyRequest

_MOST = 500
_PATH_SHOWN = 120
_KEYS = (b"authorization", b"x-api-key", b"api-key")
SESSION = b"x-director-session"
# A key is somebody's own if it is as long and as various as those that are given out.
_SHORTEST, _LETTERS = 20, 10


@dataclass(frozen=True, slots=True)
class ClientTraffic:
    """What one client sent and what of it went on, in tokens of our counter."""

    client: str
    agent: str
    requests: int = 0
    looked_at: int = 0
    changed: int = 0
    before: int = 0
    after: int = 0
    too_large: int = 0

    @property
    def share(self) -> float:
        """How much less went on."""
        return 1 - self.after / self.before if self.before else 0.0


class TrafficCounts:
    """The counts of all clients, the latest last."""

    def __init__(self) -> None:
        self._secret = secrets.token_bytes(16)
        self._clients: OrderedDict[str, ClientTraffic] = OrderedDict()
        self._unmanaged: OrderedDict[tuple[str, str], int] = OrderedDict()

    def owner(self, request: ProxyRequest) -> str:
        """Who sends a request: the same name for the same key, as long as the proxy runs.

        Those without a key are strangers to one another: each is known by its session, if it
        names one, or by its connection.
        """
        keys = [request.header(name) for name in _KEYS]
        session = request.header(SESSION)
        if not any(keys):
            keys.append(b"session" if session else request.connection.encode())
        told = b"\n".join([*keys, session])
        return hashlib.blake2b(told, key=self._secret, digest_size=16).hexdigest()

    def count(
        self,
        request: ProxyRequest,
        report: Report | None = None,
        *,
        changed: bool = False,
        unmanaged: str = "",
    ) -> None:
        """Count a request, with what was done to it, or why it could not be looked at."""
        if unmanaged:
            self._count_unmanaged(request.path[:_PATH_SHOWN], unmanaged)
        owner = self.owner(request)
        agent = request.header(b"user-agent").decode("latin-1")[:60]
        known = self._clients.pop(owner, ClientTraffic(owner[:8], agent))
        known = replace(known, agent=agent, requests=known.requests + 1)
        if report is not None:
            known = replace(
                known,
                looked_at=known.looked_at + 1,
                changed=known.changed + changed,
                before=known.before + report.before,
                after=known.after + report.after,
                too_large=known.too_large + (not report.fits),
            )
        self._clients[owner] = known
        if len(self._clients) > _MOST:
            self._clients.popitem(last=False)

    def _count_unmanaged(self, path: str, reason: str) -> None:
        count = self._unmanaged.pop((path, reason), 0)
        self._unmanaged[path, reason] = count + 1
        if len(self._unmanaged) > _MOST:
            self._unmanaged.popitem(last=False)

    @property
    def clients(self) -> list[ClientTraffic]:
        """The clients, the latest first."""
        return list(reversed(self._clients.values()))

    def list_unmanaged(self) -> list[tuple[str, str, int]]:
        """Path, reason and number of the requests that were passed on, the latest first."""
        return [(*what, count) for what, count in reversed(self._unmanaged.items())]

    def as_json(self) -> dict[str, object]:
        """All counts, for programs."""
        unmanaged = [
            {"path": path, "reason": reason, "requests": count}
            for path, reason, count in self.list_unmanaged()
        ]
        return {"clients": [asdict(one) for one in self.clients], "unmanaged": unmanaged}

    def page(self, about: str) -> str:
        """All counts, for people; it loads itself anew."""
        rows = "\n".join(_row(one) for one in self.clients)
        passed = "\n".join(_write_unmanaged_row(*each) for each in self.list_unmanaged())
        return _PAGE.format(
            about=html.escape(about),
            rows=rows or _NOTHING,
            unmanaged=_UNMANAGED.format(rows=passed) if passed else "",
        )


def can_recall_seen(request: ProxyRequest) -> bool:
    """Whether who sends a request is known: a key such as "ollama" is that of many."""
    keys = [request.header(name).rpartition(b" ")[2] for name in _KEYS]
    own = any(len(key) >= _SHORTEST and len(set(key)) >= _LETTERS for key in keys)
    return own or not any(keys) or bool(request.header(SESSION))


def _row(one: ClientTraffic) -> str:
    cells = (
        f"<code>{one.client}</code>",
        html.escape(one.agent) or "–",
        f"{one.requests:,}",
        f"{one.changed:,}",
        f"{one.before:,}",
        f"{one.after:,}",
        f"{one.share:.0%}",
        f"{one.too_large:,}",
    )
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def _write_unmanaged_row(path: str, reason: str, count: int) -> str:
    path, reason = html.escape(path), html.escape(reason)
    return f"<tr><td><code>{path}</code></td><td>{reason}</td><td>{count:,}</td></tr>"


_NOTHING = '<tr><td colspan="8">No request yet.</td></tr>'
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="2">
<meta name="viewport" content="width=device-width"><title>Director proxy</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; margin: 2rem; color: #1b1b1b; background: #fff }}
table {{ border-collapse: collapse }} th, td {{ padding: .3rem .8rem; text-align: right;
border-bottom: 1px solid #ccc }} th:nth-child(-n+2), td:nth-child(-n+2) {{ text-align: left }}
@media (prefers-color-scheme: dark) {{ body {{ color: #eee; background: #1b1b1b }} }}
</style></head><body><main><h1>Director proxy</h1><p>{about}</p>
<table><thead><tr><th scope="col">client</th><th scope="col">agent</th><th scope="col">requests</th>
<th scope="col">made smaller</th><th scope="col">tokens in</th><th scope="col">tokens sent</th>
<th scope="col">saved</th><th scope="col">did not fit</th></tr></thead>
<tbody>
{rows}
</tbody></table>
{unmanaged}</main></body></html>
"""
_UNMANAGED = """<h2>Passed on as they came</h2><p>Nothing of these requests was managed.</p>
<table><thead><tr><th scope="col">path</th><th scope="col">reason</th><th scope="col">requests</th>
</tr></thead><tbody>
{rows}
</tbody></table>
"""
