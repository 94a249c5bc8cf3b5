"""agent: a bounded sub-agent reaches a goal, or the node fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from director.browser import BrowserGone
from director.runs.values import RunError
from director.workflow.templates import defuse_templates
from director.workflow.values import Json

if TYPE_CHECKING:
    from director.runs.visit import NodeVisit


async def execute(visit: NodeVisit) -> Json:
    """What the sub-agent brought; anything but `ok` is a failure."""
    work = visit.engine.means.work
    if work is None:
        raise RunError(
            f"{visit.node.alias!r} is an agent node and needs an agent: "
            "hand one in as `work`, or leave the node out of the run."
        )
    steps = visit.config.get("maxSteps")
    most = steps if isinstance(steps, int) else 10
    session = await visit.engine.stage.session()
    try:
        result = await work(str(visit.config["goal"]), most, session)
    except BrowserGone:
        raise
    except Exception as problem:
        raise visit.make_failure(f"The agent stopped: {problem}", kind="agent") from problem
    if result.get("ok") is not True:
        said = result.get("error") or dict(result)
        raise visit.make_failure(f"The agent did not reach its goal: {said}", kind="agent")
    return defuse_templates(result)
