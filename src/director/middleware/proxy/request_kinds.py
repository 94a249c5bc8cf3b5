"""What a request asks: the API that it speaks, or why its history is not managed.

The paths of the providers are data. Nothing here reads a body.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from director.middleware.api_bodies import Api
from director.middleware.proxy.http_lines import ProxyRequest


@dataclass(frozen=True, slots=True)
class RequestKind:
    """The API that a request speaks; without one, why it is passed on as it is.

    `counts` marks a question for the size of a request in place of an answer to it. What asks no
    model, such as a list of models, has neither an API nor a reason.
    """

    api: Api | None = None
    counts: bool = False
    unmanaged: str = ""


_MANAGED: Mapping[str, RequestKind] = MappingProxyType(
    {
        r".*/chat/completions": RequestKind("chat"),
        r".*/responses": RequestKind("responses"),
        r".*/responses/input_tokens": RequestKind("responses", counts=True),
        r".*/messages": RequestKind("anthropic"),
        r".*/messages/count_tokens": RequestKind("anthropic", counts=True),
        # Anthropic's models at Amazon and Google: the body of Messages, the model in the path.
        r".*/model/[^/]+/invoke(-with-response-stream)?": RequestKind("anthropic"),
        r".*/publishers/anthropic/models/[^/]+:(rawPredict|streamRawPredict)": RequestKind(
            "anthropic"
        ),
    }
)
_UNMANAGED: Mapping[str, str] = MappingProxyType(
    {
        r".*/responses/compact": "the provider compacts this history itself",
        r".*/(messages/)?batches": "a batch names its requests; they are not read",
        r".*/model/[^/]+/converse(-stream)?": "Amazon's Converse API is not read; use invoke",
        r".*:(generateContent|streamGenerateContent|countTokens)": "Gemini's API is not read",
        r".*/api/(chat|generate)": "Ollama's own API is not read; use /v1/chat/completions",
        r".*(?<!/chat)/completions": "a text completion has no messages",
    }
)
SIGNED = "Amazon's signature covers the body, so that it cannot be changed"
SOCKET = "a WebSocket is passed on as it is"


def classify_request(request: ProxyRequest) -> RequestKind:
    """What a request asks, by its method, path and headers."""
    if is_websocket(request):
        return RequestKind(unmanaged=SOCKET)
    if request.method != b"POST":
        return RequestKind()
    path = request.path.rstrip("/")
    for pattern, kind in _MANAGED.items():
        if re.fullmatch(pattern, path):
            signed = request.header(b"authorization").startswith(b"AWS4-")
            return RequestKind(unmanaged=SIGNED) if signed else kind
    for pattern, reason in _UNMANAGED.items():
        if re.fullmatch(pattern, path):
            return RequestKind(unmanaged=reason)
    return RequestKind()


def is_websocket(request: ProxyRequest) -> bool:
    """Whether a request asks to become a WebSocket."""
    return request.header(b"upgrade").lower() == b"websocket"


def may_fall_back(request: ProxyRequest) -> bool:
    """Whether a WebSocket is one of an API that clients also speak over HTTP."""
    return is_websocket(request) and request.path.rstrip("/").endswith("/responses")
