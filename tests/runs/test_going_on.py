"""Resuming, retrying, cancelling, asking: what a run does after it was stopped."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from director.browser import open_browser
from director.runs import (
    Run,
    RunDependencies,
    RunError,
    answer_run_question,
    cancel_workflow_run,
    drive_run,
    list_run_questions,
    list_run_records,
    list_run_steps,
    queue_run,
    resume_workflow_run,
    run_workflow,
)
from director.store import Store
from director.store.run_variables import read_run_variables
from director.workflow.values import Workflow
from runs import scenario
from runs.answers import serve_answers
from runs.building import by_key, code, fails, flow, node, pages, result, setting, statuses
from runs.conftest import Live
from runs.crashes import Crash, CrashingStore


def crashed(store: Store, workflow: Workflow, at: int, means: RunDependencies | None = None) -> str:
    """A run whose worker is gone after its n-th write; its id."""

    async def crashing() -> None:
        with pytest.raises(Crash):
            await drive_run(
                CrashingStore(store, at, written=True), made.id, means or RunDependencies()
            )

    made = queue_run(store, workflow, means or RunDependencies())
    asyncio.run(crashing())
    return made.id


class Model:
    """A model that counts and says what it is told to."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.calls = 0

    async def __call__(self, _: str, __: Any, ___: Any) -> Any:
        """The next answer."""
        self.calls += 1
        said = self.answers.pop(0)
        if isinstance(said, Exception):
            raise said
        return said


THINK = node("think", "cognition", instruction="Count.", schema={"type": "integer"}, store=True)


def test_a_finished_step_is_never_done_again(store: Store) -> None:
    """Its result comes from the journal: the model is asked once."""
    model = Model(5)
    # The run says that it is running, then the first node begins and finishes.
    run = crashed(
        store,
        flow(THINK, code("after", "n", input={"n": "{{think.result}}"})),
        3,
        RunDependencies(think=model),
    )
    ended = asyncio.run(resume_workflow_run(store, run, RunDependencies(think=model)))
    assert (ended.state, model.calls, result(store, ended, "after")) == ("done", 1, 5)


def test_a_resumed_route_takes_the_branch_that_it_took(store: Store) -> None:
    """Even if its branch has changed what its condition looks at."""
    workflow = flow(
        setting("start", n=1),
        node(
            "choose",
            "route",
            branches=[
                {"name": "one", "condition": "{{n}} == 1", "branch": ["change", "then"]},
                {"name": "other", "condition": True, "branch": "wrong"},
            ],
        ),
        setting("change", n=2),
        code("then", "'right'"),
        code("wrong", "'wrong'"),
    )
    # running, start ×2, choose begun, change ×2
    run = crashed(store, workflow, 6)
    assert read_run_variables(store, run)["n"] == 2
    ended = asyncio.run(resume_workflow_run(store, run, RunDependencies()))
    assert result(store, ended, "choose")["path"] == "one"
    assert statuses(store, ended)["choose.wrong"] == "skipped"


def test_a_resumed_iterate_goes_on_with_what_is_not_complete(store: Store) -> None:
    """Records that are complete stay so; the one that failed is tried again."""
    model = Model(1, "no number", 2, 3)
    workflow = flow(
        code("find", "[1, 2, 3]", create_records="item"),
        node("each", "iterate", records="item_*", body="think"),
        THINK,
    )
    means = RunDependencies(think=model)
    first = asyncio.run(run_workflow(store, workflow, means))
    assert first.state == "failed"  # an answer that is not of its schema always stops
    assert [each.status for each in list_run_records(store, first.id)] == [
        "complete",
        "failed",
        "discovered",
    ]
    ended = asyncio.run(resume_workflow_run(store, first.id, means))
    assert (ended.state, model.calls) == ("done", 4)
    assert [each.status for each in list_run_records(store, first.id)] == ["complete"] * 3
    assert [each.retries for each in list_run_records(store, first.id)] == [0, 1, 0]
    assert set(statuses(store, ended).values()) == {"success"}


def test_retrying_an_iterate_does_the_records_that_failed(store: Store) -> None:
    """And those only."""
    model = Model(1, RuntimeError("down"), 3, 2)
    workflow = flow(
        code("find", "[1, 2, 3]", create_records="item"),
        node("each", "iterate", records="item_*", body="think"),
        THINK,
        code("after", "1"),
    )
    means = RunDependencies(think=model)
    first = asyncio.run(run_workflow(store, workflow, means))
    assert (first.state, result(store, first, "each")["recordsFailed"]) == ("done", 1)
    ended = asyncio.run(resume_workflow_run(store, first.id, means, node="each"))
    assert (ended.state, model.calls, result(store, ended, "each")["processed"]) == ("done", 4, 3)
    assert by_key(store, ended)["after"].attempt == 2


