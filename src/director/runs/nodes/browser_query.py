"""browser_query: looks at the page and changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from director.browser.queries import run_query
from director.runs.doubts.lost_values import describe_lost_values
from director.runs.nodes.browser_action import take_doubts
from director.runs.observation import READS_ROWS
from director.workflow.paths import is_list
from director.workflow.templates import defuse_templates
from director.workflow.values import Json

if TYPE_CHECKING:
    from director.runs.visit import NodeVisit

_NO_PAGE = "about:blank"
_NOTHING_OPEN = (
    "No page is open here, so there is nothing to read: the node that opens it must run before. A "
    "node that stands in a body or branch does not run at the top as well."
)


async def execute(visit: NodeVisit) -> Json:
    """Look; a validation that does not pass fails the node unless it says to continue."""
    session = await visit.engine.stage.session()
    found = await run_query(session, visit.config)
    if found.get("count") == 0 and session.page().url == _NO_PAGE:
        raise visit.make_failure(_NOTHING_OPEN, kind="validate")
    items = found.get("items")
    if visit.config.get("method") in READS_ROWS and is_list(items):
        found["notes"] = [*describe_lost_values(items)]
    take_doubts(visit, found)
    stops = visit.config.get("onFailure", "stop_workflow") == "stop_workflow"
    if found.get("passed") is False and stops:
        errors = found["errors"]
        said = "; ".join(map(str, errors)) if isinstance(errors, list) else str(errors)
        raise visit.make_failure(f"The page is not as it should be: {said}.", kind="validate")
    return defuse_templates(found)
