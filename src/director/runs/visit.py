"""A node at a place of a run, and what its function may use of the engine that runs it.

Node types and recovery depend on this module, never on the engine, which depends on them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from director.browser import Session
from director.browser.page_notices import Glance
from director.runs.held_before import HeldBefore
from director.runs.run_journal import RunJournal
from director.runs.sandbox import Sandbox
from director.runs.stage import Stage
from director.runs.values import NodeFailed, Question, RunDependencies, Step, VisitScope
from director.workflow.entry_decisions import EntryDecision
from director.workflow.values import Config, Json, Node


class NodeRunner(Protocol):
    """The engine, as the function of a node sees it."""

    @property
    def ledger(self) -> RunJournal:
        """What the run has done and kept."""

    @property
    def means(self) -> RunDependencies:
        """What the run was given."""

    @property
    def nodes(self) -> Mapping[str, Node]:
        """The nodes of the workflow by their ids."""

    @property
    def decisions(self) -> Mapping[str, EntryDecision]:
        """The nodes that decide whether something is entered, by their ids."""

    @property
    def sandbox(self) -> Sandbox:
        """Where code of the workflow runs."""

    @property
    def stage(self) -> Stage:
        """The browser of the run."""

    async def run_all(self, ids: Sequence[str], place: VisitScope) -> list[dict[str, Json]]:
        """Visit nodes in the order of their list; stops at an error."""

    async def visit_listed(self, id_: str, place: VisitScope, nth: int) -> dict[str, Json]:
        """Visit a node and say which one it was and what its result is."""

    async def check_conditions(
        self,
        conditions: Iterable[Config],
        place: VisitScope,
        *,
        mark: int,
        session: Session | None = None,
    ) -> list[Config]:
        """The evidence for conditions, up to the first that does not hold."""

    async def wait_for(self, question: Question, key: str) -> str:
        """The answer to a question; the run says meanwhile that it waits."""


@dataclass(slots=True)
class NodeVisit:
    """A node at a place: what its function is given.

    `began` and `done` say how far it is: about to act, and after it. `values` and `others` are
    variables and steps to be written when it finishes. `told` is what the page told before it,
    `mark` when it began in the session's count, `may_send` whether its page may send forms, `held`
    which of its promises held before it acted.
    """

    engine: NodeRunner
    node: Node
    place: VisitScope
    step: Step
    config: Config = field(default_factory=dict)
    began: bool = False
    done: bool = False
    values: dict[str, Json] = field(default_factory=dict)
    others: list[Step] = field(default_factory=list)
    told: Glance = ()
    mark: int = 0
    may_send: bool = True
    held: HeldBefore = field(default_factory=HeldBefore)

    @property
    def key(self) -> str:
        """The key of this visit in the journal."""
        return self.step.key

    def make_failure(self, why: str, *, kind: str) -> NodeFailed:
        """The failure of this node."""
        if self.done and self.node.effect == "once":
            why += " What the node does was done all the same: a test or a run of it does it again."
        return NodeFailed(why, key=self.key, alias=self.node.alias, kind=kind)
