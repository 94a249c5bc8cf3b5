"""What the Responses API keeps between requests, and how an id finds it again.

Also the seal on what only the double may read: encrypted reasoning and compactions. Nothing here
answers a request.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from director.testing.double import refusals
from director.testing.double.exchange import ParsedRequest, Refusal, ServerSentEvent
from director.testing.double.world import World

Item: TypeAlias = dict[str, object]
MONTH = 30 * 86_400.0
WHILE = 600.0
MARK = "gAAAAAB"


@dataclass(slots=True)
class Job:
    """A response made in the background: when it starts, when it ends, and what goes wrong."""

    starts: float
    ends: float
    stuck: bool = False
    fails_after: int | None = None
    evicted: bool = False
    cancelled: bool = False
    polls: int = 0


@dataclass(slots=True)
class StoredResponse:
    """A response: its final body, this request's own input, and all that it was chained to.

    `chains` says that it may be continued, `told` that a client was shown its end, `lost` that
    the double forgot it by itself.
    """

    id: str
    owner: str
    at: float
    body: Item
    given: list[Item]
    before: list[Item]
    stored: bool
    until: float
    background: bool = False
    job: Job | None = None
    events: tuple[ServerSentEvent, ...] = ()
    compaction: bool = False
    conversation: str = ""
    joined: bool = False
    chains: bool = True
    told: bool = False
    lost: bool = False
    deleted: bool = False

    def output(self) -> list[Item]:
        """The items of its answer."""
        found = self.body["output"]
        return found if isinstance(found, list) else []


@dataclass(slots=True)
class Shelf:
    """All responses and items that were made; `follows` and `needs` tie items to reasoning.

    `met` remembers which owners were told already what this kind of server does not do.
    """

    responses: dict[str, StoredResponse] = field(default_factory=dict)
    items: dict[str, tuple[str, Item]] = field(default_factory=dict)
    follows: dict[str, str] = field(default_factory=dict)
    needs: dict[str, str] = field(default_factory=dict)
    met: set[tuple[str, str]] = field(default_factory=set)

    def again(self, owner: str, topic: str) -> bool:
        """Whether this owner was told so before; it is remembered now."""
        known = (owner, topic) in self.met
        self.met.add((owner, topic))
        return known


def get_response_owner(asked: ParsedRequest) -> str:
    """Whose request it is: its key."""
    return asked.headers.get("authorization") or asked.headers.get("api-key") or ""


def keeps_response_state(world: World) -> bool:
    """Whether this kind of server stores responses at all."""
    return world.profile.chain == "kept"


def find_stored_response(world: World, asked: ParsedRequest, wanted: str) -> StoredResponse:
    """The response of that id, or the refusal that all unknown ids get."""
    shelf = world.state(Shelf)
    kept = shelf.responses.get(wanted)
    if kept is None or not is_response_stored(world, asked, kept):
        aged = kept is not None and kept.background and not kept.deleted
        raise refusals.write_openai_refusal(
            "R19" if aged else "R18",
            f"Response with id '{wanted}' not found.",
            status=404,
            defect=not (kept and kept.lost)
            and (keeps_response_state(world) or shelf.again(get_response_owner(asked), "get")),
        )
    return kept


def is_response_stored(world: World, asked: ParsedRequest, kept: StoredResponse) -> bool:
    """Whether a response can still be found by the one who asks."""
    gone = kept.deleted or kept.lost or not kept.stored or world.clock.now() >= kept.until
    return not gone and kept.owner == get_response_owner(asked)


def find_previous_response(world: World, asked: ParsedRequest) -> StoredResponse | None:
    """The response that a request continues, if it continues one."""
    wanted = asked.body.get("previous_response_id")
    if not isinstance(wanted, str):
        return None
    shelf = world.state(Shelf)
    chain = world.profile.chain
    if chain == "ignored":
        return None
    if chain != "kept":
        raise _refuse_chain(chain, wanted, known=shelf.again(get_response_owner(asked), "chain"))
    forgotten = asked.fault("forget_ids")
    if forgotten:
        for each in shelf.responses.values():
            each.lost = each.lost or each.stored
    kept = shelf.responses.get(wanted)
    if kept is not None and is_response_stored(world, asked, kept) and kept.chains:
        return kept
    aged = kept is not None and kept.stored and world.clock.now() >= kept.at + MONTH
    raise refuse_missing_previous_response(
        wanted,
        rule="R14" if kept is not None and kept.compaction else "R1",
        defect=not (aged or (kept is not None and kept.lost)),
        terse=bool(forgotten and forgotten.with_.get("terse")),
    )


def refuse_missing_previous_response(
    wanted: str, *, rule: str = "R1", defect: bool = True, terse: bool = False
) -> Refusal:
    """The refusal of an id that cannot be continued, in the long words or in the short ones."""
    if terse:
        message, code = "Invalid `previous_response_id`.", "invalid_request_error"
        return refusals.write_openai_refusal(rule, message, code=code, defect=defect)
    return refusals.write_openai_refusal(
        rule,
        f"Previous response with id '{wanted}' not found.",
        param="previous_response_id",
        code="previous_response_not_found",
        defect=defect,
    )


def _refuse_chain(chain: str, wanted: str, *, known: bool) -> Refusal:
    """What a server without chains says; to be told once is no defect, it is how one learns."""
    if chain == "zdr":
        message = (
            "Previous response cannot be used for this organization due to Zero Data Retention."
        )
        code: str | None = "unsupported_parameter"
    elif chain == "missing":
        message, code = f"Response with id '{wanted}' not found.", None
    else:
        message, code = "llama.cpp does not support 'previous_response_id'.", None
    return refusals.write_openai_refusal(
        "R1",
        message,
        status=404 if chain == "missing" else 400,
        param="previous_response_id",
        code=code,
        defect=known,
    )


def refuse_absent_endpoint(world: World, asked: ParsedRequest, topic: str) -> Refusal:
    """The refusal of an endpoint that this kind of server does not have."""
    return refusals.write_openai_refusal(
        "absent",
        f"Invalid URL ({asked.method} {asked.path})",
        status=404,
        defect=world.state(Shelf).again(get_response_owner(asked), topic),
    )


def seal_response_content(owned_by: str, content: Mapping[str, object]) -> str:
    """A content that only the double can read, and only for the same key."""
    text = json.dumps(content, ensure_ascii=False, sort_keys=True).encode("utf-8", "surrogatepass")
    return MARK + base64.urlsafe_b64encode(_signature(owned_by, text) + text).decode()


def unseal_response_content(owned_by: str, token: object) -> dict[str, object] | None:
    """What was sealed, or None if the token is not ours, not theirs, or was altered."""
    if not isinstance(token, str) or not token.startswith(MARK):
        return None
    try:
        raw = base64.b64decode(token.removeprefix(MARK), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None
    text = raw[32:]
    if not hmac.compare_digest(raw[:32], _signature(owned_by, text)):
        return None
    loaded: dict[str, object] = json.loads(text.decode("utf-8", "surrogatepass"))
    return loaded


def _signature(owned_by: str, text: bytes) -> bytes:
    return hmac.new(b"double:" + owned_by.encode(), text, hashlib.sha256).digest()
