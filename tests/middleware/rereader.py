"""A scripted model that reads pages until the first has left, then asks for it by its reference."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from director.models.script_values import Ask, Emit, Say, Seen
from middleware import loops

STEPS = 14
BUDGET = 5_000
_NAMED = re.compile(r"recall (t|[0-9a-f]{8})")


class Rereader:
    """Opens pages, then calls `recall` beside one more page, then says the page that came back."""

    def __init__(self, steps: int = STEPS, reference: str = "") -> None:
        self.steps, self.reference = steps, reference
        self.answers = 0

    def __call__(self, seen: Seen) -> Sequence[Emit]:
        """What is asked for next; the reference is one that a notice names."""
        self.answers += 1
        if self.answers <= self.steps:
            return (Ask("open_page", json.dumps({"number": self.answers - 1})),)
        if self.answers == self.steps + 1:
            reference = self.reference or named(seen)
            return (
                Ask("recall", json.dumps({"reference": reference})),
                Ask("open_page", json.dumps({"number": self.steps})),
                Ask("recall", json.dumps({"reference": reference, "start": 2, "length": 30})),
            )
        return (Say(results(seen)[-3]),)


def named(seen: Seen) -> str:
    """The first page: by the digits of its notice, or by its turn if it left."""
    texts = [seen.instructions, *(item.text for item in seen.items)]
    for text in texts:
        found = _NAMED.search(text)
        if found:
            return "t1" if found[1] == "t" else found[1]
    return "nothing"


def results(seen: Seen) -> list[str]:
    """The results as the model sees them."""
    return [item.text for item in seen.items if item.kind == "result"]


def check(double: Any, first: str = loops.page(0), steps: int = STEPS) -> None:
    """The tool was there all along, the page had left, and came back whole and in part."""
    tools = {each.seen.tools for each in double.generations}
    assert len(tools) == 1
    assert "recall" in next(iter(tools))
    before, after = (each.seen for each in double.generations[-2:])
    assert not any(first in text for text in results(before))
    whole, other, part = results(after)[-3:]
    assert first in whole
    assert other == loops.page(steps)
    assert part == whole[2:32]
    assert double.defects == []
    assert double.verdict() == []
