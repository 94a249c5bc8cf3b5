"""The page runs: a scripted agent walks local applications through other packages' own eyes.

Every package shows a page in its own format, and is asked to act on a reference of that format. The
walk is drawn with a fixed seed from what the latest page offers; no model is asked.
"""

from __future__ import annotations

import html
import json
import os
import random
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urljoin

from playwright.sync_api import Page, sync_playwright

from recorder.walker import Recording

CHROMIUM = "/usr/bin/chromium"
STEPS = 14
SYSTEM = (
    "You work in a web browser through tools. Each action answers with the page as it is now. A"
    " reference holds for the newest page only."
)


class Eyes(Protocol):
    """A package that shows pages and acts on the references it gave."""

    def open(self, url: str) -> str:
        """Go to an address; the page."""

    def click(self, ref: str) -> str:
        """Click what a reference names; the page."""


@dataclass(frozen=True)
class Format:
    """How a package writes what can be clicked, and its references: `{}` is the reference."""

    name: str
    offers: str
    marker: str
    tool: str
    field: str
    start: Callable[[Path], Any]


class Lines:
    """A program of a package's own environment: a line of JSON in, a line of JSON out."""

    def __init__(self, command: list[str], cwd: Path) -> None:
        environ = {**os.environ, "ANONYMIZED_TELEMETRY": "false"}
        self._running = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=cwd,
            env=environ,
        )

    def ask(self, asked: dict[str, object]) -> dict[str, Any]:
        """The first answer that is JSON and not about something else."""
        if self._running.stdin is None or self._running.stdout is None:
            raise RuntimeError("the program has no pipes")
        self._running.stdin.write(json.dumps(asked) + "\n")
        self._running.stdin.flush()
        while line := self._running.stdout.readline():
            if line.startswith("{"):
                answer: dict[str, Any] = json.loads(line)
                if answer.get("id") == asked.get("id"):
                    return answer
        raise RuntimeError("the program ended")

    def close(self) -> None:
        """End the program."""
        self._running.terminate()
        self._running.wait(30)


class ByLines:
    """Packages of Python: `bench/recorder/eyes_*.py` in their own environment."""

    def __init__(self, folder: Path, script: str) -> None:
        python = str(folder / "py/bin/python")
        self._lines = Lines([python, str(Path(__file__).parent / script), CHROMIUM], folder)
        self.close = self._lines.close

    def open(self, url: str) -> str:
        """Go to an address."""
        return str(self._lines.ask({"url": url})["text"])

    def click(self, ref: str) -> str:
        """Click what a reference names."""
        return str(self._lines.ask({"ref": ref})["text"])


class PlaywrightMcp:
    """@playwright/mcp over its own protocol."""

    def __init__(self, folder: Path) -> None:
        program = folder / "npm/node_modules/@playwright/mcp/cli.js"
        options = ["--headless", "--no-sandbox", "--isolated", "--executable-path", CHROMIUM]
        self._place = tempfile.TemporaryDirectory()
        self._lines = Lines(["node", str(program), *options], Path(self._place.name))
        self._count = 0
        about = {"name": "recorder", "version": "1"}
        first = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": about}
        self._ask("initialize", first)

    def _ask(self, method: str, params: dict[str, object]) -> dict[str, Any]:
        self._count += 1
        body = {"jsonrpc": "2.0", "id": self._count, "method": method, "params": params}
        found: dict[str, Any] = self._lines.ask(body)["result"]
        return found

    def _call(self, name: str, **args: object) -> str:
        found = self._ask("tools/call", {"name": name, "arguments": args})
        return "\n".join(part.get("text", "") for part in found["content"])

    def open(self, url: str) -> str:
        """Go to an address."""
        self._call("browser_navigate", url=url)
        return self._call("browser_snapshot")

    def click(self, ref: str) -> str:
        """Click what a reference names."""
        self._call("browser_click", element="the element", target=ref)
        return self._call("browser_snapshot")

    def close(self) -> None:
        """End the server and its browser."""
        self._lines.close()
        self._place.cleanup()


