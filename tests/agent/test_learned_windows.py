"""A window that nobody states is assumed, and learned from the first refusal: the turn goes on."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agent.office import desk
from director.agent.model_windows import describe_model_window, get_capabilities
from director.agent.turn import take_turn
from director.models import Journal, Model, ModelError, open_model
from director.models.script_values import Emit, Say, Seen
from director.models.windows import read_window_refusal
from director.settings import load_settings
from director.store import Store
from director.testing.double import Double, Fault


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIRECTOR_HOME", str(tmp_path))


def answer(_: Seen) -> list[Emit]:
    """A word."""
    return [Say("Good.")]


def opened(name: str, journal: Journal | None) -> Model:
    """A model at a server of one's own."""
    return open_model(name, journal=journal, env={})


def talk(store: Store, name: str, *texts: str) -> None:
    """Say these, one after the other, with the program opened anew."""
    made = desk(store, answer, open_model=opened)
    made.model = name

    async def say() -> None:
        for text in texts:
            assert (await take_turn(made, text)).text == "Good."
        await made.close()

    asyncio.run(say())


def test_a_refusal_teaches_the_window_and_the_turn_goes_on(store: Store) -> None:
    """The strict double refuses with its limit: kept, told with who says so, and used next time."""
    with Double("openai", answer) as double:
        name = f"chat:{double.openai_url}#gpt-4.1"
        before = get_capabilities(store, load_settings(), name)
        assert (before.window, before.window_from) == (128_000, "assumed")
        assert "/window TOKENS sets it" in describe_model_window(before)
        double.strike(Fault("window", with_={"limit": 40_000}))
        talk(store, name, "Hello.")
        learned = get_capabilities(store, load_settings(), name)
        assert (learned.window, learned.window_from) == (40_000, "refused")
        assert "learned when the server refused more" in describe_model_window(learned)
        talk(store, name, "Again.")
        assert get_capabilities(store, load_settings(), name).window == 40_000


def test_a_window_that_is_set_is_not_learned_away(store: Store) -> None:
    """What the user says is not doubted: the refusal is told."""
    with Double("openai", answer) as double:
        name = f"chat:{double.openai_url}#gpt-4.1"
        double.strike(Fault("window", with_={"limit": 9_000}))
        made = desk(
            store,
            answer,
            open_model=lambda at, log: open_model(at, journal=log, env={}, window=50_000),
        )
        made.model = name

        async def say() -> None:
            try:
                await take_turn(made, "Hello.")
            finally:
                await made.close()

        with pytest.raises(ModelError, match="window"):
            asyncio.run(say())
        assert store.get("model_window", name) is None


@pytest.mark.parametrize(
    ("message", "window"),
    [
        ("This model's maximum context length is 8192 tokens. However, you requested 9", 8_192),
        ("the request exceeds the available context size (16,384 tokens)", 16_384),
        ("prompt is too long: 90001 tokens > 90000 maximum", 90_000),
        ("`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 9000", 4_096),
        ("Your input exceeds the context window of this model.", 64_000),
        ("maximum context length is 99999999 tokens", 64_000),
        ("maximum context length is 12 tokens", 64_000),
    ],
)
def test_the_number_of_a_refusal_is_read_or_half_is_tried(message: str, window: int) -> None:
    """What servers write; a number that cannot be is not believed."""
    assert read_window_refusal(message, 128_000) == window
