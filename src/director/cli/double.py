"""`director double`: starts the double, prints each request as it comes, and judges at the end.

It listens on loopback only. Whatever cannot be started is said in one line, with exit code 2.
"""

from __future__ import annotations

import json
import signal
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn, TypeAlias

import typer

if TYPE_CHECKING:
    from director.models.script_values import ScriptEngine
    from director.testing.double.double import Double
    from director.testing.double.exchange import Fault

EXAMPLE = """\
{
  "about": "Rules: the first that fits is played. The last one has no condition and always fits.",
  "brain": "rules",
  "rules": [
    {
      "when": {"last": "user", "text": "weather in (\\\\w+)", "offers": "get_weather"},
      "then": [{"call": "get_weather", "args": {"city": "{1}"}}]
    },
    {
      "when": {"last": "result", "tool": "get_weather"},
      "then": [{"say": "The report says: {last}"}]
    },
    {"then": [{"say": "You said: {last}"}]}
  ]
}"""
_FAULT = '{"kind": "rate_limit", "nth": 1, "times": 1, "with": {"retry_after": 2}}'
_STOPS = (signal.SIGINT, signal.SIGTERM)
EPILOG = (
    "Try it: `director double --script my.json` in one terminal, the printed export lines and "
    "your agent in another. `director double --example > my.json` writes a script to start from. "
    "Ctrl-C stops it and prints the verdict."
)


PlayedProfile: TypeAlias = Annotated[
    str, typer.Option(help="The provider to play; `list` names them.", metavar="NAME")
]
Script: TypeAlias = Annotated[
    Path | None,
    typer.Option(help="What the model says, as JSON; without one it echoes.", metavar="FILE"),
]
Faults: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(help=f"What goes wrong: a kind, or JSON such as {_FAULT}.", metavar="FAULT"),
]
AcceptedKeys: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(help="A key to accept; without any, every key is.", metavar="KEY"),
]


def double(
    *,
    profile: PlayedProfile = "openai",
    script: Script = None,
    port: Annotated[
        int, typer.Option(help="Where to listen; 0 takes a free port.", min=0, max=65_535)
    ] = 0,
    clock: Annotated[
        Literal["real", "virtual"],
        typer.Option(help="Real time, or time that moves only when told to."),
    ] = "real",
    fault: Faults = None,
    key: AcceptedKeys = None,
    check: Annotated[
        bool, typer.Option("--check", help="Exit with 1 if the client made mistakes.")
    ] = False,
    example: Annotated[
        bool, typer.Option("--example", help="Print a script to start from, and stop.")
    ] = False,
) -> None:
    """Start a provider on this machine that refuses what the real one refuses.

    No model, no key, no bill: a script says what the model says. It speaks OpenAI Responses, Chat
    Completions and Anthropic Messages to any client that can be pointed at another address, prints
    every request, counts tokens and money, and says at the end what the client did wrong.
    """
    if example:
        typer.echo(EXAMPLE)
        return
    if profile == "list":
        _list_profiles()
        return
    _know(profile)
    brain = _brain(script)
    faults = [_fault(text, place) for place, text in enumerate(fault or [], 1)]
    running = _start(profile, brain, clock=clock, port=port, faults=faults, keys=key)
    clean = _attend(running, (key or ["sk-double"])[0])
    if check and not clean:
        raise typer.Exit(1)


def _fail(message: str) -> NoReturn:
    typer.echo(f"director double: {message}", err=True)
    raise typer.Exit(2)


def _list_profiles() -> None:
    from director.cli import double_output
    from director.testing.double.provider_profiles import PROFILES

    double_output.profiles(PROFILES)


def _know(profile: str) -> None:
    from director.models.script_engines.spot import quote_spotted_names, suggest_spotted_name
    from director.testing.double.provider_profiles import PROFILES

    if profile not in PROFILES:
        hint = (
            f"{suggest_spotted_name(profile, PROFILES)}; there are {quote_spotted_names(PROFILES)}"
        )
        _fail(f'there is no profile "{profile}"{hint}')


def _brain(script: Path | None) -> ScriptEngine | Path:
    from director.models.script_engines.load import load_script_engine
    from director.models.script_values import ScriptError

    if script is None:
        return friendly()
    try:
        load_script_engine(script)
    except ScriptError as error:
        _fail(str(error))
    return script


def friendly() -> ScriptEngine:
    """The brain that is played without a script: it echoes."""
    from director.models.script_engines.matching import When
    from director.models.script_engines.rules import Rule, Rules
    from director.models.script_values import Compact, Say

    return Rules(
        [
            Rule((Compact("What came before, ending with: {last}"),), When(purpose="compact")),
            Rule((Say("The tool said: {last}"),), When(last="result")),
            Rule((Say("You said: {last}"),)),
        ]
    )


def _fault(text: str, place: int) -> Fault:
    from director.models.script_engines.spot import Spot
    from director.models.script_values import ScriptError
    from director.testing.double.exchange import Fault
    from director.testing.double.faults import KINDS

    try:
        value: object = json.loads(text) if text.lstrip().startswith("{") else {"kind": text}
        spot = Spot(value, script=f"fault {place}")
        known = ("kind", "endpoint", "nth", "times", "model", "run", "with")
        found = spot.fields(known, ("kind",), _FAULT)
        counts = {name: found[name].count() for name in ("nth", "times") if name in found}
        texts = {name: found[name].text() for name in ("endpoint", "model", "run") if name in found}
        more = found["with"].parts('{"seconds": 2}') if "with" in found else {}
        return Fault(
            kind=found["kind"].choice(KINDS, "kind of fault"),
            nth=counts.get("nth", 1),
            times=counts.get("times", 1),
            with_={name: each.value for name, each in more.items()},
            **texts,
        )
    except json.JSONDecodeError as error:
        _fail(f"fault {place}: this is not JSON: {error.msg} (column {error.colno})")
    except ScriptError as error:
        _fail(str(error))


def _start(
    profile: str,
    brain: ScriptEngine | Path,
    *,
    clock: Literal["real", "virtual"],
    port: int,
    faults: list[Fault],
    keys: list[str] | None,
) -> Double:
    from director.testing.double.double import Double

    try:
        running = Double(profile, brain, clock=clock, faults=faults, keys=keys, port=port)
        running.open()
    except OSError as error:
        _fail(f"cannot listen on port {port}: {error.strerror or error}")
    except ValueError as error:
        _fail(str(error))
    return running


def _attend(running: Double, key: str) -> bool:
    """Print requests until it is told to stop; say whether the client was clean."""
    from director.cli.double_output import ExchangePrinter

    stop = threading.Event()
    # Also when started in the background, where a shell has both ignored.
    before = {each: signal.signal(each, lambda *_: stop.set()) for each in _STOPS}
    watch = ExchangePrinter(running)
    try:
        watch.begin(key)
        while not stop.wait(0.1):
            watch.print_new()
        return watch.end()
    finally:
        running.close()
        for each, handler in before.items():
            signal.signal(each, handler)
