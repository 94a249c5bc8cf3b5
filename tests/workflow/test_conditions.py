"""Conditions are of five kinds; expressions are Python over values that are handed in."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from director.workflow.conditions import (
    CONDITIONS,
    WITHIN,
    check_condition,
    check_proof,
    fill_condition,
)
from director.workflow.expressions import (
    check_expression_code,
    fill_expression_values,
    name_expression_templates,
)
from director.workflow.expressions import check_expression_condition as check_expression
from director.workflow.scope import Scope
from director.workflow.templates import TemplateError
from director.workflow.values import Config, Json, WorkflowError

RIGHT: list[Config] = [
    {"url": "https://example.org/done*", "within": 100, "tab": "main"},
    {"url_matches": r"/orders/\d+$"},
    {"element": "#ok"},
    {"element": {"role": "alert"}, "text": "{{name}} saved"},
    {"element": "#field", "value": ""},
    {"element": "#spinner", "absent": True},
    {"count": "tr", "equals": 35},
    {"count": "tr", "at_least": 1, "at_most": 5},
    {"count": "tr", "at_least": "{{n}}"},
    {"status": "https://example.org/api/*", "is": 201},
    {"status": "*", "below": 400},
    {"download": "*.csv"},
    {"download": "report-{{month}}.pdf", "at_least": 1_000, "within": 20_000},
    {"records": "order", "equals": 82},
    {"records": "order_*", "at_least": 1, "at_most": 500},
]


@pytest.mark.parametrize("condition", RIGHT)
def test_a_right_condition_is_taken(condition: Config) -> None:
    """It waits five seconds unless told otherwise."""
    check_condition(condition)
    assert fill_condition({"element": "#ok"})["within"] == WITHIN


def test_code_with_a_single_backslash_is_taken() -> None:
    """Python only warns of it, and many write their patterns so; here a warning is an error."""
    check_expression_code('import re\nre.search("\\d+", said).group(0)', names=["said"])


def test_every_kind_of_condition_has_a_right_example() -> None:
    """The list above leaves none out."""
    assert {kind for kind in CONDITIONS if any(kind in one for one in RIGHT)} == set(CONDITIONS)


@pytest.mark.parametrize(
    ("condition", "says"),
    [
        ({}, "of no kind"),
        ("#ok", "is an object"),
        ({"elment": "#ok"}, "Did you mean 'element'?"),
        ({"url": "x", "element": "#ok"}, "take url, element apart"),
        ({"url": "x", "wthin": 5}, "Did you mean 'within'?"),
        ({"url_matches": "("}, "no regular expression"),
        ({"element": ["#a", "#b"]}, "list of selectors"),
        ({"element": "#a", "absent": "yes"}, "true or false"),
        ({"element": "#a", "absent": True, "text": "x"}, "absent has neither"),
        ({"count": "tr"}, "Give one of equals, at_least, at_most"),
        ({"count": "tr", "equals": "many"}, "whole number"),
        ({"status": "*"}, "exactly one of is, below"),
        ({"status": "*", "is": 99}, "from 100 to 599"),
        ({"url": "x", "within": -1}, "whole number"),
    ],
)
def test_a_wrong_condition_is_refused_with_the_right_form(condition: Json, says: str) -> None:
    """The error names the field."""
    with pytest.raises(WorkflowError) as error:
        check_condition(condition)
    assert says in str(error.value)


def test_a_proof_has_conditions_for_at_least_one_answer() -> None:
    """Each of them is checked."""
    check_proof({"url": "https://example.org/orders", "happened": [{"element": "#o7"}]})
    for wrong in ({}, {"url": "x"}, {"happened": []}, {"happened": [{"elment": "#a"}]}):
        with pytest.raises(WorkflowError):
            check_proof(wrong)


def test_an_expression_sees_values_under_names() -> None:
    """The text that is run holds a name, whatever the value is."""
    hostile = "' or True or '"
    code, values = fill_expression_values(
        "{{x}} == 'a' and {{y.n}} > 2", Scope({"x": hostile, "y.n": 3})
    )
    assert code == "value_1  == 'a' and  value_2  > 2"
    assert values == {"value_1": hostile, "value_2": 3}


@settings(max_examples=50, deadline=None)
@given(st.text())
def test_no_value_ever_changes_the_text_of_a_condition(value: str) -> None:
    """Quotes, operators, braces and line ends are data."""
    condition = "{{x}} == 'investor' and not {{y}}"
    plain = fill_expression_values(condition, Scope({"x": "", "y": ""}))[0]
    code, values = fill_expression_values(condition, Scope({"x": value, "y": [value]}))
    assert code == plain
    assert values == {"value_1": value, "value_2": [value]}


def test_a_condition_whose_value_is_missing_is_an_error() -> None:
    """It does not count as false."""
    with pytest.raises(TemplateError, match="Did you mean 'kind'"):
        fill_expression_values("{{knd}} == 1", Scope({"kind": 1}))


def test_the_same_template_twice_is_two_names() -> None:
    """Each place has its own."""
    code, templates = name_expression_templates("{{a.b}} < {{a.b}} + 1")
    assert [str(template) for template in templates.values()] == ["{{a.b}}"] * 2
    assert code.split() == ["value_1", "<", "value_2", "+", "1"]


@pytest.mark.parametrize(
    "code",
    [
        "input",
        "[x for x in input if x]",
        "out = []\nfor x in input:\n    out.append(x)\nout",
        "def f(x, *, y=1):\n    z = x + y\n    return z\nsorted(input, key=lambda r: f(r))",
        "import re\nfrom json import dumps as d\nd(re.findall('a', input))",
        "class A:\n    def m(self):\n        return len(input)\nA().m()",
        "try:\n    y = int(input)\nexcept ValueError as e:\n    y = str(e)\ny",
        "f'{{literal}} {input}'",
        "{'a': {'b': input}}",
        "{k: v for k, v in input.items()}",
    ],
)
def test_ordinary_python_is_taken(code: str) -> None:
    """Names that code gives itself need not be handed in."""
    check_expression_code(code, names=["input"])


@pytest.mark.parametrize(
    "code", ["", "  ", "x = 1", "return input", "import os", "def f():\n  pass"]
)
def test_code_without_a_result_is_refused(code: str) -> None:
    """Its last line is the result."""
    with pytest.raises(WorkflowError, match="last line"):
        check_expression_code(code, names=["input"])


@settings(max_examples=50, deadline=None)
@given(st.text(alphabet="abx &|=!?:.()[]{}'\"<>0123456789\n\\", max_size=25))
def test_any_text_is_an_expression_or_refused_in_words(text: str) -> None:
    """Nothing else is raised."""
    try:
        check_expression(text, names=["a", "b"])
    except WorkflowError as problem:
        said = str(problem)
    else:
        said = "taken"
    assert said


def test_code_that_is_nested_without_end_is_refused() -> None:
    """It does not break the program that reads it."""
    with pytest.raises(WorkflowError):
        check_expression("(" * 5000 + ")" * 5000)
    with pytest.raises(WorkflowError):
        check_expression("-" * 100_000 + "1")
