"""The four wires by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from director.context.wire import anthropic, chat_completions, langchain, responses
from director.context.wire.parse_events import MessageFormat, Wire

_BY_NAME: dict[Wire, MessageFormat] = {
    "chat": chat_completions,
    "responses": responses,
    "anthropic": anthropic,
    "langchain": langchain,
}
FORMATS: Mapping[Wire, MessageFormat] = MappingProxyType(_BY_NAME)
