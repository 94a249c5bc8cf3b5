"""`director chat`: lines in, answers out; questions and approvals in place; nothing lost on Ctrl-C."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from director.cli import app
from director.cli.chat_text import about, context_line, outcome, plan_changes
from director.demo.site import Site
from director.store import open_store

CODE = {"input": {"prices": [3, 5]}, "code": "min(prices)", "store": True}
NODE = {"type": "transform", "alias": "cheapest", "config": CODE}
PLAN = {
    "overall_goal": "Find the cheapest",
    "current_phase": "Build",
    "phases": [
        {
            "phase_name": "Build",
            "status": "in_progress",
            "tasks": [{"task_id": 1, "description": "Compute", "status": "in_progress"}],
        }
    ],
}


def script(tmp_path: Path, *steps: object) -> str:
    """A model that says these things one after the other."""
    path = tmp_path / "script.json"
    path.write_text(json.dumps(list(steps)))
    return f"scripted:{path}"


def environment(home: Path) -> dict[str, str]:
    """What the command sees: a home of its own, no key, plain words."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    return {**kept, "DIRECTOR_HOME": str(home), "NO_COLOR": "1", "COLUMNS": "100"}


def command(*arguments: str) -> list[str]:
    """How the command is started."""
    return [sys.executable, "-m", "director.cli", "chat", *arguments]


def talk(home: Path, lines: str, *arguments: str) -> Result:
    """A conversation from lines to its end."""
    keys = dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "DIRECTOR_MODEL"))
    env = {**keys, "DIRECTOR_HOME": str(home)}
    return CliRunner().invoke(app, ["chat", *arguments], input=lines, env=env)


def test_a_conversation_can_be_piped_in(tmp_path: Path) -> None:
    """Each call is a line; the plan, the nodes and the context can be looked at; it is all kept."""
    model = script(
        tmp_path,
        [
            {"say": "First a plan."},
            {"call": "update_plan", "args": {"plan": PLAN, "reason": "begin"}},
            {"call": "create_node", "args": NODE},
            {"call": "test_single_node", "args": {"node": "cheapest"}},
        ],
        [{"say": "The node finds 3."}],
    )
    told = talk(
        tmp_path, "Find the cheapest.\n/plan\n/nodes\n/context\n/run\n", "prices", "--model", model
    )
    assert told.exit_code == 0, told.output
    assert "First a plan." in told.stdout
    assert "ok     update_plan" in told.stdout
    assert "ok     create_node cheapest" in told.stdout
    assert "ok     test_single_node cheapest" in told.stdout
    assert "The node finds 3." in told.stdout
    assert "nothing to pay" in told.stdout
    assert "1 in_progress: Compute" in told.stdout
    assert "cheapest.result = 3" in told.stdout
    assert "of 180,000, where it is compressed" in told.stdout
    assert "\x1b" not in told.stdout
    assert max(map(len, told.stdout.splitlines())) <= 100
    with open_store(tmp_path / "director.db") as store:
        assert store.get("workflow", "prices") is not None
        assert len(store.versions("run", store.ids("run")[0])) > 0


def test_a_round_that_failed_is_told_as_a_doubt(tmp_path: Path) -> None:
    """In the line of a flow and after /run, which also says what a context node set."""
    divide = {"input": {"n": "{{n}}"}, "code": "6 / n"}
    each = {"over": [2, 0], "variable": "n", "body": ["divide"], "on_error": "continue"}
    nodes: list[dict[str, object]] = [
        {"type": "transform", "alias": "divide", "config": divide},
        {"type": "iterate", "alias": "each", "config": each},
        {"type": "context", "alias": "say", "config": {"variables": {"answer": "six"}}},
    ]
    calls = [{"call": "create_node", "args": one} for one in nodes]
    model = script(tmp_path, [*calls, {"call": "execute_nodes", "args": {}}], [{"say": "Well."}])
    told = talk(tmp_path, "Begin.\n/run\n", "--model", model).stdout
    assert "doubt  execute_nodes" in told
    words = " ".join(told.split())
    assert "3 nodes: done, with 1 doubt: 1 of 2 rounds of each failed" in words
    assert "doubt: 1 of 2 rounds of each failed and were left out" in words.partition("Well.")[2]
    assert 'answer = "six"' in told


