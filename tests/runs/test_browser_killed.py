"""The browser is killed wherever a run waits for it: the error is clear, and nothing is lost.

Counted are all places at which opening the browser, doing the run and closing it again wait for
something. At the n-th of them Chromium is killed and the wait goes on: what was on its way may still
arrive, as in life. What a page has sent off is counted at the site: the browser is killed when a
request has had its effect and is not answered yet.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Coroutine, Generator
from pathlib import Path
from typing import Any

import pytest

from browser.programs import browsers_of
from director.browser import open_browser
from director.runs import Run, RunDependencies, drive_run, queue_run, read_run, resume_workflow_run
from director.store import Store, open_store
from runs import scenario
from runs.conftest import SEAL, Live

REQUESTS = ["GET /login", "POST /login", "GET /shop", "POST /order", "GET /thanks/1"]


def kill_all_but(spared: set[int]) -> None:
    """End the browsers below this program as a crash would, but not those of other tests."""
    for pid in browsers_of(os.getpid()) - spared:
        os.kill(pid, signal.SIGKILL)


class KillingWait:
    """Awaits something, and kills its browser at the n-th place where it waits."""

    def __init__(self, work: Coroutine[Any, Any, Any], at: int) -> None:
        self._work = work
        self._at = at
        self._spared = browsers_of(os.getpid())
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
            if self.waits == self._at:
                kill_all_but(self._spared)
            told = None
            try:
                yield waited
            except BaseException as error:  # noqa: BLE001  handed on to who waits
                told = error


async def alone(store: Store) -> Run:
    """Do the run in a browser of its own, from opening it to closing it."""
    async with open_browser() as browser:
        return await drive_run(
            store, "ten", RunDependencies(browser=browser, seal=SEAL, pictures="none")
        )


def kill_and_resume(
    live: Live, folder: Path, *, wait: int = 0, request: str = ""
) -> tuple[dict[str, object], int]:
    """The end of a run whose browser was killed, and how often it waited until then."""
    name = f"{wait}-{request.replace('/', '-')}.db"
    with scenario.served() as site, open_store(folder / name) as store:
        flow = scenario.workflow(site.origin)
        queue_run(store, flow, RunDependencies(), inputs=scenario.INPUTS, id_="ten")
        spared = browsers_of(os.getpid())

        def arrived(what: str) -> None:
            if what == request:
                kill_all_but(spared)

        async def killed() -> int:
            waiting = KillingWait(alone(store), wait)
            await waiting
            return waiting.waits

        site.arrived = arrived
        waits = live.run(killed())
        site.arrived = lambda _: None
        ended = read_run(store, "ten")
        if ended.state != "done":
            said = str((ended.error or {})["message"])
            assert ended.error == {"message": said, "kind": "browser"}
            assert said.startswith("The browser ended: it ")
            assert "Browser logs" not in said
            ended = live.run(resume_workflow_run(store, "ten", live.means()))
        return scenario.end_of(store, ended, site), waits


@pytest.mark.promise("A6")
@pytest.mark.promise("G4")
@pytest.mark.parametrize(
    "request_",
    [
        each if each == "POST /order" else pytest.param(each, marks=pytest.mark.slow)
        for each in REQUESTS
    ],
)
def test_a_browser_killed_before_the_site_answered_loses_nothing_and_repeats_nothing(
    live: Live, tmp_path: Path, request_: str
) -> None:
    """The site has acted and the browser never knew: one order all the same, and the same end."""
    end, _ = kill_and_resume(live, tmp_path, request=request_)
    assert end["state"] == "done"
    assert end["orders"] == [{"ref": "run-1", "amount": "3"}]


@pytest.mark.promise("G4")
def test_a_browser_killed_as_a_session_begins_says_so(live: Live, tmp_path: Path) -> None:
    """The first words to a new session find nobody; the run is not blamed, and ends elsewhere."""
    end, waits = kill_and_resume(live, tmp_path, wait=8)
    assert waits < 15
    assert end["state"] == "done"


@pytest.mark.slow
@pytest.mark.promise("A6")
@pytest.mark.promise("G4")
def test_a_run_whose_browser_is_killed_wherever_it_waits_ends_as_if_it_had_not_been(
    live: Live, tmp_path: Path
) -> None:
    """Each wait in turn, until there are no more of them."""
    calm, waits = kill_and_resume(live, tmp_path)
    assert calm["state"] == "done"
    for at in range(1, waits + 3):
        assert kill_and_resume(live, tmp_path, wait=at)[0] == calm, at
