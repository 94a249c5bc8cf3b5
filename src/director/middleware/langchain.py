"""LangChain and LangGraph: middleware, a hook, a wrapper around a compiled agent, and `recall`.

Each fits what the model is shown and leaves the graph's state alone, so that checkpoints, streams
and whoever reads the history see every message as it was. With nothing to do, and when switched
off, the very request passes that came.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain.agents.middleware.types import ModelRequest, ModelResponse
from langchain_core.messages import AnyMessage, SystemMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.config import get_config

from director.context.wire.shape import as_json
from director.metrics import ContextMetrics
from director.middleware.background_summaries import Writes
from director.middleware.graphs import ContextManagedAgent, get_graph_thread, recall_tool
from director.middleware.managed_threads import FittedThreads, Managing, make_managed_threads
from director.middleware.recall_tool import is_recall_tool

__all__ = ["ContextManagedAgent", "ContextMiddleware", "pre_model_hook", "recall_tool"]


class ContextMiddleware(AgentMiddleware[Any, Any, Any]):
    """For `create_agent(middleware=[...])`: fits every request on its way to the model.

    It brings the tool `recall`, unless the configuration says no. Tools and instructions count
    against the budget. `writes` summarises what leaves, in the background; a model of LangChain
    will do.
    """

    def __init__(
        self, managing: Managing | FittedThreads, *, writes: Writes | object | None = None
    ) -> None:
        super().__init__()
        self.threads = make_managed_threads(managing, writes, "langchain")
        offered = self.threads.on and self.threads.config.recall
        self.tools = [recall_tool] if offered else []

    @property
    def metrics(self) -> ContextMetrics:
        """What was saved so far."""
        return self.threads.metrics

    def recall(self, reference: str, thread: str | None = None) -> str:
        """The original text behind a reference in a notice or a citation."""
        return self.threads.recall(reference, thread)

    def wrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], ModelResponse[Any]],
    ) -> ModelResponse[Any]:
        """Hand on the request with the messages that fit."""
        return handler(self._fit_request(request))

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Hand on the request with the messages that fit."""
        return await handler(self._fit_request(request))

    def _fit_request(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        if not self.threads.on:
            return request
        given = request.messages
        thread, recalls = get_graph_thread(get_config()), any(map(is_recall_tool, request.tools))
        fitted = self.threads.fit(given, thread, head=_head(request), recalls=recalls)
        if fitted.messages is given:
            return request
        return request.override(messages=fitted.messages)  # type: ignore[arg-type]


def pre_model_hook(
    managing: Managing | FittedThreads,
    *,
    writes: Writes | object | None = None,
    recall: bool = False,
) -> Callable[[Mapping[str, Any]], dict[str, list[AnyMessage]]]:
    """For `create_react_agent(pre_model_hook=...)`: what the model sees, beside what is kept.

    A hook is not shown the tools: `recall` says that `recall_tool` is among them.
    """
    threads = make_managed_threads(managing, writes, "langchain")

    def hook(state: Mapping[str, Any]) -> dict[str, list[AnyMessage]]:
        messages = state["messages"]
        if not threads.on:
            return {"llm_input_messages": messages}
        fitted = threads.fit(messages, get_graph_thread(get_config()), recalls=recall)
        return {"llm_input_messages": fitted.messages}  # type: ignore[dict-item]

    return hook


def _head(request: ModelRequest[Any]) -> list[SystemMessage]:
    """What is sent ahead of the messages: instructions, and the tools as the text they become."""
    tools = [as_json(convert_to_openai_tool(tool)) for tool in request.tools]
    head = [SystemMessage("\n".join(tools))] if tools else []
    return [*head, request.system_message] if request.system_message else head
