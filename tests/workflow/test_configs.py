"""A config is checked when it is saved: what is wrong is refused with the right form."""

from __future__ import annotations

import json
from typing import get_args

import pytest

from director.workflow.config_fields import Form
from director.workflow.scope import Scope
from director.workflow.types import (
    KINDS,
    check_config,
    describe_node,
    get_node_effect,
    resolve_config,
)
from director.workflow.values import Config, Json, Node, NodeType, WorkflowError

RIGHT: list[tuple[str, Json]] = [
    ("browser_action", {"action": "navigate", "url": "https://example.org/{{x}}"}),
    ("browser_action", {"action": "click", "selector": "#go", "nth": -1, "timeout": 500}),
    ("browser_action", {"action": "click", "selector": {"role": "button"}, "nth": "last"}),
    ("browser_action", {"action": "click", "selector": "li", "nth": "{{index}}"}),
    ("browser_action", {"action": "type", "selector": "#p", "text": "{{secret:p}}"}),
    ("browser_action", {"action": "type", "selector": "#p", "text": ""}),
    ("browser_action", {"action": "select", "selector": "#s", "label": "Blue"}),
    ("browser_action", {"action": "select", "selector": "#s", "value": ["b", "g"]}),
    ("browser_action", {"action": "hover", "selector": "#menu"}),
    ("browser_action", {"action": "check", "selector": "#c"}),
    ("browser_action", {"action": "uncheck", "selector": "#c"}),
    ("browser_action", {"action": "upload", "selector": "#f", "file": ["a.csv", "b.csv"]}),
    ("browser_action", {"action": "drag", "selector": "#a", "to": "#b"}),
    ("browser_action", {"action": "wait", "time": 100}),
    ("browser_action", {"action": "wait", "selector": "#ready"}),
    ("browser_action", {"action": "wait", "navigation": True}),
    ("browser_action", {"action": "openNewTab", "url": "https://e.org", "name": "two"}),
    ("browser_action", {"action": "switchTab", "tabName": "two"}),
    ("browser_action", {"action": "closeTab"}),
    ("browser_action", {"action": "back"}),
    ("browser_action", {"action": "forward"}),
    ("browser_action", {"action": "refresh"}),
    ("browser_action", {"action": "screenshot", "fullPage": True, "path": "a.png"}),
    ("browser_action", {"action": "listTabs", "store": True}),
    ("browser_action", {"action": "getCurrentTab", "store": {"url": "address"}}),
    ("browser_action", {"action": "keypress", "key": "a", "modifiers": ["Control"], "page": True}),
    ("browser_action", {"action": "keypress", "key": "Enter", "selector": "#q"}),
    ("browser_action", {"action": "set", "selector": "#when", "value": "2026-01-15"}),
    (
        "browser_action",
        {"action": "click", "selector": "#a", "clicks": 2, "on_dialog": {"text": "yes"}},
    ),
    ("browser_action", {"action": "drag", "selector": "#a", "by": {"x": 10, "y": -5}}),
    (
        "browser_query",
        {"method": "extract_all", "selector": "tr", "fields": {"to": "a@href"}, "key": "to"},
    ),
    ("browser_action", {"action": "scrollIntoView", "selector": "#x", "direction": "up"}),
    ("browser_action", {"action": "scrollToRow", "rowIndex": 30, "rowHeight": 20}),
    ("browser_action", {"action": "loadProfile", "profileName": "mail"}),
    ("browser_action", {"action": "extractPdf", "source": "a.pdf", "pages": "1-3"}),
    (
        "browser_query",
        {"method": "validate", "rules": [{"type": "element_exists", "selector": "#a"}]},
    ),
    (
        "browser_query",
        {
            "method": "deterministic_extract",
            "selector": "tr",
            "fields": {"a": "td.x", "b": "@href", "c": "@class~new", "d": ".", "e": "@form-url"},
            "limit": 5,
            "create_records": {"type": "email", "id_pattern": "email_{{a}}"},
        },
    ),
    ("browser_query", {"method": "count", "selector": "tr", "store": "*"}),
    ("browser_query", {"method": "debug_element", "selector": "tr", "nth": 2}),
    ("transform", {"input": "{{find.items}}", "code": "[x['n'] for x in input]"}),
    (
        "transform",
        {"input": {"a": 1, "b": "{{x}}"}, "code": "import math\ny = a + b\nmath.sqrt(y)"},
    ),
    ("transform", {"code": "def f(n):\n    return n * 2\nf(4)"}),
    (
        "cognition",
        {"instruction": "Sum up {{x}}", "input": {"t": "{{t}}"}, "schema": {"type": "string"}},
    ),
    ("iterate", {"records": "email_*", "body": "a..b", "limit": 3, "on_error": "stop"}),
    ("iterate", {"over": "{{find.items}}", "variable": "row", "index": "n", "body": [1, "b"]}),
    ("route", {"branches": [{"name": "x", "condition": "{{n}} > 3", "branch": 4}]}),
    ("route", [{"name": "x", "condition": True, "branch": []}]),
    (
        "route",
        {
            "input": {"n": "{{find.count}}"},
            "branches": [
                {"name": "x", "condition": "n > 3 and any(k for k in [n])", "branch": "a"}
            ],
        },
    ),
    ("handle", {"try": "a..b", "catch": "c", "finally": ["d"]}),
    ("context", {"variables": {"creds": {"password": "{{secret:p}}"}, "n": None}}),
    ("group", {"nodeRange": "1-25", "name": "Login", "params": {"x": 1}}),
    ("group", {"nodeRange": [1, 25], "continueOnError": True}),
    ("agent", {"goal": "Close the dialog", "maxSteps": 5, "store": True}),
]
ODD: list[Json] = [
    *(None, True, 0, -1, 2.5, "", "{{x}}", "{{", "a..b", "\0", "\ud800", [], {}, [1], [[]], [None]),
    *({"a": 1}, [{"name": [1], "condition": {}, "branch": {}}], {"": None}, ["a"], "5-3"),
]
WRONG: list[tuple[str, Json, str]] = [
    ("browser_action", {"action": "click", "selector": ["#a", "#b"]}, "one CSS selector"),
    ("browser_action", {"action": "click", "selector": "text:Sign in"}, '{"role": "button"'),
    ("browser_action", {"action": "click", "selector": "act:press it"}, "is not CSS"),
    ("browser_action", {"action": "click", "selector": "//a"}, "XPath"),
    ("browser_action", {"action": "click", "selector": "#a", "fallback": "b"}, "a bundle has"),
    ("browser_action", {"action": "click", "selectr": "#a"}, "Did you mean 'selector'?"),
    ("browser_action", {"action": "click"}, "'selector' is missing"),
    ("browser_action", {"action": "clik", "selector": "#a"}, "Did you mean 'click'?"),
    ("browser_action", {"action": "act", "instruction": "x"}, "name the action itself"),
    ("browser_action", {"url": "https://example.org"}, "'action' is missing"),
    ("browser_action", {"action": "click", "selector": "#a", "nth": 1.5}, "first or last"),
    ("browser_action", {"action": "click", "selector": "#a", "timeout": True}, "whole number"),
    (
        "browser_action",
        {"action": "click", "selector": "#a", "visibleOnly": "yes"},
        "true or false",
    ),
    (
        "browser_action",
        {"action": "wait", "waitType": "time", "waitValue": 3},
        "'time', 'selector'",
    ),
    ("browser_action", {"action": "wait"}, "exactly one of time, selector, navigation"),
    ("browser_action", {"action": "wait", "time": 5, "selector": "#a"}, "time and selector"),
    ("browser_action", {"action": "wait", "navigation": False}, "this must be true"),
    ("browser_action", {"action": "openNewTab", "url": "https://e.org"}, "'name' is missing"),
    ("browser_action", {"action": "type", "selector": "#a", "text": 5}, "must be a text"),
    (
        "browser_action",
        {"action": "keypress", "key": "a", "modifiers": ["Ctrl"], "page": True},
        "Control",
    ),
    ("browser_action", {"action": "keypress", "key": "a"}, "exactly one of selector, page"),
    ("browser_action", {"action": "click", "selector": "text=Save"}, '{"text": "…"}'),
    ("browser_action", {"action": "click", "selector": "role=button"}, '"role": "button"'),
    (
        "browser_action",
        {"action": "click", "selector": "page.getByText('x')"},
        "code of Playwright",
    ),
    (
        "browser_action",
        {"action": "scrollIntoView", "selector": "#a", "maxTries": 31},
        "from 1 to 30",
    ),
    ("browser_action", {"action": "back", "store_variable": True}, '"store": true'),
    ("browser_action", {"action": "back", "store": False}, '"*" (each of its fields)'),
    ("browser_action", {"action": "navigate", "url": "{{a b}}"}, "is not a template"),
    ("browser_query", {"method": "extract", "instruction": "x"}, "deterministic_extract"),
    ("browser_query", {"method": "observe"}, "debug_element"),
    ("browser_query", {"method": "validate", "rules": []}, "not empty"),
    (
        "browser_query",
        {"method": "validate", "rules": [{"type": "element_exist", "selector": "#a"}]},
        "Did you mean 'element_exists'?",
    ),
    (
        "browser_query",
        {"method": "deterministic_extract", "selector": "tr", "fields": {"u": "a:has-text('x')"}},
        "plain CSS is taken",
    ),
    ("transform", {"operation": "map", "expression": "x => x.n"}, 'Python "code"'),
    ("transform", {"function": "return 1", "input": "{{x}}"}, 'Python "code"'),
    ("transform", {"code": "{{find.items}}[0]"}, "a name in 'input'"),
    ("transform", {"input": "{{x}}", "code": "y = 1"}, "last line must be an expression"),
    ("transform", {"input": "{{x}}", "code": "input.map(x => x.n)"}, "lambda"),
    ("transform", {"input": {"rows": "{{x}}"}, "code": "len(row)"}, "Did you mean 'rows'?"),
    ("transform", {"input": {"a b": 1}, "code": "1"}, "cannot be a name in Python"),
    ("transform", {"input": {"value_1": 1}, "code": "1"}, "choose another"),
    ("iterate", {"over": [1], "variable": "a b", "body": "a"}, "cannot be a name in Python"),
    ("cognition", {"prompt": "x", "schema": {"type": "string"}}, "it is called 'instruction'"),
    ("cognition", {"instruction": "x"}, "'schema' is missing"),
    ("iterate", {"body": "a"}, "exactly one of records, over"),
    ("iterate", {"records": "*", "over": "{{x}}", "variable": "y", "body": "a"}, "exactly one of"),
    ("iterate", {"over": "{{x}}", "body": "a"}, "'over' needs 'variable'"),
    ("iterate", {"over": "{{x}}", "variable": "current", "body": "a"}, "meaning of its own"),
    ("iterate", {"records": "*", "body": "a", "continueOnError": True}, '"on_error"'),
    ("iterate", {"records": "*", "body": []}, "an alias, a position"),
    ("iterate", {"over": 5, "variable": "x", "body": "a"}, "must be a list"),
    ("route", {"value": "{{x}}", "paths": {"a": [1]}}, '"branches"'),
    ("route", {"conditions": [{"path": "x", "operator": "equals"}], "default": 3}, '"branches"'),
    (
        "route",
        {"branches": [{"name": "a", "condition": "{{x}} && {{y}}", "branch": 1}]},
        "write and",
    ),
    ("route", {"branches": [{"name": "a", "condition": "{{x}} === 1", "branch": 1}]}, "write =="),
    ("route", {"branches": [{"name": "a", "condition": "!{{x}}", "branch": 1}]}, "write not"),
    (
        "route",
        {"branches": [{"name": "a", "condition": "{{x}} contains 'a'", "branch": 1}]},
        "b in a",
    ),
    ("route", {"branches": [{"name": "a", "condition": "true", "branch": 1}]}, "write True"),
    (
        "route",
        {"branches": [{"name": "a", "condition": "'{{x}}' == 'a'", "branch": 1}]},
        "quotes off",
    ),
    (
        "route",
        {"branches": [{"name": "a", "condition": "{{secret:p}} == 1", "branch": 1}]},
        "no value",
    ),
    ("route", {"branches": [{"name": "a", "condition": "count > 1", "branch": 1}]}, "{{count}}"),
    ("route", {"branches": [{"name": "a", "condition": "x = 1", "branch": 1}]}, "is not Python"),
    ("route", {"branches": [{"condition": "True", "branch": 1}]}, "'name' is missing"),
    (
        "route",
        [
            {"name": "a", "condition": True, "branch": 1},
            {"name": "a", "condition": True, "branch": 2},
        ],
        "Two branches",
    ),
    ("handle", {"catch": "a"}, "'try' is missing"),
    ("handle", {"try": "a"}, "'catch', 'finally', or both"),
    ("context", {"operation": "set", "key": "a", "value": 1}, '"variables"'),
    ("context", {"variables": {}}, "not empty"),
    ("context", {"variables": {"index": 1}}, "meaning of its own"),
    ("context", {"variables": {"a": 1}, "store": True}, "There is no field 'store'"),
    ("group", {"groupId": "g", "nodes": [1, 2]}, '"nodeRange"'),
    ("agent", {"goal": "x", "maxSteps": 0}, "from 1 to 100"),
    ("agent", {"goal": "x", "max_steps": 5}, "'maxSteps'"),
]


