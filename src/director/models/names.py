"""Names of models and the keys to them: `openai:gpt-6.1-terra`, `chat:http://localhost:1234/v1#m`.

A key is read from the environment and held only to be sent; it is in no message and no repr.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import NamedTuple
from urllib.parse import urlsplit

from director.errors import DirectorError
from director.models import capabilities, local
from director.models.capabilities import Form
from director.models.local import LocalServer
from director.models.servers import LOOPBACK, NoKey, may_send_key_to_server

FORMS = """\
  openai:gpt-6.1-terra                      OpenAI, by the Responses API
  chat:gpt-4.1                              OpenAI, by Chat Completions
  azure:my-deployment                       Azure OpenAI, at AZURE_OPENAI_ENDPOINT
  anthropic:claude-sonnet-5-5               Anthropic
  chat:http://localhost:11434/v1#qwen3      any server that speaks Chat Completions
  responses:http://localhost:8000/v1#model  any server that speaks Responses
  anthropic:http://localhost:8080#model     any server that speaks Anthropic's Messages
  scripted:rehearsal.json                   a script, without any model"""
OPENAI_URL = "https://api.openai.com/v1"
ANTHROPIC_URL = "https://api.anthropic.com"
NO_KEY = "none"

_SECRET = re.compile(r"sk-|key-|Bearer ", re.IGNORECASE)
_SENDABLE = re.compile(r"[!-~]+")
_PASSWORD = re.compile(r"//[^/#]*@")


class _Provider(NamedTuple):
    form: Form
    key: str = ""
    url_variable: str = ""
    url: str = ""
    needs_url: bool = False


_PROVIDERS = {
    "openai": _Provider("responses", "OPENAI_API_KEY", "OPENAI_BASE_URL", OPENAI_URL),
    "openai-chat": _Provider("chat", "OPENAI_API_KEY", "OPENAI_BASE_URL", OPENAI_URL),
    "azure": _Provider("responses", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT"),
    "anthropic": _Provider("anthropic", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", ANTHROPIC_URL),
    "chat": _Provider("chat", "CHAT_API_KEY", needs_url=True),
    "responses": _Provider("responses", "RESPONSES_API_KEY", needs_url=True),
    "scripted": _Provider("responses"),
}


class UnknownModel(DirectorError, ValueError):
    """A name of no known form; the message shows the right ones."""

    status = 422
    kept = "What was said is kept."
    next_step = "Choose another model."


@dataclass(frozen=True, slots=True)
class Named:
    """A model by name: whose it is, where (`""`: at the provider) and which form it speaks."""

    provider: str
    model: str
    base_url: str
    form: Form


@dataclass(frozen=True, slots=True)
class Access:
    """What is needed to reach a model."""

    key: str = field(repr=False)
    base_url: str = ""


def parse_model_name(name: str) -> Named:
    """The model that a name means; `UnknownModel` shows the right forms and the nearest."""
    if _PASSWORD.search(name):
        raise UnknownModel("An address holds no user and no password; keys come from variables.")
    provider, colon, rest = name.strip().partition(":")
    if not colon or provider not in _PROVIDERS:
        raise UnknownModel(_unknown(name, provider, rest))
    if not rest:
        raise UnknownModel(f"{name!r} names no model. The forms are:\n{FORMS}")
    if provider == "scripted":
        return Named(provider, rest, "", "responses")
    if not rest.startswith(("http://", "https://")):
        return _at_home(name, provider, rest)
    url, _, model = rest.partition("#")
    _check_url(url)
    if not model:
        raise UnknownModel(f"{name!r} names no model: put it after '#', as in {name}#model.")
    url = url.rstrip("/")
    if provider == "chat" and url == OPENAI_URL:
        return Named("openai-chat", model, "", "chat")
    return Named(provider, model, url, _PROVIDERS[provider].form)


def find_nearest_model_name(named: Named) -> str:
    """The name in the catalogue that is nearest to a model which is not, or `""`."""
    near = get_close_matches(
        named.model, capabilities.list_models_with_capabilities(named.provider), 1, 0.8
    )
    return f"{named.provider}:{near[0]}" if near else ""


def find_model_credentials(
    named: Named,
    env: Mapping[str, str] = os.environ,
    look: Callable[[], Sequence[LocalServer]] = local.find_local_servers,
    *,
    accepted: Collection[str] | None = None,
) -> Access:
    """The key and the address for a model; `NoKey` says what can be done without one.

    `accepted` are the servers that were accepted on this machine; `None` says that the caller
    wrote the name. Raises `ServerNotAccepted` for a server that must not be asked.
    """
    provider = _PROVIDERS[named.provider]
    if named.provider == "scripted":
        return Access(NO_KEY)
    own = _own_addresses(named.provider, env)
    base_url = named.base_url or next(iter(own), "")
    if named.provider == "azure":
        base_url = _azure(base_url)
    if not base_url:
        raise NoKey(_without(named, provider.url_variable, look()))
    server = f"{named.provider}:{named.base_url}"
    may = not named.base_url or may_send_key_to_server(server, own=own, accepted=accepted)
    key = env.get(provider.key, "").strip() if may else NO_KEY
    if not key and (provider.needs_url or urlsplit(base_url).hostname in LOOPBACK):
        key = NO_KEY
    if not key:
        raise NoKey(_without(named, provider.key, look()))
    if not _SENDABLE.fullmatch(key):
        # A library would refuse it with the key in its words.
        raise NoKey(
            f"{provider.key} holds a space, a line break or a letter that no key has. Nothing was "
            "sent. Set it again, without quotes and on one line."
        )
    return Access(key, base_url.rstrip("/"))


def _own_addresses(provider: str, env: Mapping[str, str]) -> list[str]:
    """The address that a variable of this machine names, and the provider's own."""
    known = _PROVIDERS[provider]
    found = (env.get(known.url_variable, "").strip().rstrip("/"), known.url)
    return [url for url in found if url]


