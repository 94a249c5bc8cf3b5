"""Words to write a MiniWoB++ task as a workflow: each gives a node as a document has it.

Every task reads what it is asked from the page, works out what that means, and acts. Nothing here
knows a seed: one workflow does its task whatever the page asks for. A task is over when the page
covers itself again, and that is the postcondition of each last node.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any, TypeAlias

from director.workflow.document import read_workflow_document
from director.workflow.values import Json, Workflow

Node: TypeAlias = dict[str, Any]
Tasks: TypeAlias = Mapping[str, tuple[Node, ...]]
OVER: Json = {"element": "#sync-task-cover"}


def node(alias: str, type_: str, **config: Json) -> Node:
    """A node of any type."""
    return {"alias": alias, "type": type_, "config": config}


def act(alias: str, action: str, selector: Json = None, **more: Json) -> Node:
    """Do one thing in the browser."""
    found = {} if selector is None else {"selector": selector}
    return node(alias, "browser_action", action=action, **found, **more)


def click(alias: str, selector: Json, **more: Json) -> Node:
    """Click."""
    return act(alias, "click", selector, **more)


def type_into(alias: str, selector: Json, text: Json, **more: Json) -> Node:
    """Type a text; that it is there is the postcondition."""
    typed = act(alias, "type", selector, text=text, **more)
    return {**typed, "ensures": [{"element": selector, "value": text, "within": 1000}]}


def type_hidden(alias: str, selector: Json, text: Json, **more: Json) -> Node:
    """Type into a password field, whose value nobody is told: it has no postcondition."""
    return act(alias, "type", selector, text=text, **more)


def look(alias: str, selector: str, **fields: str) -> Node:
    """Read elements: their texts, or an object of fields for each."""
    asked: dict[str, Json] = {"fields": dict(fields)} if fields else {}
    return node(
        alias,
        "browser_query",
        method="deterministic_extract",
        selector=selector,
        store="*",
        **asked,
    )


def look_at_all(alias: str, selector: str, **fields: str) -> Node:
    """Read elements, those that cannot be seen as well."""
    found = look(alias, selector, **fields)
    found["config"]["visibleOnly"] = False
    return found


def work_out(alias: str, code: str, **given: Json) -> Node:
    """Compute an object; each of its members becomes a variable."""
    return node(alias, "transform", input=given, code=f"import re\n{code}", store="*")


def each(alias: str, over: Json, body: Json, *, variable: str = "it") -> Node:
    """Run other nodes for each element of a list."""
    return node(alias, "iterate", over=over, variable=variable, body=body, on_error="stop")


def choose(alias: str, *branches: tuple[str, Json, Json]) -> Node:
    """Go down the first branch whose condition holds."""
    named: list[Json] = [
        {"name": name, "condition": when, "branch": branch} for name, when, branch in branches
    ]
    return node(alias, "route", branches=named)


def ends(last: Node) -> Node:
    """The node that ends the task: it is green only if the page says that the task is over."""
    return {**last, "ensures": [OVER]}


def asked(code: str, **more: Json) -> tuple[Node, Node]:
    """Read what the page asks for and take it apart; `said` is its text."""
    return look("task", "#query"), work_out("want", code, said="{{task.items[0]}}", **more)


SUBMIT = ends(click("submit", "#subbtn"))


def workflow(name: str, nodes: tuple[Node, ...], origin: str) -> Workflow:
    """The workflow of a task."""
    numbers = count(1)
    return read_workflow_document(
        {
            "version": 1,
            "id": f"miniwob-{name}",
            "name": f"MiniWoB++ {name}",
            "origins": [origin],
            "nodes": list(nodes),
        },
        new_id=lambda: f"n{next(numbers)}",
    )
