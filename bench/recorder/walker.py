"""A walker: drives a real browser and writes each step down as chat messages with tool calls.

It acts only on what the latest snapshot shows, by reference, as an agent with these tools would.
It must never put the port or the address of the local server into a recording.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Page

_NODE = re.compile(
    r'^\s*- (?P<role>\w+)(?: "(?P<name>(?:[^"\\]|\\.)*)")?[^"\n]*?\[ref=(?P<ref>\w+)\]',
    re.MULTILINE,
)
SYSTEM = (
    "You work in a web browser through tools. Each action answers with the state of the page as an"
    " accessibility snapshot. A reference such as [ref=e7] holds for the newest snapshot only."
)


@dataclass
class Recording:
    """Messages of one run in the order in which they were exchanged, and when each call began."""

    name: str
    rng: random.Random
    messages: list[dict[str, Any]] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    clock: float = 0.0

    def begin(self, system: str, task: str) -> None:
        """Write the head: the system prompt and the task."""
        self.messages += [
            {"role": "system", "content": system},
            {"role": "user", "content": task},
        ]

    def exchange(self, said: str, tool: str, args: Mapping[str, object], result: str) -> None:
        """Write one tool call and its result."""
        self._tick()
        call = f"call_{len(self.times):03d}"
        function = {"name": tool, "arguments": json.dumps(args, ensure_ascii=False)}
        self.messages += [
            {
                "role": "assistant",
                "content": said,
                "tool_calls": [{"id": call, "type": "function", "function": function}],
            },
            {"role": "tool", "tool_call_id": call, "name": tool, "content": result},
        ]

    def user(self, said: str) -> None:
        """Write a later request of the user."""
        self.messages.append({"role": "user", "content": said})

    def answer(self, said: str) -> None:
        """Write an answer without a call."""
        self._tick()
        self.messages.append({"role": "assistant", "content": said})

    def row(self) -> dict[str, Any]:
        """The recording as one JSON line holds it."""
        return {"id": self.name, "messages": self.messages, "times": self.times}

    def _tick(self) -> None:
        # Now and then someone looks away for longer than a provider keeps a prefix.
        self.times.append(round(self.clock, 1))
        away = self.rng.random() < 0.04
        self.clock += self.rng.uniform(320, 900) if away else self.rng.uniform(3, 45)


class Walker:
    """The hands of a scripted agent in one browser page."""

    def __init__(self, page: Page, recording: Recording) -> None:
        self.page = page
        self.log = recording
        self.rng = recording.rng
        self.seen = ""

    def open(self, url: str, said: str = "") -> None:
        """Go to an address."""
        self.page.goto(url)
        self._note(said, "browser_navigate", {"url": url}, f"await page.goto({url!r});")

    def click(self, role: str, name: str, said: str = "") -> None:
        """Click the first element of that role whose name begins so."""
        ref, full = self._find(role, name)
        self.page.locator(f"aria-ref={ref}").click()
        code = f"await page.getByRole('{role}', {{ name: {full!r} }}).click();"
        self._note(said, "browser_click", {"element": f"{full} {role}", "ref": ref}, code)

    def type(self, label: str, text: str, said: str = "", *, role: str = "textbox") -> None:
        """Type into the field of that label."""
        ref, full = self._find(role, label)
        self.page.locator(f"aria-ref={ref}").fill(text)
        code = f"await page.getByRole('{role}', {{ name: {full!r} }}).fill({text!r});"
        args = {"element": f"{full} field", "ref": ref, "text": text}
        self._note(said, "browser_type", args, code)

    def choose(self, label: str, option: str, said: str = "") -> None:
        """Choose an option of a list."""
        ref, full = self._find("combobox", label)
        self.page.locator(f"aria-ref={ref}").select_option(option)
        code = f"await page.getByRole('combobox', {{ name: {full!r} }}).selectOption([{option!r}]);"
        args = {"element": f"{full} list", "ref": ref, "values": [option]}
        self._note(said, "browser_select_option", args, code)

    def fill(self, fields: Mapping[str, str], said: str = "") -> None:
        """Fill several fields of a form in one call, lists among them."""
        steps, code = [], []
        for label, value in fields.items():
            kind = "combobox" if label in self.offers("combobox") else "textbox"
            ref, full = self._find(kind, label)
            place = self.page.locator(f"aria-ref={ref}")
            _ = place.select_option(value) if kind == "combobox" else place.fill(value)
            verb = "selectOption" if kind == "combobox" else "fill"
            code.append(f"await page.getByRole('{kind}', {{ name: {full!r} }}).{verb}({value!r});")
            steps.append({"name": label, "type": kind, "ref": ref, "value": value})
        args = {"fields": steps}
        self._note(said, "browser_fill_form", args, "\n".join(code))

    def look(self, said: str = "") -> None:
        """Take a snapshot without acting."""
        self._note(said, "browser_snapshot", {}, "")

    def report(self, findings: Mapping[str, object], said: str = "") -> None:
        """Hand findings over and end the run."""
        self.log.exchange(said, "submit_findings", findings, "The findings were received.")
        self.log.answer("Everything asked for is done and handed over.")

    def read(self, pattern: str) -> str:
        """The first group of a pattern in the latest snapshot."""
        found = re.search(pattern, self.seen)
        if not found:
            raise LookupError(f"{pattern!r} is not on {self.page.url}: script and site disagree")
        return found.group(1)

    def offers(self, role: str) -> Sequence[str]:
        """The names of all elements of a role, in the order of the page."""
        return [m["name"] for m in _NODE.finditer(self.seen) if m["role"] == role and m["name"]]

    def aside(self, words: str) -> str:
        """A note of what was found, which an agent writes down only now and then."""
        return words if self.rng.random() < 0.3 else ""

    def _find(self, role: str, name: str) -> tuple[str, str]:
        for node in _NODE.finditer(self.seen):
            if node["role"] == role and (node["name"] or "").startswith(name):
                return node["ref"], node["name"]
        raise LookupError(f"no {role} {name!r} on {self.page.url}: script and site disagree")

    def _note(self, said: str, tool: str, args: Mapping[str, object], code: str) -> None:
        self.page.wait_for_load_state("networkidle")
        self.seen = self.page.aria_snapshot(mode="ai")
        ran = f"### Ran Playwright code\n```js\n{code}\n```\n\n" if code else ""
        state = (
            f"{ran}### Page state\n- Page URL: {self.page.url}\n- Page Title: {self.page.title()}\n"
            f"- Page Snapshot:\n```yaml\n{self.seen}\n```\n"
        )
        self.log.exchange(said, tool, args, state)
