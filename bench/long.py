"""How a conversation of 2,000 turns goes on: time for a turn, memory, and opening it anew.

Every turn is taken by Director as always, with two calls and two answers; a scripted model speaks,
requests are kept, and the history is compressed when it is due. The marks are lower than in use, so
that it happens often. With `--stopped` no summary is of use: compression stops, and every request is
cut from the whole history. Prints markdown for `docs/measured.md`, writes `results/`; no network.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from director.agent import AgentSession, take_turn
from director.agent.conversation.current_thread import ensure_current_thread
from director.counting import counter_for
from director.models import Capabilities, Journal, Model, Timing
from director.models.model import ModelLocation
from director.models.script_values import Ask, Emit, Say, ScriptEngine, Seen
from director.models.scripted import Scripted
from director.runs import save_run_workflow
from director.settings import load_settings
from director.store import open_store
from director.store.compression import list_compression_history
from director.store.context_view import ThreadLog
from director.workflow.values import Workflow

TURNS = 2_000
HUNDRED = 100
MARKS = {"warn_at": 25_000, "compress_at": 30_000, "compress_to": 6_000}
WORDS = "amber birch cobalt dahlia ember fennel ginger hazel indigo juniper kelp lilac".split()
VARIABLES = 20
_PAGE = re.compile(r"page-(\d+)\b")


RESULTS = Path(__file__).parent / "results" / "long.json"


@dataclass(slots=True)
class Taken:
    """What was measured: seconds of each turn, and for each hundred what it took."""

    seconds: list[float] = field(default_factory=list)
    hundreds: list[dict[str, float]] = field(default_factory=list)
    entries: int = 0
    compressions: int = 0
    old: list[float] = field(default_factory=list)
    young: list[float] = field(default_factory=list)

    def note(self) -> None:
        """Note the turns since the last note: how long they took, and the memory now."""
        ms = [1e3 * each for each in self.seconds[len(self.hundreds) * HUNDRED :]]
        now, most = resident()
        told = {
            "turns": len(self.seconds),
            "median ms": statistics.median(ms),
            "mean ms": statistics.mean(ms),
            "worst ms": max(ms),
            "MB": now,
            "most MB": most,
        }
        self.hundreds.append({name: round(value, 1) for name, value in told.items()})
        print(self.hundreds[-1], file=sys.stderr, flush=True)


def resident() -> tuple[float, float]:
    """Megabytes of this program now, and at most so far."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    pages = Path("/proc/self/statm")
    if not pages.exists():
        return most, most
    return int(pages.read_text().split()[1]) * resource.getpagesize() / 2**20, most


def page(number: int) -> str:
    """What a page says: about half a KB, no two alike."""
    lines = (
        f"- row {WORDS[(number + nth) % 12]} {WORDS[number * nth % 12]} {WORDS[number // 12 % 12]}"
        for nth in range(14)
    )
    return f"page-{number} has the selector #row-{number}\n" + "\n".join(lines)


def brain(seen: Seen) -> Sequence[Emit]:
    """Two calls for what the user says, then an answer; a line for each page in a summary."""
    last = seen.items[-1]
    if "<conversation>" in last.text:
        pages = dict.fromkeys(_PAGE.findall(last.text.partition("<conversation>")[2]))
        return [
            Say(
                "\n".join(
                    f"page-{one} has #row-{one}, rows{int(one) % VARIABLES}." for one in pages
                )
            )
        ]
    if last.kind == "result":
        return [Say("The page is read and its rows are kept.")]
    number = int(_PAGE.findall(last.text)[-1])
    name = f"rows{number % VARIABLES}"
    kept = {"variableName": name, "value": page(number), "reason": f"page-{number}"}
    return [
        Ask("set_variable", json.dumps(kept), f"set_{number}"),
        Ask("get_workflow_variable", json.dumps({"variableName": name}), f"get_{number}"),
    ]


def useless(seen: Seen) -> Sequence[Emit]:
    """The same, without a summary that could be used."""
    return [Say("Nothing.")] if "<conversation>" in seen.items[-1].text else brain(seen)


def opens(speaks: ScriptEngine) -> Callable[[str, Journal | None], Model]:
    """What opens a model that a brain speaks for."""

    def opened(name: str, journal: Journal | None) -> Model:
        def again(_known: Capabilities | None) -> Model:
            return opened(name, None)

        dialect = Scripted(speaks, name, Timing())
        place = ModelLocation("scripted", "", name)
        return Model(place, dialect, journal=journal, counter=counter_for(), reopen=again)

    return opened


