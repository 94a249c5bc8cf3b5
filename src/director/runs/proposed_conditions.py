"""Conditions and an effect that a node might carry, proposed from what was seen when it was tried.

Only what the journal of the step shows is proposed. Nothing is changed here: somebody accepts it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, cast

from director.runs.run_text import write_condition_text
from director.runs.values import Step
from director.workflow.paths import is_list
from director.workflow.types import get_node_effect
from director.workflow.values import Config, Effect, Json, Node, Workflow
from director.workflow.workflow_checks import check_workflow

Where: TypeAlias = Literal["requires", "ensures", "effect"]
# Asking again with any other method leaves the same state, by the rules of HTTP.
_ONCE = ("POST", "PATCH")
_LEADING = ("click", "keypress")
_GOOD = 400
_WORDS = ("name", "text", "label")
_DIGITS = re.compile(r"\d{2}")
_SHORT = 2
_NUMBER = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class NodeProposal:
    """A condition before or after the node, or its effect and why."""

    where: Where
    condition: Config

    def __str__(self) -> str:
        if self.where == "effect":
            return f"effect {self.condition['effect']} ({self.condition['why']})"
        return f"{self.where} {write_condition_text(self.condition)}"


def list_proposed_conditions(
    node: Node, step: Step, inputs: Mapping[str, Json] | None = None
) -> list[NodeProposal]:
    """What a tried node could promise, without what it promises already."""
    known = [*node.requires, *node.ensures]
    texts = {n: v for n, v in (inputs or {}).items() if isinstance(v, str) and len(v) > _SHORT}
    found = _propose_from_page(_Tried(node, step, texts)) if step.status == "success" else ()
    return [each for each in found if each.condition not in known]


def accept_proposals(workflow: Workflow, node: Node, wanted: Sequence[NodeProposal]) -> Workflow:
    """The workflow with proposals written into the node."""
    more = {
        where: tuple(each.condition for each in wanted if each.where == where)
        for where in ("requires", "ensures", "effect")
    }
    effect = more["effect"][-1]["effect"] if more["effect"] else node.effect
    changed = replace(
        node,
        effect=cast("Effect", effect),
        requires=(*node.requires, *more["requires"]),
        ensures=(*node.ensures, *more["ensures"]),
    )
    nodes = tuple(changed if each.id == node.id else each for each in workflow.nodes)
    return check_workflow(replace(workflow, nodes=nodes))


@dataclass(frozen=True, slots=True)
class _Tried:
    """A node and what came of it."""

    node: Node
    step: Step
    inputs: Mapping[str, str]

    @property
    def action(self) -> Json:
        return self.node.config.get("action")

    @property
    def has_moved(self) -> bool:
        """Whether another page was loaded."""
        return (self.step.before or {}).get("document") != (self.step.page or {}).get("document")

    def list_sent(self, *methods: str, below: int = 1000) -> list[str]:
        """The addresses it asked something of, with one of these methods and a good answer."""
        found = cast("Sequence[Config]", (self.step.seen or {}).get("sent") or ())
        return [
            str(each["url"])
            for each in found
            if (not methods or each["method"] in methods) and cast("int", each["status"]) < below
        ]

    def address(self, url: Json) -> str:
        """An address as the next run will find it: inputs are named, what is of this time is any.

        That is its query, and a part with a number in it that the node does not name itself.
        """
        if url == self.step.config.get("url"):
            return str(self.node.config["url"])
        path, asked, _ = str(url).partition("#")[0].partition("?")
        origin, slash, rest = path.partition("//")[2].partition("/")
        origin = f"{path.partition('//')[0]}//{origin}{slash}"
        for name, value in self.inputs.items():
            if "://" in value and path.startswith(value):
                origin, rest = f"{{{{{name}}}}}", path.removeprefix(value)
                break
        own = json.dumps(self.node.config)
        parts = [
            "*" if _NUMBER.search(each) and each not in own else each for each in rest.split("/")
        ]
        return origin + "/".join(parts) + ("*" if asked and parts[-1] != "*" else "")

    def is_of_this_test(self, bundle: Json) -> bool:
        """Whether an element is told by what only this test has: a number, an input, typed text."""
        words = [bundle.get(name) for name in _WORDS] if isinstance(bundle, Mapping) else []
        said = " ".join(each for each in words if isinstance(each, str) and "{{" not in each)
        typed = (self.step.observed or {}).get("typed")
        texts = [str(each) for each in typed if len(str(each)) > _SHORT] if is_list(typed) else []
        return bool(_DIGITS.search(said)) or any(
            text.casefold() in said.casefold() for text in (*self.inputs.values(), *texts)
        )

    def name_inputs(self, value: Json) -> Json:
        """A value with each text in it that is an input named as such."""
        if isinstance(value, Mapping):
            return {key: self.name_inputs(inner) for key, inner in value.items()}
        if is_list(value):
            return [self.name_inputs(inner) for inner in value]
        return next((f"{{{{{n}}}}}" for n, given in self.inputs.items() if given == value), value)


def _propose_from_page(tried: _Tried) -> Iterator[NodeProposal]:
    node, step = tried.node, tried.step
    result = step.result if isinstance(step.result, Mapping) else {}
    if node.type == "browser_query" and result.get("count") and "selector" in node.config:
        yield NodeProposal("ensures", {"count": node.config["selector"], "at_least": 1})
    if node.type == "browser_action" and step.page:
        yield from _before(tried)
        yield from _after(tried)
        yield from _effect(tried)


def _before(tried: _Tried) -> Iterator[NodeProposal]:
    """Where it was, and what it acted on."""
    config = tried.node.config
    url = str((tried.step.before or {}).get("url", ""))
    if "selector" not in config or not url.startswith("http"):
        return
    yield NodeProposal("requires", {"url": tried.address(url)})
    # What is not shown, such as the field behind an upload, cannot be required to be seen.
    if config.get("visibleOnly") is not False and tried.action != "upload":
        yield NodeProposal("requires", {"element": config["selector"]})


def _after(tried: _Tried) -> Iterator[NodeProposal]:
    """Where it led, how what it sent was answered, what is new on the page."""
    config, step = tried.node.config, tried.step
    after = (step.page or {}).get("url")
    if (step.before or {}).get("url") != after:
        yield NodeProposal("ensures", {"url": tried.address(after)})
    asked = [*tried.list_sent(*_ONCE, below=_GOOD), *([after] if tried.has_moved else [])]
    for url in dict.fromkeys(map(tried.address, asked)):
        yield NodeProposal("ensures", {"status": url, "below": _GOOD})
    if tried.action == "type":
        if (step.seen or {}).get("kept"):
            yield NodeProposal("ensures", {"element": config["selector"], "value": config["text"]})
        return
    for bundle in cast("Sequence[Json]", (step.seen or {}).get("appeared") or ()):
        if not tried.is_of_this_test(named := tried.name_inputs(bundle)):
            yield NodeProposal("ensures", {"element": named})


def _effect(tried: _Tried) -> Iterator[NodeProposal]:
    """What repeating it would do, unless its author has said so already."""
    node = tried.node
    if tried.step.seen is None or node.effect != get_node_effect(node.type, node.config):
        return
    changing = tried.list_sent(*_ONCE)
    if changing and node.effect != "once":
        yield NodeProposal(
            "effect", {"effect": "once", "why": f"it sent something to {changing[0]}"}
        )
    if tried.has_moved and tried.list_sent() and not changing and tried.action in _LEADING:
        why = "it only led to another page and sent nothing"
        yield NodeProposal("effect", {"effect": "idempotent", "why": why})


# Names of one release ago; they go with the next.
proposals = list_proposed_conditions