@pytest.mark.parametrize(("type_", "config"), RIGHT)
def test_a_right_config_is_taken(type_: str, config: Json) -> None:
    """And keeps everything that was written; only defaults come in."""
    checked = check_config(type_, config)
    written = config if isinstance(config, dict) else {"branches": config}
    assert {name: checked[name] for name in written} == written


@pytest.mark.parametrize(("type_", "config", "says"), WRONG)
def test_a_wrong_config_is_refused_with_the_right_form(type_: str, config: Json, says: str) -> None:
    """The error begins with the type and says what to write."""
    with pytest.raises(WorkflowError) as error:
        check_config(type_, config)
    assert says in str(error.value)
    assert str(error.value).startswith(type_)


def test_every_action_and_method_has_a_right_example() -> None:
    """The list above leaves none out."""
    shown = {
        (type_, config.get(KINDS[type_].by, "") if isinstance(config, dict) else "")
        for type_, config in RIGHT
    }
    assert shown == {(type_, name) for type_, kind in KINDS.items() for name in kind.forms}


def test_there_are_ten_types() -> None:
    """Each of its own file; another name is refused with the nearest."""
    assert set(KINDS) == set(get_args(NodeType))
    with pytest.raises(WorkflowError, match="Did you mean 'transform'"):
        check_config("transfrom", {"code": "1"})
    with pytest.raises(WorkflowError, match="deterministic_extract"):
        check_config("browser_ai_extract", {"x": 1})


