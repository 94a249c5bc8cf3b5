"""Approvals: the origins that a workflow asks for, and the user's yes or no to each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fastapi import APIRouter

from director.agent import approvals, approve, refuse
from director.web.bodies import Body, Name
from director.web.wants import Here, Known

router = APIRouter(prefix="/workflows/{workflow}/approvals", tags=["approvals"])


class Answer(Body):
    """The user's word on one origin."""

    origin: Name
    answer: Literal["approved", "refused"]


@dataclass(frozen=True, slots=True)
class Asked:
    """An origin, what became of it, and who asked for it and why."""

    origin: str
    state: str
    tool: str
    why: str


@router.get("")
def all_of_them(workflow: Known, studio: Here) -> list[Asked]:
    """Every origin that was asked for, approved or refused."""
    found = approvals(studio.store, workflow)
    return [Asked(one.origin, one.state, one.tool, one.why) for one in found]


@router.post("")
def answer(workflow: Known, body: Answer, studio: Here) -> list[Asked]:
    """Let a workflow reach an origin, or say no."""
    if body.answer == "approved":
        approve(studio.store, workflow, body.origin)
    else:
        refuse(studio.store, workflow, body.origin)
    return all_of_them(workflow, studio)
