"""An exported script sets the fields of widget libraries and finds values with any signs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from browser.sites import site
from browser.widget_pages import CALENDAR, CLOSED, RANGE, SELECTIZE
from director.runs.playwright_script import write_playwright_script
from runs.building import flow, node


def test_a_script_sets_widgets_and_escapes_values(tmp_path: Path) -> None:
    """A list without roles, a calendar, a slider; a value with quotes inside of a selector."""
    name = 'Bäckerei "Zum Korn"'
    fields = [("customer", "Customer", "{{who}}"), ("due", "Due date", "2026-04-15")]
    fields += [("hours", "Hours", "13")]
    with site({"/": f"{SELECTIZE}{CALENDAR}{RANGE}", "/closed": CLOSED}) as pages:
        address = f"http://127.0.0.1:{pages.server_address[1]}"
        seen = {"element": 'div.item:has-text("{{who}}")'}
        workflow = flow(
            node("open", "browser_action", action="navigate", url=f"{address}/"),
            *(
                node(alias, "browser_action", action="set", selector={"label": label}, value=value)
                for alias, label, value in fields
            ),
            {
                **node("read", "browser_query", method="count", selector="#known", store=True),
                "ensures": [seen, {"element": "#known", "text": "2026-04-15"}],
            },
            node("leave", "browser_action", action="navigate", url=f"{address}/closed"),
            node("closed", "browser_action", action="set", selector="#day", value="2026-03-04"),
            origin=address,
            inputs=[{"name": "who", "type": "text"}],
        )
        script = tmp_path / "script.py"
        script.write_text(write_playwright_script(workflow), encoding="utf-8")
        command = [sys.executable, str(script), "--who", name]
        ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 1, ran.stderr
    assert "closed" in ran.stderr.split("\nread\n")[1], ran.stderr
    assert "is read-only" in ran.stderr
