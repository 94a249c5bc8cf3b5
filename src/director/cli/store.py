"""`director verify`, `export`, `import` and `purge`: what can be done to a store from a terminal.

Only `purge` removes anything, only after it was told what and agreed to. Whatever cannot be done
is said in one line, with exit code 2; exit code 1 means that the store was found damaged.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from director.cli.command_setup import Url, fail, open_store_or_exit, write_whole
from director.cli.origin_approvals import Approve, approve_origins, ask_for_approvals

if TYPE_CHECKING:
    from director.store.export import Imported
    from director.store.import_rules import HeldBack
    from director.store.store import Store

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
    with open_store_or_exit(store, "verify") as opened:
        verdict = opened.verify()
    if verdict.ok:
        typer.echo(f"Nothing was altered: {verdict.checked:,} checked.")
        return
    typer.echo(f"Altered: {verdict.first_bad} ({verdict.checked:,} checked).", err=True)
    typer.echo("Fix it by importing an export into a new store, or from a backup.", err=True)
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
        typer.Option("-o", "--output", help="The file to write; else the terminal.", metavar="F"),
    ] = None,
    store: Url = None,
) -> None:
    """Write a thread or a workflow as one JSON Lines file that holds all of it.

    Every line carries a sum over itself and those before it; `director import` takes the file
    into any store, with the same hashes and times. What the provider remembers stays behind.
    """
    from director.store.export import export_thread, export_workflow

    if (thread is None) == (workflow is None):
        fail("export", "say either --thread ID or --workflow ID")
    with open_store_or_exit(store, "export") as opened:
        lines = (
            export_thread(opened, thread)
            if thread is not None
            else export_workflow(opened, str(workflow))
        )
        if output is None:
            sys.stdout.writelines(lines)
            return
        count = write_whole(output, lines)
    typer.echo(f"{count:,} lines in {output}")


def import_(
    *,
    file: Annotated[Path, typer.Argument(help="An export; - reads what is piped in.")],
    extend: Annotated[
        bool, typer.Option("--extend", help="Also add to what is here already.")
    ] = False,
    approve: Approve = None,
    store: Url = None,
) -> None:
    """Take an export into the store: all of it, or nothing if a line is damaged.

    What is already there is left as it is, so that importing twice changes nothing. Choices of
    models, approvals and the like do not arrive by an import: they are listed, and you decide. The
    origins of its workflows are asked for, or approved with --approve.
    """
    from director.store.export import import_lines
    from director.store.export_lines import split_export_lines

    piped = str(file) == "-"
    if not piped and not file.exists():
        # Before a store is made for it.
        fail("import", f"{file}: there is no such file")
    with open_store_or_exit(store, "import", make=True) as opened:
        if piped:
            done = import_lines(opened, split_export_lines(sys.stdin), extend=extend)
        else:
            with file.open(encoding="utf-8", newline="\n") as lines:
                done = import_lines(opened, split_export_lines(lines), extend=extend)
        typer.echo(
            f"{done.threads:,} threads, {done.entries:,} entries and {done.records:,} records are "
            f"new; {done.known:,} were already there."
        )
        _offer(opened, done, approve or [])


def _offer(opened: Store, done: Imported, approve: list[str]) -> None:
    """List what only the user decides, and ask for the origins where somebody can be asked."""
    from director.agent.workflow_imports import ask_for_origins

    named: dict[str, list[str]] = {}
    for one in done.asked:
        named.setdefault(one.workflow, []).append(one.origin)
    for workflow, origins in named.items():
        ask_for_origins(opened, workflow, origins)
        wanted = [origin for origin in origins if origin in approve]
        approve_origins(opened, workflow, wanted, "import")
        for origin in ask_for_approvals(opened, workflow):
            how = f"director workflow approve {workflow} {origin}"
            typer.echo(f"not approved: {workflow} names {origin}  ({how})")
    for held in done.held_back:
        typer.echo(f"not taken over: {_render_held_back(held)}")


def _render_held_back(held: HeldBack) -> str:
    """A record that was held back, in one line; its words are another's and are quoted."""
    model = held.body.get("model")
    if held.kind == "choice" and isinstance(model, str):
        how = f"director chat {held.id} --model NAME"
        return f"the choice of {model[:200]!r} as the model of {held.id!r}  ({how})"
    return f"the {held.kind} {held.id[:200]!r}"


