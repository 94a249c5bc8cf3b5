"""While the app works on something hostile, a second client gets its page."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from agent.office import opening
from attacks.strangers import Visit, stranger
from attacks.test_patterns import ENDLESS, SLOW
from attacks.test_patterns import LONG as BACKTRACKS
from attacks.test_provider_streams import ENV, ONCE, chunk, streams
from attacks.test_sandbox import FOLDED
from attacks.test_slow_clients import LIMIT, served
from director.agent.agent_session import Opens
from director.models import Journal, Model, open_model
from director.models.script_engines.tape import Tape
from director.models.script_values import Ask
from director.store import Store
from web.rooms import key_of

ANSWER = [[Ask("answer", json.dumps({"value": BACKTRACKS}))]]


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIRECTOR_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("DIRECTOR_MODEL", "scripted:test")


def answered_meanwhile(
    store: Store, folder: Path, attack: Callable[[httpx.Client], None], opens: Opens | None = None
) -> None:
    """The first client attacks; the second asks for pages until that is over, and once more."""
    with served(store, folder, opens=opens) as (studio, _, port):
        given: dict[str, Any] = {"base_url": f"http://127.0.0.1:{port}", "timeout": LIMIT}
        with (
            httpx.Client(**given, headers=key_of(studio)) as first,
            httpx.Client(**given, headers=key_of(studio)) as second,
            ThreadPoolExecutor(1) as pool,
        ):
            attacking = pool.submit(attack, first)
            over = False
            while not over:
                over = attacking.done()
                assert second.get("/").status_code == 200
                assert second.get("/api/workflows").status_code == 200
            attacking.result()


def ends(client: httpx.Client, run: str) -> dict[str, Any]:
    """A run after its end."""
    until = time.monotonic() + LIMIT
    while time.monotonic() < until:
        found: dict[str, Any] = client.get(f"/api/runs/{run}").json()["run"]
        if found["state"] in ("done", "failed"):
            return found
    raise AssertionError(f"the run is still {found['state']}")


def runs(*nodes: dict[str, Any]) -> Callable[[httpx.Client], None]:
    """Take a workflow in and run it to its end."""

    def attack(client: httpx.Client) -> None:
        document = {"version": 1, "id": "hostile", "name": "H", "nodes": list(nodes)}
        made = client.post("/api/workflows/import", json={"document": document})
        assert made.status_code == 201, made.text
        begun = client.post(f"/api/workflows/{made.json()['id']}/runs", json={})
        assert begun.status_code == 201, begun.text
        assert ends(client, begun.json()["run"]["id"])["state"] == "failed"

    return attack


def _node(type_: str, **config: Any) -> dict[str, Any]:
    return {"id": "n", "alias": "n", "type": type_, "config": config}


FOLDS = ("lists 60 deep", "many parts", "a long text", "a long number")
CODE = {
    **{name: FOLDED[name] for name in FOLDS},
    "no end": "while True:\n    pass\n1",
    "much memory": "x = 'x' * 10**7\n[x + str(i) for i in range(999)]",
}


@pytest.mark.attack(
    "A workflow's code unfolds, never ends or takes all memory, in the app",
    must="the run fails, and a second client gets its page meanwhile",
    tries=6,
)
@pytest.mark.parametrize("code", CODE.values(), ids=CODE)
def test_pages_are_served_while_code_is_hostile(store: Store, tmp_path: Path, code: str) -> None:
    """The sandbox works beside the loop, in a bounded time."""
    answered_meanwhile(store, tmp_path, runs(_node("transform", code=code, store=True)))


@pytest.mark.attack(
    "A workflow's pattern backtracks for ever over what a model answered, in the app",
    must="the run fails, and a second client gets its page meanwhile",
    tries=2,
)
@pytest.mark.parametrize("pattern", [SLOW[0], ENDLESS[0]])
def test_pages_are_served_while_a_pattern_is_hostile(
    store: Store, tmp_path: Path, pattern: str
) -> None:
    """By RE2, and by the worker that is ended."""
    schema = {"type": "string", "pattern": pattern}
    attack = runs(_node("cognition", instruction="x", schema=schema))
    answered_meanwhile(store, tmp_path, attack, opening(Tape(ANSWER)))


def _document(nodes: Sequence[Any] | str) -> bytes:
    inner = nodes if isinstance(nodes, str) else json.dumps(nodes)
    return f'{{"document": {{"version": 1, "id": "d", "name": "D", "nodes": {inner}}}}}'.encode()


def _one(at: int) -> dict[str, Any]:
    return {"id": f"n{at}", "alias": f"a{at}", "type": "transform", "config": {"code": "1"}}


def _loop(at: int, body: str) -> dict[str, Any]:
    config = {"over": [1], "variable": "x", "body": body}
    return {**_one(at), "type": "iterate", "config": config}


WIDE = "(?i)" + "[\x80-\uffff]" * 50
DOCUMENTS: dict[str, bytes] = {
    "deep": _document("[" * 200_000 + "]" * 200_000),
    "a long number": _document("9" * 900_000),
    "braces": _document([_node("context", variables={"a": "{{" * 400_000})]),
    "many nodes": _document([_one(at) for at in range(8_000)]),
    "names in a ring": _document([_loop(at, f"a{(at + 1) % 900}") for at in range(900)]),
    "ranges of ranges": _document([_loop(at, f"a{at + 1}..a30") for at in range(30)] + [_one(30)]),
    "ranges in a ring": _document([_loop(at, "a0..a9") for at in range(10)]),
    "wide patterns": _document(
        [{**_one(at), "requires": [{"url_matches": f"{WIDE}{at}"}]} for at in range(300)]
    ),
    "a long selector": _document(
        [_node("browser_action", action="click", selector="a " * 400_000)]
    ),
    "more than a body may have": b'{"document": "' + b"x" * 5_000_000,
}


@pytest.mark.attack(
    "A document that is taken in by the app is a bomb: deep, long, many nodes, rings, ranges "
    "of ranges, wide patterns",
    must="it is refused or taken in, and a second client gets its page meanwhile",
    tries=10,
)
@pytest.mark.parametrize("body", DOCUMENTS.values(), ids=DOCUMENTS)
def test_pages_are_served_while_a_document_is_hostile(
    store: Store, tmp_path: Path, body: bytes
) -> None:
    """Each is answered as well, in words."""

    def attack(client: httpx.Client) -> None:
        kind = {"content-type": "application/json"}
        told = client.post("/api/workflows/import", content=body, headers=kind)
        assert told.status_code in (201, 400, 413, 422), told.text[:500]
        assert len(told.content) < 10_000

    answered_meanwhile(store, tmp_path, attack)


@pytest.mark.attack(
    "A provider streams without end to the app, in letters, in one line, in lines",
    must="a second client gets its page meanwhile, and the first can stop the turn",
    tries=3,
)
@pytest.mark.parametrize(
    "piece",
    [f"data: {chunk(content='x' * 200)}\n\n".encode(), b"x" * 4096, b"data: 1\n" * 512],
    ids=["letters", "one line", "lines"],
)
def test_pages_are_served_while_a_provider_is_hostile(
    store: Store, tmp_path: Path, piece: bytes
) -> None:
    """It sends as fast as it is read."""
    flows = threading.Event()

    def tell(visit: Visit) -> None:
        while True:
            visit.wfile.write(piece * 8)
            flows.set()

    def attack(client: httpx.Client) -> None:
        said = client.post("/api/workflows/w/say", json={"text": "Hello?"})
        assert said.status_code == 202, said.text
        assert flows.wait(LIMIT)
        for _ in range(5):
            assert client.get("/api/workflows/w/turn").status_code == 200
        assert client.post("/api/workflows/w/stop").status_code == 200

    with stranger(streams(tell)) as server:

        def opens(_name: str, journal: Journal | None) -> Model:
            return open_model(f"chat:{server.url}/v1#m", env=ENV, policy=ONCE, journal=journal)

        answered_meanwhile(store, tmp_path, attack, opens)
