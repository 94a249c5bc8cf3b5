"""Answers that a provider works out in the background: which models do, and what is left to fetch.

A job outlives the program that began it. Its handle is kept before it is first asked for, so that
the program that starts next fetches the answer, and nothing is asked for, or paid for, twice.
"""

from __future__ import annotations

from director.agent.turn_lease import find_last_turn, is_turn_running
from director.models.restart_journal import make_restart_record
from director.settings import Settings, SettingsError, load_settings, save_settings
from director.store import Store

SETTING = "background_models"
NO = "This model has no background mode: it answers at once."


def is_background(settings: Settings, model: str, *, now: bool | None = None) -> bool:
    """Whether a message is answered in the background: said with it, or set for the model."""
    return model in settings.background_models.value.split() if now is None else now


def choose_background(model: str, *, on: bool) -> None:
    """Let a model answer in the background from now on, or no more, on this machine."""
    listed = load_settings().background_models
    if listed.source not in ("file", "default"):
        raise SettingsError(f"{listed.place} says which models do. Nothing was changed.")
    chosen = [name for name in listed.value.split() if name != model] + ([model] if on else [])
    save_settings({SETTING: " ".join(chosen) or None})


def has_waiting_job(store: Store, thread: str) -> bool:
    """Whether a turn's program ended while its model worked in the background."""
    if find_last_turn(store, thread).get("state") != "running" or is_turn_running(store, thread):
        return False
    kept = store.reference(thread)
    handle = make_restart_record(kept).handle if kept is not None else None
    return handle is not None and bool(handle.id)