def test_a_question_is_answered_in_place_by_its_number(tmp_path: Path) -> None:
    """The choice that the number stands for is what the model reads."""
    question = {"question": "Which currency?", "choices": ["EUR", "NOK"]}
    model = script(tmp_path, [{"call": "ask_user", "args": question}], [{"say": "Then NOK."}])
    told = talk(tmp_path, "Begin.\n2\n", "--model", model)
    assert "Which currency?\n  1  EUR\n  2  NOK\n" in told.stdout
    assert "Then NOK." in told.stdout
    with open_store(tmp_path / "director.db") as store:
        (thread,) = store.threads()
        answers = [e.body["text"] for e in store.entries(thread) if e.kind == "result"]
    assert answers == ["NOK"]


@pytest.mark.parametrize("answer", ["yes", "no"])
def test_an_origin_is_approved_or_refused_in_place(tmp_path: Path, answer: str) -> None:
    """Nothing is reached before the answer, and the conversation goes on with it."""
    with Site().serve() as site:
        go = {
            "call": "create_node",
            "args": {
                "type": "browser_action",
                "alias": "open",
                "config": {"action": "navigate", "url": f"{site.url}/mail"},
            },
        }
        model = script(tmp_path, [go], [{"say": "I see."}])
        told = talk(tmp_path, f"Begin.\n{answer}\n", "--model", model)
    assert f"May this workflow reach {site_of(told.stdout)}? (yes or no)" in told.stdout
    assert "I see." in told.stdout
    with open_store(tmp_path / "director.db") as store:
        (state,) = [one.body["state"] for one in store.newest("approval")]
        (thread,) = store.threads()
        said = [(e.kind, e.body.get("failed")) for e in store.entries(thread)]
    assert state == ("approved" if answer == "yes" else "refused")
    # The call waited: nobody had to say that it may go on, and a yes costs no failed call.
    failed = answer == "no"
    assert said == [("user", None), ("agent", None), ("result", failed), ("agent", None)]


def test_an_approval_at_a_terminal_waits_and_can_be_stopped(tmp_path: Path) -> None:
    """What was typed ahead is no answer; Ctrl-C stops the turn; asked again, yes goes on."""
    config = {"action": "navigate", "url": "https://shop.example/"}
    node = {"type": "browser_action", "alias": "open", "config": config}
    go = [{"call": "create_node", "args": node}]
    model = script(tmp_path, go, go, [{"say": "Made."}])
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command("--model", model), stdin=theirs, stdout=theirs, stderr=theirs,
        env=environment(tmp_path),
    ) as running:  # fmt: skip
        os.close(theirs)
        try:
            _until(ours, "you")
            os.write(ours, b"Go.\nyes\n")
            _until(ours, "(yes or no)")
            _until(ours, "answer")
            running.send_signal(signal.SIGINT)
            _until(ours, "Stopped.")
            _until(ours, "you")
            os.write(ours, b"Again.\n")
            _until(ours, "(yes or no)")
            _until(ours, "answer")
            os.write(ours, b"yes\n")
            _until(ours, "ok     create_node")
            _until(ours, "Made.")
            _until(ours, "you")
            os.write(ours, b"\x04")
            assert running.wait(120) == 0
        finally:
            running.kill()
            os.close(ours)


def site_of(text: str) -> str:
    """The origin that is asked for."""
    return text.partition("May this workflow reach ")[2].partition("?")[0]


def test_without_a_model_it_says_what_to_do_and_makes_nothing(tmp_path: Path) -> None:
    """A key, a server of one's own, or the rehearsal."""
    told = talk(tmp_path, "Hello\n")
    assert told.exit_code == 2
    for word in ("No model is chosen", "OPENAI_API_KEY", "localhost", "director rehearse"):
        assert word in told.stderr
    with open_store(tmp_path / "director.db") as store:
        assert store.ids("workflow") == []


def test_a_key_that_is_missing_is_named(tmp_path: Path) -> None:
    """Before a workflow is made for nobody."""
    told = talk(tmp_path, "Hello\n", "--model", "anthropic:claude-sonnet-5-5")
    assert told.exit_code == 2
    assert "ANTHROPIC_API_KEY" in told.stderr


