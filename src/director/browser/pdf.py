"""The text of a PDF, read by a program of its own with little time and memory.

A PDF is a stranger's file: whatever is in it, the session goes on. Nothing in it is run or fetched.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import cast
from urllib.parse import urljoin

from playwright.async_api import Page

from director.browser.approved_origins import Origins
from director.browser.errors import BrowserError
from director.distribution import install_line
from director.workflow.values import Json

MOST = 50_000_000
_SECONDS = 30
_MEMORY = 1 << 30
_REDIRECTS = 5
_NO_READER = (
    f"The text of a PDF cannot be read: pypdf is not installed ({install_line('browser')})."
)


async def fetch_file(page: Page, origins: Origins, url: str) -> bytes:
    """A file from an approved origin, with the cookies of the session; so is each redirect."""
    # Where it is sent on to is the site's word, and may hold a secret: it is in no message.
    asked = url
    for _ in range(_REDIRECTS):
        origins.check(url)
        answer = await page.context.request.get(url, max_redirects=0)
        if answer.status in (301, 302, 303, 307, 308):
            url = urljoin(url, answer.headers.get("location", ""))
            continue
        if not answer.ok:
            raise BrowserError(f"{asked!r} answered {answer.status}, not a file.")
        return await answer.body()
    raise BrowserError(f"{asked!r} was sent on {_REDIRECTS} times. Nothing was read.")


async def read_pdf(content: bytes, pages: str = "") -> dict[str, Json]:
    """The text of some pages of a PDF, whole and by page, and how many it has."""
    if len(content) > MOST:
        raise BrowserError(f"The file has {len(content):,} bytes; at most {MOST:,} are read.")
    program = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "director.browser.pdf_reader",
        pages,
        str(_MEMORY),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(_SECONDS):
            said, _ = await program.communicate(content)
    except TimeoutError:
        raise BrowserError(f"The PDF was not read within {_SECONDS} seconds; given up.") from None
    finally:
        if program.returncode is None:
            program.kill()
            await program.wait()
    if program.returncode:
        raise BrowserError("The PDF could not be read: it took too much, or it is damaged.")
    found = json.loads(said)
    if "error" in found:
        raise BrowserError(_NO_READER if found["error"] == "missing" else str(found["error"]))
    return cast("dict[str, Json]", found)
