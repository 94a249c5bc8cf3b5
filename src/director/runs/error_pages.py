"""Pages that are errors and that an action led to: told of its step, however late they came.

An address that a node opens itself fails the node; this is for what a click or a key led to.
"""

from __future__ import annotations

from dataclasses import replace

from director.runs.run_journal import RunJournal
from director.runs.stage import Stage
from director.workflow.values import Config

_ERROR = 400
_OPENS = ("navigate", "openNewTab")


async def add_error_page_doubt(ledger: RunJournal, stage: Stage) -> None:
    """Add a doubt to the last action if it led to a page that the site answered with an error."""
    if not stage.is_open:
        return
    session = await stage.session()
    since, stage.looked = stage.looked, session.mark()
    bad = [each for each in session.responses(since) if each.is_page and each.status >= _ERROR]
    acted = [step for step in ledger.steps() if step.type == "browser_action"]
    if not bad or not acted:
        return
    last = acted[-1]
    opens = last.config.get("action") in _OPENS
    if opens or last.state != "finished" or last.status != "success":
        return
    doubt: Config = {
        "kind": "status",
        "sentence": f"{last.alias} led to a page that is an error: {bad[-1].url} answered "
        f"{bad[-1].status}.",
        "evidence": {"status": bad[-1].status, "url": bad[-1].url},
    }
    ledger.finish(replace(last, doubts=(*last.doubts, doubt)))
