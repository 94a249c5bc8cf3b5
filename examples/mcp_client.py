"""A client of the MCP server: fits a history, and reads back what was cut.

Run it: `python examples/mcp_client.py`. The server runs in this program; `Client` also takes the
transport of one that was started with `director mcp --http 8789`, with the token that it wrote.
"""

import asyncio
import json

from director.mcp import make_server
from director.mcp.engine_tools import Fitting
from mcp import Client


def history() -> list[dict[str, object]]:
    """A request, and ten pages that were read for it."""
    messages: list[dict[str, object]] = [{"role": "user", "content": "Find the cheapest mug."}]
    for page in range(10):
        function = {"name": "open_page", "arguments": f'{{"number": {page}}}'}
        call = {"id": f"c{page}", "type": "function", "function": function}
        rows = "\n".join(f"- link 'Mug {page}-{row}': EUR {row}.50" for row in range(60))
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{page}", "content": rows})
    return messages


async def main() -> None:
    """Fit, report, recall."""
    async with Client(make_server(Fitting(budget=3_000))) as client:
        fitted = await client.call_tool("fit", {"messages": history()})
        print(json.loads(fitted.content[0].text)["report"])
        report = json.loads((await client.call_tool("report", {})).content[0].text)
        handle = report["losses"][0]["handle"]
        original = await client.call_tool("recall", {"handle": handle})
        print(f"{handle} was: {original.content[0].text[:60]}…")


if __name__ == "__main__":
    asyncio.run(main())
