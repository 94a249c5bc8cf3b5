"""browser_action: one thing done in the browser, on the active tab."""

from __future__ import annotations

from collections.abc import Mapping

from director.workflow.config_fields import (
    Field,
    Form,
    Rule,
    check_any_text_field,
    check_config_form,
    check_flag_field,
    check_number_field,
    check_text_field,
    make_choice_field_check,
    make_constant_field_check,
    make_either_field_check,
    make_list_field_check,
    make_whole_number_field_check,
    require_exactly_one_field,
)
from director.workflow.selectors import check_selector
from director.workflow.types.type_definition import NodeKind, make_producing_form
from director.workflow.values import Config, Effect

_EARLY = {
    "selectors": "give one 'selector'",
    "fallback": "give one 'selector'; a bundle has several ways to find an element",
    "waitType": "give one of 'time', 'selector', 'navigation'",
    "waitValue": "give one of 'time', 'selector', 'navigation'",
    "duration": "give 'time' in ms",
    "tab_name": "it is called 'tabName', and 'name' in openNewTab",
}
_SELECTOR = Field(
    check_selector, "what to find: a CSS selector or a bundle", within="selector", required=True
)
_URL = Field(
    check_text_field,
    "the address; values of parameters are encoded",
    required=True,
    within="address",
)
_ANY_STATUS = Field(
    check_flag_field, "true if a page that is an error, 400 or above, is what is meant"
)
_LOADED = Field(
    make_whole_number_field_check(1, 600_000), "ms until the page must have loaded", default=30_000
)
_NTH = Field(
    make_either_field_check(
        make_whole_number_field_check(-10_000, 10_000),
        make_choice_field_check("first", "last"),
        otherwise="a whole number (0 is the first, -1 the last), first or last",
    ),
    "which of several: 0 is the first, -1 the last",
)
_DIALOG = Form(
    {"text": Field(check_any_text_field, "accept a prompt with this text", required=True)}
)
_ON_DIALOG = Field(
    make_either_field_check(
        make_choice_field_check("accept", "dismiss"),
        check_config_form(_DIALOG),
        otherwise='"accept", "dismiss" or {"text": "…"}',
    ),
    "what to answer if the page asks; without it a question is dismissed and the node fails",
)
_FINDING = {
    "selector": _SELECTOR,
    "nth": _NTH,
    "first": Field(
        check_flag_field, "if several fit, take the first; without it or nth they are refused"
    ),
    "optional": Field(check_flag_field, "do it if the element is there, and go on if it is not"),
    "timeout": Field(
        make_whole_number_field_check(1, 600_000), "ms until it must be there", default=10_000
    ),
    "visibleOnly": Field(check_flag_field, "only elements that can be seen", default=True),
    "inViewportOnly": Field(check_flag_field, "only elements on the visible part", default=False),
    "on_dialog": _ON_DIALOG,
}
_MODIFIER = make_choice_field_check("Control", "Shift", "Alt", "Meta", "ControlOrMeta")
_MODIFIERS = Field(make_list_field_check(_MODIFIER, least=0), "keys held down")
_PX = make_whole_number_field_check(-10_000, 10_000)
_POINT = Form(
    {
        "x": Field(_PX, "px to the right", required=True),
        "y": Field(_PX, "px down", required=True),
    }
)
_AT = Field(
    check_config_form(_POINT), "where in the element: px from its top left; without it its middle"
)


def _form(**fields: Field) -> Form:
    action = Field(check_text_field, "what to do", required=True, templates=False)
    return make_producing_form(Form({"action": action, **fields}, _EARLY))


def _add_rule(form: Form, rule: Rule) -> Form:
    return Form(form.fields, form.early, rule)


