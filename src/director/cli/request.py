"""`director request`: every request that was made, exactly as it left, and made again offline.

It only reads. Exit code 1 means that a replay was not the same; 2 that something is not there.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, TypeAlias, cast

import typer

from director.cli.command_setup import Url, fail, open_store_or_exit

if TYPE_CHECKING:
    from director.store import Store, Versioned

app = typer.Typer(no_args_is_help=True, help="See every request that was made, exactly as it left.")
Thread: TypeAlias = Annotated[
    str | None,
    typer.Option("--thread", help="A thread; without it, the newest that has any.", metavar="ID"),
]
Number: TypeAlias = Annotated[int, typer.Argument(help="The number of a request, from the list.")]


@app.command("list")
def list_(*, thread: Thread = None, store: Url = None) -> None:
    """List the requests of a thread: when, for what, to whom, how large, what they cost."""
    from director.services.requests import list_request_records
    from director.services.workspace import make_workspace

    with open_store_or_exit(store, "request") as opened:
        where = _thread(opened, thread)
        typer.echo(f"Requests of {where}:")
        for one in list_request_records(make_workspace(opened), where):
            typer.echo(_line(one))


@app.command()
def show(
    number: Number,
    *,
    raw: Annotated[bool, typer.Option("--raw", help="The exact body, byte for byte.")] = False,
    attempt: Annotated[int, typer.Option(help="Which attempt's body.", min=1)] = 1,
    thread: Thread = None,
    store: Url = None,
) -> None:
    """Show a request by part, with tokens and price, and what was cut from it."""
    from director.services.requests import read_request_body, read_request_record
    from director.services.workspace import make_workspace

    with open_store_or_exit(store, "request") as opened:
        where, workspace = _thread(opened, thread), make_workspace(opened)
        if raw:
            sys.stdout.buffer.write(read_request_body(workspace, where, number, attempt))
            return
        for line in _render_request(read_request_record(workspace, where, number)):
            typer.echo(line)


@app.command()
def diff(one: Number, other: Number, *, thread: Thread = None, store: Url = None) -> None:
    """Show how two requests differ, line by line of their bodies."""
    from director.services.requests import compare_request_bodies
    from director.services.workspace import make_workspace

    with open_store_or_exit(store, "request") as opened:
        where = _thread(opened, thread)
        for line in compare_request_bodies(make_workspace(opened), where, one, other, around=1):
            typer.echo(line)


@app.command()
def replay(number: Number, *, thread: Thread = None, store: Url = None) -> None:
    """Make a request again from the store, offline, and compare it byte for byte."""
    from director.services.requests import replay_request
    from director.services.workspace import make_workspace

    with open_store_or_exit(store, "request") as opened:
        where = _thread(opened, thread)
        found = asyncio.run(replay_request(make_workspace(opened), where, number))
    if found.same:
        typer.echo(f"The same, byte for byte: {len(found.sent):,} bytes. Nothing was sent.")
        return
    at = found.differs or 0
    typer.echo(f"They part at byte {at:,} of {len(found.sent):,}.", err=True)
    typer.echo(f"sent: …{_near(found.sent, at)}…", err=True)
    typer.echo(f"made: …{_near(found.made, at)}…", err=True)
    raise typer.Exit(1)


def _thread(opened: Store, given: str | None) -> str:
    known = opened.ids("request")
    if given is not None and given not in known:
        fail("request", f"no request was kept for the thread {given!r}")
    if not known:
        fail("request", "no request was kept yet")
    newest = {name: opened.get("request", name) for name in known}
    return given or max(known, key=lambda name: getattr(newest[name], "position", 0))


def _line(one: Versioned) -> str:
    body = one.body
    report = cast("Mapping[str, object]", body["report"])
    at = datetime.fromtimestamp(cast("float", body["at"]), UTC).strftime("%Y-%m-%d %H:%M:%S")
    cost = f"${float(str(body['cost'])):.4f}" if body.get("cost") else "–"
    size = f"{report['after']:,} tokens"
    return (
        f"{one.version:>5}  {at}  {body['purpose']:<8}  {body['model']}  {size:>14}  {cost:>9}  "
        f"{body['outcome']}"
    )


def _render_request(one: Versioned) -> list[str]:
    from director.agent.request_log.kept_requests import compute_kept_request_price

    body = one.body
    report = cast("Mapping[str, object]", body["report"])
    parts = cast("Sequence[Mapping[str, object]]", body["parts"])
    total = sum(cast("int", part["tokens"]) for part in parts) or 1
    price = compute_kept_request_price(body)
    lines = [_line(one), ""]
    for part in parts:
        share = cast("int", part["tokens"]) / total
        money = f"${price * share:.5f}" if price is not None else ""
        lines.append(
            f"  {part['place']!s:<13} {part['name']!s:<14} {part['tokens']:>9,}  {share:>5.1%}"
            f"  {money}"
        )
    lines.append(f"  {'all':<28} {total:>9,}  of {report['limit']:,} allowed")
    usage = body.get("usage")
    if isinstance(usage, Mapping):
        writes = sum(cast("dict[str, int]", usage["writes"]).values())
        lines.append(
            f"  reported: {usage['uncached']:,} new, {usage['read']:,} from the cache, "
            f"{writes:,} written to it, {usage['output']:,} out"
        )
    if report["lost"]:
        lines.append(f"  cut: {report['lost']} parts, {report['before']:,} → {report['after']:,}")
    if report["gap"]:
        lines.append(f"  gap: {report['gap']}")
    attempts = cast("Sequence[Mapping[str, object]]", body["attempts"])
    told = ", ".join(str(one["outcome"]) for one in attempts)
    lines.append(f"  attempts: {told or 'none'}")
    lines += [f"  warning: {one}" for one in cast("Sequence[str]", body.get("warnings") or ())]
    if body.get("failure"):
        lines.append(f"  failed: {body['failure']}")
    return lines


def _near(body: bytes, at: int) -> str:
    return body[max(0, at - 40) : at + 40].decode("utf-8", "replace")
