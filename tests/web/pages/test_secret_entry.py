"""Secrets in the page: a card with a hidden field, a question before a password leaves, no value shown."""

from __future__ import annotations

import json

from playwright.sync_api import expect

from director.agent import approve_origin, ensure_current_thread
from director.secrets import Reference
from web.pages.windows import App, a_workflow, ask, say

SHOP = "https://shop.example"
VALUE = "Sommer-Birne#55"


def test_a_secret_that_is_asked_for_is_entered_hidden_and_the_turn_goes_on(app: App) -> None:
    """The card shows the name, the site and the reason; then the call goes on that waits for it."""
    a_workflow(app.store, "asks")
    approve_origin(app.store, "asks", SHOP)
    app.stage.lines["Log in."] = [
        ask("ask_secret", name="shop_password", origin=SHOP, reason="to log in <b>now</b>"),
        say("I log in."),
    ]
    page = app.open("/w/asks")
    page.fill("#say", "Log in.")
    page.press("#say", "Enter")
    card = page.locator("[id^=secret-]").first
    expect(card).to_contain_text(SHOP)
    expect(card).to_contain_text("to log in <b>now</b>")
    field = card.locator("input[type=password]")
    field.fill(VALUE)
    card.get_by_role("button", name="Save in the vault").click()
    expect(page.get_by_text("I log in.")).to_be_visible()
    vault = app.studio.supplies.vault
    assert vault.reveal(Reference("shop_password"), SHOP).use() == VALUE
    entries = app.store.entries(ensure_current_thread(app.store, "asks"))
    assert VALUE not in json.dumps([dict(one.body) for one in entries])
    assert VALUE not in page.content()


def test_a_typed_password_is_asked_about_before_it_leaves(app: App) -> None:
    """Nothing is stored until the user decides; kept, the message names its reference."""
    a_workflow(app.store, "types")
    app.stage.lines["My password is {{secret:mail_password}}"] = [say("Good.")]
    page = app.open("/w/types")
    page.fill("#say", "My password is Herbst-Rose#66")
    page.press("#say", "Enter")
    expect(page.locator("#password-asked")).to_be_visible()
    assert app.store.head(ensure_current_thread(app.store, "types")) == 0
    page.fill("#password-name", "mail_password")
    page.fill("#password-origin", SHOP)
    page.click("#password-keep")
    expect(page.get_by_text("Good.")).to_be_visible()
    entries = app.store.entries(ensure_current_thread(app.store, "types"))
    assert "Herbst-Rose" not in json.dumps([dict(one.body) for one in entries])


def test_a_message_that_is_too_large_is_refused_while_it_is_typed(app: App) -> None:
    """With its size and what fits; a turn can be left out of what is sent."""
    a_workflow(app.store, "large")
    app.stage.lines["Hello."] = [say("Hello you.")]
    page = app.open("/w/large")
    page.fill("#say", "word " * 190_000)
    expect(page.locator("#composer .told")).to_contain_text("too large")
    assert app.store.head(ensure_current_thread(app.store, "large")) == 0
    page.fill("#say", "Hello.")
    page.press("#say", "Enter")
    expect(page.get_by_text("Hello you.")).to_be_visible()
    page.locator("article.user").get_by_role("button", name="Leave out").click()
    expect(page.locator("article.user")).to_have_count(0)
