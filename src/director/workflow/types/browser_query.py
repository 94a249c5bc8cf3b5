"""browser_query: looks at the page and changes nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from director.workflow.config_fields import (
    Field,
    Form,
    check_config_form,
    check_flag_field,
    check_text_field,
    make_choice_field_check,
    make_list_field_check,
    make_object_field_check,
    make_whole_number_field_check,
)
from director.workflow.selectors import check_selector, get_field_selector
from director.workflow.types.browser_action import KIND as ACTION
from director.workflow.types.type_definition import NodeKind, make_producing_form
from director.workflow.values import Config, Json, WorkflowError

_OWN = re.compile(r"\.|@form-url|@[A-Za-z_][\w:.-]*(~.+)?")
_PLAYWRIGHT = re.compile(r":(?:has-text|text|visible|near|above|below|left-of|right-of)\b")
_SELECTOR = Field(
    check_selector, "what to find: a CSS selector or a bundle", within="selector", required=True
)


def _check_extraction(value: Json) -> None:
    check_text_field(value)
    rule = str(value)
    if _OWN.fullmatch(rule):
        return
    if rule.startswith("@"):
        raise WorkflowError(f"{rule!r} is no attribute: write @name, @name~part or @form-url.")
    css = get_field_selector(rule)
    if css != rule and not _OWN.fullmatch(rule[rule.rfind("@") :]):
        raise WorkflowError(f"{rule!r} names no attribute: write it as a@href.")
    if _PLAYWRIGHT.search(css):
        alone = json.dumps({"method": "deterministic_extract", "selector": css})
        raise WorkflowError(
            f"{rule!r}: inside an item plain CSS is taken, without the words of Playwright. Name "
            'the part by its place, class or attribute, such as "td:nth-child(2)" or '
            f'"[data-label=Price]", or read it with a node of its own: {alone}.'
        )
    check_selector(css)


_RULE = Form(
    {
        "type": Field(
            make_choice_field_check("element_exists", "element_absent"),
            "what must hold",
            required=True,
        ),
        "selector": _SELECTOR,
        "description": Field(check_text_field, "in words, for the error"),
    }
)


_FIELDS = Field(
    make_object_field_check(_check_extraction),
    "name: CSS in the item, a@href, @attribute, @attribute~part, . (its text) or @form-url",
    within="selectors",
)


def _form(**fields: Field) -> Form:
    method = Field(check_text_field, "what to look for", required=True, templates=False)
    early = {"instruction": "deterministic_extract takes 'selector' and 'fields'"}
    return make_producing_form(Form({"method": method, **fields}, early))


_FORMS: Mapping[str, Form] = {
    "validate": _form(
        rules=Field(
            make_list_field_check(check_config_form(_RULE)),
            "what the page must show",
            required=True,
            within="selector",
        ),
        onFailure=Field(
            make_choice_field_check("stop_workflow", "continue_with_error"),
            "what a rule that does not hold does",
            default="stop_workflow",
        ),
        timeout=Field(
            make_whole_number_field_check(0, 600_000), "ms until they must hold", default=5000
        ),
    ),
    "deterministic_extract": _form(
        selector=_SELECTOR,
        fields=_FIELDS,
        limit=Field(make_whole_number_field_check(1), "at most so many"),
        visibleOnly=Field(check_flag_field, "only elements that can be seen", default=True),
    ),
    "extract_all": _form(
        selector=_SELECTOR,
        fields=_FIELDS,
        key=Field(
            check_text_field,
            "the field that tells one item from another; without it the whole item",
        ),
        container=Field(
            check_selector,
            "what scrolls; without it what scrolls around the items",
            within="selector",
        ),
        next=Field(
            check_selector,
            "what turns to the next page; without it the list is scrolled",
            within="selector",
        ),
        total=Field(
            check_selector,
            "where the page states how many there are: it is compared",
            within="selector",
        ),
        limit=Field(make_whole_number_field_check(1), "at most so many"),
        visibleOnly=Field(check_flag_field, "only elements that can be seen", default=True),
        timeout=Field(
            make_whole_number_field_check(1, 3_600_000),
            "ms in all; without it as long as new items come, at most an hour",
        ),
    ),
    "count": _form(selector=_SELECTOR),
    "debug_element": _form(selector=_SELECTOR, nth=ACTION.forms["click"].fields["nth"]),
}


def _line(config: Config) -> str:
    found = config.get("selector")
    rules = config.get("rules")
    about = found or (f"{len(rules)} rules" if isinstance(rules, list) else "")
    return f"{config.get('method')} {about}".strip()


KIND = NodeKind(
    type="browser_query",
    says="looks at the page and changes nothing",
    forms=_FORMS,
    effects=dict.fromkeys(_FORMS, "read"),
    line=_line,
    by="method",
    early={
        "extract": "write deterministic_extract, or hand its items to a cognition node",
        "observe": "use debug_element or count",
        "ai_assessment": "use validate, or a cognition node",
    },
)
