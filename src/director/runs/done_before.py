"""Effects that were there before: of an earlier run with the same content, or from before a stop."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from director.runs.doubts import Doubt
from director.runs.ledger import run_from, steps_of
from director.runs.values import Run, Step
from director.store import Store
from director.workflow.paths import is_list
from director.workflow.values import Config, Json

_READ_BEFORE = 20  # earlier runs that are looked through


class EarlierEffects:
    """The effects of earlier runs of a workflow, read when they are first asked for."""

    def __init__(self, store: Store, run: Run) -> None:
        self._store, self._run = store, run
        self._known: dict[str, str] | None = None

    def find_same(self, step: Step) -> str:
        """In which run a node has sent the same before; empty if in none, or if it sent nothing."""
        told = _tell_effect(step)
        if not told:
            return ""
        if self._known is None:
            self._known = {
                effect: name
                for name, steps in self._list_runs()
                for effect in map(_tell_effect, steps)
                if effect
            }
        return self._known.get(told, "")

    def _list_runs(self) -> Iterator[tuple[str, list[Step]]]:
        runs = [
            (each.position, run_from(each))
            for each in self._store.newest("run")
            if each.body.get("workflow") == self._run.workflow and each.id != self._run.id
        ]
        for _, run in sorted(runs, key=lambda each: each[0])[-_READ_BEFORE:]:
            test = run.id.startswith("workbench:")
            name = "a test of the node" if test else f"run {run.id}"
            yield name, [step for step in steps_of(self._store, run.id) if _is_finished(step)]


def _tell_effect(step: Step) -> str:
    """What a node entered, as one text; empty if it entered nothing, or changed an entry."""
    seen = step.observed or {}
    if seen.get("is_login") or seen.get("replaced"):
        return ""
    sent = [each for each in _list(seen.get("sent")) if isinstance(each, Mapping)]
    marks = sorted({str(each["mark"]) for each in sent if each.get("mark")})
    return json.dumps([step.node, marks]) if marks else ""


def find_left_behind(steps: Iterable[Step]) -> Iterator[Doubt]:
    """A doubt if a node worked on the page before an effect that was not done in this attempt."""
    looks = [step for step in sorted(steps, key=lambda each: each.began) if _is_on_page(step)]
    for step, then in pairwise(looks):
        result = step.result if isinstance(step.result, Mapping) else {}
        is_known = result.get("recovered") is True or result.get("already") is True
        if is_known and not result.get("arrived") and then.config.get("action") != "navigate":
            sentence = (
                f"{step.alias} had happened before, so it was not done again, and {then.alias} "
                "worked on the page that was open before it: what it found there may be old."
            )
            evidence: Config = {"step": then.key, "url": (then.page or {}).get("url")}
            yield Doubt("elsewhere", then.node, then.alias, sentence, evidence)


def _is_on_page(step: Step) -> bool:
    return step.type in ("browser_action", "browser_query")


def _is_finished(step: Step) -> bool:
    return step.state == "finished" and step.status == "success" and step.type == "browser_action"


def _list(value: Json) -> Sequence[Json]:
    return value if is_list(value) else ()
