"""What the user presses in the app about sites and effects is what is stored, and what is done."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from attacks.shops import BUY, SHOP, shop
from director.agent.permissions.effect_approval import list_requested_effects
from director.agent.saved_workflow import SavedState
from director.store import Store
from web.pages.conftest import _home, app  # noqa: F401  fixtures
from web.pages.windows import App, ask, say

ALL = "Allow everything on this site"


def _states(store: Store) -> dict[str, str]:
    return {one.name: one.state for one in list_requested_effects(store, "w")}


def _tell(page: Page, text: str) -> None:
    page.fill("#say", text)
    page.press("#say", "Control+Enter")


@pytest.mark.promise("E1")
@pytest.mark.attack(
    "A button of the app about a site or an effect does something else than it says, or nothing",
    must="Refuse keeps the effect from being run and asked for again, Allow lets this one happen, "
    "Allow everything only where it is pressed; the list of sites takes each back",
    tries=5,
)
def test_what_is_pressed_is_what_is_done(app: App) -> None:  # noqa: F811
    """In a real browser: the card of the chat, and the list beside the browser."""
    other = {**BUY, "selector": "#more"}
    shop(app.store, {"config": BUY}, {"config": other})
    app.stage.lines["Buy."] = [ask("test_single_node", node="n0"), say("It was refused.")]
    app.stage.lines["Buy more."] = [ask("test_single_node", node="n1"), say("It was done.")]
    page = app.open("/w/w")

    _tell(page, "Buy.")
    card = page.locator("[id^=effect-]")
    expect(card).to_contain_text("Let “n0” run?")
    expect(card).to_contain_text(f"click #buy on {SHOP}")
    assert _states(app.store) == {"n0": "asked"}
    card.get_by_role("button", name="Refuse").click()
    expect(card).to_have_count(0)
    assert _states(app.store) == {"n0": "refused"}

    sites = page.locator("#sites")
    sites.locator("summary").click()
    effect = sites.locator(".row", has_text="click #buy").first
    expect(effect).to_contain_text("refused")
    effect.get_by_role("button", name="Allow").click()
    expect(effect).to_contain_text("allowed")
    assert _states(app.store) == {"n0": "approved"}
    effect.get_by_role("button", name="Refuse").click()
    expect(effect).to_contain_text("refused")

    _tell(page, "Buy more.")
    expect(card).to_contain_text("click #more")
    card.get_by_role("button", name=ALL).click()
    expect(card).to_have_count(0)
    assert _states(app.store) == {"n0": "refused", "n1": "approved", "everything": "approved"}

    site = sites.locator(".row", has_text=SHOP).first
    site.get_by_role("button", name="Refuse").click()
    expect(site).to_contain_text("refused")
    assert SavedState(app.store, "w").workflow().origins == ()
    site.get_by_role("button", name="Allow").click()
    expect(site).to_contain_text("allowed")
    assert SavedState(app.store, "w").workflow().origins == (SHOP,)
