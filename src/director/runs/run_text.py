"""Runs, steps and conditions in the words in which people read them, a line each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from director.runs.branch_choices import BranchChoice
from director.runs.row_comparison import RowComparison, list_row_comparisons
from director.store.run_variables import is_draft_run_id
from director.workflow.display import render_value
from director.workflow.doubt_checks import is_doubt_check_by_model
from director.workflow.sensitive import mask_sensitive
from director.workflow.types import KINDS
from director.workflow.values import Config, Json, Node

if TYPE_CHECKING:
    from director.runs.values import Run

_OF_CHECKS = ("heading", "counter", "tolerance", "share")
_PIECE = re.compile(r"([^.\[(]+)((?:\[[^\]]*\]|\([^)]*\))*)(?:\.|$)")
_BOUNDS = {"equals": "=", "at_least": "at least", "at_most": "at most"}
_COUNTED = {"count": "count of", "records": "records", "download": "download"}
_LOOKING = ("browser_action", "browser_query")
_WAYS = ("test_id", "label", "text", "css", "path")


def write_selector_text(selector: Json) -> str:
    """What finds an element: its CSS, or the first words of a bundle."""
    if not isinstance(selector, Mapping):
        return str(selector)
    role, name = selector.get("role"), selector.get("name")
    if role or name:
        return f"{role or 'element'} {json.dumps(name, ensure_ascii=False) if name else ''}".strip()
    way = next((way for way in _WAYS if selector.get(way)), None)
    return f"{way} {selector[way]}" if way else "element"


def write_node_text(node: Node, longest: int = 200) -> str:
    """What a node does, from its config, in one line."""
    config = node.config
    if node.type in _LOOKING and config.get("selector") is not None:
        act = config.get("action") or config.get("method")
        said = f"{act} {write_selector_text(config['selector'])}"
        if "text" in config:
            said += f" ← {render_value('text', config['text'])}"
    else:
        said = KINDS[node.type].line(config)
    line = " ".join(f"{'' if node.type in _LOOKING else node.type} {said}".split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def write_condition_text(condition: Config) -> str:
    """A condition in one line."""
    if "said" in condition:
        return f"a person said: {condition['said']}"
    for kind in ("url", "url_matches"):
        if kind in condition:
            return f"{kind.replace('_', ' ')} {condition[kind]}"
    bounds = [f"{word} {condition[key]}" for key, word in _BOUNDS.items() if key in condition]
    for kind, word in _COUNTED.items():
        if kind in condition:
            return f"{word} {write_selector_text(condition[kind])} {' and '.join(bounds)}".rstrip()
    if "status" in condition:
        is_ = f"is {condition['is']}" if "is" in condition else f"below {condition.get('below')}"
        return f"status of {condition['status']} {is_}"
    if "element" in condition:
        return _element(condition)
    return json.dumps(condition, ensure_ascii=False)


def _element(condition: Config) -> str:
    told = f"element {write_selector_text(condition['element'])}"
    if condition.get("absent"):
        return f"no {told}"
    for key in ("text", "value"):
        if key in condition:
            told += f" with {key} {json.dumps(condition[key], ensure_ascii=False)}"
    return told


def write_evidence_text(evidence: Config) -> str:
    """What was found for a condition."""
    if "condition" not in evidence:
        return write_condition_text(evidence)
    condition = evidence["condition"]
    told = write_condition_text(condition) if isinstance(condition, Mapping) else str(condition)
    if evidence.get("holds"):
        return f"{told} (held before as well)" if evidence.get("before") else told
    found = render_value("found", evidence.get("found"))
    return f"{told}; found {found} on {evidence.get('at_url')}"


def write_key_text(key: str, nodes: Iterable[Node]) -> str:
    """Where a step is: aliases from the outside in, with the item or the part between."""
    aliases = {node.id: node.alias for node in nodes}
    pieces = [(*name.partition("~"), inside) for name, inside in _PIECE.findall(key)]
    told = [f"{aliases.get(id_, id_)}{sign}{nth}{inside}" for id_, sign, nth, inside in pieces]
    return " › ".join(told) or key


def get_step_depth(key: str) -> int:
    """How many nodes a step is inside of."""
    return max(0, len(_PIECE.findall(key)) - 1)


def write_seconds_text(seconds: float) -> str:
    """A length of time, as short as it may be said."""
    if seconds < 9.95:
        return f"{seconds:.2f} s" if seconds < 1 else f"{seconds:.1f} s"
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds // 60:.0f} min {seconds % 60:02.0f} s"


def write_time_text(at: float) -> str:
    """A moment in the time of this machine."""
    return datetime.fromtimestamp(at).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def write_age_text(seconds: float) -> str:
    """How long ago something was, roughly."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    if seconds < 48 * 3600:
        return f"{seconds / 3600:.0f} h"
    return f"{seconds / 86400:.0f} days"


