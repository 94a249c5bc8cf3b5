"""A workflow that an earlier version wrote: it runs as it ran, and says where that was a guess."""

from __future__ import annotations

import json
import re
from pathlib import Path

from runs.answers import serve_answers
from test_cli_workflow import Run
from test_cli_workflow import run as run  # noqa: PLC0414  a fixture

GOLDEN = Path(__file__).parent / "runs" / "golden" / "workflow_version_2.json"
PAGE = """<ul><li>Ada <button class=answer onclick="said.textContent = 'to Ada'">Answer</button></li>
<li>Ben <button class=answer onclick="said.textContent = 'to Ben'">Answer</button></li></ul>
<form onsubmit="event.preventDefault(); said.textContent += ': ' + words.value">
<input id=words aria-label=Words></form><a class=close href=#closed>Close</a><p id=said></p>"""


def test_an_earlier_workflow_is_migrated_with_a_note_and_its_runs_are_doubted(
    run: Run, tmp_path: Path
) -> None:
    """The first of several and keys without a target: both as before, both told."""
    with serve_answers() as site:
        site["/"] = PAGE
        written = GOLDEN.read_text().replace("http://desk.test", site.origin)
        (tmp_path / "desk.json").write_text(written)
        code, out, err = run(
            "workflow", "run", str(tmp_path / "desk.json"), "--approve", site.origin
        )
        assert code == 3, out + err
        assert set(re.findall(r"doubt \((\w+)\): (\w+)", out)) == {
            ("several", "answer"),
            ("focus", "send"),
        }
        assert "answer took the first of 2 elements that fit." in out
        assert "send pressed Enter on what had the focus: textbox 'Words'." in out
        kept = json.loads(run("workflow", "export", "desk")[1])
        nodes = {node["alias"]: node for node in kept["nodes"]}
        assert kept["version"] == 3
        assert nodes["answer"]["config"]["first"] is True
        assert nodes["send"]["config"]["page"] is True
        assert [note.partition(":")[0] for note in kept["notes"]] == [
            "'answer', 'words', 'only'",
            "'send'",
        ]
        for alias, kind in (("answer", "several"), ("send", "focus")):
            dismissed = ("--dismiss", "--because", "looked at")
            assert run("workflow", "check", "desk", alias, kind, *dismissed)[0] == 0
        code, out, err = run("workflow", "run", "desk")
        assert (code, "doubt (" in out) == (0, False), out + err
