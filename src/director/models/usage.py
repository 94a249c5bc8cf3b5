"""Usage as providers report it, brought into one form.

What was not reported is unknown, and said so in a warning: never silently zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from director.models.values import Usage

_MOST = 10**12  # tokens; a larger number is no count

Reported: TypeAlias = tuple[Usage | None, tuple[str, ...]]

MISSING = "The provider reported no usage: tokens and cost are unknown, not zero."
NO_REASONING = "Reasoning tokens were not reported: unknown, not zero."
NO_CACHE = "Cached tokens were not reported: unknown, not zero; all input is taken as uncached."
TOO_MANY = "More cached tokens were reported than input: the uncached ones are taken as zero."
OTHER_MODEL = "A part of this usage is another model's ({}): its cost may be wrong."


def read_responses_usage(body: Mapping[str, object]) -> Reported:
    """The usage of a Responses body; cached and written tokens are inside its input."""
    return _openai(_usage(body), "input_tokens", "output_tokens")


def read_chat_usage(body: Mapping[str, object]) -> Reported:
    """The usage of a Chat Completions body, or of the chunk that carries it."""
    return _openai(_usage(body), "prompt_tokens", "completion_tokens")


def read_anthropic_usage(body: Mapping[str, object]) -> Reported:
    """The usage of a Messages body: all its iterations, those of a compaction too."""
    parts = list_usage_iterations(body)
    if not parts:
        return None, (MISSING,)
    usage = _usage(body)
    thinking = _count(_inner(usage, "output_tokens_details"), "thinking_tokens")
    total = add_all_usages(parts)
    summed = Usage(total.uncached, total.read, total.writes, total.output, thinking)
    warnings = [NO_REASONING] if thinking is None else []
    if _count(usage, "cache_read_input_tokens") is None and not usage.get("iterations"):
        warnings.append(NO_CACHE)
    mine = str(body.get("model") or "")
    for entry in _entries(usage):
        theirs = entry.get("model")
        if mine and isinstance(theirs, str) and theirs != mine:
            warnings.append(OTHER_MODEL.format(theirs))
    return summed, tuple(warnings)


def list_usage_iterations(body: Mapping[str, object]) -> tuple[Usage, ...]:
    """The usage of each request that a Messages body was made with; one when it lists none.

    A price that depends on the size of a request depends on each of these, not on their sum.
    """
    usage = _usage(body)
    entries = _entries(usage)
    listed = [_anthropic(entry) for entry in entries]
    if not entries or None in listed:
        listed = [_anthropic(usage)]
    return tuple(one for one in listed if one is not None)


def add_usage(a: Usage, b: Usage) -> Usage:
    """The sum of two usages; reasoning that one of them does not know is not known."""
    lifetimes = [*a.writes, *(lifetime for lifetime in b.writes if lifetime not in a.writes)]
    unknown = a.reasoning is None or b.reasoning is None
    return Usage(
        uncached=a.uncached + b.uncached,
        read=a.read + b.read,
        writes={each: a.writes.get(each, 0) + b.writes.get(each, 0) for each in lifetimes},
        output=a.output + b.output,
        reasoning=None if unknown else (a.reasoning or 0) + (b.reasoning or 0),
    )


def add_all_usages(usages: Iterable[Usage]) -> Usage:
    """The sum of any number of usages."""
    total = Usage()
    for usage in usages:
        total = add_usage(total, usage)
    return total


def _openai(usage: Mapping[str, object], input_key: str, output_key: str) -> Reported:
    whole, output = _count(usage, input_key), _count(usage, output_key)
    if whole is None or output is None:
        return None, (MISSING,)
    details = _inner(usage, f"{input_key}_details")
    read = _count(details, "cached_tokens")
    writes = _openai_writes(details)
    reasoning = _count(_inner(usage, f"{output_key}_details"), "reasoning_tokens")
    uncached = whole - (read or 0) - sum(writes.values())
    said = (
        (NO_CACHE, read is None),
        (NO_REASONING, reasoning is None),
        (TOO_MANY, uncached < 0),
    )
    warnings = tuple(warning for warning, true in said if true)
    return Usage(max(0, uncached), read or 0, writes, output, reasoning), warnings


def _openai_writes(details: Mapping[str, object]) -> dict[str, int]:
    written = _count(details, "cache_write_tokens") or 0
    long = _count(_inner(details, "cache_write_tokens_details"), "ttl_12h_tokens") or 0
    by_lifetime = {"30m": max(0, written - long), "12h": long}
    return {lifetime: tokens for lifetime, tokens in by_lifetime.items() if tokens}


def _anthropic(usage: Mapping[str, object]) -> Usage | None:
    uncached, output = _count(usage, "input_tokens"), _count(usage, "output_tokens")
    if uncached is None or output is None:
        return None
    written = _count(usage, "cache_creation_input_tokens") or 0
    long = _count(_inner(usage, "cache_creation"), "ephemeral_1h_input_tokens") or 0
    short = _count(_inner(usage, "cache_creation"), "ephemeral_5m_input_tokens")
    by_lifetime = {"5m": max(0, written - long) if short is None else short, "1h": long}
    writes = {lifetime: tokens for lifetime, tokens in by_lifetime.items() if tokens}
    return Usage(uncached, _count(usage, "cache_read_input_tokens") or 0, writes, output, 0)


def _usage(body: Mapping[str, object]) -> Mapping[str, object]:
    return _inner(body, "usage")


def _entries(usage: Mapping[str, object]) -> list[Mapping[str, object]]:
    listed = usage.get("iterations")
    return [one for one in listed if isinstance(one, Mapping)] if isinstance(listed, list) else []


def _inner(said: Mapping[str, object], key: str) -> Mapping[str, object]:
    value = said.get(key)
    return value if isinstance(value, Mapping) else {}


def _count(said: Mapping[str, object], key: str) -> int | None:
    value = said.get(key)
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= _MOST else None
