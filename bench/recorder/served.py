"""The local sites, served on the loopback address and told apart by their host name.

It must never reach the network: the browser resolves the names of `HOSTS` to this server only.
"""

from __future__ import annotations

import html
import importlib
import inspect
import json
import pydoc
import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType

LONGEST = 110_000  # a longer page would fill a recording by itself
SITES = Path(__file__).parent.parent / "sites"
HOSTS = {
    "shop.test": "shop",
    "issues.test": "tracker",
    "travel.test": "travel",
    "docs.test": "docs",
}

# Small modules written in Python, whose pages name no path of this machine.
MODULES = (
    "base64 bdb binhex bisect calendar cmd code codeop colorsys configparser contextlib copy csv"
    " dataclasses difflib dis enum filecmp fnmatch fractions functools getopt gettext glob"
    " graphlib heapq hmac html imghdr ipaddress keyword linecache mailbox netrc nturl2path numbers"
    " opcode operator optparse pickle pprint queue quopri reprlib sched secrets selectors"
    " shelve shlex smtplib sndhdr socketserver stat statistics string stringprep struct"
    " textwrap timeit tokenize types uu wave weakref xdrlib zipapp"
).split()


class _Pages(pydoc.HTMLDoc):
    """pydoc's pages without the place where a module is installed."""

    def filelink(self, url: str, path: str) -> str:  # noqa: ARG002  pydoc calls it so
        """Name a module's file without its directory."""
        return Path(path).name


def write_docs(target: Path) -> dict[str, list[str]]:
    """Write pydoc's pages of `MODULES` and an index of them; return the names in each."""
    pages, names = _Pages(), {}
    for module in _importable():
        title = module.__name__
        # An address in memory differs from one time to the next.
        body = re.sub(r"\b0x[0-9a-f]{9,}", "0x0", pages.page(title, pages.document(module, title)))
        if len(body) > LONGEST:
            continue
        (target / f"{title}.html").write_text(body, encoding="utf-8")
        names[title] = _public(module)
    links = "".join(
        f'<li><a href="{name}.html">{name}</a> {html.escape(_summary(name))}</li>' for name in names
    )
    (target / "index.html").write_text(
        "<!doctype html><meta charset=utf-8><title>Modules</title><link rel=stylesheet href=/style.css>"
        "<nav><a href=/desk.html>Reading desk</a></nav><h1>Modules</h1>"
        "<form action=/find.html><label>Which module defines <input name=q></label>"
        f"<button>Look up</button></form><ul>{links}</ul>",
        encoding="utf-8",
    )
    (target / "names.js").write_text(f"export const names = {json.dumps(names)};\n")
    return names


def _importable() -> Iterator[ModuleType]:
    for name in MODULES:
        try:
            yield importlib.import_module(name)
        except ImportError:
            continue


def _public(module: ModuleType) -> list[str]:
    listed = getattr(module, "__all__", None) or [n for n in vars(module) if n[0] != "_"]
    inner = [
        attribute
        for name in listed
        if inspect.isclass(kind := getattr(module, name, None))
        for attribute in vars(kind)
        if attribute[0] != "_"
    ]
    return sorted({*listed, *inner})


def _summary(name: str) -> str:
    return pydoc.splitdoc(pydoc.getdoc(importlib.import_module(name)))[0]


@contextmanager
def serving(scratch: Path) -> Iterator[tuple[int, dict[str, list[str]]]]:
    """Serve every site from a copy in `scratch`; give the port and the names of the docs."""
    root = scratch / "sites"
    shutil.copytree(SITES, root)
    names = write_docs(root / "docs")

    class Handler(SimpleHTTPRequestHandler):
        def translate_path(self, path: str) -> str:
            site = root / HOSTS.get(self.headers["Host"].split(":")[0], "missing")
            wanted = path.split("?", maxsplit=1)[0].lstrip("/")
            found = [p for p in (site / wanted, root / wanted) if p.is_file()]
            return str(found[0] if found else site / "index.html")

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_address[1], names
    finally:
        server.shutdown()
        server.server_close()