def test_retrying_from_a_node_puts_back_what_it_and_its_followers_wrote(store: Store) -> None:
    """Nothing stale is read by the second attempt; the history keeps both."""
    model = Model(5, 6)
    workflow = flow(
        setting("start", sum=1),
        THINK,
        node("add", "context", variables={"sum": "{{think.result}}"}),
        code("read", "t", input={"t": "{{sum}}"}),
    )
    means = RunDependencies(think=model)
    run = asyncio.run(run_workflow(store, workflow, means))
    assert result(store, run, "read") == 5
    ended = asyncio.run(resume_workflow_run(store, run.id, means, node="think"))
    assert result(store, ended, "read") == 6
    values = [each.body["value"] for each in store.versions("variable", f"{run.id}/sum")]
    assert values == [1, 5, 1, 6]
    assert by_key(store, ended)["start"].attempt == 1


def test_a_failed_run_goes_on_from_the_node_that_failed(store: Store) -> None:
    """Those before it stay done."""
    model = Model(RuntimeError("the model is down"), 7)
    means = RunDependencies(think=model)
    run = asyncio.run(run_workflow(store, flow(code("one", "1"), THINK), means))
    assert run.state == "failed"
    assert "the model is down" in str(run.error)
    ended = asyncio.run(resume_workflow_run(store, run.id, means))
    assert (ended.state, result(store, ended, "think")) == ("done", 7)
    assert by_key(store, ended)["one"].attempt == 1


def test_a_run_can_be_cancelled_in_the_middle_of_a_node(live: Live, store: Store) -> None:
    """From anywhere; what is finished stays, and it can be resumed."""
    held = asyncio.Event()

    async def think(*_: Any) -> Any:
        held.set()
        await asyncio.Event().wait()

    async def both() -> Run:
        made = queue_run(store, flow(code("one", "1"), THINK), RunDependencies())
        running = asyncio.create_task(drive_run(store, made.id, RunDependencies(think=think)))
        await held.wait()
        cancel_workflow_run(store, made.id, reason="enough")
        return await running

    run = live.run(both())
    assert (run.state, by_key(store, run)["think"].state) == ("cancelled", "begun")
    with pytest.raises(RunError, match="cancelled already"):
        cancel_workflow_run(store, run.id)
    ended = asyncio.run(resume_workflow_run(store, run.id, RunDependencies(think=Model(4))))
    assert (ended.state, by_key(store, ended)["one"].attempt) == ("done", 1)


def test_a_run_that_was_cancelled_in_the_queue_is_not_done(store: Store) -> None:
    """A worker that gets it later leaves it; only somebody who resumes it goes on."""
    made = queue_run(store, flow(code("one", "1")), RunDependencies())
    cancel_workflow_run(store, made.id)
    assert asyncio.run(drive_run(store, made.id, RunDependencies())).state == "cancelled"
    assert list_run_steps(store, made.id) == []
    assert asyncio.run(resume_workflow_run(store, made.id, RunDependencies())).state == "done"


def test_a_node_that_acted_and_failed_afterwards_is_not_simply_repeated(
    live: Live, store: Store
) -> None:
    """The click was made, its result could not be kept: a person is asked."""
    with pages(index="<button id=go>Go</button>") as origin:
        click = node(
            "go",
            "browser_action",
            action="click",
            selector="#go",
            store={"x": "x"},
            strict_store=True,
        )
        go = node("open", "browser_action", action="navigate", url=origin)
        run = live.run(run_workflow(store, flow(go, click, origin=origin), live.means()))
        assert (run.state, by_key(store, run)["go"].acted) == ("failed", True)
        again = live.run(resume_workflow_run(store, run.id, live.means(patience=0)))
    assert again.state == "waiting"


