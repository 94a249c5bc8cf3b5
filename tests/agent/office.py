"""A desk for the tests: a scripted model, a store, perhaps a browser; and small things said."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from agent.prefixes import WatchedSession
from director.agent.agent_session import AgentSession
from director.browser import Browser
from director.counting import counter_for
from director.models import Capabilities, Journal, Model, Timing, open_model
from director.models.model import ModelLocation
from director.models.script_engines.tape import Tape
from director.models.script_values import Ask, Emit, Say, ScriptEngine, Seen
from director.models.scripted import Scripted
from director.runs import RunDependencies, save_run_workflow
from director.settings import load_settings
from director.store import Store
from director.testing.double import Double
from director.workflow.values import Workflow
from models.talk import MODELS, environment

NAME = "scripted:test"


def asks(tool: str, call: str = "", /, **args: Any) -> Ask:
    """A call of a tool."""
    return Ask(tool, json.dumps(args), call)


def opening(
    brain: ScriptEngine,
    *,
    can: Capabilities | None = None,
    seen: list[Seen] | None = None,
    timing: Timing | None = None,
) -> Callable[[str, Journal | None], Model]:
    """What opens a model that this brain speaks for; what it is shown is written into `seen`."""

    def watched(shown: Seen) -> Sequence[Emit]:
        if seen is not None:
            seen.append(shown)
        return brain(shown)

    def opened(name: str, journal: Journal | None) -> Model:
        dialect = Scripted(watched, name, timing or Timing())
        dialect.can = can or dialect.can
        return Model(
            ModelLocation("scripted", "", name),
            dialect,
            journal=journal,
            counter=counter_for(name),
            reopen=lambda _: opened(name, None),
        )

    return opened


def desk(
    store: Store,
    brain: ScriptEngine | Sequence[Sequence[Emit]],
    *,
    browser: Browser | None = None,
    origins: tuple[str, ...] = (),
    profile: str = "structured",
    **more: Any,
) -> WatchedSession:
    """A desk for the workflow `w`, which is made if it is not there."""
    if store.get("workflow", "w") is None:
        save_run_workflow(store, Workflow("w", "Prices", origins=origins))
    speaks = brain if callable(brain) else Tape(brain)
    means = more.pop("means", RunDependencies(browser=browser, pictures="none"))
    given: dict[str, Any] = {"open_model": opening(speaks, seen=more.pop("seen", None)), **more}
    settings = load_settings({"profile": profile}, environ={"DIRECTOR_HOME": "/nonexistent"})
    return WatchedSession(store, "w", means=means, settings=settings, model=NAME, **given)


def at_double(made: AgentSession, double: Double, wire: str = "responses") -> AgentSession:
    """The desk with a model that the double plays, in one dialect."""
    known = environment(double)

    def opened(name: str, journal: Journal | None) -> Model:
        return open_model(name, journal=journal, env=known, timing=Timing())

    made.open_model, made.model = opened, MODELS[wire]
    return made


def results(shown: Seen) -> list[str]:
    """The results that a model was shown, in order."""
    return [item.text for item in shown.items if item.kind == "result"]


SAY = [Say("Done.")]
