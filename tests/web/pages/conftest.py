"""One served app and one browser for each file of tests, in a data folder that is no one's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from director.store import open_store
from web.pages.windows import App, looking


@pytest.fixture(autouse=True, scope="module")
def _home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The vault and the settings of the app are in a folder of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DIRECTOR_HOME", str(tmp_path_factory.mktemp("home")))
        patch.setenv("DIRECTOR_MODEL", "scripted:test")
        yield


@pytest.fixture(scope="module")
def app(_home: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """An app that is served as long as the tests of a file run."""
    file = tmp_path_factory.mktemp("store") / "director.db"
    with open_store(file) as store, looking(store) as made:
        yield made


@pytest.fixture(autouse=True)
def _windows(app: App) -> Iterator[None]:
    """No test leaves a window open, or a page that broke."""
    broken: list[str] = []

    def watched(page: Page) -> None:
        page.on("pageerror", lambda problem: broken.append(str(problem)))

    app.context.on("page", watched)
    yield
    app.context.remove_listener("page", watched)
    for page in app.context.pages:
        page.close()
    assert broken == []
