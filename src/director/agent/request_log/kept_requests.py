"""Every request that was made, kept however it ends: its parts, its bytes, and what came of it.

The requests of a thread are the versions of one record. Bodies are kept as they left; keys travel
in headers and secrets are references, so neither can be among them. Nothing is ever asked here.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Literal, TypeAlias, cast

from director.agent.conversation.current_thread import find_current_request
from director.agent.request_log.context_records import (
    list_request_parts,
    make_context_body,
    make_report_body,
)
from director.context.report import Report
from director.context.values import Context
from director.models import Attempt, Model, ModelError, Policy, Reply, Tool, Usage
from director.models.prices import compute_price
from director.store import Store, StoreError, VersionConflict, Versioned
from director.store.compression import ATTEMPTS
from director.store.context_view import project_context_view
from director.store.values import Json


@dataclass(frozen=True, slots=True)
class RequestTarget:
    """Who is asked what kind of thing: a workflow's model, under a profile, with tools.

    `by` is Director itself, a scout or a node.
    """

    workflow: str
    thread: str
    profile: str
    model: Model
    tools: tuple[Tool, ...]
    policy: Policy
    by: Literal["director", "scout", "node"] = "director"
    streaming: bool = False


@dataclass(slots=True)
class RequestRecord:
    """One round: exactly what was sent, what it took to make it fit, and how it ended.

    `ended` is the answer, or what came instead of one; as long as there is neither, it counts as
    cancelled. `told` is what the log told at `head`; a scout is told nothing of it.
    """

    asked: RequestTarget
    report: Report
    head: int = 0
    told: Context = field(default_factory=Context)
    attempts: list[Attempt] = field(default_factory=list)
    ended: Reply | BaseException = field(default_factory=asyncio.CancelledError)


KIND = "request"
Purpose: TypeAlias = Literal["turn", "compress", "scout", "node"]
_TOOL = ("name", "description", "parameters", "strict")


@dataclass(frozen=True, slots=True)
class StoredRequest:
    """A request that was made: for whom, with which tools, and how it was to be sent.

    `turn` is the entry of the user that it works on; `head` the last entry that it was made from.
    """

    thread: str
    head: int
    workflow: str = ""
    profile: str = ""
    turn: int = 0
    purpose: Purpose = "turn"
    tools: Sequence[Tool] = ()
    policy: Policy = field(default_factory=Policy)
    streaming: bool = False
    gap: str = ""
    sent_as: str = ""


def keep_request(  # noqa: PLR0913  each has a name
    store: Store,
    asking: StoredRequest,
    *,
    model: Model,
    report: Report,
    ended: Reply | BaseException,
    told: Context | None = None,
    attempts: Sequence[Attempt] = (),
    clean: Callable[[str], str] = str,
) -> Versioned:
    """Keep a request: the context that its report says was sent, its bytes, and how it ended.

    An answer and a failure of the model carry their attempts; of one that was cancelled on the way
    they are given. So is what the log told, unless it is to be read here. `clean` takes out of the
    words of a failure what must not be kept.
    """
    if told is None:
        told = (
            project_context_view(store.entries(asking.thread, upto=asking.head))
            if asking.head
            else Context()
        )
    if isinstance(ended, Reply | ModelError):
        attempts = ended.attempts
    while True:
        newest = store.get(KIND, asking.thread)
        body = {
            **_describe_request(asking, model, report, told),
            "tools": {"$kept": store.keep(_tools_bytes(asking.tools))},
            "attempts": [_clean_texts(_attempt_body(one), clean) for one in attempts],
            **_encode_bodies(store, newest, [one.body for one in attempts if one.body]),
            **_outcome(ended, clean),
        }
        try:
            return store.put(KIND, asking.thread, body, expect=newest.version if newest else 0)
        except VersionConflict:
            continue


def _describe_request(
    asking: StoredRequest, model: Model, report: Report, told: Context
) -> dict[str, object]:
    return {
        "thread": asking.thread,
        "workflow": asking.workflow,
        "head": asking.head,
        "sent_as": asking.sent_as or asking.thread,
        "turn": asking.turn,
        "purpose": asking.purpose,
        "profile": asking.profile,
        "model": model.name,
        "at": time.time(),
        "streaming": asking.streaming,
        "policy": asdict(asking.policy),
        "capabilities": asdict(model.capabilities),
        "context": make_context_body(report.sent, told),
        "parts": [
            asdict(part) for part in list_request_parts(report.sent, asking.tools, report.counting)
        ],
        "report": make_report_body(report, asking.gap),
    }


def _attempt_body(attempt: Attempt) -> dict[str, object]:
    """An attempt without its bytes, which are kept apart."""
    return asdict(replace(attempt, body=b"")) | {"body": ""}


def _tools_bytes(tools: Sequence[Tool]) -> bytes:
    """The tools, which are the same for most requests: they are kept once."""
    told = [(one.name, one.description, one.parameters, one.strict) for one in tools]
    return json.dumps([dict(zip(_TOOL, one, strict=True)) for one in told]).encode()


def _encode_bodies(
    store: Store, newest: Versioned | None, sent: Sequence[bytes]
) -> dict[str, object]:
    """The bodies as frames against the last one that was kept whole, or whole if that is small."""
    base = cast("int", newest.body.get("whole", 0)) if newest else 0
    before = _read_body(store, newest.id, base) if newest and base else None
    frames, whole = [], base
    for nth, body in enumerate(sent):
        alone = encode_delta_frame(body)
        beside = encode_delta_frame(body, before) if before is not None else alone
        apart = before is None or 2 * len(beside) > len(alone)
        if apart and nth == 0:
            # Those that follow, in this request and in later ones, differ from this one.
            whole, before = (newest.version if newest else 0) + 1, body
        frame, against = (alone, 0) if apart else (beside, whole)
        digest = hashlib.sha256(body).hexdigest()
        kept = {"$kept": store.keep(frame)}
        frames.append({"sha256": digest, "bytes": len(body), "frame": kept, "base": against})
    return {"sent": frames, "whole": whole}


def _clean_texts(value: object, clean: Callable[[str], str]) -> object:
    """The value with every text in it cleaned."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {name: _clean_texts(inner, clean) for name, inner in value.items()}
    return [_clean_texts(one, clean) for one in value] if isinstance(value, list | tuple) else value