async def turn(desk: AgentSession, number: int) -> float:
    """Take a turn; the processor's seconds for it."""
    began = time.process_time()
    ended = await take_turn(desk, f"Please read page-{number} and keep its rows.")
    took = time.process_time() - began
    # A scripted model never waits; a real one lets the loop clear away what has ended.
    await asyncio.sleep(0)
    if ended.ended != "said":
        raise AssertionError(ended)
    return took


@asynccontextmanager
async def conversation(
    path: Path, profile: str, speaks: ScriptEngine
) -> AsyncIterator[AgentSession]:
    """A desk with nothing said yet, in a store of its own."""
    given = {**MARKS, "profile": profile, "model": "scripted:long"}
    settings = load_settings(given, environ={"DIRECTOR_HOME": str(path.parent)})
    with open_store(path) as store:
        save_run_workflow(store, Workflow("long", "Long"))
        desk = AgentSession(store, "long", settings=settings, open_model=opens(speaks))
        yield desk
        await desk.close()


async def talked(path: Path, turns: int, profile: str, speaks: ScriptEngine) -> Taken:
    """Take so many turns in one conversation, then some more beside those of a young one."""
    taken = Taken()
    async with conversation(path, profile, speaks) as old:
        for number in range(1, turns + 1):
            taken.seconds.append(await turn(old, number))
            if number % HUNDRED == 0 or number == turns:
                taken.note()
        thread = ensure_current_thread(old.store, "long")
        taken.entries = old.store.head(thread)
        taken.compressions = len(list_compression_history(old.store, thread))
        async with conversation(path.with_name("young.db"), profile, speaks) as young:
            for number in range(1, HUNDRED + 1):
                await turn(young, number)
            # One after the other, so that what else the machine does weighs on both.
            for number in range(1, HUNDRED + 1):
                taken.old.append(await turn(old, turns + number))
                taken.young.append(await turn(young, HUNDRED + number))
    return taken


def opening(path: Path) -> float:
    """Milliseconds from nothing open to what the model sees, in a fresh program."""
    asked = [sys.executable, __file__, "--open", str(path)]
    took = [
        float(subprocess.run(asked, capture_output=True, check=True, text=True).stdout)
        for _ in range(5)
    ]
    return statistics.median(took)


def read(path: Path) -> float:
    """The same in this program."""
    began = time.perf_counter()
    with open_store(path) as store:
        thread = ensure_current_thread(store, "long")
        if not ThreadLog(store).read(thread).context.turns:
            raise AssertionError("nothing is there to see")
        return 1e3 * (time.perf_counter() - began)


def table(rows: Sequence[Mapping[str, float]]) -> str:
    """A line for each hundred turns."""
    head = f"| {' | '.join(rows[0])} |\n|{'--:|' * len(rows[0])}\n"
    return head + "\n".join(
        "| " + " | ".join(f"{each:,.0f}" for each in row.values()) + " |" for row in rows
    )


def beside(case: Mapping[str, object]) -> str:
    """What else there is to say."""
    return ", ".join(f"{name} {value:,}" for name, value in case.items() if name != "hundreds")


def main() -> None:
    """Talk, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--profile", default="structured")
    parser.add_argument("--stopped", action="store_true", help="no summary is of any use")
    parser.add_argument("--dry", action="store_true", help="write no results")
    parser.add_argument("--open", type=Path)
    given = parser.parse_args()
    if given.open:
        print(read(given.open))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "long.db")
        speaks = useless if given.stopped else brain
        taken = asyncio.run(talked(path, given.turns, given.profile, speaks))
        case = {
            "entries": taken.entries,
            "compressions": taken.compressions,
            "MB on disk": round(path.stat().st_size / 1e6, 1),
            "ms to open it in a fresh program": round(opening(path)),
            "turn at the end to one of a young conversation": round(
                statistics.mean(taken.old) / statistics.mean(taken.young), 2
            ),
            "hundreds": taken.hundreds,
        }
    name = f"{given.profile}, {'stopped' if given.stopped else 'compressed'}"
    if not given.dry:
        kept = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
        kept[name] = {"measured": datetime.now(UTC).date().isoformat(), **case}
        RESULTS.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    print(f"{name}\n\n{table(taken.hundreds)}\n\n{beside(case)}")


if __name__ == "__main__":
    main()
