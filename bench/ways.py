"""Measures the engine through each way in: `.venv/bin/python bench/ways.py [--again] [--only WORDS]`.

The same long tool loop by the same scripted mind, raw and managed, through every way in and with
three models, against the double in this process: is every fact still known at the end, how many
tokens were sent, what the run would cost at the prices of 2026 with the provider's cache, what our
own work took, and how much memory it holds. Beside it, what the engine keeps of recorded runs
through the same hooks, by the measure of `compare.py`. What `results/ways.json` holds already is not
run again, unless with `--again`. No model, no network.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import statistics
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, TypeAlias

import agents_of_ways as agents
from hooks import HOOKS, making
from material import recorded

from director.audit.support_replay import replay
from director.models.script_engines import Mind
from director.models.script_engines.mind import PlannedCall
from director.testing.double import Double

RESULTS = Path(__file__).parent / "results" / "ways.json"
PAGE = Path(__file__).parents[1] / "docs" / "measured.md"
MODELS = ("gpt-6.1-terra", "gpt-6-sol", "claude-sonnet-5-5")
BUDGET = 20_000
Row: TypeAlias = dict[str, Any]

# The way in, its agent, and whose raw run it is compared with.
WAYS: dict[str, tuple[agents.Agent, str]] = {
    "create_agent": (agents.create_agent, "create_agent"),
    "pre_model_hook": (agents.pre_model_hook, "pre_model_hook"),
    "ContextManagedAgent": (agents.managed_agent, "create_agent"),
    "OpenAI Agents": (agents.openai_agents, "OpenAI Agents"),
    "pydantic-ai": (agents.pydantic_ai, "pydantic-ai"),
    "client": (agents.client, "client"),
    "proxy": (agents.proxy, "client"),
    "MCP fit": (agents.mcp, "client"),
}
# Steps and lines of a page, and the ways that are run so: both sizes of page with all of them.
SETTINGS: dict[tuple[int, int], tuple[str, ...]] = {
    (30, 40): tuple(WAYS),
    (30, 120): tuple(WAYS),
    (100, 40): ("create_agent", "client", "proxy"),
    (100, 120): ("client",),
}
SHARE = 0.5


def speaks(way: str, model: str) -> bool:
    """Whether a framework speaks with the provider of a model."""
    return way != "OpenAI Agents" or not model.startswith("claude")


def reader(steps: int) -> Mind:
    """The model: it opens page after page, then tells the codes that it still sees."""
    tasks = [
        PlannedCall("open_page", json.dumps({"number": n}), gives=f"code_{n}") for n in range(steps)
    ]
    return Mind(tasks, " ".join(f"code_{n}={{code_{n}}}" for n in range(steps)))


def answer(steps: int) -> str:
    """What it says if it still sees every code."""
    return " ".join(f"code_{n}=K{n * 37 + 11}" for n in range(steps))


def measured(agent: agents.Agent, model: str, steps: int, lines: int, *, managed: bool) -> Row:
    """One run."""
    gauge = agents.Gauge(BUDGET) if managed else None
    provider: Any = "anthropic" if model.startswith("claude") else "openai"
    with Double(provider, reader(steps)) as double:
        said = asyncio.run(agent(agents.Setting(double, model, lines, gauge)))
        totals = double.ledger.totals()
        costs = [float(line.cost or 0) for line in double.ledger.lines]
        row: Row = {
            "right": said == answer(steps),
            "defects": len(double.defects),
            "requests": totals.requests,
            "tokens": totals.input,
            "dollars": float(totals.cost) if totals.cost is not None else None,
            "cached": round(double.ledger.hit_rate(), 3),
            "spent": [round(sum(costs[: n + 1]), 5) for n in range(len(costs))],
        }
    if gauge is None:
        return row
    took = sorted(gauge.took)
    return row | {
        "p50_ms": round(statistics.median(took), 2),
        "p99_ms": round(took[int(len(took) * 0.99)], 2),
        "largest": [gauge.before, gauge.after],
        "held_kb": round(weight(gauge.holds) / 1_024),
    }


def weight(root: object) -> int:
    """Bytes of all that an object holds, the messages given to it included."""
    left, seen, total = [root], {id(root)}, 0
    apart = (type, ModuleType, FunctionType, BuiltinFunctionType)
    while left:
        one = left.pop()
        total += sys.getsizeof(one)
        for inner in gc.get_referents(one):
            if id(inner) not in seen and not isinstance(inner, apart):
                seen.add(id(inner))
                left.append(inner)
    return total


def cheaper_from(raw: Row, managed: Row) -> int | None:
    """The request from which on the managed run has cost less, to its end."""
    less = [m < r for m, r in zip(managed["spent"], raw["spent"], strict=False)]
    turns = [n + 2 for n, (before, now) in enumerate(pairwise(less)) if now and not before]
    return turns[-1] if turns and less[-1] else None


def kept(way: str) -> Row:
    """What the engine keeps of the recorded runs, through the hook of a way."""
    runs = recorded("terminal", "shop", "tracker")
    row = replay(making(HOOKS[way]), runs, SHARE).row()
    return {name: row[name] for name in ("hard %", "hard_ctx %", "valid openai %", "kept %")}


def cells(only: list[str]) -> Iterator[tuple[str, str, int, int]]:
    """What is to be run; `only` are words that a cell's name must all hold."""
    for (steps, lines), ways in SETTINGS.items():
        for way in ways:
            for model in MODELS:
                name = f"{way}, {model}, {steps} steps, {lines} lines"
                if speaks(way, model) and all(word in name for word in only):
                    yield way, model, steps, lines


