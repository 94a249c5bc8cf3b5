"""What a model and its server can do, as data: `catalogue.json` beside this file, or probed.

Nothing else in the project may ask for a model's name to decide what to do.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Literal, TypeAlias, get_args, get_origin, get_type_hints

from director.errors import DirectorError

Form: TypeAlias = Literal["responses", "chat", "anthropic"]
Cache: TypeAlias = Literal["none", "implicit", "implicit_paid", "explicit"]
Layers: TypeAlias = Mapping[str, Mapping[str, object]]

_DATED_END = re.compile(r"(?:-\d{4}-\d{2}-\d{2}|[-@]\d{8}|-latest)$")


@dataclass(frozen=True, slots=True)
class Capabilities:
    """One model on one kind of server.

    `chain` says whether a response's id stands for the history behind it: not at all, durably,
    or for `chain_seconds` after its last use. `window` is what input and output may take
    together, `max_input` what input alone may, both in tokens. `completion_limit` says that Chat
    Completions calls the limit of its answer max_completion_tokens.
    """

    form: Form = "chat"
    known: bool = False
    window: int = 128_000
    max_input: int = 128_000
    max_output: int = 16_384
    chain: Literal["none", "durable", "ephemeral"] = "none"
    chain_seconds: float = 0.0
    background: bool = False
    server_compaction: bool = False
    token_count: bool = False
    cache: Cache = "none"
    cache_minimum: int = 1_024
    reasoning: bool = False
    encrypted_reasoning: bool = False
    binding: bool = False
    forced_tool_choice: bool = True
    sampling: bool = True
    prefill: bool = False
    images: bool = True
    strict_tools: bool = False
    completion_limit: bool = False
    # Who says so: "" the catalogue, "assumed", "server", "refused" (learned from a refusal of the
    # server), or "set" by the user.
    window_from: Literal["", "assumed", "server", "refused", "set"] = field(
        default="", compare=False
    )


class CatalogueError(DirectorError, ValueError):
    """A catalogue that says something which no capability means."""


@cache
def read_capabilities(provider: str, model: str) -> Capabilities:
    """What this model of this provider can do.

    A model that the catalogue does not name gets what its family and its provider do, and
    `known` is false. `KeyError` for a provider that nobody knows.
    """
    return look_up_capabilities(_catalogue(), provider, model)


def strip_date(model: str) -> str:
    """A model's name without the date of its snapshot."""
    return _DATED_END.sub("", model)


def list_models_with_capabilities(provider: str) -> tuple[str, ...]:
    """All models that the catalogue names for a provider."""
    _, named = _own_and_like(_catalogue(), provider)
    return tuple(name for name in named if not name.endswith("*") and name != "like")


def look_up_capabilities(
    catalogue: Mapping[str, Layers], provider: str, model: str
) -> Capabilities:
    """The same from a catalogue of one's own: wide patterns first, each narrower one on top."""
    own, named = _own_and_like(catalogue, provider)
    merged: dict[str, object] = {}
    for pattern in sorted(_matching(named, model), key=len):
        merged.update(named[pattern])
        if not pattern.endswith("*"):
            merged["known"] = True
    if named is not own:
        merged.update(own.get("*", {}))
    found = _capabilities(provider, model, merged)
    return found if found.known else replace(found, window_from="assumed")


def _own_and_like(catalogue: Mapping[str, Layers], provider: str) -> tuple[Layers, Layers]:
    if provider not in catalogue:
        raise KeyError(f"No provider {provider!r}; there are: {', '.join(catalogue)}.")
    own = catalogue[provider]
    like = own.get("like", {}).get("provider", provider)
    return own, catalogue[str(like)]


def _matching(named: Layers, model: str) -> Iterator[str]:
    for pattern in named.keys() - {"like"}:
        if pattern.endswith("*"):
            if model.startswith(pattern[:-1]):
                yield pattern
        elif pattern in (model, strip_date(model)):
            yield pattern


def _capabilities(provider: str, pattern: str, said: Mapping[str, object]) -> Capabilities:
    """The capabilities that a layer says, each key and value looked at."""
    hints = get_type_hints(Capabilities)
    for key, value in said.items():
        if key not in hints:
            raise CatalogueError(
                f"{provider}/{pattern}: no capability {key!r}; there are: {', '.join(hints)}."
            )
        if not _fits(value, hints[key]):
            raise CatalogueError(f"{provider}/{pattern}: {key} cannot be {value!r}.")
    return Capabilities(**said)  # type: ignore[arg-type]  # each value was looked at just above


def _fits(value: object, hint: object) -> bool:
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return isinstance(value, bool)


def parse_capabilities_catalogue(text: str) -> dict[str, Layers]:
    """A catalogue from its JSON text; `CatalogueError` says what is wrong and where."""
    loaded = json.loads(text)
    if not isinstance(loaded, dict):
        raise CatalogueError("A catalogue is an object of providers.")
    for provider, layers in loaded.items():
        if not isinstance(layers, dict) or "*" not in layers:
            raise CatalogueError(f"{provider}: a provider needs its defaults under '*'.")
        for pattern, said in layers.items():
            if not isinstance(said, dict):
                raise CatalogueError(f"{provider}/{pattern}: needs an object of capabilities.")
            if pattern != "like":
                _capabilities(provider, pattern, said)
            elif said.keys() != {"provider"} or said["provider"] not in loaded:
                raise CatalogueError(f"{provider}: is like {said!r}, and no provider is that.")
    return loaded


@cache
def _catalogue() -> dict[str, Layers]:
    return parse_capabilities_catalogue(
        files("director.models").joinpath("catalogue.json").read_text("utf-8")
    )


# Names of one release ago; they go with the next.
find = read_capabilities
