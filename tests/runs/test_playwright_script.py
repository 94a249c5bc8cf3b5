"""An exported script leaves the demo site as the workflow does: every way to control the flow."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from director.demo.site import Site
from director.runs import run_workflow
from director.runs.playwright_script import write_playwright_script
from director.store import open_store
from director.workflow.values import Workflow
from runs.building import code, flow, node
from runs.conftest import Live

CSV = "Supplier,Invoice,Due,Amount,Status,Note\nInk & Co,I-1,2026-02-02,12.50,open,\n"


def act(alias: str, action: str, **config: Any) -> dict[str, Any]:
    """An action as a document has it."""
    return node(alias, "browser_action", action=action, **config)


def note(alias: str, text: str) -> list[dict[str, Any]]:
    """Two nodes that keep a note on the flaky page, and one that waits until it is kept."""
    save = {
        **act(f"{alias}_save", "click", selector="main form button"),
        "ensures": [{"status": "*/flaky/notes*", "below": 400}],
    }
    return [act(alias, "type", selector="main [name=note]", text=text), save]


def controlled(site: Site) -> Workflow:
    """A loop over a list, a branch for each kind, a group with a parameter, a try with a catch."""
    items = "[{'kind': 'note', 'text': 'a'}, {'kind': 'odd', 'text': 'b'}, {'kind': 'skip'}]"
    return flow(
        act("open", "navigate", url=f"{site.url}/flaky?every=1000"),
        code("items", items, store=True),
        node("each", "iterate", over="{{items.result}}", variable="item", body=["which"]),
        node(
            "which",
            "route",
            branches=[
                {
                    "name": "note",
                    "condition": "{{item.kind}} == 'note' and {{isFirst}}",
                    "branch": ["write"],
                },
                {"name": "odd", "condition": "{{item.kind}} == 'odd'", "branch": ["careful"]},
                {"name": "other", "condition": True, "branch": []},
            ],
        ),
        node(
            "write",
            "group",
            nodeRange=["said", "said_save"],
            params={"who": "Ada", "number": "{{itemIndex}}"},
        ),
        *note("said", "{{param.who}} {{param.number}}: {{item.text}}"),
        node(
            "careful",
            "handle",
            **{
                "try": "missing",
                "catch": ["sorry", "sorry_save"],
                "finally": ["last", "last_save"],
            },
        ),
        act("missing", "click", selector="#nowhere", timeout=300),
        *note("sorry", "{{lastError.node}} failed for {{item.text}}"),
        *note("last", "in any case"),
        origin=site.url,
    )


def uploading(site: Site) -> Workflow:
    """Rows from a file into the table."""
    return flow(
        act("open", "navigate", url=f"{site.url}/grid"),
        act("file", "upload", selector="[name=file]", file="rows.csv"),
        {
            **act("send", "click", selector="form[action='/grid/upload'] button"),
            "ensures": [{"element": "main", "text": "rows added from rows.csv"}],
        },
        origin=site.url,
    )


def recorded(site: Site) -> Workflow:
    """Records of the first products, one loop over them, a group that goes on after a failure."""
    return flow(
        act("open", "navigate", url=f"{site.url}/shop"),
        node(
            "find",
            "browser_query",
            method="deterministic_extract",
            selector="main li h2, main li h3",
            fields={"name": "."},
            limit=3,
            create_records="product",
        ),
        act("flaky", "navigate", url=f"{site.url}/flaky?every=1000"),
        node("each", "iterate", records="product_*", body="pair", limit=2),
        node("pair", "group", nodeRange=["bad", "said", "said_save"], continueOnError=True),
        code("bad", "1 / 0"),
        *note("said", "{{index}} of {{total}}: {{current.name}}"),
        origin=site.url,
    )


FLOWS = {"controlled": controlled, "uploading": uploading, "recorded": recorded}


@pytest.mark.parametrize(
    "name",
    ["controlled", *(pytest.param(n, marks=pytest.mark.slow) for n in ("uploading", "recorded"))],
)
def test_a_script_leaves_the_site_as_its_workflow_does(
    live: Live, tmp_path: Path, name: str
) -> None:
    """The same workflow on two sites alike: once run, once as a script in a process of its own."""
    (tmp_path / "rows.csv").write_text(CSV)
    with Site(seed=1).serve() as one, Site(seed=1).serve() as two:
        with open_store(tmp_path / "runs.db") as store:
            means = live.means(file=lambda name: tmp_path / name)
            run = live.run(run_workflow(store, FLOWS[name](one), means))
            assert run.state == "done", run.error
        script = tmp_path / "script.py"
        script.write_text(write_playwright_script(FLOWS[name](two)))
        ran = subprocess.run(
            [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        doubted = any(each["kind"] in ("rounds", "limit") for each in run.doubts)
        assert ran.returncode == (3 if doubted else 0), ran.stderr
        assert changed(one) == changed(two)
        assert changed(one) != changed(Site(seed=1))


def changed(site: Site) -> tuple[object, ...]:
    """What a visitor can change."""
    state = site.state
    return state.notes, state.uploads, [row.cells for row in state.rows.values()], state.orders
