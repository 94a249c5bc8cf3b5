"""What a node ensures and what held before it acted as well is no proof, in runs and in scripts."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from director.agent.conversation.step_text import describe_step
from director.runs import list_run_steps, run_workflow
from director.runs.playwright_script import write_playwright_script
from director.runs.run_report import render_run_report
from director.runs.run_text import write_evidence_text
from director.store import Store
from runs.answers import Answer, AnsweringSite, sent_to, serve_answers
from runs.building import flow, node
from runs.conftest import Live

DEPLOY = """<h1>Flows</h1><p id=told>Deployed</p><button id=go>Deploy</button>
<script>go.onclick = async () => {{ const answer = await fetch('/deploy', {{method: 'POST'}});
{then} }};</script>"""
DEAD = "<h1>Flows</h1><p id=told>Deployed</p><button id=go>Deploy</button>"
COUNTER = """<h1>Cart</h1><b id=n>0</b><button id=go>Show</button>
<script>go.onclick = () => setTimeout(() => { n.textContent = 'Details'; }, 200);</script>"""
FORM = "<h1>Lamps</h1><form method=post action=/save><button id=go>Save</button></form>"


@pytest.fixture
def site() -> Iterator[AnsweringSite]:
    """A site that answers nothing yet."""
    with serve_answers() as served:
        yield served


TOLD = {"element": "#told", "text": "Deployed", "within": 300}
HEADING = {"element": "h1"}
CASES: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "dead": (DEAD, [TOLD]),
    "sent": (DEPLOY.format(then=""), [TOLD]),
    "sent_and_changed": (DEPLOY.format(then="go.textContent = 'Busy'"), [TOLD]),
    "page": (FORM, [HEADING]),
    "new": (DEPLOY.format(then="go.outerHTML = '<i id=new>Done</i>'"), [{"element": "#new"}, TOLD]),
    "status": (DEPLOY.format(then=""), [TOLD, {"status": "*/deploy", "is": 200}]),
    "only_shown": (COUNTER, [HEADING]),
    "led_on": (FORM.replace("/save", "/taken"), [HEADING]),
}
DOUBTED = ["dead", "sent", "sent_and_changed", "page"]


def clicking(site: AnsweringSite, *ensures: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    """Nodes that open a page and click, which must happen once."""
    alias = str(more.pop("alias", "act"))
    url = f"{site.origin}/{more.pop('path', '')}"
    opened = node(f"open_{alias}", "browser_action", action="navigate", url=url)
    click = node(alias, "browser_action", action="click", selector="#go")
    return [opened, {**click, "effect": "once", "ensures": list(ensures), **more}]


def test_promises_that_held_before_are_no_proof(
    live: Live, store: Store, site: AnsweringSite, tmp_path: Path
) -> None:
    """Unless another promise, the page itself or a redirect shows that it happened."""
    site["/list"] = "<h1>List</h1>"
    site["POST /deploy"], site["POST /save"] = Answer("{}"), "<h1>No access</h1>"
    site["POST /taken"] = sent_to("/list")
    nodes = []
    for alias, (page, ensures) in CASES.items():
        site[f"/{alias}"] = page
        nodes += clicking(site, *ensures, alias=alias, path=alias)
    workflow = flow(*nodes, origin=site.origin)
    run = live.run(run_workflow(store, workflow, live.means()))
    assert run.state == "done", run.error
    assert [each["alias"] for each in run.doubts] == DOUBTED
    assert {each["kind"] for each in run.doubts} == {"unproven"}
    script = tmp_path / "script.py"
    script.write_text(write_playwright_script(workflow))
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 3, done.stderr
    assert re.findall(r"doubt: (\w+): all that it ensures held before", done.stderr) == DOUBTED


def test_what_held_before_is_said_wherever_the_evidence_is_shown(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """To the model, on the page and in the report; each promise by itself."""
    site["/"] = DEPLOY.format(then="told.insertAdjacentHTML('afterend', '<i id=new>x</i>')")
    site["POST /deploy"] = Answer("{}")
    workflow = flow(*clicking(site, TOLD, {"element": "#new"}), origin=site.origin)
    run = live.run(run_workflow(store, workflow, live.means()))
    assert run.doubts == ()
    step = list_run_steps(store, run.id)[-1]
    assert [each.get("before", False) for each in step.evidence] == [True, False]
    told = "\n".join(describe_step(step, "act"))
    assert told.count("holds, as it did before") == 1
    assert write_evidence_text(step.evidence[0]).endswith("(held before as well)")
    assert "held before as well" in render_run_report(store, run.id)


def test_a_proof_or_an_action_that_may_be_repeated_needs_no_new_promise(
    live: Live, store: Store, site: AnsweringSite
) -> None:
    """A proof is looked for at the end; what is idempotent promises a state."""
    asked: list[Any] = []
    site["/"] = DEAD
    site["/log"] = lambda form: (
        asked.append(form)
        or ("<p id=there>Deployed today</p>" if len(asked) > 1 else "<p>None</p>")
    )
    proof = {"url": f"{site.origin}/log", "happened": [{"element": "#there"}]}
    for more in ({"proof": proof}, {"effect": "idempotent"}):
        workflow = flow(*clicking(site, TOLD, **more), origin=site.origin)
        assert live.run(run_workflow(store, workflow, live.means())).doubts == ()
