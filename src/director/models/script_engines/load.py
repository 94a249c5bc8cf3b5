"""Brains from script files: JSON in, a script engine out, or an error that names the place.

The only part of the script engines that reads a file. A script is data: nothing in it is ever run.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import resources
from pathlib import Path

from director.models.script_engines import adversary, machine, mind, rules, summariser, tape
from director.models.script_engines.spot import Spot
from director.models.script_values import ScriptEngine, ScriptError

SHIPPED = ("rehearsal",)


def load_script_engine(path: str | Path) -> ScriptEngine:
    """The script engine of a script file; some come with Director, and go by their name."""
    if str(path) in SHIPPED:
        return load_script_engine_text(
            (resources.files("director") / "scripts" / f"{path}.json").read_text("utf-8")
        )
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ScriptError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ScriptError(f"{path}: is not UTF-8 text (byte {error.start})") from error
    return load_script_engine_text(text, str(path))


def load_script_engine_text(text: str, name: str = "script") -> ScriptEngine:
    """The script engine that a script describes; `name` stands in its error messages."""
    try:
        value: object = json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise ScriptError(f"{name}: {place}: this is not JSON: {error.msg}") from error
    except _TwiceError as error:
        raise ScriptError(f'{name}: the key "{error}" stands twice in one object') from error
    except RecursionError as error:
        raise ScriptError(f"{name}: is nested too deeply") from error
    return load_brain(Spot(value, "", name))


def load_brain(spot: Spot) -> ScriptEngine:
    """The script engine that stands at this place; a bare list is a tape."""
    if isinstance(spot.value, list):
        spot = Spot({"steps": spot.value}, spot.at, spot.script)
    found = spot.parts(tape.FORM)
    if "brain" not in found and "steps" in found:
        return tape.read_tape(spot)
    if "brain" not in found:
        spot.fields((*found, "brain"), ("brain",), tape.FORM)
    return READERS[found["brain"].choice(READERS, "brain")](spot)


def _summariser(spot: Spot) -> ScriptEngine:
    found = spot.parts(summariser.FORM)
    inner = load_brain(found["then"]) if "then" in found else mind.Mind()
    return summariser.read_summariser(spot, inner)


class _TwiceError(ValueError):
    pass


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made: dict[str, object] = {}
    for key, value in pairs:
        if key in made:
            raise _TwiceError(key)
        made[key] = value
    return made


READERS: dict[str, Callable[[Spot], ScriptEngine]] = {
    "tape": tape.read_tape,
    "rules": rules.read_rules,
    "machine": machine.read_machine,
    "mind": mind.read_mind,
    "adversary": adversary.read_adversary,
    "summariser": _summariser,
}
