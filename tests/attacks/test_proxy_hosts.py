"""The proxy asked by strangers' pages: it would spend the user's keys and answer with their words."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest
from playwright.sync_api import sync_playwright

from attacks.listener import listening
from director.browser.chromium import find_chromium
from director.middleware.proxy import Proxy
from director.middleware.proxy.http_lines import ProxyRequest
from director.middleware.proxy.request_guard import RequestGuard
from director.models.script_values import Say
from director.testing.double import Double
from middleware.test_proxy import KEY, proxied
from web.pages.windows import FLAGS

HOSTS = (
    "evil.example",
    "evil.example:8788",
    "127.0.0.1.nip.io",
    "localhost.evil.example",
    "localhost.",
    "127.0.0.1.",
    "2130706433",
    "0x7f000001",
    "192.168.1.5",
    "user@127.0.0.1",
    "127.0.0.1@evil.example",
    "127.0.0.1/evil",
    "[",
    "",
)
PAGES: tuple[dict[str, str], ...] = (
    {"origin": "http://evil.example"},
    {"origin": "null"},
    {"origin": "http://127.0.0.1:1"},
    {"origin": "https://localhost"},
    {"origin": "file://"},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
    {"sec-fetch-site": "cross-site", "referer": "http://evil.example/"},
)
ROUTES = ("/v1/chat/completions", "/v1/messages", "/v1/models", "/director/state", "/director")
BODY = {"model": "m", "messages": [{"role": "user", "content": "Spend."}]}
EVIL = """
<script>
const body = JSON.stringify({"model": "m", "messages": [{"role": "user", "content": "Spend."}]});
const url = "%s/v1/chat/completions";
Promise.allSettled([
  fetch(url, {method: "POST", body, mode: "no-cors"}),
  fetch(url, {method: "POST", body, headers: {"content-type": "application/json"}}),
  fetch("%s/v1/models", {mode: "no-cors"}),
  new Promise((done) => Object.assign(new Image(), {onload: done, onerror: done, src: url})),
]).then(() => (document.title = "over"));
</script>
"""


@pytest.mark.attack(
    "A site points its name at this machine and asks the proxy (DNS rebinding)",
    must="421 on every path, and nothing reaches the provider",
    tries=14,
)
@pytest.mark.promise("F2")
def test_a_foreign_name_reaches_no_provider() -> None:
    """By every name that a browser could be led here with."""
    with Double("openai", [[Say("Hi.")]]) as double, proxied(double.url) as proxy:
        with httpx2.Client(base_url=proxy.url, timeout=60) as client:
            for host in HOSTS:
                for path in ROUTES:
                    headers = {"host": host, "authorization": f"Bearer {KEY}"}
                    told = client.post(path, json=BODY, headers=headers)
                    assert told.status_code in (400, 421), (host, path)
        assert double.exchanges == []


@pytest.mark.attack(
    "A stranger's page sends to the proxy across sites, with what browsers say of it",
    must="403 in words on every path, and nothing reaches the provider",
    tries=8,
)
@pytest.mark.promise("F3")
def test_a_page_that_was_not_allowed_reaches_no_provider() -> None:
    """By Origin, and by Sec-Fetch-Site where there is none."""
    with Double("openai", [[Say("Hi.")]]) as double, proxied(double.url) as proxy:
        with httpx2.Client(base_url=proxy.url, timeout=60) as client:
            for headers in PAGES:
                for path in ROUTES:
                    told = client.post(path, json=BODY, headers=headers)
                    assert told.status_code == 403, (headers, path)
                    assert "--allow-origin" in told.json()["error"]["message"]
        assert double.exchanges == []


@pytest.mark.attack(
    "A page in a real browser asks the proxy by fetch in each mode and by a picture",
    must="nothing reaches the provider",
    tries=4,
)
@pytest.mark.promise("F3")
def test_a_real_browsers_page_reaches_no_provider() -> None:
    """No header is forged: the browser itself says where the request comes from."""
    with (
        Double("openai", [[Say("Hi.")]]) as double,
        proxied(double.url) as proxy,
        listening() as stranger,
        sync_playwright() as playing,
    ):
        browser = playing.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        stranger.pages["/evil"] = ("text/html", EVIL % (proxy.url, proxy.url))
        page = browser.new_page()
        page.goto(f"{stranger.url}/evil")
        page.wait_for_function("document.title === 'over'", timeout=60_000)
        browser.close()
        assert double.exchanges == []


@pytest.mark.attack(
    "A request names another server in its first line",
    must="400, and nothing reaches the provider; allowed names and pages are served",
    tries=2,
)
@pytest.mark.promise("F2")
def test_what_is_allowed_is_served_and_nothing_beside_it() -> None:
    """The honest ways: our own names, a page and a name that were allowed, addresses elsewhere."""

    def asked(target: bytes = b"/v1/models", **headers: str) -> ProxyRequest:
        found = [(name.replace("_", "-").encode(), text.encode()) for name, text in headers.items()]
        return ProxyRequest(b"GET", target, found, b"")

    local = RequestGuard("127.0.0.1", names=["box"], origins=["http://localhost:3000/"])
    for good in (
        asked(host="127.0.0.1:8788"),
        asked(host="localhost"),
        asked(host="LOCALHOST:8788"),
        asked(host="[::1]:8788"),
        asked(host="box:8788"),
        asked(host="localhost:8788", origin="http://localhost:8788"),
        asked(host="localhost", origin="http://localhost:3000", sec_fetch_site="same-site"),
        asked(host="localhost", sec_fetch_site="none"),
    ):
        assert local.check(good) is None, good
    for target in (b"http://evil.example/v1/models", b"*"):
        refused = local.check(asked(target, host="localhost"))
        assert refused is not None
        assert refused[0].startswith(b"400")
    wide = RequestGuard("0.0.0.0")  # noqa: S104  nothing is listened on
    assert wide.check(asked(host="192.168.1.5:8788")) is None
    assert wide.check(asked(host="evil.example:8788")) is not None
    assert json.loads(_refused(wide)[2])["error"]["message"].endswith("--name NAME.")
    assert Proxy(1_000, "http://127.0.0.1:9", names=["box"]).guard.check(asked(host="box")) is None


def _refused(guard: RequestGuard) -> Any:
    return guard.check(ProxyRequest(b"GET", b"/", [(b"host", b"evil.example")], b""))
