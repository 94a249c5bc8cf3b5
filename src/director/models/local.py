"""Servers on this machine: which are there, and what they really do with a chained request.

Only loopback is looked at, and only the usual ports. What a server answers is never trusted to
be well-formed: the worst that garbage does is that nothing was found.
"""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from http.client import HTTPConnection, HTTPException
from typing import TypeAlias

from director.models.capabilities import Capabilities, Form, read_capabilities
from director.models.windows import ask_window, read_window_number, set_window

Post: TypeAlias = Callable[[str, Mapping[str, object] | None], Awaitable[tuple[int, object]]]

PORTS: Mapping[int, str] = {11434: "Ollama", 1234: "LM Studio", 8080: "llama.cpp", 8000: "vLLM"}
_OWNERS = {
    "library": "Ollama",
    "organization_owner": "LM Studio",
    "llamacpp": "llama.cpp",
    "vllm": "vLLM",
}
_MOST = 1_000_000
_WORD = "quillfeather"
_PLANT = (
    f"This is a check of the connection, there is nothing to do. Keep in mind the word "
    f"{_WORD} until you are asked for it, and answer now with OK only."
)
_QUESTION = "Which word were you told to keep in mind? Answer with that one word only."


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server that answered: what it seems to be, its address and the models it names."""

    kind: str
    base_url: str
    models: tuple[str, ...] = ()

    @property
    def example(self) -> str:
        """A model to name in an example."""
        return self.models[0] if self.models else "model"


def find_local_servers(
    ports: Iterable[int] = tuple(PORTS), timeout: float = 0.3
) -> list[LocalServer]:
    """The servers that answer on these ports of this machine, in the order of the ports."""
    wanted = list(ports)
    if not wanted:
        return []
    with ThreadPoolExecutor(len(wanted)) as pool:
        answers = pool.map(lambda port: _server_at(port, timeout), wanted)
        return [server for server in answers if server is not None]


def _server_at(port: int, timeout: float) -> LocalServer | None:
    entries = _entries(_get(port, "/v1/models", timeout))
    if entries is None:
        return None
    names = tuple(str(entry["id"]) for entry in entries if isinstance(entry.get("id"), str))
    owners = [_OWNERS.get(str(entry.get("owned_by"))) for entry in entries]
    kind = next((owner for owner in owners if owner), PORTS.get(port, "a server"))
    return LocalServer(kind, f"http://localhost:{port}/v1", names)


def _get(port: int, path: str, timeout: float) -> object:
    """The JSON at a path of this machine, or nothing; no proxy is asked."""
    connection = HTTPConnection("127.0.0.1", port, timeout=timeout)
    deadline = time.monotonic() + 4 * timeout
    try:
        connection.request("GET", path, headers={"Accept": "application/json"})
        response = connection.getresponse()
        read = b""
        while len(read) < _MOST and time.monotonic() < deadline:
            piece = response.read1(65_536)
            if not piece:
                break
            read += piece
        answer: object = json.loads(read) if response.status == 200 else None
    except (OSError, HTTPException, ValueError, RecursionError):
        return None
    else:
        return answer
    finally:
        connection.close()


def _entries(answer: object) -> list[Mapping[str, object]] | None:
    """The entries of a list of models; `None` if it is no such list."""
    listed = answer.get("data") if isinstance(answer, Mapping) else None
    if not isinstance(listed, list):
        return None
    return [entry for entry in listed if isinstance(entry, Mapping)]


async def probe_local_server(
    post: Post, base_url: str, model: str, form: Form = "responses"
) -> Capabilities:
    """What a server does with this model, found out by asking it; for chat, its window only.

    `post` sends a body to a path beneath `base_url` (or to a full address) and gives the status
    and the JSON; without a body it gets. It may fail in any way.
    """
    asker = _Asker(post, model)
    first = await asker.respond(_PLANT) if form == "responses" else None
    listed = (await asker.ask("/models", None)).get("data")
    window = await ask_window(asker.ask, base_url, model, listed=listed)
    if first is None:
        return set_window(read_capabilities("chat", model), window, "server")
    counted = await asker.ask("/responses/input_tokens", {"model": model, "input": _QUESTION})
    remembers = await _remembers(asker, first)
    return replace(
        set_window(read_capabilities("responses", model), window, "server"),
        chain="durable" if remembers else "none",
        token_count=read_window_number(counted, "input_tokens") is not None,
    )


@dataclass(frozen=True, slots=True)
class _Asker:
    post: Post
    model: str

    async def ask(self, path: str, body: Mapping[str, object] | None) -> Mapping[str, object]:
        """The object that was answered; empty when there was none or the answer was no."""
        try:
            status, answer = await self.post(path, body)
        except Exception:  # noqa: BLE001  any client may be behind it, and failing is an answer
            return {}
        return answer if status == 200 and isinstance(answer, Mapping) else {}

    async def respond(self, text: str, previous: str = "") -> Mapping[str, object] | None:
        """The response to a text, if what came back is one."""
        body: dict[str, object] = {"model": self.model, "input": text, "max_output_tokens": 256}
        body |= {"previous_response_id": previous} if previous else {"store": True}
        answer = await self.ask("/responses", body)
        return answer if isinstance(answer.get("output"), list) else None


async def _remembers(asker: _Asker, first: Mapping[str, object]) -> bool:
    """Whether the word is known when asked for, or was at least counted as input."""
    previous = first.get("id")
    if not isinstance(previous, str) or not previous:
        return False
    chained = await asker.respond(_QUESTION, previous)
    if chained is None:
        return False
    if _WORD in json.dumps(chained["output"], default=str).lower():
        return True
    planted, with_it = _input_tokens(first), _input_tokens(chained)
    if planted is None or with_it is None:
        return False
    alone = _input_tokens(await asker.respond(_QUESTION))
    return alone is not None and with_it - alone >= max(8, planted // 2)


def _input_tokens(response: Mapping[str, object] | None) -> int | None:
    usage = response.get("usage") if response else None
    return read_window_number(usage, "input_tokens") if isinstance(usage, Mapping) else None
