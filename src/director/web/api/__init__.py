"""The JSON API: one small router for each noun. What it answers comes from services."""

from __future__ import annotations

from fastapi import APIRouter

from director.web.api import (
    approval_routes,
    branches,
    browser,
    chat,
    compression,
    demo,
    files,
    models,
    node_routes,
    plan_routes,
    requests,
    result_routes,
    run_routes,
    secret_routes,
    setting_routes,
    variable_routes,
    workflow_routes,
)
from director.web.errors import RESPONSES

router = APIRouter(prefix="/api", responses=RESPONSES)
for each in (
    workflow_routes,
    chat,
    branches,
    approval_routes,
    plan_routes,
    node_routes,
    variable_routes,
    files,
    compression,
    requests,
    run_routes,
    result_routes,
    browser,
    setting_routes,
    models,
    secret_routes,
    demo,
):
    router.include_router(each.router)
