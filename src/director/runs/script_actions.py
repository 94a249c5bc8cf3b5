"""Actions, locators and conditions of a workflow as lines of a Playwright script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from director.runs.script_names import Names, comment
from director.runs.telling import selector_text
from director.workflow.values import Config, Json

_MORE = {"text": "text", "value": "value", "equals": "equals", "at_least": "at_least",
         "at_most": "at_most", "is": "exactly", "below": "below", "absent": "absent"}  # fmt: skip
_SINCE = {"status": "since", "download": "before"}
_PLAIN = ("click", "hover", "check", "uncheck")
_PAGE = {
    "back": "page.go_back()",
    "forward": "page.go_forward()",
    "refresh": "page.reload()",
    "listTabs": "pass",
    "getCurrentTab": "pass",
}


def locator(selector: Json, names: Names, page: str = "page") -> str:
    """The best single locator for a selector."""
    if not isinstance(selector, Mapping):
        return _css(selector, names, page)
    if selector.get("role") and selector.get("name"):
        role, name = names.value(selector["role"]), names.value(selector["name"])
        return f"{page}.get_by_role({role}, name={name}, exact=True)"
    for key, method in (("test_id", "get_by_test_id"), ("label", "get_by_label")):
        if selector.get(key):
            return f"{page}.{method}({names.value(selector[key])})"
    for key in ("css", "path"):
        if selector.get(key):
            return _css(selector[key], names, page)
    if selector.get("text"):
        return f"{page}.get_by_text({names.value(selector['text'])}, exact=True)"
    return f"{page}.get_by_role({names.value(selector.get('role', 'generic'))})"


def _css(css: Json, names: Names, page: str) -> str:
    """Named as CSS, since Playwright would guess at what else a text may be."""
    return f"{page}.locator({names.value(f'css={css}')})"


def _one(config: Config, names: Names, field: str = "selector") -> str:
    """The one element that an action means: of several the first, or the nth."""
    found = locator(config[field], names)
    if config.get("visibleOnly", config.get("action") != "upload") is not False:
        found += ".filter(visible=True)"
    nth = config.get("nth") if field == "selector" else None
    if nth == "last":
        return f"{found}.last"
    return f"{found}.first" if nth in (None, "first", 0) else f"{found}.nth({names.value(nth)})"


def _call(config: Config, names: Names, method: str, *given: str) -> str:
    """What is done to the one element, within its own time if the config names one."""
    within = config.get("timeout")
    parts = [*given, *([f"timeout={names.value(within)}"] if within is not None else [])]
    return f"{_one(config, names)}.{method}({', '.join(parts)})"


def action(config: Config, names: Names) -> Iterator[str]:
    """The lines of a browser_action."""
    what = str(config["action"])
    selector = config.get("selector")
    if isinstance(selector, Mapping) and len(selector) > 2:
        others = ", ".join(key for key in selector if key not in ("role", "name"))
        yield comment(f"{selector_text(selector)}; Director also knows its {others}")
    if what in _PLAIN:
        yield _call(config, names, what)
    elif what in _PAGE:
        yield _PAGE[what]
    else:
        yield from _other(what, config, names)


def _other(what: str, config: Config, names: Names) -> Iterator[str]:  # noqa: C901, PLR0912  one line for each action
    value = names.value
    if what == "navigate":
        yield f"page.goto({value(config['url'])})"
    elif what == "type":
        yield _call(config, names, "fill", _as_text(value(config["text"]), config["text"]))
    elif what == "select":
        by = "value" if config.get("value") is not None else "label"
        yield _call(config, names, "select_option", f"{by}={value(config[by])}")
    elif what == "upload":
        yield _call(config, names, "set_input_files", value(config["file"]))
    elif what == "drag":
        yield _call(config, names, "drag_to", _one(config, names, "to"))
    elif what == "wait":
        yield _wait(config, names)
    elif what == "openNewTab":
        yield f"page = open_tab(page, tabs, {value(config['name'])}, {value(config.get('url'))})"
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
        yield f"page.keyboard.press({value('+'.join([*held, str(config['key'])]))})"
    elif what == "scrollIntoView":
        yield f"{_one(config, names)}.scroll_into_view_if_needed()"
    else:
        why = f"{what} is not part of a script: it needs Director"
        yield f"raise Failed({why!r})"


def _wait(config: Config, names: Names) -> str:
    if config.get("time") is not None:
        return f"page.wait_for_timeout({names.value(config['time'])})"
    timeout = names.value(config.get("timeout") or 30_000)
    if config.get("selector") is not None:
        return f"{_one(config, names)}.wait_for(timeout={timeout})"
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


def conditions(all_: Sequence[Config], names: Names, *, since: str) -> Iterator[str]:
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
        asked = (
            locator(condition[kind], names, page)
            if kind in ("element", "count")
            else names.value(condition[kind])
        )
        parts = [page, f"{kind}={asked}"]
        parts += [f"{to}={names.value(condition[k])}" for k, to in _MORE.items() if k in condition]
        if kind in _SINCE:
            parts.append(f"since={since if since == '0' else _SINCE[kind]}")
        if condition.get("within") is not None:
            parts.append(f"within={names.value(condition['within'])}")
        yield f"check({', '.join(parts)})"
