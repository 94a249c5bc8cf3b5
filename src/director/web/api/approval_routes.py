"""Approvals: the origins and effects that a workflow asks for, and the user's word on each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import Field

from director.agent import Approval
from director.agent.permissions.effect_approval import Effect
from director.agent.permissions.secret_requests import SecretRequest
from director.services import approvals
from director.web.request_bodies import Body, Name
from director.web.route_dependencies import CurrentApp, ExistingWorkflowId

router = APIRouter(prefix="/workflows/{workflow}/approvals", tags=["approvals"])


class ApprovalAnswer(Body):
    """The user's word on one origin."""

    origin: Name
    answer: Literal["approved", "refused"]


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """An origin, what became of it, who asked for it and why, where the address came from."""

    origin: str
    state: str
    tool: str
    why: str
    hint: str = ""


class EffectAnswer(Body):
    """The user's word on one effect; "all" lets every effect happen on its sites."""

    key: Name
    answer: Literal["approved", "refused", "all"]


@dataclass(frozen=True, slots=True)
class EffectAsked:
    """Something that happens once: what it does, on which sites, and what became of it."""

    key: str
    name: str
    does: str
    origins: tuple[str, ...]
    state: str


class SecretAnswer(Body):
    """A secret that was asked for; without a value it is refused."""

    key: Name
    value: Annotated[str, Field(max_length=10_000)] = ""
    answer: Literal["given", "refused"]


@dataclass(frozen=True, slots=True)
class SecretAsked:
    """A secret that a model asked for: where it would be used, why, and who wrote the reason."""

    key: str
    name: str
    origin: str
    reason: str
    warning: str
    state: str


@router.get("")
def list_origin_approvals(
    workflow: ExistingWorkflowId, studio: CurrentApp
) -> list[ApprovalRequest]:
    """Every origin that was asked for, approved or refused."""
    return _list_origins(approvals.list_origins(studio.workspace, workflow))


@router.post("")
def answer_origin_approval(
    workflow: ExistingWorkflowId, body: ApprovalAnswer, studio: CurrentApp
) -> list[ApprovalRequest]:
    """Let a workflow reach an origin, or say no."""
    return _list_origins(
        approvals.answer_origin(studio.workspace, workflow, body.origin, answer=body.answer)
    )


@router.get("/effects")
def list_effect_approvals(workflow: ExistingWorkflowId, studio: CurrentApp) -> list[EffectAsked]:
    """Everything that happens once and was asked for, approved or refused."""
    return _list_effects(approvals.list_effects(studio.workspace, workflow))


@router.post("/effects")
def answer_effect_approval(
    workflow: ExistingWorkflowId, body: EffectAnswer, studio: CurrentApp
) -> list[EffectAsked]:
    """Let something happen that cannot be undone, or say no."""
    return _list_effects(
        approvals.answer_requested_effect(studio.workspace, workflow, body.key, answer=body.answer)
    )


@router.get("/secrets")
def list_secret_approvals(workflow: ExistingWorkflowId, studio: CurrentApp) -> list[SecretAsked]:
    """Every secret that was asked for, entered or refused; never a value."""
    return _list_secrets(approvals.list_secret_requests(studio.workspace, workflow))


@router.post("/secrets")
def answer_secret_approval(
    workflow: ExistingWorkflowId, body: SecretAnswer, studio: CurrentApp
) -> list[SecretAsked]:
    """Put a secret that was asked for into the vault, for the origin that was shown, or refuse."""
    if body.answer == "given":
        approvals.enter_secret(studio.workspace, workflow, body.key, value=body.value)
    else:
        approvals.decline_secret(studio.workspace, workflow, body.key)
    return _list_secrets(approvals.list_secret_requests(studio.workspace.fresh, workflow))


def _list_origins(found: list[Approval]) -> list[ApprovalRequest]:
    return [ApprovalRequest(one.origin, one.state, one.tool, one.why, one.hint) for one in found]


def _list_effects(found: list[Effect]) -> list[EffectAsked]:
    return [EffectAsked(one.key, one.name, one.does, one.origins, one.state) for one in found]


def _list_secrets(found: list[SecretRequest]) -> list[SecretAsked]:
    return [
        SecretAsked(one.key, one.name, one.origin, one.reason, one.warning, one.state)
        for one in found
    ]
