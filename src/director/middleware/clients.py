"""`wrap`: the clients of OpenAI and Anthropic with managed context.

A wrapped client is used as the client it stands for, sync or async, streaming or not. Only the
methods that ask a model look at their messages; everything else is the client's own. It holds no
key and no connection of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from director.middleware.api_bodies import Api, fit_body
from director.middleware.background_summaries import Writes
from director.middleware.managed_threads import FittedThreads, Managing, make_managed_threads

Client = TypeVar("Client")

_ASKS = frozenset({"create", "stream", "parse", "count_tokens"})
_PATHS: Mapping[tuple[str, ...], Api] = {
    ("chat", "completions"): "chat",
    ("responses",): "responses",
    ("messages",): "anthropic",
}
_ASIDE = frozenset({"beta", "with_raw_response", "with_streaming_response"})
_AGAIN = frozenset({"with_options", "copy"})


def wrap(
    client: Client,
    managing: Managing | FittedThreads = 100_000,
    *,
    thread: str | None = None,
    writes: Writes | None = None,
) -> Client:
    """The same client with managed context, for instance `OpenAI()` within 100,000 tokens.

    Requests are told apart by how they begin, or belong to the `thread` that is named. A request
    that names what a server remembers (`previous_response_id`) passes as it is. One that has tools
    is sent with `recall` beside them: answer its calls with anything, such as an error; with the
    next request they are answered from the history that you send.
    """
    if not hasattr(client, "messages") and not hasattr(client, "responses"):
        raise TypeError(f"{client!r} is no client of OpenAI or Anthropic: give one of those")
    threads = make_managed_threads(managing, writes, _wire_of(client))
    return cast("Client", _Wrapped(client, threads, thread, ()))


def get_client_threads(client: object) -> FittedThreads:
    """The threads of a wrapped client, with their metrics and originals."""
    if type(client) is not _Wrapped:
        raise TypeError(f"{client!r} is not wrapped: give what `wrap` returned")
    found: FittedThreads = object.__getattribute__(client, "_threads")
    return found


def _wire_of(client: object) -> Api | None:
    # OpenAI's client speaks two wires, which their messages tell apart.
    return "anthropic" if hasattr(client, "messages") else None


class _Wrapped:
    """A client, or a part of one, found by the names that lead to it."""

    __slots__ = ("_inner", "_path", "_thread", "_threads")

    def __init__(
        self, inner: object, threads: FittedThreads, thread: str | None, path: tuple[str, ...]
    ) -> None:
        self._inner, self._threads = inner, threads
        self._thread, self._path = thread, path

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        # Frameworks ask what kind of client they were given.
        return type(self._inner)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        api = _PATHS.get(tuple(part for part in self._path if part not in _ASIDE))
        if api is not None and name in _ASKS:
            return self._asking(found, api)
        if name in _AGAIN and not self._path:
            return lambda **more: _Wrapped(found(**more), self._threads, self._thread, ())
        if _leads_on((*self._path, name)):
            return _Wrapped(found, self._threads, self._thread, (*self._path, name))
        return found

    def _asking(self, ask: Callable[..., Any], api: Api) -> Callable[..., Any]:
        def ask_fitted(*args: Any, **body: Any) -> Any:
            sent = fit_body(body, api, self._threads, thread=self._thread, offers=True)
            return ask(*args, **sent.body)

        return ask_fitted

    def __enter__(self) -> object:
        self._inner.__enter__()  # type: ignore[attr-defined]
        return self

    def __exit__(self, *raised: object) -> None:
        self._inner.__exit__(*raised)  # type: ignore[attr-defined]

    async def __aenter__(self) -> object:
        await self._inner.__aenter__()  # type: ignore[attr-defined]
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self._inner.__aexit__(*raised)  # type: ignore[attr-defined]


def _leads_on(path: tuple[str, ...]) -> bool:
    """Whether a path can still end at a method that asks a model."""
    plain = tuple(part for part in path if part not in _ASIDE)
    return any(known[: len(plain)] == plain for known in _PATHS)


# Names of one release ago; they go with the next.
threads_of = get_client_threads
