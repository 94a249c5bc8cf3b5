"""Approvals: origins, effects and secrets that a workflow asks for, and the user's word on each.

Only a person's program calls what answers; a refusal stands until the user lifts it.
"""

from __future__ import annotations

from typing import Literal

from director.agent import approve_origin, list_origin_approvals, refuse_origin
from director.agent.permissions.effect_approval import (
    Answer,
    Effect,
    answer_effect,
    list_requested_effects,
)
from director.agent.permissions.origin_requests import Approval
from director.agent.permissions.secret_leaks import SecretLeak
from director.agent.permissions.secret_requests import (
    SecretRequest,
    find_secret_request,
    give_requested_secret,
    read_secret_requests,
    refuse_requested_secret,
)
from director.agent.workflow_imports import list_imported_origins_to_answer
from director.services.outgoing import redact_result
from director.services.workspace import Workspace
from director.workflow.values import WorkflowError


@redact_result
def list_origins(workspace: Workspace, workflow: str) -> list[Approval]:
    """Every origin that was asked for, approved or refused."""
    return list_origin_approvals(workspace.reads, workflow)


@redact_result
def list_imported_origins(workspace: Workspace, workflow: str) -> list[str]:
    """The origins that an imported workflow names and that nobody has answered yet."""
    return list_imported_origins_to_answer(workspace.store, workflow)


@redact_result
def answer_origin(
    workspace: Workspace,
    workflow: str,
    origin: str,
    *,
    answer: Literal["approved", "refused"],
    why: str = "by the user",
) -> list[Approval]:
    """Let a workflow reach an origin from now on, or no more; `why` stands beside a yes."""
    if answer == "approved":
        approve_origin(workspace.store, workflow, origin, why=why)
    else:
        refuse_origin(workspace.store, workflow, origin)
    return list_origin_approvals(workspace.store, workflow)


@redact_result
def list_effects(workspace: Workspace, workflow: str) -> list[Effect]:
    """Everything that happens once and was asked for, approved or refused."""
    return list_requested_effects(workspace.reads, workflow)


@redact_result
def answer_requested_effect(
    workspace: Workspace, workflow: str, key: str, *, answer: Answer
) -> list[Effect]:
    """Let something happen that cannot be undone, or say no; "all" is everything on its sites."""
    answer_effect(workspace.store, workflow, key, answer)
    return list_requested_effects(workspace.store, workflow)


@redact_result
def list_secret_requests(workspace: Workspace, workflow: str) -> list[SecretRequest]:
    """Every secret that was asked for, entered or refused; never a value."""
    return read_secret_requests(workspace.reads, workflow)


@redact_result
def get_secret_request(workspace: Workspace, workflow: str, key: str) -> SecretRequest:
    """The request for a secret of a key."""
    return find_secret_request(workspace.reads, workflow, key)


@redact_result
def enter_secret(workspace: Workspace, workflow: str, key: str, *, value: str) -> SecretLeak | None:
    """Put a secret that was asked for into the vault, for the origin that was shown."""
    if not value:
        raise WorkflowError("Nothing was entered. Nothing was changed.")
    return give_requested_secret(workspace.store, workflow, key, value, workspace.resources.vault)


@redact_result
def decline_secret(workspace: Workspace, workflow: str, key: str) -> None:
    """Do not enter a secret that was asked for: no model asks for it again."""
    refuse_requested_secret(workspace.store, workflow, key)