@pytest.mark.parametrize("type_", get_args(NodeType))
@pytest.mark.parametrize("config", [{}, [], None, "click", 3])
def test_an_empty_config_is_refused_with_what_belongs_there(type_: str, config: Json) -> None:
    """Nor is anything taken that is no object."""
    with pytest.raises(WorkflowError, match=r"It has: |branches"):
        check_config(type_, config)


@pytest.mark.parametrize(("type_", "config"), RIGHT)
def test_whatever_a_field_holds_is_taken_or_refused_in_words(type_: str, config: Json) -> None:
    """Nothing else is raised, and what was taken can be described and resolved."""
    written = config if isinstance(config, dict) else {"branches": config}
    tried = [{**written, name: odd} for name in (*written, "store", "extra") for odd in ODD]
    taken = [one for one in tried if _is_taken(type_, one)]
    for one in taken:
        describe_node(Node("id", "a", KINDS[type_].type, one))
        get_node_effect(type_, one)
    assert len(taken) < len(tried)


def _is_taken(type_: str, config: Config) -> bool:
    try:
        check_config(type_, config)
        resolve_config(type_, config, Scope({"x": 1, "n": 1, "index": 1}))
    except WorkflowError:
        return False
    return True


def test_all_that_is_wrong_is_said_at_once() -> None:
    """So that one more try is enough."""
    with pytest.raises(WorkflowError) as error:
        check_config("browser_action", {"action": "click", "nth": "x", "wait": 1, "fallback": "y"})
    for name in ("'selector'", "'nth'", "'wait'", "'fallback'"):
        assert name in str(error.value)


