"""Gather: the state of a workflow as it is now, and its conversation with what each word is worth.

Read afresh for every request; nothing of it is ever written into the thread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from director.agent.agent_session import AgentSession
from director.agent.saved_workflow import SavedState, find_saved_last_run
from director.context.values import Context, Summary, Trust, Turn, UserTurn
from director.runs.download_facts import list_downloads
from director.runs.run_journal import list_run_records, list_run_steps
from director.sections.boundary import guard_boundary
from director.sections.workflow_state import WorkflowState
from director.store import Store
from director.store.run_variables import get_draft_run_id, read_run_variables
from director.workflow.values import Json, Tab


async def gather_turn_context(desk: AgentSession, context: Context | None = None) -> WorkflowState:
    """The plan, the description, the workflow with statuses, the variables and the tabs."""
    return read_turn_state(
        desk.store,
        desk.saved,
        desk.workflow,
        tabs=await desk.bench.tabs(),
        files=desk.means.files() if desk.means.files else (),
        summary=context.summary if context else None,
    )


def read_turn_state(  # noqa: PLR0913  each has a name
    store: Store,
    saved: SavedState,
    workflow: str,
    *,
    tabs: tuple[Tab, ...] = (),
    files: Sequence[object] = (),
    summary: Summary | None = None,
) -> WorkflowState:
    """A workflow as it is in the store now, with what is open and given beside it."""
    ran = saved.ran()
    bench = get_draft_run_id(workflow)
    found = read_run_variables(store, bench)
    return WorkflowState(
        saved.workflow(),
        plan=saved.plan(),
        description=saved.description(),
        statuses={node: each.status for node, each in ran.items()},
        variables=cast("Mapping[str, Json]", found),
        tabs=tabs,
        summary=summary,
        last_executed=find_saved_last_run(ran),
        records=tuple(list_run_records(store, bench)),
        downloads=tuple(list_downloads(list_run_steps(store, bench))),
        files=tuple(map(str, files)),
    )


def read_turn_conversation(desk: AgentSession, trusts: Mapping[str, Trust]) -> Context:
    """The thread as the model sees it; each result as trusted as what its tool brings."""
    context = desk.log.read(desk.thread).context
    hidden = desk.leak_references()
    turns = desk.marked.of(context.turns, lambda turn: hidden.replace_in(_mark_trust(turn, trusts)))
    summary = hidden.replace_in(context.summary)
    return replace(context, turns=tuple(turns), summary=summary)


def _mark_trust(turn: Turn, trusts: Mapping[str, Trust]) -> Turn:
    if isinstance(turn, UserTurn):
        # What the user pasted may look like a section; whether it is one, only we say.
        return turn if turn.native else replace(turn, text=guard_boundary(turn.text))
    calls = tuple(replace(call, trust=trusts.get(call.tool, "web")) for call in turn.calls)
    return replace(turn, calls=calls)
