"""One number for the window of a model, whoever asks: the header, the meter, the inspector, errors.

What the user set comes first, then what the server said when it was last asked, then the
catalogue. No model is asked here.
"""

from __future__ import annotations

from typing import cast

from director.models import Model
from director.models.capabilities import Capabilities, find
from director.models.names import parse
from director.models.windows import get_window_setting, with_window
from director.settings import Settings
from director.store import Store

KIND = "model_window"
_SOURCES = {
    "set": "set by you",
    "server": "as the server says",
    "assumed": "assumed: neither the server nor the catalogue says it",
    "": "by the catalogue",
}


def remember_window(store: Store, model: Model) -> None:
    """Keep what a server said of its model's window."""
    can = model.capabilities
    if can.window_from != "server":
        return
    before = store.get(KIND, model.name)
    if before is None or before.body.get("window") != can.window:
        version = before.version if before else 0
        store.put(KIND, model.name, {"window": can.window}, "said by the server", expect=version)


def get_capabilities(store: Store, settings: Settings, name: str) -> Capabilities:
    """What a model can do, as far as it is known without asking; `UnknownModel` for no name."""
    named = parse(name)
    can = find(named.provider, named.model)
    said = store.get(KIND, name)
    if said is not None:
        can = with_window(can, cast("int", said.body["window"]), "server")
    return with_window(can, get_window_setting(settings, name), "set")


def tell_window(can: Capabilities) -> str:
    """The window in words, and who says so."""
    return f"window {can.window:,} tokens, {_SOURCES[can.window_from]}"
