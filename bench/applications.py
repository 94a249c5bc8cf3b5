"""Applications and component galleries that others made, served on loopback.

`installed.py` says which packages they come from. Those that are `held_out` are measured and never
looked at while anything is weighed or mended.
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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
_STARTS = 90.0
GALLERIES = {
    "Shoelace": "shoelace",
    "jQuery UI": "jquery_ui",
    "Tabulator": "tabulator",
    "Swagger UI": "swagger",
    "Monaco": "monaco",
    "Material Web": "material",
    "Element Plus": "element_plus",
    "MUI": "mui",
    "Ant Design": "antd",
    "Vuetify": "vuetify",
}
HELD_OUT = frozenset(("Ant Design", "Vuetify", "Streamlit", "Gradio", "marimo", "mitmweb"))


@dataclass(frozen=True)
class Program:
    """How an application is started: a command for a port, in a folder with what it needs."""

    name: str
    command: Callable[[Path, int], Sequence[str | Path]]
    paths: tuple[str, ...]
    prepare: Callable[[Path], None] = lambda _: None


@contextmanager
def serve_galleries(folder: Path) -> Iterator[dict[str, str]]:
    """The address of each gallery, until the end."""
    pages = {f"/{name}.html": HERE / "galleries" / f"{name}.html" for name in GALLERIES.values()}

    class Answer(http.server.SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path not in pages:
                super().do_GET()
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(pages[self.path].read_bytes())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    handler = functools.partial(Answer, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{server.server_port}"
    yield {name: f"{origin}/{page}.html" for name, page in GALLERIES.items()}
    server.shutdown()


@contextmanager
def serve_program(folder: Path, program: Program) -> Iterator[str]:
    """The origin of an application, until the end; empty if it does not start."""
    with tempfile.TemporaryDirectory() as made:
        program.prepare(Path(made))
        port = _port()
        command = [str(each) for each in program.command(folder, port)]
        environ = {**os.environ, **_QUIET, "HOME": made, "PORT": str(port)}
        running = subprocess.Popen(
            command,
            cwd=made,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        origin = f"http://127.0.0.1:{port}"
        try:
            if _answers(origin + program.paths[0]):
                yield origin
            else:
                print(f"{program.name} did not start and is left out", flush=True)
                yield ""
        finally:
            os.killpg(running.pid, signal.SIGTERM)
            running.wait(20)


_QUIET = {
    "NO_COLOR": "1",
    "GRADIO_ANALYTICS_ENABLED": "False",
    "STREAMLIT_BROWSER_GATHER_USAGE_STATS": "false",
    "NODE_RED_DISABLE_TELEMETRY": "1",
}


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


def _database(folder: Path) -> None:
    with sqlite3.connect(folder / "shop.db") as db:
        db.execute(
            "create table orders (id integer primary key, customer text, total real, paid text)"
        )
        rows = [(n, f"Customer {n % 17}", n * 1.5, "yes" if n % 3 else "no") for n in range(300)]
        db.executemany("insert into orders values (?, ?, ?, ?)", rows)


def _script(name: str) -> Callable[[Path], None]:
    source = HERE / "galleries" / f"{name}.py.txt"

    def write(folder: Path) -> None:
        (folder / "app.py").write_text(source.read_text())

    return write


_LOCUST = """from locust import HttpUser, task

class Visitor(HttpUser):
    host = "http://127.0.0.1:9"

    @task
    def look(self):
        self.client.get("/")
"""
_STUDY = """import optuna
for name in ("rows", "colours"):
    study = optuna.create_study(study_name=name, storage="sqlite:///trials.db")
    study.optimize(lambda trial: trial.suggest_float("x", -1, 1) ** 2, n_trials=12)
"""
_SUPERVISOR = """[supervisord]
nodaemon = true

[inet_http_server]
port = 127.0.0.1:%(ENV_PORT)s

[program:mail]
command = sleep 10000

[program:shop]
command = sleep 10000

[program:search]
command = sleep 10000
autostart = false
"""
_REPOSITORY = """mkdir shop && cd shop && git init -q
for n in 1 2 3 4 5 6 7 8; do
  echo "$n" > "file$n.txt"
  git add . && git -c user.name=Ada -c user.email=ada@shop.test commit -qm "Add file $n"
