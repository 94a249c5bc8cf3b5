"""Tools that declare what a run is given; what is declared can be tested with at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, cast

from director.agent.agent_session import AgentSession
from director.store.run_variables import (
    clear_run_variable,
    get_draft_run_id,
    read_run_variables,
    set_run_variable,
)
from director.workflow.display import render_value
from director.workflow.input_types import check_input_value, declare_workflow_input, is_secret_input
from director.workflow.nearest import write_nearest_hint
from director.workflow.sensitive import is_sensitive
from director.workflow.templates import SECRET
from director.workflow.values import Input, Json, WorkflowError
from director.workflow.workflow_checks import check_workflow

InputType = Literal["text", "number", "boolean", "list", "object"]


async def declare_input(
    desk: AgentSession,
    name: str,
    type: InputType,
    description: str,
    default: object = None,
    example: object = None,
    *,
    sensitive: bool = False,
) -> str:
    """Declare what a run is given, so that the user can change it without you: {{name}} in nodes.

    Args:
        name: letters, digits and "_", such as "room"
        type: what it takes
        description: what it is for, as the user reads it in the form
        default: used when a run is given nothing; without one the run must be given a value
        example: a value to test with, if there is no default; of a secret its reference
        sensitive: its value goes into the vault and is never shown

    """
    given, secret = cast("Json", default), sensitive or is_sensitive(name)
    one = Input(name, description, given, required=given is None, type=type, sensitive=secret)
    after = check_workflow(declare_workflow_input(desk.now(), one))
    tested = cast("Json", given if example is None else example)
    _check_example(one, tested)
    version = desk.saved.save_workflow(after, f"declared the input {name}")
    if tested is not None:
        set_run_variable(desk.store, get_draft_run_id(desk.workflow), name, tested, "to test with")
    needed = (
        "a run must be given it" if one.required else f"default {render_value(name, one.default)}"
    )
    return (
        f"Input {name!r} ({type}, {needed}): write {{{{{name}}}}} in nodes. The user gives it with "
        f"--set {name}=… or in the form of the page; {_describe_test(name, tested)} "
        f"The workflow is version {version}."
    )


async def remove_input(desk: AgentSession, name: str) -> str:
    """Take a declared input out again; nodes must not name it any more.

    Args:
        name: which

    """
    before = desk.now()
    if all(one.name != name for one in before.inputs):
        known = [one.name for one in before.inputs]
        raise WorkflowError(
            f"There is no input {name!r}.{write_nearest_hint(name, known)} Nothing was changed."
        )
    after = replace(before, inputs=tuple(one for one in before.inputs if one.name != name))
    version = desk.saved.save_workflow(after, f"removed the input {name}")
    if name in read_run_variables(desk.store, get_draft_run_id(desk.workflow)):
        clear_run_variable(
            desk.store, get_draft_run_id(desk.workflow), name, "its input was removed"
        )
    return f"Input {name!r} is removed; the workflow is version {version}."


def _check_example(one: Input, value: Json) -> None:
    if value is None:
        return
    check_input_value(one, value)
    if is_secret_input(one) and not (isinstance(value, str) and SECRET.fullmatch(value)):
        raise WorkflowError(
            f"{one.name!r} is a secret, so its example is a reference such as {{{{secret:name}}}}. "
            "Nothing was declared. Ask the user to put the value into the vault."
        )


def _describe_test(name: str, value: Json) -> str:
    if value is None:
        return f"to test with one, give an example or set_variable {name}."
    return f"tests use {render_value(name, value)}."
