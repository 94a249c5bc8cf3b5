"""A secret goes through whole turns; no form of its value is in anything that is sent or written."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import unquote

import pytest
from typer.testing import CliRunner

from agent.office import asks, at_double, desk
from browser.sites import Served, site
from director.agent.agent_session import AgentSession
from director.agent.compression.compression_proposal import CompressionTask
from director.agent.compression.thread_compression import compress_now
from director.agent.compression.thresholds import Marks
from director.agent.tools import TRUSTS
from director.agent.turn import take_turn
from director.agent.turn_context import gather_turn_context, read_turn_conversation
from director.browser import Browser
from director.cli import app
from director.models.script_engines.tape import Tape
from director.models.script_values import Emit, Say
from director.runs import RunDependencies
from director.secrets import KeyFile, Seal, Vault, list_encoded_forms
from director.store import open_store
from director.store.export import export_thread
from director.testing.double import Double
from models.talk import PROFILES

CANARY = "Pä\"s's&w+ör=d<%20>/ \\ 漢字🦝?"
SECRET = "{{secret:shop-password}}"  # noqa: S105  its reference
# It shows what was typed in every way that a page can, and asks its server for it.
ECHO = """<h1>Shop</h1><input id="pass" type="password"><input id="boom"
 oninput="const v = this.value; this.remove(); throw new Error(v)">
<button id="go">Go</button><p id="echo"></p><pre id="forms"></pre><a id="link">link</a><script>
go.onclick = () => {
  const v = pass.value, bytes = new TextEncoder().encode(v);
  echo.textContent = "You typed " + v;
  forms.textContent = [encodeURIComponent(v), JSON.stringify(v), btoa(String.fromCharCode(...bytes)),
    [...bytes].map((b) => b.toString(16).padStart(2, "0")).join("")].join("\\n");
  link.href = "/?p=" + encodeURIComponent(v); link.textContent = v; link.title = v;
  document.title = v; pass.type = "text"; localStorage.setItem("p", v); document.cookie = "p=" + btoa(
    String.fromCharCode(...bytes)); console.error(v);
  history.replaceState(null, "", "/?p=" + encodeURIComponent(v));
  fetch("/heard?p=" + encodeURIComponent(v));
};</script>"""


def steps(here: str, other: str) -> list[Sequence[Emit]]:
    """Used, echoed by the page, asked for by the model, and errors while it is held."""
    # The run at the end opens no page, so there it fails: soon.
    fill = {"action": "type", "selector": "#pass", "text": SECRET, "timeout": 1_000}
    said = {"method": "deterministic_extract", "selector": "body", "fields": {"said": "#echo"}}
    reckon = {"input": {"p": SECRET, "q": "{{shop}}"}, "code": "p + q", "store": True}
    return [
        [asks("set_variable", variableName="shop", value=SECRET, reason="told")],
        [asks("create_node", type="browser_action", alias="fill", config=fill)],
        [asks("debug_navigate", url=f"{here}/", reason="log in")],
        [
            asks("test_single_node", node="fill"),
            asks("debug_action", action="click", selector="#go", reason="r"),
        ],
        [
            asks("inspect_tab", inspectionType="dom_snapshot"),
            asks("find", text="typed"),
            asks("read", ref="e1"),
        ],
        [asks("create_node", type="browser_query", alias="look", config={**said, "store": True})],
        [asks("test_single_node", node="look"), asks("get_browser_state")],
        [asks("create_node", type="transform", alias="reckon", config=reckon)],
        [asks("test_single_node", node="reckon")],
        [asks("get_workflow_variables"), asks("get_workflow_variable", variableName="all")],
        [asks("get_workflow_variable", variableName="shop"), asks("get_workflow_nodes")],
        [asks("debug_action", action="type", selector="#boom", text=SECRET, reason="r")],
        [asks("debug_navigate", url=f"{here}/?p={SECRET}", reason="r")],
        [asks("debug_open_tab", url=f"{other}/", tabName="other")],
        [asks("debug_action", action="type", selector="#pass", text=SECRET, reason="r")],
        [asks("execute_nodes", nodes="all")],
        [Say(f"It is {SECRET}.")],
        [asks("recall", citation="t2"), asks("get_browser_state")],
        [Say("I cannot know it.")],
    ]


async def session(made: AgentSession) -> Iterator[str]:
    """Two messages and a compression; all that a program was told on the way."""
    told: list[str] = []
    made.progress = lambda one: told.append(repr(one))
    for text in ("Log in with the password of the shop.", "What is the password? Say it."):
        turn = await take_turn(made, text)
        told += [turn.text, repr(turn)]
    state = await gather_turn_context(made, read_turn_conversation(made, TRUSTS))
    told.append(repr(state))
    writer = made.talking(made.talks)
    marks = Marks(warn=300, at=400, to=20_000)
    done = await compress_now(CompressionTask(made.store, made.thread, state, writer, marks))
    told.append(repr(done))
    told += export_thread(made.store, made.thread)
    await made.close()
    return iter(told)


def written(folder: Path) -> dict[str, bytes]:
    """Every file under a folder."""
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.promise("D1")
@pytest.mark.promise("D4")
@pytest.mark.parametrize("profile", ["structured", pytest.param("clean", marks=pytest.mark.slow)])
def test_no_form_of_a_secret_leaves_a_session(  # noqa: PLR0917  what is swept
    runner: asyncio.Runner,
    browser: Browser,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    profile: str,
) -> None:
    """Requests, answers, logs, output, files, database and its log: as text and in every encoding."""
    caplog.set_level(logging.DEBUG)
    wire = {"structured": "responses", "clean": "anthropic"}[profile]
    pages: dict[str, Served | str] = {"/": ECHO, "/heard": "ok"}
    vault = Vault(tmp_path / "vault")
    with site(pages) as shop, site(pages) as other:
        vault.put("shop-password", CANARY, shop.origin)
        vault.allow_field("shop-password", shop.origin, "text id=boom")
        tape = Tape([*steps(shop.origin, other.origin), [Say("The shop was tried [1].")]])
        with Double(PROFILES[wire], tape) as double, open_store(tmp_path / "d.db") as store:
            means = RunDependencies(
                browser=browser, secrets=vault, seal=Seal(KeyFile(tmp_path / "key"))
            )
            origins = (shop.origin, other.origin)
            made = desk(store, tape, profile=profile, means=means, origins=origins)
            told = runner.run(session(at_double(made, double, wire)))
            places = {f"open {name}": found for name, found in written(tmp_path).items()}
            sent = [
                json.dumps([e.asked.body, e.answer.body], ensure_ascii=False)
                for e in double.exchanges
            ]
        heard = [one.path for one in shop.asked]
        assert [one.path for one in other.asked if "p=" in one.path] == []
    # It was really typed, and the page really told it to its own server.
    assert f"/heard?p={CANARY}" in map(unquote, heard)
    for command in (["request", "list"], ["request", "show", "9"], ["verify"]):
        shown = CliRunner().invoke(app, [*command, "--store", str(tmp_path / "d.db")])
        places[" ".join(command)] = shown.output.encode()
    places |= written(tmp_path)
    places |= {f"sent {nth}": text.encode() for nth, text in enumerate(sent)}
    places |= {"told": "\n".join(told).encode(), "log": caplog.text.encode()}
    places["printed"] = "".join(capfd.readouterr()).encode()
    assert SECRET.encode() in places["told"]
    assert b"[redacted]" in b"".join(places.values())
    leaks = [
        f"{form} in {place}"
        for place, content in places.items()
        for form, look_for in list_encoded_forms(CANARY).items()
        if look_for in content
    ]
    assert leaks == []
