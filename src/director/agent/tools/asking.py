"""Tools that turn to others: the user, whose answer is the call's result, and scouts."""

from __future__ import annotations

from director.agent.desk import Desk
from director.agent.scouts import scout
from director.agent.tools.kind import Question
from director.models import Result
from director.workflow.values import WorkflowError


async def ask_user(desk: Desk, question: str, choices: list[str] | None = None) -> Question:
    """Ask the user and wait for the answer; the turn ends here.

    Args:
        question: what you need to know, short
        choices: answers to choose from, if there are some

    """
    del desk
    if not question.strip():
        raise WorkflowError("Say what you want to know.")
    return Question(question, tuple(choices or ()))


async def deploy_scout(
    desk: Desk,
    instruction: str,
    url: str = "",
    tabName: str = "",  # noqa: N803
) -> Result:
    """Send a scout to look at a page; it brings findings that were checked on the page.

    Args:
        instruction: what to find out, such as which selectors match the rows of the table
        url: a page to open for it; else it looks at a tab
        tabName: the tab, if not the active one

    """
    return await scout(desk, instruction, url=url, tab=tabName)