def test_validation_stops_the_workflow_unless_told_otherwise() -> None:
    """The default is in the config that is run."""
    rules = [{"type": "element_absent", "selector": "#error"}]
    config = {"method": "validate", "rules": rules}
    assert check_config("browser_query", config)["onFailure"] == "stop_workflow"


def test_a_template_may_stand_for_any_value_and_is_checked_when_it_is_known() -> None:
    """A number for nth is taken, a text is refused, and a number is typed as text."""
    click: Config = {"action": "click", "selector": "li", "nth": "{{n}}"}
    assert resolve_config("browser_action", click, Scope({"n": 2}))["nth"] == 2
    with pytest.raises(WorkflowError, match="first or last"):
        resolve_config("browser_action", click, Scope({"n": "second"}))
    typing: Config = {"action": "type", "selector": "#a", "text": "{{n}}"}
    assert resolve_config("browser_action", typing, Scope({"n": 2.5}))["text"] == "2.5"
    with pytest.raises(WorkflowError, match="must be a text"):
        resolve_config("browser_action", typing, Scope({"n": [1]}))
    each: Config = {"over": "{{n}}", "variable": "x", "body": ["a"]}
    assert resolve_config("iterate", each, Scope({"n": []}))["over"] == []
    with pytest.raises(WorkflowError, match="must be a list"):
        resolve_config("iterate", each, Scope({"n": None}))


