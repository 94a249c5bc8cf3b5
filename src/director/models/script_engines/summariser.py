"""A compressor without a model: it shortens a history in a fixed way, and loses what it is told to.

It answers compactions and requests to summarise; everything else goes to the script engine it
wraps. The same history gives the same summary, so that good and bad compaction can both be
provoked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias, cast, get_args

from director.models.script_engines.facts import find_text_facts, write_facts
from director.models.script_engines.spot import Spot
from director.models.script_values import Compact, Emit, Say, ScriptEngine, Seen, Shown

Loss: TypeAlias = Literal["keep_all", "keep_last_k", "drop_decisions"]
FORM = '{"brain": "summariser", "loss": "keep_last_k", "keep": 5, "then": {"brain": "mind"}}'
WIDTH = 80
_WISH = re.compile(r"\s*summari[sz]e", re.IGNORECASE)
_DECISION = re.compile(r"\b(decid\w+|decisions?|chose|chosen|choice)\b", re.IGNORECASE)
_DECIDING = frozenset({"agent", "thinking", "call"})


class Summariser:
    """Wraps a script engine; `loss` says what its summaries lose.

    keep_all loses no fact; keep_last_k forgets all but the last `keep` items; drop_decisions
    leaves out what the model said and called, and every line about a decision.
    """

    def __init__(self, inner: ScriptEngine, loss: Loss = "keep_all", keep: int = 5) -> None:
        self.inner = inner
        self.loss = loss
        self.keep = keep

    def __call__(self, seen: Seen) -> Sequence[Emit]:
        """A compaction, a summary, or what the wrapped script engine says."""
        if seen.purpose == "compact":
            return (Compact(self.summary(seen.items)),)
        users = [place for place, item in enumerate(seen.items) if item.kind == "user"]
        if not users or not _WISH.match(seen.items[users[-1]].text):
            return self.inner(seen)
        place = users[-1]
        # What is to be summarised may stand in the request itself, below its first line.
        lines = seen.items[place].text.strip().split("\n")[1:]
        inside = [Shown("other", line) for line in lines if line.strip()]
        return (Say(self.summary([*seen.items[:place], *inside])),)

    def summary(self, items: Sequence[Shown]) -> str:
        """The summary of a history: a line for each thing that is kept."""
        kept = [line for item in self._select_items(items) for line in _lines(item)]
        if self.loss == "drop_decisions":
            kept = [line for line in kept if not _DECISION.search(line)]
        return "\n".join(["Summary of what came before:", *(kept or ["(nothing)"])])

    def _select_items(self, items: Sequence[Shown]) -> Sequence[Shown]:
        if self.loss == "keep_last_k":
            return items[max(0, len(items) - self.keep) :]
        if self.loss == "drop_decisions":
            return [item for item in items if item.kind not in _DECIDING]
        return items


def _lines(item: Shown) -> list[str]:
    """The start of each thing, and its facts where the start does not show them."""
    name = f"{item.kind} {item.tool}".strip()
    lines = [line.strip() for line in item.text.split("\n") if line.strip()]
    head = lines[0] if lines else ""
    if item.kind == "compaction":
        return lines
    if len(head) > WIDTH:
        head = f"{head[: WIDTH - 1]}…"
    told = find_text_facts(item.text)
    hidden = [key for key in told if find_text_facts(head).get(key) != told[key]]
    decisions = [line for line in lines[1:] if _DECISION.search(line)]
    return [f"{name}: {head}", *write_facts(hidden, told).splitlines(), *decisions]


def read_summariser(spot: Spot, inner: ScriptEngine) -> Summariser:
    """The summariser that a script file describes, around a script engine that was read already."""
    found = spot.fields(("brain", "about", "loss", "keep", "then"), ("then",), FORM)
    loss = found["loss"].choice(get_args(Loss), "loss") if "loss" in found else "keep_all"
    keep = found["keep"].count(1) if "keep" in found else 5
    return Summariser(inner, cast("Loss", loss), keep)