_FORMS: Mapping[str, Form] = {
    "navigate": _form(url=_URL, any_status=_ANY_STATUS, timeout=_LOADED),
    "click": _form(
        **_FINDING,
        button=Field(
            make_choice_field_check("left", "right", "middle"), "which button of the mouse"
        ),
        clicks=Field(make_whole_number_field_check(1, 3), "2 is a double click"),
        position=_AT,
        modifiers=_MODIFIERS,
    ),
    "hover": _form(**_FINDING, position=_AT),
    "type": _form(
        **_FINDING, text=Field(check_any_text_field, "replaces what is there", required=True)
    ),
    "select": _add_rule(
        _form(
            **_FINDING,
            value=Field(
                make_either_field_check(
                    check_any_text_field,
                    make_list_field_check(check_any_text_field),
                    otherwise="a value or a list of them",
                ),
                "the option's value, or several",
            ),
            label=Field(
                make_either_field_check(
                    check_text_field,
                    make_list_field_check(check_text_field),
                    otherwise="a text or a list of them",
                ),
                "the option's text, or several",
            ),
        ),
        require_exactly_one_field("value", "label"),
    ),
    "check": _form(**_FINDING),
    "uncheck": _form(**_FINDING),
    "upload": _form(
        # A page mostly hides its file field behind a button.
        **{
            **_FINDING,
            "visibleOnly": Field(check_flag_field, "only elements that can be seen", default=False),
        },
        file=Field(
            make_either_field_check(
                check_text_field,
                make_list_field_check(check_text_field),
                otherwise="a file name or a list of them",
            ),
            "a file that the run was given, or several",
            required=True,
        ),
    ),
    "set": _form(
        **_FINDING,
        value=Field(
            make_either_field_check(
                check_any_text_field,
                check_flag_field,
                check_number_field,
                otherwise="a text, a number, true or false",
            ),
            "what it is to show then: of a list, a date, a slider, a switch, any field",
            required=True,
        ),
    ),
    "drag": _add_rule(
        _form(
            **_FINDING,
            position=_AT,
            to=Field(check_selector, "the element to drop it on", within="selector"),
            toPosition=Field(check_config_form(_POINT), "where in that element"),
            by=Field(check_config_form(_POINT), "how far to drag it, in px"),
        ),
        require_exactly_one_field("to", "by"),
    ),
    "wait": _add_rule(
        _form(
            time=Field(make_whole_number_field_check(0, 600_000), "ms to wait"),
            selector=Field(check_selector, "an element to wait for", within="selector"),
            navigation=Field(
                make_constant_field_check(right=True), "wait until the page has loaded"
            ),
            timeout=Field(
                make_whole_number_field_check(1, 600_000),
                "ms until it must have come",
                default=30_000,
            ),
        ),
        require_exactly_one_field("time", "selector", "navigation"),
    ),
    "openNewTab": _form(
        url=Field(check_text_field, "the address; without it an empty tab", within="address"),
        any_status=_ANY_STATUS,
        timeout=_LOADED,
        name=Field(check_text_field, "the name of the tab", required=True),
    ),
    "switchTab": _form(tabName=Field(check_text_field, "the tab to work on", required=True)),
    "closeTab": _form(tabName=Field(check_text_field, "the tab; without it the active one")),
    "back": _form(),
    "forward": _form(),
    "refresh": _form(),
    "screenshot": _form(
        path=Field(check_text_field, "a file name for it"),
        fullPage=Field(check_flag_field, "the whole page", default=False),
        selector=Field(check_selector, "only this element", within="selector"),
    ),
    "listTabs": _form(),
    "getCurrentTab": _form(),
    "keypress": _add_rule(
        _form(
            **{
                **_FINDING,
                "selector": Field(
                    check_selector,
                    "the element that gets the keys: it is focused first",
                    within="selector",
                ),
            },
            page=Field(
                make_constant_field_check(right=True),
                "the keys go to the page, whatever has its focus",
            ),
            key=Field(check_text_field, "the key, such as Enter", required=True),
            modifiers=_MODIFIERS,
        ),
        require_exactly_one_field("selector", "page"),
    ),
    "scrollIntoView": _form(
        **_FINDING,
        container=Field(check_selector, "what scrolls; without it the page", within="selector"),
        direction=Field(make_choice_field_check("down", "up"), "where to look", default="down"),
        maxTries=Field(make_whole_number_field_check(1, 30), "how often to scroll", default=30),
    ),
    "scrollToRow": _form(
        rowIndex=Field(make_whole_number_field_check(), "the row, counted from 0", required=True),
        rowHeight=Field(make_whole_number_field_check(1, 10_000), "px of one row"),
        container=Field(check_selector, "what scrolls; without it the page", within="selector"),
    ),
    "loadProfile": _form(
        profileName=Field(check_text_field, "a login that was kept", required=True)
    ),
    "extractPdf": _form(
        source=Field(check_text_field, "an address, or a file that was downloaded", required=True),
        pages=Field(check_text_field, "which pages, such as 1-3; without it all"),
    ),
}
_READS = ("screenshot", "listTabs", "getCurrentTab", "extractPdf")
_ONCE = ("click", "keypress", "drag", "back", "forward")


def _effect(action: str) -> Effect:
    if action in _READS:
        return "read"
    return "once" if action in _ONCE else "idempotent"


def _line(config: Config) -> str:
    names = ("url", "selector", "name", "tabName", "key", "time", "rowIndex", "profileName")
    found = next((config[name] for name in names if config.get(name) is not None), None)
    return f"{config.get('action')}" + ("" if found is None else f" {found}")


KIND = NodeKind(
    type="browser_action",
    says="does one thing in the browser",
    forms=_FORMS,
    effects={action: _effect(action) for action in _FORMS},
    line=_line,
    by="action",
    early={
        "act": "name the action itself: click, type, keypress …",
        "press": "it is called keypress",
        "goto": "it is called navigate",
        "fill": "it is called type",
        "scroll": "it is called scrollIntoView or scrollToRow",
        "openTab": "it is called openNewTab",
    },
)
