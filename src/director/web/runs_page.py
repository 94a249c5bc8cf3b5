"""Runs: start one with its inputs, watch it, answer it, read what it did and found."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from director.services import runs as service
from director.services.errors import NotFound
from director.services.nodes import list_node_inputs
from director.services.workflows import get_workflow
from director.web.page_templates import answer_page_template, get_page_api
from director.web.route_dependencies import CurrentApp, ExistingWorkflowId, KnownRun
from director.web.views import runs

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
_MOST = 1_000


@router.get("/w/{workflow}/runs")
def show_runs_page(
    request: Request, workflow: ExistingWorkflowId, studio: CurrentApp
) -> HTMLResponse:
    """The runs of a workflow, and a form to start one."""
    flow = get_workflow(studio.workspace, workflow)
    shown = {
        "workflow": workflow,
        "api": get_page_api(workflow),
        "flow": flow,
        "inputs": list_node_inputs(flow),
        "rows": service.list_runs(studio.workspace, workflow, limit=_MOST),
        "marks": runs.MARKS,
        "here": "runs",
    }
    return answer_page_template(request, "runs.html", shown)


@router.get("/w/{workflow}/runs/{run}")
def show_run_page(
    request: Request, workflow: ExistingWorkflowId, run: KnownRun, studio: CurrentApp
) -> HTMLResponse:
    """One run with its timeline."""
    detail = service.get_run(studio.workspace, run)
    if detail.run.workflow != workflow:
        raise NotFound(f"The workflow {workflow!r} has no run {run!r}.")
    found = runs.make_run_view(detail, service.get_run_workflow(studio.workspace, run))
    shown = {
        "workflow": workflow,
        "api": get_page_api(workflow),
        "view": found,
        "marks": runs.MARKS,
    }
    shown["here"] = "runs"
    return answer_page_template(request, "run.html", shown)
