"""OpenAI Agents SDK: a filter before the model, a session that remembers everything, and `recall`.

The filter fits each request and changes nothing else. The session hands a run the fitted history
and keeps every item in the session it stands before.
"""

from __future__ import annotations

from typing import Any

from agents import FunctionTool
from agents.memory import Session
from agents.run import CallModelData, ModelInputData
from agents.tool_context import ToolContext

from director.middleware.background_summaries import Writes
from director.middleware.managed_threads import FittedThreads, Managing, make_managed_threads
from director.middleware.recall_tool import (
    ABOUT,
    NAME,
    SCHEMA,
    answer_recall_calls,
    read_recall_call,
    read_recalled_turn,
)

# Only the filter sees the history of a run: it puts the original in place of this.
_PENDING = "[nothing can be read back here: this agent runs without an InputFilter]"


class _FilteredTool(FunctionTool):
    """The tool whose calls the filter answers."""


class InputFilter:
    """For `RunConfig(call_model_input_filter=...)`: fits what each call of the model is shown.

    Notices name references where the agent has `recall_tool()` among its tools, and its calls are
    answered from the items of the run.
    """

    def __init__(
        self,
        managing: Managing | FittedThreads,
        *,
        thread: str | None = None,
        writes: Writes | None = None,
    ) -> None:
        self.threads = make_managed_threads(managing, writes, "responses")
        self._thread = thread

    def __call__(self, given: CallModelData[Any]) -> ModelInputData:
        """The input that fits, or the very input that came."""
        asked = given.model_data
        recalls = any(isinstance(tool, _FilteredTool) for tool in given.agent.tools)
        items: Any = answer_recall_calls(asked.input, "responses", pending=_PENDING)
        if self.threads.on and items:
            head = [{"role": "system", "content": asked.instructions}] if asked.instructions else []
            fitted = self.threads.fit(items, self._thread, head=head, recalls=recalls)
            items = fitted.messages
        if items is asked.input:
            return asked
        return ModelInputData(input=items, instructions=asked.instructions)


class ContextManagedSession:
    """A session whose history fits; the `whole` session behind it keeps every item.

    With a `limit`, `get_items` gives the latest items as they are. Notices name references once
    `recall_tool(session)` was made for an agent.
    """

    def __init__(
        self, whole: Session, managing: Managing | FittedThreads, *, writes: Writes | None = None
    ) -> None:
        self.whole = whole
        self.threads = make_managed_threads(managing, writes, "responses")
        self.session_id = whole.session_id
        self.session_settings = getattr(whole, "session_settings", None)
        self.recalls = False

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """The history that fits."""
        items: list[Any] = list(await self.whole.get_items(limit))
        if limit is not None or not self.threads.on or not items:
            return items
        return self.threads.fit(items, self.session_id, recalls=self.recalls).messages

    async def add_items(self, items: list[Any]) -> None:
        """Keep items, whole."""
        await self.whole.add_items(items)

    async def pop_item(self) -> Any:
        """Remove the latest item and return it."""
        return await self.whole.pop_item()

    async def clear_session(self) -> None:
        """Forget the history."""
        await self.whole.clear_session()

    def recall(self, reference: str) -> str:
        """The original text behind a reference in a notice or a citation."""
        return self.threads.recall(reference, self.session_id)


def recall_tool(session: ContextManagedSession | None = None) -> FunctionTool:
    """A tool for `Agent(tools=[...])` that reads back what the notices of an `InputFilter` name.

    With a session, what the notices of that session name, from the session behind it.
    """

    async def answer(_: ToolContext[Any], args: str) -> str:
        if session is None:
            return _PENDING
        return read_recall_call(
            read_recalled_turn(await session.whole.get_items(), "responses"), args
        )

    kind = FunctionTool if session is not None else _FilteredTool
    if session is not None:
        session.recalls = True
    return kind(NAME, ABOUT, dict(SCHEMA), answer, strict_json_schema=False)
