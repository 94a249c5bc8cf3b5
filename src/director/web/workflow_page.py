"""The page to work in, whole and by part: what a window shows of a workflow and its chat."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from inspect import iscoroutinefunction
from typing import Annotated, Any, TypeAlias

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, Field

from director.agent import ensure_current_thread, is_turn_running
from director.agent.model_choice import get_chosen_profile
from director.counting import counter_for
from director.runs.download_facts import list_downloads
from director.runs.run_journal import list_run_records, list_run_steps
from director.services import context_meter as size
from director.services import run_exports
from director.services.approvals import list_effects, list_origins, list_secret_requests
from director.services.branches import list_message_versions
from director.services.compression import list_compression_attempts_made
from director.services.conversation_search import search_conversation
from director.services.conversations import read_conversation_turn
from director.services.errors import NotFound
from director.services.nodes import list_node_inputs, list_nodes
from director.services.plans import get_description, get_plan
from director.services.provider_keys import list_provider_models
from director.services.requests import list_requests
from director.services.runs import list_open_run_questions_now, list_runs
from director.services.variables import list_variable_lines
from director.services.workflows import get_workflow
from director.settings import PROFILES
from director.store.run_variables import get_draft_run_id
from director.web.app_state import AppState
from director.web.page_answers import answer_page
from director.web.page_templates import get_page_api
from director.web.route_dependencies import CurrentApp, ExistingWorkflowId, WorkflowId, thread_of
from director.web.views import chat, compression, meter, nodes, plan
from director.web.views.node_drawer import node_drawer
from director.web.views.outline import make_outline
from director.web.views.record_tables import record_tables
from director.web.views.variables_and_tabs import tabs_view
from director.workflow.description import PARTS, Description

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
Shown: TypeAlias = dict[str, Any]


@router.get("/w/{workflow}")
async def show_workflow_page(
    request: Request, workflow: WorkflowId, studio: CurrentApp
) -> HTMLResponse:
    """The one page to work in. The meter is loaded behind it: it reads the whole conversation."""
    return await answer_page(request, studio, (workflow,), lambda: _work(studio, workflow))


async def _work(studio: AppState, workflow: str) -> tuple[str, Shown]:
    # The first look at a workflow begins its conversation: once, not with each part.
    await asyncio.to_thread(ensure_current_thread, studio.cached, workflow)
    parts = (_chat, _composer, _plan, _nodes, _variables)
    reading = (asyncio.to_thread(one, studio, workflow, PartQuery()) for one in parts)
    found = await asyncio.gather(*reading)
    tabs = await _browser(studio, workflow)
    shown: Shown = {**_common(workflow), **tabs}
    for each in found:
        shown |= each
    return "work.html", shown


class PartQuery(BaseModel):
    """Which of a part: a version of the plan, a chunk of a conversation, words, how many nodes."""

    thread: Annotated[str, Field(max_length=200)] = ""
    version: Annotated[int, Field(ge=1, le=2**31)] | None = None
    chunk: Annotated[int, Field(ge=0, le=2**31)] | None = None
    words: Annotated[str, Field(max_length=500)] = ""
    rows: Annotated[int, Field(ge=1, le=2**31)] = nodes.ROWS
    node: Annotated[str, Field(max_length=200)] = ""


@router.get("/w/{workflow}/part/{part}")
async def show_workflow_part(
    request: Request,
    workflow: WorkflowId,
    part: str,
    studio: CurrentApp,
    asked: Annotated[PartQuery, Query()],
) -> HTMLResponse:
    """One panel, or what a dialog shows."""
    key = (workflow, part, *asked.model_dump().values())
    return await answer_page(request, studio, key, lambda: _part(studio, workflow, part, asked))


async def _part(studio: AppState, workflow: str, part: str, asked: PartQuery) -> tuple[str, Shown]:
    if part not in _PARTS:
        raise NotFound(f"There is no part {part!r} of this page.")
    template, read = _PARTS[part]
    if part == "chat" and asked.chunk is not None:
        template, read = "chunk", _chunk
    if iscoroutinefunction(read):
        shown = await read(studio, workflow)
    else:
        shown = await asyncio.to_thread(read, studio, workflow, asked)
    return f"parts/{template}.html", {**_common(workflow), **shown}


@router.get("/w/{workflow}/kept/{hash_}")
def show_workflow_picture(workflow: ExistingWorkflowId, hash_: str, studio: CurrentApp) -> Response:
    """A picture that a step of this workflow left."""
    content = run_exports.get_workflow_picture(studio.workspace, workflow, hash_)
    kind = "image/png" if content.startswith(b"\x89PNG") else "image/jpeg"
    return Response(content, media_type=kind, headers={"cache-control": "private, max-age=86400"})


def _common(workflow: str) -> Shown:
    return {
        "workflow": workflow,
        "api": get_page_api(workflow),
        "marks": plan.MARKS,
        "here": "work",
    }


def _chat(studio: AppState, workflow: str, _: PartQuery) -> Shown:
    store = studio.cached
    thread = ensure_current_thread(store, workflow)
    found = chat.make_chat_view(studio.workspace, thread)
    asked = [one for one in list_origins(studio.workspace, workflow) if one.state == "asked"]
    return {
        "chat": found,
        "chunk": found.newest,
        "said_ways": list_message_versions(studio.workspace, workflow, thread),
        "approvals": asked,
        "effects": [
            one for one in list_effects(studio.workspace, workflow) if one.state == "asked"
        ],
        "questions": list_open_run_questions_now(studio.workspace, workflow),
        "secrets": [
            one for one in list_secret_requests(studio.workspace, workflow) if one.state == "asked"
        ],
        "failure": found.now.text if found.now.state == "failed" else "",
    }


def _chunk(studio: AppState, workflow: str, asked: PartQuery) -> Shown:
    thread = thread_of(studio, workflow, asked.thread)
    older = "" if thread == ensure_current_thread(studio.cached, workflow) else thread
    ways = list_message_versions(studio.workspace, workflow, thread)
    found = chat.make_chat_chunk(studio.workspace, thread, asked.chunk or 0)
    return {"chunk": found, "older": older, "said_ways": ways}


def _hits(studio: AppState, workflow: str, asked: PartQuery) -> Shown:
    thread = thread_of(studio, workflow, asked.thread)
    return {
        "hits": search_conversation(studio.workspace, thread, asked.words),
        "words": asked.words,
    }


def _composer(studio: AppState, workflow: str, _: PartQuery) -> Shown:
    store, settings = studio.cached, studio.settings
    thread = ensure_current_thread(store, workflow)
    busy = _is_busy(studio, workflow)
    return {
        "busy": busy,
        "rehearsal": studio.rehearsals.next(workflow, store),
        "waits": _waits(studio, workflow),
        "asked": read_conversation_turn(studio.workspace, thread).asked,
        "can_retry": bool(store.head(thread)) and not busy,
        "meter_model": size.get_model_name(studio.workspace, workflow),
        "models": tuple(one.name for one in list_provider_models(studio.workspace)),
        "profile": get_chosen_profile(store, workflow, settings).name,
        "profiles": PROFILES,
        "background": size.get_background(studio.workspace, workflow),
    }


def _waits(studio: AppState, workflow: str) -> bool:
    """Whether a person is asked for an origin, an effect or a secret."""
    asked = (list_origins, list_effects, list_secret_requests)
    return any(one.state == "asked" for of in asked for one in of(studio.workspace, workflow))


def _is_busy(studio: AppState, workflow: str) -> bool:
    """Whether a turn is taken, as far as a page shows it: by what was read with the rest of it."""
    store = studio.cached
    return studio.turns.is_on(workflow) or is_turn_running(
        store, ensure_current_thread(store, workflow)
    )


def _offered(studio: AppState, workflow: str, *, units: bool) -> Shown:
    if _is_busy(studio, workflow):
        return {"offer": None, "busy": True}
    counter = counter_for(size.get_model_name(studio.workspace, workflow) or None)
    reader = studio.reader(workflow)
    now = reader.conversation(ensure_current_thread(studio.cached, workflow))
    found = compression.make_compression_offer(
        now, counter, units=units, size=reader.sizes.turn_size
    )
    return {"offer": found, "busy": False}


def _run(studio: AppState, workflow: str, _: PartQuery) -> Shown:
    flow = get_workflow(studio.workspace, workflow)
    return {"flow": flow, "inputs": list_node_inputs(flow)}


def _history(studio: AppState, workflow: str, _: PartQuery) -> Shown:
    return {
        "attempts": list_compression_attempts_made(
            studio.workspace, ensure_current_thread(studio.cached, workflow)
        )
    }


def _plan(studio: AppState, workflow: str, asked: PartQuery) -> Shown:
    told = get_description(studio.workspace, workflow)
    nodes_now = get_workflow(studio.workspace, workflow).nodes
    return {
        "plan": plan.plan_view(get_plan(studio.workspace, workflow, version=asked.version)),
        "aliases": {node.id: node.alias for node in nodes_now},
        "description": _described(told) if told else {},
    }


def _described(told: Description) -> dict[str, Any]:
    """The parts of a description that say something, by their names as people read them."""
    found = {name.replace("_", " "): getattr(told, name) for name in PARTS}
    return {name: value for name, value in found.items() if value}


def _nodes(studio: AppState, workflow: str, asked: PartQuery) -> Shown:
    statuses = studio.reader(workflow).state().statuses
    flow = list_nodes(studio.workspace, workflow, statuses=statuses, most=asked.rows)
    found = nodes.workflow_view(flow, statuses)
    shown = {"view": found, "outline": make_outline(found.nodes), "called": found.flow.name}
    return {**shown, "rows": asked.rows, "first_rows": nodes.ROWS}


def _drawer(studio: AppState, workflow: str, asked: PartQuery) -> Shown:
    statuses = studio.reader(workflow).state().statuses
    flow = nodes.workflow_view(list_nodes(studio.workspace, workflow, statuses=statuses), statuses)
    found = node_drawer(studio.cached, flow, asked.node)
    if found is None:
        raise NotFound(f"This workflow has no node {asked.node!r} by now.")
    return {"drawer": studio.workspace.redact(found)}


def _variables(studio: AppState, workflow: str, _: PartQuery) -> Shown:
    run = get_draft_run_id(workflow)
    tested = studio.cached.get("run", run)
    return {
        "tested_at": tested.at if tested else None,
        "last_run": next(iter(list_runs(studio.workspace, workflow, limit=1)), None),
        "variables": list_variable_lines(studio.workspace, workflow),
        "tables": studio.workspace.redact(record_tables(list_run_records(studio.cached, run))),
        "run": run,
        "downloads": studio.workspace.redact(list_downloads(list_run_steps(studio.cached, run))),
        "files": studio.supplies.files(workflow).list(),
    }


async def _browser(studio: AppState, workflow: str) -> Shown:
    listed = await asyncio.to_thread(list_origins, studio.workspace, workflow)
    shown = await asyncio.to_thread(list_effects, studio.workspace, workflow)
    return {
        "tabs": tabs_view(await studio.tabs(workflow)),
        "sites": [one for one in listed if one.state != "asked"],
        "done_effects": [one for one in shown if one.state != "asked"],
    }


async def _meter(studio: AppState, workflow: str) -> Shown:
    found = await studio.meter(workflow)
    thread = ensure_current_thread(studio.cached, workflow)
    made = await asyncio.to_thread(list_requests, studio.workspace, thread)
    return {"meter": meter.make_meter_view(found, made)}


async def _metering(studio: AppState, workflow: str) -> Shown:
    # The meter counts every turn, and the offer adds up what it counted.
    shown = await _meter(studio, workflow)
    return shown | await asyncio.to_thread(_offered, studio, workflow, units=False)


async def _compress(studio: AppState, workflow: str) -> Shown:
    shown = await _meter(studio, workflow)
    return shown | await asyncio.to_thread(_offered, studio, workflow, units=True)


# Each part by its name: its template, and what reads it.
_PARTS: Mapping[str, tuple[str, Callable[..., Any]]] = {
    "chat": ("newest", _chat),
    "composer": ("composer", _composer),
    "plan": ("plan", _plan),
    "nodes": ("nodes", _nodes),
    "variables": ("variables", _variables),
    "drawer": ("drawer", _drawer),
    "browser": ("browser", _browser),
    "meter": ("metering", _metering),
    "compress": ("compress", _compress),
    "history": ("history", _history),
    "run": ("run", _run),
    "hits": ("hits", _hits),
}
