"""The pages: HTML made on the server from what is read of the store. Nothing is changed here."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from fastapi.templating import Jinja2Templates

from director.web.reading.workflows import listed
from director.web.wants import Here

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
templates = Jinja2Templates(Path(__file__).parent / "templates")


@router.get("/")
def workflows(request: Request, studio: Here) -> HTMLResponse:
    """The workflows there are."""
    return templates.TemplateResponse(request, "workflows.html", {"rows": listed(studio.store)})
