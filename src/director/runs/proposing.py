"""Conditions that a node might carry, proposed from what was seen when it was tried.

Only what the journal of the step shows is proposed. Nothing is changed here: somebody accepts it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from director.runs.telling import condition_text
from director.runs.values import Step
from director.workflow.checking import check_workflow
from director.workflow.values import Config, Json, Node, Workflow


@dataclass(frozen=True, slots=True)
class Proposal:
    """One condition, and whether it is to hold before or after the node."""

    where: str
    condition: Config

    def __str__(self) -> str:
        return f"{self.where} {condition_text(self.condition)}"


def proposals(node: Node, step: Step, inputs: Mapping[str, Json] | None = None) -> list[Proposal]:
    """What a tried node could promise, without what it promises already."""
    known = [*node.requires, *node.ensures]
    texts = {n: v for n, v in (inputs or {}).items() if isinstance(v, str) and "://" in v}
    return [each for each in _seen(node, step, texts) if each.condition not in known]


def accepted(workflow: Workflow, node: Node, wanted: list[Proposal]) -> Workflow:
    """The workflow with proposals written into the node."""
    more = {
        where: tuple(each.condition for each in wanted if each.where == where)
        for where in ("requires", "ensures")
    }
    changed = replace(
        node,
        requires=(*node.requires, *more["requires"]),
        ensures=(*node.ensures, *more["ensures"]),
    )
    nodes = tuple(changed if each.id == node.id else each for each in workflow.nodes)
    return check_workflow(replace(workflow, nodes=nodes))


def _seen(node: Node, step: Step, inputs: Mapping[str, str]) -> Iterator[Proposal]:
    if step.status != "success":
        return
    result = step.result if isinstance(step.result, Mapping) else {}
    if node.type == "browser_query" and result.get("count") and "selector" in node.config:
        yield Proposal("ensures", {"count": node.config["selector"], "at_least": 1})
    if node.type != "browser_action" or not step.page:
        return
    before, after = step.before or {}, step.page
    acts_on_page = "selector" in node.config
    if acts_on_page and str(before.get("url", "")).startswith("http"):
        yield Proposal("requires", {"url": _address(before["url"], inputs)})
    if before.get("url") != after.get("url"):
        yield Proposal("ensures", {"url": _address(after["url"], inputs)})
    if before.get("document") != after.get("document"):
        yield Proposal("ensures", {"status": _address(after["url"], inputs), "below": 400})
    if node.config.get("action") == "type" and not str(node.config["text"]).startswith("{{secret:"):
        kept = {"element": node.config["selector"], "value": node.config["text"]}
        yield Proposal("ensures", kept)


def _address(url: Json, inputs: Mapping[str, str]) -> str:
    """An address with the input that it begins with named, and any query."""
    plain = str(url).partition("#")[0]
    path, asked, _ = plain.partition("?")
    for name, value in inputs.items():
        if path.startswith(value):
            path = f"{{{{{name}}}}}{path.removeprefix(value)}"
            break
    return f"{path}*" if asked else path
