"""What a tool may do, by what the model has read: default deny, and origins are for the user.

A policy is data beside each tool. Text of the web in the context can ask for anything; it can
reach only the origins that the user approved. Naming an origin does not approve it, whoever names
it: what the user typed is only shown with the question. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from director.browser.approved_origins import Origins, get_origin_place
from director.secrets import Origin, OriginError
from director.workflow.paths import is_list
from director.workflow.values import Json

# look: reads what is kept or open · keep: changes Director's own records · reach: goes to the
# addresses in its arguments · run: acts in the browser, behind the guard of its session · ask:
# turns to the user, about approved origins only
Policy: TypeAlias = Literal["look", "keep", "reach", "run", "ask"]
POLICIES: tuple[Policy, ...] = get_args(Policy)
# What people type; what is longer was more likely pasted, and others wrote it.
TYPED = 500
_ADDRESS = re.compile(r"\bhttps?://[^\s\"'<>{}|\\^`\[\]]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Allowed:
    """The call may be made."""


@dataclass(frozen=True, slots=True)
class Waits:
    """The call waits for the user to approve these origins."""

    origins: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Denied:
    """The call is not made, and the user is not asked."""

    why: str


Decision: TypeAlias = Allowed | Waits | Denied


def decide_tool_call(
    policy: str, wanted: Sequence[str], *, approved: Iterable[str], refused: Iterable[str] = ()
) -> Decision:
    """Whether a call may be made that names these addresses; what anybody said does not count."""
    if policy not in POLICIES:
        return Denied("this tool has no policy, so it is never run")
    if policy not in ("reach", "ask"):
        return Allowed()
    there, gone = Origins(approved), Origins(refused)
    new: dict[str, None] = {}
    for address in wanted:
        try:
            origin = get_origin_place(address)
        except OriginError as problem:
            return Denied(f"only http and https addresses are opened. {problem}")
        if there.allows(origin):
            continue
        if gone.allows(origin):
            return Denied(
                f"the user refused {origin}, and nothing was sent there. Only the user can lift "
                "that; go on without it"
            )
        new[str(origin)] = None
    return Waits(tuple(new)) if new else Allowed()


def list_policy_addresses(value: Json) -> Iterator[str]:
    """Every address that is written out in a value; a template is judged when it is run."""
    if isinstance(value, str):
        yield from (found[0] for found in _ADDRESS.finditer(value) if _is_whole(value, found))
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from list_policy_addresses(inner)
    elif is_list(value):
        for inner in value:
            yield from list_policy_addresses(inner)


def select_typed_for_policy(messages: Iterable[str]) -> str:
    """Those messages of the user that are short enough to have been typed."""
    return "\n".join(text for text in messages if len(text) <= TYPED)


def list_policy_origins(text: str) -> list[Origin]:
    """The origins that a text writes out, letter for letter as they will be reached.

    What names one in another way (a user in front of it, letters of other alphabets, a number for
    an address, the target of a link that shows another text) is meant to look like something else.
    """
    found: list[Origin] = []
    for match in _ADDRESS.finditer(text):
        address = match[0].rstrip(".,;:!?)*")
        try:
            origin = get_origin_place(address)
        except OriginError:
            continue
        start, _, rest = address.casefold().partition(str(origin))
        plain = not start and rest[:1] in ("", "/", "?", "#") and "xn--" not in str(origin)
        if plain and not text[: match.start()].endswith("]("):
            found.append(origin)
    return found


def _is_whole(value: str, found: re.Match[str]) -> bool:
    """Whether the host is written out, and not cut off by a template."""
    rest = found[0].partition("://")[2]
    return "/" in rest or not value[found.end() :].startswith("{{")
