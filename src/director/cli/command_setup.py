"""What the commands have in common: which store is meant, one line for what cannot be done."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn, TypeAlias

import typer

from director.distribution import install_line
from director.errors import DirectorError

if TYPE_CHECKING:
    from director.store.store import Store

Url: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--store",
        help="The store: a file, sqlite:///… or postgresql://…; else DIRECTOR_STORE, the "
        "settings file, or the one in the home folder.",
        metavar="URL",
    ),
]

Files: TypeAlias = Annotated[
    Path | None, typer.Option(help="The folder that uploads may come from.", metavar="DIR")
]


_PAUSE = 0.5  # seconds between two tries to open a store that is away


@contextmanager
def open_store_or_exit(
    given: str | None,
    command: str,
    *,
    make: bool = False,
    connections: int = 15,
    waits: str = "",
) -> Iterator[Store]:
    """The store that is meant; what goes wrong with it is said in one line.

    With `waits`, which says what is done then, a server that does not answer is waited for.
    """
    from director.cli.findings import file_of, hide_password
    from director.home import is_loose
    from director.settings import load_settings

    try:
        from director.store import open_store
    except ImportError as missing:
        fail(command, f"{missing.name} is not installed: {install_line('store')}")
    try:
        where = given or load_settings().store.value
        file = file_of(where)
        if not make and file is not None and not file.exists():
            _refuse_missing(command, file)
        loose = file is not None and is_loose(file)
        opens = partial(_await_store, then=waits) if waits else open_store
        with opens(where, connections=connections) as opened:
            if loose:
                _tell_loose(file)
            yield opened
    except DirectorError as error:
        fail(command, str(error))
    except ImportError as missing:
        fail(command, f"{missing.name} is not installed: {install_line('postgres')}")
    except OSError as error:
        fail(command, f"{error.filename or hide_password(where)}: {error.strerror or error}")
    except UnicodeError:
        fail(command, "the file is not text in UTF-8; nothing was imported")


def _refuse_missing(command: str, file: Path) -> NoReturn:
    fail(
        command,
        f"there is no store at {file} yet: `director app`, `director chat` or `director workflow "
        "import FILE` makes one. Name another with --store",
    )


def _await_store(where: str, *, connections: int, then: str) -> Store:
    """Open a store; while its server is away, say so once and try again."""
    from director.store import StoreAway, open_store

    told = False
    while True:
        try:
            return open_store(where, connections=connections)
        except StoreAway as away:
            if not told:
                typer.echo(f"Waits for the store: {away} {then}", err=True)
            told = True
            time.sleep(_PAUSE)


def _tell_loose(file: Path | None) -> None:
    from director.home import is_loose

    if file is not None and is_loose(file):
        typer.echo(f"Others on this machine can read {file}: chmod 600 {file}", err=True)
    else:
        typer.echo(
            f"Others on this machine could read {file}; from now on only you can (mode 600).",
            err=True,
        )


def fail(command: str, message: str) -> NoReturn:
    """Say in one line why nothing was done, and end with 2."""
    typer.echo(f"director {command}: {message}", err=True)
    raise typer.Exit(2)


def write_whole(output: Path, lines: Iterable[str]) -> int:
    """Write the lines beside their place and move them there, so that no half file is left."""
    folder = output.parent
    made, name = tempfile.mkstemp(prefix=f".{output.name}.", dir=folder)
    count = 0
    try:
        with os.fdopen(made, "w", encoding="utf-8", newline="\n") as file:
            for line in lines:
                file.write(line)
                count += 1
        Path(name).replace(output)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return count
