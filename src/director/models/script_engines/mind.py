"""A mind that knows only what its context shows: asked for a fact, it tells the newest it sees.

It makes "did shortening keep what matters?" decidable without a model. It must never remember
anything from one request to the next.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from director.models.script_engines.context_turns import list_context_calls
from director.models.script_engines.emits import encode_emit_arguments
from director.models.script_engines.facts import (
    KEY,
    find_fact_questions,
    list_visible_facts,
    score_facts,
    write_facts,
)
from director.models.script_engines.spot import Spot
from director.models.script_values import Ask, Compact, Emit, Say, Seen

__all__ = ["Mind", "PlannedCall", "read_mind", "score_facts"]

UNKNOWN = "UNKNOWN"
FORM = '{"brain": "mind", "do": [{"call": "open", "args": {"id": "{order}"}}], "say": "Done."}'
_TASK = '{"call": "open", "args": {"id": "{order}"}, "gives": "total"}'
_HOLE = re.compile(r"\{(" + KEY + r")\}")


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """A call to make before answering: {KEY} in its arguments is the fact's visible value.

    It is done when such a call is still in the context, or when the fact it `gives` is.
    """

    tool: str
    args: str = "{}"
    gives: str = ""


class Mind:
    """Does its tasks in order, then answers what the newest request asks, then says `end`."""

    def __init__(self, tasks: Sequence[PlannedCall] = (), end: str = "Noted.") -> None:
        self.tasks = tuple(tasks)
        self.end = end

    def __call__(self, seen: Seen) -> Sequence[Emit]:
        """The next task, a look-up, or the answer; a compaction tells every fact it sees."""
        known = list_visible_facts(seen)
        if seen.purpose == "compact":
            return (Compact(write_facts(list(known), known)),)
        task = self._next(seen, known)
        if task is not None:
            return self._do(task, seen, known)
        keys = self._find_questions(seen)
        if not keys:
            return (Say(_HOLE.sub(lambda hole: known.get(hole[1], UNKNOWN), self.end)),)
        return _look_up(keys, seen, known) or (Say(_answer(keys, known)),)

    def _next(self, seen: Seen, known: dict[str, str]) -> PlannedCall | None:
        made = [(call.tool, _canonical(call.args)) for call in list_context_calls(seen.items)]
        for task in self.tasks:
            pattern = _pattern(task.args)
            found = next(
                (call for call in made if call[0] == task.tool and pattern.fullmatch(call[1])), None
            )
            if found is not None:
                made.remove(found)
            elif not task.gives or task.gives not in known:
                return task
        return None

    def _do(self, task: PlannedCall, seen: Seen, known: dict[str, str]) -> Sequence[Emit]:
        keys = list(dict.fromkeys(_HOLE.findall(task.args)))
        if any(key not in known for key in keys):
            return _look_up(keys, seen, known) or (Say(_answer(keys, known)),)
        return (Ask(task.tool, _HOLE.sub(lambda hole: _inside(known[hole[1]]), task.args)),)

    def _find_questions(self, seen: Seen) -> list[str]:
        return find_fact_questions(seen.items[_request(seen)].text) if _request(seen) >= 0 else []


def _request(seen: Seen) -> int:
    """Where the newest user turn stands, or -1."""
    places = [place for place, item in enumerate(seen.items) if item.kind == "user"]
    return places[-1] if places else -1


def _answer(keys: Sequence[str], known: dict[str, str]) -> str:
    told = [write_facts([key], known) if key in known else UNKNOWN for key in keys]
    return "\n".join(told)


def _look_up(keys: Sequence[str], seen: Seen, known: dict[str, str]) -> tuple[Emit, ...]:
    """Calls for the facts that are missing, as far as a tool is offered and was not tried."""
    tried = [
        (call.tool, _canonical(call.args))
        for call in list_context_calls(seen.items)
        if call.place > _request(seen)
    ]
    wanted = [_getter(key, seen) for key in keys if key not in known]
    return tuple(ask for ask in wanted if ask and (ask.tool, _canonical(ask.args)) not in tried)


def _getter(key: str, seen: Seen) -> Ask | None:
    if f"get_{key}" in seen.tools:
        return Ask(f"get_{key}")
    return (
        Ask("get_fact", encode_emit_arguments({"key": key})) if "get_fact" in seen.tools else None
    )


def _canonical(args: str) -> str:
    try:
        return json.dumps(json.loads(args), sort_keys=True, ensure_ascii=False)
    except (ValueError, RecursionError):
        return args


def _pattern(args: str) -> re.Pattern[str]:
    pieces = _HOLE.split(_canonical(args))
    # Every second piece is the name of a hole.
    return re.compile(".*".join(re.escape(piece) for piece in pieces[::2]), re.DOTALL)


def _inside(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)[1:-1]


def read_mind(spot: Spot) -> Mind:
    """The mind that a script file describes."""
    found = spot.fields(("brain", "about", "do", "say"), (), FORM)
    tasks = (
        [_read_task(each) for each in found["do"].all("a list of calls")] if "do" in found else []
    )
    return Mind(tasks, found["say"].text()) if "say" in found else Mind(tasks)


def _read_task(spot: Spot) -> PlannedCall:
    found = spot.fields(("call", "args", "gives"), ("call",), _TASK)
    args = found.get("args")
    if args is not None:
        args.parts('{"id": "{order}"}')
    return PlannedCall(
        found["call"].text(),
        encode_emit_arguments(args.value) if args else "{}",
        found["gives"].text() if "gives" in found else "",
    )


# Names of one release ago; they go with the next.
score = score_facts
read = read_mind
