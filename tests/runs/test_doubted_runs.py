"""Runs that doubt themselves, in a real browser: what is stored, what is told, what is dismissed."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from director.browser import Origins
from director.runs import Run, run_workflow, try_node
from director.runs.playwright_script import write_playwright_script
from director.runs.run_report import render_run_report
from director.store import Store
from director.workflow.document import read_workflow_document
from director.workflow.edit import edit_node
from director.workflow.values import Workflow
from runs.building import flow, node
from runs.conftest import Live
from runs.doubt_pages import pager, serve_lists, table

FORM = (
    "<form id=f method=post action=/add><input id=name name=name><button id=go>Add</button></form>"
)
TWICE = """<script>f.addEventListener('submit', event => { event.preventDefault();
const send = () => fetch('/add', {method: 'POST', body: new URLSearchParams(new FormData(f))});
send().then(send).then(() => location = '/list'); });</script>"""


@pytest.fixture
def lists() -> Iterator[tuple[str, dict[str, str]]]:
    """A site whose pages the test sets."""
    with serve_lists() as served:
        yield served


def read(**config: Any) -> dict[str, Any]:
    """A node that reads the rows of a table."""
    fields = {"name": ".name", "price": ".price"}
    asked = {"method": "deterministic_extract", "selector": "tbody tr", "fields": fields}
    return node("read", "browser_query", **{**asked, "create_records": "lamp", **config})


def go(alias: str, url: str) -> dict[str, Any]:
    """A node that opens an address."""
    return node(alias, "browser_action", action="navigate", url=url)


def once(live: Live, store: Store, workflow: Workflow) -> Run:
    """A run of a workflow, which must pass."""
    run = live.run(run_workflow(store, workflow, live.means()))
    assert run.state == "done", run.error
    return run


def test_a_run_that_read_one_page_of_three_is_doubted_until_that_is_dismissed(
    live: Live, store: Store, lists: tuple[str, dict[str, str]]
) -> None:
    """The doubt is stored with the run and in its report; a loop over all pages has none."""
    origin, pages = lists
    for n in (1, 2, 3):
        rows = table(n * 20 - 19, min(n * 20, 45))
        pages[f"/list?page={n}"] = f"<p>45 results</p>{rows}{pager(n, 3)}"
    first = flow(go("open", f"{origin}/list?page=1"), read(), origin=origin)
    run = once(live, store, first)
    (doubt,) = run.doubts
    assert (doubt["kind"], doubt["alias"]) == ("total", "read")
    assert doubt["sentence"] == "read read 20 rows, and the page says '45 results'."
    assert "Doubts (1)" in render_run_report(store, run.id)
    check = {"kind": "total", "dismissed": True, "because": "the first are enough"}
    assert once(live, store, edit_node(first, "read", {"checks": [check]})).doubts == ()
    loop = node("loop", "iterate", over=["1", "2", "3"], variable="page", body=["open", "read"])
    every = flow(loop, go("open", f"{origin}/list?page={{{{page}}}}"), read(), origin=origin)
    assert once(live, store, every).doubts == ()


def test_a_test_keeps_the_checks_that_it_proposes_and_an_edit_of_them_stays(
    live: Live, store: Store, lists: tuple[str, dict[str, str]]
) -> None:
    """They are part of the workflow's document from then on."""
    origin, pages = lists
    pages["/list"] = f"<p>12 results</p>{table(1, 12)}"
    workflow = flow(go("open", f"{origin}/list"), read(), origin=origin)

    def checks() -> object:
        stored = store.get("workflow", workflow.id)
        assert stored is not None
        return read_workflow_document(stored.body).nodes[1].checks  # type: ignore[arg-type]

    async def try_both() -> None:
        async with live.browser.session(Origins([origin])) as session:
            for alias in ("open", "read"):
                await try_node(store, workflow, alias, live.means(session=session))

    live.run(try_both())
    assert checks() == ({"kind": "total", "counter": "# results"},)
    edited = edit_node(
        read_workflow_document(store.get("workflow", workflow.id).body),  # type: ignore[union-attr,arg-type]
        "read",
        {"checks": [{"kind": "total", "counter": "# results", "tolerance": 2}]},
    )
    pages["/list"] = f"<p>12 results</p>{table(1, 10)}"
    assert once(live, store, edited).doubts == ()
    pages["/list"] = f"<p>12 results</p>{table(1, 9)}"
    assert [each["kind"] for each in once(live, store, edited).doubts] == ["total"]
    pages["/list"] = "<h1>Something went wrong</h1>"
    assert [each["kind"] for each in once(live, store, edited).doubts] == ["nothing"]


def test_a_changed_notation_is_doubted_against_the_run_before(
    live: Live, store: Store, lists: tuple[str, dict[str, str]]
) -> None:
    """And again in the next run: one with doubts is nothing to compare with."""
    origin, pages = lists
    workflow = flow(go("open", f"{origin}/list"), read(), origin=origin)
    pages["/list"] = table(1, 12)
    assert once(live, store, workflow).doubts == ()
    pages["/list"] = table(1, 12).replace(".50<", ",50<")
    assert [each["kind"] for each in once(live, store, workflow).doubts] == ["format"]
    assert [each["kind"] for each in once(live, store, workflow).doubts] == ["format"]
    pages["/list"] = table(1, 3)
    assert [each["kind"] for each in once(live, store, workflow).doubts] == ["fewer"]