done
cd .. && exec"""


def _write(name: str, text: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / name).write_text(text)

    return write


def _verdaccio(folder: Path) -> None:
    (folder / "config.yaml").write_text(
        "storage: ./storage\nauth: {htpasswd: {file: ./htpasswd}}\npackages: {'**': {access: $all}}\n"
    )


PROGRAMS = (
    Program(
        "Datasette",
        lambda at, port: [at / "web/bin/datasette", "shop.db", "-p", str(port)],
        ("/", "/shop/orders"),
        _database,
    ),
    Program(
        "sqlite-web",
        lambda at, port: [at / "web/bin/sqlite_web", "-x", "-p", str(port), "shop.db"],
        ("/", "/orders/content/"),
        _database,
    ),
    Program(
        "JupyterLab",
        lambda at, port: [
            at / "web/bin/jupyter-lab",
            "--no-browser",
            "--allow-root",
            f"--port={port}",
            "--IdentityProvider.token=",
            "--LabApp.news_url=None",
        ],
        ("/lab",),
    ),
    Program(
        "Node-RED",
        lambda at, port: [at / "node_modules/.bin/node-red", "-p", str(port), "-u", "."],
        ("/",),
    ),
    Program(
        "Verdaccio",
        lambda at, port: [
            at / "node_modules/.bin/verdaccio",
            "-c",
            "config.yaml",
            "-l",
            f"127.0.0.1:{port}",
        ],
        ("/",),
        _verdaccio,
    ),
    Program("NiceGUI", lambda at, _: [at / "web/bin/python", "app.py"], ("/",), _script("nicegui")),
    Program(
        "Streamlit",
        lambda at, port: [
            at / "more/bin/streamlit",
            "run",
            "app.py",
            "--server.headless=true",
            f"--server.port={port}",
            "--server.address=127.0.0.1",
        ],
        ("/",),
        _script("streamlit"),
    ),
    Program("Gradio", lambda at, _: [at / "more/bin/python", "app.py"], ("/",), _script("gradio")),
    Program(
        "marimo",
        lambda at, port: [
            at / "more/bin/marimo",
            "edit",
            "app.py",
            "--headless",
            "--no-token",
            "--skip-update-check",
            "-p",
            str(port),
        ],
        ("/",),
        _script("marimo"),
    ),
    Program(
        "mitmweb",
        lambda at, port: [
            at / "proxy/bin/mitmweb",
            "--no-web-open-browser",
            "--web-port",
            str(port),
            "--listen-port",
            "0",
            "--set",
            "web_password=x",
        ],
        ("/?token=x",),
    ),
    Program(
        "TiddlyWiki",
        lambda at, port: [
            at / "node_modules/.bin/tiddlywiki",
            at / "node_modules/tiddlywiki/editions/full",
            "--listen",
            "host=127.0.0.1",
            f"port={port}",
        ],
        ("/",),
    ),
    Program(
        "Optuna",
        lambda at, port: [
            "sh",
            "-c",
            (
                f"{at}/unnamed/bin/python study.py && exec {at}/unnamed/bin/optuna-dashboard "
                f"sqlite:///trials.db --host 127.0.0.1 --port {port}"
            ),
        ],
        ("/dashboard",),
        _write("study.py", _STUDY),
    ),
    Program(
        "klaus",
        lambda at, port: [
            "sh",
            "-c",
            f"{_REPOSITORY} {at}/unnamed/bin/klaus --host 127.0.0.1 --port {port} shop",
        ],
        ("/", "/shop/"),
    ),
    Program(
        "Supervisor",
        lambda at, _: [at / "unnamed/bin/supervisord", "-c", "supervisord.conf"],
        ("/",),
        _write("supervisord.conf", _SUPERVISOR),
    ),
    Program(
        "Locust",
        lambda at, port: [
            at / "unnamed/bin/locust",
            "--web-host=127.0.0.1",
            f"--web-port={port}",
        ],
        ("/",),
        _write("locustfile.py", _LOCUST),
    ),
)
