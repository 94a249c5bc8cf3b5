"""`director verify`, `export`, `import` and `purge`: what can be done to a store from a terminal.

Only `purge` removes anything, only after it was told what and agreed to. Whatever cannot be done
is said in one line, with exit code 2; exit code 1 means that the store was found damaged.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn, TypeAlias

import typer

if TYPE_CHECKING:
    from director.store.store import Store

Url: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--store",
        help="Which store: a file, sqlite:///… or postgresql://…; else DIRECTOR_STORE, the "
        "settings file, or the one in the home folder.",
        metavar="URL",
    ),
]
Thread: TypeAlias = Annotated[
    str | None, typer.Option("--thread", help="One thread, by its id.", metavar="ID")
]

EXPORT = (
    "Try it: `director export --thread ID -o thread.jsonl`, then `director import thread.jsonl`."
)


def verify(*, store: Url = None) -> None:
    """Re-hash everything that is kept and name the first thing that is not as it was written.

    Exits with 1 if something was altered.
    """
    with _opened(store, "verify") as opened:
        verdict = opened.verify()
    if verdict.ok:
        typer.echo(f"Nothing was altered: {verdict.checked:,} checked.")
        return
    typer.echo(f"Altered: {verdict.first_bad} ({verdict.checked:,} checked).", err=True)
    typer.echo("Mend it by importing an export into a new store, or from a backup.", err=True)
    raise typer.Exit(1)


def export(
    *,
    thread: Thread = None,
    workflow: Annotated[
        str | None,
        typer.Option(help="A workflow: all its threads and records.", metavar="ID"),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Where to; without it, to the terminal.", metavar="F"),
    ] = None,
    store: Url = None,
) -> None:
    """Write a thread or a workflow as one JSON Lines file that holds all of it.

    Every line carries a sum over itself and those before it; `director import` takes the file
    into any store, with the same hashes and times. What the provider remembers stays behind.
    """
    from director.store.export import export_thread, export_workflow  # noqa: PLC0415  quick help

    if (thread is None) == (workflow is None):
        _fail("export", "say either --thread ID or --workflow ID")
    with _opened(store, "export") as opened:
        lines = (
            export_thread(opened, thread)
            if thread is not None
            else export_workflow(opened, str(workflow))
        )
        if output is None:
            sys.stdout.writelines(lines)
            return
        count = _write(output, lines)
    typer.echo(f"{count:,} lines in {output}")


def import_(
    *,
    file: Annotated[Path, typer.Argument(help="An export; - reads what is piped in.")],
    store: Url = None,
) -> None:
    """Take an export into the store: all of it, or nothing if a line is damaged.

    What is already there is left as it is, so that importing twice changes nothing.
    """
    from director.store.export import import_lines  # noqa: PLC0415  quick help

    piped = str(file) == "-"
    if not piped and not file.exists():
        # Before a store is made for it.
        _fail("import", f"{file}: there is no such file")
    with _opened(store, "import", make=True) as opened:
        if piped:
            done = import_lines(opened, sys.stdin)
        else:
            with file.open(encoding="utf-8", newline="\n") as lines:
                done = import_lines(opened, lines)
    typer.echo(
        f"{done.threads:,} threads, {done.entries:,} entries and {done.records:,} records are "
        f"new; {done.known:,} were already there."
    )


def purge(
    *,
    thread: Annotated[str, typer.Option(help="The thread, by its id.", metavar="ID")],
    yes: Annotated[bool, typer.Option("--yes", help="Do it without asking.")] = False,
    store: Url = None,
) -> None:
    """Remove a thread for good: the only command that deletes. It cannot be undone.

    Everything else that hides a turn (compress, delete) keeps it; this rewrites the file.
    """
    with _opened(store, "purge") as opened:
        if thread not in opened.threads() and not yes:
            # After a purge that could not rewrite the file, the thread is gone and its pages not.
            hint = "with --yes the file is rewritten all the same, without what was purged before"
            _fail("purge", f'there is no thread "{thread}"; nothing was removed; {hint}')
        typer.echo(_removal(opened, thread))
        if not yes and not typer.confirm("Remove it for good?"):
            typer.echo("Nothing was removed.")
            raise typer.Exit(1)
        removed = opened.purge(thread)
    typer.echo(f"Removed {removed:,} entries.")


def _removal(opened: Store, thread: str) -> str:
    """What a purge of this thread removes, exactly."""
    kinds = Counter(entry.kind for entry in opened.entries(thread))
    told = ", ".join(f"{count:,} {kind}" for kind, count in kinds.items())
    lines = [
        f"This removes the thread {thread} from {opened.place} for good:",
        f"- its {kinds.total():,} entries{f' ({told})' if told else ''}",
        "- the large texts among them that no other thread holds",
    ]
    if opened.reference(thread) is not None:
        lines.append("- what was noted about the provider's memory of it")
    return "\n".join([*lines, "Records, such as plans, stay. It cannot be undone."])


@contextmanager
def _opened(given: str | None, command: str, *, make: bool = False) -> Iterator[Store]:
    """The store that is meant; what goes wrong with it is said in one line."""
    from director.cli.findings import file_of, shown  # noqa: PLC0415  quick help
    from director.home import HomeError  # noqa: PLC0415
    from director.settings import SettingsError, load_settings  # noqa: PLC0415

    try:
        from director.store import StoreError, open_store  # noqa: PLC0415
    except ImportError as missing:
        _fail(command, f"{missing.name} is not installed: pip install 'director[store]'")
    try:
        where = given or load_settings().store.value
        file = file_of(where)
        if not make and file is not None and not file.exists():
            _fail(command, f"there is no store at {file}; name another with --store")
        with open_store(where) as opened:
            yield opened
    except (StoreError, SettingsError, HomeError) as error:
        _fail(command, str(error))
    except ImportError as missing:
        _fail(command, f"{missing.name} is not installed: pip install 'director[postgres]'")
    except OSError as error:
        _fail(command, f"{error.filename or shown(where)}: {error.strerror or error}")
    except UnicodeError:
        _fail(command, "the file is not text in UTF-8; nothing was imported")


def _fail(command: str, message: str) -> NoReturn:
    typer.echo(f"director {command}: {message}", err=True)
    raise typer.Exit(2)


def _write(output: Path, lines: Iterator[str]) -> int:
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
