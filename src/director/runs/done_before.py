"""Whether an effect of a run was had before, by it or an earlier run, with the same content."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from urllib.parse import unquote_plus, urlsplit

from director.runs.run_journal import list_run_steps, parse_run
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
        self._own: dict[str, str] = {}

    def find_same(self, step: Step) -> str:
        """Where a node has sent the same before; empty if nowhere, or if it sent nothing.

        Ask for the steps of a run in the order in which they were done.
        """
        told = _tell_effect(step)
        if not told:
            return ""
        first = self._own.setdefault(told, step.key)
        if first != step.key:
            return f"an earlier round of this run ({first})"
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
            (each.position, parse_run(each))
            for each in self._store.newest("run")
            if each.body.get("workflow") == self._run.workflow and each.id != self._run.id
        ]
        for _, run in sorted(runs, key=lambda each: each[0])[-_READ_BEFORE:]:
            test = run.id.startswith("workbench:")
            name = "a test of the node" if test else f"run {run.id}"
            yield name, [step for step in list_run_steps(self._store, run.id) if _is_finished(step)]


def was_looked_for(step: Step, steps: Iterable[Step]) -> bool:
    """Whether a look in the same round found none of what a step then entered.

    It must have looked for that: by its selector, or on a page whose address names it.
    """
    seen = step.observed or {}
    typed = [str(each).casefold() for each in _list(seen.get("typed")) if len(str(each)) > 2]
    around = step.key.rpartition("]")[0]
    for each in steps:
        if each.began >= step.began or each.key.rpartition("]")[0] != around:
            continue
        result = each.result if isinstance(each.result, Mapping) else {}
        if each.type != "browser_query" or result.get("count") != 0:
            continue
        where = unquote_plus(str((each.observed or {}).get("url", "")))
        told = f"{where} {json.dumps(each.config, ensure_ascii=False, default=dict)}".casefold()
        if any(text in told for text in typed):
            return True
    return False


def _tell_effect(step: Step) -> str:
    """What a node entered, as one text; empty if it entered nothing, or changed an entry."""
    seen = step.observed or {}
    if seen.get("is_login") or seen.get("replaced") or is_search_done_before(seen):
        return ""
    sent = [each for each in _list(seen.get("sent")) if isinstance(each, Mapping)]
    marks = sorted({str(each["mark"]) for each in sent if each.get("mark")})
    return json.dumps([step.node, marks]) if marks else ""


def is_search_done_before(seen: Config) -> bool:
    """Whether what was typed stands in the address that it led to: something was looked for."""
    query = unquote_plus(urlsplit(str(seen.get("url", ""))).query).casefold()
    typed = [str(each).casefold() for each in _list(seen.get("typed")) if len(str(each)) > 2]
    return bool(query) and any(each in query for each in typed)


def _is_finished(step: Step) -> bool:
    return step.state == "finished" and step.status == "success" and step.type == "browser_action"


def _list(value: Json) -> Sequence[Json]:
    return value if is_list(value) else ()
