"""Conditions on addresses that hold what a form has encoded."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from director.runs import run_workflow
from director.runs.playwright_script import write_playwright_script
from director.store import Store
from runs.building import flow, pages
from runs.conftest import Live
from runs.one_page import act, ensured

SEARCH = "<form action=/found><input name=q aria-label=Word><button>Search</button></form>"


def test_an_input_with_spaces_is_found_in_the_address(
    live: Live, store: Store, tmp_path: Path
) -> None:
    """By a run and by its script; another value is not."""
    with pages(search=SEARCH, found="<h1>Found</h1>") as origin:
        for word, holds in (("opened by mistake", True), ("closed", False)):
            made = flow(
                act("open", "navigate", url=f"{origin}/search"),
                act("word", "type", selector={"label": "Word"}, text="opened by mistake"),
                ensured(
                    act("go", "click", selector={"role": "button", "name": "Search"}),
                    {"url": f"*q={word}", "within": 2_000},
                ),
                origin=origin,
            )
            run = live.run(run_workflow(store, made, live.means()))
            assert (run.state == "done") is holds, json.dumps(run.error, default=str)
            script = tmp_path / "script.py"
            script.write_text(write_playwright_script(made))
            ended = subprocess.run(
                [sys.executable, str(script)],
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            assert (ended.returncode == 0) is holds, ended.stderr[-2_000:]
