"""The lists of models, in the shapes that both vendors' clients declare."""

from __future__ import annotations

from collections.abc import Mapping
from http.client import HTTPConnection

import anthropic
import openai
import pytest
from anthropic.types import ModelInfo
from openai.types import Model

from director.models.capabilities import list_models_with_capabilities
from director.testing.double.double import Double
from double.strict import problems


def body(double: Double, place: int) -> Mapping[str, object]:
    """What was answered, as it was sent."""
    answer = double.exchanges[place].answer
    assert answer is not None
    return answer.body


def test_models_are_listed_in_openais_shape() -> None:
    """All that the catalogue names, each of which can be asked for."""
    with (
        Double("openai") as double,
        openai.OpenAI(base_url=double.openai_url, api_key="sk-test", max_retries=0) as client,
    ):
        listed = [model.id for model in client.models.list()]
        one = client.models.retrieve("gpt-6.1-terra")
        with pytest.raises(openai.NotFoundError) as caught:
            client.models.retrieve("gpt-0")
        assert problems(body(double, 1), Model) == []
    assert listed == list(list_models_with_capabilities("openai"))
    assert (one.id, one.owned_by) == ("gpt-6.1-terra", "openai")
    assert caught.value.code == "model_not_found"


def test_a_local_server_lists_a_model_of_its_own() -> None:
    """It knows any model by name."""
    with (
        Double("llamacpp") as double,
        openai.OpenAI(base_url=double.openai_url, api_key="sk-test", max_retries=0) as client,
    ):
        assert [model.id for model in client.models.list()] == ["local-model"]
        assert client.models.retrieve("anything").owned_by == "llamacpp"


def test_models_are_listed_in_anthropics_shape() -> None:
    """In pages, with what each model takes."""
    with (
        Double("anthropic") as double,
        anthropic.Anthropic(
            base_url=double.anthropic_url, api_key="sk-test", max_retries=0
        ) as client,
    ):
        listed = [model.id for model in client.models.list(limit=5)]
        one = client.models.retrieve("claude-haiku-4-5")
        with pytest.raises(anthropic.NotFoundError, match="model: claude-0"):
            client.models.retrieve("claude-0")
        assert problems(body(double, -2), ModelInfo) == []
    assert listed == list(list_models_with_capabilities("anthropic"))
    assert (one.max_input_tokens, one.max_tokens) == (200_000, 64_000)


@pytest.mark.parametrize("profile", ["ollama", "llamacpp"])
def test_a_server_that_speaks_both_lists_models_in_both_shapes(profile: str) -> None:
    """The client's own header decides."""
    with (
        Double(profile) as double,
        anthropic.Anthropic(
            base_url=double.anthropic_url, api_key="sk-test", max_retries=0
        ) as client,
    ):
        assert [model.id for model in client.models.list()] == ["local-model"]
        assert client.models.retrieve("anything").type == "model"


def test_ollama_tells_what_it_has_in_memory() -> None:
    """Nothing; a client that asks others for it is told that there is no such path."""
    for profile, status in (("ollama", 200), ("vllm", 404)):
        with Double(profile, []) as double:
            connection = HTTPConnection("127.0.0.1", int(double.url.rpartition(":")[2]), timeout=60)
            connection.request("GET", "/api/ps")
            assert connection.getresponse().status == status
            connection.close()
            assert double.defects == []
