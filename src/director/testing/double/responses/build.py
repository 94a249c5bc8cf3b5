"""From what a script engine said to output items, and from them to the body of a response.

Nothing here asks a script engine, looks up state or keeps what it makes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from director.models.capabilities import Capabilities
from director.models.script_values import Ask, Compact, Emit, Fail, Refuse, Say, Stop, Think, Wait
from director.testing.double.exchange import ParsedRequest
from director.testing.double.request_log.block import OVERHEAD, count_block_units
from director.testing.double.request_log.usage_log import Booked
from director.testing.double.responses.response_state import (
    Item,
    Shelf,
    get_response_owner,
    seal_response_content,
)
from director.testing.double.responses.tool_rules import is_tool_strict
from director.testing.double.world import World

Value = TypeVar("Value")
REASONS = {"content_filter": "content_filter"}
DATED = {
    "gpt-4o": "gpt-4o-2024-08-06",
    "gpt-4o-mini": "gpt-4o-mini-2024-07-18",
    "gpt-4.1": "gpt-4.1-2025-04-14",
    "gpt-4.1-mini": "gpt-4.1-mini-2025-04-14",
    "gpt-4.1-nano": "gpt-4.1-nano-2025-04-14",
    "o3": "o3-2025-04-16",
    "gpt-5": "gpt-5-2025-08-07",
    "gpt-5-mini": "gpt-5-mini-2025-08-07",
    "gpt-5-nano": "gpt-5-nano-2025-08-07",
    "gpt-5.1": "gpt-5.1-2025-11-13",
    "gpt-5.2": "gpt-5.2-2025-12-11",
    "gpt-5.4-mini": "gpt-5.4-mini-2026-03-17",
    "gpt-5.4-nano": "gpt-5.4-nano-2026-03-17",
    "gpt-5.5": "gpt-5.5-2026-04-23",
}
TIERS = {"auto": "default", "fast": "priority"}
MISSES = ("tools_changed", "input_changed")


@dataclass(slots=True)
class BuiltOutput:
    """What came of a script engine's words: items, how they ended, and what they took."""

    output: list[Item] = field(default_factory=list)
    status: str = "completed"
    reason: str | None = None
    error: Fail | None = None
    seconds: float | None = None
    tokens: int = 0
    reasoning: int = 0


@dataclass(frozen=True, slots=True)
class Making:
    """For whom items are made: the world that gives ids, the owner of seals, the response's key."""

    world: World
    owner: str
    key: str

    def name(self, prefix: str) -> str:
        """A new id."""
        return self.world.ids.item(prefix, self.key, self.world.clock.now())

    def message(self, text: str, status: str = "completed") -> Item:
        """A message of text."""
        part: Item = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
        return self._message(part, status)

    def refusal(self, text: str) -> Item:
        """A message that refuses."""
        return self._message({"type": "refusal", "refusal": text}, "completed")

    def _message(self, part: Item, status: str) -> Item:
        return {
            "id": self.name("msg"),
            "type": "message",
            "role": "assistant",
            "status": status,
            "content": [part],
        }

    def reasoning(self, text: str) -> Item:
        """Reasoning, readable in summary and sealed in full."""
        return {
            "id": self.name("rs"),
            "type": "reasoning",
            "summary": [{"type": "summary_text", "text": text}] if text else [],
            "encrypted_content": seal_response_content(
                self.owner, {"kind": "reasoning", "text": text}
            ),
        }

    def call(self, ask: Ask) -> Item:
        """A call of a function."""
        return {
            "id": self.name("fc"),
            "type": "function_call",
            "call_id": ask.id or self.world.ids.call(),
            "name": ask.tool,
            "arguments": ask.args,
            "status": "completed",
        }

    def compaction(self, text: str, left: Sequence[str] = ()) -> Item:
        """A compaction; `left` are the digests of the messages that stay beside it."""
        content = {"kind": "compaction", "text": text, "left": list(left)}
        return {
            "id": self.name("cmp"),
            "type": "compaction",
            "encrypted_content": seal_response_content(self.owner, content),
        }

    def item(self, said: Emit, text: str) -> Item | None:
        """The item for one thing said, with as much of its text as fits."""
        if isinstance(said, Say):
            return self.message(text, "completed" if text == said.text else "incomplete")
        if isinstance(said, Think):
            return self.reasoning(text)
        if isinstance(said, Ask):
            return self.call(said)
        if isinstance(said, Refuse):
            return self.refusal(text)
        return self.compaction(text) if isinstance(said, Compact) else None


def build_items(
    making: Making, said: Sequence[Emit], limit: int, started: BuiltOutput | None = None
) -> BuiltOutput:
    """The items of what was said, up to so many tokens."""
    made = started or BuiltOutput()
    for each in said:
        if isinstance(each, Fail):
            made.output, made.status, made.error = [], "failed", each
            break
        if isinstance(each, Wait):
            made.seconds = (made.seconds or 0.0) + each.seconds
        elif isinstance(each, Stop):
            made.status, made.reason = "incomplete", REASONS.get(each.reason, "max_output_tokens")
            break
        elif not _add(making, each, made, limit):
            made.status, made.reason = "incomplete", "max_output_tokens"
            break
    return made


def _add(
    making: Making, said: Say | Think | Ask | Refuse | Compact, made: BuiltOutput, limit: int
) -> bool:
    """Add an item; False if it had to be cut. A call is cut by leaving it out."""
    text = said.tool + said.args if isinstance(said, Ask) else said.text
    room = limit - made.tokens - OVERHEAD
    fits = count_block_units(text) <= room
    if not fits:
        if isinstance(said, Ask | Compact) or room <= 0:
            return False
        text = text.encode("utf-8", "surrogatepass")[: room * 4].decode("utf-8", "ignore")
    item = making.item(said, text)
    if item is not None:
        made.output.append(item)
    size = count_block_units(text) + OVERHEAD
    made.tokens += size
    made.reasoning += size if isinstance(said, Think) else 0
    return fits


