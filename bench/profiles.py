"""The same workflow built under each profile: tokens, what the cache gave of them, and the price.

Sixty messages build twelve nodes on the demo site, in a real browser, through Director's own turns.
The strict double plays the provider and keeps the books, with the caches and prices of each vendor.
The answers are scripted, so every profile has the same calls and the same results. Only `clean` asks
for the state besides, by a rule that is named in the table. No model is asked.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import TypeAlias

from director.agent import AgentSession, take_turn
from director.browser import Browser, open_browser
from director.demo.site import Site
from director.models import Journal, Model, Timing, open_model
from director.models.script_values import Ask, Emit, Say, Seen
from director.runs import RunDependencies, save_run_workflow
from director.settings import load_settings
from director.store import open_store
from director.testing.double import Double
from director.workflow.values import Workflow

RESULTS = Path(__file__).parent / "results" / "profiles.json"
MODELS = {"openai": "openai:gpt-6.1-terra", "anthropic": "anthropic:claude-sonnet-5-5"}
# Seconds from one message of the user to the next, for the lifetimes of the caches.
PAUSE = 60.0
PAGES = (
    "/shop /shop?page=2 /shop?page=3 /lab /flaky /mail /grid / /shop?page=4 /shop/cart /flaky/late "
    "/shop?page=2"
).split()
# What a message needs to know that its own calls do not tell.
NEEDS = (
    ("get_browser_state",),
    ("get_workflow_nodes",),
    ("get_workflow_variables",),
    ("get_workflow_nodes",),
    ("get_current_plan", "get_workflow_summary"),
)
ALL = (
    "get_workflow_description",
    "get_current_plan",
    "get_workflow_nodes",
    "get_workflow_variables",
    "get_browser_state",
)
RULES = {
    "never": "never asks for the state",
    "needs": "asks once a message for what that message needs",
    "all": "asks once a message for everything that structured shows",
}
CASES = (
    ("structured", "never"),
    ("structured_cached", "never"),
    ("clean", "needs"),
    ("clean", "all"),
    ("clean", "never"),
)
Case: TypeAlias = tuple[str, str, str]
EVERY: tuple[Case, ...] = tuple((provider, *case) for provider in MODELS for case in CASES)
MESSAGES = 60


@dataclass(frozen=True)
class Row:
    """What one build took."""

    provider: str
    model: str
    profile: str
    rule: str
    calls: int
    input: int
    read: int
    written: int
    output: int
    cost: str
    compressions: int
    nodes: int


def ask(tool: str, **args: object) -> Ask:
    """A call of a tool."""
    return Ask(tool, json.dumps(args))


def plan(steps: int) -> dict[str, object]:
    """The plan after so many steps: what is done, what is being done, what is left."""
    tasks = [
        {
            "task_id": nth,
            "description": f"Read the heading of {PAGES[nth % len(PAGES)]} and keep its number",
            "status": "in_progress" if nth == steps else "pending",
        }
        for nth in range(12)
    ]
    phase = {"phase_name": "Read", "status": "in_progress", "tasks": tasks}
    return {"overall_goal": "Read twelve pages", "current_phase": "Read", "phases": [phase]}


def message(nth: int, site: str) -> tuple[str, list[list[Emit]]]:
    """What the user says, and what the model answers to it, round by round."""
    step, part = divmod(nth, 5)
    page = PAGES[step % len(PAGES)]
    alias = f"read_{step}"
    config = {"method": "deterministic_extract", "selector": "body", "fields": {"title": "h1"}}
    exact = {"config": {"fields": {"title": "h1:not([hidden])"}, "store": True}}
    said: tuple[tuple[str, list[list[Emit]]], ...] = (
        (
            f"Look at {site}{page}, please.",
            [
                [ask("debug_navigate", url=f"{site}{page}", reason="to see it")],
                [ask("inspect_tab", inspectionType="dom_snapshot")],
            ],
        ),
        (
            "Build the node that reads its heading, and try it.",
            [
                [ask("create_node", type="browser_query", alias=alias, config=config)],
                [ask("test_single_node", node=alias)],
            ],
        ),
        (
            f"Never take more than {20 + step} of these.",
            [[ask("set_variable", variableName=f"most_{step}", value=20 + step, reason="told")]],
        ),
        (
            "The selector must not match hidden headings. Try it again.",
            [
                [ask("update_node", node=alias, changes=exact)],
                [ask("test_single_node", node=alias)],
            ],
        ),
        (
            "Bring the plan up to date.",
            [[ask("update_plan", plan=plan(step), reason="the next step")]],
        ),
    )
    text, rounds = said[part]
    return f"#{nth} {text}", [*rounds, [Say(f"Done: message {nth}, {alias}.")]]


def brain(seen: Seen, site: str, rule: str) -> Sequence[Emit]:
    """The round that follows what was answered since the user last said something."""
    last = max(i for i, one in enumerate(seen.items) if _number(one.text, one.kind) is not None)
    nth = _number(seen.items[last].text, "user") or 0
    rounds = message(nth, site)[1]
    asked = {"never": (), "needs": NEEDS[nth % 5], "all": ALL}[rule]
    if asked:
        rounds = [[ask(tool) for tool in asked], *rounds]
    done = sum(one.kind == "result" for one in seen.items[last:])
    for answer in rounds:
        if done <= 0:
            return answer
        done -= sum(isinstance(one, Ask) for one in answer)
    return rounds[-1]


def _number(text: str, kind: str) -> int | None:
    if kind != "user" or not text.startswith("#"):
        return None
    return int(text[1:].partition(" ")[0])


async def build(browser: Browser, provider: str, profile: str, rule: str, messages: int) -> Row:
    """Build the workflow under a profile; what that took."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Site(seed=1).serve() as site,
        Double(provider, lambda seen: brain(seen, site.url, rule)) as double,
        open_store(Path(folder, "director.db")) as store,
    ):
        env = {
            "OPENAI_API_KEY": "nobody",
            "OPENAI_BASE_URL": double.openai_url,
            "ANTHROPIC_API_KEY": "nobody",
            "ANTHROPIC_BASE_URL": double.anthropic_url,
        }

        def opened(name: str, journal: Journal | None) -> Model:
            return open_model(name, journal=journal, env=env, timing=Timing(now=double.now))

        save_run_workflow(store, Workflow("w", "Twelve pages", origins=(site.url,)))
        settings = load_settings({"profile": profile, "model": MODELS[provider]}, environ={})
        means = RunDependencies(browser=browser, pictures="none")
        desk = AgentSession(store, "w", means=means, settings=settings, open_model=opened)
        for nth in range(messages):
            double.advance(PAUSE)
            turn = await take_turn(desk, message(nth, site.url)[0])
            if turn.ended != "said":
                raise RuntimeError(f"message {nth} ended with {turn.ended!r}: {turn.text}")
        nodes = len(desk.now().nodes)
        entries = store.entries(desk.thread)
        compressions = sum(entry.kind == "checkpoint" for entry in entries)
        if failed := [entry.body["text"] for entry in entries if entry.body.get("failed")]:
            raise RuntimeError(f"calls failed: {failed}")
        await desk.close()
        if double.defects or double.verdict():
            raise RuntimeError(f"a rule was broken: {double.defects} {double.verdict()}")
        lines = double.ledger.lines
        return Row(
            provider,
            MODELS[provider].partition(":")[2],
            profile,
            rule,
            calls=len(lines),
            input=sum(one.input for one in lines),
            read=sum(one.read for one in lines),
            written=sum(sum(one.writes.values()) for one in lines),
            output=sum(one.output for one in lines),
            cost=str(sum((one.cost or Decimal(0) for one in lines), Decimal(0))),
            compressions=compressions,
            nodes=nodes,
        )


