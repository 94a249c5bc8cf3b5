"""The MCP server as clients meet it: in process, over stdio and over HTTP."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client.streamable_http import streamable_http_client

from director.agent.agent_session import AgentSession
from director.fresh_context import fresh
from director.mcp import make_server
from director.mcp.engine_tools import Fitting
from director.mcp.project_tools import Preparing
from director.mcp.workflow_tools import NAMES, Working
from director.runs import RunDependencies, save_run_workflow
from director.store import open_store
from director.workflow.values import Workflow
from mcp import Client, StdioServerParameters
from middleware import loops


def history(steps: int) -> list[Any]:
    """A request and the pages that were read for it."""
    return [{"role": "user", "content": loops.REQUEST}, *loops.turns(steps)]


def text(result: Any) -> str:
    """The text of a call's result."""
    return "\n".join(block.text for block in result.content if block.type == "text")


async def _fits(client: Client) -> None:
    """Fit, report and recall through a client."""
    names = [tool.name for tool in (await client.list_tools()).tools]
    assert names[:3] == ["fit", "recall", "report"]
    given = history(10)
    fitted = await client.call_tool("fit", {"messages": given, "budget": 3_000})
    assert not fitted.is_error
    said = json.loads(text(fitted))
    assert len(json.dumps(said["messages"])) < len(json.dumps(given)) / 2
    report = json.loads(text(await client.call_tool("report", {})))
    assert report["fits"]
    assert report["after"] < report["before"]
    for loss in report["losses"][:3]:
        original = await client.call_tool("recall", {"handle": loss["handle"]})
        assert not original.is_error
        assert text(original)
        part = {"handle": loss["handle"], "start": 3, "length": 40}
        assert text(await client.call_tool("recall", part)) == text(original)[3:43]


def test_fit_report_and_recall_serve_any_client() -> None:
    """What is fitted in one call is reported and read back in the next."""

    async def conversation() -> None:
        async with Client(make_server(Fitting())) as client:
            await _fits(client)

    asyncio.run(conversation())


def test_mistakes_are_results_that_a_model_can_read() -> None:
    """An unknown thread, strategy, handle or tool: said in words, and the server goes on."""

    async def conversation() -> list[Any]:
        async with Client(make_server(Fitting())) as client:
            calls: list[tuple[str, dict[str, Any]]] = [
                ("report", {"thread": "nowhere"}),
                ("fit", {"messages": history(1), "strategy": "magic"}),
                ("fit", {"messages": "none"}),
                ("recall", {"handle": "t1"}),
                ("create_node", {}),
            ]
            return [await client.call_tool(name, args) for name, args in calls]

    results = asyncio.run(conversation())
    assert all(result.is_error for result in results)
    assert "nowhere" in text(results[0])
    assert "magic" in text(results[1])
    assert "without a workflow" in text(results[4])


def test_a_workflow_is_built_read_and_run_through_the_protocol(tmp_path: Path) -> None:
    """Nodes are made, tested and run, and the six retrieval tools tell of them."""
    with open_store(f"sqlite:///{tmp_path / 'store.db'}") as store:
        save_run_workflow(store, Workflow("w", "Prices"))
        desk = AgentSession(store, "w", means=RunDependencies(pictures="none"))

        async def conversation() -> dict[str, str]:
            async with Client(make_server(Fitting(), Working(desk))) as client:
                names = [tool.name for tool in (await client.list_tools()).tools]
                assert set(NAMES) <= set(names)
                assert not {"ask_user", "deploy_scout"} & set(names)
                node = {"variables": {"greeting": "Hello"}}
                made = await client.call_tool(
                    "create_node", {"type": "context", "alias": "hello", "config": node}
                )
                said = {"create_node": text(made)}
                calls: list[tuple[str, dict[str, Any]]] = [
                    ("execute_nodes", {}),
                    ("get_workflow_summary", {}),
                    ("get_workflow_nodes", {"range": "all"}),
                    ("get_workflow_variables", {}),
                    ("get_current_plan", {}),
                    ("get_workflow_description", {}),
                    ("get_browser_state", {}),
                    ("debug_navigate", {"url": "https://example.com/", "reason": "look"}),
                ]
                for name, args in calls:
                    said[name] = text(await client.call_tool(name, args))
                await desk.close()
                return said

        said = asyncio.run(conversation())
    assert "hello" in said["create_node"]
    assert "hello" in said["get_workflow_nodes"]
    assert "success" in said["execute_nodes"]
    assert said["get_workflow_variables"].startswith("<variables>")
    assert "Prices" in said["get_workflow_summary"]
    assert "not approved" in said["debug_navigate"]


def test_fresh_contexts_of_a_project_are_given_through_the_protocol() -> None:
    """How far it is, what comes next, and the whole context for it; an unknown agent is said."""
    bakery = Path(__file__).parents[2] / "examples" / "bakery"

    async def conversation() -> list[Any]:
        async with Client(make_server(Fitting(), None, Preparing(bakery))) as client:
            calls: list[tuple[str, dict[str, Any]]] = [
                ("project_status", {}),
                ("next_task", {}),
                ("fresh_context", {"agent": "verifier"}),
                ("fresh_context", {"agent": "baker"}),
            ]
            return [await client.call_tool(name, args) for name, args in calls]

    status, then, made, unknown = asyncio.run(conversation())
    assert json.loads(text(status))["goals"]
    task = text(then).splitlines()[0]
    assert (bakery / task).is_file()
    assert text(made) == fresh(bakery, "verifier").text
    assert unknown.is_error
    assert "baker" in text(unknown)


def test_a_project_whose_files_are_no_utf8_is_given_too(tmp_path: Path) -> None:
    """The protocol carries text only: what is none is marked, and the rest arrives."""
    (tmp_path / ".director").mkdir()
    (tmp_path / ".director/VISION.md").write_bytes("# Vision\n\nBrötchen\n".encode("latin-1"))

    async def conversation() -> list[Any]:
        async with Client(make_server(Fitting(), None, Preparing(tmp_path))) as client:
            asked = {"agent": "interviewer"}
            return [
                await client.call_tool("fresh_context", asked),
                await client.call_tool("project_status", {}),
            ]

    made, status = asyncio.run(conversation())
    assert "Br\ufffdtchen" in text(made)
    assert "save it as UTF-8" in text(status)


def test_the_command_serves_over_stdio() -> None:
    """As a client's settings would start it."""
    program = StdioServerParameters(command=sys.executable, args=["-m", "director.cli", "mcp"])

    async def conversation() -> None:
        async with Client(program) as client:
            await _fits(client)

    asyncio.run(conversation())


def test_the_command_serves_over_http(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the address that it prints, for a client that sends the token."""
    token = "a-token-of-this-test"  # noqa: S105  of this test
    monkeypatch.setenv("DIRECTOR_MCP_TOKEN", token)

    async def conversation() -> None:
        started = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "director.cli", "mcp", "--http", "0"), stdout=-1
        )
        assert started.stdout is not None
        try:
            address = (await started.stdout.readline()).decode().strip()
            headers = {"authorization": f"Bearer {token}"}
            async with (
                httpx2.AsyncClient(headers=headers, timeout=60) as knows,
                Client(streamable_http_client(address, http_client=knows)) as client,
            ):
                await _fits(client)
        finally:
            started.terminate()
            await started.communicate()

    asyncio.run(conversation())
