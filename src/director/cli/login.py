"""`director login`: a person logs in by hand in a visible window, and the login is kept."""

from __future__ import annotations

import asyncio
import sys
from typing import Annotated

import typer

from director.cli.command_setup import fail

EPILOG = (
    "Try it: `director demo`, then `director login shop http://127.0.0.1:8765/shop/login`. In a "
    'workflow: `{"action": "loadProfile", "profileName": "shop"}`, before the first page that '
    "needs it."
)


def login(
    *,
    name: Annotated[str, typer.Argument(help="The name to keep it under.")],
    address: Annotated[str, typer.Argument(help="The page on which to log in.")],
    origin: Annotated[
        list[str] | None,
        typer.Option(help="Another origin that the login leads through; may be repeated."),
    ] = None,
) -> None:
    """Open a window, let somebody log in there, and keep the login for later runs.

    Its cookies and storage are kept sealed in the home folder. The window reaches the origin of
    the address and those that are named, and nothing else.
    """
    from director.errors import DirectorError

    try:
        asyncio.run(_by_hand(name, address, origin or []))
    except DirectorError as problem:
        fail("login", str(problem))
    typer.echo(f"Kept as {name!r}. Runs use it with loadProfile.")


async def _by_hand(name: str, address: str, more: list[str]) -> None:
    from director.browser import Origins, open_browser
    from director.browser.approved_origins import get_origin_place
    from director.runs.resources import get_home_logins

    logins = get_home_logins()
    logins.check(name)
    approved = Origins([str(get_origin_place(address)), *more])
    async with (
        open_browser(headless=False) as browser,
        browser.session(approved, logins=logins) as session,
    ):
        await session.navigate(address)
        typer.echo("Log in in the window. When you are in, press Enter here.", err=True)
        await asyncio.to_thread(sys.stdin.readline)
        await session.save_login(name)
