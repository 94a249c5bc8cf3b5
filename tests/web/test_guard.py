"""What no request gets past, on every route there is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from fastapi import FastAPI
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from director.runs import RunDependencies, queue_run
from director.store import Store
from director.web import AppState, make_app
from director.web.guard.access import SHELL, OwnNames
from director.web.guard.body_limits import MOST, find_limit
from director.web.sessions import Tickets
from web.asking import Ask, statuses
from web.rooms import HOME, PORT, WORKFLOW, a_studio, enter, key_of, let_in
from web.routes import bodies, routes, unsafe

HOSTS = (
    "evil.com",
    f"evil.com:{PORT}",
    f"localhost.evil.com:{PORT}",
    f"127.0.0.1.nip.io:{PORT}",
    f"[::1]:{PORT}",
    "[::1]",
    f"127.0.0.1.:{PORT}",
    f"localhost.:{PORT}",
    f"user@127.0.0.1:{PORT}",
    f"127.0.0.1:{PORT}@evil.com",
    "127.0.0.1",
    "127.0.0.1:80",
    f"127.0.0.1:0{PORT}",
    f"2130706433:{PORT}",
    f" 127.0.0.1:{PORT}",
    "",
)
OPEN = ("/launch", "/login", "/here", "/resume", "/static/app.css")
NEVER = ("seq", "trust", "history", "summary", "covers", "entries", "kind", "head")
CROSSING: tuple[dict[str, str], ...] = (
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
    {"sec-fetch-site": "none"},
    {"origin": "http://evil.com"},
    {"origin": "null"},
    {"origin": f"https://127.0.0.1:{PORT}"},
    {"origin": "http://127.0.0.1:1234"},
    {"origin": f"http://localhost:{PORT}"},
    {"sec-fetch-site": "same-origin", "origin": "http://evil.com"},
    {"sec-fetch-site": "cross-site", "origin": HOME},
)


def _not(status: int, app: FastAPI, asks: list[Ask]) -> list[tuple[Ask, int]]:
    """The requests that were answered otherwise."""
    pairs = zip(asks, statuses(app, asks), strict=True)
    return [(ask, found) for ask, found in pairs if found != status]


@pytest.mark.promise("F2")
@pytest.mark.parametrize("known", [False, True])
def test_a_request_for_another_host_is_refused_on_every_route(
    studio: AppState, *, known: bool
) -> None:
    """Whoever points a name at this machine gets nothing, with a session or without."""
    app = make_app(studio)
    session = key_of(studio) if known else {}
    asks = [
        Ask(method, path, {**session, "host": host})
        for method, path in routes(app)
        for host in HOSTS
    ]
    assert len({ask.path for ask in asks}) > 60
    assert _not(421, app, asks) == []


def test_bare_addresses_are_names_only_where_all_are_listened_to() -> None:
    """No name can be pointed at an address that is written out."""
    names = OwnNames(["box"], 80, addresses=True)
    assert all(host in names for host in ("box", "box:80", "10.1.2.3:80", "[fe80::1]:80"))
    strange = ("10.1.2.3", "10.1.2.3.nip.io:80", "fe80::1:80", "10.1.2.3:8", "evil.com:80", "")
    assert not any(host in names for host in strange)


@pytest.mark.promise("F3")
def test_another_sites_page_changes_nothing(studio: AppState) -> None:
    """Every route that changes something, with the session, from wherever a page may be."""
    app, session = make_app(studio), key_of(studio)
    asks = [
        Ask(method, path, {**session, **headers}, b"{}")
        for method, path in unsafe(app)
        for headers in CROSSING
    ]
    assert len(asks) > 250
    assert _not(403, app, asks) == []


@pytest.mark.promise("F3")
def test_our_own_page_and_a_program_that_is_no_browser_may(client: TestClient) -> None:
    """A browser says that it is our page; a program says nothing and has the session."""
    for headers in ({}, {"origin": HOME, "sec-fetch-site": "same-origin"}):
        made = client.post("/api/workflows", json={"name": "Mine"}, headers=headers)
        assert made.status_code == 201


@pytest.mark.promise("F3")
@pytest.mark.promise("E4")
def test_no_response_lets_another_site_read_it_or_a_page_load_anything(
    studio: AppState, client: TestClient
) -> None:
    """Refusals, errors and files carry the same headers; none speaks of other origins."""
    strange = {"origin": "http://evil.com", "access-control-request-method": "POST"}
    asked = [
        client.get("/"),
        client.get("/static/app.css"),
        client.get("/api/workflows"),
        client.get("/nowhere"),
        client.get("/api/workflows", headers={"host": "evil.com"}),
        client.options("/api/workflows", headers=strange),
        client.post("/api/workflows", headers=strange, json={}),
        TestClient(make_app(studio), base_url=HOME).get("/"),
    ]
    for response in asked:
        assert not [name for name in response.headers if name.startswith("access-control")]
        policy = response.headers["content-security-policy"]
        is_page = response.headers.get("content-type", "").startswith("text/html")
        assert policy.startswith(
            "default-src 'self';" if is_page else "default-src 'none'; sandbox;"
        )
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert response.headers["referrer-policy"] == "no-referrer"
        assert response.headers["x-content-type-options"] == "nosniff"


@pytest.mark.promise("F3")
def test_there_are_no_sockets(client: TestClient) -> None:
    """Whoever asks for one is sent away."""
    with pytest.raises(WebSocketDisconnect) as gone, client.websocket_connect("/events"):
        raise AssertionError("open")
    assert gone.value.code == 1008


@pytest.mark.promise("F4")
def test_every_route_needs_the_key(studio: AppState) -> None:
    """Pages, streams, the description of the API: all but the ways in and our own files."""
    app = make_app(studio)
    keys = ("", "Bearer", "Bearer ", "Bearer guess", "Basic guess", "guess", "\x00")
    asks = [
        Ask(method, path, {"authorization": key} if key else {})
        for method, path in routes(app)
        if path not in OPEN
        for key in keys
    ]
    assert len({ask.path for ask in asks}) > 60
    assert _not(401, app, asks) == []


@pytest.mark.promise("F4")
def test_whoever_opens_a_page_without_a_key_gets_the_same_few_lines(client: TestClient) -> None:
    """The shell says nothing of anyone: whatever page is asked for, whether it is there or not."""
    without = TestClient(client.app, base_url=HOME, headers={"accept": "text/html"})
    found = {without.get(path).content for path in ("/", "/w/w", "/settings", "/w/none", "/x")}
    assert found == {SHELL}
    for path in ("/api/workflows", "/api/openapi.json", "/events"):
        assert without.get(path).status_code == 401


@pytest.mark.promise("F4")
def test_a_ticket_is_good_for_one_request_of_one_path(studio: AppState, client: TestClient) -> None:
    """For what cannot send a header; afterwards its address is worth nothing."""
    path = "/api/workflows/w/export"
    ticket = client.post("/api/tickets", json={"path": path}).json()["ticket"]
    key = client.headers.pop("authorization")
    assert client.get(f"/api/workflows?ticket={ticket}").status_code == 401
    assert client.get(f"{path}?ticket={ticket}").status_code == 401  # it was used up
    good = studio.sessions.tickets.issue(path)
    assert client.get(f"{path}?form=script&ticket={good}").status_code == 200
    assert client.get(f"{path}?form=script&ticket={good}").status_code == 401
    other = studio.sessions.tickets.issue("/api/workflows")
    assert client.post(f"/api/workflows?ticket={other}", json={}).status_code == 401
    assert client.post("/api/tickets", json={"path": path}).status_code == 401
    late = Tickets(seconds=0.0)
    assert late.redeem(late.issue(path), path) is False
    client.headers["authorization"] = key


@pytest.mark.promise("F4")
def test_the_launch_link_works_once(studio: AppState) -> None:
    """It gives a key; there is no cookie, which a browser would send to every port."""
    with TestClient(make_app(studio), base_url=HOME) as client:
        link = studio.sessions.link()
        enter(client, link)
        assert client.get("/").status_code == 200
        assert not client.cookies
        del client.headers["authorization"]
        assert client.post("/launch", json={"link": link}).status_code == 401
        assert client.get("/").status_code == 401


@pytest.mark.promise("F4")
def test_a_window_gets_to_the_next_start_by_a_sealed_link(store: Store, tmp_path: Path) -> None:
    """Its key ends with the program; what it holds in memory opens a new link, once."""
    first = a_studio(store, tmp_path)
    unused = first.sessions.link()
    with let_in(first) as client:
        key = client.headers["authorization"]
        kept = client.post("/api/handover").json()
        assert client.get("/resume", params={"id": kept["id"]}).status_code == 404
    assert (tmp_path / "sessions.json").stat().st_mode & 0o077 == 0
    with TestClient(make_app(a_studio(store, tmp_path)), base_url=HOME) as again:
        assert again.post("/launch", json={"link": unused}).status_code == 401
        assert again.get("/api/workflows", headers={"authorization": key}).status_code == 401
        told = again.get("/resume", params={"id": kept["id"]}).json()
        cipher = AESGCM(bytes.fromhex(kept["key"]))
        sealed, nonce = bytes.fromhex(told["sealed"]), bytes.fromhex(told["nonce"])
        link = json.loads(cipher.decrypt(nonce, sealed, None))["link"]
        assert link not in str(told)
        enter(again, link)
        assert again.get("/api/workflows").status_code == 200
        assert again.post("/launch", json={"link": link}).status_code == 401


@pytest.mark.promise("F4")
def test_the_password_lets_in_and_cannot_be_guessed_quickly(store: Store, tmp_path: Path) -> None:
    """After a few wrong ones even the right one must wait."""
    form = {"content-type": "application/x-www-form-urlencoded"}
    studio = a_studio(store, tmp_path, password="correct horse")  # noqa: S106  a test's
    with TestClient(make_app(studio), base_url=HOME) as client:
        shown = {"accept": "text/html", "authorization": "Bearer"}
        assert "password" in client.get("/", headers=shown).text
        wrong = client.post("/login", content="password=wrong", headers=form)
        assert wrong.status_code == 401
        right = client.post("/login", content="password=correct+horse", headers=form)
        key = {"authorization": f"Bearer {right.json()['key']}"}
        assert client.get("/", headers=key).status_code == 200
        tries = [
            client.post("/login", content="password=no", headers=form).status_code for _ in range(8)
        ]
        assert tries[-1] == 429
        assert (
            client.post("/login", content="password=correct+horse", headers=form).status_code == 429
        )


@pytest.mark.promise("F5")
def test_a_body_that_is_too_large_is_refused_early(studio: AppState, client: TestClient) -> None:
    """By what it says of its length, and by what really comes."""

    def endless() -> Any:
        for _ in range(3):
            yield b" " * MOST

    app, session = make_app(studio), key_of(studio)
    json_ = {**session, "content-type": "application/json"}
    asks = [
        Ask(method, path, {**json_, "content-length": str(find_limit(path) + 1)})
        for method, path in unsafe(app)
    ]
    assert _not(413, app, asks) == []
    chunked = client.post(
        "/api/workflows", content=endless(), headers={"content-type": "application/json"}
    )
    assert chunked.status_code == 413


@pytest.mark.promise("F5")
def test_a_body_of_the_wrong_kind_or_form_is_refused(
    store: Store, studio: AppState, client: TestClient
) -> None:
    """415 for what is not JSON, 422 for what is not of the form; nothing is repeated."""
    app, session = make_app(studio), key_of(studio)
    queue_run(store, WORKFLOW, RunDependencies(), id_="r1")
    described = list(bodies(app))
    assert len(described) > 20
    asks = [
        Ask(method, path, {**session, "content-type": kind, "content-length": "2"}, b"{}")
        for method, path, _ in described
        for kind in ("text/plain", "application/x-www-form-urlencoded", "")
    ]
    assert _not(415, app, asks) == []
    json_ = {"content-type": "application/json"}
    for method, path, _ in described:
        for content in (b"{", b'"text"', b"[]", b"NaN", b"[" * 5_000, b'{"x": canary-in-a-body}'):
            wrong = client.request(method, path, content=content, headers=json_)
            assert wrong.status_code in (400, 422), (path, content[:20])
            assert set(wrong.json()) == {"error", "kept", "next"}
            assert "canary-in-a-body" not in wrong.text


@pytest.mark.promise("F6")
def test_no_body_takes_a_field_that_it_does_not_name(store: Store, client: TestClient) -> None:
    """Every schema is closed, and what would be history, trust or order is in none."""
    queue_run(store, WORKFLOW, RunDependencies(), id_="r1")
    named: set[str] = set()
    for method, path, schema in bodies(client.app):  # type: ignore[arg-type]
        assert schema["additionalProperties"] is False, path
        named |= set(schema["properties"])
        sent = client.request(method, path, json=dict.fromkeys(NEVER, 1))
        assert sent.status_code == 422, path
        assert all(f"body.{field}: Extra" in sent.json()["error"] for field in NEVER), path
    assert not named & set(NEVER)


@pytest.mark.promise("F6")
@pytest.mark.parametrize("value", ["\\ud800", "1e999", "[" * 100 + "]" * 100])
def test_what_could_not_be_read_again_is_not_taken(client: TestClient, value: str) -> None:
    """Half a character, a number that is none, what is nested without end."""
    text = f'"{value}"' if value.startswith("\\") else value
    sent = client.put(
        "/api/workflows/w/variables/x",
        content=f'{{"value": {text}, "reason": "why"}}',
        headers={"content-type": "application/json"},
    )
    assert sent.status_code == 422
    assert client.get("/api/workflows/w/variables").json() == []


def test_what_nobody_foresaw_is_told_in_words_without_a_secret(
    studio: AppState, client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    """No traceback in the answer; in the log it has lost what the vault holds."""
    secret = "hunter2-is-long-enough"  # noqa: S105  a test's
    studio.supplies.vault.put("door", secret, "https://example.com")

    def broken(_: str) -> None:
        raise RuntimeError(f"broke with {secret}")

    studio.check_workflow = broken  # type: ignore[method-assign]
    answer = client.get("/api/workflows/w")
    assert answer.status_code == 500
    assert "RuntimeError" in answer.json()["error"]
    assert secret not in answer.text + caplog.text
    assert "RuntimeError" in caplog.text
    assert json.dumps(answer.json())