def write_comparison_text(compared: RowComparison) -> str:
    """What a node read beside what it read in an earlier run, in one line."""
    is_test = is_draft_run_id(compared.run)
    before = "its test" if is_test else f"run {compared.run}"
    since = f"(since {before}, {write_age_text(compared.earlier)} earlier)"
    what = "counted" if compared.only_counts else "rows"
    told = f"{compared.alias}: {compared.before} → {compared.now} {what}"
    if compared.only_counts:
        return f"{told} {since}"
    if not (compared.gone or compared.new or compared.changed):
        return f"{told}: the same {since}"
    counts = f"{compared.gone} gone, {compared.new} new"
    if compared.key:
        counts += f", {compared.changed} changed"
    more = ", …" if compared.gone > len(compared.names) else ""
    gone = f"; gone: {', '.join(compared.names)}{more}" if compared.names else ""
    return f"{told}: {counts} {since}{gone}"


def write_comparison_run_lines(run: Run) -> list[str]:
    """What a run that passed read beside the last one with the same inputs, a line each."""
    return [write_comparison_text(each) for each in list_row_comparisons(run.summary)]


def write_branch_text(choices: Sequence[BranchChoice], most: int = 10) -> str:
    """The branches that the items of a loop took at one route, in one line."""
    told = []
    for each in choices:
        more = f", … {each.count - most} more" if each.count > most else ""
        told.append(f"{each.branch} {each.count} ({', '.join(each.names[:most])}{more})")
    total = sum(each.count for each in choices)
    return f"{choices[0].alias}, {total} {'item' if total == 1 else 'items'}: {'; '.join(told)}"


def write_branch_run_lines(choices: Iterable[BranchChoice], most: int = 10) -> list[str]:
    """Which items took which branch, a line for each route in a loop."""
    routes: dict[str, list[BranchChoice]] = {}
    for each in choices:
        routes.setdefault(each.node, []).append(each)
    return [write_branch_text(each, most) for each in routes.values()]


def write_check_text(check: Config) -> str:
    """A check of a node in one line."""
    told = f"{check.get('kind')} {check.get('field') or ''}".strip()
    more = [f"{name} {check[name]}" for name in _OF_CHECKS if name in check]
    if check.get("dismissed"):
        by = " by Director's model, not confirmed" if is_doubt_check_by_model(check) else ""
        more.append(f"dismissed{by}: {check.get('because') or 'it is right as it is'}")
    return f"{told} ({', '.join(more)})" if more else told


def write_doubts_text(count: int) -> str:
    """How many doubts there are."""
    return "1 doubt" if count == 1 else f"{count} doubts"


def write_state_text(run: Run) -> str:
    """How a run ended, and how many doubts there are about it."""
    return f"{run.state}, with {write_doubts_text(len(run.doubts))}" if run.doubts else run.state


def dismissal_of(doubt: Config) -> dict[str, Json]:
    """The check that dismisses a doubt for good; its author adds why."""
    evidence = doubt.get("evidence")
    name = evidence.get("field") if isinstance(evidence, Mapping) else None
    return {"kind": doubt["kind"], **({"field": name} if name else {}), "dismissed": True}


def write_config_text(config: Config) -> str:
    """A config as JSON, without what is sensitive."""
    return json.dumps(mask_sensitive(config), ensure_ascii=False, indent=2)
