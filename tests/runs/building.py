"""Small workflows and small pages for tests of runs."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from director.runs import Run, Step, list_run_steps
from director.store import Store
from director.workflow.document import read_workflow_document
from director.workflow.values import Json, Workflow


def node(alias: str, type_: str, **config: Json) -> dict[str, Any]:
    """A node as a document has it; its id is not its alias."""
    return {"id": f"id-{alias}", "alias": alias, "type": type_, "config": config}


def code(alias: str, source: str, **config: Json) -> dict[str, Any]:
    """A transform."""
    return node(alias, "transform", **{"input": {}, "code": source, **config})


def setting(alias: str, **variables: Json) -> dict[str, Any]:
    """A context node."""
    return node(alias, "context", variables=variables)


def fails(alias: str = "bad") -> dict[str, Any]:
    """A node that fails."""
    return code(alias, "1 / 0")


def flow(*nodes: Mapping[str, Json], origin: str = "", **more: Json) -> Workflow:
    """A workflow of nodes."""
    origins = [origin] if origin else []
    return read_workflow_document(
        {"version": 1, "id": "w", "name": "W", "origins": origins, "nodes": list(nodes), **more}
    )


def by_key(store: Store, run: Run) -> dict[str, Step]:
    """The steps of a run, by key, with aliases in place of ids."""
    return {step.key.replace("id-", ""): step for step in list_run_steps(store, run.id)}


def statuses(store: Store, run: Run) -> dict[str, str]:
    """What became of each visit."""
    return {key: step.status for key, step in by_key(store, run).items()}


def result(store: Store, run: Run, key: str) -> Any:
    """The result of one visit."""
    return by_key(store, run)[key].result


@contextmanager
def pages(**texts: str) -> Iterator[str]:
    """A site of these pages; `index` is its first. Gives its origin."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.strip("/").partition("?")[0] or "index"
            status = 500 if name.startswith("broken") else 200 if name in texts else 404
            self.send_response(status)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(texts.get(name, "nothing here").encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
