"""Addresses: what is put into them stays one value, and an error page is not what was meant."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from director.runs import list_run_steps, run_workflow
from director.runs.playwright_script import write_playwright_script
from director.runs.run_journal import encode_step
from director.secrets import Vault
from director.store import Store
from director.workflow.templates import Template, resolve_templates
from director.workflow.values import Json, Workflow, WorkflowError
from runs.answers import Form, sent_to, serve_answers
from runs.building import flow, node, pages, result, setting, statuses
from runs.conftest import Live

SHOW = """<p id=who></p><script>
who.textContent = new URLSearchParams(location.search).get("reader");</script>"""
READS = {"method": "deterministic_extract", "selector": "#who"}


def workflow(origin: str, reader: str) -> Workflow:
    """Opens a page with a value in its address, and reads what arrived."""
    return flow(
        setting("given", reader=reader),
        node(
            "open", "browser_action", action="navigate", url=f"{origin}/?reader={{{{reader}}}}&x=1"
        ),
        node("read", "browser_query", **READS, store=True),
        origin=origin,
    )


@pytest.mark.parametrize(
    "reader", ["Ida Holm&Co=1", "Ida Holm#x", "Ida+Holm", "Ida%20Holm", "Åse/?"]
)
def test_a_value_in_an_address_arrives_as_it_is(live: Live, store: Store, reader: str) -> None:
    """Whatever signs it holds: it adds no parameter, ends none and is not decoded."""
    with pages(index=SHOW) as origin:
        run = live.run(run_workflow(store, workflow(origin, reader), live.means()))
        assert run.state == "done", run.error
        assert result(store, run, "read")["items"] == [reader]


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("{{a}}", "b c&d"),
        ("http://x/{{a}}?q=1", "http://x/b c&d?q=1"),
        ("http://x/?{{a}}", "http://x/?b c&d"),
        ("http://x/?q={{a}}-{{a}}&r={{a}}", "http://x/?q=b%20c%26d-b%20c%26d&r=b%20c%26d"),
        ("http://x/?q=1#{{a}}", "http://x/?q=1#b c&d"),
        ("http://x/?q={{secret:s}}", "http://x/?q={{secret:s}}"),
    ],
)
def test_only_the_value_of_a_parameter_is_encoded(url: str, found: str) -> None:
    """What may be an address itself, a path or several parameters is put in as it is."""

    def lookup(_: Template) -> Json:
        return "b c&d"

    assert resolve_templates(url, lookup, within="address") == found


def test_an_error_page_fails_the_node_that_opened_it(live: Live, store: Store) -> None:
    """A page that is not there cannot say that nothing was found; one that is meant can be read."""
    with pages(index=SHOW) as origin:
        gone = {"action": "navigate", "url": f"{origin}/gone"}
        run = live.run(run_workflow(store, _opens(origin, **gone), live.means()))
        assert run.state == "failed"
        assert "answered with an error, 404" in str((run.error or {})["message"])
        run = live.run(run_workflow(store, _opens(origin, **gone, any_status=True), live.means()))
        assert statuses(store, run) == {"open": "success"}


def test_a_page_may_have_its_own_time_to_load(live: Live, store: Store) -> None:
    """The node fails after its `timeout`; the script waits as long."""
    asked, done = threading.Event(), threading.Event()

    def wait(_: Form) -> str:
        asked.set()
        done.wait(60)
        return SHOW

    with serve_answers() as site:
        site["/slow"] = wait
        for more in ({"action": "navigate"}, {"action": "openNewTab", "name": "second"}):
            slow = _opens(site.origin, **more, url=f"{site.origin}/slow", timeout=400)
            run = live.run(run_workflow(store, slow, live.means()))
            assert run.state == "failed"
            assert "400ms" in str((run.error or {})["message"])
        done.set()
    assert asked.is_set()


def test_a_script_opens_pages_within_the_same_time() -> None:
    """By `navigate` and `openNewTab`, and with `any_status` in both."""
    more: dict[str, Json] = {"url": "https://a.test/", "any_status": True, "timeout": 90_000}
    for action in ({"action": "navigate"}, {"action": "openNewTab", "name": "second"}):
        written = write_playwright_script(_opens("https://a.test", **action, **more))
        assert "'https://a.test/', any_status=True, timeout=90000)" in written
    for wrong in (0, "soon"):
        with pytest.raises(WorkflowError, match="timeout"):
            _opens("https://a.test", **{**more, "action": "navigate", "timeout": wrong})


def test_a_script_does_the_same(tmp_path: Path) -> None:
    """It encodes what the run encodes and fails where the run fails."""
    with pages(index=SHOW) as origin:
        done = _play(tmp_path, write_playwright_script(workflow(origin, "Ida Holm&Co")))
        assert done.returncode == 0, done.stderr
        kept = json.loads((tmp_path / "out.json").read_text())["variables"]
        assert (kept.get("read.result") or kept["read"]["result"])["items"] == ["Ida Holm&Co"]
        failed = _play(
            tmp_path,
            write_playwright_script(_opens(origin, action="navigate", url=f"{origin}/gone")),
        )
        assert failed.returncode == 1
        assert "answered with an error, 404" in failed.stderr


def _opens(origin: str, **config: Json) -> Workflow:
    return flow(node("open", "browser_action", **config), origin=origin)


def _play(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    script = folder / "script.py"
    script.write_text(text)
    command = [sys.executable, str(script), "--out", str(folder / "out.json")]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=240
    )


@pytest.mark.parametrize("password", ["admin", "canary-9-swordfish"])
@pytest.mark.parametrize(
    ("asked", "path", "holds"),
    [
        ({"url": "*/admin/users"}, "/admin/users", True),
        ({"url": "*/admin/users"}, "/shop01/users", False),
        ({"url": "*/admin/*"}, "/shop01/users", False),
        ({"url": "*/*/users"}, "/admin/users", True),
        ({"url_matches": r"/admin/users$"}, "/admin/users", True),
        ({"url_matches": r"^(?!.*/admin/)"}, "/shop01/users", True),
        ({"url_matches": r"^(?!.*/admin/)"}, "/admin/users", False),
        ({"status": "*/admin/users", "is": 200}, "/admin/users", True),
        ({"status": "*/admin/users", "is": 200}, "/shop01/users", False),
    ],
)
def test_a_common_word_in_the_vault_changes_no_condition(  # noqa: PLR0917  fixtures
    live: Live,
    store: Store,
    tmp_path: Path,
    password: str,
    asked: dict[str, Json],
    path: str,
    holds: bool,  # noqa: FBT001  a parameter of the test
) -> None:
    """An address is compared as it is; another secret in the same place is not what was asked for."""
    vault = Vault(tmp_path / "vault", b"k" * 32)
    vault.put("other", password, "https://other.test")
    vault.put("third", "shop01", "https://other.test")
    with serve_answers() as site:
        site[path] = "<h1>Users</h1>"
        opened = node("open", "browser_action", action="navigate", url=f"{site.origin}{path}")
        workflow = flow({**opened, "ensures": [{**asked, "within": 200}]}, origin=site.origin)
        run = live.run(run_workflow(store, workflow, live.means(secrets=vault)))
    assert run.state == ("done" if holds else "failed"), run.error
    told = json.dumps(next(encode_step(each) for each in list_run_steps(store, run.id))["evidence"])
    assert not re.search(r"found\": \"[^\"]*(shop01|canary)", told)


@pytest.mark.parametrize(
    ("asked", "holds"),
    [
        ({"url": "*?token=[redacted]"}, True),
        ({"url": "*?token=*"}, True),
        ({"url": "*?token=canary*"}, False),
        ({"url": "*swordfish"}, False),
        ({"url_matches": "token=c"}, False),
        ({"url_matches": "token=.{18}$"}, False),
        ({"status": "*token=canary*", "is": 200}, False),
    ],
)
def test_a_condition_on_an_address_tells_no_part_of_a_secret(
    live: Live, store: Store, tmp_path: Path, *, asked: dict[str, Json], holds: bool
) -> None:
    """It may name the place of a secret, or the mark that is shown there; no letter of it."""
    vault = Vault(tmp_path / "vault", b"k" * 32)
    vault.put("token", "canary-9-swordfish", "https://other.test")
    with serve_answers() as site:
        site["/"] = sent_to("/in?token=canary-9-swordfish")
        site["/in"] = "<h1>In</h1>"
        opened = node("open", "browser_action", action="navigate", url=f"{site.origin}/")
        workflow = flow({**opened, "ensures": [{**asked, "within": 200}]}, origin=site.origin)
        run = live.run(run_workflow(store, workflow, live.means(secrets=vault)))
    assert run.state == ("done" if holds else "failed"), run.error
    assert "canary-9-swordfish" not in json.dumps(run.error)
