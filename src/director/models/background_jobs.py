"""Background jobs: polled with growing pauses until they end, given up after a time, cancelled.

Works on a handle alone, so a job that was started before a restart is finished like any other.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping

from director.models.dialect import Failed, Jobs, Piece
from director.models.failures import Failure, read_exception
from director.models.timing import Timing
from director.models.values import Handle, Policy

_OPEN = ("queued", "in_progress")
_FIRST, _MOST = 0.5, 5.0
_GROWTH = 1.5


class Background:
    """The jobs of one API."""

    def __init__(self, api: Jobs, timing: Timing, policy: Policy) -> None:
        self._api = api
        self._timing = timing
        self._policy = policy

    def over(self, body: Mapping[str, object]) -> bool:
        """Whether a job has ended, however."""
        return body.get("status") not in _OPEN

    async def finish(self, handle: Handle, polled: Callable[[], None]) -> Mapping[str, object]:
        """The answer of a job when it is there; `polled` is told of each state that was read."""
        pause = _FIRST
        while True:
            await self._timing.sleep(pause * (1.0 + 0.25 * self._timing.jitter()))
            body = await self._api.retrieve(handle.id, self._policy.timeout)
            polled()
            if self.over(body):
                return body
            if self._timing.now() - handle.posted_at > self._policy.background_seconds:
                return await self._give_up(handle, begun=body.get("status") == "in_progress")
            pause = min(_MOST, pause * _GROWTH)

    async def _give_up(self, handle: Handle, *, begun: bool) -> Mapping[str, object]:
        if not await self.cancel(handle):
            return await self._api.retrieve(handle.id, self._policy.timeout)
        limit = f"{self._policy.background_seconds:g} seconds"
        if begun:
            raise Failed(Failure("timed_out", f"the background job did not end in {limit}."))
        # One that never began has done nothing yet: it may be started again, once.
        raise Failed(Failure("job_lost", f"the background job did not begin in {limit}."))

    async def cancel(self, handle: Handle) -> bool:
        """Cancel a job; whether it had not ended before, so that no answer is lost."""
        try:
            await self._api.cancel(handle.id, self._policy.timeout)
        except Exception as error:
            failure = read_exception(error, self._timing.now())
            if failure is None or failure.status not in (400, 404):
                raise
            return failure.status == 404
        return True

    def resume(self, handle: Handle) -> AsyncGenerator[Piece, None]:
        """The rest of a streaming job's events."""
        after = handle.sequence if handle.sequence is not None else -1
        return self._api.resume(handle.id, after, self._policy.timeout)
