"""A long tool loop for any framework: what the model is asked, what its tools return, the truth.

Thirty pages are read, each with one fact among much else; at the end all facts
are told. The mind that plays the model knows only what it is shown.
"""

from __future__ import annotations

import json
import random
from functools import cache
from typing import Any

from director.models.script_engines import Mind
from director.models.script_engines.mind import PlannedCall

STEPS = 30
BUDGET = 6_000
REQUEST = "Read every page of the shop, then tell me all codes."


@cache
def page(number: int, lines: int = 40) -> str:
    """A page as a tool returns it: a list of wares, and one fact."""
    wares = random.Random(number)
    rows = [
        f"- link 'Mug {number}-{row}' [ref=e{row}]: price EUR {wares.randrange(900)}.50, "
        f"{wares.choice(['in stock', 'sold out', 'on order'])}"
        for row in range(lines)
    ]
    rows.insert(lines // 2, f"code_{number}=K{number * 37 + 11}")
    return "\n".join(rows)


def reader(steps: int = STEPS) -> Mind:
    """The model: it opens page after page, then answers from what it still sees."""
    tasks = [
        PlannedCall("open_page", json.dumps({"number": number}), gives=f"code_{number}")
        for number in range(steps)
    ]
    return Mind(tasks, " ".join(f"code_{number}={{code_{number}}}" for number in range(steps)))


def answer(steps: int = STEPS) -> str:
    """What the reader says at the end if it still sees every fact."""
    return " ".join(f"code_{number}=K{number * 37 + 11}" for number in range(steps))


def open_page(number: int) -> str:
    """Open a page of the shop and read it."""
    return page(number)


def turns(steps: int) -> list[Any]:
    """The calls and their results so far, as chat messages."""
    made: list[Any] = []
    for number in range(steps):
        function = {"name": "open_page", "arguments": json.dumps({"number": number})}
        call = {"id": f"c{number}", "type": "function", "function": function}
        made.append({"role": "assistant", "content": "", "tool_calls": [call]})
        made.append({"role": "tool", "tool_call_id": f"c{number}", "content": page(number)})
    return made
