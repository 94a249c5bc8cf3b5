"""Which servers may be asked, and which of them are sent a provider's key: decided here only.

A key goes to its provider's own address, to the address that a variable of this machine names
(`OPENAI_BASE_URL` and the like), and to a server that was accepted on this machine: in the setting
`model_servers`, as the address of the setting `model`, or typed by the user. What a store holds (a
workflow's choice, a conversation, an import) accepts nothing. A server on loopback that nobody
accepted is asked without a key; any other is not asked at all.
"""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlsplit

from director.errors import DirectorError
from director.settings import Settings, SettingsError, load_settings, save_settings

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
SETTING = "model_servers"


class NoKey(DirectorError, ValueError):
    """A model that cannot be reached for want of a key; the message shows the ways to go on."""

    kept = "What was said is kept."
    next_step = "Enter a key, or choose another model."


class ServerNotAccepted(NoKey):
    """A server that nobody accepted on this machine; nothing was sent to it."""


def may_send_key_to_server(
    server: str, *, own: Collection[str], accepted: Collection[str] | None
) -> bool:
    """Whether a provider's key may be sent to a server such as `openai:https://host/v1`.

    `own` are the provider's address and the one that a variable names; `accepted` of `None` says
    that the caller wrote the address out. False: ask it without a key. Raises `ServerNotAccepted`
    if it must not be asked.
    """
    url = server.partition(":")[2]
    if accepted is None or url in own or server in accepted:
        return True
    if urlsplit(url).hostname in LOOPBACK:
        return False
    raise ServerNotAccepted(
        f"The model's server {url!r} was not accepted on this machine, and nothing was sent to it. "
        f"If you trust it, add {server!r} to the setting {SETTING} (in the app's Settings, in "
        f"settings.toml or in DIRECTOR_{SETTING.upper()}), or name the model yourself with "
        "`director chat --model`. Otherwise choose another model."
    )


def parse_server_name(name: str) -> str:
    """The provider and the address in a model's name, such as `chat:http://host/v1`; or `""`."""
    provider, _, rest = name.strip().partition(":")
    if not rest.startswith(("http://", "https://")):
        return ""
    return f"{provider}:{rest.partition('#')[0].rstrip('/')}"


def list_accepted_servers(settings: Settings) -> frozenset[str]:
    """The servers that were accepted on this machine."""
    listed = settings.model_servers.value.split()
    return frozenset(filter(None, map(parse_server_name, [*listed, settings.model.value])))


def accept_server(name: str) -> str:
    """Accept the server in a name that the user typed; what was accepted, or `""` if nothing new.

    Only the user's own programs call this, with the user's own words.
    """
    server, settings = parse_server_name(name), load_settings()
    if not server or server in list_accepted_servers(settings):
        return ""
    listed = settings.model_servers
    if listed.source not in ("file", "default"):
        raise SettingsError(
            f"{listed.place} says which servers are accepted, and {server!r} is not among them. "
            "Nothing was changed. Add it there."
        )
    save_settings({SETTING: f"{listed.value} {server}".strip()})
    return server


# Names of one release ago; they go with the next.
may_send_key = may_send_key_to_server
