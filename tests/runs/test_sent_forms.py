"""Forms that a node sends without being declared to happen once: a login is noted, others warned of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from director.runs import (
    RunProgress,
    cancel_workflow_run,
    drive_run,
    list_run_steps,
    queue_run,
    resume_workflow_run,
    run_workflow,
)
from director.runs.run_report import render_run_report
from director.secrets import Vault
from director.store import Store
from runs.answers import serve_answers
from runs.building import flow, node
from runs.conftest import Live

FORM = "<form method=post action={}>{}<button id=go{}>Go</button></form>"
NAME = "<input id=name name=name>"
WORD = "<input id=word type=password name=word{}>"
SECOND = "<form id=buy method=post action=/buy><input name=lamp value=5></form>"
BY_BUTTON = " type=button onclick='buy.submit()'"


def sending(alias: str, **config: Any) -> dict[str, Any]:
    """An action that may be done again."""
    return {**node(alias, "browser_action", **config), "effect": "idempotent"}


@pytest.mark.parametrize(
    ("page", "fills", "sender", "is_login"),
    [
        (FORM.format("/in", NAME + WORD.format(""), ""), 2, "go", True),
        (FORM.format("/in", NAME, ""), 1, "go", False),
        (FORM.format("/in", NAME + WORD.format(" value=planted-word"), ""), 1, "go", False),
        (FORM.format("/in", NAME + WORD.format(""), BY_BUTTON) + SECOND, 2, "go", False),
        (
            FORM.format("/in", NAME + WORD.format(" oninput=this.form.submit()"), ""),
            2,
            "word",
            False,
        ),
    ],
    ids=["login", "no password", "planted", "another form", "by itself"],
)
def test_only_a_form_with_the_typed_secret_is_a_login(  # noqa: PLR0917  a case has that many parts
    live: Live, store: Store, tmp_path: Path, page: str, fills: int, sender: str, *, is_login: bool
) -> None:
    """It is noted with its origin; a page that sends something else is warned of as ever."""
    vault = Vault(tmp_path / "vault", b"k" * 32)
    with serve_answers() as site:
        vault.put("login", "canary-swordfish-9", site.origin)
        site["/"] = page
        for path in ("POST /in", "POST /buy"):
            site[path] = "<h1>Welcome</h1>"
        opened = node("open", "browser_action", action="navigate", url=f"{site.origin}/")
        typed = [
            sending("name", action="type", selector="#name", text="nora"),
            sending("word", action="type", selector="#word", text="{{secret:login}}"),
        ][:fills]
        if sender == "word":
            typed[-1]["ensures"] = [{"url": f"{site.origin}/in"}]
        press = [sending("go", action="click", selector="#go")] if sender == "go" else []
        workflow = flow(opened, *typed, *press, origin=site.origin)
        run = live.run(run_workflow(store, workflow, live.means(secrets=vault)))
    steps = {step.alias: step for step in list_run_steps(store, run.id)}
    step = steps[sender]
    noted = f"A login was sent (POST to {site.origin}): a form with a secret of this origin."
    assert step.notes == ((noted,) if is_login else ())
    assert ("A login was sent" in render_run_report(store, run.id)) is is_login
    warned = [each for each in step.warnings if each.startswith("A form was sent (POST to")]
    assert bool(warned) is not is_login


def test_a_login_is_one_also_where_another_browser_goes_on(
    live: Live, store: Store, tmp_path: Path
) -> None:
    """What was typed before the run was stopped is typed again into the page that is brought back."""
    vault = Vault(tmp_path / "vault", b"k" * 32)
    with serve_answers() as site:
        vault.put("login", "canary-swordfish-9", site.origin)
        site["/"] = FORM.format("/in", NAME + WORD.format(""), "")
        site["POST /in"] = "<h1>Welcome</h1>"
        workflow = flow(
            node("open", "browser_action", action="navigate", url=f"{site.origin}/"),
            sending("name", action="type", selector="#name", text="nora"),
            sending("word", action="type", selector="#word", text="{{secret:login}}"),
            sending("go", action="click", selector="#go"),
            origin=site.origin,
        )
        means = live.means(secrets=vault)
        run = queue_run(store, workflow, means)

        def stop(told: RunProgress) -> None:
            if (told.what, told.alias) == ("finished", "word"):
                cancel_workflow_run(store, run.id)

        stopped = live.run(drive_run(store, run.id, replace(means, progress=stop)))
        assert stopped.state == "cancelled"
        ended = live.run(resume_workflow_run(store, run.id, means))
    assert ended.state == "done", ended.error
    go = next(step for step in list_run_steps(store, run.id) if step.alias == "go")
    assert (go.warnings, [each[:17] for each in go.notes]) == ((), ["A login was sent "])
