"""Runs: start with inputs in a form, watch, answer, cancel, resume; history, timeline, results."""

from __future__ import annotations

import csv
import io
import json
from itertools import pairwise
from pathlib import Path

from playwright.sync_api import expect

from web.pages.windows import App, a_workflow


def test_a_run_is_started_with_inputs_watched_answered_and_read(app: App) -> None:
    """The form has the inputs; the question is answered in place; records come as CSV and JSON."""
    a_workflow(app.store, "prices", "Prices")
    page = app.open("/w/prices/runs")
    expect(page.get_by_text("No run yet")).to_be_visible()
    assert page.get_by_label("password").get_attribute("type") == "password"
    page.get_by_label("rate").fill("10")
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".ask")).to_contain_text("Which code did you get?")
    expect(page.locator("#run-state")).to_contain_text("Waits for you")
    page.get_by_label("Your answer").fill("123456")
    page.get_by_role("button", name="Answer").click()
    expect(page.locator("#run-state")).to_contain_text("Passed")
    expect(page.locator(".step", has_text="convert")).to_have_count(2)
    for form in ("CSV", "JSON"):
        with page.expect_download() as handed:
            page.get_by_role("link", name=form).first.click()
        text = Path(handed.value.path()).read_text()
        rows = list(csv.DictReader(io.StringIO(text))) if form == "CSV" else json.loads(text)
        assert [str(row["convert"]) for row in rows] == ["30", "50"]
    page.goto(f"{app.url}/w/prices/runs")
    expect(page.locator("td .st")).to_contain_text("Passed")


def test_a_one_time_code_is_asked_in_the_chat(app: App) -> None:
    """Whoever builds need not look for the run that waits."""
    a_workflow(app.store, "codes")
    page = app.open("/w/codes/runs")
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".ask")).to_be_visible()
    chat = app.open("/w/codes")
    card = chat.locator("#tail .ask")
    expect(card).to_contain_text("Which code did you get?")
    card.get_by_label("Your answer").fill("42")
    card.get_by_role("button", name="Answer").click()
    expect(card).to_have_count(0)
    expect(page.locator("#run-state")).to_contain_text("Passed")


def test_a_run_is_cancelled_and_resumed(app: App) -> None:
    """What it has finished stays done."""
    a_workflow(app.store, "cancels")
    page = app.open("/w/cancels/runs")
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".ask")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#run-state")).to_contain_text("Cancelled")
    page.get_by_role("button", name="Resume").click()
    expect(page.locator(".ask")).to_be_visible()
    expect(
        page.locator(".step", has_text="find").first.get_by_role("img", name="Passed")
    ).to_be_visible()


def test_a_run_says_what_it_does_now_and_no_bar_reaches_into_the_next(app: App) -> None:
    """The header follows the run from its question to its result."""
    a_workflow(app.store, "bars")
    page = app.open("/w/bars/runs")
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".now")).to_contain_text("Waits for your answer")
    page.get_by_label("Your answer").fill("1")
    page.get_by_role("button", name="Answer").click()
    expect(page.locator(".now")).to_contain_text("Result")
    expect(page.locator("#run-state")).to_contain_text("Passed")
    bars = page.evaluate(
        "[...document.querySelectorAll('.tl')].map((one) => [one.querySelector('.row').className, "
        "...[...one.querySelectorAll('rect + rect')].flatMap((bar) => "
        "[Number(bar.getAttribute('x')), Number(bar.getAttribute('width'))])])"
    )
    depths = {bar[0] for bar in bars}
    for depth in depths:
        beside = sorted((one[1], one[2]) for one in bars if one[0] == depth and len(one) == 3)
        for (left, width), (following, _) in pairwise(beside):
            assert left + width <= following + 0.31
