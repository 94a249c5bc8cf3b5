"""Tools that turn to others: the user, whose answer is the call's result, and scouts."""

from __future__ import annotations

from dataclasses import replace

from director.agent.agent_session import AgentSession
from director.agent.permissions.secret_requests import (
    SecretWanted,
    check_secret_request,
    parse_secret_request,
)
from director.agent.subagents.scouts import run_scout
from director.agent.tools.tool_definition import UserQuestion
from director.models import Result
from director.secrets import Vault
from director.workflow.values import WorkflowError


async def ask_user(
    desk: AgentSession, question: str, choices: list[str] | None = None
) -> UserQuestion:
    """Ask the user and wait for the answer; the turn ends here.

    Args:
        question: what you need to know, short
        choices: answers to choose from, if there are some

    """
    del desk
    if not question.strip():
        raise WorkflowError("Say what you want to know.")
    return UserQuestion(question, tuple(choices or ()))


async def ask_secret(desk: AgentSession, name: str, origin: str, reason: str) -> str:
    """Ask the user for a secret, such as a password; you get its reference, never its value.

    The user enters it hidden, into the vault, bound to the origin. Use the reference
    {{secret:name}} in configs on that origin. If it is there already, you are told so at once.

    Args:
        name: a name for it, such as shop_password
        origin: the only site on which it will be typed, such as https://shop.example
        reason: why it is needed, in words for the user

    """
    wanted = replace(parse_secret_request(name, origin, desk.clean(reason)), thread=desk.thread)
    vault = desk.means.secrets
    if not isinstance(vault, Vault):
        raise WorkflowError("There is no vault here, so no secret can be kept. Nothing was asked.")
    if check_secret_request(desk.store, desk.workflow, vault, wanted):
        return f"{wanted.reference} is in the vault for {wanted.origin}. Use its reference there."
    raise SecretWanted(wanted)


async def deploy_scout(
    desk: AgentSession,
    instruction: str,
    url: str = "",
    tabName: str = "",
) -> Result:
    """Send a scout to look at a page; it brings findings that were checked on the page.

    Args:
        instruction: what to find out, such as which selectors match the rows of the table
        url: a page to open for it; else it looks at a tab
        tabName: the tab, if not the active one

    """
    return await run_scout(desk, instruction, url=url, tab=tabName)
