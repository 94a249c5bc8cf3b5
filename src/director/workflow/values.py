"""The values of a workflow. Plain, frozen, JSON inside; the rules are in the files beside this one.

A node has an id that never changes and an alias that people and models use. Its position is its
place in the workflow, counted from 1, and is never stored: what refers to a node holds its id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from director.errors import DirectorError

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
Config: TypeAlias = Mapping[str, Json]
NodeType: TypeAlias = Literal[
    "browser_action",
    "browser_query",
    "transform",
    "cognition",
    "iterate",
    "route",
    "handle",
    "context",
    "group",
    "agent",
]
Effect: TypeAlias = Literal["read", "idempotent", "once"]
Mode: TypeAlias = Literal["isolated", "flow"]


class WorkflowError(DirectorError, ValueError):
    """What is wrong with a workflow, a node or a template, and what the right form is."""

    status = 422


@dataclass(frozen=True, slots=True)
class Node:
    """One step of a workflow.

    `effect` says what repeating it would do: read (nothing), idempotent (the same again), once
    (something that must not happen twice). `requires` must hold before it runs and `ensures`
    after: a node is green only with their evidence. `proof` tells, after a crash in the middle of
    a `once` node, whether it happened: {"url"?, "happened": [...], "not_happened": [...]}.
    `retry` is for how many seconds it is tried again while its site is away; None is by its effect.
    `checks` are what runs of it are doubted by, beside what every run is: {"kind", "field"?, …}.
    """

    id: str
    alias: str
    type: NodeType
    config: Config
    description: str = ""
    effect: Effect = "once"
    requires: tuple[Config, ...] = ()
    ensures: tuple[Config, ...] = ()
    proof: Config | None = None
    retry: float | None = None
    checks: tuple[Config, ...] = ()


@dataclass(frozen=True, slots=True)
class Input:
    """What a run is given: its name, what it is for, its default if it has one.

    `type` is one of `director.workflow.input_types`. The value of a `sensitive` one goes into the
    vault, and the run holds its reference.
    """

    name: str
    description: str = ""
    default: Json = None
    required: bool = False
    type: str = "any"
    sensitive: bool = False


@dataclass(frozen=True, slots=True)
class Workflow:
    """Nodes in their order, what a run is given, and the origins that its browser may reach.

    `notes` say what was changed when the document of an earlier version was read.
    """

    id: str
    name: str
    nodes: tuple[Node, ...] = ()
    inputs: tuple[Input, ...] = ()
    origins: tuple[str, ...] = ()
    description: str = ""
    limits: Config = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tab:
    """A browser tab as people and models see it; never its content."""

    name: str
    url: str
    title: str
    active: bool
