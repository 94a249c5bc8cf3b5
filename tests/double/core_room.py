"""A double and ways to speak to it without an SDK, one line for each request."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import httpx2
import pytest

from director.models.script_values import Emit, Say, Seen
from director.testing.double import Double, Fault
from director.testing.double.api_keys import Api
from director.testing.double.double import Script

KEY = "key-of-the-tests"
PROFILE: dict[Api, str] = {"responses": "openai", "chat": "openai", "anthropic": "anthropic"}
PATH: dict[Api, str] = {
    "responses": "/v1/responses",
    "chat": "/v1/chat/completions",
    "anthropic": "/v1/messages",
}
USER = {"role": "user", "content": "hello"}
BODY: dict[Api, dict[str, object]] = {
    "responses": {"model": "gpt-6.1-sol", "input": [USER]},
    "chat": {"model": "gpt-6.1-sol", "messages": [USER]},
    "anthropic": {"model": "claude-sonnet-5-5", "max_tokens": 100, "messages": [USER]},
}
APIS: tuple[Api, ...] = ("responses", "chat", "anthropic")
LONG = "one two three four five six seven eight nine ten"


def say(_seen: Seen) -> Sequence[Emit]:
    """A brain that always says the same."""
    return [Say(LONG)]


class Room:
    """A double of one API, with ways to ask it."""

    def __init__(self, double: Double, api: Api) -> None:
        self.double = double
        self.api = api

    def ask(
        self,
        body: Mapping[str, object] | None = None,
        *,
        stream: bool = False,
        timeout: httpx2.Timeout | float = 60,
        **headers: str,
    ) -> httpx2.Response:
        """Ask once and read all of the answer."""
        whole = {**BODY[self.api], **(body or {}), **({"stream": True} if stream else {})}
        return self.call("POST", PATH[self.api], whole, timeout=timeout, **headers)

    def call(
        self,
        method: str,
        path: str,
        body: Mapping[str, object] | None = None,
        *,
        timeout: httpx2.Timeout | float = 60,
        **headers: str,
    ) -> httpx2.Response:
        """Any request at all."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return httpx2.request(
            method,
            self.double.url + path,
            json=body,
            headers={"authorization": f"Bearer {KEY}"} | named,
            timeout=timeout,
            verify=False,
        )

    def lose(self, body: Mapping[str, object] | None = None) -> type[Exception]:
        """Ask for what is never answered; how that was seen, once the double has done its part."""
        with pytest.raises(httpx2.TransportError) as lost:
            self.ask(body, timeout=httpx2.Timeout(60, read=0.2))
        # On a busy machine the client may give up before the double has even read the request.
        while not any(one.struck for one in self.double.exchanges):
            time.sleep(0.01)
        return lost.type

    def kinds(self) -> list[str]:
        """The kinds of what is found against the client."""
        return [finding.kind for finding in self.double.verdict()]

    def events(self) -> list[object]:
        """The data of the events that a stream brings, read as JSON where they are."""
        lines = self.ask(stream=True).text.splitlines()
        found = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
        return [line if line == "[DONE]" else json.loads(line) for line in found]


@contextmanager
def room_of(api: Api, *faults: Fault, brain: Script = say) -> Iterator[Room]:
    """A room for the time of a test."""
    with Double(PROFILE[api], brain, faults=faults) as double:
        yield Room(double, api)
