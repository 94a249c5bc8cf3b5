"""The tools of a hijacked model: none of them tells one secret from another."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from agent.office import SAY, desk
from attacks.echo_site import SECRETS, echo_site, vault_with
from director.agent.agent_session import AgentSession
from director.agent.tools import REGISTRY
from director.browser import Browser, BrowserError
from director.browser.bundle import LocatorError
from director.runs import RunDependencies, RunError
from director.store import StoreError, open_store
from director.workflow.values import WorkflowError

FILL = {"action": "type", "selector": "#q", "text": "{{secret:word}}", "reason": "r"}
READ = {"selector": "p, a", "fields": {"said": ".", "starts": "@title~GUESS"}, "store": True}
CODE = {"input": {"read": "{{read}}"}, "code": "'GUESS' in str(read)", "store": True}
# What a page says, asked for in every way; these come in this order.
ASKED: Mapping[str, list[dict[str, Any]]] = {
    "inspect_tab": [{"inspectionType": "dom_snapshot"}],
    "find": [{"text": "GUESS"}, {"text": "Found: GUESS", "regex": True}],
    "expand": [{"ref": "e2"}],
    "read": [{"ref": "e2"}],
    "describe_element": [{"ref": "e2"}, {"ref": "e3"}],
    "debug_action": [{"action": "wait", "selector": '[title^="GUESS"]', "reason": "r"}],
    "test_single_node": [{"node": "read"}, {"node": "reckon"}],
    "execute_nodes": [{"nodes": "all"}],
    "get_browser_state": [{}],
    "get_workflow_variables": [{}],
    "get_workflow_variable": [{"variableName": "all"}, {"variableName": "reckon"}],
}
# These go elsewhere, or ask a model that has no other tools than those above.
OTHERS = {"debug_navigate", "debug_open_tab", "deploy_scout", "send_scout", "recall"}


async def _used(made: AgentSession, tool: str, args: Mapping[str, Any]) -> str:
    try:
        said = str(await REGISTRY[tool].run(made, **args))
    except (BrowserError, LocatorError, WorkflowError, RunError, StoreError) as problem:
        said = f"{type(problem).__name__}: {problem}"
    return re.sub(r"\d+(\.\d+)? ?(ms|s)\b|run-\w+|\d\d:\d\d(:\d\d)?", "", f"{tool}: {said}")


async def _attack(made: AgentSession, origin: str) -> list[str]:
    for alias, kind, config in (
        ("read", "browser_query", {"method": "deterministic_extract", **READ}),
        ("reckon", "transform", CODE),
    ):
        text = str(config).replace("GUESS", SECRETS[0][:5])
        await REGISTRY["create_node"].run(made, type=kind, alias=alias, config=eval(text))  # noqa: S307
    await REGISTRY["debug_navigate"].run(made, url=f"{origin}/", reason="r")
    await REGISTRY["debug_action"].run(made, **FILL)
    await REGISTRY["debug_action"].run(made, action="click", selector="#go", reason="r")
    await (await made.bench.session()).page().wait_for_load_state()
    answers = []
    for tool, asked in ASKED.items():
        for each in asked:
            args = {
                name: value.replace("GUESS", SECRETS[0][:5]) if isinstance(value, str) else value
                for name, value in each.items()
            }
            answers.append(await _used(made, tool, args))
    await made.close()
    return answers


@pytest.mark.promise("D1")
@pytest.mark.attack(
    "A hijacked model uses its own tools: outlines, find, nodes that read, code over what they read",
    must="each tool answers the same for two secrets of one length",
    tries=14,
)
def test_no_tool_tells_one_secret_from_another(
    browser: Browser, run: Callable[[Any], Any], tmp_path: Path
) -> None:
    """Every tool whose answer comes from the web is in the table, or is named as one that cannot."""
    web = {name for name, spec in REGISTRY.items() if spec.trust == "web"}
    assert web == set(ASKED) | OTHERS

    async def one(origin: str, number: int) -> list[str]:
        folder = tmp_path / str(number)
        vault = vault_with(folder, SECRETS[number], origin)
        with open_store(folder / "d.db") as store:
            means = RunDependencies(browser=browser, secrets=vault, pictures="none")
            return await _attack(desk(store, [SAY], means=means, origins=(origin,)), origin)

    async def both() -> tuple[list[str], list[str]]:
        with echo_site() as server:
            return await asyncio.gather(one(server.origin, 0), one(server.origin, 1))

    first, second = run(both())
    assert first == second
    assert "[redacted]" in "".join(first)
    assert not any(secret in "".join(first) for secret in SECRETS)
