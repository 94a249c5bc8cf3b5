"""Applications and component galleries that others made, from packages, served on loopback.

A folder holds what pip and npm installed: `py/` is a virtual environment with datasette, sqlite-web,
jupyterlab and nicegui, `node_modules/` has node-red, verdaccio, swagger-ui-dist, Shoelace, jQuery UI,
Tabulator and Monaco. What is not there is left out, and the names that are measured say so.
"""

from __future__ import annotations

import functools
import http.server
import os
import signal
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

_STARTS = 60.0
_SHOELACE = """<!doctype html><title>Shoelace</title>
<link rel=stylesheet href="/node_modules/@shoelace-style/shoelace/cdn/themes/light.css">
<script type=module src="/node_modules/@shoelace-style/shoelace/cdn/shoelace.js"></script>
<h1>Gallery</h1><sl-button>Save</sl-button><sl-button variant=danger>Delete</sl-button>
<sl-input label="First name"></sl-input><sl-input label="Last name" help-text="as written"></sl-input>
<sl-textarea label="Notes"></sl-textarea><sl-checkbox>Agree</sl-checkbox><sl-switch>Dark</sl-switch>
<sl-radio-group label="Size" name=a><sl-radio value=1>Small</sl-radio><sl-radio value=2>Large</sl-radio>
</sl-radio-group><sl-select label="Colour"><sl-option value=r>Red</sl-option><sl-option value=g>Green
</sl-option></sl-select><sl-range label="Volume"></sl-range><sl-rating label="Rating"></sl-rating>
<sl-details summary="More" open>Words inside <a href="#x">a link</a></sl-details>
<sl-tab-group><sl-tab slot=nav panel=one>One</sl-tab><sl-tab slot=nav panel=two>Two</sl-tab>
<sl-tab-panel name=one>First panel</sl-tab-panel><sl-tab-panel name=two>Second</sl-tab-panel>
</sl-tab-group><sl-tree><sl-tree-item expanded>Leaf<sl-tree-item>Twig</sl-tree-item></sl-tree-item>
<sl-tree-item>Stone</sl-tree-item></sl-tree><sl-icon-button name=gear label=Settings></sl-icon-button>
<sl-breadcrumb><sl-breadcrumb-item>Home</sl-breadcrumb-item><sl-breadcrumb-item>Shop
</sl-breadcrumb-item></sl-breadcrumb>"""
_JQUERY = """<!doctype html><title>jQuery UI</title>
<link rel=stylesheet href="/node_modules/jquery-ui-dist/jquery-ui.css">
<script src="/node_modules/jquery/dist/jquery.min.js"></script>
<script src="/node_modules/jquery-ui-dist/jquery-ui.min.js"></script>
<h1>Widgets</h1><div id=acc><h3>One</h3><div>First text</div><h3>Two</h3><div>Second</div></div>
<div id=tabs><ul><li><a href="#t1">Alpha</a></li><li><a href="#t2">Beta</a></li></ul>
<div id=t1>Alpha text</div><div id=t2>Beta text</div></div><div id=cal></div><div id=slide></div>
<input id=spin value=3><select id=menu><option>Slow<option>Fast</select><button id=b>Press</button>
<ul id=m><li><div>Open</div></li><li><div>Close</div></li></ul><fieldset><legend>Ways</legend>
<label for=r1>Air</label><input type=radio name=r id=r1><label for=r2>Sea</label>
<input type=radio name=r id=r2></fieldset><script>$("#acc").accordion(); $("#tabs").tabs();
$("#cal").datepicker({defaultDate: "01/15/2026"}); $("#slide").slider(); $("#spin").spinner();
$("#menu").selectmenu(); $("#b").button(); $("#m").menu(); $("[type=radio]").checkboxradio()</script>"""
_TABULATOR = """<!doctype html><title>Tabulator</title>
<link rel=stylesheet href="/node_modules/tabulator-tables/dist/css/tabulator.min.css">
<script src="/node_modules/tabulator-tables/dist/js/tabulator.min.js"></script><h1>Rows</h1><div id=t>
</div><script>const rows = [...Array(500)].map((_, n) => ({id: n, name: "Row " + n, sum: n * 7 % 100}));
new Tabulator("#t", {height: 320, data: rows, columns: [{title: "Name", field: "name", headerFilter:
"input"}, {title: "Sum", field: "sum", editor: "number"}, {title: "Done", formatter: "tickCross"}]})
</script>"""
_SWAGGER = """<!doctype html><title>API</title>
<link rel=stylesheet href="/node_modules/swagger-ui-dist/swagger-ui.css"><div id=ui></div>
<script src="/node_modules/swagger-ui-dist/swagger-ui-bundle.js"></script><script>
const call = (summary, tags) => ({summary, tags, parameters: [{name: "id", in: "query", schema: {type:
"integer"}}], responses: {200: {description: "fine"}}});
SwaggerUIBundle({dom_id: "#ui", docExpansion: "full", spec: {openapi: "3.0.0", info: {title: "Shop",
version: "1"}, paths: {"/pets": {get: call("List pets", ["pets"]), post: call("Add a pet", ["pets"])},
"/orders": {get: call("List orders", ["orders"]), delete: call("Drop orders", ["orders"])}}}})</script>"""
_MONACO = """<!doctype html><title>Monaco</title><h1>Code</h1>
<div id=e style="width: 700px; height: 300px; border: 1px solid"></div><button>Run</button>
<script src="/node_modules/monaco-editor/min/vs/loader.js"></script><script>
require.config({paths: {vs: "/node_modules/monaco-editor/min/vs"}});
require(["vs/editor/editor.main"], () => monaco.editor.create(document.getElementById("e"),
{value: "let a = 1;\\n", language: "javascript"}))</script>"""
GALLERIES = {
    "Shoelace": ("@shoelace-style/shoelace", _SHOELACE),
    "jQuery UI": ("jquery-ui-dist", _JQUERY),
    "Tabulator": ("tabulator-tables", _TABULATOR),
    "Swagger UI": ("swagger-ui-dist", _SWAGGER),
    "Monaco": ("monaco-editor", _MONACO),
}


