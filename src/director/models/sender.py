"""One turn on its way: attempts, waits, the server's memory, until there is a reply or no hope.

Every request that is made is an attempt in the result. What may have been done is never done
again where that would start a second job, and a history that the server lost is sent once more.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from director.models.background_jobs import Background
from director.models.capture import capture_bodies
from director.models.dialect import (
    Failed,
    Final,
    Piece,
    ProviderAPI,
    Read,
    Seq,
    check_api_answer,
    check_api_calls,
)
from director.models.failures import (
    Failure,
    ModelError,
    compute_retry_wait,
    hide_failed_key,
    read_exception,
)
from director.models.request_messages import Prepared, strip_reasoning
from director.models.restart_journal import Journal
from director.models.timing import Timing
from director.models.values import (
    Attempt,
    Calling,
    Handle,
    Policy,
    StateRef,
    StreamRestart,
    Text,
    Thinking,
)


@dataclass(frozen=True, slots=True)
class CompletedTurn:
    """The end of a turn: what was read, and what it was an answer to."""

    read: Read
    prepared: Prepared
    attempts: tuple[Attempt, ...]
    warnings: tuple[str, ...]
    replays: int


@dataclass(slots=True)
class Sending:
    """The sending of one turn. `unchained` reports that a server will not remember.

    `other` says that its job was begun with another history than the one that is prepared.
    """

    dialect: ProviderAPI
    jobs: Background | None
    journal: Journal
    timing: Timing
    policy: Policy
    prepared: Prepared
    thread: str
    model: str
    key: str
    streaming: bool
    state: StateRef | None
    handle: Handle | None = None
    other: bool = False
    attempts: list[Attempt] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    replays: int = 0
    unchained: bool = False
    hidden: str = ""
    _failures: int = 0
    _since: float = 0.0
    _resumed: int | None = None
    _sent: bytes = b""
    _from: StateRef | None = None
    _mended: set[str] = field(default_factory=set)

    async def run(
        self,
    ) -> AsyncGenerator[Text | Thinking | Calling | StreamRestart | CompletedTurn, None]:
        """What arrives, and at last the answer; raises `ModelError` if there is none."""
        self._since = self.timing.now()
        heard = False
        while True:
            at = self.timing.now()
            ended = False
            chained = self.state is not None
            try:
                async with aclosing(self._once()) as pieces:
                    async for piece in pieces:
                        if isinstance(piece, Final):
                            ended = True
                            check_api_answer(piece.body)
                            read = self.dialect.read(piece.body, self.state)
                            check_api_calls(read.calls)
                            self._note("ok", at, chained=chained)
                            yield self._complete(read)
                            return
                        if not isinstance(piece, Seq):
                            heard = True
                            yield piece
                failure = Failure("broken_stream", "the answer ended before it was complete.", 200)
            except (asyncio.CancelledError, GeneratorExit):
                self._note_stop(at, ended=ended, chained=chained)
                raise
            except Exception as error:  # noqa: BLE001  others than a provider's are raised again
                failure = self._failure(error)
                if self.jobs:
                    failure = self._settle(failure, ended=ended)
            wait = self._next(failure, at, chained=chained)
            if heard and not self._resumes(self.handle):
                heard = False
                yield StreamRestart(failure.message)
            if wait:
                await self.timing.sleep(wait)

    async def _once(self) -> AsyncGenerator[Piece, None]:
        body = self.dialect.body(self.prepared, self.policy, self.state, self.key)
        self._sent, self._from = b"", self.state
        if self.jobs:
            pieces = self._in_background(self.jobs, body)
        elif self.streaming:
            pieces = self.dialect.stream(body, self.policy.timeout)
        else:
            pieces = self._at_once(body)
        async with aclosing(pieces):
            # The request leaves before the first piece arrives; nobody else runs meanwhile.
            with capture_bodies() as sent:
                try:
                    first = await anext(pieces, None)
                finally:
                    self._sent = sent[0] if sent else b""
            if first is not None:
                yield first
            async for piece in pieces:
                yield piece

    async def _at_once(self, body: dict[str, object]) -> AsyncGenerator[Piece, None]:
        yield Final(await self.dialect.create(body, self.policy.timeout))

    async def _in_background(
        self, jobs: Background, body: dict[str, object]
    ) -> AsyncGenerator[Piece, None]:
        handle = self.handle
        if handle is None:
            handle = Handle(self.prepared.job(self.model), self.timing.now())
            self._keep(handle)
            if self.streaming:
                live = self._live(self.dialect.stream(body, self.policy.timeout))
                async with aclosing(live):
                    async for piece in live:
                        yield piece
                return
            answer = await self.dialect.create(body, self.policy.timeout)
            handle = replace(handle, id=str(answer.get("id") or ""))
            self._keep(handle)
            if jobs.over(answer):
                yield Final(answer)
                return
        elif not handle.id:
            what = "a background job may have been started before, but its id never arrived."
            raise Failed(Failure("ambiguous", what))
        if self._resumes(handle):
            self._resumed = handle.sequence
            live = self._live(jobs.resume(handle))
            async with aclosing(live):
                async for piece in live:
                    yield piece
            return
        yield Final(await jobs.finish(handle, self._note_poll))

    async def _live(self, pieces: AsyncGenerator[Piece, None]) -> AsyncGenerator[Piece, None]:
        async with aclosing(pieces):
            async for piece in pieces:
                if isinstance(piece, Seq) and self.handle:
                    self._note_piece(piece)
                yield piece

    def _resumes(self, handle: Handle | None) -> bool:
        """Whether the rest of a stream can be had; once at each place, then the job is polled."""
        if not self.streaming or handle is None or not handle.id:
            return False
        return handle.sequence != self._resumed

    def _note_piece(self, piece: Seq) -> None:
        """Remember how far a streaming job was heard; its id is kept as soon as it is known."""
        before = self.handle or Handle("", 0.0)
        self.handle = replace(before, id=piece.id, sequence=piece.number)
        if not before.id:
            self._keep(self.handle)

    def _note_poll(self) -> None:
        self._failures, self._since = 0, self.timing.now()

    def _keep(self, handle: Handle | None) -> None:
        self.handle = handle
        before = self.journal.read(self.thread)
        self.journal.write(self.thread, replace(before, handle=handle))

    def _complete(self, read: Read) -> CompletedTurn:
        return CompletedTurn(
            read, self.prepared, tuple(self.attempts), tuple(self.warnings), self.replays
        )

    def _failure(self, error: Exception) -> Failure:
        if isinstance(error, Failed):
            return hide_failed_key(error.failure, self.hidden)
        found = read_exception(error, self.timing.now())
        if found is None:
            raise error
        return hide_failed_key(found, self.hidden)

    def _settle(self, failure: Failure, *, ended: bool) -> Failure:
        """What a failure means for the job: whether it is over, runs on, or may be running."""
        if self.handle is None:
            return failure
        if ended or failure.kind == "timed_out":
            self._keep(None)
            return failure
        if self.handle.id:
            if failure.status == 404:
                return replace(failure, kind="job_lost")
            return replace(failure, kind="broken_stream") if failure.status == 200 else failure
        if failure.status is not None and failure.status not in (200, 502, 504):
            self._keep(None)
            return failure
        return replace(failure, kind="ambiguous", retry=False)

    def _next(self, failure: Failure, at: float, *, chained: bool) -> float:
        """Seconds to wait before the next attempt; raises if there must be none."""
        if self._mend(failure):
            self._note(failure.kind, at, failure, chained=chained)
            return 0.0
        self._failures += 1
        if self.state and self.state.once:
            # The server may have gone on from it already, and does so only once.
            self.state = None
            self.replays += 1
        wait = compute_retry_wait(failure, self._failures, self.timing.jitter())
        late = self.timing.now() + (wait or 0.0) - self._since > self.policy.seconds
        tired = self._failures >= self.policy.attempts
        if wait is None or wait > self.policy.longest_wait or tired or late:
            self._note(failure.kind, at, failure, chained=chained)
            raise ModelError(failure, tuple(self.attempts))
        self._note(failure.kind, at, failure, wait, chained=chained)
        if failure.kind == "ambiguous":
            self.warnings.append("a request that was not answered may have been paid for.")
        return wait

    def _mend(self, failure: Failure) -> bool:
        """Change what is sent so that the same failure cannot come again; once for each kind."""
        if failure.kind in self._mended:
            return False
        if failure.kind == "state_lost" and self.state:
            self.state = None
            self.replays += 1
            self.unchained = failure.code not in ("previous_response_not_found", "thread_not_found")
        elif failure.kind == "thinking_lost":
            self.prepared = strip_reasoning(self.prepared)
            self.state = None
            self.replays += 1
            self.warnings.append("the provider refused its earlier reasoning; sent without it.")
        elif failure.kind == "job_lost":
            self._keep(None)
            self.replays += 1
        else:
            return False
        self._mended.add(failure.kind)
        return True

    def _note_stop(self, at: float, *, ended: bool, chained: bool) -> None:
        """Note that nobody waits any more, unless the answer was there."""
        if not ended:
            self._note("cancelled", at, chained=chained)

    def _note(
        self,
        outcome: str,
        at: float,
        failure: Failure | None = None,
        waited: float = 0.0,
        *,
        chained: bool,
    ) -> None:
        found = failure or Failure("invalid", "", 200 if outcome == "ok" else None)
        self.attempts.append(
            Attempt(
                len(self.attempts) + 1,
                outcome,
                found.status,
                found.request,
                waited,
                round(self.timing.now() - at, 6),
                chained,
                self._sent,
                self._from,
            )
        )


def is_memory_usable(
    state: StateRef | None, prepared: Prepared, provider: str, account: str, now: float
) -> bool:
    """Whether a server's memory is what this history begins with, and still there."""
    return (
        state is not None
        and (state.provider, state.account) == (provider, account)
        and (state.expires_at is None or now < state.expires_at)
        and state.covers < len(prepared.digests)
        and prepared.digests[state.covers] == state.digest
        and state.covers < len(prepared.messages)
    )
