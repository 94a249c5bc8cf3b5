"""browser-use's view of a page, in its own environment: a line in, a line of JSON out."""

from __future__ import annotations

import asyncio
import json
import sys

from browser_use import BrowserProfile, BrowserSession, Tools


async def main(chromium: str) -> None:
    """Open or click, then answer with the text that its agent is given."""
    profile = BrowserProfile(
        executable_path=chromium,
        headless=True,
        chromium_sandbox=False,
        enable_default_extensions=False,
    )
    session, tools = BrowserSession(browser_profile=profile), Tools()
    await session.start()
    while line := await asyncio.to_thread(sys.stdin.readline):
        asked = json.loads(line)
        if "url" in asked:
            await session.navigate_to(asked["url"])
        else:
            await tools.click(index=int(asked["ref"]), browser_session=session)
        await asyncio.sleep(0.5)
        state = await session.get_browser_state_summary(include_screenshot=False)
        print(json.dumps({"text": state.dom_state.llm_representation()}), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
