"""Which profile and which model: said for one message, for a workflow, or for the deployment.

A workflow's choice is a record of its own, so it can be changed in the middle of a conversation,
and every earlier choice stays readable.
"""

from __future__ import annotations

from director.models import NoKey
from director.profiles import Profile, load_profile
from director.settings import Settings
from director.store import Store

KIND = "choice"


def choose(store: Store, workflow: str, *, profile: str = "", model: str = "") -> None:
    """Choose a profile or a model for a workflow; what is not named stays as it is."""
    if profile:
        load_profile(profile)
    before = store.get(KIND, workflow)
    chosen = dict(before.body) if before else {}
    chosen |= {name: value for name, value in (("profile", profile), ("model", model)) if value}
    store.put(KIND, workflow, chosen, "chosen", expect=before.version if before else 0)


def chosen_profile(
    store: Store, workflow: str, settings: Settings, *, now: str | Profile = ""
) -> Profile:
    """The profile for a message: given with it, or the workflow's, or the deployment's."""
    if isinstance(now, Profile):
        return now
    return load_profile(now or _chosen(store, workflow, "profile") or settings.profile.value)


def chosen_model(store: Store, workflow: str, settings: Settings, *, now: str = "") -> str:
    """The model for a message, by the same order."""
    found = now or _chosen(store, workflow, "model") or settings.model.value
    if not found:
        raise NoKey(
            "No model is chosen. Name one with the message, for the workflow, or as the setting "
            "'model' (DIRECTOR_MODEL)."
        )
    return found


def _chosen(store: Store, workflow: str, name: str) -> str:
    found = store.get(KIND, workflow)
    return str(found.body.get(name) or "") if found else ""
