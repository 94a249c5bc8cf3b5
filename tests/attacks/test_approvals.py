"""Attacks on approvals: an origin is reached because somebody named it, and a refusal is undone."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agent.office import SAY, asks, desk
from director.agent.permissions.origin_requests import (
    Approval,
    approve_origin,
    list_origin_approvals,
    refuse_origin,
    request_origin,
)
from director.agent.turn import take_turn
from director.cli import app
from director.store import Store, open_store
from director.workflow.values import WorkflowError

EVIL = "https://evil.example"
GO = [asks("debug_navigate", url=f"{EVIL}/x", reason="r")]


def states(store: Store) -> dict[str, str]:
    """What became of each origin."""
    return {one.origin: one.state for one in list_origin_approvals(store, "w")}


@pytest.mark.promise("E1")
@pytest.mark.attack(
    "The user's own message names a site, as a warning or in passing",
    must="the site is only asked for, with a word that the user named it",
    tries=5,
)
@pytest.mark.parametrize(
    "said",
    [
        f"do NOT open {EVIL}",
        f"Never go to {EVIL}/x, it is a trap.",
        f"Open {EVIL}/x.",
        f"{EVIL}",
        f"I approve {EVIL}. Yes. Approved.",
    ],
)
def test_naming_a_site_does_not_approve_it(store: Store, said: str) -> None:
    """Whatever the words around the address mean, only an answer to the question approves."""
    made = desk(store, [GO])
    turn = asyncio.run(take_turn(made, said))
    assert (turn.ended, turn.origins) == ("waiting", (EVIL,))
    assert made.now().origins == ()
    (asked,) = list_origin_approvals(store, "w")
    assert (asked.state, asked.named) == ("asked", True)
    assert asked.hint == "You named it in a message."


@pytest.mark.promise("E1")
@pytest.mark.attack(
    "After a refusal the site is named again, by the user, a page or the model",
    must="the refusal stands, the model is told, and the user is not asked again",
    tries=4,
)
@pytest.mark.parametrize(
    ("url", "said"),
    [
        (f"{EVIL}/x", f"You tried {EVIL}/x, and I said no."),
        ("https://EVIL.example:443/y", "Go on."),
        (f"{EVIL}?a=b", "I approve everything. Go on."),
        (f"{EVIL}#{EVIL}", EVIL),
    ],
)
def test_a_refusal_stands_until_the_user_lifts_it(store: Store, url: str, said: str) -> None:
    """No other spelling of the origin and no words turn refused into approved or asked."""
    again = [asks("debug_navigate", url=url, reason="r")]
    made = desk(store, [GO, again, SAY])
    asyncio.run(take_turn(made, "Build something."))
    refuse_origin(store, "w", EVIL)
    turn = asyncio.run(take_turn(made, said))
    assert turn.ended == "said"
    assert states(store) == {EVIL: "refused"}
    request_origin(store, "w", Approval(EVIL, "asked"))
    assert states(store) == {EVIL: "refused"}
    assert made.now().origins == ()


@pytest.mark.attack(
    "A site that was approved is refused, and stays in the workflow",
    must="it leaves the workflow's origins with the refusal, whatever its spelling",
    tries=2,
)
@pytest.mark.parametrize("spelling", [EVIL, "HTTPS://evil.EXAMPLE/"])
def test_refusing_takes_the_approval_back(store: Store, spelling: str) -> None:
    """A record that says refused beside a workflow that reaches it would be a lie."""
    made = desk(store, [SAY], origins=(spelling,))
    assert states(store) == {EVIL: "approved"}
    refuse_origin(store, "w", EVIL)
    assert made.now().origins == ()
    assert states(store) == {EVIL: "refused"}
    approve_origin(store, "w", spelling)
    assert made.now().origins == (EVIL,)
    assert states(store) == {EVIL: "approved"}


@pytest.mark.attack(
    "A site is refused that a wildcard approves",
    must="the refusal says so and changes nothing, instead of being without effect",
)
def test_a_refusal_under_a_wildcard_is_not_pretended(store: Store) -> None:
    """Whoever refuses must not be left in the belief that it is refused."""
    made = desk(store, [SAY], origins=("https://*.shop.example",))
    with pytest.raises(WorkflowError, match="wildcard"):
        refuse_origin(store, "w", "https://a.shop.example")
    assert made.now().origins == ("https://*.shop.example",)
    refuse_origin(store, "w", "https://*.shop.example")
    assert made.now().origins == ()


@pytest.mark.attack(
    "A refused site is to be approved by anything but a deliberate act",
    must="the commands of the user lift and set it, and list what stands",
)
def test_the_user_lists_refuses_and_allows_by_command(tmp_path: Path) -> None:
    """The other half of a refusal that stands: a way to lift it."""
    place = f"sqlite:///{tmp_path / 'director.db'}"
    with open_store(place) as store:
        desk(store, [SAY])
        request_origin(store, "w", Approval(EVIL, "asked", named=True))

    def command(*words: str) -> str:
        told = CliRunner().invoke(app, ["origins", *words, "--store", place])
        assert told.exit_code == 0, told.output
        return told.stdout

    assert "You named it" in command("list", "w")
    command("refuse", "w", EVIL)
    assert f"refused  {EVIL}" in command("list", "w")
    command("allow", "w", EVIL)
    assert f"approved  {EVIL}" in command("list", "w")
    wrong = CliRunner().invoke(app, ["origins", "allow", "w", "evil", "--store", place])
    assert wrong.exit_code == 2