def _outcome(ended: Reply | BaseException, clean: Callable[[str], str]) -> dict[str, object]:
    if not isinstance(ended, Reply | Exception):
        return {"outcome": "cancelled", "failure": "It was stopped on the way."}
    if not isinstance(ended, Reply):
        return {"outcome": "failed", "failure": clean(str(ended)) or type(ended).__name__}
    return {
        "outcome": "answered",
        "reply": ended.id,
        "status": ended.status,
        "stop": ended.stop,
        "usage": asdict(ended.usage) if ended.usage else None,
        "cost": None if ended.cost is None else str(ended.cost),
        "warnings": list(ended.warnings),
        "replays": ended.replays,
    }


def read_kept_request(store: Store, thread: str, number: int) -> Versioned:
    """A request of a thread, by its number; StoreError if there is none."""
    found = store.get(KIND, thread, number)
    if found is None:
        newest = store.get(KIND, thread)
        there = f"there are 1 to {newest.version}" if newest else "there are none yet"
        raise StoreError(f"The thread {thread!r} has no request {number}; {there}.")
    return found


def read_sent_body(store: Store, thread: str, number: int, attempt: int = 1) -> bytes:
    """The body of a request exactly as it left; StoreError if it is not what was sent."""
    return _read_body(store, thread, number, attempt)