def test_a_count_is_doubted_against_the_run_before_and_nothing_else(
    live: Live, store: Store, lists: tuple[str, dict[str, str]]
) -> None:
    """Unless the page says that there are so few; a count beside it is no other doubt."""
    origin, pages = lists
    count = node("count", "browser_query", method="count", selector="tbody tr")
    workflow = flow(go("open", f"{origin}/list"), count, origin=origin)
    pages["/list"] = f"<p>82 results</p>{table(1, 7)}"
    assert once(live, store, workflow).doubts == ()
    pages["/list"] = "<h1>Lamps</h1>"
    (doubt,) = once(live, store, workflow).doubts
    before = doubt["evidence"]["run_before"]
    assert doubt["sentence"] == f"count read 0 rows; in run {before} it read 7."
    pages["/list"] = "<p>0 results</p><table></table>"
    assert once(live, store, workflow).doubts == ()


ICONS = re.sub(r"(<td class=price>)[\d.]+", r"\1<i title=cheap></i>", table(1, 12))
CHECKS = [{"kind": "total", "counter": "# results"}, {"kind": "unique", "field": "name"}]
SCRIPTED: dict[str, tuple[list[str], list[dict[str, Any]], list[str]]] = {
    "honest": ([f"<p>12 results</p>{table(1, 12)}"], CHECKS, []),
    "a total and a value twice": (
        [f"<p>1,012 results</p>{table(1, 12).replace('Lamp 2<', 'Lamp 1<')}"],
        CHECKS,
        [
            "read read 12 rows, and the page says '1,012 results'",
            "read read 12 rows with 11 values of 'name'",
        ],
    ),
    "a total without a check": (
        [f"<h1>Lamps</h1><p>82 results</p>{table(1, 12)}"],
        [],
        ["read read 12 rows, and the page says '82 results'"],
    ),
    "a total that a person dismissed": (
        [f"<h1>Lamps</h1><p>82 results</p>{table(1, 12)}"],
        [{"kind": "total", "dismissed": True, "by": "person"}],
        [],
    ),
    "a next page": (
        [f"{table(1, 12)}{pager(1, 3)}"],
        [],
        ["read read 12 rows on 1 page, and the page still offers page 3"],
    ),
    "all pages": ([f"{table(12 * n - 11, 12 * n)}{pager(n, 3)}" for n in (1, 2, 3)], [], []),
    "all pages but the last": (
        [f"{table(12 * n - 11, 12 * n)}{pager(n, 3)}" for n in (1, 2)],
        [],
        ["read read 24 rows on 2 pages, and the page still offers page 3"],
    ),
    "a column of icons": (
        [ICONS],
        [],
        [
            (
                "the field 'price' of read is empty in all 12 rows: the page shows something there "
                "that is no text"
            )
        ],
    ),
    "a column that is gone": (
        [table(1, 12).replace("class=price", "class=cost")],
        [],
        ["the field 'price' of read is empty in all 12 rows: no element was found"],
    ),
    "a head among the items": (
        [table(1, 12).replace("<tbody>", "<tbody><tr><td>Bulbs</td></tr>")],
        [],
        ["1 of 13 elements of which read made records have nothing in any field"],
    ),
}


@pytest.mark.parametrize("case", SCRIPTED)
def test_an_exported_script_prints_the_doubts_it_can_check(
    lists: tuple[str, dict[str, str]], tmp_path: Path, case: str
) -> None:
    """Counts, pages that nobody read, columns without a value, values that must differ."""
    origin, pages = lists
    shown, checks, doubts = SCRIPTED[case]
    for number, text in enumerate(shown, 1):
        pages[f"/list?page={number}"] = text
    over = [*range(1, len(shown) + 1)]
    loop = node("loop", "iterate", over=over, variable="page", body=["open", "read"])
    nodes = loop, go("open", f"{origin}/list?page={{{{page}}}}"), {**read(), "checks": checks}
    script = tmp_path / "script.py"
    script.write_text(write_playwright_script(flow(*nodes, origin=origin)))
    ran = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False, timeout=120
    )
    lines = [line for line in ran.stderr.splitlines() if line.startswith("doubt")]
    assert lines == [f"doubt: {each}" for each in doubts], ran.stderr
    assert ran.returncode == (3 if doubts else 0)


@contextmanager
def serve_form(more: str) -> Iterator[tuple[str, list[str]]]:
    """A form that adds names to a list, and the names it has."""
    names: list[str] = []

    class FormAnswer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            rows = "".join(f"<tr><td>{n}<td>{name}</tr>" for n, name in enumerate(names))
            said = FORM + more if self.path == "/" else f"<table><tbody>{rows}</tbody></table>"
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(f"<!doctype html><title>Form</title>{said}".encode())

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            names.append(parse_qs(body)["name"][0])
            self.send_response(303)
            self.send_header("Location", "/list")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), FormAnswer)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", names
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("more", ["", TWICE])
def test_what_is_sent_twice_is_doubted(live: Live, store: Store, more: str) -> None:
    """By a page that submits its form twice; the same form sent once is not doubted."""
    with serve_form(more) as (origin, names):
        added = node("add", "browser_action", action="click", selector="#go")
        workflow = flow(
            go("open", f"{origin}/"),
            node("name", "browser_action", action="type", selector="#name", text="Nordwind AG"),
            {**added, "effect": "once", "ensures": [{"url": f"{origin}/list"}]},
            origin=origin,
        )
        doubts = [each["kind"] for each in once(live, store, workflow).doubts]
        assert len(names) == (2 if more else 1)
        assert doubts == (["twice"] if more else [])
        assert [each["kind"] for each in once(live, store, workflow).doubts] == ["twice"]
