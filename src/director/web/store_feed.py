"""From the changes of the store to events: what other programs write shows here as well.

Changes are read in a thread of their own, put together as they come, and told as names of the
parts of a page that are no longer true. What they say is read again by whoever shows them.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

from director.store import Change, Entry, Store, StoreError, Versioned
from director.store.change_feed import Subscription

Tell = Callable[[Mapping[str, object]], None]
_LOOK = 0.5  # seconds until a reader looks whether it was closed
_AGAIN = 1.0  # seconds until a store that went away is asked again
_AT_ONCE = 500

# Which parts of a workflow's page a record of a kind belongs to.
PARTS: Mapping[str, tuple[str, ...]] = {
    "workflow": ("nodes", "browser", "workflows"),
    "away": ("workflows",),
    "plan": ("plan",),
    "rehearsal": ("composer",),
    "description": ("plan",),
    "conversation": ("chat", "composer", "meter"),
    "choice": ("composer", "meter"),
    "approval": ("chat", "composer", "browser"),
    "effect": ("chat", "browser"),
    "turn": ("chat", "composer", "meter"),
    "request": ("meter", "requests"),
    "compression": ("chat", "composer", "meter"),
    "bench": ("browser",),
    "snapshot": ("browser",),
    "run": ("runs", "nodes", "variables", "workflows"),
    "step": ("runs", "nodes"),
    "question": ("runs", "chat"),
    "record": ("runs", "variables"),
    "variable": ("runs", "variables"),
    "lease": ("runs",),
}
_OF_RUNS = ("run", "step", "question", "record", "variable", "lease")
_OF_THREADS = ("turn", "request", "compression")


class Feed:
    """Reads the changes of a store until it is closed, and tells them on a loop."""

    def __init__(self, store: Store, tell: Tell) -> None:
        self._store = store
        self._tell = tell
        self._loop = asyncio.get_running_loop()
        self._owners: dict[tuple[str, str], str] = {}
        self._closing = threading.Event()
        self._changes: Subscription = store.subscribe()
        self._thread = threading.Thread(target=self._read, name="director-feed", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop reading."""
        self._closing.set()
        self._changes.close()
        self._thread.join()

    def _read(self) -> None:
        while not self._closing.is_set():
            try:
                first = self._changes.next(_LOOK)
                if first is not None and not self._closing.is_set():
                    self._tell_of([first, *self._waiting()])
            except StoreError:
                self._listen_again()

    def _listen_again(self) -> None:
        """Go on where it was as soon as the store is there again."""
        after = self._changes.position
        with suppress(StoreError):
            self._changes.close()
        while not self._closing.wait(_AGAIN):
            with suppress(StoreError):
                self._changes = self._store.subscribe(after)
                return

    def _waiting(self) -> Iterator[Change]:
        for _ in range(_AT_ONCE):
            change = self._changes.next(0)
            if change is None:
                return
            yield change

    def _tell_of(self, changes: list[Change]) -> None:
        news: dict[tuple[str, str], dict[str, None]] = {}
        for change in changes:
            workflow, run, parts = self._about(change.what)
            if workflow:
                news.setdefault((workflow, run), {}).update(dict.fromkeys(parts))
        for (workflow, run), touched in news.items():
            event: dict[str, object] = {"workflow": workflow, "parts": list(touched)}
            self._loop.call_soon_threadsafe(self._tell, {**event, "run": run} if run else event)

    def _about(self, what: Entry | Versioned) -> tuple[str, str, tuple[str, ...]]:
        """The workflow and perhaps the run that a change is about, and the parts it touches."""
        if isinstance(what, Entry):
            return self._of_thread(what.thread), "", ("chat", "composer", "meter")
        parts = PARTS.get(what.kind, ())
        if what.kind in _OF_THREADS:
            return self._of_thread(what.id), "", parts
        if what.kind in _OF_RUNS:
            run = what.id.partition("/")[0]
            if what.kind == "run":
                self._owners["run", run] = str(what.body.get("workflow", ""))
            return self._of_run(run), "" if run.startswith("workbench:") else run, parts
        return what.id.partition("/")[0], "", parts

    def _of_thread(self, thread: str) -> str:
        known = self._owners.get(("thread", thread))
        if known is None:
            known = self._owners["thread", thread] = self._store.find_workflow(thread)
        return known

    def _of_run(self, run: str) -> str:
        if run.startswith("workbench:"):
            return run.removeprefix("workbench:")
        known = self._owners.get(("run", run))
        if known is None:
            found = self._store.get("run", run)
            known = str(found.body.get("workflow", "")) if found else ""
            self._owners["run", run] = known
        return known
