"""The listing of models, in OpenAI's and in Anthropic's shape.

What is listed is what the catalogue names. A local server lists one model and knows any.
"""

from __future__ import annotations

from collections.abc import Mapping

from director.models.capabilities import list_models_with_capabilities, read_capabilities
from director.testing.double import refusals, texts
from director.testing.double.endpoint import EndpointRoute
from director.testing.double.exchange import ParsedRequest, ProviderResponse
from director.testing.double.world import World

CREATED = 1_767_225_600
LOCAL = "local-model"
TRAINED = 131_072
UNKNOWN_DATE = "1970-01-01T00:00:00Z"


def list_models(world: World, asked: ParsedRequest, _params: Mapping[str, str]) -> ProviderResponse:
    """All models."""
    names = list_models_with_capabilities(world.profile.owner) if world.profile.strict else (LOCAL,)
    if not _anthropic(world, asked):
        return ProviderResponse(
            {"object": "list", "data": [_openai_model(world, name) for name in names]}
        )
    after = asked.query.get("after_id", "")
    rest = names[names.index(after) + 1 :] if after in names else names
    limit = asked.query.get("limit", "")
    page = rest[: int(limit) if limit.isdigit() else 20]
    return ProviderResponse(
        {
            "data": [_anthropic_model(world, name) for name in page],
            "first_id": page[0] if page else None,
            "last_id": page[-1] if page else None,
            "has_more": len(page) < len(rest),
        }
    )


def one(world: World, asked: ParsedRequest, params: Mapping[str, str]) -> ProviderResponse:
    """One model by its id."""
    name = params["id"]
    known = not world.profile.strict or name in list_models_with_capabilities(world.profile.owner)
    if _anthropic(world, asked):
        if not known:
            raise refusals.write_anthropic_refusal(
                "models.unknown", f"model: {name}", status=404, kind="not_found_error"
            )
        return ProviderResponse(_anthropic_model(world, name))
    if not known:
        raise refusals.write_openai_refusal(
            "models.unknown",
            texts.NO_SUCH_MODEL.format(model=name),
            status=404,
            code="model_not_found",
        )
    return ProviderResponse(_openai_model(world, name))


def show_model(world: World, asked: ParsedRequest, _params: Mapping[str, str]) -> ProviderResponse:
    """What Ollama knows of a model: its own parameters as a text, and what it was trained on."""
    if world.profile.owner != "library":
        raise refusals.write_openai_refusal(
            "path", "Invalid URL (POST /api/show)", status=404, defect=False
        )
    given = world.profile.window
    return ProviderResponse(
        {
            "modelfile": f"FROM {asked.body.get('model')}",
            "parameters": f"temperature 0.7\nnum_ctx {given}" if given else "temperature 0.7",
            "template": "{{ .Prompt }}",
            "details": {"format": "gguf", "family": "llama", "parameter_size": "8.0B"},
            "model_info": {"general.architecture": "llama", "llama.context_length": TRAINED},
            "capabilities": ["completion", "tools"],
        }
    )


def props(world: World, _asked: ParsedRequest, _params: Mapping[str, str]) -> ProviderResponse:
    """What llama.cpp's server was started with; others have no such path."""
    if world.profile.owner != "llamacpp":
        raise refusals.write_openai_refusal(
            "path", "Invalid URL (GET /props)", status=404, defect=False
        )
    given = world.profile.window or TRAINED
    return ProviderResponse(
        {
            "default_generation_settings": {"id": 0, "n_ctx": given, "params": {}},
            "total_slots": 1,
            "model_path": f"models/{LOCAL}.gguf",
        }
    )


def running(world: World, _asked: ParsedRequest, _params: Mapping[str, str]) -> ProviderResponse:
    """What Ollama has in memory, which is nothing here; others have no such path."""
    if world.profile.owner != "library":
        raise refusals.write_openai_refusal(
            "path", "Invalid URL (GET /api/ps)", status=404, defect=False
        )
    return ProviderResponse({"models": []})


def _anthropic(world: World, asked: ParsedRequest) -> bool:
    """Whether the answer has Anthropic's shape: a server that speaks both goes by the header."""
    apis = world.profile.apis
    return "anthropic" in apis and (apis == ("anthropic",) or "anthropic-version" in asked.headers)


def _openai_model(world: World, name: str) -> dict[str, object]:
    said = {"id": name, "object": "model", "created": CREATED, "owned_by": world.profile.owner}
    match world.profile.owner:
        case "vllm" if world.profile.window:
            return {**said, "root": name, "parent": None, "max_model_len": world.profile.window}
        case "llamacpp":
            return {**said, "meta": {"n_ctx_train": TRAINED, "n_vocab": 128_256}}
    return said


def _anthropic_model(world: World, name: str) -> dict[str, object]:
    can = read_capabilities("anthropic", name)
    return {
        "type": "model",
        "id": name,
        "display_name": name.replace("-", " ").title(),
        "created_at": UNKNOWN_DATE,
        "lifecycle": "active",
        "capabilities": None,
        "deprecated_at": None,
        "line": None,
        "retires_at": None,
        "max_input_tokens": can.max_input if world.profile.strict else None,
        "max_tokens": can.max_output if world.profile.strict else None,
    }


ROUTES: tuple[EndpointRoute, ...] = (
    EndpointRoute("GET", "/api/ps", "ollama.ps", "chat", running),
    EndpointRoute("POST", "/api/show", "ollama.show", "chat", show_model),
    EndpointRoute("GET", "/props", "llamacpp.props", "chat", props),
    EndpointRoute("GET", "/v1/models", "models.list", "chat", list_models),
    EndpointRoute("GET", "/v1/models/{id}", "models.get", "chat", one),
    EndpointRoute("GET", "/v1/models", "models.list", "anthropic", list_models),
    EndpointRoute("GET", "/v1/models/{id}", "models.get", "anthropic", one),
)
