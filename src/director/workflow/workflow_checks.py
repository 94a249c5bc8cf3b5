"""Whether a workflow is right as a whole: names, configs, conditions, references."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import get_args

from director.workflow.conditions import check_condition, check_proof
from director.workflow.config_fields import make_choice_field_check
from director.workflow.doubt_checks import check_doubt_check
from director.workflow.expressions import check_expression_name
from director.workflow.input_types import check_input
from director.workflow.references import check_reference_cycles, list_parts
from director.workflow.retry import check_retry
from director.workflow.types import check_config
from director.workflow.types.iterate import RESERVED
from director.workflow.values import Effect, Node, Workflow, WorkflowError

_ALIAS = re.compile(r"[a-z][a-z0-9_]*")
_OLD_NODE = re.compile(r"node\d+")
_TOLD = 20  # problems of one workflow
_TAKEN = (*RESERVED, "all", "end", "secret", "env", "get_all_records")


def check_workflow(workflow: Workflow) -> Workflow:
    """The same workflow if all is right with it; else an error that says what is not."""
    problems = list(list_workflow_problems(workflow))
    if problems:
        more = f" And {len(problems) - _TOLD} more." if len(problems) > _TOLD else ""
        raise WorkflowError(" ".join(problems[:_TOLD]) + more)
    check_reference_cycles(workflow)
    return workflow


def list_workflow_problems(workflow: Workflow) -> Iterator[str]:
    """What is wrong with a workflow, node by node."""
    seen: set[str] = set()
    ids = {node.id for node in workflow.nodes}
    for node in workflow.nodes:
        for name in {node.id, node.alias}:
            if name in seen:
                yield f"Two nodes are called {name!r}."
        seen |= {node.id, node.alias}
        try:
            check_workflow_node(node)
        except WorkflowError as problem:
            yield f"{node.alias!r}: {problem}"
            continue
        for part in list_parts(node):
            if gone := [id_ for id_ in part.nodes if id_ not in ids]:
                yield f"{node.alias!r}: {part.name!r} names nodes that do not exist: {gone}."
    yield from _inputs(workflow)


def _inputs(workflow: Workflow) -> Iterator[str]:
    names: set[str] = set()
    for given in workflow.inputs:
        try:
            check_expression_name(given.name)
        except WorkflowError as problem:
            yield f"Input: {problem}"
        if given.name in names:
            yield f"Two inputs are called {given.name!r}."
        if given.required and given.default is not None:
            yield f"Input {given.name!r} is required, so its default is never used: take one out."
        names.add(given.name)
        yield from check_input(given)


def check_workflow_node(node: Node) -> None:
    """A node by itself: its alias, config, effect and conditions."""
    check_workflow_alias(node.alias)
    check_config(node.type, node.config)
    make_choice_field_check(*get_args(Effect))(node.effect)
    for where in ("requires", "ensures"):
        for condition in getattr(node, where):
            try:
                check_condition(condition)
            except WorkflowError as problem:
                raise WorkflowError(f"{where!r}: {problem}") from None
    if node.proof is not None:
        check_proof(node.proof)
    check_retry(node)
    for check in node.checks:
        check_doubt_check(check)


def check_workflow_alias(alias: str) -> None:
    """A name for a node that templates and selections can use."""
    if not _ALIAS.fullmatch(alias):
        fit = re.sub(r"\W+", "_", alias.strip().lower(), flags=re.ASCII).strip("_")
        meant = f" {fit!r} would do." if _ALIAS.fullmatch(fit) else ""
        raise WorkflowError(
            f"The alias {alias!r} must begin with a-z and hold only a-z, 0-9 and _.{meant}"
        )
    if alias in _TAKEN or _OLD_NODE.fullmatch(alias):
        raise WorkflowError(f"The alias {alias!r} has a meaning of its own. Choose another.")
