"""Tools that try things in the live browser. They are in the conversation only, never nodes."""

from __future__ import annotations

from typing import Literal

from director.agent.agent_session import AgentSession
from director.agent.browsing.snapshot_refs import WAIT, act_on_snapshot_ref
from director.agent.permissions.effect_approval import hold_forms_for_approval
from director.browser import BrowserError, Session
from director.browser.actions import run_action
from director.browser.locators import is_ref
from director.models import Result
from director.runs.questions import ask_secret_use_question
from director.runs.run_control import open_workbench
from director.runs.secret_uses import SecretUse, get_refused_secret_use, is_secret_use_refused
from director.secrets import FieldNotAllowed
from director.sections.value_text import write_compact_value, write_value_line
from director.workflow.types import check_config
from director.workflow.values import Json


async def debug_navigate(
    desk: AgentSession,
    url: str,
    reason: str,
    tabName: str = "",
) -> str:
    """Go to an address in a tab, to try something; never part of the workflow.

    Args:
        url: where to go
        reason: what you want to find out
        tabName: the tab, if not the active one

    """
    del reason
    session = await desk.bench.session()
    async with hold_forms_for_approval(desk, session, "navigate", text=url):
        await session.navigate(url, tabName or None)
    return await _where(desk, tabName)


async def debug_action(
    desk: AgentSession,
    action: Literal["click", "type", "wait"],
    reason: str,
    selector: str = "",
    text: str = "",
    tabName: str = "",
) -> str | Result:
    """Click, type or wait in a tab, to try something; never part of the workflow.

    Args:
        action: what to do
        reason: what you want to find out
        selector: CSS of the element, or a ref of the newest snapshot such as "e12"
        text: what to type; a secret only as {{secret:name}}
        tabName: the tab, if not the active one

    """
    del reason
    session = await desk.bench.session()
    if tabName:
        await session.switch_tab(tabName)
    given = {"action": action, "selector": selector, "text": text}
    try:
        if action == "click":
            # It was approved as it is, whatever the page sends by it.
            await session.forms.let_go()
            return await _perform(desk, session, **given)
        async with hold_forms_for_approval(desk, session, action, selector=selector, text=text):
            return await _perform(desk, session, **given)
    except FieldNotAllowed as wanted:
        return Result(
            await _ask_for_secret_use(desk, session, get_refused_secret_use(wanted)), failed=True
        )


async def _perform(
    desk: AgentSession, session: Session, *, action: str, selector: str, text: str
) -> str:
    if is_ref(selector):
        await act_on_snapshot_ref(session, action, selector, text)
        return f"Did {action} on {selector}.\n{await _where(desk, '')}"
    config: dict[str, Json] = {"action": action, "timeout": WAIT}
    config |= {"selector": selector} if selector else {"time": 500} if action == "wait" else {}
    config |= {"text": text} if action == "type" else {}
    check_config("browser_action", config)
    done = await run_action(session, config)
    return f"{done}\n{await _where(desk, '')}"


async def _ask_for_secret_use(desk: AgentSession, session: Session, use: SecretUse) -> str:
    """Ask the user whether a secret may be typed into a field; what the model is told."""
    if is_secret_use_refused(desk.store, use):
        return f"{{{{secret:{use.secret}}}}} was not typed: the user refused it for this field."
    try:
        picture = desk.store.keep(await session.screenshot())
    except BrowserError:
        picture = ""
    run = open_workbench(desk.store, desk.now())
    question = ask_secret_use_question(desk.store, run.id, use, picture)
    desk.questions.append(question.id)
    return f"{{{{secret:{use.secret}}}}} was not typed: the user is asked whether it may be, first."


async def debug_open_tab(desk: AgentSession, url: str, tabName: str) -> str:
    """Open an address in a new tab, to try something; never part of the workflow.

    Args:
        url: where to go
        tabName: what to call the tab

    """
    session = await desk.bench.session()
    async with hold_forms_for_approval(desk, session, "navigate", text=url):
        given = await session.open_tab(url, tabName)
    return await _where(desk, given)


async def debug_close_tab(desk: AgentSession, tabName: str) -> str:
    """Close a tab; never part of the workflow.

    Args:
        tabName: which

    """
    session = await desk.bench.session()
    await session.close_tab(tabName)
    desk.looked.pop(tabName, None)
    await desk.bench.keep()
    left = ", ".join(tab.name for tab in await desk.bench.tabs())
    return f"Closed {tabName!r}. Open: {left or 'none'}."


async def reset_browser(desk: AgentSession, reason: str) -> str:
    """Close every tab and forget cookies, storage and logins: the browser is as at a run's start.

    Args:
        reason: what you want to find out

    """
    del reason
    await desk.bench.reset()
    desk.looked.clear()
    return "The browser is fresh: no tabs, cookies, storage or logins. Variables and records stay."


async def _where(desk: AgentSession, tab: str) -> str:
    """Which tab shows what now; and remember it."""
    await desk.bench.keep()
    tabs = await desk.bench.tabs()
    for one in tabs:
        if one.name == tab or (not tab and one.active):
            # A page writes its title: as JSON it cannot end and go on as our own words.
            return (
                f"Tab {one.name!r} is at {write_value_line(one.url)} "
                f"(the page's title: {write_compact_value(one.title)})."
            )
    return f"Open tabs: {', '.join(one.name for one in tabs) or 'none'}."
