"""Tools that look at pages: a snapshot, a question about it, and closer looks at what was seen."""

# ruff: noqa: D417  no model is told of the desk
from __future__ import annotations

import asyncio
import json
from typing import Literal

from director.agent.desk import Desk
from director.agent.looks import look, seen
from director.agent.scouts import explore
from director.browser import closer
from director.browser.descriptions import describe_ref
from director.browser.showing import show
from director.workflow.values import WorkflowError

_ADVICE = (
    "Give the ref itself as a node's selector: this bundle is kept in its place. Or copy the "
    "selector, or the part of it that you trust."
)


async def inspect_tab(
    desk: Desk,
    inspectionType: Literal["lightweight_exploration", "dom_snapshot"],  # noqa: N803
    tabName: str = "",  # noqa: N803
    instruction: str = "",
) -> str:
    """Look at a tab: its whole outline with refs, or the answer to a question about it.

    Args:
        inspectionType: "dom_snapshot" for the outline, "lightweight_exploration" for an answer
        tabName: the tab, if not the active one
        instruction: what to find out, with "lightweight_exploration"

    """
    if inspectionType == "dom_snapshot":
        found, before = await look(desk, tabName)
        return f"snapshot {found.hash[:12]}\n{show(found, before)}"
    if not instruction.strip():
        raise WorkflowError("Say in `instruction` what to find out about the page.")
    found, _ = await look(desk, tabName)
    return await explore(desk, found, instruction)


async def find(
    desk: Desk,
    text: str,
    regex: bool = False,  # noqa: FBT001, FBT002
    tabName: str = "",  # noqa: N803
) -> str:
    """Find a text in the newest snapshot of a tab; gives the lines with their refs.

    Args:
        text: what to find
        regex: whether it is a regular expression
        tabName: the tab, if not the active one

    """
    page = await seen(desk, tabName)
    # A pattern of a model may keep a worker busy for a while.
    return await asyncio.to_thread(closer.find, page, text, regex=regex)


async def expand(desk: Desk, ref: str, tabName: str = "") -> str:  # noqa: N803
    """Show everything under a ref of the newest snapshot of a tab.

    Args:
        ref: such as "e12"
        tabName: the tab, if not the active one

    """
    return closer.expand(await seen(desk, tabName), ref)


async def read(desk: Desk, ref: str, tabName: str = "") -> str:  # noqa: N803
    """Read the plain text under a ref of the newest snapshot of a tab.

    Args:
        ref: such as "e12"
        tabName: the tab, if not the active one

    """
    return closer.read(await seen(desk, tabName), ref)


async def describe_element(desk: Desk, ref: str) -> str:
    """Describe an element of the active tab: a selector for nodes that was tried, and its grounds.

    Args:
        ref: such as "e12", of the newest snapshot

    """
    session = await desk.bench.session()
    async with session.doing(f"describe {ref}"):
        found = await describe_ref(session.page(), ref, session.look)
    return f"{json.dumps(found.json(), ensure_ascii=False)}\n{_ADVICE}"
