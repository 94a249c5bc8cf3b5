"""One number for the window of a model, whoever asks: the header, the meter, the inspector, errors.

What the user set comes first, then what the server said when it was last asked or showed by a
refusal, then the catalogue. What nobody says is assumed, and learned when the server refuses more.
"""

from __future__ import annotations

from typing import Literal, cast

from director.models import Model, ModelError
from director.models.capabilities import Capabilities, read_capabilities
from director.models.names import parse_model_name
from director.models.windows import get_window_setting, read_window_refusal, set_window
from director.settings import Settings
from director.store import Store

KIND = "model_window"
_SOURCES = {
    "set": "set by you",
    "server": "as the server says",
    "refused": "learned when the server refused more",
    "assumed": "assumed: neither the server nor the catalogue says it; /window TOKENS sets it",
    "": "by the catalogue",
}


def remember_model_window(store: Store, model: Model) -> None:
    """Keep what a server said of its model's window; if nothing, take what a refusal showed."""
    can = model.capabilities
    before = store.get(KIND, model.name)
    if can.window_from == "server":
        _keep(store, model.name, can.window, "server")
    elif can.window_from == "assumed" and before is not None:
        model.limit_window(min(can.window, cast("int", before.body["window"])))


def learn_model_window(store: Store, model: Model, problem: ModelError) -> bool:
    """Keep the window that a refusal shows; whether it is smaller than the one that was assumed.

    What the catalogue, the server or the user says is not doubted by a refusal.
    """
    can = model.capabilities
    if problem.kind != "window" or can.window_from not in ("assumed", "refused"):
        return False
    window = read_window_refusal(problem.failure.message, can.window)
    if window >= can.window:
        return False
    model.limit_window(window)
    _keep(store, model.name, window, "refused")
    return True


def _keep(store: Store, name: str, window: int, source: Literal["server", "refused"]) -> None:
    before = store.get(KIND, name)
    body = {"window": window} if source == "server" else {"window": window, "source": source}
    if before is None or dict(before.body) != body:
        version = before.version if before else 0
        store.put(KIND, name, body, "said by the server", expect=version)


def get_capabilities(store: Store, settings: Settings, name: str) -> Capabilities:
    """What a model can do, as far as it is known without asking; `UnknownModel` for no name."""
    named = parse_model_name(name)
    can = read_capabilities(named.provider, named.model)
    said = store.get(KIND, name)
    if said is not None:
        source: Literal["server", "refused"] = "refused" if "source" in said.body else "server"
        can = set_window(can, cast("int", said.body["window"]), source)
    return set_window(can, get_window_setting(settings, name), "set")


def describe_model_window(can: Capabilities) -> str:
    """The window in words, and who says so."""
    return f"window {can.window:,} tokens, {_SOURCES[can.window_from]}"
