"""What others show of the page that a running Chromium has open: Playwright MCP and browser-use.

Both attach to the same tab, so all look at the same page at the same moment. A peer that is not
installed or cannot attach is left out, and the reason stands in the table.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Protocol, cast

MCP = "@playwright/mcp@0.0.83"


class Peer(Protocol):
    """Something that describes a page to a model."""

    def look(self, url: str) -> dict[str, Any]:
        """The text of the page at `url`, and what else it tells."""


class _Program:
    """A program that is spoken to line by line."""

    def __init__(self, command: list[str], log: Path) -> None:
        self._program = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log.open("w"),
            text=True,
            cwd=log.parent,
        )
        self.lines = cast("IO[str]", self._program.stdout)

    def say(self, line: str) -> None:
        """Send a line."""
        into = cast("IO[str]", self._program.stdin)
        into.write(line)
        into.flush()

    def end(self) -> None:
        """Stop it."""
        self._program.terminate()
        self._program.wait()


class PlaywrightMcp:
    """The MCP server, spoken to over its pipes."""

    def __init__(self, folder: Path, address: str) -> None:
        npm = shutil.which("npm")
        if npm is None:
            raise FileNotFoundError("npm is not installed")
        subprocess.run(
            [npm, "install", "--prefix", str(folder), MCP], check=True, capture_output=True
        )
        cli = folder / "node_modules/@playwright/mcp/cli.js"
        command = ["node", str(cli), "--cdp-endpoint", address]
        self.server = _Program(command, folder / "mcp.log")
        self._number = 0
        self._call(
            "initialize",
            protocolVersion="2025-06-18",
            capabilities={},
            clientInfo={"name": "bench", "version": "1"},
        )
        self._send({"method": "notifications/initialized"})

    def look(self, url: str) -> dict[str, Any]:
        """What `browser_snapshot` answers; the tab is chosen first if another one is shown."""
        text = self._tool("browser_snapshot")
        if url not in text:
            tabs = self._tool("browser_tabs", action="list")
            number = next(found[1] for found in re.finditer(r"- (\d+):.*", tabs) if url in found[0])
            self._tool("browser_tabs", action="select", index=int(number))
            text = self._tool("browser_snapshot")
        return {"text": text}

    def _tool(self, name: str, **arguments: Any) -> str:
        answer = self._call("tools/call", name=name, arguments=arguments)
        return "\n".join(part.get("text", "") for part in answer["content"])

    def _call(self, method: str, **params: Any) -> Any:
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        for line in self.server.lines:
            answer = json.loads(line)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(str(answer["error"]))
                return answer["result"]
        raise RuntimeError("the MCP server ended")

    def _send(self, message: dict[str, Any]) -> None:
        self.server.say(json.dumps({"jsonrpc": "2.0", **message}) + "\n")


class BrowserUse:
    """browser-use in its own environment, as its agent would be told of the page."""

    def __init__(self, folder: Path, address: str, python: str) -> None:
        script = Path(__file__).with_name("snapshot_browser_use.py")
        self.server = _Program([python, str(script), address], folder / "browser-use.log")
        self._until("ready")

    def look(self, url: str) -> dict[str, Any]:
        """The state of the page."""
        self.server.say("\n")
        answer: dict[str, Any] = json.loads(self._until("{"))
        if answer["url"] != url:
            raise RuntimeError(f"it looks at {answer['url']}")
        return answer

    def _until(self, start: str) -> str:
        for line in self.server.lines:
            if line.startswith(start):
                return line
        raise RuntimeError("it ended; see browser-use.log")


@contextmanager
def peers(folder: Path, address: str, python: str) -> Iterator[dict[str, Peer | str]]:
    """The peers by name; a text instead of one says why it is missing."""
    found: dict[str, Peer | str] = {}
    ways = {
        "Playwright MCP": lambda: PlaywrightMcp(folder, address),
        "browser-use": lambda: BrowserUse(folder, address, python),
    }
    try:
        for name, way in ways.items():
            try:
                found[name] = way()
            except Exception as problem:
                found[name] = f"{type(problem).__name__}: {problem}"
        yield found
    finally:
        for peer in found.values():
            if isinstance(peer, PlaywrightMcp | BrowserUse):
                peer.server.end()
