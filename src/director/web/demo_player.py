"""The rehearsal in the app: the demo site, served by this program, and the user's next line.

The person presses on and everything else is as always: the same turns, the same approvals. It says
what it is wherever it shows: no model is asked.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Literal

from director.agent import ensure_current_thread
from director.demo import scripted_demo
from director.demo.scripted_demo import SAYS, ScriptedInput, lines
from director.demo.site import Site
from director.secrets import Vault
from director.store import Entry, Store, StoreError

KIND = "rehearsal"
_PORT = 8765


@dataclass(frozen=True, slots=True)
class NextLine:
    """The user's next line; `none` if the rehearsal is over."""

    says: str
    site: str
    done: int
    of: int
    does: Literal["say", "compress", "none"]
    text: str = ""


@dataclass(eq=False, slots=True)
class Rehearsals:
    """The demo site of this program, and the workflows that are rehearsed on it."""

    store: Store
    vault: Vault
    _open: ExitStack = field(default_factory=ExitStack)
    _sites: dict[int, Site] = field(default_factory=dict)

    def begin(self) -> str:
        """Make an empty workflow to rehearse with; its id."""
        # A fresh site each time: what an earlier demo archived is in its inbox again.
        site = (self._served(_PORT) if _PORT not in self._sites else None) or self._served(0)
        if site is None:
            raise StoreError("The demo site cannot be served: no port is free. Nothing was made.")
        made = scripted_demo.begin(self.store, self.vault, site.url)
        self.store.put(KIND, made, {"workflow": made, "site": site.url}, "begun")
        return made

    def next(self, workflow: str, store: Store | None = None) -> NextLine | None:
        """What the user does next; None if this workflow is no rehearsal."""
        store = store or self.store
        found = store.get(KIND, workflow)
        if found is None:
            return None
        site = str(found.body["site"])
        # After a restart it must be where the workflow knows it; whoever has the port keeps it.
        self._served(int(site.rpartition(":")[2]))
        every = lines(site)
        done = _done(every, store.entries(ensure_current_thread(store, workflow)))
        if done == len(every):
            return NextLine(SAYS, site, done, done, "none")
        return NextLine(SAYS, site, done, len(every), every[done].does, every[done].text)

    def close(self) -> None:
        """End the demo site, which keeps nothing."""
        self._open.close()

    def _served(self, port: int) -> Site | None:
        if port not in self._sites:
            try:
                site = self._open.enter_context(Site().serve(port))
            except OSError:
                return None
            self._sites[int(site.url.rpartition(":")[2])] = site
            return site
        return self._sites[port]


def _done(every: tuple[ScriptedInput, ...], entries: list[Entry]) -> int:
    """How many of the lines were said and done, in their order."""
    done = 0
    for entry in entries:
        if done == len(every):
            break
        line = every[done]
        if line.does == "compress":
            done += entry.kind == "checkpoint"
        elif entry.kind in ("user", "result") and entry.body.get("text") == line.text:
            done += 1
    return done