def table(rows: Sequence[Mapping[str, object]]) -> str:
    """The rows as Markdown, beside what structured took at the same provider."""
    columns = "calls", "tokens sent", "from the cache", "put out", "cost", "tokens", "cost"
    lines = [f"| model | profile | {' | '.join(columns)} |", f"|---|---|{'--:|' * len(columns)}"]
    for row in rows:
        base = next(
            one
            for one in rows
            if (one["provider"], one["profile"]) == (row["provider"], "structured")
        )
        rule = f", {RULES[str(row['rule'])]}" if row["profile"] == "clean" else ""
        money = float(str(row["cost"]))
        share = int(str(row["read"])) / int(str(row["input"]))
        tokens = int(str(row["input"])) / int(str(base["input"])) - 1
        cheaper = money / float(str(base["cost"])) - 1
        lines.append(
            f"| {row['model']} | `{row['profile']}`{rule} | {row['calls']} | {row['input']:,} "
            f"| {share:.0%} | {row['output']:,} | ${money:.2f} | {tokens:+.0%} | {cheaper:+.0%} |"
        )
    return "\n".join(lines)


async def main(messages: int, wanted: Sequence[Case]) -> list[Row]:
    """The cases that are wanted, one after the other."""
    rows: list[Row] = []
    async with open_browser() as browser:
        for provider, profile, rule in wanted:
            rows.append(await build(browser, provider, profile, rule, messages))
            print(rows[-1], flush=True)
            if messages == MESSAGES:
                keep(rows[-1])
    return rows


def keep(row: Row) -> None:
    """Write a row among those that were kept, in place of an older one of the same case."""
    rows = {_case(one): one for one in (*kept_rows(), asdict(row))}
    ordered = [rows[case] for case in EVERY if case in rows]
    stamp = datetime.now(UTC).date().isoformat()
    told = {"measured": stamp, "messages": MESSAGES, "rows": ordered}
    RESULTS.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def kept_rows() -> list[dict[str, object]]:
    """The rows that were measured before."""
    found: list[dict[str, object]] = json.loads(RESULTS.read_text("utf-8"))["rows"]
    return found


def _case(row: Mapping[str, object]) -> Case:
    return str(row["provider"]), str(row["profile"]), str(row["rule"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--messages", type=int, default=MESSAGES)
    parser.add_argument("--providers", nargs="*", default=list(MODELS), choices=list(MODELS))
    parser.add_argument("--missing", action="store_true", help="only what was never measured")
    given = parser.parse_args()
    known = {_case(row) for row in kept_rows()} if given.missing else set()
    cases = [one for one in EVERY if one[0] in given.providers and one not in known]
    made = [asdict(row) for row in asyncio.run(main(given.messages, cases))]
    print(table(kept_rows() if given.messages == MESSAGES else made))
