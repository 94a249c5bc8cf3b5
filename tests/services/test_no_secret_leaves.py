"""Every use case is redacted, and none lets a secret out, whatever form it was stored in."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import pkgutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from agent.summaries import talk
from director import services
from director.agent import ensure_current_thread
from director.agent.saved_workflow import SavedState
from director.errors import DirectorError
from director.runs import save_run_workflow
from director.runs.resources import Resources, RunOptions
from director.runs.run_control import queue_run
from director.secrets import list_encoded_forms
from director.services.compression import ProposalList, propose_compression
from director.services.outgoing import is_redacted
from director.services.workflow_reader import WorkflowReader
from director.services.workspace import Workspace, make_workspace
from director.store import EntryDraft, Store
from director.store.run_variables import get_draft_run_id, set_run_variable
from director.workflow.plan import parse_plan
from director.workflow.values import Node, Workflow

CANARY = "Correct-horse-9-battery"
FORMS = [
    *(
        form.decode()
        for form in list_encoded_forms(CANARY).values()
        if form.isascii() and b"\0" not in form
    ),
    CANARY.upper(),
]
TEXT = " and ".join(FORMS)
# They return nothing that anyone wrote, what is worked with instead of shown, or what must stay
# whole: a picture, an archive with its hashes.
NOT_REDACTED = set(
    """cancel_run_when_possible check_run check_workflow export_workflow_archive find_run get_run_picture
    get_workflow_picture load_workflow open_worker""".split()
)
READS = ("get_", "list_", "read_", "search_", "export_", "count_", "compare_", "make_report")
# Read only where there is a question, a request for a secret, or a second version.
NOT_HERE = {"get_run_question", "get_secret_request"}


def use_cases() -> Iterator[Callable[..., object]]:
    """Every public function of the services that works with a workspace."""
    for found in pkgutil.iter_modules(services.__path__):
        module = importlib.import_module(f"director.services.{found.name}")
        for name, each in vars(module).items():
            if inspect.isfunction(each) and not name.startswith("_"):
                first = next(iter(inspect.signature(each).parameters), "")
                if each.__module__ == module.__name__ and first == "workspace":
                    yield each


def texts(value: object) -> Iterator[str]:
    """Every text in a value, also in its bytes and its keys."""
    if isinstance(value, bytes):
        yield value.decode("utf-8", "replace")
    elif is_dataclass(value) and not isinstance(value, type):
        for each in fields(value):
            yield from texts(getattr(value, each.name))
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from (*texts(key), *texts(each))
    elif isinstance(value, Sequence | AbstractSet) and not isinstance(value, str):
        for each in value:
            yield from texts(each)
    else:
        yield str(value)


def test_every_use_case_is_redacted() -> None:
    """Who adds one either lets it pass the one place, or says here why not."""
    bare = {each.__name__ for each in use_cases() if not is_redacted(each)}
    assert bare == NOT_REDACTED


@pytest.fixture
def workspace(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A store that holds a secret in every text, as if it had been said before it was one."""
    script = tmp_path / "summary.json"
    says = (
        "lamp-0 for the user with #buy-0; #order-0 gave E042; lamp-1 with #buy-1, E142, #order-1."
    )
    rules = [{"when": {}, "then": [{"say": f"{says} {CANARY}"}]}]
    script.write_text(json.dumps({"brain": "rules", "rules": rules}))
    monkeypatch.setenv("DIRECTOR_MODEL", f"scripted:{script}")
    resources = Resources(store, RunOptions())
    workspace = make_workspace(store, resources)
    config = {"input": {"a": TEXT}, "code": f"'{CANARY}'", "store": True}
    node = Node("n1", "first", "transform", config, effect="idempotent")
    workflow = Workflow("w", f"Prices {CANARY}", (node,))
    save_run_workflow(store, workflow)
    saved = SavedState(store, "w")
    task = {"task_id": 1, "description": TEXT, "status": "pending", "node_ids": ["n1"]}
    phase = {"phase_name": TEXT, "status": "pending", "tasks": [task]}
    plan = {"overall_goal": TEXT, "current_phase": TEXT, "phases": [phase], "notes": TEXT}
    saved.save_plan(parse_plan(plan), TEXT)
    set_run_variable(store, get_draft_run_id("w"), "price", TEXT, TEXT)
    thread = ensure_current_thread(store, "w")
    store.append(thread, [EntryDraft("user", {"text": TEXT}), *talk(2, more=100)])
    asyncio.run(propose_compression(workspace, thread, proposals=ProposalList()))
    asyncio.run(propose_compression(workspace, thread, proposals=ProposalList()))
    queue_run(store, workflow, resources.offline(workflow)[0])
    resources.vault.put("canary", CANARY, ["https://shop.example"])
    return workspace


def test_no_form_of_a_secret_leaves_a_use_case(store: Store, workspace: Workspace) -> None:
    """Of all that read: of conversations, requests, workflows, plans, variables, runs, settings."""
    thread = ensure_current_thread(store, "w")
    (run,) = (each for each in store.ids("run") if not each.startswith("workbench"))
    given = {
        "workflow": "w",
        "thread": thread,
        "run": run,
        "reader": WorkflowReader(store, "w"),
        "number": 1,
        "one": 1,
        "other": 2,
        "seq": 1,
        "after": 0,
        "upto": 50,
        "words": "Correct",
        "name": "price",
        "id_": "w",
        "what": "variables",
        "hash_": "",
    }
    held = 0
    for each in use_cases():
        if not each.__name__.startswith(READS) or each.__name__ in NOT_REDACTED | NOT_HERE:
            continue
        wanted = list(inspect.signature(each).parameters.values())[1:]
        asked = {one.name: given[one.name] for one in wanted if one.name in given}
        if any(one.name == "kind" for one in wanted):
            asked["kind"] = "plan"
        found = each(workspace, **asked)
        shown = "\n".join(texts(found))
        assert [form for form in FORMS if form in shown] == [], each.__name__
        held += "redacted" in shown
    assert held >= 15, held


def test_what_a_use_case_refuses_names_no_secret(workspace: Workspace) -> None:
    """The words of an error leave like any other."""
    for each in use_cases():
        if each.__name__ in ("get_row", "get_workflow", "export_document"):
            with pytest.raises(DirectorError, match="redacted") as refused:
                each(workspace, workflow=f"of {CANARY}")
            assert CANARY not in str(refused.value)
