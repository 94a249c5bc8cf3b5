"""Approvals that a call waits for: the user is asked while the call is pending.

The program that has a user hands in how to ask. Its answer is what it writes into the store or the
vault; nothing that is returned here approves anything, and every call is judged again afterwards.
Without such a program, or without an answer in time, the turn ends and says what it waits for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from director.agent.permissions.effect_approval import list_requested_effects
from director.agent.permissions.origin_requests import list_origin_approvals
from director.agent.permissions.secret_requests import read_secret_requests
from director.agent.turn_events import TurnProgress
from director.runs import list_run_questions

if TYPE_CHECKING:
    from director.agent.agent_session import AgentSession
    from director.store import Store

PATIENCE = 600.0  # seconds that a call waits for the user
_LOOK_AGAIN = 0.1  # seconds between two looks whether there is an answer


@dataclass(frozen=True, slots=True)
class PendingApprovals:
    """What one call needs from the user: origins, keys of effects and secrets, ids of questions."""

    origins: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.origins or self.effects or self.questions or self.secrets)

    def join(self, more: PendingApprovals) -> PendingApprovals:
        """These and others, none twice."""
        return PendingApprovals(
            tuple(dict.fromkeys(self.origins + more.origins)),
            tuple(dict.fromkeys(self.effects + more.effects)),
            tuple(dict.fromkeys(self.questions + more.questions)),
            tuple(dict.fromkeys(self.secrets + more.secrets)),
        )

    def list_open(self, store: Store, workflow: str) -> PendingApprovals:
        """Those that nobody has answered yet, here or in another program."""
        origins = {
            one.origin for one in list_origin_approvals(store, workflow) if one.state == "asked"
        }
        keys = {one.key for one in list_requested_effects(store, workflow) if one.state == "asked"}
        secrets = {one.key for one in read_secret_requests(store, workflow) if one.state == "asked"}
        runs = {id_.partition("/")[0] for id_ in self.questions}
        ids = {
            one.id for run in runs for one in list_run_questions(store, run) if one.answer is None
        }
        return PendingApprovals(
            tuple(one for one in self.origins if one in origins),
            tuple(one for one in self.effects if one in keys),
            tuple(one for one in self.questions if one in ids),
            tuple(one for one in self.secrets if one in secrets),
        )


AsksUser: TypeAlias = Callable[[PendingApprovals], Awaitable[None]]


async def await_approvals(desk: AgentSession, wanted: PendingApprovals) -> bool:
    """Ask the user and wait; whether everything was answered in time. The time is not the turn's.

    An answer counts wherever it is given: as soon as nothing is open, the waiting ends.
    """
    if desk.asks_user is None:
        return False
    desk.progress(TurnProgress("waiting", _describe(wanted)))
    loop, limit = asyncio.get_running_loop(), desk.time_limit
    began, ends = loop.time(), limit.when() if limit else None
    if limit:
        limit.reschedule(None)
    here = asyncio.ensure_future(desk.asks_user(wanted))
    try:
        async with asyncio.timeout(desk.patience):
            while wanted.list_open(desk.store, desk.workflow):
                if here.done():
                    here.result()
                    return not wanted.list_open(desk.store, desk.workflow)
                await asyncio.sleep(_LOOK_AGAIN)
    except (TimeoutError, EOFError):
        return False
    finally:
        here.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await here
        if limit and ends is not None:
            limit.reschedule(ends + loop.time() - began)
    return True


def _describe(wanted: PendingApprovals) -> str:
    """What is waited for, in a few words."""
    many = len(wanted.effects)
    parts = [f"to reach {', '.join(wanted.origins)}"] if wanted.origins else []
    parts += [f"for {many} effect{'s' if many > 1 else ''}"] if many else []
    parts += ["for the answer to a question"] if wanted.questions else []
    parts += ["for a secret"] if wanted.secrets else []
    return "; ".join(parts)
