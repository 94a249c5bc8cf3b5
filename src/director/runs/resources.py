"""What runs work with when a person starts them on this machine, put together in one place.

The vault, its key, kept logins and what runs download are in the home folder, for its owner only.
A sensitive value that is given to a run goes into the vault, bound to the origins of its workflow,
and the run holds a reference. Files and the environment are reached only as far as they are named.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from director.browser import Browser, Logins, open_browser
from director.home import home, make_private
from director.runs import Question, Run, RunDependencies, load_run_workflow
from director.runs.given_files import GivenFiles, find_attachments
from director.runs.values import NodeModels, Permit, Pictures
from director.secrets import SHORT, KeyFile, Reference, Seal, SecretRefused, Vault, VaultError
from director.store import Store
from director.workflow.document import read_workflow_document
from director.workflow.sensitive import replace_sensitive
from director.workflow.values import Json, Workflow

_UNFIT = re.compile(r"[^A-Za-z0-9_.-]")
_BROWSING = ("browser_action", "browser_query", "agent")


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What was asked for, for all runs of this program."""

    headed: bool = False
    pictures: Pictures = "each"
    files: Path | None = None
    env: Collection[str] = ()
    ask: Callable[[Question], Awaitable[str]] | None = None
    patience: float | None = None
    out: Path | None = None


class SecretExtractor:
    """Puts the sensitive values of one workflow into the vault; `told` says which, and where to."""

    def __init__(self, vault: Vault, workflow: Workflow) -> None:
        self._vault = vault
        self._workflow = workflow
        self.told: list[str] = []

    def __call__(self, name: str, value: Json) -> Json:
        """The value with a reference in place of each sensitive value in it."""
        return replace_sensitive(name, value, self._keep_value)

    def _keep_value(self, name: str, value: str) -> str:
        origins = self._workflow.origins
        for number in range(1, 1000):
            ending = f".{number}" if number > 1 else ""
            reference = Reference(_UNFIT.sub("_", f"{self._workflow.id}.{name}{ending}"))
            if self._is_free(reference, value):
                self._vault.put(reference.name, value, origins)
                self.told.append(
                    f"{name} is kept in the vault as {reference}, for {', '.join(origins)} only"
                    + (f"; {SHORT}" if self._vault.is_short(reference.name) else "")
                )
                return str(reference)
        raise VaultError(f"The vault holds too many values of {name!r}: remove some.")

    def _is_free(self, reference: Reference, value: str) -> bool:
        """Whether nothing of that name is there, or the same: another run may need what is."""
        if reference.name not in self._vault.names():
            return True
        try:
            held = self._vault.reveal(reference, self._workflow.origins[0])
        except (SecretRefused, IndexError):
            return False
        return held.use() == value


class Resources:
    """The vault, logins and a browser, opened once for all runs of a program."""

    def __init__(self, store: Store, wishes: RunOptions) -> None:
        folder = home()
        self.vault = Vault(folder / "vault", _key())
        self.seal = Seal(_key())
        self.logins = get_home_logins()
        self._runs = folder / "runs"
        self._store = store
        self._wishes = wishes
        self._open = AsyncExitStack()
        self._browser: Browser | None = None
        self._opening = asyncio.Lock()
        self.worker = "here"
        # Who thinks for the nodes of a workflow that need a model: handed in by a higher layer.
        self.minds: Callable[[str], NodeModels] | None = None
        # What a run that a model began asks before its effects, by its workflow.
        self.permit: Callable[[str], Permit] | None = None

    def folder(self, run: str) -> Path:
        """Where a run's files are: what it downloaded, its report."""
        place = self._wishes.out or self._runs / run.replace(":", "-").replace("/", "-")
        make_private(place)
        return place

    def files(self, workflow: str) -> GivenFiles:
        """The files that runs of a workflow may upload."""
        named = (self._wishes.files,) if self._wishes.files else ()
        return GivenFiles((*named, find_attachments(workflow)))

    def offline(self, workflow: Workflow) -> tuple[RunDependencies, SecretExtractor]:
        """What is needed to write a run down, and what was hidden on the way."""
        hiding = SecretExtractor(self.vault, workflow)
        return RunDependencies(hide=hiding), hiding

    async def means(self, run: Run) -> RunDependencies:
        """What one run works with."""
        workflow = load_run_workflow(self._store, run)
        browses = any(node.type in _BROWSING for node in workflow.nodes)
        minds = self.minds(workflow.id) if self.minds else None
        return RunDependencies(
            browser=await self.browser() if browses else None,
            think=minds.think if minds else None,
            work=minds.work if minds else None,
            secrets=self.vault,
            seal=self.seal,
            hide=SecretExtractor(self.vault, workflow),
            env=self._env,
            file=self.files(workflow.id).find,
            downloads=self.folder(run.id) / "downloads",
            logins=self.logins,
            ask=self._wishes.ask,
            patience=self._wishes.patience,
            permit=self.permit(workflow.id) if self.permit and run.asks else None,
            pictures=self._wishes.pictures,
            worker=self.worker,
        )

    def bench(self, workflow: str) -> RunDependencies:
        """What Director tests a workflow with: all but the browser, which `browser` opens."""
        name = _UNFIT.sub("_", workflow)

        def hide(variable: str, value: Json) -> Json:
            found = self._store.get("workflow", workflow)
            now = (
                read_workflow_document(cast("Json", found.body))
                if found
                else Workflow(workflow, "")
            )
            return SecretExtractor(self.vault, now)(variable, value)

        minds = self.minds(workflow) if self.minds else None
        return RunDependencies(
            think=minds.think if minds else None,
            work=minds.work if minds else None,
            secrets=self.vault,
            seal=self.seal,
            hide=hide,
            env=self._env,
            file=self.files(workflow).find,
            files=self.files(workflow).list,
            downloads=self.folder(f"bench-{name}") / "downloads",
            logins=self.logins,
            pictures=self._wishes.pictures,
            worker=self.worker,
        )

    async def browser(self) -> Browser:
        """The browser of this program, or a new one if it ended."""
        # Runs that lost it together must not start one each, and close one another's.
        async with self._opening:
            if self._browser is None or not self._browser.runs:
                await self._open.aclose()
                opening = open_browser(headless=not self._wishes.headed)
                self._browser = await self._open.enter_async_context(opening)
            return self._browser

    def _env(self, name: str) -> str | None:
        return os.environ.get(name) if name in self._wishes.env else None

    async def close(self) -> None:
        """End the browser."""
        await self._open.aclose()


def get_home_logins() -> Logins:
    """The kept logins of this home folder."""
    return Logins(home() / "logins", Seal(_key()))


def _key() -> KeyFile:
    return KeyFile(home() / "vault.key")


@asynccontextmanager
async def open_resources(store: Store, wishes: RunOptions) -> AsyncIterator[Resources]:
    """The resources of a program, closed when it ends."""
    supplies = Resources(store, wishes)
    try:
        yield supplies
    finally:
        await supplies.close()


# Names of one release ago; they go with the next.
Wishes = RunOptions
supplied = open_resources
