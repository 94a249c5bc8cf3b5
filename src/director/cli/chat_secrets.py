"""Secrets in `director chat`: entered hidden, asked for with who wants them where, never echoed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from director.agent.permissions.secret_leaks import SecretLeak
from director.cli.chat_input import wait_for_line
from director.cli.hidden_entry import read_hidden
from director.secrets import OriginError, Reference, SecretRefused, VaultError, parse_origin_binding
from director.services import approvals
from director.services.secrets import purge_secret_value, put_secret
from director.workflow.credential_patterns import find_passwords

if TYPE_CHECKING:
    from director.cli.chat_room import Room

_PROBLEMS = (VaultError, SecretRefused, OriginError, ValueError)


def enter_secret(room: Room, rest: str) -> None:
    """`/secret NAME ORIGIN`: a hidden entry, into the vault."""
    name, _, origin = rest.partition(" ")
    if not name:
        room.screen.say("Say which: /secret shop_password https://shop.example")
        return
    where = _origins(room, origin.strip())
    if not where:
        room.screen.say(
            "Say on which site it may be used: /secret shop_password https://shop.example"
        )
        return
    try:
        reference, bound = Reference(name), [str(parse_origin_binding(each)) for each in where]
        value = read_hidden(f"{name} for {', '.join(bound)} (hidden): ")
        if not value:
            room.screen.say("Nothing was entered. Nothing was changed.")
            return
        _tell_leak(room, put_secret(room.workspace, name, value, origins=bound))
    except _PROBLEMS as problem:
        room.screen.say(f"{problem} Nothing was changed.", "red")
        return
    room.screen.say(f"{reference} is in the vault, for {', '.join(bound)} only.")


def _origins(room: Room, given: str) -> list[str]:
    """The origins that were named; else the one that the workflow may reach, if there is one."""
    if given:
        return given.split()
    reached = [
        one.origin
        for one in approvals.list_origins(room.workspace, room.workflow)
        if one.state == "approved"
    ]
    return reached if len(reached) == 1 and "*" not in reached[0] else []


async def ask_for_secret(room: Room, key: str) -> tuple[str, bool]:
    """Show who wants which secret where and why, and take it hidden; its reference, if given."""
    wanted = approvals.get_secret_request(room.workspace, room.workflow, key)
    room.screen.say(f"Director asks for the secret {wanted.name}, for {wanted.origin}.", "yellow")
    room.screen.say(f"Its reason: “{wanted.reason}”", "yellow")
    if wanted.warning:
        room.screen.say(wanted.warning, "bold red")
    room.screen.say(f"{wanted.promise} An empty line refuses.", "yellow")
    value = await wait_for_line(f"{wanted.name} for {wanted.origin} (hidden): ", hidden=True)
    if not value:
        approvals.decline_secret(room.workspace, room.workflow, key)
        return wanted.name, False
    try:
        leak = approvals.enter_secret(room.workspace, room.workflow, key, value=value)
        _tell_leak(room, leak)
    except _PROBLEMS as problem:
        room.screen.say(f"{problem} Nothing was changed.", "red")
        return wanted.name, False
    return wanted.reference, True


def ask_about_passwords(room: Room, text: str, heard: Callable[[Room, str], str]) -> str:
    """The text that may be sent: with references if the user says so; empty if nothing may."""
    text = room.desk.hide_all(text)
    for found in reversed(find_passwords(text)):
        value = text[found.start : found.end]
        room.screen.say(
            f"Your message holds what looks like {found.kind} ({value[:1]}…, {len(value)} "
            "characters). Nothing was sent yet. Type a name and a site, such as: shop_password "
            "https://shop.example, to keep it in the vault and send its reference; “send” to send "
            "it as it is; an empty line to send nothing.",
            "bold yellow",
        )
        said = heard(room, "answer")
        if said.lower() == "send":
            continue
        name, _, origin = said.partition(" ")
        if not name:
            room.screen.say("Nothing was sent. Your message was not stored.", "dim")
            return ""
        try:
            where = _origins(room, origin.strip())
            _tell_leak(room, put_secret(room.workspace, name, value, origins=where))
            text = f"{text[: found.start]}{Reference(name)}{text[found.end :]}"
        except _PROBLEMS as problem:
            room.screen.say(f"{problem} Nothing was sent.", "red")
            return ""
    return text


def purge_from_store(room: Room, rest: str) -> None:
    """`/purge NAME`: the value of a secret, out of all that is stored, for good."""
    if not rest:
        room.screen.say("Say the name of a secret: its value is purged from all that is stored.")
        return
    gone = purge_secret_value(room.workspace, rest)
    room.screen.say(f"{gone.says} What was sent before stays with whom it was sent to.")


def _tell_leak(room: Room, leak: SecretLeak | None) -> None:
    if leak is not None:
        room.screen.say(str(leak), "bold red")
