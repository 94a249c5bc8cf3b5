"""OpenAI Agents SDK: a filter before the model, and a session that remembers everything.

The filter fits each request and changes nothing else. The session hands a run the fitted history
and keeps every item in the session it stands before.
"""

from __future__ import annotations

from typing import Any

from agents.memory import Session
from agents.run import CallModelData, ModelInputData

from director.middleware.bodies import fit_body
from director.middleware.summaries import Writes
from director.middleware.threads import Managing, Threads, as_threads


class InputFilter:
    """For `RunConfig(call_model_input_filter=...)`: fits what each call of the model is shown."""

    def __init__(
        self,
        managing: Managing | Threads,
        *,
        thread: str | None = None,
        writes: Writes | None = None,
    ) -> None:
        self.threads = as_threads(managing, writes, "responses")
        self._thread = thread

    def __call__(self, given: CallModelData[Any]) -> ModelInputData:
        """The input that fits, or the very input that came."""
        asked = given.model_data
        body = {"input": asked.input, "instructions": asked.instructions}
        sent = fit_body(body, "responses", self.threads, thread=self._thread)
        if not sent.changed:
            return asked
        return ModelInputData(input=sent.body["input"], instructions=asked.instructions)  # type: ignore[arg-type]


class ContextManagedSession:
    """A session whose history fits; the `whole` session behind it keeps every item.

    With a `limit`, `get_items` gives the latest items as they are.
    """

    def __init__(
        self, whole: Session, managing: Managing | Threads, *, writes: Writes | None = None
    ) -> None:
        self.whole = whole
        self.threads = as_threads(managing, writes, "responses")
        self.session_id = whole.session_id
        self.session_settings = getattr(whole, "session_settings", None)

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """The history that fits."""
        items: list[Any] = list(await self.whole.get_items(limit))
        if limit is not None or not self.threads.on or not items:
            return items
        return self.threads.fit(items, self.session_id).messages

    async def add_items(self, items: list[Any]) -> None:
        """Keep items, whole."""
        await self.whole.add_items(items)

    async def pop_item(self) -> Any:  # noqa: ANN401
        """Take back the latest item."""
        return await self.whole.pop_item()

    async def clear_session(self) -> None:
        """Forget the history."""
        await self.whole.clear_session()

    def recall(self, handle: str) -> str:
        """The original text behind a handle in a notice or a citation."""
        return self.threads.recall(handle, self.session_id)
