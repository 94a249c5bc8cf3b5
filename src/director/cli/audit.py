"""`director audit`: what filled the window of a recorded session, what was lost, what it cost.

Reads files of this machine only; no model is called, nothing is sent.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from director.cli.command_setup import fail

EPILOG = (
    "Sessions are those that Claude Code and Codex keep under your home, and any JSON or JSONL "
    "file with the messages of an agent. Exit code 2: there is no such session."
)


def audit(
    session: Annotated[
        str,
        typer.Argument(
            help="A file, a part of a session's id, or latest; without it, the list of sessions.",
            show_default=False,
        ),
    ] = "",
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print the audit as JSON.")] = False,
    page: Annotated[
        Path | None,
        typer.Option(help="Write a page for a browser to this file.", metavar="FILE"),
    ] = None,
) -> None:
    """Show what filled the window of a coding agent's session, what was lost, and what it cost."""
    from director.audit.audit_page import render_audit_page
    from director.audit.audit_text import encode_audit, list_audit_lines
    from director.audit.session_audit import audit_session
    from director.audit.session_files import find_session_file, read_session
    from director.errors import DirectorError

    if not session:
        _list_sessions()
        return
    try:
        audited = audit_session(read_session(find_session_file(session)))
        if page is not None:
            page.write_text(render_audit_page(audited), encoding="utf-8")
    except (DirectorError, OSError) as error:
        fail("audit", str(error))
    if as_json:
        typer.echo(json.dumps(encode_audit(audited), ensure_ascii=False, indent=1))
        return
    for line in list_audit_lines(audited):
        typer.echo(line)
    if page is not None:
        typer.echo(f"The page is in {page}.")


def _list_sessions(most: int = 20) -> None:
    from director.audit.session_files import list_session_files

    found = list_session_files()
    if not found:
        typer.echo(
            "No sessions of Claude Code or Codex are on this machine. Give a file: "
            "director audit messages.json"
        )
        return
    for path in found[:most]:
        changed = datetime.fromtimestamp(path.stat().st_mtime, tz=UTC)
        typer.echo(f"{changed:%Y-%m-%d %H:%M}  {path.stat().st_size // 1024:>7,} kB  {path}")
    typer.echo(f"{len(found)} sessions. director audit latest, or a part of a name, shows one.")
