"""Whom the double plays: which APIs it has and what it refuses, forgets or ignores. Data only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Chain: TypeAlias = Literal["kept", "zdr", "missing", "ignored", "refused"]


@dataclass(frozen=True, slots=True)
class ServerProfile:
    """One kind of server.

    `chain` is what becomes of previous_response_id: kept, refused for zero retention, always
    not found (404), silently ignored, or refused as not supported. `pairing` says whether
    unanswered calls and orphans are refused; `strict` whether unknown fields and models are.
    `window` is what a local server was started with and says of its models; 0: as the catalogue.
    """

    name: str
    apis: tuple[Literal["responses", "chat", "anthropic"], ...]
    chain: Chain = "kept"
    pairing: bool = True
    strict: bool = True
    background: Literal["real", "needs_store", "echoed", "refused"] = "real"
    conversations: bool = True
    compact: bool = True
    input_tokens: bool = True
    count_tokens: bool = True
    keys: bool = True
    owner: str = "openai"
    window: int = 0


PROFILES: dict[str, ServerProfile] = {
    profile.name: profile
    for profile in (
        ServerProfile("openai", ("responses", "chat")),
        ServerProfile("openai-zdr", ("responses", "chat"), chain="zdr"),
        ServerProfile("azure", ("responses", "chat"), background="needs_store", owner="azure"),
        ServerProfile("anthropic", ("anthropic",), owner="anthropic"),
        ServerProfile(
            "vllm",
            ("responses", "chat"),
            chain="missing",
            pairing=False,
            strict=False,
            background="refused",
            conversations=False,
            compact=False,
            input_tokens=False,
            keys=False,
            owner="vllm",
        ),
        ServerProfile(
            "ollama",
            ("responses", "chat", "anthropic"),
            chain="ignored",
            pairing=False,
            strict=False,
            background="echoed",
            conversations=False,
            compact=False,
            input_tokens=False,
            count_tokens=False,
            keys=False,
            owner="library",
        ),
        ServerProfile(
            "llamacpp",
            ("responses", "chat", "anthropic"),
            chain="refused",
            pairing=False,
            strict=False,
            background="refused",
            conversations=False,
            compact=False,
            keys=False,
            owner="llamacpp",
        ),
    )
}