def test_what_cannot_be_answered_is_said_and_kept(tmp_path: Path) -> None:
    """The exit code tells a program; the message is there to be tried again."""
    model = script(tmp_path, [{"fail": "insufficient_quota", "message": "No credit."}])
    told = talk(tmp_path, "Hello\n/nonsense\n", "--model", model)
    assert told.exit_code == 1
    assert "No credit." in told.stdout
    assert "/retry says it again" in told.stdout
    assert "There is no /nonsense." in told.stdout


def test_ctrl_c_stops_the_turn_and_keeps_the_conversation(tmp_path: Path) -> None:
    """The next message is answered, and Ctrl-D leaves politely."""
    variable = {"variableName": "a", "value": 1, "reason": "r"}
    # By rules and not one after the other: it may be stopped before the wait is asked for.
    rules = [
        {"when": {"anywhere": "Are you there"}, "then": [{"say": "I am still here."}]},
        {"when": {"turn": 1}, "then": [{"call": "set_variable", "args": variable}]},
        {"then": [{"wait": 600}, {"say": "Never said."}]},
    ]
    path = tmp_path / "rules.json"
    path.write_text(json.dumps({"brain": "rules", "rules": rules}))
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command("--model", f"scripted:{path}"),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment(tmp_path),
    ) as running:
        os.close(theirs)
        try:
            _until(ours, "you")
            os.write(ours, b"Go.\n")
            _until(ours, "ok     set_variable")
            running.send_signal(signal.SIGINT)
            _until(ours, "Stopped.")
            _until(ours, "you")
            os.write(ours, b"Are you there?\n")
            _until(ours, "I am still here.")
            _until(ours, "you")
            os.write(ours, b"\x04")
            _until(ours, "Go on with: director chat")
            assert running.wait(120) == 0
        finally:
            running.kill()
            os.close(ours)


def _until(source: int, words: str) -> str:
    """What a terminal shows until these words stand there."""
    told = b""
    while words.encode() not in told:
        ready, _, _ = select.select([source], [], [], 60)
        assert ready, f"nothing more came after {told!r}"
        told += os.read(source, 1)
    return told.decode(errors="replace")


def test_calls_and_plans_are_told_in_a_line() -> None:
    """What a call is about, what came of it, and what changed in the plan."""
    assert about('{"alias": "open", "config": {}}') == "open"
    assert about("no json") == ""
    assert (
        outcome(
            "create_node", "Node 'a' has the id n_1 and position 2 (effect read); …", failed=False
        )
        == "at position 2, read"
    )
    assert (
        outcome("test_single_node", "FAILED: It broke.\na: failed in 0.1 s", failed=True)
        == "It broke."
    )
    scouted = "A scout looked.\n- a matches 1\nDropped, because:\n- b matches 0"
    assert outcome("deploy_scout", scouted, failed=False) == "1 finding holds, 1 dropped"
    ran = "Run run-1 of 3 nodes: done.\na: success in 0.1 s\nCompleted by this: task 1, 2."
    assert outcome("execute_nodes", ran, failed=False) == "3 nodes: done; closes task 1, 2"
    doubt = "DOUBT (rounds) about each: 1 of 2 rounds of each failed and were left out: no page"
    ran = f"Run run-1 of 3 nodes: done, with 1 doubt.\n{doubt}\n seen: {{}}"
    told = "with 1 doubt: 1 of 2 rounds of each failed and were left out: no page"
    assert outcome("execute_nodes", ran, failed=False) == f"3 nodes: done, {told}"
    tried = f"each: success in 0.1 s\n result: 3\n{doubt}"
    assert outcome("test_single_node", tried, failed=False) == f"passed, {told}"
    changed = "The plan is now version 2.\ntask 1 'Log in': in_progress → completed\ntask 1 node_ids: a → b"
    assert plan_changes(changed) == ["task 1 'Log in': in progress → completed"]


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_line_about_the_context_fits_the_screen(width: int) -> None:
    """The largest parts are named, the others added up, and nothing is left out of the sum."""
    sizes = {"system": 2_339, "results": 12_743, "calls": 3_103, "plan": 220, "user": 90}
    parts = [{"place": "history", "name": name, "tokens": size} for name, size in sizes.items()]
    told = context_line({"parts": parts}, at=180_000, width=width)
    assert len(told) <= width
    assert told.startswith("context 18,495 of 180,000: results 12,743 · ")
