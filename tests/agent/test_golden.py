"""Exactly what the model sees, in files: each scene in each profile, and its bytes on each wire.

`DIRECTOR_GOLDEN=write ./test -k golden` writes the files anew; the change is then seen in review.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from agent.office import SAY, asks, at_double, opening, results
from agent.scenes import ID, SCENES, set_up, told
from director.agent.agent_session import AgentSession
from director.agent.model_choice import choose_workflow_model
from director.agent.turn import take_turn
from director.models.script_engines.tape import Tape
from director.models.script_values import Seen
from director.runs import RunDependencies
from director.sections.boundary import read_sections
from director.sections.section_texts import PULLED, render_system_section
from director.settings import PROFILES, load_settings
from director.store import Store
from director.testing.double import Double
from models.talk import MODELS
from models.talk import PROFILES as SERVERS

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).parent / "golden" / "seen"
# Where the places of the sections differ most; and how clean goes on from a summary.
WIRED = ("building", "compressed")
GOING_ON = ("refresh", "checkpoint")
CELLS = [(scene, profile, "") for scene in SCENES for profile in PROFILES]
CELLS += [("compressed", "clean", mode) for mode in GOING_ON]


def at(store: Store, scene: str, profile: str) -> AgentSession:
    """A desk with a scene on it, under a profile."""
    settings = load_settings({"profile": profile, "model": "scripted:golden"}, environ={})
    return set_up(
        store,
        SCENES[scene],
        lambda: AgentSession(store, ID, means=RunDependencies(), settings=settings),
    )


def seen(store: Store, scene: str, profile: str, mode: str = "") -> str:
    """What the model sees when the user speaks in a scene."""
    shown: list[Seen] = []
    made = at(store, scene, profile)
    made.open_model = opening(lambda _: SAY, seen=shown)
    if mode:
        choose_workflow_model(store, ID, mode=mode, every=2)
    asyncio.run(take_turn(made, SCENES[scene].says))
    return told(shown[-1])


def held(file: str, text: str) -> None:
    """A text is what its file holds."""
    path = GOLDEN / file
    if os.environ.get("DIRECTOR_GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())
    assert text.encode() == path.read_bytes()


@pytest.mark.promise("B7")
@pytest.mark.parametrize(("scene", "profile", "mode"), CELLS)
def test_what_the_model_sees_is_what_its_file_holds(
    store: Store, scene: str, profile: str, mode: str
) -> None:
    """Byte for byte: every section, message, call and result, in the order of the request."""
    name = f"{scene}.{profile}_{mode}" if mode else f"{scene}.{profile}"
    held(f"{name}.txt", seen(store, scene, profile, mode))


@pytest.mark.promise("B8")
@pytest.mark.parametrize("scene", SCENES)
def test_what_the_tools_tell_is_what_the_sections_show(store: Store, scene: str) -> None:
    """Every tool that pulls a section, called in a turn, gives the text that was pushed with it."""
    shown: list[Seen] = []
    made = at(store, scene, "structured")
    tape = Tape([[asks(tool) for tool in PULLED], SAY])
    made.open_model = opening(tape, seen=shown)
    asyncio.run(take_turn(made, "Look at everything."))
    pushed = {one.name: one for one in read_sections(shown[-1].instructions)}
    given = results(shown[-1])[-len(PULLED) :]
    for text, name in zip(given, PULLED.values(), strict=True):
        assert text in shown[-1].instructions
        assert read_sections(text) == [pushed[name]]


def body_of(store: Store, scene: str, profile: str, wire: str) -> Mapping[str, Any]:
    """The body that a provider is sent when the user speaks in a scene."""
    with Double(SERVERS[wire], lambda _: SAY) as double:
        made = at_double(at(store, scene, profile), double, wire)

        async def speak() -> None:
            await take_turn(made, SCENES[scene].says)
            await made.close()

        asyncio.run(speak())
        assert double.defects == []
        return double.exchanges[-1].asked.body


def _named(value: object, prompt: str) -> object:
    """The same with the system prompt by its name."""
    if isinstance(value, str):
        return value.replace(prompt, "[sections/prompts/system.md]")
    if isinstance(value, Mapping):
        return {key: _named(inner, prompt) for key, inner in value.items()}
    return [_named(inner, prompt) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize("wire", list(MODELS))
@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("scene", WIRED)
def test_what_is_sent_is_what_its_file_holds(
    store: Store, scene: str, profile: str, wire: str
) -> None:
    """The body in the form of each provider, its keys in their order; tools are in their own file."""
    body = dict(body_of(store, scene, profile, wire))
    held(f"tools.{wire}.json", _written(body["tools"]))
    body["tools"] = f"[tools.{wire}.json]"
    held(f"{scene}.{profile}.{wire}.json", _written(_named(body, render_system_section().text)))


def _written(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def test_every_golden_file_is_still_asked_for() -> None:
    """None is left over."""
    asked = {f"{scene}.{profile}.txt" for scene in SCENES for profile in PROFILES}
    asked |= {f"compressed.clean_{mode}.txt" for mode in GOING_ON}
    for wire in MODELS:
        asked |= {f"{scene}.{name}.{wire}.json" for scene in WIRED for name in PROFILES}
        asked.add(f"tools.{wire}.json")
    assert {path.name for path in GOLDEN.iterdir()} == asked


_PRINT = """
import sys
from pathlib import Path
sys.path[:0] = ["tests"]
from agent.test_golden import CELLS, seen
from director.store import open_store
for nth, cell in enumerate(CELLS):
    with open_store(Path(sys.argv[1], f"{nth}.db"), now=lambda: float(sys.argv[2])) as store:
        sys.stdout.buffer.write(seen(store, *cell).encode())
"""


@pytest.mark.promise("B7")
def test_the_same_scene_gives_the_same_bytes_anywhere_and_at_any_time(tmp_path: Path) -> None:
    """In a process with another hash seed, time zone, language, clock and home than this one."""
    more = {"PYTHONHASHSEED": "2", "TZ": "Asia/Tokyo", "LANG": "de_DE.UTF-8"}
    done = subprocess.run(
        [sys.executable, "-c", _PRINT, str(tmp_path), "1900000000.5"],
        cwd=ROOT,
        env={
            **os.environ,
            **more,
            "LC_ALL": more["LANG"],
            "PYTHONPATH": "src",
            "DIRECTOR_HOME": str(tmp_path),
        },
        capture_output=True,
        check=True,
        timeout=600,
    )
    assert done.stdout == b"".join(_files())


def _files() -> list[bytes]:
    names = [f"{s}.{p}_{m}.txt" if m else f"{s}.{p}.txt" for s, p, m in CELLS]
    return [(GOLDEN / name).read_bytes() for name in names]
