"""Tools that build: each changes the workflow as a whole or not at all, and saves a version."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Literal, cast

from director.agent.agent_session import AgentSession
from director.agent.browsing.snapshot_refs import bind_snapshot_refs, find_snapshot_refs
from director.agent.permissions.tool_policy import list_policy_addresses
from director.agent.tools.tool_definition import Args
from director.workflow.doubt_checks import sign_doubt_checks
from director.workflow.edit import add_nodes, delete_nodes, edit_node, move_nodes, parse_edit_draft
from director.workflow.effect_hints import hint_at_proof
from director.workflow.made_records import warn_of_made_record_loops
from director.workflow.selection import find_selection_place, resolve_selection
from director.workflow.values import Json, Node, Workflow

Effect = Literal["read", "idempotent", "once"]


async def create_node(
    desk: AgentSession,
    type: str,
    alias: str,
    config: dict[str, object],
    description: str = "",
    effect: Effect | None = None,
    requires: list[dict[str, object]] | None = None,
    ensures: list[dict[str, object]] | None = None,
    proof: dict[str, object] | None = None,
    position: int | str = "end",
) -> str:
    """Add one node to the workflow; a selector may be a ref, such as "e12". Test it at once.

    Args:
        type: one of the ten types
        alias: small letters, digits, "_"
        config: what its type wants
        description: what it is for
        effect: what repeating it does, if not what its action does
        requires: conditions before it
        ensures: conditions after it; it is green only if they hold
        proof: what tells whether a "once" node happened
        position: where, a position or the alias of the node that moves behind it

    """
    said: dict[str, object] = {
        "type": type,
        "alias": alias,
        "config": config,
        "description": description,
        "effect": effect,
        "requires": requires,
        "ensures": ensures,
        "proof": proof,
    }
    return await _add_node(desk, await _with_bundles(desk, said), position)


async def _add_node(desk: AgentSession, said: Args, position: int | str) -> str:
    """Store the workflow with one more node; where it stands."""
    before = desk.now()
    draft = parse_edit_draft(cast("dict[str, Json]", said))
    after = add_nodes(before, [draft], new_id=lambda: _new_id(before), at=position)
    version = desk.saved.save_workflow(after, f"created {draft.alias}")
    place = find_selection_place(draft.alias, after.nodes)
    node = after.nodes[place]
    return (
        f"Node {node.alias!r} has the id {node.id} and position {place + 1} "
        f"(effect {node.effect}); the workflow is version {version}.{_warn(desk, node, after)}"
    )


def _warn(desk: AgentSession, node: Node, workflow: Workflow) -> str:
    """What is to be said of a node that was saved; a hint is given once."""
    found = [*warn_of_made_record_loops(node, workflow.nodes)]
    for each in hint_at_proof(node, workflow.nodes):
        if each not in desk.hinted:
            desk.hinted.add(each)
            found.append(each)
    return "".join(f" {each}" for each in found)


async def update_node(
    desk: AgentSession,
    node: int | str,
    changes: dict[str, object],
    merge: Literal["update", "replace"] = "update",
) -> str:
    """Change a node; its other fields stay as they are.

    Args:
        node: its alias, id or position
        changes: any of type, alias, config, description, effect, requires, ensures, proof
        merge: "update" merges config field by field (null takes one out), "replace" replaces it

    """
    known = desk.now().nodes[find_selection_place(node, desk.now().nodes)].checks
    if isinstance(checks := changes.get("checks"), list):
        # What a model says about a doubt is told to the user, and silences nothing.
        signed = sign_doubt_checks([each for each in checks if isinstance(each, dict)], known)
        changes = {**changes, "checks": list(signed)}
    return await change_node(desk, node, changes, merge)


async def change_node(
    desk: AgentSession,
    node: int | str,
    changes: dict[str, object],
    merge: Literal["update", "replace"],
) -> str:
    """Change a node as a person or a model says; see `update_node`."""
    changes = await _bind(desk, changes)
    before = desk.now()
    old = before.nodes[find_selection_place(node, before.nodes)]
    after = edit_node(before, node, cast("dict[str, Json]", changes), merge=merge)
    new = next(one for one in after.nodes if one.id == old.id)
    version = desk.saved.save_workflow(after, f"updated {new.alias}")
    told = _warn(desk, new, after)
    # What was entered by the last test would be entered once more.
    again = "Test it again." if new.effect != "once" else "A test of it does it once more."
    return f"Node {new.alias!r} is changed; the workflow is version {version}. {again}{told}"


async def delete_node(
    desk: AgentSession,
    node: int | str,
    handle_dependencies: bool = False,
) -> str:
    """Delete a node, or several by a range such as "3-5" or "first..last".

    Args:
        node: which, by alias, id, position or range
        handle_dependencies: also take it out of the bodies and branches that name it

    """
    before = desk.now()
    gone = [one.alias for one in before.nodes if one.id in resolve_selection(node, before.nodes)]
    after = delete_nodes(before, node, handle_dependencies=handle_dependencies)
    version = desk.saved.save_workflow(after, f"deleted {', '.join(gone)}")
    return f"Deleted {', '.join(gone)}; {_describe_rest(after)}; the workflow is version {version}."


async def move_node(desk: AgentSession, node: int | str, to: int | str) -> str:
    """Move a node, or several by a range, to another place.

    Args:
        node: which, by alias, id, position or range
        to: the position or alias whose place the first of them takes, or "end"

    """
    after = move_nodes(desk.now(), node, to=to)
    version = desk.saved.save_workflow(after, f"moved {node} to {to}")
    order = ", ".join(one.alias for one in after.nodes)
    return f"The order is now {order}; the workflow is version {version}."


async def _with_bundles(desk: AgentSession, said: dict[str, object]) -> dict[str, object]:
    """What a node is made of and was said, with bundles in the place of refs."""
    return await _bind(desk, {name: value for name, value in said.items() if value is not None})


async def _bind(desk: AgentSession, given: dict[str, object]) -> dict[str, object]:
    if not find_snapshot_refs(given):
        return given
    bound = await bind_snapshot_refs(await desk.bench.session(), cast("Json", given))
    return cast("dict[str, object]", bound)


def list_addresses(args: Args) -> Sequence[str]:
    """The addresses that a node would go to by itself."""
    said = args.get("changes") if isinstance(args.get("changes"), dict) else args
    parts = [cast("Args", said).get("config"), cast("Args", said).get("proof")]
    urls = [part.get("url") for part in parts if isinstance(part, dict)]
    return tuple(found for url in urls for found in list_policy_addresses(cast("Json", url)))


def _new_id(workflow: Workflow) -> str:
    known = {node.id for node in workflow.nodes}
    while (made := f"n_{uuid.uuid4().hex[:6]}") in known:
        pass
    return made


def _describe_rest(workflow: Workflow) -> str:
    return f"{len(workflow.nodes)} nodes are left"
