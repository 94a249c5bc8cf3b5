"""The JSON API: one small router for each noun. What it shows is read in `director.web.reading`."""

from __future__ import annotations

from fastapi import APIRouter

from director.web.api import (
    approvals,
    browser,
    chat,
    compression,
    demo,
    files,
    models,
    nodes,
    plan,
    requests,
    results,
    runs,
    secrets,
    settings,
    variables,
    workflows,
)
from director.web.errors import RESPONSES

router = APIRouter(prefix="/api", responses=RESPONSES)
for each in (
    workflows,
    chat,
    approvals,
    plan,
    nodes,
    variables,
    files,
    compression,
    requests,
    runs,
    results,
    browser,
    settings,
    models,
    secrets,
    demo,
):
    router.include_router(each.router)
