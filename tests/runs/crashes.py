"""Ways to stop a run in the middle: at a write to the store, or at a place where it waits."""

from __future__ import annotations

from collections.abc import Coroutine, Generator, Sequence
from typing import Any, TypeVar

from director.store import RecordDraft, Store, Versioned

T = TypeVar("T")


class Crash(BaseException):
    """The worker is gone; no code of ours may handle it."""


class CrashingStore(Store):
    """A store one write of which is the last thing that its worker did, or did not quite do.

    The write is named by its number, or by the id of a step that it finishes.
    """

    def __init__(self, store: Store, at: int | str, *, written: bool) -> None:
        super().__init__(store._database)
        self.writes = 0
        self._at = at
        self._written = written

    def put_all(
        self, drafts: Sequence[RecordDraft], *, unchanged: Sequence[Versioned] = ()
    ) -> tuple[Versioned, ...]:
        """Write, unless this is the write that never came, and crash if it is time."""
        # That the run is taken is no step of it.
        taking = all(draft.kind == "lease" for draft in drafts)
        self.writes += not taking
        crashes = not taking and self._named(drafts)
        if crashes and not self._written:
            raise Crash
        done = super().put_all(drafts, unchanged=unchanged)
        if crashes:
            raise Crash
        return done

    def _named(self, drafts: Sequence[RecordDraft]) -> bool:
        if isinstance(self._at, int):
            return self.writes == self._at
        return any(d.id.endswith(self._at) and d.body.get("state") == "finished" for d in drafts)


class CrashingWait:
    """Awaits something, and crashes inside it at the n-th place where it waits."""

    def __init__(self, work: Coroutine[Any, Any, T], at: int) -> None:
        self._work = work
        self._at = at
        self.waits = 0

    def __await__(self) -> Generator[Any, Any, Any]:
        inner = self._work.__await__()
        told: BaseException | None = None
        while True:
            try:
                waited = inner.send(None) if told is None else inner.throw(told)
            except StopIteration as ended:
                return ended.value
            self.waits += 1
            told = None
            try:
                if self.waits == self._at:
                    told = Crash()
                    continue
                yield waited
            except BaseException as error:  # noqa: BLE001  handed on to who waits
                told = error
