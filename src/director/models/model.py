"""A model: takes a context, gives a reply. The one interface over all providers.

A turn goes prepare → chain or replay → send → record. The history that is handed in is the
truth; what a server remembers is used only where it is provably the same.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from types import TracebackType
from typing import Any, Self, TypeVar

from director.context.sizes import context_size
from director.context.values import Context, Counter
from director.context.wire import Parser
from director.counting import Calibration
from director.models.background_jobs import Background
from director.models.capabilities import Capabilities
from director.models.dialect import Compacts, Failed, Jobs, ProviderAPI, Read, list_answer_mappings
from director.models.failures import Failure, ModelError, hide_failed_key, read_exception
from director.models.prices import compute_price
from director.models.request_messages import Prepared, check_request, hash_request, prepare_request
from director.models.restart_journal import Journal, MemoryJournal
from director.models.sender import CompletedTurn, Sending, is_memory_usable
from director.models.timing import Timing
from director.models.tool_schemas import Tool, tool
from director.models.values import (
    Attempt,
    Handle,
    Policy,
    Reply,
    ResumeRecord,
    StateRef,
    StreamEnd,
    StreamEvent,
    Usage,
)
from director.models.windows import set_window

Told = TypeVar("Told")


@dataclass(frozen=True, slots=True)
class ModelLocation:
    """Where a model is: the provider, the account as a digest, and the model's name there."""

    provider: str
    account: str
    model: str


