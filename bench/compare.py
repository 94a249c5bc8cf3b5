"""Compares all managers in one run: `python bench/compare.py [--limit N] [--budgets 0.3 0.5 0.7]`.

Prints a table for each material, writes `bench/results/compare.json` and `docs/compare.md`, and
draws `docs/img/frontier.svg`.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import platform
import random
import sys
import tomllib
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import TypeAlias

import frontier
from material import MATERIALS
from peers import OURS, PEERS, Peer

from director.audit.support_replay import RecordedRun, SupportScore, replay

ROOT = Path(__file__).parent.parent
Row: TypeAlias = dict[str, float | None]
Rows: TypeAlias = dict[str, dict[str, Row]]

SHOWN = (
    "kept %",
    "hard %",
    "hard_ctx %",
    "fresh %",
    "recent %",
    "user %",
    "ref %",
    "valid openai %",
    "valid anthropic %",
    "over budget %",
    "rewrites %",
    "cost",
    "ms",
)
LEGEND = """\
| column | meaning |
|---|---|
| kept % | size of what was sent, over the calls whose raw history is above the budget |
| hard % | values in the next recorded call that only old history holds, and that were still sent |
| hard_ctx % | the same, if half of the words around the value were sent with it |
| fresh % | what the next message uses and only the latest result holds, still sent |
| recent % | the same of the five results before the latest |
| user % | runs of five words that the user said after the first turn, still sent at the last call |
| ref % | page elements the next call names, still offered with their label by the newest snapshot |
| valid % | requests that OpenAI, or Anthropic, would accept |
| over budget % | calls above the budget whose request was still above it |
| rewrites % | requests that do not continue the one before, so that the cached prefix is lost |
| cost | input cost against sending everything: cached prefixes (at least 1,024 tokens, five minutes) at a tenth |
| ms | median time of one call of the manager |
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, write and draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=0, help="recordings of a material; 0 is all")
    parser.add_argument("--budgets", type=float, nargs="+", default=[0.3, 0.5, 0.7])
    parser.add_argument("--materials", nargs="+", choices=list(MATERIALS), default=list(MATERIALS))
    parser.add_argument("--managers", nargs="+", choices=[peer.key for peer in PEERS])
    parser.add_argument("--dry", action="store_true", help="print only")
    options = parser.parse_args(arguments)
    chosen = [peer for peer in PEERS if not options.managers or peer.key in options.managers]
    peers = [peer for peer in chosen if _usable(peer)]
    results: dict[str, Rows] = {}
    for material in options.materials:
        runs = _sample(material, options.limit)
        print(f"\n## {MATERIALS[material][0]} ({len(runs)} runs)", flush=True)
        results[material] = _measure(peers, material, runs, sorted(options.budgets))
        for share in sorted(options.budgets):
            print(f"\nBudget {share:.0%}\n\n{_table(results[material], share)}", flush=True)
    if not options.dry:
        _write(results, sorted(options.budgets), options.limit)


def _usable(peer: Peer) -> bool:
    try:
        peer.make()
    except ImportError as missing:
        print(f"{peer.name} is left out: {missing}", file=sys.stderr)
        return False
    return True


def _sample(material: str, limit: int) -> list[RecordedRun]:
    try:
        runs = MATERIALS[material][1]()
    except ModuleNotFoundError as missing:
        print(f"{material} is left out: {missing}", file=sys.stderr)
        return []
    return random.Random(11).sample(runs, limit) if 0 < limit < len(runs) else runs


def _measure(
    peers: Sequence[Peer], material: str, runs: list[RecordedRun], shares: Sequence[float]
) -> Rows:
    rows: Rows = {}
    for peer in peers:
        if peer.only and material not in peer.only:
            continue
        print(f"  {material}: {peer.name} …", file=sys.stderr, flush=True)
        scores: dict[float, SupportScore] = {
            share: replay(peer.make, runs, share) for share in shares
        }
        rows[peer.key] = {f"{share:g}": score.row() for share, score in scores.items()}
    return rows


def _table(rows: Rows, share: float) -> str:
    names = {peer.key: peer.name for peer in PEERS}
    columns = [c for c in SHOWN if any(r[f"{share:g}"][c] is not None for r in rows.values())]
    lines = ["| manager | " + " | ".join(columns) + " |", "|---" + "|---:" * len(columns) + "|"]
    for key, by_share in rows.items():
        values = [_shown(by_share[f"{share:g}"][column], column) for column in columns]
        name = f"**{names[key]}**" if key == OURS else names[key]
        lines.append("| " + " | ".join([name, *values]) + " |")
    return "\n".join(lines)


def _shown(value: float | None, column: str) -> str:
    if value is None:
        return "–"
    return f"{value:.2f}" if column in ("cost", "ms") else f"{value:.1f}".removesuffix(".0")


def _versions() -> dict[str, str]:
    own = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    found = {"director": str(own), "python": platform.python_version()}
    for name in ("langchain", "langchain-core", "headroom-ai", "bfcl-eval"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def _write(results: dict[str, Rows], shares: Sequence[float], limit: int) -> None:
    today = dt.datetime.now(tz=dt.UTC).date().isoformat()
    stamp = {"date": today, "versions": _versions(), "budgets": list(shares), "limit": limit}
    stored = ROOT / "bench" / "results" / "compare.json"
    stored.parent.mkdir(exist_ok=True)
    stored.write_text(json.dumps(stamp | {"results": results}, indent=1) + "\n")
    images = ROOT / "docs" / "img"
    images.mkdir(parents=True, exist_ok=True)
    frontier.draw(results, images / "frontier.svg")
    page = "\n".join(_page(results, shares, stamp))
    (ROOT / "docs" / "compare.md").write_text(page)


def _page(
    results: dict[str, Rows], shares: Sequence[float], stamp: dict[str, object]
) -> Iterator[str]:
    versions = _versions()
    yield "# Compared with others\n"
    yield (
        f"Measured on {stamp['date']} by `python bench/compare.py`, all managers in one run on the"
        " same recordings; no model is asked. Versions: "
        + ", ".join(f"{name} {version}" for name, version in versions.items())
        + ".\n"
    )
    if stamp["limit"]:
        yield f"Only {stamp['limit']} recordings of each material were used.\n"
    yield "![What is kept against what it costs](img/frontier.svg)\n"
    yield (
        "A budget of 50% holds the system prompt, the first request and half of all that follows."
        " Masking, browser-use's rule, the raw history and the floor take no budget: they are the"
        " same at each. What the recordings are and how to run this is in `bench/README.md`.\n"
    )
    yield (
        "**Director** is as it is by default: what fits passes untouched, what the agent has just"
        " asked for and the user's words stay. *Director, thrift* shrinks results before the model"
        " has seen them: cheaper, at the price of what they say beside their compact form. Larger"
        " sets of recordings are in [measured](measured.md).\n"
    )
    yield LEGEND
    for material, rows in results.items():
        if not rows:
            continue
        first = next(iter(rows.values()))[f"{shares[0]:g}"]
        yield f"## {MATERIALS[material][0]}\n"
        yield f"{first['calls']} calls, {first['needed']} values needed from old history.\n"
        for share in shares:
            yield f"### Budget {share:.0%}\n\n{_table(rows, share)}\n"


if __name__ == "__main__":
    main()
