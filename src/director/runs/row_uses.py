"""What becomes of the rows that a node reads, as its workflow says: records, or a decision only.

Pure functions over nodes. A use is a template that names the node; what is stored under other
names is not followed, and counts as no decision.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from director.workflow.paths import is_list
from director.workflow.values import Json, Node

_KEEPS = ("create_records", "store_to_record")
# A text in code; not the name of a field, as in row["name"].
_QUOTED = re.compile(r"""(?<!\[)['"]([^'"\\\n]{3,})['"]""")


def list_decision_words(node: Node, nodes: Mapping[str, Node]) -> tuple[str, ...]:
    """The quoted texts by which a branch is chosen, if what a node gives leads to nothing else.

    It makes no records, and each node that uses it is a route, or a transform of which the same
    holds. What no node uses is a result itself, and has none.
    """
    chain = _follow_decision(node, nodes, frozenset({node.id}))
    written = [str(each.config.get("code") or json.dumps(_list_conditions(each))) for each in chain]
    return tuple(text for code in written for text in _QUOTED.findall(code))


def _list_conditions(route: Node) -> list[Json]:
    branches = route.config.get("branches")
    told = branches if is_list(branches) else ()
    return [each.get("condition") for each in told if isinstance(each, Mapping)]


def find_record_key(node: Node, nodes: Mapping[str, Node]) -> str:
    """The key of the records that another node makes of these rows, if one does."""
    found = set()
    for each in _list_users(node, nodes):
        wanted = each.config.get("create_records")
        if isinstance(wanted, Mapping) and wanted.get("key"):
            found.add(str(wanted["key"]))
    return found.pop() if len(found) == 1 else ""


def _follow_decision(
    node: Node, nodes: Mapping[str, Node], seen: frozenset[str]
) -> tuple[Node, ...]:
    """The nodes from here to the routes that it leads to; none if it leads anywhere else."""
    if any(node.config.get(name) for name in _KEEPS):
        return ()
    found: list[Node] = []
    for each in _list_users(node, nodes):
        if each.type == "route":
            found.append(each)
            continue
        is_new = each.type == "transform" and each.id not in seen
        further = _follow_decision(each, nodes, seen | {each.id}) if is_new else ()
        if not further:
            return ()
        found += [each, *further]
    return tuple(found)


def _list_users(node: Node, nodes: Mapping[str, Node]) -> list[Node]:
    """The other nodes whose config names this one."""
    named = re.compile(r"\{\{\s*" + re.escape(node.alias) + r"(?![\w-])")
    others = [each for each in nodes.values() if each.id != node.id]
    return [each for each in others if named.search(json.dumps(each.config, default=dict))]
