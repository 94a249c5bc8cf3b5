"""Runs: start one with its inputs, watch it, answer it, read what it did and found."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from director.services import runs as service
from director.services.errors import NotFound
from director.services.nodes import list_inputs
from director.services.workflows import get_workflow
from director.web.page_templates import api_of, page
from director.web.route_dependencies import CurrentApp, ExistingWorkflowId, KnownRun
from director.web.views import runs

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
_MOST = 1_000


@router.get("/w/{workflow}/runs")
def listed(request: Request, workflow: ExistingWorkflowId, studio: CurrentApp) -> HTMLResponse:
    """The runs of a workflow, and a form to start one."""
    flow = get_workflow(studio.workspace, workflow)
    shown = {
        "workflow": workflow,
        "api": api_of(workflow),
        "flow": flow,
        "inputs": list_inputs(flow),
        "rows": service.list_runs(studio.workspace, workflow, limit=_MOST),
        "marks": runs.MARKS,
        "here": "runs",
    }
    return page(request, "runs.html", shown)


@router.get("/w/{workflow}/runs/{run}")
def one(
    request: Request, workflow: ExistingWorkflowId, run: KnownRun, studio: CurrentApp
) -> HTMLResponse:
    """One run with its timeline."""
    detail = service.get_run(studio.workspace, run)
    if detail.run.workflow != workflow:
        raise NotFound(f"The workflow {workflow!r} has no run {run!r}.")
    found = runs.make_view(detail, service.get_run_workflow(studio.workspace, run))
    shown = {"workflow": workflow, "api": api_of(workflow), "view": found, "marks": runs.MARKS}
    shown["here"] = "runs"
    return page(request, "run.html", shown)
