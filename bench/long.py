"""How a conversation of 2,000 turns goes on: time for a turn, memory, and opening it anew.

Every turn is taken by Director as always, with two calls and two answers; a scripted model speaks,
requests are kept, and the history is compressed when it is due. The marks are lower than in use, so
that it happens often. Prints markdown for `docs/measured.md`; no network.
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
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from director.agent import Desk, take_turn
from director.agent.hooking import equipped
from director.agent.threads import Log, current_thread
from director.counting import counter_for
from director.models import Capabilities, Journal, Model, Timing
from director.models.model import Place
from director.models.script import Ask, Emit, Say, Seen
from director.models.scripted import Scripted
from director.runs import save_workflow
from director.settings import load_settings
from director.store import open_store
from director.workflow.values import Workflow

TURNS = 2_000
HUNDRED = 100
MARKS = {"warn_at": 25_000, "compress_at": 30_000, "compress_to": 6_000}
WORDS = "amber birch cobalt dahlia ember fennel ginger hazel indigo juniper kelp lilac".split()
VARIABLES = 20
_PAGE = re.compile(r"page-(\d+)\b")


@dataclass(slots=True)
class Taken:
    """What was measured: seconds of each turn, and the most memory so far at some of them."""

    seconds: list[float] = field(default_factory=list)
    memory: dict[int, float] = field(default_factory=dict)
    entries: int = 0
    compressions: int = 0
    visible: int = 0


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


def opened(name: str, journal: Journal | None) -> Model:
    """A model that the brain speaks for."""
    timing = Timing()

    def again(_known: Capabilities | None) -> Model:
        return opened(name, None)

    dialect = Scripted(brain, name, timing)
    place = Place("scripted", "", name)
    return Model(place, dialect, journal=journal, counter=counter_for(), reopen=again)


async def talked(path: Path, turns: int, profile: str, marks: dict[str, int]) -> Taken:
    """Take so many turns in one conversation."""
    taken = Taken()
    given = {**marks, "profile": profile, "model": "scripted:long"}
    settings = load_settings(given, environ={"DIRECTOR_HOME": str(path.parent)})
    with open_store(path) as store:
        save_workflow(store, Workflow("long", "Long"))
        desk = equipped(Desk(store, "long", settings=settings, open_model=opened))
        for number in range(1, turns + 1):
            began = time.process_time()
            ended = await take_turn(desk, f"Please read page-{number} and keep its rows.")
            taken.seconds.append(time.process_time() - began)
            if ended.ended != "said":
                raise AssertionError(ended)
            if number % HUNDRED == 0:
                taken.memory[number] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
                ms = 1e3 * statistics.median(taken.seconds[-HUNDRED:])
                told = f"{number}: {ms:.1f} ms, {taken.memory[number]:.0f} MB"
                print(told, file=sys.stderr, flush=True)
        thread = current_thread(store, "long")
        taken.entries = store.head(thread)
        tried = store.get("compression", thread)
        taken.compressions = tried.version if tried else 0
        await desk.close()
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
        thread = current_thread(store, "long")
        if not Log(store).read(thread).context.turns:
            raise AssertionError("nothing is there to see")
        return 1e3 * (time.perf_counter() - began)


def report(taken: Taken, opens: float, size: int) -> str:
    """The table."""
    turns = len(taken.seconds)
    middle = turns // 2 - HUNDRED // 2
    parts = {
        "first": taken.seconds[:HUNDRED],
        "middle": taken.seconds[middle : middle + HUNDRED],
        "last": taken.seconds[-HUNDRED:],
    }
    medians = {name: 1e3 * statistics.median(each) for name, each in parts.items()}
    rows = [
        (f"CPU ms a turn, {name} hundred (median)", f"{ms:.1f}") for name, ms in medians.items()
    ]
    rows.append(("last to first", f"{medians['last'] / medians['first']:.2f}"))
    rows.append(("last to middle", f"{medians['last'] / medians['middle']:.2f}"))
    rows += [
        (f"MB at most, after {at:,} turns", f"{taken.memory[at]:.0f}")
        for at in sorted({max(HUNDRED, turns // part // HUNDRED * HUNDRED) for part in (10, 2, 1)})
    ]
    rows += [
        ("entries", f"{taken.entries:,}"),
        ("compressions", f"{taken.compressions:,}"),
        ("MB on disk", f"{size / 1e6:.1f}"),
        ("ms to open it in a fresh program", f"{opens:.0f}"),
    ]
    head = f"| {turns:,} turns | |\n|---|--:|\n"
    return head + "\n".join(f"| {name} | {value} |" for name, value in rows)


def main() -> None:
    """Talk, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--profile", default="structured")
    parser.add_argument("--never", action="store_true", help="never compress")
    parser.add_argument("--open", type=Path)
    given = parser.parse_args()
    if given.open:
        print(read(given.open))
        return
    marks = MARKS if not given.never else {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "long.db")
        taken = asyncio.run(talked(path, given.turns, given.profile, marks))
        print(report(taken, opening(path), path.stat().st_size))


if __name__ == "__main__":
    main()
