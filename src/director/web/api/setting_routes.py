"""Settings: each with its value, what it means and who says so; changed in the settings file."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import APIRouter

from director.services import settings
from director.services.settings import All
from director.web.request_bodies import Body
from director.web.route_dependencies import CurrentApp

router = APIRouter(prefix="/settings", tags=["settings"])


class SettingChanges(Body):
    """New values; null takes a setting out of the file."""

    profile: str | None = None
    model: str | None = None
    model_servers: str | None = None
    model_windows: str | None = None
    background_models: str | None = None
    budget: float | int | None = None
    warn_at: int | None = None
    compress_at: int | None = None
    compress_to: int | None = None
    confirm_effects: str | None = None


@router.get("")
def list_all_settings(studio: CurrentApp) -> All:
    """The settings as they are now."""
    return settings.list_settings(studio.workspace)


@router.patch("")
def change_settings(body: SettingChanges, studio: CurrentApp) -> All:
    """Write settings into the file; what the environment says stays stronger."""
    given: Mapping[str, object] = body.model_dump(include=body.model_fields_set)
    return settings.change_settings(studio.workspace, given)
