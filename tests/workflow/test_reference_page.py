"""The page of the reference says what the code does: its tables are compared, its code is run."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from director.workflow.conditions import CONDITIONS, PROOF
from director.workflow.config_fields import Field, Form
from director.workflow.types import KINDS
from director.workflow.types.type_definition import PRODUCING, NodeKind

PAGE = (Path(__file__).parents[2] / "docs/workflows.md").read_text()
_BLOCK = re.compile(r"^```python[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def rows(heading: str, number: int = 0) -> list[str]:
    """The rows of one of the tables below a heading."""
    section = re.split(rf"^#+ {re.escape(heading)}$", PAGE, flags=re.MULTILINE)[1]
    section = re.split(r"^#", section, maxsplit=1, flags=re.MULTILINE)[0]
    tables = re.split(r"^\|[-|]+\|$", section, flags=re.MULTILINE)[1:]
    return tables[number].strip().split("\n\n", 1)[0].splitlines()


def meaning(name: str, field: Field, *, marked: bool = True) -> str:
    """The row of a field."""
    required = "required: " if field.required and marked else ""
    default = "" if field.default is None else f" (default `{json.dumps(field.default)}`)"
    return f"| `{name}` | {required}{field.says}{default} |"


def own(form: Form, kind: NodeKind) -> dict[str, Field]:
    """The fields of a form without those that every node has and the one that chose it."""
    common = {kind.by, *PRODUCING}
    return {name: field for name, field in form.fields.items() if name not in common}


def chosen(name: str, kind: NodeKind) -> str:
    """The row of an action or a method."""
    fields = (
        f"**{field}**" if rule.required else field
        for field, rule in own(kind.forms[name], kind).items()
    )
    return f"| `{name}` | {', '.join(fields)} | {kind.effects[name]} |"


def test_the_page_lists_the_ten_types() -> None:
    """With what they do and what repeating them does."""
    assert rows("Node types") == [
        f"| [`{kind.type}`](#{kind.type}) | {kind.says} | {' / '.join(dict.fromkeys(kind.effects.values()))} |"
        for kind in KINDS.values()
    ]


@pytest.mark.parametrize("type_", [type_ for type_, kind in KINDS.items() if kind.by])
def test_the_page_lists_every_action_and_method(type_: str) -> None:
    """With its fields, the required ones in bold, and the meaning of each field."""
    kind = KINDS[type_]
    assert rows(type_) == [chosen(name, kind) for name in kind.forms]
    every = {
        meaning(name, field, marked=False)
        for form in kind.forms.values()
        for name, field in own(form, kind).items()
    }
    assert sorted(rows(type_, 1)) == sorted(every)


@pytest.mark.parametrize("type_", [type_ for type_, kind in KINDS.items() if not kind.by])
def test_the_page_lists_every_field(type_: str) -> None:
    """With its meaning and its default."""
    kind = KINDS[type_]
    fields = own(kind.forms[""], kind)
    assert rows(type_) == [meaning(name, field) for name, field in fields.items()]


def test_the_page_lists_what_every_node_with_a_result_may_have() -> None:
    """Only context has none."""
    assert rows("What becomes of a result") == [meaning(n, f) for n, f in PRODUCING.items()]
    without = [
        t for t, kind in KINDS.items() if "store" not in next(iter(kind.forms.values())).fields
    ]
    assert without == ["context"]


def test_the_page_lists_every_kind_of_condition() -> None:
    """With its fields, and those of a proof."""
    every = {"within", "tab"}
    assert rows("Conditions") == [
        f"| `{kind}` | {form.fields[kind].says} | {', '.join(f for f in form.fields if f not in {kind, *every})} |"
        for kind, form in CONDITIONS.items()
    ]
    assert rows("Conditions", 1) == [meaning(name, field) for name, field in PROOF.fields.items()]


def test_the_page_shows_every_form_of_template_and_selection() -> None:
    """Each in a row that can be copied."""
    templates = "\n".join(rows("Templates"))
    for form in (
        "index",
        "current.",
        "get_all_records(",
        "param.",
        "env:",
        "secret:",
        "[0]",
        '{{"{{"}}',
    ):
        assert form in templates
    selections = "\n".join(rows("Selections"))
    for form in ("`5`", "`3-5`", "`1-3,10`", "`find`", "`find..report`", "`all`"):
        assert form in selections


def test_the_code_on_the_page_runs() -> None:
    """From top to bottom, as a reader would type it."""
    names: dict[str, object] = {}
    blocks = _BLOCK.findall(PAGE)
    assert blocks
    for block in blocks:
        exec(block, names)  # noqa: S102