def _read_body(store: Store, thread: str, number: int, attempt: int = 1) -> bytes:
    body = read_kept_request(store, thread, number).body
    found = cast("Sequence[Mapping[str, object]]", body["sent"])
    if not 0 < attempt <= len(found):
        what = f"made {len(found)} attempts" if found else "never left"
        raise StoreError(f"The request {number} of {thread!r} {what}: there is no {attempt}.")
    one = found[attempt - 1]
    frame = store.read_kept(cast("dict[str, str]", one["frame"])["$kept"])
    base = cast("int", one["base"])
    within = number == base
    before = _read_body(store, thread, base, 1) if base and not (within and attempt == 1) else None
    made = decode_delta_frame(frame, before)
    if hashlib.sha256(made).hexdigest() != one["sha256"]:
        raise StoreError(f"The request {number} of {thread!r} is not as it was sent.")
    return made


def compute_kept_request_price(body: Json) -> float | None:
    """What the input of a kept request cost, by the price of its day; None if it is not known."""
    usage = body.get("usage")
    if not isinstance(usage, Mapping):
        return None
    provider, _, model = str(body["model"]).partition(":")
    bare = Usage(**{**usage, "output": 0, "reasoning": 0})
    money, _unknown = compute_price(provider, model, bare, at=cast("float", body["at"]))
    return None if money is None else float(money)


# Names of one release ago; they go with the next.
sent_bytes = read_sent_body


_MESSAGE = re.compile(rb'(?=\{"(?:role|type|name)":)')


def encode_delta_frame(body: bytes, before: bytes | None = None) -> bytes:
    """A body as a frame: pieces of its own, and spans of the pieces of the body before."""
    old = _pieces(before) if before is not None else []
    place = {piece: nth for nth, piece in reversed(list(enumerate(old)))}
    found: list[list[int] | str] = []
    for piece in _pieces(body):
        at = place.get(piece)
        last = found[-1] if found else None
        if isinstance(last, list) and last[1] < len(old) and old[last[1]] == piece:
            last[1] += 1
        elif at is not None:
            found.append([at, at + 1])
        else:
            found.append(piece.decode("latin-1"))
    return zlib.compress(json.dumps(found, separators=(",", ":")).encode())


def decode_delta_frame(frame: bytes, before: bytes | None = None) -> bytes:
    """The body of a frame; `before` is the body it was framed against."""
    old = _pieces(before) if before is not None else []
    found: Sequence[list[int] | str] = json.loads(zlib.decompress(frame))
    return b"".join(
        one.encode("latin-1") if isinstance(one, str) else b"".join(old[one[0] : one[1]])
        for one in found
    )


def _pieces(body: bytes) -> list[bytes]:
    return [piece for piece in _MESSAGE.split(body) if piece]


@contextmanager
def keep_record(
    store: Store, record: RequestRecord, clean: Callable[[str], str] = str
) -> Iterator[RequestRecord]:
    """Make a request inside; it is kept, however it ends. What a provider said is cleaned."""
    try:
        yield record
    except BaseException as stopped:
        record.ended = stopped
        raise
    finally:
        _keep(store, record, clean)


def _keep(store: Store, record: RequestRecord, clean: Callable[[str], str]) -> None:
    asked = record.asked
    keep_request(
        store,
        StoredRequest(
            asked.thread,
            record.head,
            asked.workflow,
            asked.profile,
            find_current_request(store, asked.thread),
            "turn" if asked.by == "director" else asked.by,
            asked.tools,
            asked.policy,
            streaming=asked.streaming,
            gap=_gap(store, asked.thread, record),
            sent_as="" if asked.by == "director" else asked.by,
        ),
        model=asked.model,
        report=record.report,
        ended=record.ended,
        clean=clean,
        told=record.told,
        attempts=record.attempts,
    )


def _gap(store: Store, thread: str, record: RequestRecord) -> str:
    """Why turns were left out of this one request, if no summary stood for them."""
    tried = store.get(ATTEMPTS, thread)
    if tried is None or tried.body.get("outcome") == "done" or record.report.sent.fold is None:
        return ""
    return str(tried.body.get("why") or "Automatic compression has stopped.")
