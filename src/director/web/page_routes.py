"""The pages: HTML made on the server from what is read of the store. Nothing is changed here."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from director.services.provider_keys import find_keys, list_keys
from director.services.secrets import list_secrets
from director.services.workflows import list_workflow_reach, list_workflows
from director.web import conversations_page, requests_page, runs_page, workflow_page
from director.web.app_state import AppState
from director.web.page_answers import answer_page
from director.web.page_templates import answer_page_template
from director.web.route_dependencies import CurrentApp
from director.web.views import settings as view
from director.web.views.last_runs import last_runs
from director.web.views.runs import MARKS as RUN_MARKS
from director.web.views.secret_users import secret_users
from director.web.views.workflow_pages import page_rows

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
for each in (workflow_page, conversations_page, requests_page, runs_page):
    router.routes.extend(each.router.routes)


@router.get("/")
async def show_workflows_page(
    request: Request,
    studio: CurrentApp,
    page_number: Annotated[int, Query(alias="page", ge=1, le=2**31)] = 1,
    words: Annotated[str, Query(max_length=500)] = "",
) -> HTMLResponse:
    """The workflows there are, a page at a time; on a first visit, what to do first."""

    async def make() -> tuple[str, dict[str, object]]:
        return "home.html", await asyncio.to_thread(_list, studio, page_number, words)

    return await answer_page(request, studio, ("", page_number, words), make)


def _list(studio: AppState, page_number: int, words: str) -> dict[str, object]:
    rows = list_workflows(studio.workspace)
    return {
        "rows": rows,
        "shown": page_rows(rows, page_number, words),
        "words": words,
        "deleted": list_workflows(studio.workspace, deleted=True),
        "model": studio.settings.model.value,
        "keys": find_keys(studio.supplies.vault),
        "runs": last_runs(studio.cached),
        "marks": RUN_MARKS,
        "here": "home",
    }


@router.get("/settings")
def show_settings_page(request: Request, studio: CurrentApp) -> HTMLResponse:
    """The settings, the models, the origins, the secrets by their names."""
    shown = {
        "fields": view.list_setting_fields(studio.settings),
        "groups": view.GROUPS,
        "profiles": view.list_setting_profiles(),
        "keys": {one.variable: one.place for one in list_keys(studio.workspace)},
        "secrets": [
            (one.name, ", ".join(one.origins), one.warning)
            for one in list_secrets(studio.workspace)
            if not one.name.startswith("model.")
        ],
        "rows": list_workflows(studio.workspace),
        "origins": list_workflow_reach(studio.workspace),
        "users": secret_users(studio.cached),
        "here": "settings",
    }
    return answer_page_template(request, "settings.html", shown)


@router.get("/help")
def show_help_page(request: Request) -> HTMLResponse:
    """What is what, and which keys do what."""
    return answer_page_template(request, "help.html", {"here": "help"})
