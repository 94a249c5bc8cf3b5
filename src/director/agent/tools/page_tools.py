"""Tools that look at pages: a snapshot, a question about it, and closer looks at what was seen."""

from __future__ import annotations

import asyncio
import json
from typing import Literal

from director.agent.agent_session import AgentSession
from director.agent.browsing.element_names import name_elements
from director.agent.browsing.page_looks import (
    look_at_page_now,
    look_at_page_or_remember,
    write_page_outline_text,
)
from director.agent.subagents.scouts import explore_page
from director.browser import closer
from director.browser.descriptions import describe_ref
from director.workflow.values import WorkflowError

_ADVICE = (
    "Give the ref itself as a node's selector: this bundle is kept in its place. Or copy the "
    "selector, or the part of it that you trust."
)


async def inspect_tab(
    desk: AgentSession,
    inspectionType: Literal["lightweight_exploration", "dom_snapshot"],
    tabName: str = "",
    instruction: str = "",
) -> str:
    """Look at a tab: its whole outline with refs, or the answer to a question about it.

    Args:
        inspectionType: "dom_snapshot" for the outline, "lightweight_exploration" for an answer
        tabName: the tab, if not the active one
        instruction: what to find out, with "lightweight_exploration"

    """
    if inspectionType == "dom_snapshot":
        found = await look_at_page_now(desk, tabName)
        return f"{found.text()}\n{write_page_outline_text(desk, found)}"
    if not instruction.strip():
        raise WorkflowError("Say in `instruction` what to find out about the page.")
    found = await look_at_page_now(desk, tabName)
    return f"{found.text()}\n{await explore_page(desk, found.page, instruction)}"


async def find(
    desk: AgentSession,
    text: str,
    regex: bool = False,
    tabName: str = "",
) -> str:
    """Find a text on a page as it is now; gives the lines with their refs and what names them.

    Args:
        text: what to find
        regex: whether it is a regular expression; ^ is the start of an element's line or name
        tabName: the tab, if not the active one

    """
    page, age = await look_at_page_or_remember(desk, tabName)
    # A pattern of a model may keep a worker busy for a while.
    found = await asyncio.to_thread(closer.find_snapshot_lines, page, text, regex=regex)
    return f"{age}\n{found}{await name_elements(desk, found, tabName)}"


async def expand(desk: AgentSession, ref: str, tabName: str = "") -> str:
    """Show everything under a ref, on the page as it is now.

    Args:
        ref: such as "e12"
        tabName: the tab, if not the active one

    """
    page, age = await look_at_page_or_remember(desk, tabName)
    return f"{age}\n{closer.expand_snapshot_ref(page, ref)}"


async def read(desk: AgentSession, ref: str, tabName: str = "") -> str:
    """Read the plain text under a ref, on the page as it is now.

    Args:
        ref: such as "e12"
        tabName: the tab, if not the active one

    """
    page, age = await look_at_page_or_remember(desk, tabName)
    return f"{age}\n{closer.read_snapshot_ref(page, ref)}"


async def describe_element(desk: AgentSession, ref: str) -> str:
    """Describe an element of the active tab: a selector for nodes that was tried, and its grounds.

    Args:
        ref: such as "e12", of the newest snapshot

    """
    session = await desk.bench.session()
    async with session.doing(f"describe {ref}"):
        found = await describe_ref(session.page(), ref, session.look)
    return f"{json.dumps(found.json(), ensure_ascii=False)}\n{_ADVICE}"
