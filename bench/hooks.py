"""Each way into an agent as a manager for the measure: `make() -> manage(messages, budget) -> messages`.

A recorded history is put into the form of the framework, passes its hook as the framework would
call it, and what the model would be shown is read back. Nothing is sent anywhere.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from peers import _plain as from_langchain

from director.audit.recorded_texts import Message
from director.audit.support_replay import Manage
from director.context.values import Budget, chars4
from director.context.wire import Wire, emit, parse
from director.context.wire.emitter import bare
from director.manager import ContextConfig
from director.middleware.managed_threads import FittedThreads

Hook: TypeAlias = Callable[[list[Message]], list[Message]]


def threads(budget: int, wire: Wire | None) -> FittedThreads:
    """Managed as the project's own engine is in the comparison with others."""
    # The measure counts a call as part of its message.
    counter = replace(chars4, per_call=0)
    config = ContextConfig(strategy="hybrid", budget=Budget(budget, counter=counter))
    config.max_snapshot_depth = 12
    return FittedThreads(config, wire=wire)


def converted(messages: Sequence[Any], wire: Wire, to: Wire) -> list[Any]:
    """The same history in another form."""
    return emit(bare(parse(messages, wire).context), to)


_PLACES = {"responses": ("instructions", "input"), "anthropic": ("system", "messages")}


def _body(api: Any, messages: list[Message]) -> dict[str, Any]:
    """The body of a request with that history."""
    if api == "chat":
        return {"messages": messages}
    instructions, place = _PLACES[api]
    if messages[0]["role"] != "system":
        return {place: converted(messages, "chat", api)}
    rest = converted(messages[1:], "chat", api)
    return {place: rest, instructions: messages[0]["content"]}


def _history(api: Any, body: Any) -> list[Message]:
    """The history in a body, as chat messages."""
    if api == "chat":
        return list(body["messages"])
    instructions, place = _PLACES[api]
    head = [{"role": "system", "content": body[instructions]}] if instructions in body else []
    return [*head, *converted(body[place], api, "chat")]


def client(api: Any) -> Callable[[int], Hook]:
    """A wrapped client; the same for each of the three APIs."""

    def hook(budget: int) -> Hook:
        from director.middleware.api_bodies import fit_body  # noqa: PLC0415

        managed = threads(budget, api)
        return lambda messages: _history(
            api, fit_body(_body(api, messages), api, managed, thread="one").body
        )

    return hook


def proxy(api: Any) -> Callable[[int], Hook]:
    """The proxy, from the bytes that came to the bytes that go on."""
    ends = {"chat": b"chat/completions", "responses": b"responses", "anthropic": b"messages"}

    def hook(budget: int) -> Hook:
        from director.middleware.proxy import Proxy  # noqa: PLC0415
        from director.middleware.proxy.http_lines import ProxyRequest  # noqa: PLC0415

        made = Proxy(threads(budget, None).config)

        def passed(messages: list[Message]) -> list[Message]:
            body = json.dumps(_body(api, messages)).encode()
            request = ProxyRequest(
                b"POST", b"/v1/" + ends[api], ((b"x-director-thread", b"one"),), body
            )
            return _history(api, json.loads(asyncio.run(made.prepare(request)).request.body))

        return passed

    return hook


def openai_agents(budget: int) -> Hook:
    """The input filter of OpenAI's Agents SDK."""
    from agents import Agent  # noqa: PLC0415
    from agents.run import CallModelData, ModelInputData  # noqa: PLC0415

    from director.middleware.openai_agents import InputFilter  # noqa: PLC0415

    fit = InputFilter(threads(budget, "responses"), thread="one")

    def passed(messages: list[Message]) -> list[Message]:
        body = _body("responses", messages)
        asked = ModelInputData(body["input"], body.get("instructions"))
        given: Any = CallModelData(asked, Agent("bench"), None)
        return _history("responses", {**body, "input": fit(given).input})

    return passed


def create_agent(budget: int) -> Hook:
    """LangChain's middleware."""
    from langchain.agents.middleware.types import ModelRequest  # noqa: PLC0415
    from langchain_core.messages import SystemMessage, convert_to_messages  # noqa: PLC0415
    from langchain_core.runnables import RunnableLambda  # noqa: PLC0415

    from director.middleware.langchain import ContextMiddleware  # noqa: PLC0415

    middleware = ContextMiddleware(threads(budget, "langchain"))
    shown: list[Any] = []

    def ask(messages: list[Any]) -> None:
        head = [m for m in messages[:1] if isinstance(m, SystemMessage)]
        request: Any = ModelRequest(
            model=None,  # type: ignore[arg-type]
            messages=messages[len(head) :],
            system_message=head[0] if head else None,
        )
        middleware.wrap_model_call(
            request,
            lambda asked: shown.append([*head, *asked.messages]),  # type: ignore[arg-type]
        )

    def passed(messages: list[Message]) -> list[Message]:
        RunnableLambda(ask).invoke(convert_to_messages(messages), _THREAD)
        return from_langchain(shown.pop(), messages)

    return passed


_THREAD: Any = {"configurable": {"thread_id": "one"}}


