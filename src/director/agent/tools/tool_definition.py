"""A tool of Director as data: what a model is told, its policy, how far its results are trusted.

The function's type hints are its schema and its docstring is what a model reads. Its first
parameter is the desk, of which no model knows.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, get_type_hints

from director.agent.permissions.tool_policy import Policy
from director.context.values import Trust
from director.models import Result, Tool, tool

if TYPE_CHECKING:
    from director.agent.agent_session import AgentSession
    from director.agent.permissions.effect_approval import Effect

Args: TypeAlias = Mapping[str, object]
Function: TypeAlias = Callable[..., Awaitable["str | Result | UserQuestion"]]
Does: TypeAlias = Callable[["AgentSession", Args], Awaitable[Sequence["Effect"]]]


@dataclass(frozen=True, slots=True)
class UserQuestion:
    """What a tool asks the user: the turn ends with it, and the answer is the call's result."""

    text: str
    choices: tuple[str, ...] = ()

    def __str__(self) -> str:
        listed = "\n".join(f"- {choice}" for choice in self.choices)
        return f"{self.text}\n{listed}" if listed else self.text


def _nowhere(_: Args) -> Sequence[str]:
    return ()


async def _nothing(_: AgentSession, __: Args) -> Sequence[Effect]:
    return ()


@dataclass(frozen=True, slots=True)
class Spec:
    """One tool: `wants` gives the addresses that a call of it would reach, `does` its effects."""

    tool: Tool
    policy: Policy
    trust: Trust
    run: Function
    wants: Callable[[Args], Sequence[str]] = _nowhere
    does: Does = _nothing

    @property
    def name(self) -> str:
        """The name that a model calls it by."""
        return self.tool.name


def make_tool_definition(
    function: Function,
    policy: Policy,
    trust: Trust = "agent",
    *,
    name: str = "",
    wants: Callable[[Args], Sequence[str]] = _nowhere,
    does: Does = _nothing,
) -> Spec:
    """The tool that a function is; under another name, if one is given."""
    return Spec(tool(_without_desk(function, name)), policy, trust, function, wants, does)


def get_url_argument(args: Args) -> Sequence[str]:
    """The address in the argument `url`, if there is one."""
    url = args.get("url")
    return (url,) if isinstance(url, str) and url else ()


def get_origin_argument(args: Args) -> Sequence[str]:
    """The origin in the argument `origin`, if there is one."""
    origin = args.get("origin")
    return (origin,) if isinstance(origin, str) and origin else ()


def _without_desk(function: Function, name: str) -> Callable[..., object]:
    """The same function as a model knows it."""
    hints = get_type_hints(function, include_extras=True)
    first, *rest = inspect.signature(function).parameters.values()

    def stand_in(**_: object) -> None:
        raise AssertionError("only described, never run")

    stand_in.__name__ = name or getattr(function, "__name__", "")
    stand_in.__doc__ = function.__doc__
    stand_in.__annotations__ = {key: hint for key, hint in hints.items() if key != first.name}
    stand_in.__signature__ = inspect.Signature(rest)  # type: ignore[attr-defined]
    return stand_in