@pytest.mark.promise("G4")
def test_a_browser_that_ends_in_the_middle_loses_nothing(
    live: Live, store: Store, site: scenario.Site
) -> None:
    """The run says so, and goes on in another browser with what was filled in before."""

    async def ending() -> Run:
        async with open_browser() as other:
            calls = 0

            async def pace(_: str) -> None:
                nonlocal calls
                calls += 1
                if calls == 8:  # before the order, when its form is filled in
                    await other._browser.close()

            made = queue_run(
                store, scenario.workflow(site.origin), live.means(), inputs=scenario.INPUTS
            )
            return await drive_run(store, made.id, live.means(browser=other, pace=pace))

    run = live.run(ending())
    assert run.state == "failed"
    assert "browser ended" in str(run.error)
    ended = live.run(resume_workflow_run(store, run.id, live.means()))
    assert (ended.state, len(site.orders), site.logins) == ("done", 1, 1)


def test_sensitive_inputs_are_hidden_before_anything_is_stored(store: Store) -> None:
    """In variables and in the run; nodes see the reference."""

    def hide(_: str, value: Any) -> Any:
        return {**value, "password": "{{secret:login}}"} if isinstance(value, dict) else value

    workflow = flow(
        code("one", "c", input={"c": "{{creds}}"}), inputs=[{"name": "creds", "required": True}]
    )
    given = {"creds": {"user": "ada", "password": "canary-swordfish"}}
    run = asyncio.run(run_workflow(store, workflow, RunDependencies(hide=hide), inputs=given))
    reference = "{{secret:login}}"
    assert read_run_variables(store, run.id)["creds"] == {"user": "ada", "password": reference}
    assert result(store, run, "one")["password"] == reference
    written = [str(change.what) for change in store.changes()]
    assert not any("canary" in each for each in written)


def test_code_cannot_make_up_the_name_of_a_secret(store: Store) -> None:
    """What it was given it may hand on; another name is no reference any more."""
    run = asyncio.run(
        run_workflow(store, flow(code("one", "'{{' + 'secret:other}}'")), RunDependencies())
    )
    assert result(store, run, "one") == "{ {secret:other} }"


@pytest.mark.parametrize(
    ("inputs", "says"),
    [({}, "needs the input 'who'"), ({"whom": 1, "who": 1}, "Did you mean 'who'")],
)
def test_inputs_are_those_that_the_workflow_declares(store: Store, inputs: Any, says: str) -> None:
    """A missing one and an unknown one are refused before anything is written."""
    workflow = flow(code("one", "1"), inputs=[{"name": "who", "required": True}])
    with pytest.raises(RunError, match=says):
        queue_run(store, workflow, RunDependencies(), inputs=inputs)
    assert store.changes() == []


@pytest.mark.parametrize("type_", ["cognition", "agent"])
def test_what_needs_a_model_says_so(store: Store, live: Live, type_: str) -> None:
    """The node fails with the name of what is to be handed in."""
    nodes = {"cognition": THINK, "agent": node("agent", "agent", goal="Get there.")}
    run = live.run(run_workflow(store, flow(nodes[type_]), live.means()))
    assert run.state == "failed"
    assert "hand one in as" in str(run.error)


def test_an_agent_that_is_not_ok_fails_its_node(store: Store, live: Live) -> None:
    """And one that is, brings its result."""

    async def work(goal: str, steps: int, _: Any) -> Any:
        return {"ok": goal == "Good.", "steps": steps}

    good = node("good", "agent", goal="Good.", maxSteps=3)
    run = live.run(
        run_workflow(store, flow(good, node("bad", "agent", goal="Bad.")), live.means(work=work))
    )
    assert result(store, run, "good") == {"ok": True, "steps": 3}
    assert statuses(store, run) == {"good": "success", "bad": "failed"}


def order_only(site: scenario.Site, **changes: Any) -> Workflow:
    """The scenario with another node for the order."""
    whole = scenario.workflow(site.origin)
    order = replace(whole.nodes[-1], **changes)
    return replace(whole, nodes=(*whole.nodes[:-1], order))


@pytest.mark.parametrize(
    ("said", "orders", "state"),
    [("it happened", 1, "done"), ("it did not happen", 2, "done"), ("stop", 1, "failed")],
)
def test_without_proof_a_person_is_asked_before_a_node_is_repeated(
    live: Live, store: Store, site: scenario.Site, *, said: str, orders: int, state: str
) -> None:
    """The order was sent and its worker died; nobody knows, so nobody guesses."""
    workflow = order_only(site, proof=None, ensures=())

    async def crashing() -> None:
        made = queue_run(store, workflow, live.means(), inputs=scenario.INPUTS, id_="ten")
        with pytest.raises(Crash):
            await drive_run(CrashingStore(store, "/n_order", written=False), made.id, live.means())

    live.run(crashing())
    assert len(site.orders) == 1
    run = live.run(resume_workflow_run(store, "ten", live.means(patience=0)))
    assert run.state == "waiting"
    (asked,) = list_run_questions(store, "ten")
    assert "must happen only once" in asked.text
    with pytest.raises(RunError, match="one of: it happened"):
        answer_run_question(store, asked.id, "perhaps")
    answer_run_question(store, asked.id, said)
    run = live.run(resume_workflow_run(store, "ten", live.means()))
    assert (run.state, len(site.orders)) == (state, orders)


