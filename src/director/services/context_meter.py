"""How large the next request would be, by part, against the marks; made as a turn would make it.

No model is asked and none is opened: sizes come from the counter, windows from what is known.
"""

from __future__ import annotations

from dataclasses import dataclass

from director.agent.compression.thresholds import Marks, compute_thresholds
from director.agent.conversation.current_thread import ensure_current_thread
from director.agent.model_choice import get_chosen_model, get_chosen_profile, is_background
from director.agent.model_windows import get_capabilities
from director.agent.request_assembly import assemble_request
from director.agent.request_log.context_records import RequestPart, list_request_parts
from director.agent.tools import REGISTRY
from director.context.values import Context, UserTurn
from director.counting import counter_for
from director.models import NoKey, UnknownModel
from director.models.names import parse_model_name
from director.profiles import Profile
from director.services.outgoing import redact_result
from director.services.workflow_reader import WorkflowReader
from director.services.workspace import Workspace
from director.settings import Settings
from director.store import Store
from director.workflow.values import Tab


@dataclass(frozen=True, slots=True)
class Meter:
    """The size now, its parts, and the sizes at which something happens."""

    size: int
    warn: int
    limit: int
    fill: str
    parts: tuple[RequestPart, ...]
    model: str
    profile: str
    counter: str
    error: float
    window: int


@redact_result
def read_meter(
    workspace: Workspace, workflow: str, *, reader: WorkflowReader, tabs: tuple[Tab, ...] = ()
) -> Meter:
    """The next request of a workflow as it would be now."""
    store, settings = workspace.reads, workspace.settings()
    profile = get_chosen_profile(store, workflow, settings)
    name = _name_model(store, workflow, settings)
    marks, window = find_marks(store, settings, name)
    counter = counter_for(name or None)
    said = reader.conversation(ensure_current_thread(store, workflow)).context
    sent = _request(profile, reader, tabs, said)
    tools = [REGISTRY[tool].tool for tool in profile.tools if tool in REGISTRY]
    parts = list_request_parts(sent, tools, counter, count=reader.sizes.by_kind)
    size = sum(part.tokens for part in parts)
    return Meter(
        size,
        marks.warn,
        marks.at,
        marks.fill(size),
        parts,
        name,
        profile.name,
        counter.name,
        counter.error,
        window,
    )


@redact_result
def get_model_name(workspace: Workspace, workflow: str) -> str:
    """The model that a workflow is built with; empty if none is chosen."""
    return _name_model(workspace.reads, workflow, workspace.settings())


def _name_model(store: Store, workflow: str, settings: Settings) -> str:
    try:
        return get_chosen_model(store, workflow, settings)
    except NoKey:
        return ""


@redact_result
def get_background(workspace: Workspace, workflow: str) -> bool | None:
    """Whether the next message is answered in the background; None if its model cannot."""
    store, settings = workspace.reads, workspace.settings()
    name = _name_model(store, workflow, settings)
    try:
        can = get_capabilities(store, settings, name)
    except UnknownModel:
        return None
    return is_background(settings, name) if can.background else None


def find_marks(store: Store, settings: Settings, model: str) -> tuple[Marks, int]:
    """The marks for a model, and its window; the settings' own if it is not known."""
    try:
        named = parse_model_name(model)
    except UnknownModel:
        at, to = settings.compress_at.value, settings.compress_to.value
        return Marks(settings.warn_at.value, at, to), 0
    can = get_capabilities(store, settings, model)
    return compute_thresholds(settings, can, provider=named.provider, model=named.model), can.window


def _request(
    profile: Profile, reader: WorkflowReader, tabs: tuple[Tab, ...], said: Context
) -> Context:
    context, around = assemble_request(profile, reader.state(tabs, said), said)
    first = (UserTurn(0, around.first_message, pinned=True),) if around.first_message else ()
    last = (UserTurn(0, around.last_message, pinned=True),) if around.last_message else ()
    return Context(context.sections, (*first, *context.turns, *last), context.summary)
