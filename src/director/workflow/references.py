"""References from a config to other nodes: people write aliases and positions, ids are kept.

A kept reference names its nodes whatever is inserted, moved or renamed; it never names a place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from director.workflow.paths import is_list
from director.workflow.selection import place_of, places
from director.workflow.types import KINDS
from director.workflow.values import Config, Json, Node, Workflow, WorkflowError

Change: TypeAlias = Callable[[Json], Json]


@dataclass(frozen=True, slots=True)
class Part:
    """The nodes that belong to another: its body, a branch, what it tries, its group."""

    owner: str
    name: str
    nodes: tuple[str, ...]


def changed(type_: str, config: Config, change: Change) -> dict[str, Json]:
    """The config with each of its references changed."""
    found = dict(config)
    for name in KINDS[type_].references:
        if name == "branches":
            found[name] = [_branch(branch, change) for branch in _listed(config.get(name))]
        elif config.get(name) is not None:
            found[name] = change(config[name])
    return found


def _branch(branch: Json, change: Change) -> Json:
    if not isinstance(branch, Mapping):
        return branch
    return {**branch, "branch": change(branch.get("branch"))}


def _listed(value: Json) -> Sequence[Json]:
    return value if is_list(value) else []


def with_ids(type_: str, config: Config, nodes: Sequence[Node]) -> dict[str, Json]:
    """A config as it is kept: every reference a list of ids."""
    ends = config.get("nodeRange")
    # The two numbers of a group are the ends of its range, not two nodes.
    if type_ == "group" and is_list(ends) and [type(end) for end in ends] == [int, int]:
        config = {**config, "nodeRange": f"{ends[0]}-{ends[1]}"}
    return changed(type_, config, lambda written: list(ids_of(written, nodes)))


def with_aliases(node: Node, nodes: Sequence[Node]) -> dict[str, Json]:
    """A config as people see it: aliases, or `first..last` where the nodes follow each other."""
    return changed(node.type, node.config, lambda kept: _as_aliases(kept, nodes))


def ids_of(written: Json, nodes: Sequence[Node]) -> tuple[str, ...]:
    """The ids that a reference means, each once, in the order of the workflow."""
    found: set[int] = set()
    for part in written if is_list(written) else [written]:
        if isinstance(part, bool) or not isinstance(part, str | int):
            raise WorkflowError(
                f"{part!r} names no node: write an alias, a position, a list of them or a range."
            )
        if isinstance(part, int):
            found.add(place_of(part, nodes))
            continue
        for piece in part.split(","):
            found.update(places(piece.strip(), nodes))
    return tuple(nodes[place].id for place in sorted(found))


def in_order(workflow: Workflow) -> Workflow:
    """The workflow with every reference in its order, as after a move."""
    place = {node.id: number for number, node in enumerate(workflow.nodes)}

    def change(kept: Json) -> Json:
        return sorted(map(str, _listed(kept)), key=lambda id_: place.get(id_, 0))

    nodes = (replace(n, config=changed(n.type, n.config, change)) for n in workflow.nodes)
    return replace(workflow, nodes=tuple(nodes))


def _as_aliases(kept: Json, nodes: Sequence[Node]) -> Json:
    at = [place_of(str(id_), nodes) for id_ in _listed(kept)]
    aliases = [nodes[place].alias for place in at]
    if len(at) == 1:
        return aliases[0]
    if len(at) > 2 and at == list(range(at[0], at[0] + len(at))):
        return f"{aliases[0]}..{aliases[-1]}"
    return list(aliases)


def parts_of(node: Node) -> Iterator[Part]:
    """What belongs to a node, by the ids that it keeps."""
    for name in KINDS[node.type].references:
        if name != "branches":
            if ids := tuple(str(id_) for id_ in _listed(node.config.get(name))):
                yield Part(node.id, name, ids)
            continue
        for branch in _listed(node.config.get(name)):
            if isinstance(branch, Mapping) and (ids := tuple(map(str, _listed(branch["branch"])))):
                yield Part(node.id, str(branch["name"]), ids)


def nested(workflow: Workflow) -> dict[str, tuple[Part, ...]]:
    """For each node that belongs to others: to which, and as what. All others are at the top."""
    found: dict[str, tuple[Part, ...]] = {}
    for node in workflow.nodes:
        for part in parts_of(node):
            for id_ in part.nodes:
                found[id_] = (*found.get(id_, ()), part)
    return found


def direct(workflow: Workflow, ids: Sequence[str]) -> tuple[str, ...]:
    """Those of some nodes that run by themselves: the others belong to one among them.

    A body `a..e` names also what is inside a branch of `c`; only `c` decides whether that runs.
    """
    among = set(ids)
    inside = nested(workflow)
    return tuple(id_ for id_ in ids if all(part.owner not in among for part in inside.get(id_, ())))


def referring(workflow: Workflow, id_: str) -> tuple[Node, ...]:
    """The nodes that refer to a node."""
    owners = {part.owner for part in nested(workflow).get(id_, ())}
    return tuple(node for node in workflow.nodes if node.id in owners)


def check_cycles(workflow: Workflow) -> None:
    """No node may belong to itself, whatever the way round."""
    inside = {n.id: [id_ for p in parts_of(n) for id_ in p.nodes] for n in workflow.nodes}
    aliases = {node.id: node.alias for node in workflow.nodes}
    done: set[str] = set()
    for start, contents in inside.items():
        way: list[tuple[str, Iterator[str]]] = [(start, iter(contents))]
        while way:
            id_, rest = way[-1]
            following = next(rest, None)
            if following is None:
                done.add(id_)
                way.pop()
            elif following in [on for on, _ in way]:
                names = [aliases[on] for on, _ in way] + [aliases[following]]
                raise WorkflowError(
                    f"These nodes run one another without end: {' → '.join(names)}. "
                    f"Take {names[-1]!r} out of {names[-2]!r}."
                )
            elif following not in done:
                way.append((following, iter(inside.get(following, ()))))


def without(node: Node, gone: set[str]) -> Node:
    """The node with some nodes taken out of its references."""
    left = changed(
        node.type, node.config, lambda kept: [id_ for id_ in _listed(kept) if id_ not in gone]
    )
    return replace(node, config=left)


def joined(node: Node, before: str, new: Sequence[str], after: str) -> Node:
    """The node with new ones in each part in which their neighbours follow each other."""

    def change(kept: Json) -> Json:
        ids = [str(id_) for id_ in _listed(kept)]
        for place in range(1, len(ids)):
            if ids[place - 1 : place + 1] == [before, after]:
                return [*ids[:place], *new, *ids[place:]]
        return list(ids)

    return replace(node, config=changed(node.type, node.config, change))
