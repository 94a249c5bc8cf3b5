"""browser-use's view of a page, in its own environment: a line in, a line of JSON out.

Started by `snapshots.py` with the Python of an environment that has browser-use, and the address of
a running Chromium. Asks for the state that its agent is given, without a picture.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

from browser_use import BrowserSession


async def main(address: str) -> None:
    """Answer each line with the text, the elements it can name, and the time it took."""
    session = BrowserSession(cdp_url=address)
    await session.start()
    print("ready", flush=True)
    while await asyncio.to_thread(sys.stdin.readline):
        began = time.perf_counter()
        state = await session.get_browser_state_summary(include_screenshot=False)
        took = time.perf_counter() - began
        text = state.dom_state.llm_representation()
        ids = [node.backend_node_id for node in state.dom_state.selector_map.values()]
        answer = {"url": state.url, "text": text, "ids": ids, "seconds": took}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
