"""`director demo`: serves the site to practise on until it is told to stop.

It listens on loopback only and keeps nothing. A port that is taken is said in one line, with exit
code 2.
"""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from director.demo.site import Site

_STOPS = (signal.SIGINT, signal.SIGTERM)
EPILOG = (
    "Try it: `director demo`, open the printed address, and do by hand what a workflow should do: "
    "move an invoice from the Postbox into the Grid, or order something with a one-time code. "
    "Then `director demo --redesign` and do it again: every id and class has changed. "
    "`/api/state` tells what really happened. Ctrl-C ends it, and nothing is kept."
)


def demo(
    *,
    port: Annotated[
        int, typer.Option(help="Where to listen; 0 takes a free port.", min=0, max=65_535)
    ] = 8765,
    redesign: Annotated[
        bool,
        typer.Option(
            "--redesign", help="Other ids, classes, words and order of blocks; same functions."
        ),
    ] = False,
    seed: Annotated[
        int,
        typer.Option(
            help="The seed of the content: the same number gives the same site.", metavar="N"
        ),
    ] = 1,
) -> None:
    """Serve a small site to practise workflows on.

    A mailbox with one-time codes, a table of invoices, a shop with login, cart and checkout, pages
    that fail on purpose, and the awkward bits of the web. All of it made up, in memory, and for
    this machine only.
    """
    from director.demo.site import Site

    stop = threading.Event()
    # Also when started in the background, where a shell has both ignored.
    before = {each: signal.signal(each, lambda *_: stop.set()) for each in _STOPS}
    try:
        with Site(seed=seed, redesign=redesign).serve(port) as site:
            _greet(site)
            stop.wait()
        typer.echo("\nEnded. What was ordered, archived and written is forgotten.")
    except OSError as error:
        typer.echo(f"director demo: cannot listen on port {port}: {_why(error)}", err=True)
        raise typer.Exit(2) from None
    finally:
        for each, held in before.items():
            signal.signal(each, held)


def _why(error: OSError) -> str:
    return f"{error.strerror or error}. Name another one with --port, or take any with --port 0."


def _greet(site: Site) -> None:
    from director.demo.site.values import MAIL_PASSWORD, SHOP_PASSWORD, USER

    typer.echo(
        f"The demo site is at {site.url}\n\n"
        f"Postbox    {site.url}/mail    {USER}    {MAIL_PASSWORD}\n"
        f"Oak & Ink  {site.url}/shop    {USER}    {SHOP_PASSWORD}, then a code in the Postbox\n"
        f"Grid       {site.url}/grid    no login\n"
        f"Flaky      {site.url}/flaky   fails, lies and dawdles\n"
        f"Lab        {site.url}/lab     frames, shadow roots, popups and the like\n\n"
        f"Try it redesigned: {site.url}/?redesign=1\n"
        f"What happened:     {site.url}/api/state\n"
        "Ctrl-C ends it."
    )
