"""One node through: look in the journal, resolve, require, begin, do, ensure, keep, finish.

A step that the journal has finished is never done again: its result is taken from there. A step
is written as begun before it acts and as finished with all that it leaves behind, so that after a
crash anywhere it is known what was done, or that it is not known.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from director.browser import BrowserError, BrowserGone, Session
from director.browser.bundle import LocatorError
from director.browser.page_conditions import check_page_condition
from director.browser.page_notices import find_new_page_notices, read_page_notices
from director.runs.download_facts import add_downloads
from director.runs.error_pages import add_error_page_doubt
from director.runs.held_before import find_conditions_held_before, read_kept_fields
from director.runs.json_schema import SchemaMismatch
from director.runs.node_outputs import Keeping, OutputWrites
from director.runs.nodes import CONTROL, EXECUTE, PLAN
from director.runs.observation import DoneVisit, make_observation
from director.runs.outcome import (
    compute_node_outcome,
    is_before_action,
    make_failure_outcome,
    replay_step_outcome,
)
from director.runs.own_conditions import (
    check_own_record_conditions,
    is_own_condition,
    require_own_conditions,
)
from director.runs.questions import wait_for_answer
from director.runs.recovery import find_earlier_effect, refuse_lost_page
from director.runs.retries import Retries
from director.runs.run_journal import RunJournal
from director.runs.sandbox import Sandbox, SandboxError
from director.runs.sent_forms import describe_sent_forms, describe_sent_tabs
from director.runs.stage import Stage
from director.runs.values import (
    NodeFailed,
    Question,
    RunDependencies,
    RunError,
    RunProgress,
    Step,
    VisitScope,
    number_node_visits,
)
from director.runs.visit import NodeVisit
from director.secrets import SecretRefused, VaultError
from director.workflow.conditions import fill_condition
from director.workflow.entry_decisions import list_entry_decisions
from director.workflow.templates import resolve_templates
from director.workflow.types import resolve_config
from director.workflow.values import Config, Json, Workflow, WorkflowError

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

# What makes a node fail. Anything else is not the node's doing and ends the run where it is.
FAILURES = (
    BrowserError,
    LocatorError,
    SandboxError,
    SchemaMismatch,
    SecretRefused,
    VaultError,
    WorkflowError,
    NodeFailed,
    RunError,
)
_TOUCHES = ("browser_action", "agent")
_LOOKS = (*_TOUCHES, "browser_query")
_SENT = 50  # requests of a tried node that are remembered
_AT_ONCE = 100  # records that are written in no time
_SHOWN = 500  # milliseconds until a field shows what was typed


class Engine:
    """Executes the nodes of one run; `observes` what they do to pages when they are only tried."""

    def __init__(
        self,
        ledger: RunJournal,
        workflow: Workflow,
        means: RunDependencies,
        *,
        observes: bool = False,
    ) -> None:
        self.ledger, self.means, self._observes = ledger, means, observes
        self.nodes = {node.id: node for node in workflow.nodes}
        self.sandbox = Sandbox()
        self.stage = Stage(ledger, workflow, means)
        self._retries = Retries()
        self.decisions = list_entry_decisions(self.nodes)

    async def run_all(self, ids: Sequence[str], place: VisitScope) -> list[dict[str, Json]]:
        """Visit nodes in the order of their list; stops at an error."""
        return [await self.visit_listed(id_, place, nth) for id_, nth in number_node_visits(ids)]

    async def visit_listed(self, id_: str, place: VisitScope, nth: int) -> dict[str, Json]:
        """Visit a node and say which one it was and what came of it."""
        result = await self.visit(id_, place, nth)
        step = self.ledger.step(place.key(id_, nth))
        status = step.status if step else "success"
        return {"node": self.nodes[id_].alias, "status": status, "result": result}

    async def visit(self, id_: str, place: VisitScope, nth: int = 1) -> Json:
        """The result of a node at a place: from the journal if it is there, else by doing it."""
        node, key = self.nodes[id_], place.key(id_, nth)
        known = self.ledger.step(key)
        if known and known.state == "finished":
            return replay_step_outcome(known)
        draft = Step(key, id_, node.alias, node.type, "open", effect=node.effect)
        visit = NodeVisit(self, node, place, known or draft)
        began = time.monotonic()
        try:
            if known is None or known.state != "begun" or node.type not in CONTROL:
                await self._begin(visit, replace(draft, version=known.version if known else 0))
            else:
                # Its plan is in the journal; its children know how far they are.
                visit.config, visit.began = known.config, True
            if visit.step.state != "finished":
                await self._do(visit, began)
        except FAILURES as problem:
            if await self._retries.wait(node, key, problem, self.stage):
                return await self.visit(id_, place, nth)
            await self._fail(visit, problem, began)
        return visit.step.result

    async def _begin(self, visit: NodeVisit, draft: Step) -> None:
        node = visit.node
        scope = self.ledger.scope(visit.place, self.means.env)
        visit.config = resolve_config(node.type, node.config, scope)
        if (done := await find_earlier_effect(visit)) is not None:
            visit.step = self.ledger.finish(done)
            self._tell(visit.step)
            return
        if self.means.permit is not None:
            visit.may_send = self.means.permit(node, visit.config)
        evidence = await self.check_conditions(node.requires, visit.place, mark=0)
        visit.step = replace(visit.step, evidence=tuple(evidence))
        require_own_conditions(evidence, visit.make_failure, "requires")
        plan = await PLAN[node.type](visit) if node.type in PLAN else None
        if node.type in _LOOKS:
            await add_error_page_doubt(self.ledger, self.stage)
            await self._ready(visit)
            look = partial(self.check_conditions, place=visit.place, mark=0)
            held = await find_conditions_held_before(node, look, self.stage.session)
            fields = await read_kept_fields(node, self.ledger.steps(), self.stage)
            visit.held = replace(held, fields=fields)
        if self._observes and node.type == "browser_action":
            visit.told = await read_page_notices(await self.stage.session())
        begun = replace(
            draft,
            config=_select_config(visit.config, node.type),
            plan=plan,
            evidence=tuple(evidence),
            before=await self.stage.page(),
            acted=True,
        )
        visit.step, visit.began = self.ledger.begin(begun), True
        self._tell(visit.step)

    async def _ready(self, visit: NodeVisit) -> None:
        session = await self.stage.session()
        refuse_lost_page(visit)
        if self.means.pace is not None:
            await self.means.pace(str(visit.config.get("url") or session.page().url))

    async def _do(self, visit: NodeVisit, began: float) -> None:
        node = visit.node
        await self._act(visit)
        visit.step = replace(visit.step, observed=await self._observe(visit, visit.mark))
        records, current = self.ledger.records, visit.place.record
        kept = Keeping(
            node, visit.config, visit.step.result, records, visit.key, current
        ).collect_writes()
        await self._ensure(visit, [c for c in node.ensures if is_own_condition(c)], kept=kept)
        told = replace(
            visit.step,
            warnings=(*visit.step.warnings, *kept.warnings),
            records=kept.count(self.ledger.records),
        )
        step, gone = await self._add_picture(await self._tell_forms(visit, told), began)
        if gone and not step.point and node.effect != "once":
            # Without a restart point behind it, it would be lost: it is done again.
            raise gone
        visit.step = await self._write(visit, step, kept)
        self._tell(visit.step)
        if gone:
            raise gone

    async def _write(self, visit: NodeVisit, step: Step, kept: OutputWrites) -> Step:
        write = partial(
            self.ledger.finish,
            step,
            values={**visit.values, **kept.values},
            records=kept.records,
            dropped=kept.found.dropped if kept.found else (),
            others=visit.others,
        )
        # Writing thousands takes seconds, in which the loop has others to answer.
        many = len(kept.records) > _AT_ONCE
        return await asyncio.to_thread(write) if many else write()

    async def _observe(self, visit: NodeVisit, mark: int) -> dict[str, Json] | None:
        if not self.stage.is_open:
            return None
        scope = self.ledger.scope(visit.place, self.means.env)
        step, steps = visit.step, self.ledger.steps()
        seen = (step.before, scope, steps, step.result, visit.held)
        done = DoneVisit(visit.node, visit.config, *seen, tuple(self.decisions.values()))
        return await make_observation(done, await self.stage.session(), mark)

    async def _act(self, visit: NodeVisit) -> None:
        """Do what the node does, and see that the page shows it."""
        node = visit.node
        mark = visit.mark = (await self.stage.session()).mark() if self.stage.is_open else 0
        result = await EXECUTE[node.type](visit)
        visit.done = True
        if self._observes and node.type == "browser_action":
            visit.step = replace(visit.step, seen=await self._collect_seen(visit, mark))
        visit.step = replace(
            visit.step, result=result, status=compute_node_outcome(node.type, result)
        )
        await self._ensure(visit, [c for c in node.ensures if not is_own_condition(c)], mark=mark)
        if node.type in _TOUCHES:
            visit.step = await add_downloads(visit.step, await self.stage.session())

    async def _ensure(
        self,
        visit: NodeVisit,
        conditions: Iterable[Config],
        *,
        mark: int = 0,
        kept: OutputWrites | None = None,
    ) -> None:
        found = await self.check_conditions(conditions, visit.place, mark=mark, kept=kept)
        evidence = visit.held.mark(found)
        visit.step = replace(visit.step, evidence=(*visit.step.evidence, *evidence))
        require_own_conditions(evidence, visit.make_failure, "ensures")

    async def _collect_seen(self, visit: NodeVisit, mark: int) -> dict[str, Json]:
        session = await self.stage.session()
        async with session.doing("see what is new on the page"):
            appeared = [
                bundle.json() for bundle in await find_new_page_notices(session, visit.told)
            ]
        answers = session.responses(mark)[:_SENT]
        sent: list[Json] = [{"method": a.method, "url": a.url, "status": a.status} for a in answers]
        return {"appeared": appeared, "sent": sent, "kept": await self._keeps_text(visit, mark)}

    async def _tell_forms(self, visit: NodeVisit, step: Step) -> Step:
        if visit.node.type != "browser_action" or not visit.began:
            return step
        session, steps = await self.stage.session(), self.ledger.steps()
        return describe_sent_tabs(
            describe_sent_forms(step, steps, session, visit.mark), steps, session
        )

    async def _keeps_text(self, visit: NodeVisit, mark: int) -> bool:
        """Whether a field shows what was typed into it; one for secrets shows nothing."""
        config = visit.node.config
        if config.get("action") != "type" or "{{secret:" in str(config.get("text")):
            return False
        shown = {"element": config["selector"], "value": config["text"], "within": _SHOWN}
        (evidence,) = await self.check_conditions([shown], visit.place, mark=mark)
        return evidence["holds"] is True

    async def _fail(self, visit: NodeVisit, problem: Exception, began: float) -> None:
        if gone := await self._find_browser_end(problem):
            # Nobody knows how far it came: it stays as it is, for whoever resumes the run.
            raise gone
        acted = visit.done or not is_before_action(problem)
        failed = replace(
            visit.step,
            status="failed",
            error=str(problem),
            error_kind=getattr(problem, "kind", "") or type(problem).__name__,
            acted=acted if visit.began else visit.step.acted,
        )
        step, gone = await self._add_picture(await self._tell_forms(visit, failed), began)
        if gone:
            raise gone
        visit.step = self.ledger.finish(step)
        self._tell(visit.step)
        raise make_failure_outcome(problem, visit.step) from problem

    async def check_conditions(
        self,
        conditions: Iterable[Config],
        place: VisitScope,
        *,
        mark: int,
        session: Session | None = None,
        kept: OutputWrites | None = None,
    ) -> list[Config]:
        """The evidence for conditions, up to the first that does not hold."""
        found: list[Config] = []
        for condition in conditions:
            scope = self.ledger.scope(place, self.means.env)
            asked = fill_condition(
                cast("Config", resolve_templates(condition, scope, within="selector"))
            )
            if is_own_condition(asked):
                there = (kept or OutputWrites()).merge_into(self.ledger.records)
                evidence = check_own_record_conditions(asked, there)
            else:
                evidence = await check_page_condition(
                    session or await self.stage.session(), asked, mark
                )
            found.append(evidence.json())
            if not evidence.holds:
                break
        return found

    async def _add_picture(self, step: Step, began: float) -> tuple[Step, BrowserGone | None]:
        """The step with its page, a restart point and a picture, unless the browser ended."""
        took = time.monotonic() - began
        if not self.stage.is_open or step.type not in _LOOKS:
            return replace(step, took=took), None
        wanted = self.means.pictures == "each" and step.type in _TOUCHES
        failed = self.means.pictures != "none" and step.status == "failed"
        try:
            if step.type in _TOUCHES or step.config.get("next"):  # a list that is turned
                step = replace(step, page=await self.stage.page())
                step = replace(step, point=await self.stage.keep_point())
            if wanted or failed:
                picture = await (await self.stage.session()).screenshot()
                step = replace(step, screenshot={"$kept": self.ledger.store.keep(picture)})
        except BrowserError as problem:
            if gone := await self._find_browser_end(problem):
                return replace(step, took=took), gone
            step = replace(step, warnings=(*step.warnings, f"No picture: {problem}"))
        return replace(step, took=took), None

    async def _find_browser_end(self, problem: Exception) -> BrowserGone | None:
        """The end of the browser, if that is what is behind a problem."""
        return problem if isinstance(problem, BrowserGone) else await self.stage.find_browser_end()

    async def wait_for(self, question: Question, key: str) -> str:
        """The answer to a question; the run says meanwhile that it waits."""
        store = self.ledger.store
        if question.answer is not None:
            return await wait_for_answer(store, question, self.means)
        self.ledger.set_run(state="waiting")
        if self.means.progress is not None:
            event = RunProgress(self.ledger.run.id, "waiting", key, status=question.text)
            self.means.progress(event)
        said = await wait_for_answer(store, question, self.means)
        self.ledger.set_run(state="running")
        return said

    def _tell(self, step: Step) -> None:
        if self.means.progress is None:
            return
        run, begun = self.ledger.run.id, step.state == "begun"
        if begun:
            event = RunProgress(run, "begun", step.key, step.alias, "", step.error, step.took)
        else:
            event = RunProgress(
                run, "finished", step.key, step.alias, step.status, step.error, step.took
            )
        self.means.progress(event)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.sandbox.close()
        await self.stage.close()


def _select_config(config: Config, type_: str) -> Config:
    """The part of a config that the journal keeps: what is done, without what may be large."""
    if type_ in _LOOKS or type_ in CONTROL:
        return {name: value for name, value in config.items() if name != "over"}
    return {}
