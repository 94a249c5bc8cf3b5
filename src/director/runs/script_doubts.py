"""What an exported script doubts: counts, equal values, limits, promises held before."""

from __future__ import annotations

from collections.abc import Iterator

from director.browser.row_positions import drop_picks, widen_positions
from director.runs.held_before import OF_THE_NODE
from director.runs.script_actions import write_conditions
from director.runs.script_names import Names
from director.workflow.doubt_checks import is_doubt_check_by_model
from director.workflow.values import Config, Json, Node


def note_rows(node: Node, names: Names, same: str) -> Iterator[str]:
    """The line that remembers what a node read and what the page says of it.

    `same` names the node that reads the same of a list into records of one type.
    """
    config = node.config
    given = {
        "fields": names.selector(config["fields"], "selectors") if config.get("fields") else "",
        "limit": names.value(config["limit"]) if config.get("limit") is not None else "",
        "visible": "False" if config.get("visibleOnly") is False else "",
        "wide": repr(wide) if (wide := _widen(config["selector"])) else "",
        "unpicked": repr(rest) if (rest := _drop_picks(config["selector"])) else "",
        "whole": "True" if config["method"] == "extract_all" else "",
        "checks": repr([dict(each) for each in node.checks]) if node.checks else "",
        "makes": "True" if config.get("create_records") is not None else "",
        "same": repr(same) if same != node.alias else "",
    }
    more = "".join(f", {name}={said}" for name, said in given.items() if said)
    yield f"note_rows(page, {node.alias!r}, {names.selector(config['selector'])}, found{more})"


def _widen(selector: Json) -> str:
    """The selector without what skips rows by their place; of one with a template nothing."""
    return "" if "{{" in str(selector) else widen_positions(selector)


def _drop_picks(selector: Json) -> str:
    return "" if "{{" in str(selector) else drop_picks(selector)


def write_loop_limit_doubt(node: Node, items: str, limit: str) -> Iterator[str]:
    """The line that tells of a loop that leaves some, if its limit is a number and no input."""
    most = node.config.get("limit")
    if isinstance(most, int) and not any(check.get("dismissed") for check in _of_limit(node)):
        is_slice = items.endswith(f"[:{limit[2:]}]")
        whole = items.removesuffix(f"[:{limit[2:]}]") if is_slice else items.replace(limit, "")
        yield f"tell_left({node.alias!r}, {most}, len({whole}))"


def _of_limit(node: Node) -> list[Config]:
    return [
        check
        for check in node.checks
        if check.get("kind") == "limit" and not is_doubt_check_by_model(check)
    ]


def is_looked_at(node: Node) -> bool:
    """Whether what a node ensures could have held before it and then shows nothing of it."""
    kinds = {kind for each in node.ensures for kind in each}
    happens_once = node.type == "browser_action" and node.effect == "once" and not node.proof
    return happens_once and bool(kinds) and not kinds & {*OF_THE_NODE, "records"}


def write_look_before_doubt(node: Node, names: Names) -> Iterator[str]:
    """The line that looks whether what a node ensures holds already."""
    if is_looked_at(node):
        now = [{**each, "within": 0} for each in node.ensures]
        checks = [f"lambda: {each}" for each in write_conditions(now, names, since="0")]
        yield f"held = look_before(page, {', '.join(checks)})"
