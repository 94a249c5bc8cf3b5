"""route: goes down the first branch whose condition holds. A condition that fails is a failure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from director.runs.left_out import doubt_left_item
from director.runs.values import Step
from director.workflow.expressions import name_expression_templates
from director.workflow.paths import is_list
from director.workflow.values import Config, Json

if TYPE_CHECKING:
    from director.runs.visit import NodeVisit


async def plan(visit: NodeVisit) -> Json:
    """The name of the branch to take, or nothing."""
    given = visit.config.get("input")
    scope = visit.engine.ledger.scope(visit.place, visit.engine.means.env)
    for branch in _branches(visit.config):
        condition = branch["condition"]
        if isinstance(condition, bool):
            holds = condition
        else:
            code, templates = name_expression_templates(str(condition))
            values = dict(given) if isinstance(given, Mapping) else {}
            values |= {name: scope(template) for name, template in templates.items()}
            holds = await visit.engine.sandbox.holds(code, values)
        if holds:
            return branch["name"]
    return None


async def execute(visit: NodeVisit) -> Json:
    """Run the nodes of the branch that was chosen; those of the others are skipped."""
    chosen, place = visit.step.plan, visit.place.inside(visit.key)
    visit.step = doubt_left_item(visit, str(chosen))
    results: list[dict[str, Json]] = []
    taken: set[str] = set()
    for branch in _branches(visit.config):
        if branch["name"] == chosen:
            taken = set(_ids(branch))
            results = await visit.engine.run_all(_ids(branch), place)
    for branch in _branches(visit.config):
        for id_ in _ids(branch):
            if id_ not in taken:
                taken.add(id_)
                node = visit.engine.nodes[id_]
                visit.others.append(
                    Step(place.key(id_), id_, node.alias, node.type, "finished", status="skipped")
                )
    return {"path": chosen, "results": results}


def _branches(config: Config) -> Iterator[Config]:
    branches = config["branches"]
    for branch in branches if is_list(branches) else ():
        if isinstance(branch, Mapping):
            yield branch


def _ids(branch: Config) -> list[str]:
    named = branch["branch"]
    return [str(id_) for id_ in named] if is_list(named) else []
