"""The site in a real Chromium: what the script does, and whole tasks as a person does them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from browser.bare import opened
from demo.visitor import ADDRESS
from director.demo.site import Site
from director.demo.site.values import MAIL_PASSWORD, SHOP_PASSWORD, USER


def browse(steps: Callable[[Page, Site], Awaitable[None]], *, redesign: bool = False) -> Site:
    """Do the steps in a new context on a new site; nothing may be complained about."""
    complaints: list[str] = []
    runner, browser = opened()

    async def walk(site: Site) -> None:
        context = await browser.new_context(viewport={"width": 390, "height": 844})
        try:
            page = await context.new_page()
            page.set_default_timeout(60_000)
            page.on("pageerror", lambda error: complaints.append(str(error)))
            await page.goto(site.url)
            await steps(page, site)
        finally:
            await context.close()

    with Site(redesign=redesign).serve() as site:
        runner.run(walk(site))
    assert complaints == []
    return site


async def fill(page: Page, fields: dict[str, str]) -> None:
    """Type into fields by their names, which a redesign keeps."""
    for name, text in fields.items():
        await page.locator(f"[name={name}]").fill(text)


@asynccontextmanager
async def told(page: Page) -> AsyncIterator[None]:
    """What is done in the block has reached the site when it ends."""
    async with page.expect_response("**/lab/did"):
        yield


async def fits(page: Page) -> bool:
    """Whether nothing sticks out at the side."""
    wide = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    return bool(await page.evaluate(wide))


@pytest.mark.parametrize("redesign", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_an_order_with_a_one_time_code(redesign: bool) -> None:  # noqa: FBT001  a parameter
    """From the product to the order number, with the code read in a second tab."""

    async def steps(page: Page, site: Site) -> None:
        await page.goto(f"{site.url}/shop")
        await page.get_by_test_id("add-to-cart").first.click()
        await page.get_by_test_id("checkout").click()
        await fill(page, {"user": USER, "password": SHOP_PASSWORD})
        await page.get_by_test_id("login").click()
        await page.wait_for_url("**/shop/login/code*")
        mailbox = await page.context.new_page()
        await mailbox.goto(f"{site.url}/mail")
        await fill(mailbox, {"user": USER, "password": MAIL_PASSWORD})
        await mailbox.keyboard.press("Enter")
        await mailbox.get_by_role("link", name="one-time code for login L-1").click()
        code = await mailbox.get_by_text("Code", exact=True).locator("xpath=../dd").inner_text()
        await fill(page, {"code": code})
        await page.get_by_test_id("confirm").click()
        await fill(page, {**ADDRESS, "reference": "by hand"})
        assert await fits(page)
        await page.get_by_test_id("place-order").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Order OI-1001")

    site = browse(steps, redesign=redesign)
    assert [(order.number, order.reference) for order in site.state.orders] == [
        ("OI-1001", "by hand")
    ]


@pytest.mark.parametrize("redesign", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_rows_by_dialog_cell_and_file(redesign: bool, tmp_path: Path) -> None:  # noqa: FBT001
    """Add one in the dialog, edit it in place, refuse a wrong date, upload another."""
    more = tmp_path / "more.csv"
    more.write_text("Supplier,Invoice,Due,Amount,Status,Note\nHay,H2,2026-12-02,7.10,paid,\n")

    async def steps(page: Page, site: Site) -> None:
        await page.goto(f"{site.url}/grid")
        assert await fits(page)
        await page.get_by_role("button", name="row").first.click()
        dialog = page.get_by_role("dialog")
        for label, text in (("Supplier", "Hay"), ("Invoice", "H1"), ("Due", "2026-12-01")):
            await dialog.get_by_label(label).fill(text)
        await dialog.get_by_label("Amount").fill("12.50")
        await dialog.get_by_role("button").first.click()
        row = page.get_by_role("row").filter(has_text="H1")
        await row.get_by_role("cell").nth(5).click()
        await row.get_by_label("Note").fill("later")
        await page.keyboard.press("Enter")
        await expect(row).to_contain_text("later")
        await row.get_by_role("cell", name="2026-12-01").click()
        await row.get_by_label("Due").fill("soon")
        await page.keyboard.press("Enter")
        await expect(row.locator("[aria-invalid]")).to_be_visible()
        await page.keyboard.press("Escape")
        await page.locator("[type=file]").set_input_files(more)
        await page.locator("form[enctype] button").click()
        await expect(page.get_by_role("status")).to_have_text("1 rows added from more.csv.")

    rows = list(browse(steps, redesign=redesign).state.rows.values())[-2:]
    assert [(row.cells["number"], row.cells["note"]) for row in rows] == [
        ("H1", "later"),
        ("H2", ""),
    ]
    assert rows[0].cells["due"] == "2026-12-01"


def test_the_awkward_bits_work_and_tell() -> None:
    """Frame, shadow root, dialog, second window, download, earned button, endless list."""

    async def steps(page: Page, site: Site) -> None:
        await page.goto(f"{site.url}/lab")
        frame = page.frame_locator("iframe")
        await frame.get_by_label("Message").fill("hello")
        await frame.get_by_role("button", name="Send").click()
        await expect(frame.get_by_role("status")).to_have_text("Sent: hello")
        async with told(page):
            await page.get_by_role("button", name="Count up").click()
        await expect(page.get_by_text("Counted: 1")).to_be_visible()
        page.once("dialog", lambda dialog: asyncio.ensure_future(dialog.accept()))
        async with told(page):
            await page.get_by_role("button", name="Delete everything").click()
        await expect(page.get_by_text("You said yes.")).to_be_visible()
        async with page.expect_popup() as opened:
            await page.get_by_role("link", name="Choose a colour").click()
        await (await opened.value).get_by_role("button", name="Green").click()
        await expect(page.get_by_text("You chose Green.")).to_be_visible()
        async with page.expect_download() as started:
            await page.get_by_role("link", name="Download report").click()
        assert (await started.value).suggested_filename == "report.csv"
        for last in range(12, 61, 12):
            await page.locator("[data-feed]").scroll_into_view_if_needed()
            await expect(page.get_by_text(f"Entry {last}", exact=True)).to_be_attached()
        earned = page.get_by_role("button", name="Close the account")
        await expect(earned).to_be_disabled()
        await page.get_by_label("Type “delete” to go on").fill("delete")
        await earned.click()
        await expect(page.get_by_text("Done: typed.")).to_be_visible()

    did = [(deed.what, deed.value) for deed in browse(steps).state.deeds]
    assert did == [
        ("frame", "hello"),
        ("shadow", "1"),
        ("confirm", "yes"),
        ("popup", "Green"),
        ("download", "report.csv"),
        ("typed", "delete"),
    ]


def test_the_liar_says_saved_and_the_late_button_comes() -> None:
    """The toast is the same whether the note was kept or not."""

    async def steps(page: Page, site: Site) -> None:
        await page.goto(f"{site.url}/flaky?every=1")
        await page.get_by_label("Note").fill("lost")
        await page.get_by_role("button", name="Save note").click()
        await expect(page.get_by_text("Saved", exact=True)).to_be_visible()
        await page.goto(f"{site.url}/flaky/late?ms=200")
        await page.get_by_role("link", name="Continue").click()
        await page.wait_for_url("**/flaky")

    assert browse(steps).state.notes == []
