"""The command `director`: one sub-command for each thing that can be started from a terminal.

It reads arguments and prints; nothing is decided here. What a sub-command needs is imported when
it is run, so that help is quick.
"""

from __future__ import annotations

import os
from importlib.metadata import version
from typing import Annotated

import typer

import director.cli.workflow_try  # noqa: F401  adds its commands
from director.cli import (
    app_command,
    audit,
    chat,
    compress,
    demo,
    doctor,
    fresh_context,
    login,
    origin_commands,
    project,
    rehearse,
    request,
    runs,
    secret_commands,
    store,
    worker,
    workflow,
)
from director.cli.double import EPILOG, double
from director.cli.mcp import EPILOG as MCP_EPILOG
from director.cli.mcp import mcp
from director.cli.proxy import app as proxy
from director.distribution import NAME

app = typer.Typer(
    name="director",
    no_args_is_help=True,
    add_completion=False,
    # A crash must not print what a variable holds: it may be a key.
    pretty_exceptions_show_locals=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
    help=(
        "A context engine for AI agents: know what the model sees, pay for no more, lose nothing."
    ),
    epilog=(
        "Start with `director rehearse`: a whole conversation and the workflow it builds, without "
        "a key or a model. `director chat` is the real one; `director double` is a provider on "
        "this machine to test an agent against. `director doctor` says what works on this "
        "machine, `director COMMAND --help` more about a command."
    ),
)


# These write files of a project, which belong to whoever works on it.
_SHARED = ("init", "next", "status", "doctor")


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"director {version(NAME)}")
        raise typer.Exit


@app.callback()
def main(
    context: typer.Context,
    *,
    version: Annotated[  # noqa: ARG001  its callback reads it
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Show what can be started."""
    if context.invoked_subcommand not in _SHARED:
        # Stores, logs, reports, pictures and exports are for the user only.
        os.umask(0o077)


app.command("app", epilog=app_command.EPILOG)(app_command.app)
app.command("chat", epilog=chat.EPILOG)(chat.chat)
app.command("rehearse", epilog=rehearse.EPILOG)(rehearse.rehearse)
app.command("double", epilog=EPILOG)(double)
app.add_typer(proxy, name="proxy")
app.command("audit", epilog=audit.EPILOG)(audit.audit)
app.command("mcp", epilog=MCP_EPILOG)(mcp)
app.command("demo", epilog=demo.EPILOG)(demo.demo)
app.add_typer(workflow.app, name="workflow")
app.add_typer(runs.app, name="runs")
app.add_typer(origin_commands.app, name="origins")
app.add_typer(secret_commands.app, name="secret")
app.add_typer(secret_commands.app, name="secrets", hidden=True)
app.command("login", epilog=login.EPILOG)(login.login)
app.command("worker", epilog=worker.EPILOG)(worker.worker)
app.command("verify")(store.verify)
app.command("export", epilog=store.EXPORT)(store.export)
app.command("import")(store.import_)
app.command("purge")(store.purge)
app.command("compress", epilog=compress.EPILOG)(compress.compress)
app.add_typer(request.app, name="request")
app.add_typer(fresh_context.app, name="context")
app.command("init")(project.init)
app.command("status")(project.status)
app.command("next")(project.next_)
app.command("doctor", epilog=doctor.EPILOG)(doctor.doctor)