def read_compaction(said: Sequence[Emit]) -> str:
    """The text that stands for a context, as a script engine said when asked to compact."""
    return "\n".join(each.text for each in said if isinstance(each, Compact | Say))


def tie_built_items(shelf: Shelf, output: Sequence[Item]) -> None:
    """Remember which item followed which reasoning, and which items cannot go without it."""
    reasoning = ""
    for item, after in zip(output, [*output[1:], None], strict=False):
        name = str(item["id"])
        if item["type"] == "reasoning":
            reasoning = name
            if after is not None:
                shelf.follows[name] = str(after["id"])
        elif reasoning and item["type"] != "compaction":
            shelf.needs[name] = reasoning


def body(asked: ParsedRequest, can: Capabilities, made: BuiltOutput, name: str, at: float) -> Item:
    """The body of a finished response, without its usage."""
    ask = asked.body
    model = str(ask.get("model") or "")
    return {
        "id": name,
        "object": "response",
        "created_at": int(at),
        "status": made.status,
        "background": _or(ask, "background", default=False),
        "completed_at": None,
        "conversation": None,
        "error": _error(made.error),
        "incomplete_details": {"reason": made.reason} if made.reason else None,
        "instructions": ask.get("instructions"),
        "max_output_tokens": ask.get("max_output_tokens"),
        "max_tool_calls": ask.get("max_tool_calls"),
        "metadata": _or(ask, "metadata", default={}),
        "model": DATED.get(model, model),
        "output": made.output,
        "parallel_tool_calls": _or(ask, "parallel_tool_calls", default=True),
        "previous_response_id": ask.get("previous_response_id"),
        "prompt_cache_key": ask.get("prompt_cache_key"),
        "prompt_cache_options": _cache_options(ask),
        "prompt_cache_retention": ask.get("prompt_cache_retention"),
        "reasoning": _reasoning(ask, can),
        "safety_identifier": ask.get("safety_identifier"),
        "service_tier": TIERS.get(
            str(ask.get("service_tier")), ask.get("service_tier") or "default"
        ),
        "temperature": _or(ask, "temperature", default=1.0),
        "text": _text(ask),
        "tool_choice": _or(ask, "tool_choice", default="auto"),
        "tools": _tools(ask.get("tools")),
        "top_logprobs": _or(ask, "top_logprobs", default=0),
        "top_p": _or(ask, "top_p", default=1.0),
        "truncation": _or(ask, "truncation", default="disabled"),
        "usage": None,
        "user": ask.get("user"),
    }


def make_unfinished(final: Mapping[str, object], status: str) -> Item:
    """The body of a response as it was before its end."""
    early: Item = {
        "status": status,
        "output": [],
        "usage": None,
        "completed_at": None,
        "error": None,
        "incomplete_details": None,
        "service_tier": "auto",
    }
    return {**final, **early}


def build_response_usage(line: Booked) -> Item:
    """The usage of a booked request."""
    written = sum(line.writes.values())
    details: Item = {"cached_tokens": line.read, "cache_write_tokens": written}
    if written:
        details["cache_write_tokens_details"] = {
            "ttl_30m_tokens": line.writes.get("30m", 0),
            "ttl_12h_tokens": line.writes.get("12h", 0),
        }
    return {
        "input_tokens": line.input,
        "input_tokens_details": details,
        "output_tokens": line.output,
        "output_tokens_details": {"reasoning_tokens": line.reasoning},
        "total_tokens": line.input + line.output,
    }


def build_response_diagnosis(line: Booked, *, known: bool) -> Item:
    """Why a cache was missed, for a request that asked."""
    if not known:
        return {"type": "comparison_response_not_found"}
    if line.read and not line.miss:
        return {"type": "cache_hit"}
    reason = line.miss if line.miss in MISSES else "input_changed"
    return {"type": "cache_miss", "reason": reason, "cache_missed_tokens": line.input - line.read}


def _or(ask: Mapping[str, object], key: str, *, default: Value) -> object | Value:
    found = ask.get(key)
    return default if found is None else found


def _error(fail: Fail | None) -> Item | None:
    return {"code": fail.code, "message": fail.message} if fail else None


def _cache_options(ask: Mapping[str, object]) -> Item | None:
    given = ask.get("prompt_cache_options")
    if not isinstance(given, dict):
        return None
    known = {key: value for key, value in given.items() if key != "prewarm"}
    return {"mode": "implicit", "ttl": "30m", **known}


def _reasoning(ask: Mapping[str, object], can: Capabilities) -> Item:
    given = ask.get("reasoning")
    effort = "medium" if can.reasoning else None
    return {"effort": effort, "summary": None, **(given if isinstance(given, dict) else {})}


def _text(ask: Mapping[str, object]) -> Item:
    given = ask.get("text")
    plain: Item = {"format": {"type": "text"}, "verbosity": "medium"}
    return {**plain, **(given if isinstance(given, dict) else {})}


def _tools(tools: object) -> list[Item]:
    made = []
    for tool in tools if isinstance(tools, list) else []:
        if tool.get("type") == "function":
            schema = tool.get("parameters")
            strict = tool.get("strict")
            filled: Item = {"description": None, "parameters": None, **tool}
            made.append({**filled, "strict": is_tool_strict(schema) if strict is None else strict})
        else:
            made.append(dict(tool))
    return made


def build_id_maker(world: World, asked: ParsedRequest) -> Making:
    """For the next response: a new partition key, which all its ids share."""
    return Making(world, get_response_owner(asked), world.ids.hexes(16))
