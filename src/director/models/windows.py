"""The window of a model that no catalogue names: what its server says, or what the user set.

Servers say it in different fields and on routes of their own. What a server was started with
counts, not what the model could take: more than that is cut or refused. Nothing that a server
answers is trusted to be well-formed; the worst that garbage does is that nothing was found.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Literal, TypeAlias

from director.models.capabilities import Capabilities
from director.settings import Settings, SettingsError, load_settings, save_settings

Ask: TypeAlias = Callable[[str, Mapping[str, object] | None], Awaitable[Mapping[str, object]]]

SETTING = "model_windows"
SMALLEST = 1_024
# In lists of models: vLLM, llama.cpp, LM Studio, OpenRouter and Together, Groq, Mistral, LiteLLM.
_FIELDS = (
    "max_model_len",
    "n_ctx",
    "loaded_context_length",
    "context_length",
    "context_window",
    "max_context_length",
    "max_input_tokens",
    "context_size",
)
_TRAINED = "n_ctx_train"
_INSIDE = ("meta", "top_provider", "limits", "model_info")
_OLLAMA_WINDOW = 4_096
# In refusals: OpenAI and vLLM, llama.cpp, Anthropic, text-generation-inference and others.
_STATED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"maximum context length (?:is|of) (\d[\d,]{2,9})",
        r"context (?:size|length|window|limit)[^\d]{0,20}(\d[\d,]{2,9})",
        r"> (\d[\d,]{2,9}) maximum",
        r"must be <= (\d[\d,]{2,9})",
    )
)
_NUM_CTX = re.compile(r"^\s*num_ctx\s+(\d{1,9})\s*$", re.MULTILINE)


async def ask_window(ask: Ask, base_url: str, model: str, *, listed: object) -> int | None:
    """The window that a server states for a model, by its list or its own routes."""
    mine = _entry(listed, model)
    places = [mine, *(inner for key in _INSIDE if isinstance(inner := mine.get(key), Mapping))]
    for place in places:
        if size := next(filter(None, (read_window_number(place, key) for key in _FIELDS)), None):
            return size
    root = base_url.rstrip("/").removesuffix("/v1")
    owner = str(mine.get("owned_by") or "")
    if owner == "library":
        return await _ollama(ask, root, model) or _OLLAMA_WINDOW
    if owner in ("", "llamacpp") and (size := await _llama_cpp(ask, root)):
        return size
    if not mine and (size := await _ollama(ask, root, model)):
        return size
    return next(filter(None, (read_window_number(place, _TRAINED) for place in places)), None)


def _entry(listed: object, model: str) -> Mapping[str, object]:
    rows = listed if isinstance(listed, list) else []
    entries = [one for one in rows if isinstance(one, Mapping)]
    found = next((one for one in entries if one.get("id") == model), None)
    return found or (entries[0] if len(entries) == 1 else {})


async def _llama_cpp(ask: Ask, root: str) -> int | None:
    """What each slot of llama.cpp's server was given."""
    said = await ask(f"{root}/props", None)
    given = said.get("default_generation_settings")
    return (
        read_window_number(given, "n_ctx")
        if isinstance(given, Mapping)
        else read_window_number(said, "n_ctx")
    )


async def _ollama(ask: Ask, root: str, model: str) -> int | None:
    """What a loaded model was given, else what it is set to; Ollama cuts more without a word."""
    running = (await ask(f"{root}/api/ps", None)).get("models")
    for entry in running if isinstance(running, list) else []:
        if isinstance(entry, Mapping) and model in (entry.get("name"), entry.get("model")):
            return read_window_number(entry, "context_length") or _OLLAMA_WINDOW
    shown = await ask(f"{root}/api/show", {"model": model})
    if not shown:
        return None
    chosen = _NUM_CTX.search(str(shown.get("parameters") or ""))
    facts = shown.get("model_info")
    named = facts.items() if isinstance(facts, Mapping) else ()
    most = [value for key, value in named if str(key).endswith(".context_length")]
    size = int(chosen[1]) if chosen else _OLLAMA_WINDOW
    return min([size, *(one for one in most if isinstance(one, int) and one > 0)])


def read_window_number(said: Mapping[str, object], key: str) -> int | None:
    """A positive whole number at a key, also where it is written as a text."""
    value = said.get(key)
    if isinstance(value, str) and value.isdecimal() and len(value) < 12:
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def set_window(
    can: Capabilities, window: int | None, source: Literal["server", "refused", "set"]
) -> Capabilities:
    """The same model with this window; without one, as it is."""
    if window is None:
        return can
    output = min(can.max_output, max(1, window // 2))
    return replace(can, window=window, max_input=window, max_output=output, window_from=source)


def read_window_refusal(message: str, now: int) -> int:
    """The window that a refusal states, if it is smaller than the one of now; else half of that."""
    found = (int(one.replace(",", "")) for stated in _STATED for one in stated.findall(message))
    return next((size for size in found if SMALLEST <= size < now), max(SMALLEST, now // 2))


def get_window_setting(settings: Settings, name: str) -> int | None:
    """The window that the user set for a model, if one was."""
    return _read_setting(settings).get(name.strip())


def choose_window(name: str, tokens: int) -> None:
    """Set the window of a model on this machine; 0 takes it back."""
    if tokens and tokens < SMALLEST:
        raise SettingsError(f"A window has at least {SMALLEST:,} tokens, not {tokens:,}.")
    now = load_settings()
    if getattr(now, SETTING).source not in ("file", "default"):
        place = getattr(now, SETTING).place
        raise SettingsError(f"{place} says which windows models have. Nothing was changed.")
    chosen = {**_read_setting(now), name.strip(): tokens}
    listed = " ".join(f"{model}={size}" for model, size in chosen.items() if size)
    save_settings({SETTING: listed or None})


def _read_setting(settings: Settings) -> dict[str, int]:
    found = {}
    for each in settings.model_windows.value.split():
        name, _, size = each.rpartition("=")
        if not name or not size.isdecimal() or int(size) < SMALLEST:
            raise SettingsError(
                f"In {SETTING}: {each!r} is not MODEL=TOKENS with at least {SMALLEST:,} tokens, "
                "such as chat:http://localhost:8080/v1#mine=32768."
            )
        found[name] = int(size)
    return found
