"""`director context`: a fresh context for an agent and a task, and what manifests can tell.

It prints and writes; what stands in a context is decided in `director.planning`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from director.cli.command_setup import fail
from director.cli.project import HERE, AsJson, Root

if TYPE_CHECKING:
    from director.planning.context_assembly import Fresh

_FOR = "for"
EPILOG = (
    "Try it: `director context builder` prints the context of the next task, `--out FILE` writes "
    "it with its manifest beside it, `director context profiles` lists who there is."
)


class _AgentFirst(TyperGroup):
    """`director context builder` is short for `director context for builder`."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401  typer's own
        """The command that is meant, and what is left for it."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            args = [_FOR, *args]
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=_AgentFirst,
    no_args_is_help=True,
    help="A fresh, budgeted context for one agent and task, made of the .director/ folder.",
    epilog=EPILOG,
)


@app.command(_FOR)
def for_(
    agent: Annotated[str, typer.Argument(help="An agent or a skill; see `profiles`.")],
    *,
    task: Annotated[
        str | None,
        typer.Option(help="A task: path, name, or 2.1.3; else the next.", metavar="TASK"),
    ] = None,
    skill: Annotated[
        str | None, typer.Option(help="The skill it works in, or a SKILL.md.", metavar="NAME")
    ] = None,
    step: Annotated[
        str | None, typer.Option(help="For the deep researcher: a step, as 2.1.", metavar="STEP")
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="The model to fit; else 200,000 tokens.", metavar="NAME")
    ] = None,
    window: Annotated[
        int | None, typer.Option(help="The window in tokens.", metavar="N", min=1)
    ] = None,
    instructions: Annotated[
        list[Path] | None,
        typer.Option(help="A file of instructions of your own; may be repeated.", metavar="FILE"),
    ] = None,
    allow: Annotated[
        list[str] | None,
        typer.Option(help="A command that !`…` may run, such as 'git log'.", metavar="COMMAND"),
    ] = None,
    stable: Annotated[
        bool, typer.Option("--stable", help="Put what changes least first, for caches.")
    ] = False,
    fill: Annotated[
        bool, typer.Option("--fill", help="Use spare budget for files that the task names.")
    ] = False,
    log: Annotated[
        Path | None, typer.Option(help="A written log instead of git's.", metavar="FILE")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The file to write, its manifest beside it.", metavar="FILE")
    ] = None,
    host: Annotated[
        str | None,
        typer.Option(help="Stay below a ceiling: hook, bash, mcp, file.", metavar="NAME"),
    ] = None,
    as_json: AsJson = False,
    keep: Annotated[
        bool, typer.Option("--keep/--no-keep", help="Keep it under .director/contexts/.")
    ] = True,
    project: Root = HERE,
) -> None:
    """Make a fresh context. It goes to the output, the report on it to the error output."""
    from director.fresh_context import deliver_context, fresh
    from director.planning.values import ProjectError

    if out is not None and not out.parent.is_dir():
        fail("context", f"There is no folder {str(out.parent)!r}: nothing was written.")
    try:
        made = fresh(
            project,
            agent,
            task,
            skill=skill,
            step=step,
            model=model,
            window=window,
            instructions=instructions or (),
            allow=allow or (),
            order="stable" if stable else "seed",
            fill=fill,
            log=log,
        )
        report = _keep(project, made, stable=stable) if keep else str(made.report)
        text = deliver_context(project, made, host) if host else made.text
        if out is not None:
            _write(out, made)
    except ProjectError as error:
        fail("context", str(error))
    except OSError as error:
        fail("context", f"{error.filename or out}: {error.strerror or error}")
    if as_json:
        typer.echo(json.dumps(_as_json(made, report), indent=2))
    elif out is None:
        _print(text)
    if not as_json:
        typer.echo(report, err=True, nl=False)


@app.command()
def verify(
    manifest: Annotated[
        str | None, typer.Argument(help="A manifest, a context, a hash; else the last kept.")
    ] = None,
    *,
    project: Root = HERE,
) -> None:
    """Check a context against its manifest, and its sources against what they were."""
    from director.fresh_context import verify_context
    from director.planning.values import ProjectError

    try:
        checks = verify_context(project, manifest)
    except (ProjectError, OSError) as error:
        fail("context verify", str(error))
    for check in checks:
        typer.echo(f"{'✓' if check.holds else '✗'} {check.said}")
    wrong = sum(not check.holds for check in checks)
    typer.echo(f"{wrong} of {len(checks)} do not hold." if wrong else "Everything holds.")
    raise typer.Exit(1 if wrong else 0)


@app.command()
def diff(
    old: Annotated[str, typer.Argument(help="A manifest, a context or a hash.")],
    new: Annotated[str, typer.Argument(help="Another manifest, context or hash.")],
    *,
    project: Root = HERE,
) -> None:
    """Show what differs between two contexts. Exits with 1 if something does."""
    from director.fresh_context import compare_contexts
    from director.planning.values import ProjectError

    try:
        found = compare_contexts(project, old, new)
    except (ProjectError, OSError) as error:
        fail("context diff", str(error))
    for line in found:
        typer.echo(line)
    if found:
        raise typer.Exit(1)
    typer.echo("The same, byte for byte.")


@app.command()
def replay(
    manifest: Annotated[
        str | None, typer.Argument(help="A manifest, a context, a hash; else the last kept.")
    ] = None,
    *,
    out: Annotated[Path | None, typer.Option(help="The file to write.", metavar="FILE")] = None,
    project: Root = HERE,
) -> None:
    """Make a context again from its manifest, from the commit if files have changed since."""
    from director.fresh_context import replay_context
    from director.planning.values import ProjectError

    try:
        made, same = replay_context(project, manifest)
        if out is not None:
            _write(out, made)
    except (ProjectError, OSError) as error:
        fail("context replay", str(error))
    typer.echo(f"{made.sha256}: {'the same, byte for byte' if same else 'not the same'}.")
    raise typer.Exit(0 if same else 1)


@app.command()
def profiles() -> None:
    """List the agents and skills, and what each is shown."""
    from director.planning.agent_profiles import AGENTS, SKILLS, load_profile

    for name in (*AGENTS, *SKILLS):
        found = load_profile(name)
        kind = "skill" if name in SKILLS else "agent"
        typer.echo(f"{name:<16} {kind}  {found.says}: {', '.join(found.sections)}")


@app.command()
def reference(
    name: Annotated[str, typer.Argument(help="Such as terminology.md.")],
) -> None:
    """Print a reference document that contexts may leave out."""
    from director.planning.agent_profiles import read_profile_reference as text_of
    from director.planning.values import ProjectError

    try:
        typer.echo(text_of(name), nl=False)
    except ProjectError as error:
        fail("context reference", str(error))


def _keep(project: Path, made: Fresh, *, stable: bool) -> str:
    """Keep a context; where that cannot be done, say so and go on."""
    from director.fresh_context import keep_context

    try:
        return keep_context(project, made, stable=stable)[1]
    except OSError as error:
        return f"{made.report}  Not kept: {error.filename or project}: {error.strerror}\n"


def _write(out: Path, made: Fresh) -> None:
    from director.home import write_private
    from director.planning.kept_contexts import get_kept_manifest_path
    from director.planning.manifest import encode_manifest

    write_private(out, made.content)
    write_private(get_kept_manifest_path(out), encode_manifest(made.manifest).encode())


def _print(text: str) -> None:
    sys.stdout.flush()
    out = getattr(sys.stdout, "buffer", None)
    content = text.encode("utf-8", "surrogateescape")
    if out is None:
        sys.stdout.write(content.decode("utf-8", "replace"))
    else:
        out.write(content)
        out.flush()


def _as_json(made: Fresh, report: str) -> dict[str, object]:
    return {
        "context": made.text,
        "tokens": made.tokens,
        "sha256": made.sha256,
        "report": report,
        "manifest": made.manifest,
    }