@dataclass(frozen=True)
class Application:
    """Something that others made, and its pages."""

    name: str
    kind: str
    urls: tuple[str, ...]


@contextmanager
def serve_applications(folder: Path | None) -> Iterator[list[Application]]:
    """All that is installed in a folder, until the end."""
    with ExitStack() as stack:
        if folder is None:
            yield []
            return
        found = [stack.enter_context(_galleries(folder))]
        for start in (_datasette, _sqlite_web, _jupyter, _node_red, _verdaccio, _nicegui):
            app = stack.enter_context(start(folder))
            found.append([app] if app else [])
        yield [app for apps in found for app in apps]


@contextmanager
def _galleries(folder: Path) -> Iterator[list[Application]]:
    pages = {
        f"/gallery/{at}.html": text
        for at, (package, text) in enumerate(GALLERIES.values())
        if (folder / "node_modules" / package).is_dir()
    }

    class Answer(http.server.SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path not in pages:
                super().do_GET()
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(pages[self.path].encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    handler = functools.partial(Answer, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{server.server_port}"
    names = list(GALLERIES)
    yield [Application(names[int(path[9:-5])], "galleries", (origin + path,)) for path in pages]
    server.shutdown()


@contextmanager
def _served(
    name: str, command: Sequence[str | Path], port: int, paths: Sequence[str], cwd: Path
) -> Iterator[Application | None]:
    if not Path(command[0]).exists():
        yield None
        return
    environ = {**os.environ, "HOME": str(cwd), "NO_COLOR": "1"}
    running = subprocess.Popen(
        [str(each) for each in command],
        cwd=cwd,
        env=environ,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    origin = f"http://127.0.0.1:{port}"
    try:
        yield (
            Application(name, "applications", tuple(origin + path for path in paths))
            if _answers(origin + paths[0])
            else None
        )
    finally:
        os.killpg(running.pid, signal.SIGTERM)
        running.wait(20)


def _answers(url: str) -> bool:
    until = time.monotonic() + _STARTS
    while time.monotonic() < until:
        try:
            urllib.request.urlopen(url, timeout=5).close()  # noqa: S310  loopback
        except urllib.error.HTTPError:
            return True
        except OSError:
            time.sleep(0.5)
        else:
            return True
    return False


def _port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _database(folder: Path) -> Path:
    path = folder / "shop.db"
    with sqlite3.connect(path) as db:
        db.execute(
            "create table orders (id integer primary key, customer text, total real, paid text)"
        )
        rows = [(n, f"Customer {n % 17}", n * 1.5, "yes" if n % 3 else "no") for n in range(300)]
        db.executemany("insert into orders values (?, ?, ?, ?)", rows)
    return path


@contextmanager
def _datasette(folder: Path) -> Iterator[Application | None]:
    with tempfile.TemporaryDirectory() as made:
        port, path = _port(), _database(Path(made))
        command = [folder / "py/bin/datasette", path, "-p", str(port)]
        with _served("Datasette", command, port, ("/", "/shop/orders"), Path(made)) as app:
            yield app


@contextmanager
def _sqlite_web(folder: Path) -> Iterator[Application | None]:
    with tempfile.TemporaryDirectory() as made:
        port, path = _port(), _database(Path(made))
        command = [folder / "py/bin/sqlite_web", "-x", "-p", str(port), path]
        with _served("sqlite-web", command, port, ("/", "/orders/content/"), Path(made)) as app:
            yield app


@contextmanager
def _jupyter(folder: Path) -> Iterator[Application | None]:
    with tempfile.TemporaryDirectory() as made:
        port = _port()
        command = [
            folder / "py/bin/jupyter-lab",
            "--no-browser",
            "--allow-root",
            f"--port={port}",
            "--IdentityProvider.token=",
            "--LabApp.news_url=None",
        ]
        with _served("JupyterLab", command, port, ("/lab",), Path(made)) as app:
            yield app


@contextmanager
def _node_red(folder: Path) -> Iterator[Application | None]:
    with tempfile.TemporaryDirectory() as made:
        port = _port()
        command = [folder / "node_modules/.bin/node-red", "-p", str(port), "-u", made]
        with _served("Node-RED", command, port, ("/",), Path(made)) as app:
            yield app


@contextmanager
def _verdaccio(folder: Path) -> Iterator[Application | None]:
    with tempfile.TemporaryDirectory() as made:
        port = _port()
        config = Path(made, "config.yaml")
        config.write_text(
            "storage: ./storage\nauth: {htpasswd: {file: ./htpasswd}}\npackages: {'**': {access: $all}}\n"
        )
        command = [folder / "node_modules/.bin/verdaccio", "-c", config, "-l", f"127.0.0.1:{port}"]
        with _served("Verdaccio", command, port, ("/",), Path(made)) as app:
            yield app


_NICEGUI = """from nicegui import ui
ui.label("Orders"); ui.input("Customer"); ui.select(["Red", "Green"], label="Colour"); ui.slider(min=0, max=9)
ui.switch("Paid"); ui.checkbox("Sent"); ui.button("Save"); ui.date(value="2026-01-15")
ui.table(rows=[{"name": f"Row {n}", "sum": n} for n in range(8)], columns=[
    {"name": "name", "label": "Name", "field": "name"}, {"name": "sum", "label": "Sum", "field": "sum"}])
import sys
ui.run(port=int(sys.argv[1]), host="127.0.0.1", show=False, reload=False)
"""


@contextmanager
def _nicegui(folder: Path) -> Iterator[Application | None]:
    with tempfile.TemporaryDirectory() as made:
        port = _port()
        Path(made, "app.py").write_text(_NICEGUI)
        command = [folder / "py/bin/python", "app.py", str(port)]
        has = any((folder / "py").glob("lib/*/site-packages/nicegui"))
        with _served("NiceGUI", command if has else ["/none"], port, ("/",), Path(made)) as app:
            yield app
