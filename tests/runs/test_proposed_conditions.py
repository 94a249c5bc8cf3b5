"""What a tried node is proposed to promise, on the demo site: where, what is there, what is new."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from director.browser import Origins, Session
from director.demo.site import Site
from director.runs import Step, list_run_steps, run_workflow, try_node
from director.runs.proposed_conditions import (
    NodeProposal,
    accept_proposals,
    list_proposed_conditions,
)
from director.store import Store, open_store
from director.store.run_variables import get_draft_run_id, set_run_variable
from director.workflow.values import Workflow
from runs.building import flow, node, pages
from runs.conftest import Live
from store.engines import prepared_file


@pytest.fixture
def shop() -> Iterator[Site]:
    """The demo site."""
    with Site(seed=1).serve() as served:
        yield served


def act(alias: str, action: str, **config: Any) -> dict[str, Any]:
    """An action as a document has it."""
    return node(alias, "browser_action", action=action, **config)


ADD = act("add", "click", selector={"test_id": "add-to-cart"})
LINK = act("choose", "click", selector={"role": "link", "name": "Desk lamp"})


def steps(site: Site, *nodes: dict[str, Any]) -> Workflow:
    """A workflow that begins in the shop."""
    inputs = [{"name": "site", "default": site.url}]
    return flow(
        act("open", "navigate", url="{{site}}/shop"), *nodes, origin=site.url, inputs=inputs
    )


def try_all(live: Live, store: Store, workflow: Workflow) -> dict[str, Step]:
    """Try each node in turn in one session, as a builder does."""

    async def all_of_them() -> dict[str, Step]:
        found: dict[str, Step] = {}
        async with live.browser.session(Origins(workflow.origins)) as session:
            for each in workflow.nodes:
                found[each.alias] = await _tried(live, store, workflow, each.alias, session)
        return found

    return live.run(all_of_them())


def propose(workflow: Workflow, seen: Mapping[str, Step]) -> dict[str, list[NodeProposal]]:
    """What is proposed for each node that was tried."""
    given = {each.name: each.default for each in workflow.inputs}
    return {
        each.alias: list_proposed_conditions(each, seen[each.alias], given)
        for each in workflow.nodes
    }


def tried(live: Live, store: Store, workflow: Workflow) -> dict[str, list[NodeProposal]]:
    """Both."""
    return propose(workflow, try_all(live, store, workflow))


@pytest.fixture(scope="module")
def bought(
    live: Live, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Workflow, dict[str, Step]]:
    """A link and a form of the demo site, tried once."""
    file = prepared_file(tmp_path_factory.mktemp("store") / "runs.db")
    with Site(seed=1).serve() as site, open_store(file) as store:
        workflow = steps(site, LINK, ADD)
        return workflow, try_all(live, store, workflow)


async def _tried(
    live: Live, store: Store, workflow: Workflow, alias: str, session: Session
) -> Step:
    for each in workflow.inputs:
        set_run_variable(
            store, get_draft_run_id(workflow.id), each.name, each.default, "given for a test"
        )
    run = await try_node(store, workflow, alias, live.means(session=session))
    assert run.state == "done", run.error
    return next(step for step in list_run_steps(store, run.id) if step.alias == alias)


CHECKOUT = act("checkout", "click", selector={"test_id": "checkout"})
USER = act("user", "type", selector="main [name=user]", text="ada@postbox.example")


def test_what_was_there_where_it_led_and_what_is_new_is_proposed(
    bought: tuple[Workflow, dict[str, Step]],
) -> None:
    """Of a click: the page and the target before it; address, answer and news after it."""
    found = {alias: [str(each) for each in wanted] for alias, wanted in propose(*bought).items()}
    assert found["open"] == [
        "ensures url {{site}}/shop",
        "ensures status of {{site}}/shop below 400",
        'ensures element heading "All products"',
        'ensures element heading "Desk lamp"',
    ]
    assert found["choose"][:3] == [
        "requires url {{site}}/shop",
        'requires element link "Desk lamp"',
        "ensures url {{site}}/shop/products/*",
    ]
    assert 'ensures element heading "Desk lamp"' in found["choose"]
    assert found["add"][1:5] == [
        "requires element test_id add-to-cart",
        "ensures url {{site}}/shop/cart",
        "ensures status of {{site}}/shop/cart below 400",
        "ensures element status",
    ]


def test_what_was_typed_for_this_test_is_no_promise(
    bought: tuple[Workflow, dict[str, Step]],
) -> None:
    """A message that repeats it would be another in the next run."""
    workflow, seen = bought
    add = next(each for each in workflow.nodes if each.alias == "add")
    found = {"role": "status", "name": "Nordwind was added"}
    new = replace(seen["add"], seen={**(seen["add"].seen or {}), "appeared": [found]})
    typed = replace(new, observed={**(new.observed or {}), "typed": ["Nordwind"]})
    wanted = [
        [
            one.condition
            for one in list_proposed_conditions(add, step)
            if "element" in one.condition
        ][-1:]
        for step in (new, typed)
    ]
    assert [{"element": found} in each for each in wanted] == [True, False]


def test_the_effect_is_proposed_from_what_was_sent(
    bought: tuple[Workflow, dict[str, Step]],
) -> None:
    """A link is idempotent, a form is not; what its author has said stays as it is."""
    workflow, seen = bought
    nodes = {each.alias: each for each in workflow.nodes}
    nodes["said"] = replace(nodes["choose"], effect="idempotent")
    effects = {
        name: [
            str(one)
            for one in list_proposed_conditions(each, seen[each.alias])
            if one.where == "effect"
        ]
        for name, each in nodes.items()
    }
    link = ["effect idempotent (it only led to another page and sent nothing)"]
    assert effects == {"open": [], "choose": link, "add": [], "said": []}


def test_a_field_that_the_page_saves_by_itself_happens_once(live: Live, store: Store) -> None:
    """Choosing is idempotent as a rule; here something was sent with POST."""
    saved = "fetch('/saved', {method: 'POST', body: this.value})"
    with pages(index=f'<h1>Box</h1><select onchange="{saved}"><option>a<option>b</select>') as home:
        choose = act("choose", "select", selector="select", label="b")
        start = act("open", "navigate", url=home)
        found = tried(live, store, flow(start, choose, origin=home))
    assert [str(each) for each in found["choose"]][-1].startswith("effect once (it sent something")
    # The answer was 501, so nothing good is promised of it.
    assert "status" not in {key for each in found["choose"] for key in each.condition}


def test_what_a_password_field_holds_is_never_proposed(live: Live, store: Store) -> None:
    """Nobody is told what is in it, however it came there; of another field it is proposed."""
    fields = "<input name=user><input name=word type=password>"
    with pages(index=f"<h1>Log in</h1>{fields}") as home:
        user = act("user", "type", selector="[name=user]", text="ada")
        word = act("word", "type", selector="[name=word]", text="pw")
        start = act("open", "navigate", url=home)
        found = tried(live, store, flow(start, user, word, origin=home))
    values = {alias: [one.condition.get("value") for one in found[alias]] for alias in found}
    assert "ada" in values["user"]
    assert set(values["word"]) == {None}


def test_what_is_accepted_holds_in_the_next_run(live: Live, store: Store, shop: Site) -> None:
    """Every condition of every node, in another session; the effects are written down too."""
    workflow = steps(shop, LINK, ADD, CHECKOUT, USER)
    for alias, wanted in tried(live, store, workflow).items():
        which = next(each for each in workflow.nodes if each.alias == alias)
        workflow = accept_proposals(workflow, which, wanted)
    assert [each.effect for each in workflow.nodes] == [
        "idempotent",
        "idempotent",
        "once",
        "idempotent",
        "idempotent",
    ]
    run = live.run(run_workflow(store, workflow, live.means()))
    assert run.state == "done", run.error
    for step in list_run_steps(store, run.id):
        assert len(step.evidence) >= 3, step.alias
        assert step.seen is None
