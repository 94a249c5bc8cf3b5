"""Whatever the description of the API allows, and what it does not: never a fault of the server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.generation import GenerationMode
from starlette.testclient import TestClient

from director.models.script_values import Say
from director.runs import RunDependencies, queue_run
from director.store import Store
from director.store.deleted_workflows import is_workflow_deleted, restore_deleted_workflow
from web.rooms import WORKFLOW, a_studio, let_in

# It never ends; it has tests of its own.
_ENDLESS = "GET /events"
# The generator of cases draws from `random` in places; what it draws is only a request.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module")
_THERE = {"workflow": "w", "run": "r1", "node": "first", "variable": "OPENAI_API_KEY"}


def _asked(client: TestClient, case: Any) -> Any:
    given = case.as_transport_kwargs()
    headers = {
        name: value
        for name, value in given["headers"].items()
        if name.lower() not in ("connection", "accept-encoding", "cookie")
    }
    more = {name: given[name] for name in ("json", "data", "params") if name in given}
    if "data" in more:
        more["content"] = more.pop("data")
    return client.request(given["method"], given["url"], headers=headers, **more)


def _fuzzed(client: TestClient, store: Store, examples: int) -> int:
    """Ask every route so often in so many ways; how many requests were made."""
    schema = schemathesis.openapi.from_dict(client.app.openapi())  # type: ignore[attr-defined]
    made = 0
    for found in schema.get_all_operations():
        operation = found.ok()
        if operation.label == _ENDLESS:
            continue
        made += _tried(client, store, operation, GenerationMode.POSITIVE, examples)
        if operation.body:
            made += _tried(client, store, operation, GenerationMode.NEGATIVE, examples)
    return made


def _tried(
    client: TestClient, store: Store, operation: Any, mode: GenerationMode, examples: int
) -> int:
    made = 0

    @given(case=operation.as_strategy(generation_mode=mode), real=st.booleans())
    @settings(
        max_examples=examples,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
        database=None,
    )
    def ask(case: Any, *, real: bool) -> None:
        nonlocal made
        made += 1
        if real and case.path_parameters:
            known = {k: v for k, v in _THERE.items() if k in case.path_parameters}
            case.path_parameters.update(known)
        answer = _asked(client, case)
        about = (operation.label, case.as_transport_kwargs(), answer.text)
        assert answer.status_code < 500, about
        if answer.status_code >= 400:
            assert set(answer.json()) == {"error", "kept", "next"}, about
            assert answer.json()["error"], about
        if is_workflow_deleted(store, "w"):
            restore_deleted_workflow(store, "w")

    ask()
    return made


@pytest.mark.promise("F6")
def test_nothing_that_is_sent_breaks_the_server(store: Store, tmp_path: Path) -> None:
    """Every route, once with what fits its form and once with what does not."""
    studio = a_studio(store, tmp_path, lambda _: [Say("Well.")])
    queue_run(store, WORKFLOW, RunDependencies(), id_="r1")
    with let_in(studio) as client:
        assert _fuzzed(client, store, 1) > 100
    assert store.verify().ok


@pytest.mark.slow
@pytest.mark.promise("F6")
def test_nothing_that_is_sent_breaks_the_server_however_often(store: Store, tmp_path: Path) -> None:
    """The same, many times."""
    studio = a_studio(store, tmp_path, lambda _: [Say("Well.")])
    queue_run(store, WORKFLOW, RunDependencies(), id_="r1")
    with let_in(studio) as client:
        assert _fuzzed(client, store, 60) > 4_000
    assert store.verify().ok