def purge(
    *,
    thread: Thread = None,
    workflow: Annotated[
        str | None,
        typer.Option(help="A workflow: all its threads, runs and records.", metavar="ID"),
    ] = None,
    secret: Annotated[
        str | None,
        typer.Option(help="Remove the value of a secret from all that is stored.", metavar="NAME"),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    store: Url = None,
) -> None:
    """Remove a thread, a workflow or words for good: the only command that deletes. No way back.

    Everything else that hides a turn (compress, delete) keeps it; this rewrites the file. With
    --secret each message and record that holds the value gets its reference in that place.
    """
    if [thread, workflow, secret].count(None) != 2:
        fail("purge", "say either --thread ID, --workflow ID or --secret NAME")
    if secret is not None:
        _purge_secret(store, secret, yes=yes)
    else:
        _purge_whole(store, thread, str(workflow), yes=yes)


def _purge_whole(store: str | None, thread: str | None, workflow: str, *, yes: bool) -> None:
    with open_store_or_exit(store, "purge") as opened:
        told = _removal(opened, thread) if thread is not None else _removals(opened, workflow)
        if told is None and not yes:
            # After a purge that could not rewrite the file, all is gone but the old pages.
            hint = "with --yes the file is rewritten all the same, without what was purged before"
            what = f'thread "{thread}"' if thread is not None else f'workflow "{workflow}"'
            fail("purge", f"there is no {what}; nothing was removed; {hint}")
        typer.echo(told or "There is nothing of that name; the file is rewritten.")
        if not yes and not typer.confirm("Remove it for good?"):
            typer.echo("Nothing was removed.")
            raise typer.Exit(1)
        if thread is not None:
            done = f"Removed {opened.purge(thread):,} entries."
        else:
            gone = opened.purge_workflow(workflow)
            done = f"Removed {gone.entries:,} entries and {gone.versions:,} versions of records."
    typer.echo(done)


def _purge_secret(store: str | None, name: str, *, yes: bool) -> None:
    from director.secrets import VaultError
    from director.services.secrets import purge_secret_value
    from director.services.workspace import make_workspace

    with open_store_or_exit(store, "purge") as opened:
        typer.echo(
            f"This rewrites every message and record in {opened.place} that holds the value of "
            f"{name}, with its reference in that place, and removes the requests that were kept "
            "for those conversations. It cannot be undone."
        )
        if not yes and not typer.confirm("Rewrite them for good?"):
            typer.echo("Nothing was changed.")
            raise typer.Exit(1)
        try:
            gone = purge_secret_value(make_workspace(opened), name)
        except VaultError as problem:
            fail("purge", f"{problem} Nothing was changed.")
    typer.echo(gone.says)


def _removal(opened: Store, thread: str) -> str | None:
    """What a purge of this thread removes, exactly."""
    if thread not in opened.threads():
        return None
    kinds = Counter(entry.kind for entry in opened.entries(thread))
    told = ", ".join(f"{count:,} {kind}" for kind, count in kinds.items())
    lines = [
        f"This removes the thread {thread} from {opened.place} for good:",
        f"- its {kinds.total():,} entries{f' ({told})' if told else ''}",
        "- the large texts among them that nothing else holds",
    ]
    if opened.reference(thread) is not None:
        lines.append("- what was noted about the provider's memory of it")
    return "\n".join([*lines, "Records, such as plans, stay. It cannot be undone."])


def _removals(opened: Store, workflow: str) -> str | None:
    """What a purge of this workflow removes, exactly."""
    found = opened.preview_purge(workflow)
    if not found.threads and not found.records:
        return None
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(found.records.items()))
    lines = [
        f"This removes the workflow {workflow} from {opened.place} for good:",
        (
            f"- its {len(found.threads):,} threads, with {found.entries:,} entries and what was "
            "noted about the provider's memory of them"
        ),
        (
            f"- its {sum(found.records.values()):,} records"
            f"{f' ({kinds})' if kinds else ''}, with all their {found.versions:,} versions"
        ),
        "- the large texts and the kept bytes among them that nothing else holds",
    ]
    stays = "Records that also name another workflow stay. It cannot be undone."
    return "\n".join([*lines, stays])
