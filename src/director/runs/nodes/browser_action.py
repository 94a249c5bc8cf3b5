"""browser_action: one thing done in the browser, on the active tab."""

from __future__ import annotations

from typing import TYPE_CHECKING

from director.browser.actions import act
from director.workflow.templates import defused
from director.workflow.values import Json

if TYPE_CHECKING:
    from director.runs.engine import Visit


async def execute(visit: Visit) -> Json:
    """Do it."""
    stage = visit.engine.stage
    result = await act(await stage.session(), visit.config, stage.outside)
    # What was typed may name a secret, because the workflow says so; what a page says may not.
    kept = {name: result[name] for name in ("typed",) if name in result}
    return {**_defused(result), **kept}


def _defused(result: dict[str, Json]) -> dict[str, Json]:
    return {name: defused(value) for name, value in result.items()}
