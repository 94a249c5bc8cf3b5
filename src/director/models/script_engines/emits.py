"""What a model says as JSON, both ways: {"say": "Hello"} is a Say, and back.

Pure: no file is read here. An emit that is written and read again is the same emit.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Literal, NoReturn, cast, get_args

from director.models.script_engines.spot import Spot, quote_spotted_names, suggest_spotted_name
from director.models.script_values import Ask, Compact, Emit, Fail, Refuse, Say, Stop, Think, Wait

Reason = Literal["max_tokens", "pause_turn", "content_filter", "window"]
REASONS: tuple[str, ...] = get_args(Reason)

# Each sort of emit: its form, and the keys it may have beside the first.
FORMS: dict[str, tuple[str, tuple[str, ...]]] = {
    "say": ('{"say": "Hello"}', ()),
    "think": ('{"think": "Let me see."}', ()),
    "call": ('{"call": "click", "args": {"ref": "e7"}, "id": "call_1"}', ("args", "id")),
    "refuse": ('{"refuse": "I will not."}', ()),
    "compact": ('{"compact": "What came before, in short."}', ()),
    "stop": ('{"stop": "max_tokens"}', ()),
    "wait": ('{"wait": 2.5}', ()),
    "fail": ('{"fail": "server_error", "message": "It broke."}', ("message",)),
}


def read_emit(spot: Spot) -> Emit:
    """The emit that stands at this place; a bare text is said."""
    if isinstance(spot.value, str):
        return Say(spot.value)
    found = spot.parts(FORMS["say"][0])
    sorts = [name for name in found if name in FORMS]
    if not sorts:
        guess = next(
            (hint for hint in (suggest_spotted_name(name, FORMS) for name in found) if hint), ""
        )
        raise spot.wrong(
            f"says nothing known{guess}; an emit has one of {quote_spotted_names(FORMS)}"
        )
    if len(sorts) > 1:
        raise spot.wrong(f"is {quote_spotted_names(sorts)} at once; write one emit for each")
    sort = sorts[0]
    form, extras = FORMS[sort]
    return _READERS[sort](spot.fields((sort, *extras), (sort,), form))


def read_step(spot: Spot) -> tuple[Emit, ...]:
    """The emits of one turn: a list of them, or one alone."""
    if isinstance(spot.value, list):
        return tuple(read_emit(each) for each in spot.all())
    return (read_emit(spot),)


def parse_emit_json(value: object) -> Emit:
    """The emit that a JSON value stands for."""
    return read_emit(Spot(value, script="emit"))


def encode_emit_json(emit: Emit) -> dict[str, object]:
    """The JSON value that stands for an emit."""
    match emit:
        case Ask():
            return _call_to_json(emit)
        case Stop(reason):
            return {"stop": reason}
        case Wait(seconds):
            return {"wait": seconds}
        case Fail(code, message):
            return {"fail": code, "message": message}
        case _:
            return {type(emit).__name__.lower(): emit.text}


def encode_emit_arguments(value: object) -> str:
    """Arguments as the model writes them: an object as JSON, a text as it is."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _call_to_json(ask: Ask) -> dict[str, object]:
    named: dict[str, object] = {"call": ask.tool, "args": _args_value(ask.args)}
    return {**named, "id": ask.id} if ask.id else named


def _args_value(args: str) -> object:
    """The object behind arguments, if it is written back the same; otherwise their raw text."""
    try:
        value: object = json.loads(args, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return args
    return value if isinstance(value, dict) and encode_emit_arguments(value) == args else args


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _read_call(found: dict[str, Spot]) -> Ask:
    args = found.get("args")
    if args is not None and not isinstance(args.value, dict | str):
        raise args.wrong(f"needs an object, or a text to be sent as it is, not {args.kind()}")
    return Ask(
        found["call"].text(),
        "{}" if args is None else encode_emit_arguments(args.value),
        found["id"].text() if "id" in found else "",
    )


def _read_fail(found: dict[str, Spot]) -> Fail:
    code = found["fail"].text()
    return Fail(code, found["message"].text()) if "message" in found else Fail(code)


def _read_stop(found: dict[str, Spot]) -> Stop:
    return Stop(cast("Reason", found["stop"].choice(REASONS, "reason to stop")))


_READERS: dict[str, Callable[[dict[str, Spot]], Emit]] = {
    "say": lambda found: Say(found["say"].text()),
    "think": lambda found: Think(found["think"].text()),
    "call": _read_call,
    "refuse": lambda found: Refuse(found["refuse"].text()),
    "compact": lambda found: Compact(found["compact"].text()),
    "stop": _read_stop,
    "wait": lambda found: Wait(found["wait"].number()),
    "fail": _read_fail,
}
