"""Uploads: into a file field, or into the chooser that any other element opens."""

from __future__ import annotations

from playwright.async_api import TimeoutError as PlaywrightTimeout

from director.browser.elements import TIMEOUT, Result, find_one_element, read_config_number
from director.browser.errors import BrowserError
from director.browser.outside import Outside
from director.browser.session import Session
from director.workflow.values import Config

_IS_FIELD = """element => {
    const field = element.control ?? element;
    return field instanceof HTMLInputElement && field.type === "file";
}"""


async def upload_files(session: Session, config: Config, outside: Outside) -> Result:
    """Hand files to a page, by its file field or by a button that asks for them."""
    if outside.file is None:
        raise BrowserError(
            "No file may be uploaded here: a run uploads only files that it is given."
        )
    given = config["file"]
    names = [str(each) for each in given] if isinstance(given, list | tuple) else [str(given)]
    paths = [outside.file(name) for name in names]
    found = await find_one_element(session, {"visibleOnly": False, **config})
    within = read_config_number(config, "timeout", TIMEOUT)
    page = session.page()
    if await found.locator.evaluate(_IS_FIELD, timeout=within):
        await found.locator.set_input_files(paths, timeout=within)
    else:
        try:
            async with session.acting(page), page.expect_file_chooser(timeout=within) as asked:
                await found.locator.click(timeout=within)
            await (await asked.value).set_files(paths, timeout=within)
        except PlaywrightTimeout:
            raise BrowserError(
                f"{config['selector']!r} was clicked and asked for no file within {within} ms. "
                "Nothing was uploaded. Name the file field, or the button that opens the chooser."
            ) from None
    told: Result = {"uploaded": [path.name for path in paths], "selector": config["selector"]}
    return {**told, **found.counts()}