def pre_model_hook(budget: int) -> Hook:
    """The hook of the older agent."""
    from langchain_core.messages import convert_to_messages  # noqa: PLC0415
    from langchain_core.runnables import RunnableLambda  # noqa: PLC0415

    from director.middleware import langchain  # noqa: PLC0415

    fit = RunnableLambda(langchain.pre_model_hook(threads(budget, "langchain")))

    def passed(messages: list[Message]) -> list[Message]:
        shown = fit.invoke({"messages": convert_to_messages(messages)}, _THREAD)
        return from_langchain(shown["llm_input_messages"], messages)

    return passed


def managed_agent(budget: int) -> Hook:
    """`ContextManagedAgent` around a graph whose model node only looks."""
    from langchain_core.messages import convert_to_messages  # noqa: PLC0415
    from langgraph.graph import START, MessagesState, StateGraph  # noqa: PLC0415

    from director.middleware.langchain import ContextManagedAgent  # noqa: PLC0415

    shown: list[Any] = []

    def model(state: MessagesState) -> dict[str, Any]:
        shown.append(state["messages"])
        return {}

    graph = StateGraph(MessagesState).add_node("model", model).add_edge(START, "model")
    agent = ContextManagedAgent(graph.compile(), threads(budget, "langchain"))

    def passed(messages: list[Message]) -> list[Message]:
        agent.invoke({"messages": convert_to_messages(messages)}, _THREAD)
        return from_langchain(shown.pop(), messages)

    return passed


def pydantic_ai(budget: int) -> Hook:
    """What pydantic-ai's capability makes of the messages of a request."""
    from pydantic_ai.models import ModelRequestContext, ModelRequestParameters  # noqa: PLC0415

    from director.middleware.pydantic_ai import ContextCapability  # noqa: PLC0415

    fit = ContextCapability(threads(budget, "anthropic"), thread="one")

    def passed(messages: list[Message]) -> list[Message]:
        request = ModelRequestContext(
            model=None,  # type: ignore[arg-type]
            messages=to_pydantic(messages),
            model_settings=None,
            model_request_parameters=ModelRequestParameters(),
        )
        shown = asyncio.run(fit.before_model_request(None, request))  # type: ignore[arg-type]
        return from_pydantic(shown.messages)

    return passed


def to_pydantic(messages: list[Message]) -> list[Any]:
    """Messages of pydantic-ai."""
    from pydantic_ai import messages as parts  # noqa: PLC0415

    made: list[Any] = []
    for message in messages:
        role, said = message["role"], message.get("content") or ""
        if role == "assistant":
            calls = [
                parts.ToolCallPart(c["function"]["name"], c["function"]["arguments"], c["id"])
                for c in message.get("tool_calls") or ()
            ]
            made.append(parts.ModelResponse([*([parts.TextPart(said)] if said else []), *calls]))
        elif role == "tool":
            name = message.get("name") or "tool"
            made.append(
                parts.ModelRequest([parts.ToolReturnPart(name, said, message["tool_call_id"])])
            )
        else:
            kind: Any = parts.SystemPromptPart if role == "system" else parts.UserPromptPart
            made.append(parts.ModelRequest([kind(said)]))
    return made


def from_pydantic(messages: Sequence[Any]) -> list[Message]:
    """Chat messages again."""
    made: list[Message] = []
    for message in messages:
        if message.kind == "response":
            text = "".join(part.content for part in message.parts if part.part_kind == "text")
            calls = [_call(part) for part in message.parts if part.part_kind == "tool-call"]
            said: Message = {"role": "assistant", "content": text}
            made.append(said | ({"tool_calls": calls} if calls else {}))
            continue
        for part in message.parts:
            if part.part_kind == "tool-return":
                answered = {"role": "tool", "tool_call_id": part.tool_call_id}
                made.append(answered | {"content": part.model_response_str()})
            else:
                role = "system" if part.part_kind == "system-prompt" else "user"
                made.append({"role": role, "content": part.content})
    return made


def _call(part: Any) -> dict[str, Any]:
    function = {"name": part.tool_name, "arguments": part.args_as_json_str()}
    return {"id": part.tool_call_id, "type": "function", "function": function}


HOOKS: dict[str, Callable[[int], Hook]] = {
    "create_agent": create_agent,
    "pre_model_hook": pre_model_hook,
    "ContextManagedAgent": managed_agent,
    "OpenAI Agents": openai_agents,
    "pydantic-ai": pydantic_ai,
    "client": client("chat"),
    "client, Responses": client("responses"),
    "client, Anthropic": client("anthropic"),
    "proxy": proxy("chat"),
    "proxy, Anthropic": proxy("anthropic"),
}


def making(hook: Callable[[int], Hook]) -> Callable[[], Manage]:
    """A hook as a manager that is made anew for each run."""

    def make() -> Manage:
        hooks: dict[int, Hook] = {}

        def manage(messages: list[Message], budget: int) -> list[Message]:
            if budget not in hooks:
                hooks[budget] = hook(budget)
            return hooks[budget](messages)

        return manage

    return make
