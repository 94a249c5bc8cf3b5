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

from director.testing import replay

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
    "Director, thrift": "external:make_thrift",
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
EVIDENCE: dict[str, float] = {"qmsum": 0.25}
EVIDENCE_COLUMNS = {
    "turns %": "turn_%",
    "answers %": "answer_%",
    "kept %": "kept_%",
    "over budget": "over_budget",
}
# Managers that only touch the results of tools, of which meetings have none.
OF_CONVERSATIONS = {"every nth turn": "uniform", "the user's turns": "user_turns"}
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


def make_thrift() -> Callable[[list[object], int], list[object]]:
    """Director with `thrift`, for the measure of others, which asks a module for a function."""
    return replay.make(thrift=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what is missing, print, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    known = [*SETS, *EVIDENCE]
    parser.add_argument("--sets", nargs="+", choices=known, default=known)
    parser.add_argument("--again", action="store_true", help="forget what was measured before")
    parser.add_argument("--ours", action="store_true", help="forget what was measured of Director")
    parser.add_argument("--write", action="store_true", help="write the page")
    parser.add_argument("--only-write", action="store_true", help="measure nothing")
    options = parser.parse_args(arguments)
    results: dict[str, dict[str, Row]] = {} if options.again else load_results()
    for name in () if options.only_write else options.sets:
        if options.ours:
            forget_ours(results.get(name, {}))
        measure_set(options.folder, name, results)
        print(f"\n## {name}\n\n{render_table(results[name], columns_of(name))}", flush=True)
    if options.write or options.only_write:
        PAGE.write_text("\n".join(render_page(results)))


def load_results() -> dict[str, dict[str, Row]]:
    """What earlier runs measured."""
    found: dict[str, dict[str, Row]] = {}
    if STORED.exists():
        found = json.loads(STORED.read_text())
    return found


def forget_ours(rows: dict[str, Row]) -> None:
    """Drop Director's figures of a set, so that they are measured again."""
    for shown in OURS:
        rows.pop(shown, None)


def columns_of(name: str) -> dict[str, str]:
    """The columns of a set."""
    return EVIDENCE_COLUMNS if name in EVIDENCE else COLUMNS


def managers_of(name: str) -> dict[str, str]:
    """The managers that are measured on a set, by the name that is shown."""
    return OURS | PEERS | (OF_CONVERSATIONS if name in EVIDENCE else {})


def measure_set(folder: Path, name: str, results: dict[str, dict[str, Row]]) -> None:
    """Replay a set through every manager that has no figures for it yet, and store each."""
    sys.path.insert(0, str(folder))
    try:
        theirs = {part: importlib.import_module(part) for part in ("datasets", "managers", "run")}
    finally:
        sys.path.remove(str(folder))
    rows = results.setdefault(name, {})
    missing = {shown: key for shown, key in managers_of(name).items() if shown not in rows}
    if not missing:
        return
    try:
        runs = list(_loader(theirs["datasets"], name)())
    except ModuleNotFoundError as error:
        print(f"{name} is left out: {error}", file=sys.stderr)
        return
    for shown, key in missing.items():
        run = theirs["run"]
        replay = run.evidence if name in EVIDENCE else run.replay
        row = _replay(replay, theirs["managers"].load(key), runs, (SETS | EVIDENCE)[name])
        if row is None:
            continue
        rows[shown] = row | {"state": _state(), "date": _today()}
        STORED.parent.mkdir(exist_ok=True)
        STORED.write_text(json.dumps(results, indent=1) + "\n")
        print(f"  {name}: {shown}", file=sys.stderr, flush=True)


def _loader(datasets: Any, name: str) -> Callable[[], Iterator[Any]]:
    source = datasets.CONVERSATIONS if name in EVIDENCE else datasets.TRAJECTORIES
    found: Callable[[], Iterator[Any]] = source[name]
    return found


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


def render_table(rows: dict[str, Row], columns: dict[str, str]) -> str:
    """One line for each manager, ours last."""
    lines = ["| manager | " + " | ".join(columns) + " |", "|---" + "|---:" * len(columns) + "|"]
    for shown in (*PEERS, *OF_CONVERSATIONS, *OURS):
        if shown in rows:
            cells = [_cell(rows[shown].get(key), key) for key in columns.values()]
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
        " history had not passed the budget; of qmsum, meetings at a quarter of their size, it is the"
        " annotated evidence that is still there. What is aimed at, what is missed and which aims"
        " exclude one another is in [measured](measured.md#what-was-aimed-at-and-is-not-reached-and-what-excludes-it).\n"
    )
    for name in (*SETS, *EVIDENCE):
        rows = results.get(name, {})
        missing = [shown for shown in managers_of(name) if shown not in rows]
        days = " and ".join(sorted({row["date"] for row in rows.values()}))
        yield f"## {name}\n"
        if rows:
            yield f"Measured on {days}.\n\n{render_table(rows, columns_of(name))}\n"
        if missing:
            yield f"Not measured: {', '.join(missing) if rows else 'any manager'}.\n"


if __name__ == "__main__":
    main()
