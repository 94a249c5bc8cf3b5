"""Notte's view of a page, in its own environment: a line in, a line of JSON out."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from contextlib import suppress

from notte_browser.session import NotteSession

PORT = 9445


async def main(chromium: str) -> None:
    """Open or click, then answer with the text that its agent is given."""
    with tempfile.TemporaryDirectory() as place:
        flags = ["--headless=new", "--no-sandbox", f"--remote-debugging-port={PORT}"]
        browser = subprocess.Popen(  # noqa: ASYNC220  nothing else runs yet
            [chromium, *flags, f"--user-data-dir={place}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        await asyncio.sleep(4)
        try:
            await serve()
        finally:
            browser.terminate()
            browser.wait(30)


async def serve() -> None:
    """One session until the input ends."""
    async with NotteSession(headless=True, cdp_url=f"http://127.0.0.1:{PORT}") as session:
        while line := await asyncio.to_thread(sys.stdin.readline):
            asked = json.loads(line)
            if "url" in asked:
                await session.aexecute(type="goto", url=asked["url"])
            else:
                # What cannot be clicked leaves the page as it was.
                with suppress(Exception):
                    await session.aexecute(type="click", id=asked["ref"])
            seen = await session.aobserve()
            print(json.dumps({"text": seen.space.description}), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
