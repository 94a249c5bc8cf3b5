"""The double over HTTP: what its methods do, for a client in another process.

GET reads and POST sets, in JSON, without a key, under a path that no provider has.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, TypeAlias

from director.models.script_engines import load_script_engine_text
from director.testing.double.exchange import Delivery, Fault, ProviderResponse, RawRequest
from director.testing.double.faults import KINDS

if TYPE_CHECKING:
    from director.testing.double.double import Double

PREFIX = "/__double/"
Body: TypeAlias = Mapping[str, object]


def encode_control_value(value: object) -> object:
    """A value of the double as JSON has it."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = (field.name for field in dataclasses.fields(value))
        return {name.rstrip("_"): encode_control_value(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {str(name): encode_control_value(inner) for name, inner in value.items()}
    if isinstance(value, Sequence | set) and not isinstance(value, str):
        return [encode_control_value(inner) for inner in value]
    return str(value) if isinstance(value, Decimal) else value


def _read_script(double: Double, _body: Body) -> Body:
    return {"brain": type(double.world.brain).__name__, "asked": len(double.generations)}


def _set_script(double: Double, body: Body) -> Body:
    script = json.dumps(body["script"])
    double.script_anew(lambda: load_script_engine_text(script))
    return _read_script(double, body)


def _read_faults(double: Double, _body: Body) -> Body:
    return {
        "pending": encode_control_value(double.pending_faults),
        "kinds": encode_control_value(KINDS),
    }


def _set_faults(double: Double, body: Body) -> Body:
    given = body.get("faults", ())
    faults = [_fault(each) for each in given] if isinstance(given, Sequence) else []
    if body.get("clear"):
        double.clear_faults()
    double.strike(*faults)
    return _read_faults(double, body)


_FIELDS = {"kind": str, "endpoint": str, "nth": int, "times": int, "model": str, "run": str}


def _fault(given: object) -> Fault:
    if not isinstance(given, Mapping):
        raise TypeError("a fault is an object")
    fields = dict(given)
    with_ = fields.pop("with", {})
    good = all(name in _FIELDS and isinstance(fields[name], _FIELDS[name]) for name in fields)
    if not good or not isinstance(with_, Mapping):
        raise ValueError(f"not a fault: {given}")
    return Fault(**fields, with_=with_)


def _read_clock(double: Double, _body: Body) -> Body:
    return {"now": double.now()}


def _set_clock(double: Double, body: Body) -> Body:
    seconds = body["advance"]
    if not isinstance(seconds, int | float) or seconds < 0:
        raise ValueError("time passes by a number of seconds that is not negative")
    double.advance(seconds)
    return _read_clock(double, body)


def _read_journal(double: Double, _body: Body) -> Body:
    return {
        "exchanges": encode_control_value(double.exchanges),
        "generations": encode_control_value(double.generations),
    }


def _read_ledger(double: Double, _body: Body) -> Body:
    return {"lines": encode_control_value(double.ledger.lines)}


def _read_verdict(double: Double, _body: Body) -> Body:
    return {
        "findings": encode_control_value(double.verdict()),
        "defects": encode_control_value(double.defects),
        "notes": encode_control_value(double.notes()),
        "failures": [str(failure) for failure in double.failures],
    }


def _reset(double: Double, _body: Body) -> Body:
    double.reset()
    return {"reset": True}


CONTROLS: dict[tuple[str, str], Callable[[Double, Body], Body]] = {
    ("GET", "script"): _read_script,
    ("POST", "script"): _set_script,
    ("GET", "faults"): _read_faults,
    ("POST", "faults"): _set_faults,
    ("GET", "clock"): _read_clock,
    ("POST", "clock"): _set_clock,
    ("GET", "journal"): _read_journal,
    ("GET", "ledger"): _read_ledger,
    ("GET", "verdict"): _read_verdict,
    ("POST", "reset"): _reset,
}


def answer_control_request(double: Double, request: RawRequest) -> Delivery:
    """Answer a request to the double itself."""
    control = CONTROLS.get((request.method, request.target.removeprefix(PREFIX)))
    if control is None:
        known = sorted({name for _, name in CONTROLS})
        return Delivery(ProviderResponse({"error": f"there is only {', '.join(known)}"}, 404))
    try:
        body = json.loads(request.body or b"{}")
        return Delivery(ProviderResponse(control(double, body)))
    except (KeyError, TypeError, ValueError) as wrong:
        return Delivery(ProviderResponse({"error": f"{type(wrong).__name__}: {wrong}"}, 400))
