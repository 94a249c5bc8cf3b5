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
    from director.agent.compression.compression_proposal import (
        CompressionEstimate,
        CompressionProposal,
    )
    from director.models import Model
    from director.sections.workflow_state import WorkflowState
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
        str | None, typer.Option(help="Who writes it; else the setting model.", metavar="NAME")
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
        if history:
            _tell_history(opened, where)
        elif export is not None:
            _export(opened, where, export)
        elif restore is not None:
            _restore(opened, where, restore)
        else:
            state = _state(opened, where, workflow)
            name = _model(model)
            chosen = _turns(turns)
            own = text.read_text("utf-8") if text else None
            asyncio.run(
                _compress(opened, where, state, name, chosen, own, preview=preview, yes=yes)
            )


def _thread(opened: Store, workflow: str | None, thread: str | None) -> str:
    from director.agent.conversation.current_thread import current_thread

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
    return current_thread(opened, workflow)


def _state(opened: Store, thread: str, workflow: str | None) -> WorkflowState:
    """What a summariser is shown beside the conversation; no browser is open here."""
    from director.agent.saved_workflow import SavedState
    from director.sections.workflow_state import WorkflowState
    from director.store.run_variables import variables, workbench
    from director.workflow.values import Workflow

    of = (one for one in opened.ids("workflow") if thread in opened.threads(one))
    name = workflow or next(of, None)
    if name is None:
        return WorkflowState(Workflow(thread, thread))
    saved = SavedState(opened, name)
    return WorkflowState(
        saved.workflow(),
        plan=saved.plan(),
        description=saved.description(),
        statuses=saved.statuses(),
        variables=dict(variables(opened, workbench(name))),  # type: ignore[arg-type]
    )


def _model(given: str | None) -> str:
    from director.settings import load_settings

    name = given or load_settings().model.value
    if not name:
        fail("compress", "no model is chosen: name one with --model or set DIRECTOR_MODEL")
    return name


def _turns(given: str | None) -> list[int] | None:
    if given is None:
        return None
    found: list[int] = []
    for part in given.split(","):
        first, _, last = part.strip().partition("-")
        if not first.isdigit() or (last and not last.isdigit()):
            fail("compress", f"--turns: {part!r} is neither N nor N-M; nothing was changed")
        found += range(int(first), int(last or first) + 1)
    return found


def _open(name: str, opened: Store) -> Model:
    """The model of a name, which is sent no value of a secret that was said before."""
    from director.agent.permissions.secret_leaks import guard_model
    from director.models import open_model
    from director.secrets import open_vault

    return guard_model(open_model(name), opened, open_vault())


async def _compress(
    opened: Store,
    thread: str,
    state: WorkflowState,
    name: str,
    turns: list[int] | None,
    text: str | None,
    *,
    preview: bool,
    yes: bool,
) -> None:
    from director.agent.compression.compression_proposal import Refused, checked, look, propose
    from director.agent.compression.thread_compression import apply
    from director.agent.compression.thresholds import marks_for
    from director.agent.turn_lease import TurnRunning
    from director.models import NoKey, NoLibrary, UnknownModel
    from director.settings import load_settings
    from director.store.context_view import view

    try:
        async with _open(name, opened) as model:
            place, settings = model.place, load_settings()
            marks = marks_for(
                settings, model.capabilities, provider=place.provider, model=place.model
            )
            if turns is not None:
                shown = set(view(opened.entries(thread)).archived)
                shown |= {one.seq for one in view(opened.entries(thread)).shown}
                turns = [seq for seq in turns if seq in shown]
            seen = look(opened, thread, state, writer=model, marks=marks, turns=turns)
            typer.echo(_look(seen))
            if not seen.preview.count or not (yes or preview or text):
                return
            if text is not None:
                made = checked(text, seen.preview, marks.to, by_user=True)
            else:
                given = {"writer": model, "marks": marks, "turns": turns}
                made = await propose(opened, thread, state, **given)  # type: ignore[arg-type]
        typer.echo(_proposal(made))
        if preview or not (yes or typer.confirm("Compress?")):
            typer.echo("Nothing was changed.")
            return
        done = apply(opened, thread, made)
        typer.echo(f"Done: entry {done.seq}. Undo it with --restore {done.seq}.")
    except (Refused, TurnRunning, NoKey, NoLibrary, UnknownModel) as error:
        fail("compress", f"{error} Nothing was changed.")


def _look(seen: CompressionEstimate) -> str:
    found = seen.preview
    if not found.count:
        return "There is nothing to compress."
    builds = f", building on the summary of entry {found.builds_on}" if found.builds_on else ""
    price = f"about ${seen.cost:.4f}" if seen.cost is not None else "unknown"
    return (
        f"{found.count} messages ({found.user_count} of the user, {found.agent_count} of the agent)"
        f"{builds}: {found.tokens:,} tokens, about {seen.after:,} after, {seen.cap:,} at most.\n"
        f"{seen.names:,} names and numbers are at stake. Price: {price}.\n"
        "They are archived, stay readable, and can be restored."
    )


def _proposal(made: CompressionProposal) -> str:
    lost = f"Not in it ({len(made.lost)}):\n" + "\n".join(f"  {one}" for one in made.lost[:10])
    return (
        f"\n{made.summary.text}\n\n{made.preview.tokens:,} → {made.after:,} tokens; the text kept "
        f"{made.share:.0%} of the names and numbers.\n{lost if made.lost else 'Nothing is lost.'}"
    )


def _restore(opened: Store, thread: str, entry: int) -> None:
    from director.store.compression import restore

    restore(opened, thread, entry)
    typer.echo(f"The compression {entry} is undone: its messages are in view again.")


def _tell_history(opened: Store, thread: str) -> None:
    from director.agent.compression.thread_compression import attempts

    found = attempts(opened, thread)
    for one in found:
        body = one.body
        told = (
            f"{body['before']:,} → {body['after']:,} tokens" if body["checkpoint"] else body["why"]
        )
        typer.echo(f"{one.version:>4}  {body['by']:<6}  {body['outcome']:<9}  {told}")
    if not found:
        typer.echo("Nothing was compressed yet.")


def _export(opened: Store, thread: str, form: str) -> None:
    from director.agent.compression.compression_export import exported

    if form not in ("markdown", "json"):
        fail("compress", f"--export is markdown or json, not {form!r}")
    typer.echo(exported(opened, thread, form))
