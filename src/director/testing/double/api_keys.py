"""Who may ask, and how often: keys, rate windows, and the headers that tell of them.

Keys are compared and then forgotten: what is kept of one is a short digest. Nothing here knows
an endpoint or a body's meaning.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, TypeAlias

from director.testing.double import refusals
from director.testing.double.exchange import Refusal

Api: TypeAlias = Literal["responses", "chat", "anthropic"]

KEY_HEADERS = ("authorization", "x-api-key", "api-key")
MINUTE = 60.0
# Of each secret how it begins, which is looked for first since that is quick, and how it looks.
_SECRETS = {
    "an Anthropic key": ("sk-ant-", re.compile(r"\bsk-ant-[A-Za-z0-9_-]{8,}")),
    "an OpenAI key": ("sk-", re.compile(r"\bsk-(?!ant-)[A-Za-z0-9_-]{16,}")),
    "a bearer token": ("Bearer", re.compile(r"\bBearer\s+[A-Za-z0-9._~+/-]{16,}")),
}


def read_api_key(headers: Mapping[str, str]) -> str:
    """The key of a request, from whichever header carries it."""
    for name in KEY_HEADERS:
        given = headers.get(name, "").strip()
        if given:
            return given.removeprefix("Bearer").strip()
    return ""


def digest_api_key(key: str) -> str:
    """What is kept of a key."""
    return "sha256:" + hashlib.sha256(key.encode()).hexdigest()[:12]


def remove_api_keys(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers with every key replaced by its digest."""
    return {
        name: digest_api_key(text.removeprefix("Bearer").strip()) if name in KEY_HEADERS else text
        for name, text in headers.items()
    }


def find_leaked_keys(text: str, key: str) -> tuple[str, ...]:
    """The kinds of secret that a body holds, its own key among them."""
    found = [
        name
        for name, (start, pattern) in _SECRETS.items()
        if start in text and pattern.search(text)
    ]
    if len(key) >= 8 and json.dumps(key)[1:-1] in text:
        found.append("the request's own key")
    return tuple(found)


def scrub_api_keys(text: str, key: str) -> str:
    """A body's text with its secrets blotted out."""
    for _, pattern in _SECRETS.values():
        text = pattern.sub("[secret]", text)
    return text.replace(json.dumps(key)[1:-1], "[secret]") if len(key) >= 8 else text


def refuse_api_key(api: Api, key: str, *, defect: bool = True) -> Refusal:
    """The refusal of a key."""
    if api == "anthropic":
        kind = "authentication_error"
        return refusals.write_anthropic_refusal(
            "key", "invalid x-api-key", status=401, kind=kind, defect=defect
        )
    shown = f"{key[:4]}{'*' * 8}{key[-4:]}" if len(key) > 12 else "*" * len(key)
    return refusals.write_openai_refusal(
        "key",
        f"Incorrect API key provided: {shown}. You can find your API key at "
        "https://platform.openai.com/account/api-keys.",
        status=401,
        code="invalid_api_key",
        defect=defect,
    )


def check_api_key(api: Api, key: str, keys: Collection[str] | None) -> None:
    """Refuse a missing key, and one that is not among the keys when there is a list of them."""
    if not key or (keys is not None and key not in keys):
        raise refuse_api_key(api, key)


@dataclass(frozen=True, slots=True)
class RateLimits:
    """How many requests and tokens a minute of the clock may take."""

    requests: int = 10_000
    tokens: int = 30_000_000


@dataclass(slots=True)
class Limiter:
    """The last minute of requests, as the rate limiter counts them."""

    limits: RateLimits = field(default_factory=RateLimits)
    _taken: list[tuple[float, int]] = field(default_factory=list)

    def take(self, now: float, tokens: int) -> float:
        """Let a request in and give 0, or give the seconds after which it may come again."""
        self._taken = [(at, size) for at, size in self._taken if at > now - MINUTE]
        if self._fits(0, tokens):
            self._taken.append((now, tokens))
            return 0.0
        waits = (
            at + MINUTE - now
            for gone, (at, _) in enumerate(self._taken, start=1)
            if self._fits(gone, tokens)
        )
        return next(waits, MINUTE)

    def _fits(self, gone: int, tokens: int) -> bool:
        kept = self._taken[gone:]
        total = tokens + sum(size for _, size in kept)
        return len(kept) < self.limits.requests and total <= self.limits.tokens

    def headers(self, api: Api, now: float) -> dict[str, str]:
        """What an answer says about the limits and what is left of them."""
        used = [(at, size) for at, size in self._taken if at > now - MINUTE]
        reset = used[0][0] + MINUTE - now if used else 0.0
        left = {
            "requests": (self.limits.requests, self.limits.requests - len(used)),
            "tokens": (self.limits.tokens, self.limits.tokens - sum(size for _, size in used)),
        }
        if api == "anthropic":
            left["input-tokens"] = left["output-tokens"] = left["tokens"]
        told: dict[str, str] = {}
        for name, (limit, remaining) in left.items():
            told |= _make_headers(api, name, limit, max(remaining, 0))
            told[_NAMES[api].format("reset", name)] = _reset(api, now, reset)
        return told


_NAMES: dict[Api, str] = {
    "responses": "x-ratelimit-{0}-{1}",
    "chat": "x-ratelimit-{0}-{1}",
    "anthropic": "anthropic-ratelimit-{1}-{0}",
}


def _make_headers(api: Api, name: str, limit: int, remaining: int) -> dict[str, str]:
    pattern = _NAMES[api]
    return {
        pattern.format("limit", name): str(limit),
        pattern.format("remaining", name): str(remaining),
    }


def _reset(api: Api, now: float, seconds: float) -> str:
    if api == "anthropic":
        return datetime.fromtimestamp(now + seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}m{rest}s" if minutes else f"{rest}s"
