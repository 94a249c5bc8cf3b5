"""`director chat`: talk with Director about a workflow, in the terminal or from a file of lines.

Nothing is decided here. Exit codes: 0, or 1 if something could not be answered and nobody sat
there to see it, or 2 if nothing was begun.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from director.cli.chat_input import read_line
from director.cli.command_setup import Files, Url, fail, open_store_or_exit

if TYPE_CHECKING:
    from pathlib import Path

    from director.agent import TurnResult
    from director.cli.chat_room import Room
    from director.store import Store

EPILOG = (
    "A first conversation: `director demo` in one terminal, `director chat --model "
    "openai:gpt-6.1-terra` in another, and “Please build a workflow that lists the invoices at "
    "http://127.0.0.1:8765/mail”. Without a key: `director rehearse`. "
    "Lines from a file: `director chat my-workflow < lines.txt`. While you talk, /help lists what "
    "else there is; Ctrl-C stops a turn and keeps the conversation, Ctrl-D leaves."
)


def chat(
    *,
    workflow: Annotated[
        str | None,
        typer.Argument(help="The id of a workflow, or a name for a new one.", metavar="WORKFLOW"),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="Who answers, from now on: openai:gpt-6.1-terra, anthropic:claude-sonnet-5-5, …; "
            "else whom the workflow has chosen, or the setting model (DIRECTOR_MODEL).",
            metavar="NAME",
        ),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            help="Who sees what, from now on: structured, structured_cached or clean.",
            metavar="NAME",
        ),
    ] = None,
    files: Files = None,
    store: Url = None,
) -> None:
    """Build a workflow by talking with Director.

    It answers as the model writes, shows each thing it does in a line, asks what it needs to know
    in place, and says after each turn what the request was made of and what it cost. Everything
    is kept: the same workflow goes on where it was left.
    """
    from director.models import NoKey

    with open_store_or_exit(store, "chat", make=True) as opened:
        try:
            code = _talk(opened, workflow, model or "", profile or "", files=files)
        except NoKey as missing:
            fail("chat", f"{missing}\n\n{no_model()}")
    raise typer.Exit(code)


def _talk(
    opened: Store, workflow: str | None, model: str, profile: str, *, files: Path | None
) -> int:
    from director.agent import choose_workflow_model
    from director.agent.model_choice import get_chosen_model, get_session_model_choice
    from director.cli.chat_room import Room
    from director.cli.chat_screen import ChatScreen
    from director.models.names import find_model_credentials, parse_model_name
    from director.models.servers import accept_server, list_accepted_servers
    from director.profiles import load_profile
    from director.settings import load_settings

    settings = load_settings()
    # Before anything is made: whoever cannot be asked should leave nothing behind.
    accepted = None if model else list_accepted_servers(settings)
    meant = parse_model_name(get_chosen_model(opened, workflow or "", settings, now=model))
    find_model_credentials(meant, os.environ, accepted=accepted)
    load_profile(profile or settings.profile.value)
    if server := accept_server(model):
        typer.echo(f"{server} is accepted on this machine now (setting model_servers).", err=True)
    name = _workflow(opened, workflow)
    if model or profile:
        choose_workflow_model(opened, name, model=model, profile=profile)
    with Room(opened, name, settings, screen=ChatScreen(), files=files) as room:
        room.elsewhere = "" if opened.url == settings.store.value else f" --store {opened.url}"
        talking, chosen = get_session_model_choice(room.desk)
        told = f"Model {talking.name}{room.window_of(talking)}, profile {chosen.name}."
        room.screen.say(f"Workflow {name}. {told}", "bold")
        if talking.place.provider == "scripted":
            room.screen.say("This model is a script: no model is asked.", "yellow")
        room.screen.say("/help lists what else there is.", "dim")
        converse(room)
        room.screen.say(f"Kept. Go on with: director chat {name}{room.elsewhere}", "dim")
        return 1 if room.failed and not sys.stdin.isatty() else 0


def no_model() -> str:
    """What to do when there is no model to ask."""
    from director.models import find_local_servers

    servers = [
        f"  director chat --model 'chat:{one.base_url}#{one.example}'   ({one.kind}, running here)"
        for one in find_local_servers()
    ] or ["  director chat --model 'chat:http://localhost:11434/v1#qwen3'"]
    return "\n".join(
        (
            "With a key of a provider:",
            "  export OPENAI_API_KEY=…       director chat --model openai:gpt-6.1-terra",
            "  export ANTHROPIC_API_KEY=…    director chat --model anthropic:claude-sonnet-5-5",
            "With a server on this machine:",
            *servers,
            "Without any model, to see how it works:",
            "  director rehearse",
        )
    )


def _workflow(opened: Store, given: str | None) -> str:
    """The workflow that is meant; a new one if there is none of that name."""
    from director.services.workflows import make_workflow
    from director.services.workspace import make_workspace

    if given and opened.get("workflow", given) is not None:
        return given
    return make_workflow(make_workspace(opened), given or "New workflow").id


def converse(room: Room) -> None:
    """Listen and answer until the user leaves."""
    from director.cli.chat_approvals import ask_pending
    from director.cli.chat_commands import Leave, obey
    from director.cli.chat_secrets import ask_about_passwords

    with suppress(ImportError):  # where there is one, a line can be edited and called back
        import readline  # noqa: F401
    room.desk.asks_user = partial(ask_pending, room)
    _settle(room, room.resume())
    while True:
        try:
            text = read_user_line(room, "answer" if room.question else "you")
            if text.startswith("/"):
                obey(room, text)
            elif text and (fit := ask_about_passwords(room, text, read_user_line)):
                _settle(room, room.say(fit))
        except (EOFError, Leave):
            return
        except KeyboardInterrupt:
            room.screen.say("Ctrl-D or /quit leaves.", "dim")


def read_user_line(room: Room, who: str) -> str:
    """The next line of the user, from the terminal or from what is piped in."""
    if sys.stdin.isatty():
        room.screen.console.print()
        return input(room.screen.prompt(f"{who}  ")).strip()
    line = read_line()
    if not line:
        raise EOFError
    if line.strip():
        room.screen.console.print()
        room.screen.show_user_text(line.strip())
    return line.strip()


def _settle(room: Room, turn: TurnResult | None) -> None:
    """Ask for what a turn ended with, as nobody answered while its calls waited, and go on."""
    from director.cli.chat_approvals import settle_turn

    while turn is not None and turn.ended == "waiting":
        turn = room.say(room.run(settle_turn(room, turn)))
