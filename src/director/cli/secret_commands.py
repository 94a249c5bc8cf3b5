"""`director secret`: put secrets into the vault, and say where they may be typed.

A value is typed hidden or piped in; it is never an argument, and never shown.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import typer

from director.cli.command_setup import Url, fail, open_store_or_exit
from director.errors import DirectorError

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Store, list and remove secrets, and set where they may be typed.",
    epilog=(
        "Try it: `director secret set shop_password --origin https://shop.example`. "
        "Password fields of the origins that a secret is bound to need no question. Any other "
        "field is asked for at its first use, and the answer is remembered for that field."
    ),
)
Name: TypeAlias = Annotated[str, typer.Argument(help="The name of a secret.", metavar="NAME")]
Origin: TypeAlias = Annotated[str, typer.Argument(help="The origin, such as https://shop.example.")]
Field: TypeAlias = Annotated[str, typer.Argument(help="The field, as it was asked for.")]


@app.command("set")
def set_(
    *,
    name: Name,
    origin: Annotated[
        list[str],
        typer.Option("--origin", help="Where it may be used; once for each.", metavar="ORIGIN"),
    ],
    store: Url = None,
) -> None:
    """Store a value in the vault under a name; replaces what was there.

    The value is typed hidden, or read from what is piped in, up to the end of its first line.
    """
    from director.cli.hidden_entry import read_hidden
    from director.secrets import OriginError, Reference, VaultError, parse_origin_binding
    from director.services.secrets import list_secrets, put_secret
    from director.services.workspace import make_workspace

    try:
        reference = Reference(name)
        origins = [str(parse_origin_binding(each)) for each in origin]
    except (OriginError, ValueError) as problem:
        fail("secret set", f"{problem} Nothing was changed.")
    value = read_hidden(f"Value of {name} (hidden): ")
    if not value:
        fail("secret set", "no value was given. Nothing was changed")
    with open_store_or_exit(store, "secret set", make=True) as opened:
        workspace = make_workspace(opened)
        try:
            leak = put_secret(workspace, name, value, origins=origins)
            (kept,) = [one for one in list_secrets(workspace) if one.name == name]
        except VaultError as problem:
            fail("secret set", f"{problem} Nothing was changed.")
    typer.echo(f"{reference} is in the vault, for {', '.join(origins)} only.")
    if kept.warning:
        typer.echo(f"Note: {kept.warning}.", err=True)
    if leak is not None:
        typer.echo(str(leak), err=True)


@app.command("remove")
def remove(*, name: Name, store: Url = None) -> None:
    """Remove a secret from the vault; what needs it fails from now on and says so."""
    from director.secrets import VaultError
    from director.services.secrets import remove_secret
    from director.services.workspace import make_workspace

    with open_store_or_exit(store, "secret remove", make=True) as opened:
        try:
            remove_secret(make_workspace(opened), name)
        except VaultError as problem:
            fail("secret remove", f"{problem} Nothing was changed.")
    typer.echo(f"{name} is no longer in the vault.")


@app.command("list")
def list_(*, store: Url = None) -> None:
    """List the secrets by name, the origins they are bound to, and the fields answered for."""
    from director.cli.outline import columns
    from director.secrets import VaultError
    from director.services.secrets import list_secrets, list_used_secrets
    from director.services.workspace import make_workspace

    with open_store_or_exit(store, "secret list", make=True) as opened:
        workspace = make_workspace(opened)
        try:
            rows = [
                [one.name, origin, "password fields", _describe_binding(one.warning)]
                for one in list_secrets(workspace)
                for origin in one.origins
            ]
        except VaultError as problem:
            fail("secret list", str(problem))
        rows += [
            [use.secret, use.origin, use.field, state]
            for use, state in list_used_secrets(workspace)
        ]
    if not rows:
        typer.echo("The vault holds no secret.")
        return
    typer.echo(columns(("secret", "origin", "field", "state"), sorted(rows)))


@app.command()
def allow(*, name: Name, origin: Origin, field: Field, store: Url = None) -> None:
    """Let a secret be typed into a field of an origin it is bound to; this lifts a refusal."""
    _answer(name, origin, field, store=store, word="allow")


@app.command()
def refuse(*, name: Name, origin: Origin, field: Field, store: Url = None) -> None:
    """Let no run ask again whether a secret may be typed into a field."""
    _answer(name, origin, field, store=store, word="refuse")


def _answer(name: str, origin: str, field: str, *, store: str | None, word: str) -> None:
    from director.runs.secret_uses import SecretUse
    from director.services.secrets import answer_secret_use
    from director.services.workspace import make_workspace

    with open_store_or_exit(store, f"secret {word}", make=True) as opened:
        state: Literal["approved", "refused"] = "approved" if word == "allow" else "refused"
        try:
            answer_secret_use(make_workspace(opened), SecretUse(name, origin, field), state)
        except DirectorError as problem:
            fail(f"secret {word}", f"{problem} Nothing was changed.")
    typer.echo(f"{name} on {origin}, {field}: {state}.")


def _describe_binding(warning: str) -> str:
    return f"bound; {warning}" if warning else "bound"
