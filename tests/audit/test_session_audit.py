"""The audit of a recorded session says what happened in it, and nothing that did not."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest
from typer.testing import CliRunner

from audit import sessions
from director.audit.audit_page import render_audit_page
from director.audit.audit_text import encode_audit
from director.audit.session_audit import SessionAudit, audit_session
from director.audit.session_files import SessionUnreadable, read_session
from director.cli import app

Make = Callable[[Path], Path]
BOTH = pytest.mark.parametrize("make", [sessions.claude_code, sessions.codex])


def audited(make: Make, folder: Path) -> SessionAudit:
    """The audit of a session that is written anew."""
    return audit_session(read_session(make(folder / "session.jsonl")))


@BOTH
def test_what_a_compaction_lost_and_a_later_call_used_is_named(make: Make, tmp_path: Path) -> None:
    """The port stood in a dropped result, was read again, and was then used."""
    lost = {fact.text: fact for fact in audited(make, tmp_path).lost}
    port = lost["5433"]
    assert port.compaction == 1
    assert (port.call, port.stood == port.found) == (4, True)
    assert port.tokens > 400


@BOTH
def test_a_result_that_came_three_times_is_read_again_twice(make: Make, tmp_path: Path) -> None:
    """Only the repeats count."""
    (again,) = audited(make, tmp_path).repeated
    assert again.times == 3
    assert "/app/db.py" in again.what
    assert again.tokens == 2 * (4 + -(-len(sessions.PORT) // 4))


@BOTH
def test_the_window_is_as_large_as_the_provider_said(make: Make, tmp_path: Path) -> None:
    """Call by call, and the parts add up to it; the summary is there after the compaction only."""
    audit = audited(make, tmp_path)
    reported = [call.usage.input for call in audit.session.calls if call.usage]
    totals = [each.total for each in audit.windows]
    assert all(abs(a - b) <= 2 for a, b in zip(totals, reported, strict=False))
    assert [bool(each.summaries) for each in audit.windows] == [False, False, True, True, True]
    (compaction,) = audit.compactions
    assert compaction.call == 3
    assert compaction.before > compaction.after


def test_sub_agents_and_a_line_that_breaks_off_are_not_read(tmp_path: Path) -> None:
    """What was left out is counted, and five answers are five calls."""
    session = audited(sessions.claude_code, tmp_path).session
    assert session.skipped == {"messages of sub-agents": 1}
    assert len(session.calls) == 5
    assert session.name == "checkout-service"


def test_costs_are_what_the_usage_costs(tmp_path: Path) -> None:
    """At the model's own prices: what is new, what came from the cache, what was billed again."""
    costs = audited(sessions.claude_code, tmp_path).costs
    assert costs.unknown == ""
    read, write, fresh = Decimal("0.5"), Decimal("6.25"), Decimal(5)
    million = Decimal(1_000_000)
    assert costs.cached == (9_000 + 8_700 + 9_200) * read / million
    assert costs.output == 5 * 20 * Decimal(25) / million
    everything = 40 * fresh + (9_000 + 600 + 8_700 + 500 + 60) * write
    assert costs.new + costs.again == everything / million
    assert costs.again > costs.new / 2


def test_director_keeps_what_the_client_lost_at_the_same_size(tmp_path: Path) -> None:
    """The estimate is of a replay: the port stands in what would have been sent."""
    estimate = audited(sessions.claude_code, tmp_path).estimate
    assert estimate is not None
    assert "5433" in estimate.kept


@pytest.mark.parametrize("form", ["list", "lines", "langchain", "anthropic"])
def test_files_of_messages_are_read_in_any_form(form: str, tmp_path: Path) -> None:
    """Without times, usage and compactions, which such files do not have."""
    path = tmp_path / "messages.json"
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    chat: list[dict[str, object]] = [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "All is well."},
        {"role": "assistant", "content": "It is."},
    ]
    langchain = [
        {"type": "human", "content": "Look."},
        {"type": "ai", "content": "", "tool_calls": [{"name": "look", "args": {}, "id": "c1"}]},
        {"type": "tool", "content": "All is well.", "tool_call_id": "c1"},
        {"type": "ai", "content": "It is."},
    ]
    use = {"type": "tool_use", "id": "c1", "name": "look", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "c1", "content": "All is well."}
    anthropic = [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [result]},
        {"role": "assistant", "content": "It is."},
    ]
    texts = {
        "list": json.dumps(chat),
        "lines": "\n".join(map(json.dumps, chat)),
        "langchain": json.dumps({"values": {"messages": langchain}}),
        "anthropic": json.dumps({"messages": anthropic}),
    }
    path.write_text(texts[form])
    audit = audit_session(read_session(path))
    assert [each["role"] for each in audit.session.history] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert len(audit.session.calls) == 2
    assert audit.costs.unknown
    assert audit.estimate is None


@pytest.mark.parametrize("text", ["", "{}", "[]", "[1]", "hello", '{"messages": "no"}'])
def test_a_file_that_is_no_session_is_refused_with_what_can_be_read(
    text: str, tmp_path: Path
) -> None:
    """It never ends in a traceback."""
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(SessionUnreadable, match=r"Claude Code|no answer of a model"):
        read_session(path)


def test_the_page_stands_alone_and_shows_text_as_text(tmp_path: Path) -> None:
    """No script and nothing to load; what a session holds cannot become markup."""
    path = sessions.claude_code(tmp_path / "session.jsonl")
    path.write_text(path.read_text().replace("db.py", "<script>alert(1)"))
    page = render_audit_page(audit_session(read_session(path)))
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "default-src 'none'" in page
    assert "http" not in page.replace("http-equiv", "")


def test_the_command_lists_sessions_and_shows_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As text, as JSON and as a page; a name that is none ends with 2 and says what to do."""
    folder = tmp_path / "projects" / "-srv-checkout-service"
    folder.mkdir(parents=True)
    sessions.claude_code(folder / "0f6c-1.jsonl")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "none"))
    run = CliRunner().invoke
    assert "0f6c-1.jsonl" in run(app, ["audit"]).output
    page = tmp_path / "audit.html"
    shown = run(app, ["audit", "0f6c", "--page", str(page)])
    assert shown.exit_code == 0, shown.output
    assert "5433" in shown.output
    assert "Read again" in page.read_text()
    told = json.loads(run(app, ["audit", "latest", "--json"]).output)
    assert told == encode_audit(audit_session(read_session(folder / "0f6c-1.jsonl")))
    missing = run(app, ["audit", "no-such"])
    assert missing.exit_code == 2
    assert "lists those" in missing.output
