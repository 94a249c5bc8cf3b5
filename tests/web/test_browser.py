"""The live browser of a workflow, seen from the app."""

from __future__ import annotations

import shutil

import pytest
from starlette.testclient import TestClient

from director.demo.site import Site
from director.web import AppState

API = "/api/workflows/w"
_PNG = b"\x89PNG\r\n\x1a\n"


@pytest.mark.skipif(not any(map(shutil.which, ("chromium", "google-chrome"))), reason="no browser")
def test_the_active_tab_is_shown_as_it_is(studio: AppState, client: TestClient) -> None:
    """A picture with a tag that says when it is the same; none is opened by looking."""
    assert client.get(f"{API}/browser").json() == {"open": False, "tabs": []}
    assert client.get(f"{API}/browser/picture").status_code == 404
    with Site().serve() as site:
        client.post(f"{API}/approvals", json={"origin": site.url, "answer": "approved"})
        goes = {"action": "navigate", "url": f"{site.url}/grid"}
        node = {"type": "browser_action", "alias": "go", "config": goes}
        assert client.post(f"{API}/nodes", json=node).status_code == 201
        tested = client.post(f"{API}/nodes/go/test", json={}).json()
        assert tested["failed"] is False, tested["text"]
        (tab,) = client.get(f"{API}/browser").json()["tabs"]
        assert (tab["url"], tab["active"]) == (f"{site.url}/grid", True)
        first = client.get(f"{API}/browser/picture")
        assert first.content.startswith(_PNG)
        again = client.get(
            f"{API}/browser/picture", headers={"if-none-match": first.headers["etag"]}
        )
        assert again.status_code in (200, 304)
        assert (again.status_code == 304) == (again.headers["etag"] == first.headers["etag"])
        assert client.delete(f"{API}/browser").status_code == 204
        assert client.get(f"{API}/browser/picture").status_code == 404
    assert studio.turns.is_on("w") is False
