"""Branches of a conversation: a message is said otherwise, and all goes back to what it was before.

A branch is a thread of its own: the entries before the message, word for word. What has versions
goes back by a new version, so nothing is lost; approvals stay as they are now. What cannot go back
is listed before anything is done.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import cast

from director.agent.conversation.current_thread import KIND, ensure_current_thread
from director.agent.saved_workflow import NONE
from director.agent.turn_lease import TurnRunning, is_turn_running
from director.runs.run_journal import list_run_records, list_run_steps
from director.services.errors import NotFound
from director.services.outgoing import Identifier, redact_result
from director.services.workspace import Workspace
from director.store import EntryDraft, RecordDraft, Store, Versioned
from director.store.run_variables import KIND as VARIABLE
from director.store.run_variables import get_draft_run_id
from director.workflow.document import parse_stored_document
from director.workflow.values import Json

_ACTIONS = ("debug_action", "debug_navigate", "debug_open_tab")


@dataclass(frozen=True, slots=True)
class BranchPreview:
    """What goes back if a message is said otherwise, and what stays as it is; each in words."""

    seq: int
    text: str
    messages: int
    returns: tuple[str, ...]
    stays: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MessageVersions:
    """A message that was said in several ways: which one this is, and the threads beside it."""

    number: int
    count: int
    previous: Identifier
    next: Identifier


@redact_result
def preview_branch(workspace: Workspace, workflow: str, seq: int) -> BranchPreview:
    """What would become of saying a message of the current conversation otherwise."""
    store = workspace.store
    thread = ensure_current_thread(store, workflow)
    position, text = _find_message(store, thread, seq)
    later = store.entries(thread, seq)
    drafts = list(_list_restores(store, workflow, position))
    return BranchPreview(
        seq,
        text,
        sum(one.kind in ("user", "agent") for one in later) + 1,
        tuple(_describe_restores(store, workflow, drafts)),
        tuple(_describe_lasting(store, workflow, position, later)),
    )


@redact_result
def start_branch(workspace: Workspace, workflow: str, seq: int) -> Identifier:
    """Begin a conversation that goes on before a message, with all as it was then; its thread."""
    store = workspace.store
    before = ensure_current_thread(store, workflow)
    if is_turn_running(store, before):
        raise TurnRunning("A turn of this workflow is running. Nothing was changed.")
    position, _ = _find_message(store, before, seq)
    entries = store.entries(before, 0, seq - 1) if seq > 1 else []
    thread = store.open_thread(workflow=workflow)
    if entries:
        store.append(thread, [EntryDraft(one.kind, one.body) for one in entries])
    _go_on_in(store, workflow, {"thread": thread, "from": before, "at": seq}, position)
    return thread


@redact_result
def continue_conversation(workspace: Workspace, workflow: str, thread: str) -> None:
    """Go on in an earlier conversation, with all as it was when that one was left."""
    store = workspace.store
    now = ensure_current_thread(store, workflow)
    if is_turn_running(store, now):
        raise TurnRunning("A turn of this workflow is running. Nothing was changed.")
    places = store.versions(KIND, workflow)
    left = [later.position for one, later in pairwise(places) if one.body["thread"] == thread]
    if thread == now or not left:
        raise NotFound("There is no such earlier conversation. Nothing was changed.")
    known = next(one.body for one in reversed(places) if one.body["thread"] == thread)
    _go_on_in(store, workflow, dict(known), left[-1])


@redact_result
def list_message_versions(
    workspace: Workspace, workflow: str, thread: str
) -> Mapping[int, MessageVersions]:
    """The messages of a thread that were said in several ways, by their number."""
    begun = {str(one.body["thread"]): one.body for one in workspace.reads.versions(KIND, workflow)}
    places = {
        id_: (str(body["from"]), int(str(body["at"])))
        for id_, body in begun.items()
        if "at" in body
    }
    groups: dict[tuple[str, int], list[str]] = {}
    for id_, (_, place) in places.items():
        root = _find_root(places, id_, place)
        groups.setdefault(root, [root[0]]).append(id_)
    found: dict[int, MessageVersions] = {}
    for (_, at), threads in groups.items():
        own = next((one for one in threads if _shows(places, thread, one, at)), None)
        if own is None:
            continue
        nth = threads.index(own)
        previous = threads[nth - 1] if nth else ""
        following = threads[nth + 1] if nth + 1 < len(threads) else ""
        found[at] = MessageVersions(nth + 1, len(threads), previous, following)
    return found


def _find_root(places: Mapping[str, tuple[str, int]], thread: str, at: int) -> tuple[str, int]:
    """The thread in which the message at this place was first said."""
    while thread in places and places[thread][1] >= at:
        thread = places[thread][0]
    return thread, at


def _shows(places: Mapping[str, tuple[str, int]], thread: str, said_in: str, at: int) -> bool:
    """Whether a thread has the message at this place as it was said in another."""
    while thread != said_in:
        if thread not in places or places[thread][1] <= at:
            return False
        thread = places[thread][0]
    return True


def _find_message(store: Store, thread: str, seq: int) -> tuple[int, str]:
    """Where in the store's order a message of the user stands, and what it says."""
    found = store.entries(thread, seq - 1, seq)
    if not found or found[0].kind != "user":
        raise NotFound(f"There is no message {seq} of yours in this conversation.")
    return found[0].position, str(found[0].body.get("text", ""))


