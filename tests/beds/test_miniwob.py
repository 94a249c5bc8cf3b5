"""MiniWoB++ tasks as workflows without a model: each ends with the full score, whatever the seed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from beds.miniwob.bed import Bed, pages, served
from beds.miniwob.tasks import SEEDS, TASKS
from director.browser import Origins
from director.runs import list_run_steps
from director.store import open_store
from runs.conftest import Live

QUICK = {
    "click-button": 11,
    "click-checkboxes": 12,
    "click-tab-2": 13,
    "enter-date": 14,
    "login-user": 15,
    "choose-list": 16,
    "email-inbox": 17,
    "search-engine": 18,
}


@pytest.fixture(scope="module")
def bed(live: Live, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bed]:
    """The pages, one session for all of them, and a store."""
    folder = pages()
    if folder is None:
        pytest.skip("MiniWoB++ is not installed: pip install miniwob==1.1.0")
    stack = AsyncExitStack()
    file = Path(tmp_path_factory.mktemp("miniwob")) / "runs.db"
    with served(folder) as origin, open_store(file) as store:
        opened = stack.enter_async_context(live.browser.session(Origins([origin])))
        yield Bed(origin, live.run(opened), store)
        live.run(stack.aclose())


@pytest.mark.parametrize("task", QUICK)
def test_a_task_of_miniwob_is_done(live: Live, bed: Bed, task: str) -> None:
    """One seed each of eight tasks, and the last node has its evidence."""
    episode = live.run(bed.play(task, TASKS[task], QUICK[task]))
    assert episode.score == 1, episode
    ended = [step for step in list_run_steps(bed.store, episode.run) if step.evidence]
    assert ended
    assert all(each["holds"] for each in ended[-1].evidence)


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_a_task_of_miniwob_is_done_with_every_seed(live: Live, bed: Bed, task: str) -> None:
    """Five seeds, one workflow: it knows none of them."""
    episodes = [live.run(bed.play(task, TASKS[task], seed)) for seed in SEEDS]
    assert [each.score for each in episodes] == [1] * len(SEEDS), list(map(str, episodes))


def test_there_are_at_least_forty_tasks() -> None:
    """Of the pages that the package brings."""
    folder = pages()
    if folder is None:
        pytest.skip("MiniWoB++ is not installed: pip install miniwob==1.1.0")
    assert len(TASKS) >= 40
    assert all((folder / "miniwob" / f"{task}.html").exists() for task in TASKS)
