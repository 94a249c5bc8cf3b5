"""The material: the project's own recordings, and tasks of BFCL played on its own simulated tools."""

from __future__ import annotations

import ast
import gzip
import importlib.util
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from director.audit.recorded_texts import Message
from director.audit.support_replay import RecordedRun

RECORDINGS = Path(__file__).parent / "recordings"
SIMULATED = (
    "You serve a user with the tools at hand: files, messages, tickets, travel, trading, a car."
)


def recorded(*families: str) -> list[RecordedRun]:
    """The recordings of these families."""
    return [run for family in families for run in _read(RECORDINGS / f"{family}.jsonl.gz")]


def _read(path: Path) -> Iterator[RecordedRun]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield RecordedRun(row["id"], row["messages"], row["times"])


def bfcl() -> list[RecordedRun]:
    """Multi-turn tasks with long results: the right calls are known and are really executed.

    The simulated tools remember their state by the name of a task, so a process loads this once.
    """
    found = importlib.util.find_spec("bfcl_eval")
    if found is None or found.origin is None:
        raise ModuleNotFoundError("bfcl_eval is missing: pip install --no-deps bfcl-eval mpmath")
    folder = Path(found.origin).parent / "data"
    name = "BFCL_v4_multi_turn_long_context.json"
    right = {row["id"]: row["ground_truth"] for row in _rows(folder / "possible_answer" / name)}
    return [
        RecordedRun(task["id"], list(_played(task, right[task["id"]])))
        for task in _rows(folder / name)
    ]


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def _played(task: dict[str, Any], answers: list[list[str]]) -> Iterator[Message]:
    from bfcl_eval.eval_checker.multi_turn_eval.multi_turn_utils import (  # noqa: PLC0415
        execute_multi_turn_func_call as execute,
    )

    yield {"role": "system", "content": SIMULATED}
    count = 0
    for asked, sources in zip(task["question"], answers, strict=False):
        yield from ({"role": m["role"], "content": m["content"]} for m in asked)
        for source in sources:
            count += 1
            tool, given = _parsed(source)
            world = (task["initial_config"], task["involved_classes"], "bench", task["id"])
            results, _ = execute([source], *world, long_context=True)
            call = f"call_{count:03d}"
            function = {"name": tool, "arguments": json.dumps(given, ensure_ascii=False)}
            calls = [{"id": call, "type": "function", "function": function}]
            yield {"role": "assistant", "content": "", "tool_calls": calls}
            yield {"role": "tool", "tool_call_id": call, "name": tool, "content": str(results[0])}
        yield {"role": "assistant", "content": "That is done."}


def _parsed(source: str) -> tuple[str, dict[str, object]]:
    node = ast.parse(source, mode="eval").body
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise TypeError(f"not a call: {source!r}")
    by_place = {f"value_{at}": ast.literal_eval(arg) for at, arg in enumerate(node.args, start=1)}
    by_name = {str(word.arg): ast.literal_eval(word.value) for word in node.keywords}
    return node.func.id, by_place | by_name


MATERIALS: dict[str, tuple[str, Callable[[], list[RecordedRun]]]] = {
    "browser": (
        "Browser: shop, tracker, travel and module pages, recorded in Chromium",
        lambda: recorded("docs", "shop", "tracker", "travel"),
    ),
    "terminal": (
        "Terminal: finding and mending a broken commit",
        lambda: recorded("terminal"),
    ),
    "bfcl": (
        "BFCL v4, multi-turn with long results, right calls on simulated tools",
        bfcl,
    ),
}
