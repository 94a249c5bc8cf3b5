"""Which profile, mode and model, and whether in the background: for a message, or by the settings.

A mode says how a conversation goes on from a summary. A workflow's choice is a record of its own,
so it can be changed in the middle of a conversation, and every earlier choice stays readable.
"""

from __future__ import annotations

from collections.abc import Mapping

from director.agent.agent_session import AgentSession
from director.models import Model, NoKey
from director.profiles import Profile, apply_mode, load_profile
from director.settings import Settings, SettingsError, load_settings, save_settings
from director.store import Store

KIND = "choice"


def choose_workflow_model(  # noqa: PLR0913  each has a name
    store: Store,
    workflow: str,
    *,
    profile: str = "",
    model: str = "",
    mode: str = "",
    every: int = 0,
) -> None:
    """Choose for a workflow what is named; the rest stays as it is.

    `mode` is how its conversation goes on from a summary, `every` how many messages lie between
    two refreshes.
    """
    before = store.get(KIND, workflow)
    chosen = dict(before.body) if before else {}
    named = {"profile": profile, "model": model, "mode": mode, "every": every}
    chosen |= {name: value for name, value in named.items() if value}
    # What cannot be is refused now, not in the middle of a turn.
    apply_mode(load_profile(profile or "clean"), mode, every=every or 1)
    store.put(KIND, workflow, chosen, "chosen", expect=before.version if before else 0)


def get_chosen_profile(
    store: Store, workflow: str, settings: Settings, *, now: str | Profile = ""
) -> Profile:
    """The profile for a message: given with it, or the workflow's, or the deployment's."""
    if isinstance(now, Profile):
        return now
    chosen = _read_choice(store, workflow)
    profile = load_profile(now or str(chosen.get("profile") or settings.profile.value))
    every = chosen.get("every")
    return apply_mode(
        profile,
        str(chosen.get("mode") or settings.summary_mode.value),
        every=every if isinstance(every, int) else settings.refresh_every.value,
    )


def get_chosen_model(store: Store, workflow: str, settings: Settings, *, now: str = "") -> str:
    """The model for a message, by the same order."""
    found = now or str(_read_choice(store, workflow).get("model") or settings.model.value)
    if not found:
        raise NoKey(
            "No model is chosen. Name one with the message, for the workflow, or as the setting "
            "'model' (DIRECTOR_MODEL)."
        )
    return found


def get_session_model_choice(
    desk: AgentSession, *, model: str = "", profile: str | Profile = ""
) -> tuple[Model, Profile]:
    """The model and the profile that the next message of a session would be answered with."""
    chosen = get_chosen_profile(desk.store, desk.workflow, desk.settings, now=profile)
    name = get_chosen_model(desk.store, desk.workflow, desk.settings, now=model or desk.model)
    return desk.talking(name), chosen


def _read_choice(store: Store, workflow: str) -> Mapping[str, object]:
    found = store.get(KIND, workflow)
    return found.body if found else {}


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
