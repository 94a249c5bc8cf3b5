"""`director compress`: look at what can be compressed, do it, undo it, read what was done.

Nothing is written without `--yes` or a yes. Whatever cannot be done is said in one line.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from director.cli.command_setup import Url, fail, open_store_or_exit

if TYPE_CHECKING:
    from director.services.compression_values import Looked, Proposed
    from director.services.workspace import Workspace
    from director.store import Store

EPILOG = (
    "Try it: `director compress --workflow ID` to look, `--yes` to do it, `--history` to see what "
    "was done, `--restore N` to undo it. Nothing is lost: what is compressed is archived."
)


def compress(
    *,
    workflow: Annotated[
        str | None, typer.Option(help="A workflow: its current conversation.", metavar="ID")
    ] = None,
    thread: Annotated[
        str | None, typer.Option("--thread", help="A thread, by its id.", metavar="ID")
    ] = None,
    turns: Annotated[
        str | None, typer.Option(help="Only these turns, such as 1-9,12.", metavar="N-M")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(help="Who writes it; else who talks.", metavar="NAME"),
    ] = None,
    text: Annotated[
        Path | None,
        typer.Option(help="A summary of your own, checked like a model's.", metavar="FILE"),
    ] = None,
    preview: Annotated[
        bool, typer.Option("--preview", help="Have it written and show it; change nothing.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do it without asking.")] = False,
    restore: Annotated[
        int | None, typer.Option(help="Undo a compression, by its entry.", metavar="N")
    ] = None,
    history: Annotated[bool, typer.Option("--history", help="What was compressed.")] = False,
    export: Annotated[
        str | None, typer.Option(help="All summaries, as markdown or json.", metavar="FORM")
    ] = None,
    store: Url = None,
) -> None:
    """Put a checked summary in the place of older messages; they stay readable, and come back.

    Without --yes or --preview it only says what would be compressed, asking no model.
    """
    with open_store_or_exit(store, "compress") as opened:
        where = _thread(opened, workflow, thread)
        workspace = _open_workspace(opened, model or "")
        if history:
            _tell_history(workspace, where)
        elif export is not None:
            _export(workspace, where, export)
        elif restore is not None:
            _restore(workspace, where, restore)
        else:
            own = text.read_text("utf-8") if text else None
            chosen = _turns(turns, opened, where)
            asyncio.run(
                _compress(workspace, where, chosen, model or "", own, preview=preview, yes=yes)
            )


def _thread(opened: Store, workflow: str | None, thread: str | None) -> str:
    from director.agent.conversation.current_thread import ensure_current_thread

    known = opened.threads()
    if thread is not None:
        if thread not in known:
            fail("compress", f"there is no thread {thread!r}; nothing was changed")
        return thread
    if workflow is None:
        told = ", ".join(known[-5:]) or "none"
        fail("compress", f"say either --workflow ID or --thread ID; the newest: {told}")
    if opened.get("workflow", workflow) is None:
        fail("compress", f"there is no workflow {workflow!r}; nothing was changed")
    return ensure_current_thread(opened, workflow)


def _turns(given: str | None, opened: Store, thread: str) -> list[int] | None:
    """The turns of a thread that were named, without numbers that are none."""
    from director.store.context_view import build_thread_view

    if given is None:
        return None
    found: list[int] = []
    for part in given.split(","):
        first, _, last = part.strip().partition("-")
        if not first.isdigit() or (last and not last.isdigit()):
            fail("compress", f"--turns: {part!r} is neither N nor N-M; nothing was changed")
        found += range(int(first), int(last or first) + 1)
    now = build_thread_view(opened.entries(thread))
    known = {*now.archived, *(one.seq for one in now.shown)}
    return [seq for seq in found if seq in known]


def _open_workspace(opened: Store, model: str) -> Workspace:
    """What compressing works with; a model that was named here may be at any server."""
    from director.agent.agent_session import open_session_model
    from director.models import Journal, Model, open_model
    from director.secrets import open_vault
    from director.services.workspace import Workspace

    def opens(name: str, journal: Journal | None) -> Model:
        return (
            open_model(name, journal=journal)
            if name == model
            else open_session_model(name, journal)
        )

    return Workspace(opened, open_vault(), open_model=opens)


async def _compress(
    workspace: Workspace,
    thread: str,
    turns: list[int] | None,
    model: str,
    text: str | None,
    *,
    preview: bool,
    yes: bool,
) -> None:
    from director.errors import DirectorError
    from director.services import compression

    try:
        seen = await compression.preview_compression(workspace, thread, turns, writer=model)
        typer.echo(_look(seen))
        if not seen.count or not (yes or preview or text):
            return
        waiting = compression.ProposalList()
        made = await compression.propose_compression(
            workspace, thread, turns, proposals=waiting, writer=model, text=text
        )
        typer.echo(_proposal(made))
        if preview or not (yes or typer.confirm("Compress?")):
            typer.echo("Nothing was changed.")
            return
        done = compression.apply_compression_proposal(workspace, thread, made.id, proposals=waiting)
        typer.echo(f"Done: entry {done.entry}. Undo it with --restore {done.entry}.")
    except DirectorError as error:
        fail("compress", f"{error} Nothing was changed.")


def _look(seen: Looked) -> str:
    if not seen.count:
        return "There is nothing to compress."
    builds = f", building on the summary of entry {seen.builds_on}" if seen.builds_on else ""
    price = f"about ${seen.cost:.4f}" if seen.cost is not None else "unknown"
    return (
        f"{seen.count} messages ({seen.users} of the user, {seen.agents} of the agent)"
        f"{builds}: {seen.before:,} tokens, about {seen.after:,} after, {seen.cap:,} at most.\n"
        f"{seen.names:,} names and numbers are at stake. Price: {price}.\n"
        "They are archived, stay readable, and can be restored."
    )


def _proposal(made: Proposed) -> str:
    lost = f"Not in it ({len(made.lost)}):\n" + "\n".join(f"  {one}" for one in made.lost[:10])
    return (
        f"\n{made.summary}\n\n{made.before:,} → {made.after:,} tokens; the text kept "
        f"{made.share:.0%} of the names and numbers.\n{lost if made.lost else 'Nothing is lost.'}"
    )


def _restore(workspace: Workspace, thread: str, entry: int) -> None:
    from director.services.compression import restore_compression

    restore_compression(workspace, thread, entry)
    typer.echo(f"The compression {entry} is undone: its messages are in view again.")


def _tell_history(workspace: Workspace, thread: str) -> None:
    from director.services.compression import list_compression_attempts_made

    found = list_compression_attempts_made(workspace, thread)
    for one in reversed(found):
        told = f"{one.before:,} → {one.after:,} tokens" if one.entry else one.why
        typer.echo(f"{one.number:>4}  {one.by:<6}  {one.outcome:<9}  {told}")
    if not found:
        typer.echo("Nothing was compressed yet.")


def _export(workspace: Workspace, thread: str, form: str) -> None:
    from director.services.compression import export_compressions

    if form not in ("markdown", "json"):
        fail("compress", f"--export is markdown or json, not {form!r}")
    typer.echo(export_compressions(workspace, thread, "json" if form == "json" else "markdown"))
