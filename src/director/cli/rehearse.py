"""`director rehearse`: the rehearsal in the terminal, from the first word to a run without a model.

It serves the demo site, keeps what it makes in a folder of its own, and says at every turn what it
is. Where no browser can be started it says how to get one, and shows what works without.
"""

from __future__ import annotations

import os
import time
from collections import Counter as Tally
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from director.cli.command_setup import fail
from director.distribution import install_line

if TYPE_CHECKING:
    from director.cli.chat_room import Room
    from director.demo.site import Site

EPILOG = (
    "It takes less than a minute and costs nothing: Director's part is a script, no model is "
    "asked, and nothing leaves this machine. Then try `director chat` with a model of your own. "
    "`./run --terminal` is the same command; `./run --engine` replays a recorded agent run through "
    "the context engine alone, and `./run --engine --help` says more about that."
)
_PORT = 8765  # where `director demo` serves too, so that the workflow can be run there again
_PACE = 0.008  # seconds for a word, at a terminal
_PAUSE = 0.5  # seconds for a line of the user to be read, at a terminal


def rehearse(
    *,
    profile: Annotated[
        str,
        typer.Option(
            help="The context mode: structured, structured_cached or clean.", metavar="NAME"
        ),
    ] = "structured",
    fast: Annotated[bool, typer.Option("--fast", help="Do not pause for reading.")] = False,
) -> None:
    """Watch a whole conversation with Director, without a key and without a model.

    It builds a workflow on the demo site, in a real browser: a plan, scouts, nodes that are tested
    as they are made, a failure that is fixed, a correction by the user, a compression. At the end
    the workflow runs by itself. Only the words are scripted; everything else is what a real model
    would go through.
    """
    from director.profiles import ProfileError, load_profile

    try:
        load_profile(profile)
    except ProfileError as problem:
        fail("rehearse", str(problem))
    if reason := _play_demo(profile, pace=0.0 if fast else 1.0):
        _without_browser(reason)


def _play_demo(profile: str, *, pace: float) -> str:
    """Play it; why it could not be played, if no browser can be started."""
    try:
        from director.browser import BrowserError
        from director.demo import scripted_demo  # noqa: F401  said at once if it is not installed
    except ImportError as missing:
        return f"{missing.name} is not installed: {install_line('demo')}"
    with _own_home() as folder, _serve_site() as site:
        try:
            _play(folder, site, profile, pace=pace)
        except BrowserError as problem:
            return str(problem)
    return ""


def _without_browser(reason: str) -> None:
    from director.demo.__main__ import main

    typer.echo(f"The rehearsal needs a browser. {reason}")
    typer.echo("What works without one: a recorded agent run, replayed through the engine.\n")
    main([])


@contextmanager
def _own_home() -> Iterator[Path]:
    """A folder for what the rehearsal makes, beside what the user has."""
    from director.home import VARIABLE, home, make_private

    folder = home() / "rehearsal"
    make_private(folder)
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = str(folder)
    try:
        yield folder
    finally:
        del os.environ[VARIABLE]
        if before is not None:
            os.environ[VARIABLE] = before


@contextmanager
def _serve_site() -> Iterator[Site]:
    """The demo site where `director demo` has it, or wherever there is room."""
    from director.demo.site import Site

    site = Site()
    try:
        serving = site.serve(_PORT)
        serving.__enter__()
    except OSError:
        serving = site.serve()
        serving.__enter__()
    try:
        yield site
    finally:
        serving.__exit__(None, None, None)


def _play(folder: Path, site: Site, profile: str, *, pace: float) -> None:
    from director.cli.chat_room import Room
    from director.cli.chat_screen import ChatScreen
    from director.demo.scripted_demo import SAYS, begin
    from director.runs.resources import Resources, RunOptions
    from director.settings import load_settings
    from director.store import open_store

    began = time.monotonic()
    screen = ChatScreen(pace=_PACE * pace)
    with open_store(folder / "director.db") as store:
        vault = Resources(store, RunOptions()).vault
        workflow = begin(store, vault, site.url)
        settings = load_settings({"profile": profile})
        with Room(store, workflow, settings, screen=screen) as room:
            room.run(room.supplies.browser())
            screen.say(f"{SAYS} The browser, the site and the workflow are real.", "bold yellow")
            screen.say(f"The demo site is at {site.url}; the profile is {profile}.", "dim")
            screen.console.print()
            room.elsewhere = f" --store {folder / 'director.db'}"
            if not _conversation(room, site, pace if screen.console.is_terminal else 0.0):
                raise typer.Exit(1)
            _alone(room, site)
            _totals(room)
        screen.console.print()
        screen.say(f"{SAYS} It took {time.monotonic() - began:.0f} seconds.", "bold yellow")
        screen.lines(_next(folder, workflow))


def _conversation(room: Room, site: Site, pace: float) -> bool:
    """Say the user's lines one by one; whether each was answered."""
    from director.cli.chat_commands import obey
    from director.demo.scripted_demo import GO_ON, approve_all, lines

    for line in lines(site.url):
        room.screen.show_user_text("/compress" if line.does == "compress" else line.text)
        time.sleep(_PAUSE * pace)
        if line.does == "compress":
            obey(room, "/compress")
        else:
            turn = room.say(line.text)
            while turn is not None and turn.ended == "waiting":
                approve_all(room.store, room.workflow, turn)
                room.screen.show_user_text(GO_ON)
                turn = room.say(GO_ON)
            if turn is None:
                return False
        room.screen.console.print()
    return True


def _alone(room: Room, site: Site) -> None:
    """The workflow on a fresh site, without anybody to think."""
    site.reset()
    room.screen.say(
        "The site is fresh again, and the workflow runs by itself, without a model:", "bold"
    )
    room.run_workflow()
    put_away = sum(mail.archived for mail in site.state.mails.values())
    room.screen.say(f"The site says: {put_away} letters are in its archive now.")
    room.screen.console.print()


def _totals(room: Room) -> None:
    """What all requests were made of, in tokens."""
    from director.cli.chat_text import parts_of

    room.screen.say(
        "What the model would have been sent, in tokens, over the whole conversation:", "bold"
    )
    sizes: Tally[str] = Tally()
    requests = room.store.versions("request", room.thread)
    for one in requests:
        for name, size in parts_of(one.body):
            sizes[name] += size
    total = sum(sizes.values())
    for name, size in sizes.most_common():
        room.screen.line(f"  {name:<16} {size:>9,}  {size / total:>4.0%}")
    room.screen.line(f"  {'all':<16} {total:>9,}  in {len(requests)} requests")


def _next(folder: Path, workflow: str) -> list[str]:
    at = f"--store {folder / 'director.db'}"
    return [
        "What to try next:",
        f"  director workflow show {workflow} {at}",
        f"  director request list {at}",
        "      every request as it was made; show N --raw is the exact body",
        "  director rehearse --profile clean",
        "      the same when the model is shown nothing and has to ask",
        "  director chat",
        "      with a model of your own; it says how to choose one",
    ]