def test_code_schemas_conditions_and_references_stay_as_they_are_written() -> None:
    """Values never get into them."""
    scope = Scope({"x": "1 or True", "n": 5})
    code = "f'{{x}}' + str(input)"
    assert resolve_config("transform", {"input": "{{n}}", "code": code}, scope)["code"] == code
    schema = {"type": "string", "pattern": "{{x}}"}
    ask: Config = {"instruction": "{{x}}", "schema": schema}
    assert resolve_config("cognition", ask, scope) == {"instruction": "1 or True", "schema": schema}
    branches = [{"name": "a", "condition": "{{x}} == 1", "branch": ["{{x}}"]}]
    assert resolve_config("route", {"branches": branches}, scope)["branches"] == branches
    named: Config = {
        "method": "count",
        "selector": "#a",
        "create_records": {"type": "t", "id_pattern": "t_{{x}}"},
    }
    assert (
        resolve_config("browser_query", named, scope)["create_records"] == named["create_records"]
    )


def test_input_reaches_code_under_the_names_that_were_written() -> None:
    """An object that comes out of one template is one value, not several names."""
    config: Config = {"input": "{{x}}", "code": "input['a']"}
    assert resolve_config("transform", config, Scope({"x": {"b c": 1}}))["input"] == {"b c": 1}


@pytest.mark.parametrize(
    ("type_", "config", "effect"),
    [
        ("browser_query", {"method": "count", "selector": "a"}, "read"),
        ("browser_action", {"action": "screenshot"}, "read"),
        ("browser_action", {"action": "listTabs"}, "read"),
        ("browser_action", {"action": "navigate", "url": "x"}, "idempotent"),
        ("browser_action", {"action": "type", "selector": "a", "text": ""}, "idempotent"),
        ("browser_action", {"action": "wait", "time": 1}, "idempotent"),
        ("browser_action", {"action": "click", "selector": "a"}, "once"),
        ("browser_action", {"action": "keypress", "key": "Enter"}, "once"),
        ("transform", {"code": "1"}, "idempotent"),
        ("context", {"variables": {"a": 1}}, "idempotent"),
        ("agent", {"goal": "x"}, "once"),
    ],
)
def test_a_node_has_the_effect_of_what_it_does(type_: str, config: Config, effect: str) -> None:
    """Looking is read, what can be repeated idempotent, the rest once."""
    assert get_node_effect(type_, config) == effect


@pytest.mark.parametrize(("type_", "config"), RIGHT)
def test_a_node_is_described_in_one_line(type_: NodeType, config: Json) -> None:
    """At most 80 characters; its own description wins."""
    checked = config if isinstance(config, dict) else {"branches": config}
    line = describe_node(Node("id", "a", type_, checked))
    assert line.startswith(f"{type_}: ")
    assert len(line) <= 80
    assert "\n" not in line
    assert describe_node(Node("id", "a", type_, checked, description="Says\nso")) == "Says so"


def test_every_field_of_every_form_says_what_it_means() -> None:
    """The words are shown where the field is missing and on the page of the reference."""
    forms: list[Form] = [form for kind in KINDS.values() for form in kind.forms.values()]
    assert all(field.says for form in forms for field in form.fields.values())


def test_what_is_offered_instead_of_a_word_of_playwright_in_a_field_works() -> None:
    """The refusal names a node that reads such a part, and that node is taken."""
    fields = {"published": 'p:has-text("Published:")'}
    refused = {"method": "deterministic_extract", "selector": "body", "fields": fields}
    with pytest.raises(WorkflowError, match="node of its own") as found:
        check_config("browser_query", refused)
    offered = json.loads(str(found.value).rpartition("of its own: ")[2].removesuffix("."))
    assert offered["selector"] == fields["published"]
    check_config("browser_query", offered)
