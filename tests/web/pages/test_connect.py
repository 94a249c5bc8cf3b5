"""Connecting a model: the provider decides the fields, a real call tests it, the choice is kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from playwright.sync_api import expect

from director.models.script_values import Ask, Emit, Say, Seen
from director.services.provider_keys import opens_with
from director.settings import load_settings
from director.store import open_store
from director.testing.double import Double
from web.pages.windows import App, enter, serving

KEY = "sk-of-this-server-only"


def _answers(seen: Seen) -> Sequence[Emit]:
    return [Ask("report_ready", '{"word": "ready"}')] if seen.tools else [Say("OK")]


def test_a_model_is_connected_by_its_address_after_a_test_that_really_asks_it(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its names are listed; a wrong one is told in words; Save is filled once the test has passed."""
    monkeypatch.delenv("DIRECTOR_MODEL")
    with (
        open_store(tmp_path / "empty.db") as store,
        serving(store, app.stage) as (url, studio),
        Double("vllm", _answers, keys=[KEY]) as double,
    ):
        page = app.context.new_page()
        enter(page, url, studio)
        expect(page.get_by_text("Not connected")).to_be_visible()
        expect(page.get_by_label("Base URL")).to_be_hidden()
        page.get_by_label("Provider").select_option("chat")
        page.get_by_label("Base URL").fill("http://127.0.0.1:1/v1")
        page.get_by_label("Base URL").press("Tab")
        expect(page.locator("#listed")).to_contain_text("does not answer with its models")
        page.get_by_label("Key, if the server needs one").fill(KEY)
        page.get_by_label("Base URL").fill(double.openai_url)
        page.get_by_label("Base URL").press("Tab")
        expect(page.locator("#listed")).to_contain_text("It has ")
        expect(page.locator("#model-name")).not_to_have_value("")
        page.get_by_role("button", name="Test").click()
        expect(page.locator("#tested")).to_contain_text("can call tools")
        expect(page.locator("#tested")).to_contain_text("window ")
        expect(page.locator("#save-model")).to_contain_class("pri")
        page.locator("#save-model").click()
        expect(page.get_by_text("Connected", exact=True)).to_be_visible()
        assert KEY not in page.content()
        assert load_settings().model.value.startswith(f"chat:{double.openai_url}#")
        # The stored key reaches its server again, and only that.
        opened = opens_with(studio.supplies.vault, load_settings().model.value, None)
        assert opened._hidden == KEY
        page.close()


def test_a_model_without_a_key_is_refused_in_words_where_it_is_typed(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is saved; the names of the provider are offered while one is typed."""
    monkeypatch.delenv("DIRECTOR_MODEL")
    page = app.open("/settings")
    page.get_by_label("Provider").select_option("anthropic")
    expect(page.locator("#usable option").first).to_be_attached()
    page.get_by_label("Model", exact=True).fill("claude-sonnet-4-5")
    page.get_by_role("button", name="Test").click()
    expect(page.locator("#connect .told")).to_contain_text("needs an API key")
    assert "anthropic" not in str(load_settings().model.value)
