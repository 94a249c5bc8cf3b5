"""pydantic-ai: a capability that fits what the model is shown, and a history processor.

The capability leaves the history of the run alone. A history processor replaces it, because
pydantic-ai keeps what a processor returns; ours remembers the originals and goes on from them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessage, ModelRequest
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.tools import RunContext, Tool
from pydantic_ai.toolsets import FunctionToolset

from director.context.wire.shape import as_json
from director.metrics import ContextMetrics
from director.middleware.background_summaries import Writes
from director.middleware.managed_threads import FittedThreads, Managing, make_managed_threads
from director.middleware.pydantic_messages import (
    Block,
    read_pydantic_blocks,
    write_pydantic_messages,
)
from director.middleware.recall_tool import (
    ABOUT,
    NAME,
    SCHEMA,
    is_recall_tool,
    read_recalled,
    read_recalled_turn,
)


class ContextCapability(AbstractCapability[Any]):
    """For `Agent(capabilities=[...])`: fits every request; `all_messages()` stays whole.

    It brings the tool `recall`, unless the configuration says no.
    """

    def __init__(
        self,
        managing: Managing | FittedThreads,
        *,
        thread: str | None = None,
        writes: Writes | None = None,
    ) -> None:
        self._fitting = _Fitting(managing, thread, writes)

    @property
    def threads(self) -> FittedThreads:
        """What is managed, with its originals."""
        return self._fitting.threads

    @property
    def metrics(self) -> ContextMetrics:
        """What was saved so far."""
        return self.threads.metrics

    def get_toolset(self) -> FunctionToolset[Any] | None:
        """The tool `recall`, from the first request on."""
        offered = self.threads.on and self.threads.config.recall
        return FunctionToolset([_recall_tool()]) if offered else None

    async def before_model_request(
        self,
        ctx: RunContext[Any],  # noqa: ARG002  the signature is theirs
        request_context: ModelRequestContext,
    ) -> ModelRequestContext:
        """Hand on the request with the messages that fit."""
        given = request_context.messages
        tools = request_context.model_request_parameters.function_tools
        schemas = [
            as_json([one.name, one.description, one.parameters_json_schema]) for one in tools
        ]
        recalls = any(map(is_recall_tool, tools))
        sent = self._fitting.fit(given, "\n".join(schemas), recalls=recalls)
        return request_context if sent is given else replace(request_context, messages=sent)


def history_processor(
    managing: Managing | FittedThreads, *, thread: str | None = None, writes: Writes | None = None
) -> Callable[[list[ModelMessage]], list[ModelMessage]]:
    """For `ProcessHistory(...)`: one for each conversation, whose originals it remembers.

    It brings no tool, so its notices name no references.
    """
    return _Processor(_Fitting(managing, thread, writes))


def _recall_tool() -> Tool[Any]:
    def recall(ctx: RunContext[Any], **asked: object) -> str:
        blocks = [block for message in ctx.messages for block in read_pydantic_blocks(message)]
        given = (asked.get(name, "") for name in ("reference", "start", "length"))
        return read_recalled(read_recalled_turn(blocks, "anthropic"), *given)

    return Tool.from_schema(recall, NAME, ABOUT, dict(SCHEMA), takes_ctx=True)


class _Fitting:
    """Fits messages of pydantic-ai; each is looked at once, as long as it is the same object."""

    def __init__(
        self, managing: Managing | FittedThreads, thread: str | None, writes: Writes | None
    ) -> None:
        self.threads = make_managed_threads(managing, writes, "anthropic")
        self._thread = thread
        self._blocks: dict[int, tuple[ModelMessage, list[Block]]] = {}

    def fit(
        self, messages: list[ModelMessage], tools: str = "", *, recalls: bool = False
    ) -> list[ModelMessage]:
        """The messages that fit, or the very list that came."""
        if not self.threads.on:
            return messages
        told = self._instructions(messages)
        text = "\n".join(filter(None, (tools, told)))
        head: list[Block] = [{"role": "system", "content": text}] if text else []
        blocks = [block for message in messages for block in self._read(message)]
        self._blocks = {id(message): self._blocks[id(message)] for message in messages}
        fitted = self.threads.fit(blocks, self._thread, head=head, recalls=recalls)
        if fitted.messages is blocks:
            return messages
        return write_pydantic_messages(fitted.messages, messages)

    def _read(self, message: ModelMessage) -> list[Block]:
        known = self._blocks.get(id(message))
        if known is None or known[0] is not message:
            known = self._blocks[id(message)] = (message, read_pydantic_blocks(message))
        return known[1]

    @staticmethod
    def _instructions(messages: Sequence[ModelMessage]) -> str:
        told = [one.instructions for one in messages if isinstance(one, ModelRequest)]
        return next((text for text in reversed(told) if text), "")


class _Processor:
    """Knows what it returned last, so that it can go on from what that stood for."""

    def __init__(self, fitting: _Fitting) -> None:
        self._fitting = fitting
        self.originals: list[ModelMessage] = []
        self._sent: list[ModelMessage] = []

    def __call__(self, messages: list[ModelMessage]) -> list[ModelMessage]:
        """The messages that fit; those that came last time stand for their originals."""
        known = len(self._sent)
        same = len(messages) >= known and all(
            one is other for one, other in zip(messages, self._sent, strict=False)
        )
        self.originals = [*self.originals, *messages[known:]] if same else list(messages)
        self._sent = list(self._fitting.fit(self.originals))
        return list(self._sent)
