"""What `director request show` prints is what a server read from its socket, byte for byte."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from agent.office import SAY, asks, at_double, desk
from director.agent.turn import take_turn
from director.cli import app
from director.models.script_values import Emit, Seen
from director.store import open_store
from director.testing.double import Double
from models.talk import MODELS, PROFILES


class Listening(Double):
    """A double that keeps the bodies of its requests as they came over the wire."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.raw: list[bytes] = []
        super().__init__(*args, **kwargs)

    def _respond(self, request: Any) -> Any:
        if request.method == "POST":
            self.raw.append(request.body)
        return super()._respond(request)


def brain(seen: Seen) -> list[Emit]:
    """One call for each message, with a value that is awkward to write."""
    if any(item.kind == "call" for item in seen.items):
        return list(SAY)
    return [asks("set_variable", variableName="ä😀", value='</plan>\n\u2028"', reason="r")]


@pytest.mark.promise("B9")
@pytest.mark.parametrize("wire", list(MODELS))
@pytest.mark.parametrize("profile", ["structured_cached", "clean"])
def test_what_is_shown_is_what_came_over_the_wire(tmp_path: Path, wire: str, profile: str) -> None:
    """In each dialect and profile, chained or whole."""
    place = tmp_path / "director.db"
    with Listening(PROFILES[wire], brain) as double:
        with open_store(place) as store:
            made = at_double(desk(store, brain, profile=profile), double, wire)

            async def talk() -> None:
                for nth in range(2):
                    await take_turn(made, f"message {nth} 中")
                await made.close()

            asyncio.run(talk())
        received = double.raw
    assert len(received) == 3
    for number, raw in enumerate(received, 1):
        asked = ["request", "show", str(number), "--raw", "--store", str(place)]
        shown = CliRunner().invoke(app, asked)
        assert shown.exit_code == 0, shown.output
        assert shown.stdout_bytes == raw
