"""Every route of the app, found by asking the app: a new one is covered the moment it exists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts

# What stands for a name in a path; what is not here is a word.
_NAMES = {
    "workflow": "w",
    "thread": "none",
    "run": "r1",
    "seq": "1",
    "number": "1",
    "other": "2",
    "node": "first",
    "hash_": "0" * 64,
    "variable": "OPENAI_API_KEY",
    "path": "app.css",
}
_NAME = re.compile(r"\{(\w+)(?::\w+)?\}")
SAFE = ("GET", "HEAD", "OPTIONS")


def routes(app: FastAPI) -> Iterator[tuple[str, str]]:
    """The method and a path of each route; of what is mounted, a path beneath it."""
    for route in iter_route_contexts(app.routes):
        path = str(route.path)
        methods = getattr(route, "methods", None)
        filled = _NAME.sub(lambda name: _NAMES.get(name[1], "word"), path)
        if methods is None:
            yield "GET", f"{filled}/app.css"
        for method in sorted(methods or ()):
            yield method, filled


def unsafe(app: FastAPI) -> list[tuple[str, str]]:
    """The routes that change something."""
    return [(method, path) for method, path in routes(app) if method not in SAFE]


def bodies(app: FastAPI) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The routes that take a body, each with the schema of it."""
    described = app.openapi()
    for path, ways in described["paths"].items():
        for method, way in ways.items():
            if "requestBody" in way:
                schema = way["requestBody"]["content"]["application/json"]["schema"]
                name = schema["$ref"].rpartition("/")[2]
                filled = _NAME.sub(lambda found: _NAMES.get(found[1], "word"), path)
                yield method.upper(), filled, described["components"]["schemas"][name]
