"""The context meter: how large the next request is now, by part, against warning and limit.

Each part of the context has one colour, here and in the inspector.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import cast

from director.agent.assemble import assemble
from director.agent.choosing import chosen_model, chosen_profile
from director.agent.desk import Desk
from director.agent.gather import conversation, gather
from director.agent.marks import Marks, marks_for
from director.agent.parts import parts_of
from director.agent.threads import current_thread
from director.agent.tools import REGISTRY, TRUSTS
from director.context.values import Context, Turn, UserTurn
from director.counting import counter_for
from director.models import Capabilities, NoKey
from director.models.capabilities import find
from director.models.names import UnknownModel, parse
from director.store import Versioned
from director.store.values import Json

# The order and the colours of the parts: whatever is shown by part is shown so.
GROUPS: Mapping[str, str] = {
    "system": "System prompt",
    "tools": "Tools",
    "plan": "Plan",
    "description": "Description",
    "workflow": "Workflow",
    "variables": "Variables",
    "browser": "Browser",
    "summary": "Summary",
    "user": "Your messages",
    "agent": "Director's words",
    "calls": "Calls",
    "results": "Results",
}
_OTHER = "other"


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of a bar: its group (its colour), its name, its tokens, where it begins and ends."""

    group: str
    name: str
    tokens: int
    start: float
    width: float


@dataclass(frozen=True, slots=True)
class Meter:
    """The size now, in tokens, and the money and cache of the last requests."""

    size: int
    marks: Marks
    slices: tuple[Slice, ...]
    counter: str
    model: str
    profile: str
    requests: int = 0
    money: Decimal | None = None
    cached: float | None = None

    @property
    def fill(self) -> str:
        """How full it is, in a word."""
        return {"fine": "", "large": "large", "full": "full"}[self.marks.fill(self.size)]

    @property
    def scale(self) -> int:
        """The tokens that the whole bar stands for."""
        return max(self.marks.at, self.size, 1)


def group_of(place: str, name: str) -> str:
    """The group, and so the colour, of a part."""
    if place == "tools":
        return "tools"
    if name in GROUPS:
        return name
    return "system" if place == "instructions" else _OTHER


def slices(parts: Iterable[tuple[str, str, int]], scale: int) -> tuple[Slice, ...]:
    """Parts side by side on a bar that stands for `scale` tokens."""
    found: list[Slice] = []
    at = 0
    for place, name, tokens in parts:
        group = group_of(place, name)
        told = GROUPS.get(group, name)
        width = 100 * tokens / scale
        found.append(Slice(group, told, tokens, 100 * at / scale, width))
        at += tokens
    return tuple(found)


async def meter(desk: Desk, made: Sequence[Versioned] = ()) -> Meter:
    """What the next request would take now; `made` are the requests of the thread so far."""
    store, workflow = desk.store, desk.workflow
    desk.thread = desk.thread or current_thread(store, workflow)
    profile = chosen_profile(store, workflow, desk.settings)
    name = _model(desk)
    said = conversation(desk, TRUSTS)
    state = await gather(desk, said)
    counter = counter_for(name or None)
    context, around = assemble(profile, state, said)
    first, last = _block(around.first_message), _block(around.last_message)
    whole = Context(context.sections, (*first, *context.turns, *last), context.summary)
    tools = [REGISTRY[each].tool for each in profile.tools]
    parts = [(one.place, one.name, one.tokens) for one in parts_of(whole, tools, counter)]
    size = sum(tokens for _, _, tokens in parts)
    marks = _marks(desk, name)
    money, cached = spent(made)
    return Meter(
        size,
        marks,
        slices(parts, max(marks.at, size, 1)),
        counter.name,
        name,
        profile.name,
        len(made),
        money,
        cached,
    )


def spent(made: Sequence[Versioned]) -> tuple[Decimal | None, float | None]:
    """What requests cost together, and the share of their input that came from a cache."""
    costs = [Decimal(cost) for one in made if isinstance(cost := one.body.get("cost"), str)]
    used = [usage for one in made if isinstance(usage := one.body.get("usage"), Mapping)]
    read = sum(cast("int", usage["read"]) for usage in used)
    whole = sum(input_of(usage) for usage in used)
    return (sum(costs, Decimal(0)) if costs else None), (read / whole if whole else None)


def input_of(usage: Json) -> int:
    """The input tokens of a kept usage."""
    writes = cast("Mapping[str, int]", usage["writes"])
    return cast("int", usage["uncached"]) + cast("int", usage["read"]) + sum(writes.values())


def _model(desk: Desk) -> str:
    try:
        return chosen_model(desk.store, desk.workflow, desk.settings, now=desk.model)
    except NoKey:
        return ""


def _marks(desk: Desk, model: str) -> Marks:
    """The marks for a model by its name; nothing is opened to know them."""
    try:
        named = parse(model)
        can = find(named.provider, named.model)
    except (UnknownModel, KeyError):
        return marks_for(desk.settings, Capabilities(window=1_000_000, max_input=1_000_000))
    return marks_for(desk.settings, can, provider=named.provider, model=named.model)


def _block(text: str) -> tuple[Turn, ...]:
    return (UserTurn(0, text, pinned=True),) if text else ()
