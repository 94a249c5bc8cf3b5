"""Counting tokens outside the engine: exact where the vocabulary is known, each text once.

A counter states its name and its error. Nothing is fetched: vocabularies come with the package.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from director.context.values import Counter, chars4

__all__ = ["chars4", "counter_for", "exact", "remembering"]

_VOCABULARIES = (
    ("o200k_base", ("gpt-", "o1", "o3", "o4", "chatgpt", "openai:")),
    ("qwen3", ("qwen",)),
    ("llama3", ("llama",)),
    ("deepseek_v3", ("deepseek",)),
    ("mistral_v3", ("mistral", "mixtral")),
)
_DEFAULT = "o200k_base"
_ESTIMATES = {"claude": ("o200k_base", 1.15, 0.15), "gemini": ("o200k_base", 1.0, 0.15)}
_REMEMBERED = 8_192


def remembering(count: Callable[[str], int], most: int = _REMEMBERED) -> Callable[[str], int]:
    """The same count, each text counted once; the oldest are forgotten past `most` texts."""
    known: dict[str, int] = {}

    def counted(text: str) -> int:
        size = known.get(text)
        if size is None:
            size = count(text)
            if len(known) >= most:
                del known[next(iter(known))]
            known[text] = size
        return size

    return counted


@cache
def exact(
    vocabulary: str, name: str | None = None, factor: float = 1.0, error: float = 0.0
) -> Counter:
    """A counter by a byte-pair vocabulary; with a factor, an estimate that says so."""
    from splintr import Tokenizer  # noqa: PLC0415  loading a vocabulary takes a moment

    tokenizer = Tokenizer.from_pretrained(vocabulary)

    def count(text: str) -> int:
        try:
            tokens = len(tokenizer.encode_ordinary(text))
        except (UnicodeEncodeError, ValueError):
            tokens = len(tokenizer.encode_ordinary(text.encode("utf-8", "replace").decode()))
        return round(tokens * factor)

    return Counter(remembering(count), name or vocabulary, error)


@cache
def counter_for(model: str | None = None) -> Counter:
    """The counter for a model's name; without one, the vocabulary of current OpenAI models."""
    if model == "chars4":
        return chars4
    name = (model or "gpt-").lower()
    for family, (vocabulary, factor, error) in _ESTIMATES.items():
        if family in name:
            return exact(vocabulary, f"{vocabulary} × {factor:g} (estimate)", factor, error)
    bare = name.rpartition(":")[2].rpartition("/")[2]
    for vocabulary, starts in _VOCABULARIES:
        if name.startswith(starts) or bare.startswith(starts):
            return exact(vocabulary)
    return exact(_DEFAULT, f"{_DEFAULT} (estimate)", error=0.25)
