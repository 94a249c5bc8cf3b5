"""Questions to a person: waited for, answered from anywhere, and secrets among them never in clear."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from director.runs import (
    Run,
    RunDependencies,
    RunError,
    RunProgress,
    answer_run_question,
    drive_run,
    list_run_questions,
    queue_run,
    read_run,
    resume_workflow_run,
    run_workflow,
)
from director.runs.questions import ensure_question as ask_question
from director.runs.resources import SecretExtractor
from director.runs.run_report import render_run_report
from director.secrets import Vault, list_encoded_forms
from director.store import Store
from director.store.run_variables import read_run_variables
from runs.building import code, flow, node, result
from runs.conftest import SEAL, Live
from runs.scenario import PASSWORD, Site

ASK = node("ask", "context", ask={"code": "Which code did you get?"})


def test_a_question_waits_and_is_answered_from_elsewhere(store: Store) -> None:
    """The run says that it waits; the answer becomes the variable."""
    workflow = flow(ASK, code("use", "c", input={"c": "{{code}}"}))

    async def both() -> Run:
        waits = asyncio.Event()

        def told(progress: RunProgress) -> None:
            if progress.what == "waiting":
                waits.set()

        made = queue_run(store, workflow, RunDependencies())
        running = asyncio.create_task(drive_run(store, made.id, RunDependencies(progress=told)))
        await waits.wait()
        asked = list_run_questions(store, made.id)
        assert (asked[0].text, read_run(store, made.id).state) == (
            "Which code did you get?",
            "waiting",
        )
        answer_run_question(store, asked[0].id, "123456")
        return await running

    run = asyncio.run(both())
    assert (run.state, result(store, run, "use")) == ("done", "123456")


def test_a_question_outlives_its_worker(store: Store) -> None:
    """The run is put aside, answered, and resumed; it is asked once, and the first answer counts."""
    run = asyncio.run(run_workflow(store, flow(ASK), RunDependencies(patience=0)))
    assert run.state == "waiting"
    assert (
        asyncio.run(resume_workflow_run(store, run.id, RunDependencies(patience=0))).state
        == "waiting"
    )
    (asked,) = list_run_questions(store, run.id)
    answer_run_question(store, asked.id, "123456")
    with pytest.raises(RunError, match="answered already"):
        answer_run_question(store, asked.id, "654321")
    assert asyncio.run(resume_workflow_run(store, run.id, RunDependencies())).state == "done"
    assert read_run_variables(store, run.id) == {"code": "123456"}


def test_whoever_runs_it_may_answer_here(store: Store) -> None:
    """With a function; a terminal, for example."""

    async def ask(question: Any) -> str:
        return f"said to {question.text}"

    run = asyncio.run(run_workflow(store, flow(ASK), RunDependencies(ask=ask)))
    assert read_run_variables(store, run.id) == {"code": "said to Which code did you get?"}


CANARY = "canary-481516-one-time"
PIN = node("ask", "context", ask={"pin": "Which one?"})


@pytest.mark.promise("D1")
@pytest.mark.parametrize(
    ("name", "text"),
    [("password", "What is it?"), ("code", "Which one-time code did the mail bring?")],
)
def test_a_secret_answer_is_nowhere_in_clear(
    store: Store, tmp_path: Path, name: str, text: str
) -> None:
    """Told by the name or by the question: sealed until the run takes it, then in the vault."""
    vault = Vault(tmp_path / "vault", b"k" * 32)
    workflow = flow(node("ask", "context", ask={name: text}), origin="http://127.0.0.1:1")
    means = RunDependencies(patience=0, seal=SEAL, hide=SecretExtractor(vault, workflow))
    run = asyncio.run(run_workflow(store, workflow, means))
    (asked,) = list_run_questions(store, run.id)
    assert answer_run_question(store, asked.id, CANARY, seal=SEAL).answer == "[hidden]"
    assert asyncio.run(resume_workflow_run(store, run.id, means)).state == "done"
    (reference,) = read_run_variables(store, run.id).values()
    assert str(reference).startswith("{{secret:w.")
    written = [path.read_bytes() for path in (*tmp_path.glob("runs.db*"), tmp_path / "vault")]
    told = b"".join([*written, render_run_report(store, run.id).encode()])
    assert [name for name, form in list_encoded_forms(CANARY).items() if form in told] == []


def test_a_secret_answer_without_a_seal_is_refused(store: Store) -> None:
    """Nothing is stored, and the question stays open for whoever has the seal."""
    run = asyncio.run(run_workflow(store, flow(PIN), RunDependencies(patience=0, seal=SEAL)))
    (asked,) = list_run_questions(store, run.id)
    with pytest.raises(RunError, match="was not stored"):
        answer_run_question(store, asked.id, CANARY)
    assert list_run_questions(store, run.id) == [asked]
    answer_run_question(store, asked.id, CANARY, seal=SEAL)
    assert "is sealed" in str(
        asyncio.run(resume_workflow_run(store, run.id, RunDependencies())).error
    )


def test_a_secret_answer_is_typed_into_the_page(
    live: Live, store: Store, site: Site, tmp_path: Path
) -> None:
    """The run holds a reference; the browser fills in the value, on the origins of the workflow."""
    vault = Vault(tmp_path / "vault", b"k" * 32)
    act = {"selector": "#password", "text": "{{password}}"}
    workflow = flow(
        node("ask", "context", ask={"password": "Which password?"}),
        node("open", "browser_action", action="navigate", url=f"{site.origin}/login"),
        node("fill", "browser_action", action="type", **act),
        {
            **node("enter", "browser_action", action="click", selector="#enter"),
            "ensures": [{"url": f"{site.origin}/shop"}],
        },
        origin=site.origin,
    )

    async def ask(_: object) -> str:
        return PASSWORD

    means = live.means(ask=ask, secrets=vault, hide=SecretExtractor(vault, workflow))
    assert live.run(run_workflow(store, workflow, means)).state == "done"
    assert site.logins == 1


def test_an_answer_counts_even_if_the_question_would_be_worded_otherwise_now(store: Store) -> None:
    """What the page shows beside it may have changed between the answer and the resume."""
    first = ask_question(store, "run", "node#1", text="Its proof shows 3 rows. Did it happen?")
    answer_run_question(store, first.id, "it happened")
    again = ask_question(store, "run", "node#1", text="Its proof shows 4 rows. Did it happen?")
    assert (again.text, again.answer) == (first.text, "it happened")
    other = ask_question(store, "run", "node#2", text="Its proof shows 4 rows. Did it happen?")
    assert other.answer is None
