"""`ContextManagedAgent`, a compiled LangGraph agent whose model nodes see less; `recall_tool`.

The graph is copied with another view of its state for the nodes that call a model; nodes, edges,
checkpoints, streams and interrupts are its own. The state, and with it every message, stays whole.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass, replace
from typing import Annotated, Any

from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.tools import StructuredTool
from langgraph.prebuilt import InjectedState
from langgraph.pregel import Pregel
from pydantic import BaseModel, Field

from director.api import Fitted
from director.metrics import ContextMetrics
from director.middleware.background_summaries import Writes
from director.middleware.managed_threads import FittedThreads, Managing, make_managed_threads
from director.middleware.recall_tool import (
    ABOUT,
    LENGTH,
    NAME,
    REFERENCE,
    START,
    is_recall_tool,
    read_recalled,
    read_recalled_turn,
)

MODEL_NODES = ("agent", "model", "generate_structured_response")
_FIELDS = ("llm_input_messages", "messages")


class _Asked(BaseModel):
    """The arguments of `recall`; the state is the graph's own and not shown to the model."""

    reference: str = Field(description=REFERENCE)
    start: int = Field(default=0, description=START)
    length: int = Field(default=0, description=LENGTH)
    state: Annotated[Any, InjectedState]


def _recall(reference: str, state: object, start: int = 0, length: int = 0) -> str:
    messages = _peek(state, "messages") or ()
    return read_recalled(read_recalled_turn(messages, "langchain"), reference, start, length)


recall_tool = StructuredTool.from_function(
    _recall, name=NAME, description=ABOUT, args_schema=_Asked
)