def test_a_node_that_failed_before_it_acted_is_simply_done_again(live: Live, store: Store) -> None:
    """No proof is needed where it is known that nothing happened."""
    click = node("go", "browser_action", action="click", selector="#nowhere", timeout=1)
    run = live.run(run_workflow(store, flow(click), live.means()))
    assert (run.state, by_key(store, run)["go"].acted) == ("failed", False)
    assert live.run(resume_workflow_run(store, run.id, live.means())).state == "failed"
    assert by_key(store, run)["go"].attempt == 2
    assert list_run_questions(store, run.id) == []


def test_a_failure_elsewhere_is_no_reason_to_repeat(store: Store) -> None:
    """Resuming a run that is done does nothing."""
    run = asyncio.run(run_workflow(store, flow(code("one", "1")), RunDependencies()))
    before = len(store.changes())
    assert asyncio.run(resume_workflow_run(store, run.id, RunDependencies())) == run
    assert len(store.changes()) == before
    failed = asyncio.run(run_workflow(store, flow(fails()), RunDependencies()))
    assert asyncio.run(resume_workflow_run(store, failed.id, RunDependencies())).state == "failed"


@pytest.mark.parametrize("opens", [False, True])
def test_what_happened_before_a_crash_leaves_no_page_to_read(
    live: Live, store: Store, *, opens: bool
) -> None:
    """The page that the click led to is gone: the one before it is not read in its place."""
    asked: list[Any] = []
    with serve_answers() as site:
        origin = site.origin
        site["/"] = "<a id=go href=/done>Go</a><h1>Old</h1>"
        # Before the click it is not there yet, when its proof is looked at.
        site["/done"] = lambda form: (
            asked.append(form) or f"<h1>{'New' if len(asked) > 1 else 'Old'}</h1>"
        )
        click = node("go", "browser_action", action="click", selector="#go")
        happened = {"url": f"{origin}/done", "happened": [{"element": "h1", "text": "New"}]}
        promised = {"effect": "once", "ensures": [{"url": "*/done"}], "proof": happened}
        again = node("open", "browser_action", action="navigate", url=f"{origin}/done")
        read = node("read", "browser_query", method="count", selector="h1", store=True)
        start = node("start", "browser_action", action="navigate", url=origin)
        nodes = [start, {**click, **promised}, *([again] if opens else []), read]
        workflow = flow(*nodes, origin=origin)

        async def crashing() -> None:
            made = queue_run(store, workflow, live.means(), id_="ten")
            with pytest.raises(Crash):
                await drive_run(
                    CrashingStore(store, "/id-go", written=False), made.id, live.means()
                )

        live.run(crashing())
        run = live.run(resume_workflow_run(store, "ten", live.means()))
        if opens:
            assert run.state == "done", run.error
        else:
            assert run.state == "failed"
            assert "would look at the page before it" in str(run.error)


def test_after_a_crash_the_page_is_the_last_one_that_a_list_was_turned_to(
    live: Live, store: Store
) -> None:
    """Reading a list by its next link ends on its last page, and there the next node looks."""
    with serve_answers() as site:
        origin = site.origin
        site["/"] = "<ul><li>one</li></ul><a class=next href=/last>Next</a><h1>first</h1>"
        site["/last"] = "<ul><li>two</li></ul><h1>last</h1>"
        workflow = flow(
            node("open", "browser_action", action="navigate", url=origin),
            node("list", "browser_query", method="extract_all", selector="li", next="a.next"),
            node("where", "browser_query", method="deterministic_extract", selector="h1"),
            origin=origin,
        )

        async def crashing() -> None:
            made = queue_run(store, workflow, live.means(), id_="turned")
            with pytest.raises(Crash):
                await drive_run(
                    CrashingStore(store, "/id-where", written=False), made.id, live.means()
                )

        live.run(crashing())
        run = live.run(resume_workflow_run(store, "turned", live.means()))
        assert run.state == "done", run.error
        assert result(store, run, "where")["items"] == ["last"]
