"""References from a config to other nodes: people write aliases and positions, ids are kept.

A kept reference names its nodes whatever is inserted, moved or renamed; it never names a place. A
list runs in the order in which it is written, and what it names twice runs twice. A range names
the nodes from one to another, but not those that belong to one of them: only that one runs them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NoReturn, TypeAlias

from director.workflow.paths import is_list
from director.workflow.selection import find_selection_place, list_selection_places
from director.workflow.types import KINDS
from director.workflow.values import Config, Json, Node, Workflow, WorkflowError

Change: TypeAlias = Callable[[Json], Json]
_NOBODY: frozenset[str] = frozenset()
_MOST = 10_000  # times that nodes may be named
_SHOWN = 10


@dataclass(frozen=True, slots=True)
class ChildNodes:
    """The nodes that belong to another: its body, a branch, what it tries, its group."""

    owner: str
    name: str
    nodes: tuple[str, ...]


def change_references(type_: str, config: Config, change: Change) -> dict[str, Json]:
    """The config with each of its references changed."""
    found = dict(config)
    for name in KINDS[type_].references:
        if name == "branches":
            found[name] = [_branch(branch, change) for branch in _as_list(config.get(name))]
        elif config.get(name) is not None:
            found[name] = change(config[name])
    return found


def _branch(branch: Json, change: Change) -> Json:
    if not isinstance(branch, Mapping):
        return branch
    return {**branch, "branch": change(branch.get("branch"))}


def _as_list(value: Json) -> Sequence[Json]:
    return value if is_list(value) else []


def resolve_references(type_: str, config: Config, nodes: Sequence[Node]) -> dict[str, Json]:
    """A config as it is kept: every reference a list of ids."""
    ends = config.get("nodeRange")
    # The two numbers of a group are the ends of its range, not two nodes.
    if type_ == "group" and is_list(ends) and [type(end) for end in ends] == [int, int]:
        config = {**config, "nodeRange": f"{ends[0]}-{ends[1]}"}
    return change_references(
        type_, config, lambda written: list(list_referenced_ids(written, nodes))
    )


def alias_references(node: Node, nodes: Sequence[Node]) -> dict[str, Json]:
    """A config as people see it: aliases, or `first..last` where the nodes follow each other."""
    return change_references(node.type, node.config, lambda kept: _as_aliases(kept, nodes))


def list_referenced_ids(written: Json, nodes: Sequence[Node]) -> tuple[str, ...]:
    """The ids that a reference means, in the order in which it is written."""
    found: list[str] = []
    for reach in _reaches(written, nodes):
        owned = _list_owned(reach, nodes) if len(reach) > 1 else _NOBODY
        found += [node.id for node in reach if node.id not in owned]
        if len(found) > _MOST:
            raise WorkflowError(f"A reference names more than {_MOST:,} nodes. Name fewer.")
    return tuple(found)


def _reaches(written: Json, nodes: Sequence[Node]) -> Iterator[Sequence[Node]]:
    """The nodes that each part of a reference stretches over, also those that belong to others."""
    for part in written if is_list(written) else [written]:
        if isinstance(part, bool) or not isinstance(part, str | int):
            raise WorkflowError(
                f"{part!r} names no node: write an alias, a position, a list of them or a range."
            )
        if isinstance(part, int):
            yield [nodes[find_selection_place(part, nodes)]]
            continue
        for piece in part.split(","):
            yield [nodes[place] for place in list_selection_places(piece.strip(), nodes)]


def _list_owned(reach: Sequence[Node], nodes: Sequence[Node]) -> frozenset[str]:
    """The nodes that belong to some others, directly or not; references may be yet unread."""
    known = {node.id: node for node in nodes}

    def contents(id_: str) -> Iterator[str]:
        owner = known[id_]
        for written in _references(owner.type, owner.config):
            for reached in _reaches(written, nodes):
                yield from (node.id for node in reached if node.id != id_)

    found: set[str] = set()
    for count, id_ in enumerate(_walk([node.id for node in reach], contents, known)):
        if count > _MOST:
            raise WorkflowError(f"The nodes name one another more than {_MOST:,} times.")
        found.add(id_)
    return frozenset(found)


def _walk(
    starts: Iterable[str], contents: Callable[[str], Iterable[str]], nodes: Mapping[str, Node]
) -> Iterator[str]:
    """Each node that is named on the ways from some nodes into what belongs to them."""
    done: set[str] = set()
    for start in starts:
        way = {start: iter(contents(start))} if start not in done else {}
        while way:
            id_, rest = next(reversed(way.items()))
            following = next(rest, None)
            if following is None:
                done.add(id_)
                del way[id_]
                continue
            yield following
            if following in way:
                _refuse_cycle([nodes[each].alias for each in (*way, following)])
            if following in nodes and following not in done:
                way[following] = iter(contents(following))


def _refuse_cycle(names: list[str]) -> NoReturn:
    shown = names if len(names) <= _SHOWN else [*names[:2], "…", *names[2 - _SHOWN :]]
    raise WorkflowError(
        f"These nodes run one another without end: {' → '.join(shown)}. "
        f"Take {names[-1]!r} out of {names[-2]!r}."
    )


def _references(type_: str, config: Config) -> Iterator[Json]:
    """Each reference of a config as it is written, kept or not."""
    seen: list[Json] = []

    def note(written: Json) -> Json:
        if written is not None:
            seen.append(written)
        return written

    change_references(type_, config, note)
    yield from seen


def reorder_references(workflow: Workflow, before: Sequence[Node]) -> Workflow:
    """The workflow after a move: a list that followed the nodes goes on following them."""
    was = {node.id: number for number, node in enumerate(before)}
    now = {node.id: number for number, node in enumerate(workflow.nodes)}

    def change(kept: Json) -> Json:
        ids = [str(id_) for id_ in _as_list(kept)]
        follows = ids == sorted(ids, key=was.__getitem__)
        return list(sorted(ids, key=now.__getitem__) if follows else ids)

    nodes = (replace(n, config=change_references(n.type, n.config, change)) for n in workflow.nodes)
    return replace(workflow, nodes=tuple(nodes))


def migrate_reference_order(workflow: Workflow) -> tuple[Workflow, tuple[str, ...]]:
    """A workflow of version 1 with each list as it used to run, and a note for each difference.

    Lists ran in the order of the workflow then, each node once, and without nodes that belonged to
    another of the list.
    """
    place = {node.id: number for number, node in enumerate(workflow.nodes)}
    alias = {node.id: node.alias for node in workflow.nodes}
    notes: list[str] = []

    def change(kept: Json, owner: Node) -> Json:
        ids = [str(id_) for id_ in _as_list(kept)]
        ran = list_direct_nodes(
            workflow, sorted(dict.fromkeys(ids), key=lambda id_: place.get(id_, 0))
        )
        if list(ran) != ids:
            notes.append(
                f"{owner.alias!r} names {[alias.get(i, i) for i in ids]}, of which an earlier "
                f"version ran {[alias.get(i, i) for i in ran]}. It was kept as it ran; what is "
                "listed now runs in the order written."
            )
        return list(ran)

    nodes = tuple(
        replace(node, config=change_references(node.type, node.config, partial(change, owner=node)))
        for node in workflow.nodes
    )
    return replace(workflow, nodes=nodes), tuple(notes)


def _as_aliases(kept: Json, nodes: Sequence[Node]) -> Json:
    at = [find_selection_place(str(id_), nodes) for id_ in _as_list(kept)]
    aliases = [nodes[place].alias for place in at]
    if len(at) == 1:
        return aliases[0]
    if len(at) > 2 and at == sorted(at):
        range_ = f"{aliases[0]}..{aliases[-1]}"
        if list(list_referenced_ids(range_, nodes)) == list(_as_list(kept)):
            return range_
    return list(aliases)


def list_parts(node: Node) -> Iterator[ChildNodes]:
    """What belongs to a node, by the ids that it keeps."""
    for name in KINDS[node.type].references:
        if name != "branches":
            if ids := tuple(str(id_) for id_ in _as_list(node.config.get(name))):
                yield ChildNodes(node.id, name, ids)
            continue
        for branch in _as_list(node.config.get(name)):
            if isinstance(branch, Mapping) and (ids := tuple(map(str, _as_list(branch["branch"])))):
                yield ChildNodes(node.id, str(branch["name"]), ids)


def map_parents(workflow: Workflow) -> dict[str, tuple[ChildNodes, ...]]:
    """For each node that belongs to others: to which, and as what. All others are at the top."""
    found: dict[str, tuple[ChildNodes, ...]] = {}
    for node in workflow.nodes:
        for part in list_parts(node):
            for id_ in part.nodes:
                found[id_] = (*found.get(id_, ()), part)
    return found


def list_direct_nodes(workflow: Workflow, ids: Sequence[str]) -> tuple[str, ...]:
    """Those of some nodes that run by themselves: the others belong to one among them.

    A selection `a..e` names also what is in a branch of `c`; only `c` decides whether that runs.
    """
    among = set(ids)
    owned = _list_owned([node for node in workflow.nodes if node.id in among], workflow.nodes)
    return tuple(id_ for id_ in ids if id_ not in owned)


def list_owned_references(workflow: Workflow, id_: str) -> frozenset[str]:
    """The nodes that belong to a node, directly or not."""
    return _list_owned([node for node in workflow.nodes if node.id == id_], workflow.nodes)


def list_referring_nodes(workflow: Workflow, id_: str) -> tuple[Node, ...]:
    """The nodes that refer to a node."""
    owners = {part.owner for part in map_parents(workflow).get(id_, ())}
    return tuple(node for node in workflow.nodes if node.id in owners)


def check_reference_cycles(workflow: Workflow) -> None:
    """No node may belong to itself, whatever the way round."""
    known = {node.id: node for node in workflow.nodes}

    def contents(id_: str) -> Iterator[str]:
        return (each for part in list_parts(known[id_]) for each in part.nodes)

    for _ in _walk(known, contents, known):
        pass


def remove_references(node: Node, gone: set[str]) -> Node:
    """The node with some nodes taken out of its references."""
    left = change_references(
        node.type, node.config, lambda kept: [id_ for id_ in _as_list(kept) if id_ not in gone]
    )
    return replace(node, config=left)


def insert_neighbour_references(node: Node, before: str, new: Sequence[str], after: str) -> Node:
    """The node with new ones in each part in which their neighbours follow each other."""

    def change(kept: Json) -> Json:
        ids = [str(id_) for id_ in _as_list(kept)]
        for place in range(1, len(ids)):
            if ids[place - 1 : place + 1] == [before, after]:
                return [*ids[:place], *new, *ids[place:]]
        return list(ids)

    return replace(node, config=change_references(node.type, node.config, change))
