"""Files in work stay at hand, so that the next edit can be made from what is sent."""

from __future__ import annotations

import json
from typing import Any

from director import fit_messages


def call(nth: int, name: str, args: dict[str, str], result: str) -> list[Any]:
    """A call of a tool and its result."""
    function = {"name": name, "arguments": json.dumps(args)}
    made = {"id": f"c{nth}", "type": "function", "function": function}
    return [
        {"role": "assistant", "content": "", "tool_calls": [made]},
        {"role": "tool", "tool_call_id": f"c{nth}", "content": result},
    ]


def file_text(name: str, lines: int = 120) -> str:
    """A file with numbers before its lines, no two of which are alike."""
    return "\n".join(f"{at:6d}\t    {name}_{at} = compute_{name}({at * 37})" for at in range(lines))


def session(*, edits: bool) -> list[Any]:
    """Logs that are read, a file that is read and edited, and one test after another."""
    messages: list[Any] = [{"role": "user", "content": "Make the totals right."}]
    for nth in range(6):
        log = "\n".join(f"{nth}:{at} worker {at % 7} took {at * nth} ms" for at in range(160))
        messages += call(nth, "Bash", {"command": f"tail log{nth}"}, log)
    messages += call(20, "Read", {"file_path": "/repo/totals.py"}, file_text("total"))
    given = {"file_path": "/repo/totals.py", "old_string": "total_3", "new_string": "total_three"}
    messages += call(21, "Edit", given, "Updated.") if edits else []
    for nth in range(30, 34):
        out = "\n".join(f"test_{nth}_{at} passed in {at} ms" for at in range(90))
        messages += call(nth, "Bash", {"command": f"run the tests {nth}"}, out)
    return messages


def test_the_text_of_a_file_that_is_edited_outlives_newer_logs() -> None:
    """Its lines are needed for the next edit, exactly as they stand."""
    sent = fit_messages(session(edits=True), budget=8_000)
    assert sent.report.fits
    assert sent.context.fold is not None
    assert file_text("total") in "\n".join(str(one) for one in _results(sent.messages))


def test_without_an_edit_a_file_is_a_result_like_any_other() -> None:
    """Then the newest results stay instead."""
    sent = fit_messages(session(edits=False), budget=8_000)
    assert sent.report.fits
    assert file_text("total") not in "\n".join(str(one) for one in _results(sent.messages))


def _results(messages: list[Any]) -> list[str]:
    return [one["content"] for one in messages if one["role"] == "tool"]
