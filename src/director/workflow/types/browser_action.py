"""browser_action: one thing done in the browser, on the active tab."""

from __future__ import annotations

from collections.abc import Mapping

from director.workflow.config_fields import (
    Field,
    Form,
    Rule,
    any_text,
    check_form,
    choice,
    either,
    exactly_one_of,
    flag,
    list_of,
    number,
    only,
    text,
    whole,
)
from director.workflow.selectors import selector
from director.workflow.types.type_definition import NodeKind, producing
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
    selector, "what to find: a CSS selector or a bundle", within="selector", required=True
)
_URL = Field(text, "the address; values of parameters are encoded", required=True, within="address")
_ANY_STATUS = Field(flag, "true if a page that is an error, 400 or above, is what is meant")
_LOADED = Field(whole(1, 600_000), "ms until the page must have loaded", default=30_000)
_NTH = Field(
    either(
        whole(-10_000, 10_000),
        choice("first", "last"),
        otherwise="a whole number (0 is the first, -1 the last), first or last",
    ),
    "which of several: 0 is the first, -1 the last",
)
_DIALOG = Form({"text": Field(any_text, "accept a prompt with this text", required=True)})
_ON_DIALOG = Field(
    either(
        choice("accept", "dismiss"),
        check_form(_DIALOG),
        otherwise='"accept", "dismiss" or {"text": "…"}',
    ),
    "what to answer if the page asks; without it a question is dismissed and the node fails",
)
_FINDING = {
    "selector": _SELECTOR,
    "nth": _NTH,
    "first": Field(flag, "if several fit, take the first; without it or nth they are refused"),
    "optional": Field(flag, "do it if the element is there, and go on if it is not"),
    "timeout": Field(whole(1, 600_000), "ms until it must be there", default=10_000),
    "visibleOnly": Field(flag, "only elements that can be seen", default=True),
    "inViewportOnly": Field(flag, "only elements on the visible part", default=False),
    "on_dialog": _ON_DIALOG,
}
_MODIFIER = choice("Control", "Shift", "Alt", "Meta", "ControlOrMeta")
_MODIFIERS = Field(list_of(_MODIFIER, least=0), "keys held down")
_PX = whole(-10_000, 10_000)
_POINT = Form(
    {
        "x": Field(_PX, "px to the right", required=True),
        "y": Field(_PX, "px down", required=True),
    }
)
_AT = Field(check_form(_POINT), "where in the element: px from its top left; without it its middle")


def _form(**fields: Field) -> Form:
    action = Field(text, "what to do", required=True, templates=False)
    return producing(Form({"action": action, **fields}, _EARLY))


def _add_rule(form: Form, rule: Rule) -> Form:
    return Form(form.fields, form.early, rule)


_FORMS: Mapping[str, Form] = {
    "navigate": _form(url=_URL, any_status=_ANY_STATUS, timeout=_LOADED),
    "click": _form(
        **_FINDING,
        button=Field(choice("left", "right", "middle"), "which button of the mouse"),
        clicks=Field(whole(1, 3), "2 is a double click"),
        position=_AT,
        modifiers=_MODIFIERS,
    ),
    "hover": _form(**_FINDING, position=_AT),
    "type": _form(**_FINDING, text=Field(any_text, "replaces what is there", required=True)),
    "select": _add_rule(
        _form(
            **_FINDING,
            value=Field(
                either(any_text, list_of(any_text), otherwise="a value or a list of them"),
                "the option's value, or several",
            ),
            label=Field(
                either(text, list_of(text), otherwise="a text or a list of them"),
                "the option's text, or several",
            ),
        ),
        exactly_one_of("value", "label"),
    ),
    "check": _form(**_FINDING),
    "uncheck": _form(**_FINDING),
    "upload": _form(
        # A page mostly hides its file field behind a button.
        **{**_FINDING, "visibleOnly": Field(flag, "only elements that can be seen", default=False)},
        file=Field(
            either(text, list_of(text), otherwise="a file name or a list of them"),
            "a file that the run was given, or several",
            required=True,
        ),
    ),
    "set": _form(
        **_FINDING,
        value=Field(
            either(any_text, flag, number, otherwise="a text, a number, true or false"),
            "what it is to show then: of a list, a date, a slider, a switch, any field",
            required=True,
        ),
    ),
    "drag": _add_rule(
        _form(
            **_FINDING,
            position=_AT,
            to=Field(selector, "the element to drop it on", within="selector"),
            toPosition=Field(check_form(_POINT), "where in that element"),
            by=Field(check_form(_POINT), "how far to drag it, in px"),
        ),
        exactly_one_of("to", "by"),
    ),
    "wait": _add_rule(
        _form(
            time=Field(whole(0, 600_000), "ms to wait"),
            selector=Field(selector, "an element to wait for", within="selector"),
            navigation=Field(only(right=True), "wait until the page has loaded"),
            timeout=Field(whole(1, 600_000), "ms until it must have come", default=30_000),
        ),
        exactly_one_of("time", "selector", "navigation"),
    ),
    "openNewTab": _form(
        url=Field(text, "the address; without it an empty tab", within="address"),
        any_status=_ANY_STATUS,
        timeout=_LOADED,
        name=Field(text, "the name of the tab", required=True),
    ),
    "switchTab": _form(tabName=Field(text, "the tab to work on", required=True)),
    "closeTab": _form(tabName=Field(text, "the tab; without it the active one")),
    "back": _form(),
    "forward": _form(),
    "refresh": _form(),
    "screenshot": _form(
        path=Field(text, "a file name for it"),
        fullPage=Field(flag, "the whole page", default=False),
        selector=Field(selector, "only this element", within="selector"),
    ),
    "listTabs": _form(),
    "getCurrentTab": _form(),
    "keypress": _add_rule(
        _form(
            **{
                **_FINDING,
                "selector": Field(
                    selector,
                    "the element that gets the keys: it is focused first",
                    within="selector",
                ),
            },
            page=Field(only(right=True), "the keys go to the page, whatever has its focus"),
            key=Field(text, "the key, such as Enter", required=True),
            modifiers=_MODIFIERS,
        ),
        exactly_one_of("selector", "page"),
    ),
    "scrollIntoView": _form(
        **_FINDING,
        container=Field(selector, "what scrolls; without it the page", within="selector"),
        direction=Field(choice("down", "up"), "where to look", default="down"),
        maxTries=Field(whole(1, 30), "how often to scroll", default=30),
    ),
    "scrollToRow": _form(
        rowIndex=Field(whole(), "the row, counted from 0", required=True),
        rowHeight=Field(whole(1, 10_000), "px of one row"),
        container=Field(selector, "what scrolls; without it the page", within="selector"),
    ),
    "loadProfile": _form(profileName=Field(text, "a login that was kept", required=True)),
    "extractPdf": _form(
        source=Field(text, "an address, or a file that was downloaded", required=True),
        pages=Field(text, "which pages, such as 1-3; without it all"),
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
