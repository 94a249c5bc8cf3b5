"""What a generated history may look like: each shape by a name and a test of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from director.context.sizes import context_size
from director.context.values import AgentTurn, Budget, Call, Context, UserTurn, chars4


def _agents(context: Context) -> list[AgentTurn]:
    return [turn for turn in context.turns if isinstance(turn, AgentTurn)]


def _users(context: Context) -> list[UserTurn]:
    return [turn for turn in context.turns if isinstance(turn, UserTurn)]


def _calls(context: Context) -> list[Call]:
    return [call for turn in _agents(context) for call in turn.calls]


def _pinned(context: Context) -> Context:
    """What no strategy may take away: the pinned sections and turns, and the latest request."""
    latest = _users(context)[-1]
    return Context(
        tuple(section for section in context.sections if section.pinned),
        tuple(turn for turn in _users(context) if turn.pinned or turn.request or turn is latest),
    )


def _size(context: Context, budget: Budget) -> int:
    return context_size(context, budget.counter)


SHAPES: Mapping[str, Callable[[Context, Budget], bool]] = {
    "the budget is loose": lambda c, b: _size(c, b) <= b.limit,
    "the budget is tight": lambda c, b: _size(_pinned(c), b) <= b.limit < _size(c, b),
    "the budget is impossible": lambda c, b: _size(_pinned(c), b) > b.limit,
    "a target is set": lambda _, b: b.target is not None,
    "tokens are characters": lambda _, b: b.counter is chars4,
    "tokens are words": lambda _, b: b.counter is not chars4,
    "notes are pinned": lambda c, _: any(s.name == "notes" and s.pinned for s in c.sections),
    "notes may go": lambda c, _: any(not s.pinned for s in c.sections),
    "there are no notes": lambda c, _: len(c.sections) == 1,
    "a request is large": lambda c, _: any(len(turn.text) > 2_000 for turn in _users(c)),
    "one request": lambda c, _: len(_users(c)) == 1,
    "several requests": lambda c, _: len(_users(c)) > 1,
    "a later request is pinned": lambda c, _: any(turn.pinned for turn in _users(c)[1:]),
    "the user spoke last": lambda c, _: isinstance(c.turns[-1], UserTurn),
    "the agent spoke last": lambda c, _: isinstance(c.turns[-1], AgentTurn),
    "the user spoke twice running": lambda c, _: any(
        isinstance(one, UserTurn) and isinstance(other, UserTurn)
        for one, other in zip(c.turns, c.turns[1:], strict=False)
    ),
    "the agent never spoke": lambda c, _: not _agents(c),
    "the agent thought": lambda c, _: any(turn.thinking for turn in _agents(c)),
    "no call was made": lambda c, _: not _calls(c),
    "calls were made at once": lambda c, _: any(len(turn.calls) > 1 for turn in _agents(c)),
    "a call came with words": lambda c, _: any(turn.calls and turn.text for turn in _agents(c)),
    "a call came without words": lambda c, _: any(
        turn.calls and not turn.text for turn in _agents(c)
    ),
    "a call failed": lambda c, _: any(call.failed for call in _calls(c)),
    "a result has an image": lambda c, _: any(call.images for call in _calls(c)),
    "a result is rows": lambda c, _: any(call.result.startswith("[{") for call in _calls(c)),
    "a result is a page": lambda c, _: any("[ref=e" in call.result for call in _calls(c)),
    "a result is a log": lambda c, _: any(" INFO " in call.result for call in _calls(c)),
    "a result is words": lambda c, _: any(
        not call.result.startswith("[{") and "\n" not in call.result for call in _calls(c)
    ),
    "a result is long": lambda c, _: any(len(call.result) > 800 for call in _calls(c)),
}
# Each of these has no other of its group beside it.
_ONE_OF = (
    {"the budget is loose", "the budget is tight", "the budget is impossible"},
    {"tokens are characters", "tokens are words"},
    {"notes are pinned", "notes may go", "there are no notes"},
    {"one request", "several requests"},
    {"one request", "a later request is pinned"},
    {"one request", "the user spoke twice running"},
    {"the user spoke last", "the agent spoke last"},
    {"the agent never spoke", "the agent spoke last"},
    {"the agent never spoke", "the agent thought"},
)
_OF_CALLS = {name for name in SHAPES if name.startswith(("a result", "a call", "calls"))}


def shapes_of(context: Context, budget: Budget) -> set[str]:
    """The names of the shapes that a history has."""
    return {name for name, has in SHAPES.items() if has(context, budget)}


def exclude(one: str, other: str) -> bool:
    """Whether two shapes cannot be in one history."""
    if {one, other} & {"no call was made", "the agent never spoke"} and {one, other} & _OF_CALLS:
        return True
    return any({one, other} <= group for group in _ONE_OF)