def run(found: Row, only: list[str]) -> None:
    """Run what is missing, and write down each as soon as it is known."""
    for way, model, steps, lines in cells(only):
        agent, other = WAYS[way]
        for name, ran, managed in ((f"raw {other}", WAYS[other][0], False), (way, agent, True)):
            key = f"{name}, {model}, {steps} steps, {lines} lines"
            if key not in found["runs"]:
                print(f"  {key} …", file=sys.stderr, flush=True)
                found["runs"][key] = measured(ran, model, steps, lines, managed=managed)
                RESULTS.write_text(json.dumps(found) + "\n")
    for way in HOOKS:
        if way not in found["kept"] and all(word in way for word in only):
            print(f"  recorded runs: {way} …", file=sys.stderr, flush=True)
            found["kept"][way] = kept(way)
            RESULTS.write_text(json.dumps(found) + "\n")


def table(found: Row) -> Iterator[str]:
    """The table, as far as it was run: a line for each way in and setting."""
    yield (
        "| way in | steps, lines | right, defects | tokens, everything → managed | "
        + " | ".join(f"$ {model}" for model in MODELS)
        + " | ms p50 / p99 | held KB |"
    )
    yield "|---|---|---|--:|" + "--:|" * len(MODELS) + "--:|--:|"
    for (steps, lines), ways in SETTINGS.items():
        for way in ways:
            raws, manageds = (
                [found["runs"].get(f"{name}, {m}, {steps} steps, {lines} lines") for m in MODELS]
                for name in (f"raw {WAYS[way][1]}", way)
            )
            pairs = list(zip(raws, manageds, strict=True))
            if any(all(pair) for pair in pairs):
                yield f"| {way} | {steps}, {lines} | {' | '.join(told(way, pairs))} |"


def told(way: str, pairs: Sequence[tuple[Row | None, Row | None]]) -> list[str]:
    """The figures of a line; of time and memory, those of the model with the most."""
    ran = [(raw, managed) for raw, managed in pairs if raw is not None and managed is not None]
    right = all(raw["right"] and managed["right"] for raw, managed in ran)
    raw, managed = ran[0]
    return [
        f"{'yes' if right else 'NO'}, {sum(managed['defects'] for _, managed in ran)}",
        f"{raw['tokens']:,} → {managed['tokens']:,} (−{1 - managed['tokens'] / raw['tokens']:.0%})",
        *(priced(way, model, *pair) for model, pair in zip(MODELS, pairs, strict=True)),
        f"{max(m['p50_ms'] for _, m in ran):.1f} / {max(m['p99_ms'] for _, m in ran):.0f}",
        f"{max(m['held_kb'] for _, m in ran):,}",
    ]


def priced(way: str, model: str, raw: Row | None, managed: Row | None) -> str:
    """What a run costs, and from which request on it has cost less."""
    if not speaks(way, model):
        return "speaks with OpenAI only"
    if raw is None or managed is None or raw["dollars"] is None or managed["dollars"] is None:
        return "–"
    change = f"{managed['dollars'] / raw['dollars'] - 1:+.0%}".replace("-", "−")
    since = cheaper_from(raw, managed)
    from_on = f", less from request {since}" if since is not None else ""
    return f"{raw['dollars']:.3f} → {managed['dollars']:.3f} ({change}{from_on})"


def kept_table(found: Row) -> Iterator[str]:
    """What is kept of recorded runs through each hook."""
    yield f"| hook | {' | '.join(next(iter(found['kept'].values())))} |"
    yield "|---|--:|--:|--:|--:|"
    for way, row in found["kept"].items():
        yield f"| {way} | {' | '.join(f'{figure:.1f}' for figure in row.values())} |"


def replaced(page: str, lines: Sequence[str]) -> str:
    """A page with this table instead of the one that has the same head."""
    parts = page.split("\n\n")
    head = lines[0].split("|")[1]
    return "\n\n".join("\n".join(lines) if part.startswith(f"|{head}|") else part for part in parts)


def main() -> None:
    """Run what is missing and print everything."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--only", nargs="*", default=[], help="words that a cell must name")
    options.add_argument("--again", action="store_true", help="forget what was found before")
    options.add_argument("--write", action="store_true", help="put the tables into the page")
    chosen = options.parse_args()
    found: Row = {"runs": {}, "kept": {}}
    if RESULTS.exists() and not chosen.again:
        found |= json.loads(RESULTS.read_text())
    run(found, chosen.only)
    for lines in (list(table(found)), list(kept_table(found)) if found["kept"] else []):
        print("\n".join(lines), end="\n\n")
        if chosen.write and lines:
            PAGE.write_text(replaced(PAGE.read_text(), lines))


if __name__ == "__main__":
    main()
