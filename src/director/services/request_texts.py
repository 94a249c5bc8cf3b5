"""What was sent in a kept request, as text, part by part. Nothing is sent or counted here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from director.agent.request_log.context_records import read_context_record, split_request
from director.agent.request_log.request_replay import read_kept_request_tools
from director.context.values import AgentTurn, Context, Turn, UserTurn
from director.store import Store
from director.store.context_view import project_context_view
from director.store.values import Json

_LONGEST = 60_000


def texts_of(
    store: Store, thread: str, body: Json, clean: Callable[[str], str]
) -> dict[tuple[str, str], str]:
    """The text of each part, by its place and name, as it was sent; `clean` before it is cut."""
    head = cast("int", body["head"])
    told = project_context_view(store.entries(thread, upto=head)) if head else Context()
    sent = read_context_record(cast("Mapping[str, object]", body["context"]), told)
    found = {("instructions", one.name): one.text for one in sent.sections}
    tools = read_kept_request_tools(store, body)
    if tools:
        listed = (f"{one.name}\n  {one.description}\n  {one.parameters}" for one in tools)
        found["tools", f"{len(tools)} tools"] = "\n\n".join(listed)
    ahead, turns, behind = split_request(sent.turns)
    parts = cast("Sequence[Mapping[str, str]]", body["parts"])
    for place, block in (("first", ahead), ("last", behind)):
        found |= _blocks(place, block, [one["name"] for one in parts if one["place"] == place])
    if sent.summary is not None:
        found["history", "summary"] = sent.summary.text
    for name, lines in _history(turns).items():
        found["history", name] = "\n\n".join(lines)
    return {key: clean(text)[:_LONGEST] for key, text in found.items()}


def _blocks(place: str, turns: Sequence[Turn], names: Sequence[str]) -> dict[tuple[str, str], str]:
    text = "\n\n".join(turn.text for turn in turns)
    pieces = text.split("\n\n<")
    if len(pieces) != len(names):
        return {(place, name): text for name in names}
    whole = [pieces[0], *(f"<{piece}" for piece in pieces[1:])]
    return {(place, name): piece for name, piece in zip(names, whole, strict=True)}


def _history(turns: Sequence[Turn]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {"user": [], "agent": [], "calls": [], "results": []}
    for turn in turns:
        if isinstance(turn, UserTurn):
            found["user"].append(f"[{turn.at}] {turn.text}")
        elif isinstance(turn, AgentTurn):
            if turn.text:
                found["agent"].append(f"[{turn.at}] {turn.text}")
            for call in turn.calls:
                found["calls"].append(f"[{turn.at}] {call.tool} {call.args}")
                found["results"].append(f"[{turn.at}] {call.tool}: {call.result}")
    return found
