"""`director secrets`: where secrets may be typed. Values are never shown, nor typed here."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from director.cli.opening import Url, fail, opened_store

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="See where secrets may be typed, allow a field for one, or refuse it.",
    epilog=(
        "Password fields of the origins that a secret is bound to need no question. Any other "
        "field is asked for at its first use, and the answer is remembered for that field."
    ),
)
Name: TypeAlias = Annotated[str, typer.Argument(help="The name of a secret.", metavar="NAME")]
Origin: TypeAlias = Annotated[str, typer.Argument(help="The origin, such as https://shop.example.")]
Field: TypeAlias = Annotated[str, typer.Argument(help="The field, as it was asked for.")]


@app.command("list")
def list_(*, store: Url = None) -> None:
    """List the secrets by name, the origins they are bound to, and the fields answered for."""
    from director.cli.outline import columns
    from director.runs.secret_uses import uses
    from director.runs.supplies import Supplies, Wishes
    from director.secrets import SHORT, VaultError

    with opened_store(store, "secrets list", make=True) as opened:
        vault = Supplies(opened, Wishes()).vault
        try:
            rows = [
                [
                    *(name, str(origin), "password fields"),
                    f"bound; {SHORT}" if vault.is_short(name) else "bound",
                ]
                for name in vault.names()
                for origin in vault.origins(name)
            ]
        except VaultError as problem:
            fail("secrets list", str(problem))
        rows += [[use.secret, use.origin, use.field, state] for use, state in uses(opened)]
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
    from director.runs.secret_uses import SecretUse, remember_use
    from director.runs.supplies import Supplies, Wishes
    from director.secrets import SecretRefused, VaultError

    with opened_store(store, f"secrets {word}", make=True) as opened:
        vault = Supplies(opened, Wishes()).vault
        state = "approved" if word == "allow" else "refused"
        try:
            remember_use(opened, SecretUse(name, origin, field), state, vault)  # type: ignore[arg-type]
        except (SecretRefused, VaultError) as problem:
            fail(f"secrets {word}", f"{problem} Nothing was changed.")
    typer.echo(f"{name} on {origin}, {field}: {state}.")
