"""What a node that looks harmless sends or clicks: asked for before it happens, not told after."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from agent.office import SAY, asks, desk
from attacks.shops import shop, shown_always
from attacks.test_effects import FIELDS
from browser.sites import site as served
from director.agent.permissions.effect_approval import answer_effect, list_requested_effects
from director.agent.turn import take_turn
from director.browser import Browser
from director.store import Store

LATE = "<input id=f oninput='setTimeout(() => this.form.submit(), 50)'>"
FRAME = "<iframe name=sink></iframe><input id=f oninput=this.form.requestSubmit()>"
TYPES = {"action": "type", "selector": "#f", "text": "b"}
SENDS: dict[str, tuple[str, dict[str, Any], str]] = {
    **{name: (field, config, "") for name, (field, config) in FIELDS.items()},
    "a little later": (LATE, TYPES, ""),
    "into a frame": (FRAME, TYPES, "target=sink"),
    "into a new window": (FIELDS["type"][0], TYPES, "target=_blank"),
}


@pytest.mark.promise("E1")
@pytest.mark.attack(
    "A page sends a form as soon as something is chosen, checked or typed: at once, a little later, "
    "into a frame, into a new window; by a node and by a call that is no node",
    must="nothing is sent; the user is shown what would be sent where, and asked; once approved it is sent",
    tries=7,
)
@pytest.mark.parametrize("how", [*SENDS, "by a call"])
def test_a_form_is_asked_for_before_it_is_sent(
    runner: asyncio.Runner, browser: Browser, store: Store, how: str
) -> None:
    """In the browser itself, also where the connection is encrypted."""
    field, config, target = SENDS.get(how, SENDS["type"])
    form = f"<form method=post action=/buy {target}>{field}</form>"
    with served({"/": form, "/buy": "sold"}) as site:
        shop(store, {"config": config}, origins=(site.origin,))
        there = asks("debug_navigate", url=site.origin, reason="r")
        call = asks("test_single_node", node="n0")
        if how == "by a call":
            call = asks("debug_action", action="type", selector="#f", text="b", reason="r")
        made = shown_always(desk(store, [[there], [call], [call], SAY], browser=browser))
        turn = runner.run(take_turn(made, "Do it."))
        assert turn.ended == "waiting"
        assert "/buy" not in site.paths
        (asked,) = list_requested_effects(store, "w")
        assert turn.effects == (asked.key,)
        assert f"POST to {site.origin}" in asked.does
        answer_effect(store, "w", asked.key, "approved")
        if how != "check":
            # A box that is checked is not checked again: nothing is sent by it.
            runner.run(take_turn(made, "Yes."))
            runner.run(made.bench.close())
            assert "/buy" in site.paths
        runner.run(made.close())


@pytest.mark.promise("E1")
@pytest.mark.attack(
    "A page sends a form as soon as it is opened, by a node or by a call that is no node",
    must="nothing is sent; the user is shown what would be sent where, and asked",
    tries=2,
)
@pytest.mark.parametrize("by", ["node", "call"])
def test_opening_a_page_sends_no_form(
    runner: asyncio.Runner, browser: Browser, store: Store, by: str
) -> None:
    """To go to an address is free; what its page does with it is not."""
    form = "<form method=post action=/buy></form><script>document.forms[0].submit()</script>"
    with served({"/": form, "/buy": "sold"}) as site:
        config = {"action": "navigate", "url": site.origin}
        shop(store, {"config": config}, origins=(site.origin,))
        call = asks("debug_navigate", url=site.origin, reason="r")
        call = asks("test_single_node", node="n0") if by == "node" else call
        made = shown_always(desk(store, [[call]], browser=browser))
        assert runner.run(take_turn(made, "Look.")).ended == "waiting"
        runner.run(made.close())
        assert "/buy" not in site.paths


@pytest.mark.promise("E1")
@pytest.mark.attack(
    "A node that only reads or hands a file over clicks what it is told to: as the way to the next "
    "page of a list, as the button that asks for a file",
    must="nothing is clicked; the user is shown the element, and asked",
    tries=2,
)
@pytest.mark.parametrize(
    "node",
    [
        {
            "type": "browser_query",
            "config": {"method": "extract_all", "selector": "p", "next": "#buy"},
        },
        {"config": {"action": "upload", "selector": "#buy", "file": "a.txt"}},
    ],
    ids=["extract_all", "upload"],
)
def test_what_clicks_is_asked_for_whatever_it_is_called(store: Store, node: dict[str, Any]) -> None:
    """No browser is opened before the answer."""
    shop(store, node)
    made = desk(store, [[asks("test_single_node", node="n0")]])
    turn = asyncio.run(take_turn(made, "Read the list."))
    assert turn.ended == "waiting"
    (asked,) = list_requested_effects(store, "w")
    assert "#buy" in asked.does
    assert made.bench.live is None
