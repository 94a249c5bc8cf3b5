"""The window of a model that no catalogue names: asked of its server, or set, and one number."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from director.agent.model_windows import get_capabilities, remember_model_window
from director.models import Capabilities, open_model
from director.models.windows import ask_window, choose_window, get_window_setting
from director.services.context_meter import find_marks
from director.settings import SettingsError, load_settings
from director.store import open_store
from director.testing.double import Double
from director.testing.double.provider_profiles import PROFILES

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=12), inner),
    max_leaves=12,
)


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIRECTOR_HOME", str(tmp_path))


def asked(base_url: str, name: str = "local-model", **more: int) -> Capabilities:
    """What a model at a server can do, after it was asked."""

    async def ready() -> Capabilities:
        async with open_model(f"chat:{base_url}#{name}", env={}, **more) as model:  # type: ignore[arg-type]
            return model.capabilities

    return asyncio.run(ready())


@pytest.mark.parametrize(
    ("profile", "window", "said"),
    [
        ("vllm", 40_960, 40_960),
        ("llamacpp", 16_384, 16_384),
        ("llamacpp", 0, 131_072),
        ("ollama", 8_192, 8_192),
        ("ollama", 0, 4_096),
    ],
)
def test_each_kind_of_server_is_asked_in_its_own_way(profile: str, window: int, said: int) -> None:
    """What it was started with counts, not what the model was trained on; no model is asked."""
    with Double(replace(PROFILES[profile], window=window)) as double:
        can = asked(double.openai_url)
        assert double.generations == []
    assert (can.window, can.max_input, can.window_from) == (said, said, "server")


@pytest.mark.parametrize(
    "entry",
    [
        {"context_length": 32_000},
        {"context_window": "32000"},
        {"max_context_length": 32_000},
        {"top_provider": {"context_length": 32_000}},
        {"meta": {"n_ctx": 32_000, "n_ctx_train": 131_072}},
    ],
)
def test_the_fields_of_other_servers_are_known(entry: Mapping[str, object]) -> None:
    """In the list of models, beside the model or inside of what is said of it."""

    async def nothing(_path: str, _body: Mapping[str, object] | None) -> Mapping[str, object]:
        return {}

    listed = [{"id": "other"}, {"id": "m", "owned_by": "somebody", **entry}]
    found = asyncio.run(ask_window(nothing, "http://h/v1", "m", listed=listed))
    assert found == 32_000


@given(JSON, JSON)
def test_whatever_a_server_answers_a_window_is_a_number_or_none(
    listed: object, body: object
) -> None:
    """Garbage is never believed, and never an error."""

    async def any_of_it(_path: str, _body: Mapping[str, object] | None) -> Mapping[str, object]:
        return body if isinstance(body, Mapping) else {}

    found = asyncio.run(ask_window(any_of_it, "http://h/v1", "m", listed=listed))
    assert found is None or found > 0


def test_the_user_has_the_last_word_and_can_take_it_back() -> None:
    """What was set counts, whatever the server says; too small a number is refused."""
    with Double(replace(PROFILES["vllm"], window=40_960)) as double:
        name = f"chat:{double.openai_url}#local-model"
        choose_window(name, 20_000)
        set_ = get_window_setting(load_settings(), name)
        assert set_ == 20_000
        can = asked(double.openai_url, window=20_000)
        assert (can.window, can.window_from) == (20_000, "set")
    with pytest.raises(SettingsError, match="at least"):
        choose_window(name, 5)
    choose_window(name, 0)
    assert get_window_setting(load_settings(), name) is None


def test_the_meter_knows_the_number_that_the_server_said(tmp_path: Path) -> None:
    """Before it was asked it is assumed; then the meter, the model and the settings agree."""
    with (
        Double(replace(PROFILES["llamacpp"], window=16_384)) as double,
        open_store(tmp_path / "d.db") as store,
    ):
        name = f"chat:{double.openai_url}#mine"
        before = get_capabilities(store, load_settings(), name)
        assert before.window_from == "assumed"

        async def talk() -> int:
            async with open_model(name, env={}) as model:
                remember_model_window(store, model)
                return model.capabilities.window

        said = asyncio.run(talk())
        assert find_marks(store, load_settings(), name)[1] == said == 16_384
        choose_window(name, 9_000)
        assert find_marks(store, load_settings(), name)[1] == 9_000