class ContextManagedAgent:
    """An agent with managed context: `astream`, `ainvoke`, `stream` and `invoke` as it had them.

    `agent` is what `create_agent`, `create_react_agent` or a graph of your own compiled to;
    `nodes` names the nodes that call a model, in sub-graphs too. `original_messages` are all
    messages of the latest run, whole. `phase` names the phase of the work, for checkpoints. Notices
    name references if the agent has `recall_tool` among its tools.
    """

    def __init__(
        self,
        agent: Any,
        manager: Managing | FittedThreads,
        *,
        nodes: Sequence[str] = MODEL_NODES,
        writes: Writes | object | None = None,
    ) -> None:
        self.threads = make_managed_threads(manager, writes, "langchain")
        self.agent = agent
        self.phase: str | None = None
        self.original_messages: list[BaseMessage] = []
        self.latest: Fitted | None = None
        self._recalls = _offers_recall(agent)
        self._managed = (
            _with_view(agent, frozenset(nodes), self._view) if self.threads.on else agent
        )

    @property
    def metrics(self) -> ContextMetrics:
        """What was saved so far."""
        return self.threads.metrics

    def recall(self, reference: str, thread: str | None = None) -> str:
        """The original text behind a reference in a notice or a citation."""
        return self.threads.recall(reference, thread)

    def invoke(self, state: Any, config: RunnableConfig | None = None, **more: Any) -> Any:
        """Run the agent to its end."""
        self.original_messages = _messages(state)
        result = self._managed.invoke(state, config, **more)
        self._note(result)
        return result

    async def ainvoke(self, state: Any, config: RunnableConfig | None = None, **more: Any) -> Any:
        """Run the agent to its end."""
        self.original_messages = _messages(state)
        result = await self._managed.ainvoke(state, config, **more)
        self._note(result)
        return result

    def stream(
        self,
        state: Any,
        config: RunnableConfig | None = None,
        **more: Any,
    ) -> Iterator[Any]:
        """Run the agent, chunk by chunk, in the stream modes and shapes that it has."""
        self.original_messages = _messages(state)
        for chunk in self._managed.stream(state, config, **more):
            self._note(chunk)
            yield chunk

    async def astream(
        self,
        state: Any,
        config: RunnableConfig | None = None,
        **more: Any,
    ) -> AsyncIterator[Any]:
        """Run the agent, chunk by chunk, in the stream modes and shapes that it has."""
        self.original_messages = _messages(state)
        async for chunk in self._managed.astream(state, config, **more):
            self._note(chunk)
            yield chunk

    def __getattr__(self, name: str) -> Any:
        """Whatever else the agent can do, such as `get_state`."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._managed, name)

    def _view(self, state: Any, config: RunnableConfig | None) -> Any:
        """The state with the messages that fit, or the very state where they all do."""
        field = next((name for name in _FIELDS if _peek(state, name)), None)
        if field is None:
            return state
        messages = _peek(state, field)
        if field == "messages":
            self._keep(messages)
        fitted = self.threads.fit(
            messages, get_graph_thread(config), phase=self.phase, recalls=self._recalls
        )
        self.latest = fitted
        if fitted.messages is messages:
            return state
        return _with(state, field, fitted.messages)

    def _keep(self, messages: Sequence[BaseMessage]) -> None:
        """The state holds more than the input where a checkpoint was resumed."""
        if len(messages) > len(self.original_messages):
            self.original_messages = list(messages)

    def _note(self, chunk: object) -> None:
        """Add the messages of a chunk, whatever its shape, that are not known yet."""
        found = _messages(chunk)
        known = {id(one) for one in self.original_messages} if found else set()
        names = {one.id for one in self.original_messages if one.id} if found else set()
        for message in found:
            if id(message) not in known and (message.id is None or message.id not in names):
                self.original_messages.append(message)


class _View(Runnable[Any, Any]):
    """A node that looks at its state through a function."""

    def __init__(self, inner: Runnable[Any, Any], look: Callable[[Any, Any], Any]) -> None:
        self._inner, self._look = inner, look

    def invoke(self, input: Any, config: RunnableConfig | None = None, **more: Any) -> Any:  # noqa: A002
        return self._inner.invoke(self._look(input, config), config, **more)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **more: Any) -> Any:  # noqa: A002
        return await self._inner.ainvoke(self._look(input, config), config, **more)


def _with_view(graph: Any, names: frozenset[str], look: Callable[[Any, Any], Any]) -> Any:
    """A copy of a graph in which the named nodes, also of sub-graphs, have that look."""
    nodes = dict(graph.nodes)
    found = False
    for name, node in graph.nodes.items():
        if isinstance(node.bound, Pregel):
            inner = _with_view(node.bound, names, look)
            nodes[name] = node.copy({"bound": inner, "subgraphs": [inner]})
            found = True
        elif name in names:
            nodes[name] = node.copy({"bound": _View(node.bound, look)})
            found = True
    if not found:
        listed = ", ".join(map(repr, graph.nodes))
        message = f"no node of this graph calls a model by its name ({listed}): give nodes=(...)"
        raise ValueError(message)
    return graph.copy({"nodes": nodes})


def _offers_recall(graph: Any) -> bool:
    """Whether a node of a graph, also of sub-graphs, runs our tool."""
    bound = [node.bound for node in graph.nodes.values()]
    tools = [tool for each in bound for tool in getattr(each, "tools_by_name", {}).values()]
    inner = [each for each in bound if isinstance(each, Pregel)]
    return any(map(is_recall_tool, tools)) or any(map(_offers_recall, inner))


def get_graph_thread(config: Mapping[str, Any] | None) -> str | None:
    """The thread that a configuration names, with the place of the sub-graph it runs in."""
    given = (config or {}).get("configurable") or {}
    thread = given.get("thread_id")
    place = str(given.get("checkpoint_ns") or "").rpartition("|")[0]
    return None if thread is None else f"{thread}|{place}"


def _messages(found: object, depth: int = 4) -> list[BaseMessage]:
    """The messages in a state or in a chunk of any stream mode, tokens excepted."""
    if isinstance(found, Mapping):
        inside = found.get("messages")
        if isinstance(inside, list | tuple):
            return [one for one in inside if isinstance(one, BaseMessage)]
        found = tuple(found.values())
    if not isinstance(found, tuple) or depth == 0:
        return []
    return [one for each in found for one in _messages(each, depth - 1)]


def _peek(state: object, name: str) -> Any:
    return state.get(name) if isinstance(state, Mapping) else getattr(state, name, None)


def _with(state: Any, name: str, messages: list[object]) -> Any:
    if isinstance(state, Mapping):
        return {**state, name: messages}
    if is_dataclass(state) and not isinstance(state, type):
        return replace(state, **{name: messages})
    return state.model_copy(update={name: messages})
