"""Python for transform and route: run in a process of its own that can reach nothing.

Values are handed in by name and are never pasted into the text, so what a page says cannot change
what is run. Time, memory, depth and the size of the result are bounded. A call that fails says
where and why, and leaves the next call as it would have been.
"""

from __future__ import annotations

import asyncio
import json
import keyword
import math
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Self

from director.workflow.values import Json

if TYPE_CHECKING:
    from pydantic_monty import Monty, ResourceLimits

_DEPTH = 100  # how deep a result may be nested
_PRINTED = 100_000  # bytes of print() before it is too much


class SandboxError(Exception):
    """Why an expression has no value: the line, what went wrong there, and what to do."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one call may use."""

    seconds: float = 2.0
    memory: int = 64 * 2**20
    recursion: int = 200
    result: int = 5 * 2**20


class Sandbox:
    """A pool of worker processes, started with the first call and ended with the `with`."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._pool: Monty | None = None
        self._open = ExitStack()

    async def value(self, code: str, values: Mapping[str, Json]) -> Json:
        """What the code gives: its last expression, or what it returns."""
        _check_names(values)
        pool = self._pool or self._start()
        # A thread and not the library's own asynchronous pool, whose threads may outlive the
        # interpreter and abort it. The limits end the thread even if nobody waits for it.
        return self._json(await asyncio.to_thread(self._fed, pool, code, values))

    async def holds(self, condition: str, values: Mapping[str, Json]) -> bool:
        """Whether a condition holds; one that fails, or is no yes or no, is an error."""
        found = await self.value(condition, values)
        if not isinstance(found, bool):
            raise SandboxError(
                f"The condition gives {_short(found)} and not True or False. "
                "Compare it with something, or write bool(…) around it."
            )
        return found

    def close(self) -> None:
        """End the workers; the next call would start them again."""
        self._pool = None
        self._open.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _start(self) -> Monty:
        try:
            from pydantic_monty import Monty  # noqa: PLC0415  an extra
        except ImportError as error:
            raise SandboxError(
                "transform and route need the package pydantic-monty: "
                "pip install 'director[sandbox]'."
            ) from error
        # The watchdog is for a worker that no longer keeps its own time.
        pool = Monty(max_processes=2, request_timeout=self.limits.seconds + 3)
        self._pool = self._open.enter_context(pool)
        return self._pool

    def _fed(self, pool: Monty, code: str, values: Mapping[str, Json]) -> object:
        from pydantic_monty import CollectString, MontyError  # noqa: PLC0415  an extra

        limits: ResourceLimits = {
            "max_feed_duration_secs": self.limits.seconds,
            "max_memory": self.limits.memory,
            "max_recursion_depth": self.limits.recursion,
        }
        try:
            # A pause in the code would only be a way to hold a worker.
            with pool.checkout(limits=limits, os_policy={"sleep": "zero"}) as session:
                printed = CollectString(_PRINTED)
                return session.feed_run(code, inputs=dict(values), print_callback=printed)
        except MontyError as error:
            raise SandboxError(_said(error, self.limits)) from None

    def _json(self, found: object) -> Json:
        value = _plain(found, 0)
        if len(json.dumps(value)) > self.limits.result:
            raise SandboxError(
                f"The result is larger than {self.limits.result // 2**20} MB. "
                "Give back less, for example only the fields that are needed."
            )
        return value


def _check_names(values: Mapping[str, Json]) -> None:
    for name in values:
        if not name.isidentifier() or keyword.iskeyword(name):
            raise SandboxError(
                f"{name!r} is not a name that Python knows. Give the value another name."
            )


def _plain(found: object, depth: int) -> Json:
    if depth > _DEPTH:
        raise SandboxError(f"The result is nested more than {_DEPTH} deep.")
    if found is None or isinstance(found, bool | int | str):
        return found
    if isinstance(found, float) and math.isfinite(found):
        return found
    if isinstance(found, list | tuple):
        return [_plain(each, depth + 1) for each in found]
    if isinstance(found, dict) and all(isinstance(key, str) for key in found):
        return {key: _plain(each, depth + 1) for key, each in found.items()}
    raise SandboxError(
        f"The result holds {_short(found)}, which is not JSON. Give back None, a truth value, a "
        "number, a text, a list, or a dict whose keys are texts."
    )


def _said(error: Exception, limits: Limits) -> str:
    from pydantic_monty import MontyCrashedError, MontyRuntimeError, MontySyntaxError  # noqa: PLC0415

    if isinstance(error, MontyCrashedError):
        return f"The code was stopped: it did not end within {limits.seconds:g} seconds."
    if not isinstance(error, MontyRuntimeError | MontySyntaxError):
        return str(error)
    message = error.display("type-msg")
    if message.startswith("TimeoutError"):
        message = f"it did not end within {limits.seconds:g} seconds"
    elif message.startswith("MemoryError"):
        message = f"it needs more than the {limits.memory // 2**20} MB it may have"
    frames = error.traceback()
    return f"Line {frames[-1].line}: {message}." if frames else f"{message}."


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
