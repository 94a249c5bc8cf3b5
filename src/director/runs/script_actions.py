"""Actions, locators and conditions of a workflow as lines of a Playwright script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from director.runs.run_text import write_selector_text
from director.runs.script_names import Names, write_comment
from director.workflow.paths import is_list
from director.workflow.values import Config, Json, Node

_MORE = {"ignore_case": "ignore_case", "text": "text", "value": "value", "equals": "equals",
         "at_least": "at_least", "at_most": "at_most", "is": "exactly", "below": "below",
         "absent": "absent"}  # fmt: skip
_SINCE = {"status": "since", "download": "before"}
_PLAIN = ("click", "hover", "check", "uncheck")
_PAGE = {
    "back": "page.go_back()",
    "forward": "page.go_forward()",
    "refresh": "page.reload()",
    "listTabs": "pass",
    "getCurrentTab": "pass",
}


def has_bundle(node: Node) -> bool:
    """Whether a node names an element by a bundle, anywhere in it."""
    named = [node.config.get(key) for key in ("selector", "to", "container", "next", "total")]
    rules = node.config.get("rules")
    named += [r.get("selector") for r in rules if isinstance(r, Mapping)] if is_list(rules) else []
    named += [
        condition.get(kind)
        for condition in (*node.requires, *node.ensures)
        for kind in ("element", "count")
    ]
    return any(isinstance(each, Mapping) for each in named)


def _one(config: Config, names: Names, field: str = "selector") -> str:
    """The one element that an action means; Failed if several fit and none is chosen."""
    parts = ["page", names.selector(config[field])]
    if config.get("visibleOnly", config.get("action") != "upload") is False:
        parts.append("visible=False")
    if field == "selector" and config.get("nth") is not None:
        parts.append(f"nth={names.value(config['nth'])}")
    parts += [f"{name}=True" for name in ("first", "optional") if config.get(name) is True]
    if config.get("timeout") is not None:
        parts.append(f"timeout={names.value(config['timeout'])}")
    return f"one({', '.join(parts)})"


def _call(config: Config, names: Names, method: str, *given: str) -> str:
    """What is done to the one element, within its own time if the config names one."""
    within = config.get("timeout")
    parts = [*given, *([f"timeout={names.value(within)}"] if within is not None else [])]
    return f"{_one(config, names)}.{method}({', '.join(parts)})"


def write_action(config: Config, names: Names) -> Iterator[str]:
    """The lines of a browser_action."""
    what = str(config["action"])
    selector = config.get("selector")
    if isinstance(selector, Mapping) and len(selector) > 2:
        yield write_comment(write_selector_text(selector))
    yield f"answer({names.value(config.get('on_dialog'))})"
    if config.get("optional") is True:
        yield f"if {_one(config, names)}:"
        yield from (f"    {line}" for line in _lines(what, config, names))
    else:
        yield from _lines(what, config, names)
    if what in (*_PLAIN, "drag"):
        yield "check_dialogs()"


def _lines(what: str, config: Config, names: Names) -> Iterator[str]:
    if what in _PLAIN:
        yield _call(config, names, what, *_mouse(config, names))
    elif what in _PAGE:
        yield _PAGE[what]
    else:
        yield from _other(what, config, names)


def _mouse(config: Config, names: Names) -> Iterator[str]:
    """How the mouse is used, if not as always."""
    words = {"button": "button", "clicks": "click_count", "position": "position"}
    words["modifiers"] = "modifiers"
    for name, word in words.items():
        if config.get(name) is not None:
            yield f"{word}={names.value(config[name])}"


def _other(what: str, config: Config, names: Names) -> Iterator[str]:  # noqa: C901, PLR0912  one line for each action
    value = names.value
    if what == "navigate":
        yield f"go_to(page, {names.address(config['url'])}{_opening(config, names)})"
    elif what == "type":
        said = _as_text(value(config["text"]), config["text"])
        hidden = ", hidden=True" if "secret(" in said else ""
        yield f"enter(page, {_one(config, names)}, {said}{hidden})"
    elif what == "select":
        by = "value" if config.get("value") is not None else "label"
        yield _call(config, names, "select_option", f"{by}={value(config[by])}")
    elif what == "upload":
        yield f"upload(page, {_one(config, names)}, {value(config['file'])})"
    elif what == "set":
        yield f"set_value(page, {_one(config, names)}, {value(config['value'])})"
    elif what == "drag":
        yield _drag(config, names)
    elif what == "wait":
        yield _wait(config, names)
    elif what == "openNewTab":
        url = f"{names.address(config.get('url'))}{_opening(config, names)}"
        yield f"page = open_tab(page, tabs, {value(config['name'])}, {url})"
    elif what == "switchTab":
        yield f"page = switch_tab(page, tabs, {value(_tab(config['tabName']))})"
    elif what == "closeTab":
        yield f"page = close_tab(page, tabs, {value(_tab(config.get('tabName')))})"
    elif what == "screenshot":
        path = value(config.get("path") or "screenshot.png")
        yield f"page.screenshot(path={path}, full_page={config.get('fullPage') is True})"
    elif what == "keypress":
        modifiers = config.get("modifiers")
        held = [str(each) for each in modifiers] if isinstance(modifiers, list | tuple) else []
        on = f", {_one(config, names)}" if config.get("selector") is not None else ""
        yield f"press(page, {value('+'.join([*held, str(config['key'])]))}{on})"
    elif what == "scrollIntoView":
        yield f"{_one(config, names)}.scroll_into_view_if_needed()"
    else:
        why = f"{what} is not part of a script: it needs Director"
        yield f"raise Failed({why!r})"


def _opening(config: Config, names: Names) -> str:
    """How a page is opened, if not as always."""
    raw = ", any_status=True" if config.get("any_status") else ""
    within = config.get("timeout")
    return f"{raw}, timeout={names.value(within)}" if within is not None else raw


def _drag(config: Config, names: Names) -> str:
    source = _one(config, names)
    given = {"source_position": config.get("position"), "target_position": config.get("toPosition")}
    if config.get("to") is None:
        return f"drag_by(page, {source}, {names.value(config['by'])})"
    more = [f"{name}={names.value(at)}" for name, at in given.items() if at is not None]
    return f"{source}.drag_to({', '.join([_one(config, names, 'to'), *more])})"


def _wait(config: Config, names: Names) -> str:
    if config.get("time") is not None:
        return f"page.wait_for_timeout({names.value(config['time'])})"
    timeout = names.value(config.get("timeout") or 30_000)
    if config.get("selector") is not None:
        return f"check(page, element={names.selector(config['selector'])}, within={timeout})"
    return f"page.wait_for_load_state('load', timeout={timeout})"


def _tab(name: Json) -> Json:
    return "main" if name in ("Main Tab", "main") else name


def _as_text(written: str, value: Json) -> str:
    whole = isinstance(value, str) and value.startswith("{{") and value.endswith("}}")
    return f"text({written})" if whole and not written.startswith(("secret(", "'")) else written


def _records(condition: Config, names: Names) -> str:
    """A line that asserts how many records there are."""
    bounds = ("equals", "at_least", "at_most")
    given = [f"{key}={names.value(condition[key])}" for key in bounds if key in condition]
    return f"check_records({', '.join([names.value(condition['records']), *given])})"


def write_conditions(all_: Sequence[Config], names: Names, *, since: str) -> Iterator[str]:
    """A line that asserts each condition."""
    for condition in all_:
        if "records" in condition:
            yield _records(condition, names)
            continue
        kinds = ("url", "url_matches", "element", "count", "status", "download")
        kind = next(k for k in kinds if k in condition)
        page = "page"
        if condition.get("tab") is not None:
            page = f"tabs[{names.value(_tab(condition['tab']))}]"
        is_css = kind in ("element", "count")
        asked = names.selector(condition[kind]) if is_css else names.value(condition[kind])
        parts = [page, f"{kind}={asked}"]
        parts += [f"{to}={names.value(condition[k])}" for k, to in _MORE.items() if k in condition]
        if kind in _SINCE:
            parts.append(f"since={since if since == '0' else _SINCE[kind]}")
        if condition.get("within") is not None:
            parts.append(f"within={names.value(condition['within'])}")
        yield f"check({', '.join(parts)})"
