"""`director doctor`: what is configured, what works, what is missing, and how to fix it.

It prints; what there is to see is looked at in `director.cli.findings`.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from director.cli.command_setup import Url
from director.cli.project import HERE, Root

if TYPE_CHECKING:
    from collections.abc import Sequence

    from director.cli.findings import SetupFinding

MARKS = {"works": ("✓", "green"), "broken": ("✗", "bold red"), "absent": ("–", "dim")}
EPILOG = (
    "✓ works, ✗ is configured and does not work, – is not there, which may be as you want it. "
    "Keys are named, never shown. `director doctor --json` is for scripts."
)


def doctor(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead.")] = False,
    store: Url = None,
    project: Root = HERE,
    fix: Annotated[
        bool, typer.Option("--fix", help="Fix the files of the project where that is offered.")
    ] = False,
) -> None:
    """Look at everything Director needs, one line each, and say how to fix what is broken.

    Exits with 1 if something that is configured does not work.
    """
    from director.cli.findings import look
    from director.cli.project_findings import apply_fixes, look_at_project

    if fix:
        for path in apply_fixes(project):
            typer.echo(f"fixed {path}", err=True)
    found = [*look(os.environ, store), *look_at_project(project)]
    broken = [each for each in found if each.state == "broken"]
    if as_json:
        findings = [asdict(each) for each in found]
        typer.echo(json.dumps({"ok": not broken, "findings": findings}, indent=2))
    else:
        _print(found, len(broken))
    if broken:
        raise typer.Exit(1)


def _print(found: Sequence[SetupFinding], broken: int) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, markup=False)
    wide = max(len(each.name) for each in found)
    for each in found:
        mark, style = MARKS[each.state]
        line = Text.assemble((mark, style), f" {each.name:<{wide}}  ", " ".join(each.said.split()))
        if each.source:
            line.append(f"  ({each.source})", "dim")
        if each.mend:
            line.append(f"  → {each.mend}", "yellow" if each.state == "broken" else "dim")
        console.print(line, soft_wrap=True)
    end = f"{broken} to fix, see ✗." if broken else "Everything that is configured works."
    console.print(Text(end, "bold red" if broken else "green"))
