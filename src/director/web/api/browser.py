"""The live browser of a workflow: its tabs, and a picture of the active one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Header
from fastapi.responses import Response

from director.services.errors import NotFound
from director.web.route_dependencies import CurrentApp, ExistingWorkflowId
from director.workflow.values import Tab

router = APIRouter(prefix="/workflows/{workflow}/browser", tags=["browser"])


@dataclass(frozen=True, slots=True)
class Live:
    """Whether a browser is open here, and its tabs."""

    open: bool
    tabs: tuple[Tab, ...]


@router.get("")
async def list_browser_tabs(workflow: ExistingWorkflowId, studio: CurrentApp) -> Live:
    """The tabs that are open; none is opened by asking."""
    found = await studio.tabs(workflow)
    return Live(bool(found), found)


@router.get(
    "/picture",
    response_class=Response,
    responses={200: {"content": {"image/png": {}}}, 304: {"description": "It is the same."}},
)
async def get_browser_picture(
    workflow: ExistingWorkflowId,
    studio: CurrentApp,
    if_none_match: Annotated[str, Header(max_length=200)] = "",
) -> Response:
    """The active tab as it looks now, with secret fields covered; a few times a second at most."""
    found = await studio.pictures.of(workflow)
    if found is None:
        raise NotFound("No browser is open for this workflow.")
    headers = {"etag": found.tag, "cache-control": "private, no-cache"}
    if if_none_match == found.tag:
        return Response(status_code=304, headers=headers)
    return Response(found.content, media_type="image/png", headers=headers)


@router.delete("", status_code=204)
async def close_browser(workflow: ExistingWorkflowId, studio: CurrentApp) -> None:
    """Close the browser of a workflow; it is opened again where it was, when it is needed."""
    await studio.close_browser(workflow)