def _at_home(name: str, provider: str, model: str) -> Named:
    """A model named without an address: of the provider that it names, or of OpenAI by chat."""
    if provider == "responses":
        raise UnknownModel(
            f"{name!r} has no address. For OpenAI's own models say 'openai:{model}', for others "
            f"'responses:http://host/v1#{model}'."
        )
    if "://" in model or "#" in model:
        raise UnknownModel(f"{name!r}: an address starts with http:// or https://.\n{FORMS}")
    whose = "openai-chat" if provider == "chat" else provider
    return Named(whose, model, "", _PROVIDERS[whose].form)


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        usable = bool(parts.hostname) and parts.port != 0 and url.isprintable() and " " not in url
    except ValueError:
        usable = False
    if not usable:
        raise UnknownModel(f"{url!r} is no address. The forms are:\n{FORMS}")


def _unknown(name: str, provider: str, rest: str) -> str:
    if _SECRET.match(name.strip()):
        return f"That looks like a key, not like the name of a model. The forms are:\n{FORMS}"
    meant = _suggest_name(name.strip(), provider, rest)
    hint = f" Did you mean {meant!r}?" if meant else ""
    return f"{name!r} is not the name of a model.{hint} The forms are:\n{FORMS}"


def _suggest_name(name: str, provider: str, rest: str) -> str:
    """The full name that was probably meant, or `""`."""
    if rest:
        near = get_close_matches(provider.lower(), _PROVIDERS, 1)
        return f"{near[0]}:{rest}" if near else ""
    known = {
        model: f"{owner}:{model}"
        for owner in ("openai", "anthropic")
        for model in capabilities.list_models_with_capabilities(owner)
    }
    if name in known:
        return known[name]
    for owner, starts in (("anthropic", "claude"), ("openai", "gpt-")):
        if name.startswith(starts) and capabilities.read_capabilities(owner, name).known:
            return f"{owner}:{name}"
    near = get_close_matches(name.lower(), known, 1)
    return known[near[0]] if near else ""


def _azure(endpoint: str) -> str:
    bare = endpoint.rstrip("/")
    return bare if not bare or bare.endswith("/v1") else f"{bare}/openai/v1"


def _without(named: Named, variable: str, servers: Sequence[LocalServer]) -> str:
    """What to do about a variable that is not set."""
    lines = [
        f"{named.provider}:{named.model} needs {variable}, which is not set. You can:",
        f"  - set it: export {variable}=…",
    ]
    examples = [f"{server.kind}: chat:{server.base_url}#{server.example}" for server in servers]
    if examples:
        lines += ["  - use a local server that was found:", *(f"      {one}" for one in examples)]
    else:
        usual = ", ".join(f"{port} ({kind})" for port, kind in local.PORTS.items())
        lines += [
            f"  - use a local server; none answered on {usual}. To start one: `ollama serve`,",
            "    `lms server start`, `llama-server -m model.gguf` or `vllm serve model`",
        ]
    lines.append("  - rehearse without any model: scripted:file.json")
    return "\n".join(lines)
