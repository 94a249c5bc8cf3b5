"""What the tests of the Responses API share: a double with a plain brain, and OpenAI's client."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, TypedDict

import openai
import pytest
from openai.types.conversations import (
    Conversation,
    ConversationDeletedResource,
    ConversationItem,
    ConversationItemList,
)
from openai.types.responses import (
    CompactedResponse,
    InputTokenCountResponse,
    Response,
    ResponseInputMessageItem,
    ResponseItemList,
    ResponseStreamEvent,
)

from director.models.script_values import Ask, Compact, Emit, Say, ScriptEngine, Seen, Think
from director.testing.double.double import Double
from director.testing.double.exchange import Fault
from director.testing.double.world import Exchange
from double.strict import problems

MODEL = "gpt-6-sol"
PLAIN = "gpt-4.1"
HI = {"role": "user", "content": "hi"}
NOT_FOUND = "Previous response with id '{}' not found."
TOOL = {
    "type": "function",
    "name": "look",
    "description": "Look at a thing.",
    "parameters": {
        "type": "object",
        "properties": {"at": {"type": "string"}},
        "required": ["at"],
        "additionalProperties": False,
    },
    "strict": True,
}


class Deleted(TypedDict):
    """What a deletion answers; the SDK throws it away."""

    id: str
    object: Literal["response"]
    deleted: Literal[True]


TYPES: dict[str, object] = {
    "responses.create": Response,
    "responses.get": Response,
    "responses.cancel": Response,
    "responses.delete": Deleted,
    "responses.input_items": ResponseItemList,
    "responses.input_tokens": InputTokenCountResponse,
    "conversations.create": Conversation,
    "conversations.get": Conversation,
    "conversations.update": Conversation,
    "conversations.delete": ConversationDeletedResource,
    "conversations.items.create": ConversationItemList,
    "conversations.items.list": ConversationItemList,
    "conversations.items.get": ConversationItem,
    "conversations.items.delete": Conversation,
}


def plain(seen: Seen) -> Sequence[Emit]:
    """Do what the last words say: "think", "call", "call twice"; else answer."""
    if seen.purpose == "compact":
        return [Compact("short: " + "; ".join(item.text for item in seen.items))]
    last = seen.items[-1]
    words = last.text if last.kind == "user" else ""
    thought: list[Emit] = [Think("I should think.")] if "think" in words else []
    if "call" not in words:
        return [*thought, Say("Here is the answer.")]
    calls = [Ask("look", f'{{"at": "{n}"}}') for n in range(2 if "twice" in words else 1)]
    return [*thought, *calls]


@dataclass(frozen=True)
class Room:
    """A double and a client that talks to it."""

    double: Double
    client: openai.OpenAI

    def post(self, path: str, body: Mapping[str, object]) -> dict[str, object]:
        """The raw JSON of an answer, past the SDK's types."""
        made: dict[str, object] = json.loads(self.client.post(path, cast_to=str, body=body))
        return made

    def get(self, path: str) -> dict[str, object]:
        """The same for a GET."""
        made: dict[str, object] = json.loads(self.client.get(path, cast_to=str))
        return made

    def refused(
        self,
        rule: str,
        call: Callable[[], object],
        message: str,
        *,
        status: int = 400,
        param: str | None = None,
        code: str | None = None,
        defect: bool = True,
    ) -> None:
        """Claim that a call is refused in exactly these words, and counted or not."""
        before = len(self.double.defects)
        with pytest.raises(openai.APIStatusError) as caught:
            call()
        told = caught.value
        body = told.body
        assert isinstance(body, dict)
        assert (told.status_code, body["message"]) == (status, message)
        assert (body["type"], body["param"], body["code"]) == ("invalid_request_error", param, code)
        assert self.double.exchanges[-1].rule == rule
        assert [each.rule for each in self.double.defects[before:]] == [rule] * defect

    def clean(self) -> bool:
        """Whether nothing was wrong, of the client or of the double."""
        return not self.double.defects and not self.double.failures


@contextmanager
def room(
    brain: ScriptEngine | Sequence[Sequence[Emit]] = plain,
    profile: str = "openai",
    faults: Sequence[Fault] = (),
    *,
    strict: bool = True,
) -> Iterator[Room]:
    """Open a double and a client; at the end, all that was answered must be of the SDK's types."""
    with Double(profile, brain, faults=faults) as double, client(double) as made:
        yield Room(double, made)
        found = [each for exchange in double.exchanges for each in loose(exchange)]
    assert not (strict and found), found


def loose(exchange: Exchange) -> list[str]:
    """What of an answer is not as the SDK's types have it."""
    answer, endpoint = exchange.answer, exchange.asked.endpoint
    if answer is None or answer.status >= 300:
        return []
    if answer.events or "content-type" in answer.headers:
        datas = [json.loads(json.dumps(event.data)) for event in answer.events]
        return [each for data in datas for each in problems(data, ResponseStreamEvent)]
    body = json.loads(json.dumps(answer.body))
    if endpoint == "responses.compact":
        # The SDK has no type for a user's message in an output, although the API returns them.
        output = body["output"]
        messages = [item for item in output if item["type"] == "message"]
        body["output"] = [item for item in output if item not in messages]
        told = [each for item in messages for each in problems(item, ResponseInputMessageItem)]
        return [*told, *problems(body, CompactedResponse)]
    return problems(body, TYPES[endpoint])


def client(double: Double, key: str = "sk-test-of-the-double") -> openai.OpenAI:
    """OpenAI's own client, that never retries by itself."""
    return openai.OpenAI(base_url=double.openai_url, api_key=key, max_retries=0)


def ask(here: Room, given: object = "hi", **more: object) -> dict[str, object]:
    """Create a response from a raw body, past the types of the SDK."""
    return here.post("/responses", {"model": MODEL, "input": given, **more})


def asking(here: Room, given: object = "hi", **more: object) -> Callable[[], object]:
    """The same for later."""
    return lambda: ask(here, given, **more)


def output(body: dict[str, object]) -> list[dict[str, object]]:
    """The output items of a response."""
    found = body["output"]
    assert isinstance(found, list)
    return found


def result(call: dict[str, object], text: str = "seen") -> dict[str, object]:
    """The output of a call."""
    return {"type": "function_call_output", "call_id": call["call_id"], "output": text}


def not_found(here: Room, name: object, *, defect: bool = True, rule: str = "R1") -> None:
    """Claim that a response cannot be continued."""
    here.refused(
        rule,
        asking(here, previous_response_id=name),
        NOT_FOUND.format(name),
        param="previous_response_id",
        code="previous_response_not_found",
        defect=defect,
    )
