"""The values of a profile, and where its sections stand in a request. Never reads a file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

from director.context.values import Section
from director.sections.section_texts import render_section_text
from director.sections.workflow_state import WorkflowState

Mode: TypeAlias = Literal["reset", "refresh", "checkpoint"]
Chain: TypeAlias = Literal["durable", "any", "never"]
MODES: tuple[Mode, ...] = get_args(Mode)
CHAINS: tuple[Chain, ...] = get_args(Chain)

# Every tool that an agent of Director can have; a profile allows some of them.
TOOLS = (
    "update_plan",
    "get_current_plan",
    "update_workflow_description",
    "get_workflow_description",
    "get_workflow_summary",
    "get_workflow_nodes",
    "get_workflow_variables",
    "get_workflow_variable",
    "set_variable",
    "clear_variable",
    "clear_all_variables",
    "get_browser_state",
    "inspect_tab",
    "find",
    "expand",
    "read",
    "describe_element",
    "debug_navigate",
    "debug_action",
    "debug_open_tab",
    "debug_close_tab",
    "deploy_scout",
    "send_scout",
    "create_node",
    "update_node",
    "delete_node",
    "move_node",
    "test_single_node",
    "execute_nodes",
    "ask_user",
    "ask_secret",
    "recall",
    "describe_node_type",
    "declare_input",
    "remove_input",
    "reset_browser",
)


@dataclass(frozen=True, slots=True)
class TurnLimits:
    """What one turn may take at most: model calls, tokens in all of them, seconds, US dollars."""

    rounds: int
    tokens: int
    seconds: int
    money: float


@dataclass(frozen=True, slots=True)
class Compression:
    """How a conversation goes on from a summary.

    `reset` begins anew with it as the first user message; `refresh` also has the agent look at
    the state again `every` so many messages; `checkpoint` keeps it in the instructions until the
    next one. `model` writes it; empty: the agent's own.
    """

    mode: Mode
    every: int = 0
    model: str = ""


@dataclass(frozen=True, slots=True)
class Profile:
    """Which sections an agent is shown and where, its tools, limits, strategy and compression.

    Sections stand in the `instructions`, in a user message ahead of the history (`first`), or
    in one behind it (`last`), in the order given.
    """

    name: str
    says: str
    instructions: tuple[str, ...]
    first: tuple[str, ...]
    last: tuple[str, ...]
    tools: tuple[str, ...]
    limits: TurnLimits
    strategy: str
    chain: Chain
    compression: Compression

    @property
    def sections(self) -> tuple[str, ...]:
        """All that the agent is shown, in the order of the request."""
        return (*self.instructions, *self.first, *self.last)


@dataclass(frozen=True, slots=True)
class Placed:
    """The sections of one request, each in its place."""

    instructions: tuple[Section, ...]
    first: tuple[Section, ...]
    last: tuple[Section, ...]

    @property
    def first_message(self) -> str:
        """The user message ahead of the history; empty if there is none."""
        return "\n\n".join(one.text for one in self.first)

    @property
    def last_message(self) -> str:
        """The user message behind the history; empty if there is none."""
        return "\n\n".join(one.text for one in self.last)


def place_sections(profile: Profile, state: WorkflowState) -> Placed:
    """The sections that a profile shows of a state."""
    return Placed(
        _render_sections(profile.instructions, state),
        _render_sections(profile.first, state),
        _render_sections(profile.last, state),
    )


def with_mode(profile: Profile, mode: Mode, *, every: int = 0) -> Profile:
    """The profile with another way to go on from a summary, which stands where that wants it."""
    instructions, first = (
        tuple(name for name in names if name != "summary")
        for names in (profile.instructions, profile.first)
    )
    if mode == "checkpoint":
        instructions = (*instructions, "summary")
    else:
        first = (*first, "summary")
    compression = replace(profile.compression, mode=mode, every=every)
    return replace(profile, instructions=instructions, first=first, compression=compression)


def _render_sections(names: tuple[str, ...], state: WorkflowState) -> tuple[Section, ...]:
    found = (render_section_text(name, state) for name in names)
    return tuple(one for one in found if one is not None)
