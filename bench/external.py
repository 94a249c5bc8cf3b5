"""Compares all managers on sets of recordings that are no part of the project, in one table.

`python bench/external.py FOLDER` takes a folder with the sets as `data/NAME.jsonl.gz` and, as
Python files, their measure and the managers of others (`run.py`, `datasets.py`, `managers.py`):
the measure and the peers are theirs, so that nothing here favours anyone. It goes on where it was
stopped (`bench/results/external.json`); `--write` puts the table into `docs/compare-external.md`.
"""

from __future__ import annotations

import argparse
import datetime as dt
import importlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

ROOT = Path(__file__).parent.parent
STORED = ROOT / "bench" / "results" / "external.json"
PAGE = ROOT / "docs" / "compare-external.md"
Row: TypeAlias = dict[str, Any]

SETS: dict[str, float] = {
    "tau_airline": 0.5,
    "trail_gaia": 0.5,
    "docs_walk": 32_000,
    "bfcl_long": 0.5,
    "swe_mini": 0.5,
}
OURS = {
    "Director": "director.testing.replay:make",
    "Director, thrift": "director.testing.replay:make_thrift",
}
PEERS = {
    "everything (raw)": "raw",
    "head + latest turn": "floor",
    "LangChain trim_messages, documented options": "lc_trim_doc",
    "LangChain trim_messages, plain": "lc_trim_plain",
    "LangChain ClearToolUses, 3 kept": "lc_clear_tools_k3",
    "window of 15 messages": "seed004_window15",
    "window of 15, results cut at 1,000 characters": "seed004_compress",
    "observation masking, 10 kept": "obs_mask_10",
    "observation masking, 3 kept": "obs_mask_3",
    "SWE-agent, last 5 results": "swe_last5",
    "browser-use's rule": "browser_use",
    "Headroom, rules": "headroom",
    "batched excerpts of literals": "ref_digest",
}
COLUMNS = {
    "hard %": "hard_%",
    "hard_ctx %": "hard_ctx_%",
    "fresh %": "fresh_%",
    "recent %": "recent_%",
    "user %": "user_%",
    "ref %": "ref_%",
    "valid openai %": "valid_openai_%",
    "valid anthropic %": "valid_anthropic_%",
    "over budget %": "over_budget_%",
    "changed under": "changed_under",
    "cost": "cost_ratio",
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what is missing, print, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sets", nargs="+", choices=list(SETS), default=list(SETS))
    parser.add_argument("--again", action="store_true", help="forget what was measured before")
    parser.add_argument("--write", action="store_true", help="write the page")
    parser.add_argument("--only-write", action="store_true", help="measure nothing")
    options = parser.parse_args(arguments)
    results: dict[str, dict[str, Row]] = {} if options.again else load_results()
    for name in () if options.only_write else options.sets:
        measure_set(options.folder, name, results)
        print(f"\n## {name}\n\n{render_table(results[name])}", flush=True)
    if options.write or options.only_write:
        PAGE.write_text("\n".join(render_page(results)))


def load_results() -> dict[str, dict[str, Row]]:
    """What earlier runs measured."""
    found: dict[str, dict[str, Row]] = {}
    if STORED.exists():
        found = json.loads(STORED.read_text())
    return found


def measure_set(folder: Path, name: str, results: dict[str, dict[str, Row]]) -> None:
    """Replay a set through every manager that has no figures for it yet, and store each."""
    sys.path.insert(0, str(folder))
    try:
        theirs = {part: importlib.import_module(part) for part in ("datasets", "managers", "run")}
    finally:
        sys.path.remove(str(folder))
    rows = results.setdefault(name, {})
    missing = {shown: key for shown, key in (OURS | PEERS).items() if shown not in rows}
    if not missing:
        return
    try:
        runs = list(theirs["datasets"].TRAJECTORIES[name]())
    except ModuleNotFoundError as error:
        print(f"{name} is left out: {error}", file=sys.stderr)
        return
    for shown, key in missing.items():
        row = _replay(theirs["run"].replay, theirs["managers"].load(key), runs, SETS[name])
        if row is None:
            continue
        rows[shown] = row | {"state": _state(), "date": _today()}
        STORED.parent.mkdir(exist_ok=True)
        STORED.write_text(json.dumps(results, indent=1) + "\n")
        print(f"  {name}: {shown}", file=sys.stderr, flush=True)


def _replay(
    replay: Callable[..., Row], make: Callable[[], Any], runs: list[Any], budget: float
) -> Row | None:
    try:
        make()
    except ImportError as error:
        print(f"a manager is left out: {error}", file=sys.stderr)
        return None
    return replay(make, runs, budget)


def _state() -> str:
    git = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return git.stdout.strip()


def _today() -> str:
    return dt.datetime.now(tz=dt.UTC).date().isoformat()


def render_table(rows: dict[str, Row]) -> str:
    """One line for each manager, ours last."""
    lines = ["| manager | " + " | ".join(COLUMNS) + " |", "|---" + "|---:" * len(COLUMNS) + "|"]
    for shown in (*PEERS, *OURS):
        if shown in rows:
            cells = [_cell(rows[shown].get(key), key) for key in COLUMNS.values()]
            name = f"**{shown}**" if shown in OURS else shown
            lines.append("| " + " | ".join([name, *cells]) + " |")
    return "\n".join(lines)


def _cell(value: float | None, key: str) -> str:
    if value is None:
        return "–"
    return f"{value:.2f}" if key == "cost_ratio" else f"{value:g}"


def render_page(results: dict[str, dict[str, Row]]) -> Iterator[str]:
    """The page of all sets that were measured."""
    yield "# Compared with others on recordings of others\n"
    yield (
        "By `python bench/external.py`: the recordings, the measure and the managers of others come"
        " from outside the project; no model is called. The budget is the head and half of the"
        " rest, of docs_walk 32,000 tokens. The columns are those of [compared with"
        " others](compare.md); *changed under* counts requests that were changed although the"
        " history had not passed the budget. What is aimed at and what is missed is in"
        " [measured](measured.md).\n"
    )
    for name in SETS:
        rows = results.get(name, {})
        missing = [shown for shown in (*PEERS, *OURS) if shown not in rows]
        days = " and ".join(sorted({row["date"] for row in rows.values()}))
        yield f"## {name}\n"
        if rows:
            yield f"Measured on {days}.\n\n{render_table(rows)}\n"
        if missing:
            yield f"Not measured: {', '.join(missing) if rows else 'any manager'}.\n"


if __name__ == "__main__":
    main()
