"""How nodes are written: the fields of each type, from its own form, and a guide with an example.

The guides are files; every example in them is run by a test. Pure, but for reading the files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from importlib.resources import files

from director.workflow.conditions import CONDITIONS, PROOF
from director.workflow.config_fields import Field, Form
from director.workflow.nearest import write_nearest_hint
from director.workflow.types import KINDS
from director.workflow.types.type_definition import PRODUCING, NodeKind
from director.workflow.values import WorkflowError

TOPICS = (
    "inputs", "values", "records", "pagination", "selectors", "conditions", "proof", "sandbox",
    "tests",
)  # fmt: skip
_FOLDER = files("director.sections").joinpath("guides")
_EXAMPLE = re.compile(r"^```json (\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def describe_type(name: str, action: str = "") -> str:
    """A node type with its fields and an example, or a topic."""
    wanted = name.strip().casefold()
    if wanted in TOPICS:
        return "\n".join([*_conditions(wanted), read_node_guide(wanted)])
    if wanted not in KINDS:
        known = (*KINDS, *TOPICS)
        raise WorkflowError(
            f"There is no node type or topic {name!r}.{write_nearest_hint(wanted, known)}"
        )
    kind = KINDS[wanted]
    if action and (not kind.by or action not in kind.forms):
        what = f"a {kind.by} {action!r}" if kind.by else "actions"
        raise WorkflowError(f"{wanted} has not {what}.{write_nearest_hint(action, kind.forms)}")
    return "\n".join([*_fields(kind, action), read_node_guide(wanted)])


def read_node_guide(name: str) -> str:
    """The text about a type or a topic."""
    return _FOLDER.joinpath(f"{name}.md").read_text("utf-8").strip()


def list_guide_examples(name: str) -> list[tuple[str, object]]:
    """The examples of a guide: what each is of, and its JSON."""
    return [
        (what, json.loads(written)) for what, written in _EXAMPLE.findall(read_node_guide(name))
    ]


def _fields(kind: NodeKind, action: str) -> Iterator[str]:
    yield f"{kind.type}: {kind.says}."
    shown = {action: kind.forms[action]} if action else kind.forms
    if kind.by and not action:
        yield f"{kind.by}, with its own fields (* required) and its effect:"
        for name, form in shown.items():
            fields = ", ".join(_list_fields(form, kind))
            yield f"- {name}({fields}) {kind.effects[name]}"
    elif not action:
        yield f"effect: {kind.effects['']}"
    meanings = {f: rule for form in shown.values() for f, rule in _own(form, kind).items()}
    yield "Fields:"
    yield from (_meaning(name, rule) for name, rule in meanings.items())
    if any("store" in form.fields for form in shown.values()):
        common = "; ".join(f"{name}: {rule.says}" for name, rule in PRODUCING.items())
        yield f"On any node that has a result: {common}."


def _conditions(topic: str) -> Iterator[str]:
    if topic == "conditions":
        yield "A condition has one of these keys, with the fields that belong to it:"
        for kind, form in CONDITIONS.items():
            fields = "; ".join(f"{name}: {rule.says}" for name, rule in form.fields.items())
            yield f"- {kind}: {fields}"
    if topic == "proof":
        yield from (_meaning(name, rule) for name, rule in PROOF.fields.items())


def _own(form: Form, kind: NodeKind) -> Mapping[str, Field]:
    return {n: rule for n, rule in form.fields.items() if n not in (kind.by, *PRODUCING)}


def _list_fields(form: Form, kind: NodeKind) -> Iterator[str]:
    for name, rule in _own(form, kind).items():
        yield f"{name}*" if rule.required else name


def _meaning(name: str, rule: Field) -> str:
    default = "" if rule.default is None else f" (default {json.dumps(rule.default)})"
    return f"- {name}{'*' if rule.required else ''}: {rule.says}{default}"
