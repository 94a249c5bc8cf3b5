"""The context monitor and the inspector, compression with all that belongs to it."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import Page, expect

from director.agent import ensure_current_thread
from director.store.compression import list_compression_history
from web.pages.windows import FOREVER, App, a_talk, ask, say


def compress(page: Page) -> None:
    """Have a summary written and apply it."""
    page.locator("#compress").click()
    page.get_by_role("button", name="Write the summary").click()
    expect(page.locator("#preview-text")).to_contain_text("lamp-0")
    page.locator("#dialog").get_by_role("button", name="Compress", exact=True).click()
    expect(page.locator("#dialog")).to_be_hidden()


def test_s0_14_the_monitor_is_always_there_and_opens_the_inspector(app: App) -> None:
    """Size against warning and limit, parts by name, the price; a link to what was sent."""
    a_talk(app.store, "meters")
    page = app.open("/w/meters")
    meter = page.locator("#meter")
    expect(meter).to_contain_text("warns at 160K")
    titles = meter.locator("rect title").all_text_contents()
    assert {one.partition(":")[0] for one in titles} >= {"System prompt", "Tools", "Results"}
    meter.locator("summary").click()
    for word in ("below the warning", "limit 180K", "System prompt", "Results", "So far"):
        expect(meter.get_by_text(word).last).to_be_visible()
    meter.get_by_role("link", name="What the model saw").click()
    expect(page.get_by_text("No request was made yet")).to_be_visible()


def test_the_inspector_shows_exactly_what_was_sent_and_how_two_requests_differ(app: App) -> None:
    """By part with tokens, share and price; the text itself; the difference; what was cut."""
    a_talk(app.store, "inspects", rounds=2)
    app.stage.lines["Look."] = [ask("get_workflow_summary"), say("Seen.")]
    page = app.open("/w/inspects")
    page.fill("#say", "Look.")
    page.press("#say", "Enter")
    expect(page.locator("section .message.agent").last).to_contain_text("Seen.")
    page.goto(f"{app.url}/w/inspects/requests")
    expect(page.locator("svg.time")).to_be_visible()
    expect(page.locator("tbody tr")).to_have_count(2)
    page.get_by_role("link", name="2", exact=True).first.click()
    expect(page.locator("table.parts")).to_contain_text("System prompt")
    page.get_by_role("tab", name="Left out").click()
    expect(page.get_by_text("Nothing was cut: the model saw all of it.")).to_be_visible()
    page.get_by_role("tab", name="Text").click()
    page.locator(".part-text summary", has_text="Your messages").click()
    expect(page.locator(".part-text pre:visible")).to_contain_text("Get lamp-1.")
    page.get_by_role("tab", name="Compare").click()
    page.get_by_role("button", name="Compare").click()
    page.get_by_role("tab", name="Compare").click()
    expect(page.locator("#difference .added").first).to_be_visible()
    expect(page.locator("#difference details", has_text="System prompt")).to_contain_text("same")


def test_requests_are_listed_fifty_at_a_time(app: App) -> None:
    """The newest first, older ones behind a link, and back to the newest."""
    thread = a_talk(app.store, "many", rounds=1)
    app.stage.lines["Count."] = [say("One.")]
    page = app.open("/w/many")
    page.fill("#say", "Count.")
    page.press("#say", "Enter")
    expect(page.locator("section .message.agent").last).to_contain_text("One.")
    made = app.store.get("request", thread)
    assert made is not None
    for _ in range(59):
        app.store.put("request", thread, made.body)
    page.goto(f"{app.url}/w/many/requests")
    numbers = page.locator("tbody td:first-child a")
    expect(numbers).to_have_count(50)
    expect(numbers.first).to_have_text("60")
    page.get_by_role("link", name="Older").click()
    expect(numbers).to_have_count(10)
    expect(page.get_by_role("link", name="Older")).to_have_count(0)
    page.get_by_role("link", name="Newest").click()
    expect(numbers.first).to_have_text("60")


def test_an_earlier_conversation_is_opened_read_searched_and_inspected(app: App) -> None:
    """From the menu; however long it is; nothing can be said in it or undone."""
    thread = a_talk(app.store, "olds", rounds=20)
    app.stage.lines["The last word."] = [say("Heard.")]
    page = app.open("/w/olds")
    page.fill("#say", "The last word.")
    page.press("#say", "Enter")
    expect(page.locator("section .message.agent").last).to_contain_text("Heard.")
    compress(page)
    page.locator("header [data-menu] summary").click()
    page.get_by_role("button", name="New conversation").click()
    expect(page.get_by_text("What should this workflow do?")).to_be_visible()
    page.locator("header [data-menu] summary").click()
    page.get_by_role("link", name="Conversations").click()
    rows = page.locator(".workflows li")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("now")
    rows.last.get_by_role("link").click()
    expect(page.locator(".message.summary")).to_contain_text("in use")
    expect(page.locator("#say")).to_have_count(0)
    expect(page.get_by_role("button", name="Restore")).to_have_count(0)
    page.get_by_role("searchbox").fill("lamp-1.")
    page.get_by_role("searchbox").press("Enter")
    page.locator("#hits a").last.click()
    expect(page.locator(".message.found")).to_be_in_viewport()
    page.get_by_role("link", name="What the model saw").click()
    page.locator("tbody").get_by_role("link", name="1", exact=True).first.click()
    expect(page.locator("h1")).to_have_text("Request 1")
    assert f"thread={thread}" in page.url
    page.get_by_role("link", name="An earlier conversation").click()
    page.get_by_role("link", name="Go to the current conversation").click()
    expect(page.locator("#say")).to_be_visible()


def test_s3_1_s3_2_s3_4_s3_5_compression_from_the_button_to_restore(app: App) -> None:
    """The exact count, a preview with what is kept and lost, greyed turns, citations, Restore."""
    thread = a_talk(app.store, "compresses")
    page = app.open("/w/compresses")
    expect(page.locator("#compress")).to_contain_text("Compress 18 messages")
    compress(page)
    summary = page.locator(".message.summary")
    expect(summary).to_contain_text("in use")
    expect(page.locator(".message.archived")).to_have_count(18)
    expect(page.locator("#compress")).to_have_count(0)
    summary.locator("summary").click()
    summary.locator(".cite a").first.click()
    cited = page.locator(".message.found")
    expect(cited).to_be_in_viewport()
    assert (
        int(cited.get_attribute("data-turn") or 0)
        in list_compression_history(app.store, thread)[0].added
    )
    page.locator("header [data-menu] summary").click()
    page.get_by_role("button", name="Compressions").click()
    dialog = page.locator("#dialog")
    expect(dialog).to_contain_text("in use")
    with page.expect_download() as handed:
        dialog.get_by_role("link", name="JSON").click()
    assert len(json.loads(Path(handed.value.path()).read_text())["compressions"]) == 1
    dialog.get_by_role("button", name="Restore").click()
    expect(page.locator(".message.archived")).to_have_count(0)
    expect(summary).to_contain_text("undone")


def test_s3_8_messages_are_chosen_and_the_summary_is_previewed_and_edited(app: App) -> None:
    """What is left out stays in view; words that lose too much are refused where they are."""
    thread = a_talk(app.store, "chooses")
    page = app.open("/w/chooses")
    page.locator("#compress").click()
    dialog = page.locator("#dialog")
    dialog.get_by_role("checkbox").last.uncheck()
    expect(dialog.locator("#count")).not_to_have_text("18")
    count = int(dialog.locator("#count").text_content() or 0)
    dialog.get_by_role("button", name="Write the summary").click()
    # Its lines stay lines.
    expect(dialog.locator("#preview-text p").first).to_have_css("white-space", "pre-line")
    dialog.get_by_role("button", name="Edit").click()
    written = dialog.get_by_label("Your text of the summary")
    mine = written.input_value()
    written.fill("We talked.")
    dialog.get_by_role("button", name="Check").click()
    expect(dialog.locator(".told")).to_contain_text("keeps")
    written.fill(f"{mine}\nMy own words about lamp-1.")
    dialog.get_by_role("button", name="Compress", exact=True).click()
    expect(page.locator(".message.summary")).to_contain_text("My own words")
    assert len(list_compression_history(app.store, thread)[0].added) == count


def test_s3_3_a_second_compression_builds_on_the_first(app: App) -> None:
    """The dialog says so, and the first summary is taken into the second."""
    thread = a_talk(app.store, "builds")
    page = app.open("/w/builds")
    compress(page)
    from agent.summaries import talk  # noqa: PLC0415  only here

    app.store.append(thread, talk(3, start=6))
    page.locator("#compress").click()
    expect(page.locator("#dialog")).to_contain_text("builds on the summary of 18")
    page.get_by_role("button", name="Write the summary").click()
    page.locator("#dialog").get_by_role("button", name="Compress", exact=True).click()
    expect(page.locator(".message.summary").first).to_contain_text("taken into a later one")


def test_s3_7_nothing_is_compressed_while_a_turn_runs(app: App) -> None:
    """The button is not there, and an open dialog is refused with the reason."""
    a_talk(app.store, "runs")
    app.stage.lines["Hang."] = [[FOREVER, *say("Never.")]]
    page = app.open("/w/runs")
    page.locator("#compress").click()
    page.get_by_role("button", name="Write the summary").click()
    expect(page.locator("#apply")).to_be_enabled()
    expect(page.locator("#why")).to_have_text("")
    other = app.open("/w/runs")
    other.fill("#say", "Hang.")
    other.press("#say", "Enter")
    expect(other.get_by_role("button", name="Stop")).to_be_visible()
    expect(other.locator("#compress")).to_have_count(0)
    page.locator("#dialog").get_by_role("button", name="Compress", exact=True).click()
    expect(page.locator("#dialog .told")).to_contain_text("running")
    assert list_compression_history(app.store, ensure_current_thread(app.store, "runs")) == []
    other.get_by_role("button", name="Stop").click()
    expect(other.locator("#ended")).to_be_visible()
