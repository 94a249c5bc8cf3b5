"""What is to be said when a node is saved that sends a form once and could not show that it did.

Words only: nothing is refused. What a run sees of an effect is doubted by the run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from director.workflow.paths import is_list
from director.workflow.values import Config, Json, Node

_SENDS = ("click", "keypress")
_FILLS = ("type", "set", "select", "check", "uncheck", "upload")
# What is named so asks for something and enters nothing.
_SEARCHES = re.compile(
    r"(?<![^\W_])(?:search|find|filter|look up|suchen?|finden|filtern|buscar|rechercher|cerca)"
    r"(?![^\W_])",
    re.IGNORECASE,
)
_PLACE = "the page that lists the entries"


def hint_at_proof(node: Node, nodes: Sequence[Node]) -> Iterator[str]:
    """One sentence with an example, for a form without a proof, or one that others fit as well."""
    typed = _list_typed(node, nodes)
    if _SEARCHES.search(_write(node.config.get("selector"))):
        return
    if node.effect != "once" or node.config.get("action") not in _SENDS or not typed:
        return
    happened = node.proof.get("happened") if node.proof else ()
    told = [*node.ensures, *(happened if is_list(happened) else ())]
    values = [each for each in typed if "{{" in each] or typed
    if not told:
        proof: Config = {"url": _PLACE, "happened": [{"element": "tr", "text": values[0]}]}
        yield (
            f"{node.alias} sends a form once, and nothing would show that it was done, nor stop a "
            f"second entry. Give it a proof that only this entry fits: {_write({'proof': proof})}."
        )
        return
    said = json.dumps(told, ensure_ascii=False, default=dict)
    named = [each for each in values if each in said]
    others = [each for each in values if each not in said]
    if len(named) == 1 and others and all("element" in each for each in told):  # type: ignore[operator]
        right = {"element": f'tr:has-text("{named[0]}")', "text": others[0]}
        yield (
            f"{named[0]!r} alone may stand there before {node.alias}: another entry can have it. "
            f"Name a second value of this entry too: {_write(right)}."
        )


def _list_typed(node: Node, nodes: Sequence[Node]) -> list[str]:
    """The texts that the nodes right before one fill in; none if one of them is a secret."""
    at = next((place for place, each in enumerate(nodes) if each.id == node.id), 0)
    typed: list[str] = []
    for each in reversed(nodes[:at]):
        if each.type != "browser_action" or each.config.get("action") not in _FILLS:
            break
        given = [each.config.get(name) for name in ("text", "value", "label")]
        typed += [text for text in given if isinstance(text, str) and text]
    is_login = any("{{secret:" in text for text in typed)
    return [] if is_login else [*dict.fromkeys(reversed(typed))]


def _write(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, default=dict)