class AgentBrowser:
    """agent-browser by its command, beside a browser of ours."""

    def __init__(self, folder: Path) -> None:
        self._program = str(folder / "npm/node_modules/agent-browser/bin/agent-browser-linux-x64")
        self._place = tempfile.TemporaryDirectory()
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=9444"]
        flags += [f"--user-data-dir={self._place.name}", "--force-renderer-accessibility"]
        self._browser = subprocess.Popen(
            [CHROMIUM, *flags, "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for _ in range(20):
            if "Done" in self._run("connect", "9444"):
                break

    def _run(self, *args: str) -> str:
        command = [self._program, "--session", "recorder", *args]
        ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=90)
        return re.sub(r"\x1b\[[0-9;]*m", "", ran.stdout)

    def open(self, url: str) -> str:
        """Go to an address."""
        self._run("open", url)
        return self._run("snapshot")

    def click(self, ref: str) -> str:
        """Click what a reference names."""
        self._run("click", f"@{ref}")
        return self._run("snapshot")

    def close(self) -> None:
        """End the session and the browser."""
        self._run("close")
        self._browser.terminate()
        self._browser.wait(30)
        self._place.cleanup()


class PlainHtml:
    """The markup itself, as Playwright gives it; a link is named by its address."""

    def __init__(self, _: Path) -> None:
        self._playwright = sync_playwright().start()
        self._browser = self._playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"]
        )
        self._page: Page = self._browser.new_page()

    def open(self, url: str) -> str:
        """Go to an address."""
        self._page.goto(url)
        return self._shown()

    def click(self, ref: str) -> str:
        """Follow a link to an address, also one that a menu hides."""
        self._page.goto(urljoin(self._page.url, html.unescape(ref)))
        return self._shown()

    def _shown(self) -> str:
        self._page.wait_for_load_state("load")
        return self._page.content()

    def close(self) -> None:
        """End the browser."""
        self._browser.close()
        self._playwright.stop()


FORMATS = (
    Format(
        "playwright_mcp",
        r"- (?:link|button) \"[^\"\n]{2,}\"[^\n]*?\[ref=(\w+)\]",
        "[ref={}]",
        "browser_click",
        "target",
        PlaywrightMcp,
    ),
    Format(
        "agent_browser",
        r"- (?:link|button) \"[^\"\n]{2,}\" \[(?:[\w=, ]*, )?ref=(\w+)\]",
        "ref={}]",
        "click",
        "ref",
        AgentBrowser,
    ),
    Format(
        "browser_use",
        r"\[(\d+)\]<(?:a|button)\b",
        "[{}]<",
        "click_element",
        "index",
        lambda folder: ByLines(folder, "eyes_browser_use.py"),
    ),
    Format(
        "notte",
        r"^\s*((?:L|B)\d+)\[:\]",
        "{}[:]",
        "click",
        "id",
        lambda folder: ByLines(folder, "eyes_notte.py"),
    ),
    Format("html", r'<a\b[^>]*\bhref="([^"#]{2,80})"', 'href="{}"', "click", "href", PlainHtml),
)


@contextmanager
def _opened(kind: Format, folder: Path) -> Iterator[Any]:
    eyes = kind.start(folder)
    try:
        yield eyes
    finally:
        eyes.close()


def _walk(eyes: Eyes, kind: Format, app: str, url: str) -> Recording:
    """Go from page to page by what each offers; back to the start where nothing is offered."""
    log = Recording(f"{kind.name}-{app}", random.Random(f"pages {kind.name} {app}"))
    origin = re.match(r"https?://[^/]+", url)
    port = origin[0].rpartition(":")[2] if origin else ""

    def neutral(text: str) -> str:
        text = re.sub(r"/tmp\b/tmp\w+", "/data", text)
        return re.sub(rf"(?:127\.0\.0\.1|localhost):{port}", f"{app}.test", text)

    log.begin(SYSTEM, f"Look at every part of http://{app}.test and tell me what it is for.")
    shown = eyes.open(url)
    log.exchange("I open it.", "navigate", {"url": neutral(url)}, neutral(shown))
    seen: set[str] = set()
    for _ in range(STEPS):
        offered = [m[1] for m in re.finditer(kind.offers, shown, re.MULTILINE)]
        near = {
            m[1]: shown[m.start() : m.end() + 60]
            for m in re.finditer(kind.offers, shown, re.MULTILINE)
        }
        fresh = [ref for ref in offered if near[ref] not in seen and _stays(near[ref])]
        before = shown
        if fresh:
            ref = log.rng.choice(fresh)
            seen.add(near[ref])
            shown = eyes.click(ref)
            args: dict[str, object] = {kind.field: int(ref) if ref.isdigit() else ref}
            log.exchange("", kind.tool, args, neutral(shown))
        if not fresh or not shown.strip() or shown == before:
            shown = eyes.open(url)
            log.exchange("Back to the start.", "navigate", {"url": neutral(url)}, neutral(shown))
    log.answer("That is all of it.")
    return log


def _stays(line: str) -> bool:
    """Whether a link leads on within the application and ends nothing."""
    return not re.search(
        r"log ?out|delete|https?://|\.csv|\.json|download|docs|mailto:", line, re.IGNORECASE
    )


def runs(
    folder: Path, apps: dict[str, str], only: str | None = None
) -> Iterator[tuple[str, Recording]]:
    """All applications in all formats; the packages are installed in a folder."""
    for kind in FORMATS:
        if only not in (None, kind.name):
            continue
        for app, url in apps.items():
            with _opened(kind, folder) as eyes:
                yield kind.name, _walk(eyes, kind, app, url)