class Model:
    """One model of one provider.

    Use it as `async with open_model(name) as model`, then `await model.send(context)` or
    `async for happening in model.stream(context)`. A thread names a conversation in the journal.
    """

    def __init__(  # noqa: PLR0913  what it is made of is handed in
        self,
        place: ModelLocation,
        dialect: ProviderAPI,
        *,
        journal: Journal | None = None,
        policy: Policy | None = None,
        timing: Timing | None = None,
        counter: Counter,
        reopen: Callable[[Capabilities | None], Model],
        probe: Callable[[], Awaitable[Capabilities]] | None = None,
        name: str = "",
        hidden: str = "",
    ) -> None:
        self._hidden = hidden
        # What stands in the place of what this model must not be sent, at any depth of a value.
        self.hide: Callable[[Any], Any] | None = None
        self.place = place
        self.name = name or f"{place.provider}:{place.model}"
        self.policy = policy or Policy()
        self.journal: Journal = journal or MemoryJournal()
        self.calibration = Calibration(counter)
        self._dialect = dialect
        self._reopen = reopen
        self._probe = probe
        self._timing = timing or Timing()
        self._locks: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._unchained = False

    @property
    def capabilities(self) -> Capabilities:
        """What the model can do; of a server of one's own, only what it showed."""
        return self._dialect.can

    async def ready(self) -> Self:
        """Ask a server of one's own what it can do; the first turn does so anyway."""
        probe, self._probe = self._probe, None
        if probe is not None:
            self._dialect.can = await probe()
        return self

    def limit_window(self, tokens: int) -> None:
        """Take a smaller window for granted, as a refusal of the server showed it."""
        self._dialect.can = set_window(self.capabilities, tokens, "refused")

    @property
    def counter(self) -> Counter:
        """The counter of the engine, calibrated by what the provider reported so far."""
        return self.calibration.counter()

    def conceal(self, value: Told) -> Told:
        """A value as this model may be sent it."""
        made: Told = self.hide(value) if self.hide else value
        return made

    async def send(
        self,
        given: Context | Sequence[object],
        *,
        tools: Sequence[Tool | Callable[..., object]] = (),
        thread: str = "main",
        policy: Policy | None = None,
        attempts: list[Attempt] | None = None,
    ) -> Reply:
        """Send a history and wait for the whole reply.

        `attempts` is added to as they are made, for whoever must know them however it ends.
        """
        happenings = self._happenings(given, tools, thread, policy, attempts, streaming=False)
        async with aclosing(happenings):
            async for happening in happenings:
                if isinstance(happening, StreamEnd):
                    return happening.reply
        raise AssertionError("a turn ends with a reply or an error")

    async def stream(
        self,
        given: Context | Sequence[object],
        *,
        tools: Sequence[Tool | Callable[..., object]] = (),
        thread: str = "main",
        policy: Policy | None = None,
        attempts: list[Attempt] | None = None,
    ) -> AsyncGenerator[StreamEvent, None]:
        """Send a history and watch the reply arrive; the last happening is `Done`."""
        happenings = self._happenings(given, tools, thread, policy, attempts, streaming=True)
        async with aclosing(happenings):
            async for happening in happenings:
                yield happening

    async def _happenings(  # noqa: PLR0913  what is given is handed on
        self,
        given: Context | Sequence[object],
        tools: Sequence[Tool | Callable[..., object]],
        thread: str,
        policy: Policy | None,
        attempts: list[Attempt] | None,
        *,
        streaming: bool,
    ) -> AsyncGenerator[StreamEvent, None]:
        await self.ready()
        prepared = prepare_request(self.conceal(given), self._dialect.form, _tools(tools))
        chosen = policy or self.policy
        check_request(prepared, chosen.tool_choice, prefill=self.capabilities.prefill)
        async with self._locks[thread]:
            sending = self._sending(prepared, thread, chosen, streaming=streaming)
            sending.attempts = sending.attempts if attempts is None else attempts
            await self._tidy(thread, sending)
            if (
                chosen.tool_choice not in ("auto", "none")
                and not self.capabilities.forced_tool_choice
            ):
                sending.warnings.append("this model cannot be forced to call a tool; it was not.")
            async with aclosing(sending.run()) as arriving:
                async for one in arriving:
                    yield (
                        StreamEnd(self._record(one, sending))
                        if isinstance(one, CompletedTurn)
                        else one
                    )

    def _sending(
        self, prepared: Prepared, thread: str, policy: Policy, *, streaming: bool
    ) -> Sending:
        record = self.journal.read(thread)
        now = self._timing.now()
        state = record.state if self._chains(policy) else None
        if not is_memory_usable(state, prepared, self.place.provider, self.place.account, now):
            state = None
        if state and state.once and state.head != prepared.head(self.place.model, policy.effort):
            state = None
        handle = record.handle
        other = handle is not None and handle.digest != prepared.job(self.place.model)
        if other and not policy.resume:
            handle = None
        jobs = self._jobs(policy)
        return Sending(
            dialect=self._dialect,
            jobs=jobs,
            journal=self.journal,
            timing=self._timing,
            policy=policy,
            prepared=prepared,
            thread=thread,
            model=self.place.model,
            key=hashlib.sha256(thread.encode()).hexdigest()[:32],
            streaming=streaming,
            hidden=self._hidden,
            state=state,
            handle=handle if jobs else None,
            other=other and policy.resume,
        )

    async def _tidy(self, thread: str, sending: Sending) -> None:
        """Cancel a job that was started for another history, since nobody waits for it."""
        stale = self.journal.read(thread).handle
        if stale is None or stale == sending.handle or not (stale.id and sending.jobs):
            return
        with suppress(ModelError):
            await self._report_failure(sending.jobs.cancel(stale))
        sending.warnings.append("a background job for another history was cancelled.")

    def _chains(self, policy: Policy) -> bool:
        allowed = {"durable": ("durable",), "any": ("durable", "ephemeral"), "never": ()}
        chain = self.capabilities.chain
        if chain == "ephemeral" and policy.compact_at:
            return False  # the server does not do both
        return not self._unchained and chain in allowed[policy.chain]

    def _jobs(self, policy: Policy) -> Background | None:
        api = self._dialect
        if not (policy.background and self.capabilities.background and isinstance(api, Jobs)):
            return None
        return Background(api, self._timing, policy)

    def _record(self, answered: CompletedTurn, sending: Sending) -> Reply:
        """Make the reply and journal it: the state, the pending calls, no handle, as one."""
        self._unchained = self._unchained or sending.unchained
        read, prepared = answered.read, answered.prepared
        # Of a job that was begun with another history no server id stands for this one.
        state = None if sending.other else self._state(answered, sending.policy)
        money, unpriced = self._cost(read)
        warnings = (*prepared.warnings, *answered.warnings, *read.warnings, *unpriced)
        reply = Reply(
            form=prepared.form,
            model=self.place.model,
            id=read.id,
            items=read.items,
            text=read.text,
            calls=read.calls,
            status=read.status,
            stop=read.stop,
            usage=read.usage,
            cost=money,
            state=state,
            attempts=answered.attempts,
            warnings=warnings,
            replays=answered.replays,
        )
        self.journal.write(sending.thread, ResumeRecord(state, read.calls), reply)
        self._calibrate(prepared, read.usage)
        return reply

    def _state(self, answered: CompletedTurn, policy: Policy) -> StateRef | None:
        read, prepared = answered.read, answered.prepared
        if not (read.id and read.stored and self._chains(policy)):
            return None
        after = hash_request(read.items, prepared.digests[-1])
        lives = self.capabilities.chain_seconds
        return StateRef(
            self.place.provider,
            self.place.account,
            read.id,
            after[-1],
            len(prepared.messages) + len(read.items),
            self._timing.now() + lives if lives else None,
            once=self.capabilities.chain == "ephemeral",
            head=prepared.head(self.place.model, policy.effort),
        )

    def _cost(self, read: Read) -> tuple[Decimal | None, tuple[str, ...]]:
        """The sum over all parts: each has the price of its own size."""
        if read.usage is None:
            return None, ()
        total, at = Decimal(0), self._timing.now()
        for part in read.parts or (read.usage,):
            money, unknown = compute_price(
                self.place.provider, self.place.model, part, tier=read.tier, at=at
            )
            if money is None:
                return None, (unknown,) if unknown else ()
            total += money
        return total, ()

    def _calibrate(self, prepared: Prepared, usage: Usage | None) -> None:
        if usage is None or not usage.input:
            return
        counter = self.calibration.base
        tools = sum(counter(f"{one.description}{one.parameters}") for one in prepared.tools)
        self.calibration.observe(context_size(prepared.context, counter) + tools, usage.input)

    async def cancel(self, thread: str = "main") -> bool:
        """Cancel the background job of a thread; whether there was one that had not ended."""
        record = self.journal.read(thread)
        handle = record.handle
        jobs = self._jobs(replace(self.policy, background=True))
        if handle is None or jobs is None:
            return False
        if handle.id and not await self._report_failure(jobs.cancel(handle)):
            return False
        self.journal.write(thread, replace(record, handle=None))
        return True

    def apart(self) -> Model:
        """The same model with a journal of its own: what it is asked leaves no trace in this."""
        made = self._reopen(None if self._probe else self.capabilities)
        made.hide = self.hide
        return made

    def forget(self, thread: str = "main") -> None:
        """Forget what servers know of a thread: its next turn is sent whole, as a new one."""
        self.journal.write(thread, ResumeRecord())

    def waiting(self, thread: str = "main") -> Handle | None:
        """The background job of a thread that has not been answered yet, if there is one."""
        return self.journal.read(thread).handle

    async def count(
        self,
        given: Context | Sequence[object],
        *,
        tools: Sequence[Tool | Callable[..., object]] = (),
    ) -> int:
        """The size of a request: as the provider counts it if it can, else by the counter."""
        await self.ready()
        prepared = prepare_request(given, self._dialect.form, _tools(tools))
        if not self.capabilities.token_count:
            return context_size(prepared.context, self.counter)
        body = self._dialect.body(prepared, replace(self.policy, chain="never"), None, "")
        return await self._report_failure(self._dialect.count(body, self.policy.timeout))

    async def compact(self, given: Context | Sequence[object]) -> Context:
        """The history in the provider's own compaction, to go on from; its items are opaque."""
        prepared = prepare_request(given, self._dialect.form, ())
        if not isinstance(self._dialect, Compacts):
            what = f"{self.place.provider} has no compaction on request; use `fit_messages`."
            raise ModelError(Failure("invalid", what))
        body = self._dialect.body(prepared, self.policy, None, "")
        answer = await self._report_failure(self._dialect.compact(body, self.policy.timeout))
        parser = Parser(self._dialect.form)
        parser.extend(list_answer_mappings(answer.get("output")))
        return replace(prepared.context, turns=parser.finish().context.turns, summary=None)

    async def _report_failure(self, doing: Awaitable[Told]) -> Told:
        try:
            return await doing
        except Exception as error:
            found = error.failure if isinstance(error, Failed) else None
            found = found or read_exception(error, self._timing.now())
            if found is None:
                raise
            raise ModelError(hide_failed_key(found, self._hidden)) from error

    def __call__(self, prompt: str) -> str:
        """The model's answer to a text, for code that is not async; nothing is remembered."""

        async def ask() -> str:
            async with self.apart() as fresh:
                policy = replace(self.policy, chain="never", background=False)
                return (await fresh.send([prompt], policy=policy)).text

        # A loop of its own, in a thread of its own: this may be called while another runs.
        with ThreadPoolExecutor(1) as apart:
            return apart.submit(asyncio.run, ask()).result()

    async def close(self) -> None:
        """Close the connections."""
        await self._dialect.close()

    async def __aenter__(self) -> Self:
        return await self.ready()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()


def _tools(given: Sequence[Tool | Callable[..., object]]) -> list[Tool]:
    return [one if isinstance(one, Tool) else tool(one) for one in given]
