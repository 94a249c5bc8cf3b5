"""Approvals in `director chat`: asked in place, while the call that needs them waits.

The answer is written into the store or the vault here; what a turn goes on with is read from there.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Literal

from director.agent import TurnResult
from director.agent.permissions.effect_approval import Answer
from director.agent.permissions.pending_approvals import PendingApprovals
from director.cli.chat_input import wait_for_line
from director.cli.chat_secrets import ask_for_secret
from director.runs import RunError
from director.services.approvals import (
    answer_origin,
    answer_requested_effect,
    list_effects,
    list_origins,
)
from director.services.runs import answer_question, get_run_question

if TYPE_CHECKING:
    from director.cli.chat_room import Room


async def ask_pending(room: Room, wanted: PendingApprovals) -> None:
    """Ask for each origin, effect, answer and secret; what was answered elsewhere is left out."""
    await _answer_all(room, wanted.list_open(room.store, room.workflow))


async def settle_turn(room: Room, turn: TurnResult) -> str:
    """Ask for what a turn ended with; the message that it is gone on with."""
    wanted = PendingApprovals(turn.origins, turn.effects, turn.questions, turn.secrets)
    told = await _answer_all(room, wanted)
    return f"{' '.join(told)} Go on."


async def _answer_all(room: Room, wanted: PendingApprovals) -> list[str]:
    """Ask for each; what the user said, in words."""
    yes: list[str] = []
    no: list[str] = []
    for origin in wanted.origins:
        (yes if await _ask_for_origin(room, origin) else no).append(origin)
    for key in wanted.effects:
        name, agreed = await _ask_for_effect(room, key)
        (yes if agreed else no).append(name)
    for question in wanted.questions:
        await _answer_question(room, question)
    entered = [await ask_for_secret(room, key) for key in wanted.secrets]
    told = [f"I approve {', '.join(yes)}."] if yes else []
    told += [f"I do not approve {', '.join(no)}."] if no else []
    told += ["I answered what the run asked."] if wanted.questions else []
    told += [f"{name} is in the vault." for name, given in entered if given]
    told += [f"I do not enter {name}." for name, given in entered if not given]
    return told


async def _hear_answer(room: Room) -> str:
    said = (await wait_for_line("answer  ")).strip()
    if said and not sys.stdin.isatty():
        room.screen.show_user_text(said)
    return said


async def _ask_for_origin(room: Room, origin: str) -> bool:
    """Ask whether an origin may be reached, and keep the answer."""
    asked = [one for one in list_origins(room.workspace, room.workflow) if one.origin == origin]
    for hint in (one.hint for one in asked if one.hint):
        room.screen.say(hint, "yellow")
    room.screen.say(f"May this workflow reach {origin}? (yes or no)", "bold yellow")
    agreed = (await _hear_answer(room)).lower() in ("y", "yes")
    said: Literal["approved", "refused"] = "approved" if agreed else "refused"
    answer_origin(room.workspace, room.workflow, origin, answer=said)
    return agreed


async def _ask_for_effect(room: Room, key: str) -> tuple[str, bool]:
    """Show what happens only once, ask whether it may, and keep the answer."""
    asked = next(one for one in list_effects(room.workspace, room.workflow) if one.key == key)
    room.screen.say(f"{asked}", "yellow")
    room.screen.say(
        "It cannot be undone, and you have not approved it yet. May it run? (yes, no, or all: "
        f"everything on {', '.join(asked.origins)} from now on)",
        "bold yellow",
    )
    given = (await _hear_answer(room)).lower()
    said: Answer = "all" if given == "all" else "approved" if given in ("y", "yes") else "refused"
    answer_requested_effect(room.workspace, room.workflow, key, answer=said)
    return asked.name, said != "refused"


def _leave(_: str) -> None:
    """The turn that waits for the answer goes on with the run."""


async def _answer_question(room: Room, id_: str) -> None:
    """Put a question of a run to the user until it is answered."""
    from director.cli.chat_room import parse_choice

    asked = get_run_question(room.workspace, id_)
    while True:
        room.screen.say(asked.text, "bold yellow")
        room.screen.lines(f"  {number}  {one}" for number, one in enumerate(asked.choices, 1))
        said = parse_choice(await _hear_answer(room), asked.choices)
        try:
            answer_question(room.workspace, asked.run, id_, text=said, go_on=_leave)
        except RunError as problem:
            room.screen.say(str(problem), "red")
        else:
            return
