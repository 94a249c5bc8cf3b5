"""Two clients for one rule: a naive one that must be refused, and ours that must get its answer."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import anthropic
import openai
import pytest

from director.context.values import Context
from director.models import Model, ModelError, Policy, Reply, Timing, Tool, open_model
from director.models.script_values import Ask, Compact, Emit, Say, Seen, Think
from director.testing.double import Double, Fault
from models.talk import KEY, MODELS, PROFILES, TOOLS, Talk, environment

ANSWER = "Here is the answer."
PLACE = '{"place": "door"}'
PATHS = {"responses": "/responses", "chat": "/chat/completions", "anthropic": "/v1/messages"}
REFUSED = (openai.APIStatusError, anthropic.APIStatusError)


def mind(seen: Seen) -> Sequence[Emit]:
    """Do what the last words say: "think", "call", "call twice"; else answer."""
    if seen.purpose == "compact":
        return [Compact("It was all about a door.")]
    last = seen.items[-1]
    words = last.text if last.kind == "user" else ""
    thought: list[Emit] = [Think("I should think.")] if "think" in words else []
    if "call" not in words:
        return [*thought, Say(ANSWER)]
    return [*thought, *(Ask("look", PLACE) for _ in range(2 if "twice" in words else 1))]


@dataclass(frozen=True)
class Naive:
    """The vendor's own client, sending what an agent without any care would send."""

    double: Double
    client: Any
    form: str

    def ask(self, messages: object, /, **more: object) -> dict[str, Any]:
        """Send these messages as they are; a field given as `...` is left out."""
        body: dict[str, object] = {"model": MODELS[self.form].partition(":")[2]}
        body["input" if self.form == "responses" else "messages"] = messages
        if self.form == "anthropic":
            body["max_tokens"] = 100
        return self.post(PATHS[self.form], {**body, **more})

    def post(self, path: str, body: Mapping[str, object]) -> dict[str, Any]:
        """Send a body as it is, past the types of the client."""
        betas = body.get("betas")
        headers = {"anthropic-beta": betas} if betas else {}
        kept = {k: v for k, v in body.items() if v is not ... and k != "betas"}
        made = self.client.post(path, body=kept, cast_to=object, options={"headers": headers})
        assert isinstance(made, dict)
        return made


@contextmanager
def accepted(form: str, *faults: Fault) -> Iterator[Naive]:
    """A naive client that no rule stops."""
    with Double(PROFILES[form], mind, faults=faults) as double:
        client = (
            anthropic.Anthropic(base_url=double.anthropic_url, api_key=KEY, max_retries=0)
            if form == "anthropic"
            else openai.OpenAI(base_url=double.openai_url, api_key=KEY, max_retries=0)
        )
        with client:
            yield Naive(double, client, form)


@contextmanager
def refused(rule: str, form: str, *faults: Fault) -> Iterator[Naive]:
    """Claim that the last thing which a naive client does here is refused by exactly this rule."""
    with accepted(form, *faults) as naive:
        with pytest.raises(REFUSED):
            yield naive
        assert [one.rule for one in naive.double.exchanges if one.rule] == [rule]
        assert naive.double.exchanges[-1].rule == rule


@dataclass(frozen=True)
class Ours:
    """Our layer before the same provider."""

    double: Double
    model: Model
    runner: asyncio.Runner

    def send(
        self,
        given: Context | Sequence[object],
        policy: Policy | None = None,
        tools: Sequence[Tool] = TOOLS,
    ) -> Reply:
        """Send a history and wait for its answer."""
        return self.runner.run(self.model.send(given, tools=tools, policy=policy))

    def answers(
        self,
        given: Context | Sequence[object],
        policy: Policy | None = None,
        tools: Sequence[Tool] = TOOLS,
    ) -> Reply:
        """Claim that a history gets its answer."""
        reply = self.send(given, policy, tools)
        assert reply.text == ANSWER
        return reply

    def raises(
        self,
        kind: str,
        words: str,
        given: Context | Sequence[object],
        policy: Policy | None = None,
        tools: Sequence[Tool] = TOOLS,
    ) -> None:
        """Claim that a history cannot be sent, and that the error says why."""
        with pytest.raises(ModelError, match=words) as caught:
            self.send(given, policy, tools)
        assert caught.value.kind == kind

    def talk(self, *said: str, policy: Policy | None = None) -> Talk:
        """A conversation in which all this was said and answered."""
        talk = Talk(self.model, policy=policy)
        for words in said:
            self.say(talk, words)
        return talk

    def say(self, talk: Talk, words: str) -> Reply:
        """Say something more; the last reply to it."""
        self.runner.run(talk.say(words))
        reply: Reply = talk.replies[-1]
        return reply

    def kinds(self) -> list[str]:
        """The kinds of all that the model was shown last."""
        return [item.kind for item in self.double.generations[-1].seen.items]

    def shown(self, kind: str) -> list[str]:
        """What it was shown of one kind."""
        return [one.text for one in self.double.generations[-1].seen.items if one.kind == kind]

    @property
    def bodies(self) -> list[Mapping[str, Any]]:
        """What was sent to create something."""
        made = (one.asked for one in self.double.exchanges)
        return [asked.body for asked in made if asked.endpoint.endswith(".create")]


@contextmanager
def ours(
    form: str,
    *faults: Fault,
    policy: Policy | None = None,
    name: str = "",
    crashes: int = 0,
    defects: Sequence[str] = (),
) -> Iterator[Ours]:
    """Our layer; at the end the provider has nothing to say against it, but for what is named.

    So many of its first waits end in a crash of the program, after which it goes on.
    """
    waits = 0

    async def sleep(seconds: float) -> None:
        nonlocal waits
        waits += 1
        if waits <= crashes:
            raise InterruptedError
        await double.sleep(seconds)

    with asyncio.Runner() as runner, Double(PROFILES[form], mind, faults=faults) as double:
        model = open_model(
            name or MODELS[form],
            env=environment(double),
            timing=Timing(double.now, sleep, lambda: 0.5),
            policy=policy,
        )
        try:
            yield Ours(double, model, runner)
        finally:
            runner.run(model.close())
        assert [one.rule for one in double.defects] == list(defects)
        # A thought that was refused is found again by the verdict; nothing else may be.
        known = {"thinking_edited"} if defects else set()
        assert {finding.kind for finding in double.verdict()} <= known


def said(*words: str) -> list[dict[str, object]]:
    """User turns, as messages of any form."""
    return [{"role": "user", "content": text} for text in words]


def long(times: int) -> list[dict[str, object]]:
    """A history of so many times 4,400 tokens, and a question."""
    return said(*(f"{nth}: the door is open. " * 800 for nth in range(times)), "hi")
