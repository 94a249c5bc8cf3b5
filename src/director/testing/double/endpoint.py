"""How a path becomes an answer: the value that each API lists its endpoints with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from director.testing.double.exchange import ParsedRequest, ProviderResponse
from director.testing.double.world import World

Handle: TypeAlias = Callable[[World, ParsedRequest, Mapping[str, str]], ProviderResponse]


@dataclass(frozen=True, slots=True)
class EndpointRoute:
    """An endpoint: `pattern` has its names in braces, such as "/v1/responses/{id}"."""

    method: str
    pattern: str
    endpoint: str
    api: Literal["responses", "chat", "anthropic"]
    handle: Handle
