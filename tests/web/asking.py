"""Requests handed to the app itself, without a client in between: many of them in little time."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fastapi import FastAPI
from starlette.types import Message

from web.rooms import PORT

OURS = f"127.0.0.1:{PORT}"


@dataclass(frozen=True, slots=True)
class Ask:
    """A request."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes = b""


def statuses(app: FastAPI, asks: Iterable[Ask]) -> list[int]:
    """The status of the answer to each request."""
    return asyncio.run(_all(app, asks))


async def _all(app: FastAPI, asks: Iterable[Ask]) -> list[int]:
    return [await _one(app, ask) for ask in asks]


async def _one(app: FastAPI, ask: Ask) -> int:
    found: list[int] = []
    headers = {"host": OURS, **ask.headers}
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": ask.method,
        "path": ask.path,
        "raw_path": ask.path.encode(),
        "root_path": "",
        "query_string": b"",
        "scheme": "http",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 50_000),
        "server": ("127.0.0.1", PORT),
    }

    async def receive() -> Message:
        return {"type": "http.request", "body": ask.body, "more_body": False}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            found.append(message["status"])

    await app(scope, receive, send)
    return found[0]
