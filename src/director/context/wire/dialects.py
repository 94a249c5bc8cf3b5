"""The four wires by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from director.context.wire import anthropic, chat, langchain, responses
from director.context.wire.events import Dialect, Wire

_BY_NAME: dict[Wire, Dialect] = {
    "chat": chat,
    "responses": responses,
    "anthropic": anthropic,
    "langchain": langchain,
}
DIALECTS: Mapping[Wire, Dialect] = MappingProxyType(_BY_NAME)
