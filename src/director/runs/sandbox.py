"""Python for transform and route: run in a process of its own that can reach nothing.

Values are handed in by name and are never pasted into the text, so what a page says cannot change
what is run. Time, memory, depth and the size of the result are bounded, and the result is counted
before it is unfolded, away from the event loop. A call that fails says where and why, and leaves
the next call as it would have been.
"""

from __future__ import annotations

import asyncio
import json
import keyword
import math
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from importlib.resources import files
from types import TracebackType
from typing import TYPE_CHECKING, Self

from director.distribution import install_line
from director.errors import DirectorError
from director.workflow.bounds import VALUE, ValueTooLarge, check_bounds
from director.workflow.expressions import MODULES, PARSERS
from director.workflow.values import Json

if TYPE_CHECKING:
    from pydantic_monty import Monty, ResourceLimits

_GIVEN = replace(VALUE, characters=4 * VALUE.characters, nodes=2 * VALUE.nodes)
_SAID = 1_000  # characters of an error that the code raised
_PRINTED = 100_000  # bytes of print() before it is too much


class SandboxError(DirectorError):
    """Why an expression has no value: the line, what went wrong there, and what to do."""


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """What one call may use."""

    seconds: float = 2.0
    memory: int = 64 * 2**20
    recursion: int = 200
    result: int = VALUE.characters


class Sandbox:
    """A pool of worker processes, started with the first call and ended with the `with`."""

    def __init__(self, limits: SandboxLimits | None = None) -> None:
        self.limits = limits or SandboxLimits()
        self._pool: Monty | None = None
        self._open = ExitStack()

    async def value(self, code: str, values: Mapping[str, Json]) -> Json:
        """What the code gives: its last expression, or what it returns."""
        _check_names(values)
        pool = self._pool or self._start()
        # A thread and not the library's own asynchronous pool, whose threads may outlive the
        # interpreter and abort it. The limits end the thread even if nobody waits for it.
        return await asyncio.to_thread(self._compute, pool, code, values)

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
            from pydantic_monty import Monty
        except ImportError as error:
            raise SandboxError(
                f"transform and route need the package pydantic-monty: {install_line('sandbox')}."
            ) from error
        # The watchdog is for a worker that no longer keeps its own time.
        pool = Monty(max_processes=2, request_timeout=self.limits.seconds + 3)
        self._pool = self._open.enter_context(pool)
        return self._pool

    def _compute(self, pool: Monty, code: str, values: Mapping[str, Json]) -> Json:
        try:
            # The same value may be given under many names.
            check_bounds(values, what="What the code is given", bounds=_GIVEN)
            return self._json(self._feed(pool, code, values))
        except ValueTooLarge as problem:
            raise SandboxError(str(problem)) from None

    def _feed(self, pool: Monty, code: str, values: Mapping[str, Json]) -> object:
        from pydantic_monty import CollectString, MontyError

        limits: ResourceLimits = {
            "max_feed_duration_secs": self.limits.seconds,
            "max_memory": self.limits.memory,
            "max_recursion_depth": self.limits.recursion,
        }
        try:
            # A pause in the code would only be a way to hold a worker.
            with pool.checkout(limits=limits, os_policy={"sleep": "zero"}) as session:
                printed = CollectString(_PRINTED)
                if any(name in code for name in PARSERS):
                    session.feed_run(write_sandbox_source(), print_callback=printed)
                if known := [each for each in MODULES if each in code]:
                    session.feed_run(f"import {', '.join(known)}", print_callback=printed)
                return session.feed_run(code, inputs=dict(values), print_callback=printed)
        except MontyError as error:
            raise SandboxError(_describe_error(error, self.limits)) from None

    def _json(self, found: object) -> Json:
        bounds = replace(VALUE, characters=self.limits.result)
        check_bounds(found, what="The result", bounds=bounds)
        value = _plain(found)
        if len(json.dumps(value)) > self.limits.result:
            raise SandboxError(
                f"The result is larger than {self.limits.result // 2**20} MB. "
                "Give back less, for example only the fields that are needed."
            )
        return value


def write_sandbox_source() -> str:
    """The functions that read numbers, prices and dates, as code."""
    return (files("director.runs") / "sandbox_parsing.py").read_text(encoding="utf-8")


def _check_names(values: Mapping[str, Json]) -> None:
    for name in values:
        if not name.isidentifier() or keyword.iskeyword(name):
            raise SandboxError(
                f"{name!r} is not a name that Python knows. Give the value another name."
            )


def _plain(found: object) -> Json:
    """The result as JSON; it was counted before, so that this comes to an end."""
    if found is None or isinstance(found, bool | int | str):
        return found
    if isinstance(found, float) and math.isfinite(found):
        return found
    if isinstance(found, list | tuple):
        return [_plain(each) for each in found]
    if isinstance(found, dict) and all(isinstance(key, str) for key in found):
        return {key: _plain(each) for key, each in found.items()}
    holds = "a dict with keys that are no texts" if isinstance(found, dict) else _short(found)
    raise SandboxError(
        f"The result holds {holds}, which is not JSON. Give back None, a truth value, a "
        "number, a text, a list, or a dict whose keys are texts."
    )


def _describe_error(error: Exception, limits: SandboxLimits) -> str:
    from pydantic_monty import MontyCrashedError, MontyRuntimeError, MontySyntaxError

    if isinstance(error, MontyCrashedError):
        return f"The code was stopped: it did not end within {limits.seconds:g} seconds."
    if not isinstance(error, MontyRuntimeError | MontySyntaxError):
        return str(error)[:_SAID]
    message = error.display("type-msg")
    message = message if len(message) <= _SAID else f"{message[:_SAID]}…"
    if message.startswith("TimeoutError"):
        message = f"it did not end within {limits.seconds:g} seconds"
    elif message.startswith("MemoryError"):
        message = f"it needs more than the {limits.memory // 2**20} MB it may have"
    frames = error.traceback()
    # The first frame is of the given code; those of what it calls may be of the parsers.
    own = [each for each in frames if each.filename == frames[0].filename]
    return f"Line {own[-1].line}: {message}." if own else f"{message}."


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