def _go_on_in(store: Store, workflow: str, place: Mapping[str, object], position: int) -> None:
    drafts = list(_list_restores(store, workflow, position))
    known = store.get(KIND, workflow)
    moved = RecordDraft(KIND, workflow, place, "branch", known.version if known else 0)
    store.put_all([moved, *drafts])


def _list_restores(store: Store, workflow: str, position: int) -> Iterator[RecordDraft]:
    """The versions to write so that all is again what it was before a place in the store."""
    variables = store.newest(VARIABLE, f"{get_draft_run_id(workflow)}/")
    single = [store.get(kind, workflow) for kind in ("workflow", "plan", "description", "bench")]
    for now in (*single, *variables):
        if now is None or now.position < position:
            continue
        old = next((one for one in _list_before(store, now) if one.position < position), None)
        body = _get_absent(now.kind) if old is None else dict(old.body)
        if now.kind == "workflow":
            # What it is called and what it may reach is not part of what goes back.
            body |= {name: now.body[name] for name in ("name", "origins") if name in now.body}
        if body == now.body or (old is None and now.kind == "workflow"):
            continue
        reason = f"as before message, version {old.version}" if old else "as before message"
        yield RecordDraft(now.kind, now.id, body, reason, now.version)


def _list_before(store: Store, now: Versioned) -> list[Versioned]:
    return list(reversed(store.versions(now.kind, now.id)))


def _get_absent(kind: str) -> dict[str, object]:
    """The body of a record that says that there is none."""
    absent: dict[str, dict[str, object]] = {
        VARIABLE: {"cleared": True},
        "bench": {"point": None},
    }
    return absent.get(kind, dict(NONE))


def _describe_restores(store: Store, workflow: str, drafts: Sequence[RecordDraft]) -> Iterator[str]:
    kinds = {one.kind: one for one in drafts}
    if (flow := kinds.get("workflow")) is not None:
        now = store.get("workflow", workflow)
        counts = [_count_nodes(one) for one in (now.body if now else {}, flow.body)]
        yield f"Workflow: {counts[0]} node{'' if counts[0] == 1 else 's'} now, {counts[1]} then"
    if (plan := kinds.get("plan")) is not None:
        yield "Plan: none yet" if plan.body == NONE else "Plan"
    if "description" in kinds:
        yield "Description of the workflow"
    if names := [one.id.partition("/")[2] for one in drafts if one.kind == VARIABLE]:
        yield f"Variables: {', '.join(names[:8])}{' and more' if len(names) > 8 else ''}"
    if "bench" in kinds:
        yield "Tabs of the browser, opened again where they were"


def _describe_lasting(
    store: Store, workflow: str, position: int, later: Sequence[object]
) -> Iterator[str]:
    found = store.get("workflow", workflow)
    nodes = parse_stored_document(cast("Json", found.body)).nodes if found else ()
    once = {node.id: node.alias for node in nodes if node.effect == "once"}
    runs = [one.id for one in store.newest("run") if one.body.get("workflow") == workflow]
    done: dict[str, int] = {}
    for run in runs:
        for step in list_run_steps(store, run):
            if step.position > position and step.node in once and step.status == "success":
                done[once[step.node]] = done.get(once[step.node], 0) + 1
    for alias, count in done.items():
        yield f"{alias} was done {'once' if count == 1 else f'{count} times'} on the site"
    calls = [item for entry in later for item in _list_calls(entry)]
    if count := sum(name in _ACTIONS for name in calls):
        yield f"{count} action{'' if count == 1 else 's'} of Director in the browser"
    if records := len(list_run_records(store, get_draft_run_id(workflow))):
        yield f"{records} record{'' if records == 1 else 's'}, until their nodes run again"


def _count_nodes(body: Mapping[str, object]) -> int:
    nodes = body.get("nodes")
    return len(nodes) if isinstance(nodes, list | tuple) else 0


def _list_calls(entry: object) -> Iterator[str]:
    items = getattr(entry, "body", {}).get("items")
    for item in items if isinstance(items, list | tuple) else ():
        name = item.get("name") if isinstance(item, Mapping) else None
        if isinstance(name, str):
            yield name
