"""A visible window, in which a person logs in; the login is kept for runs without a window."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from browser.sites import Served, site
from director.browser import Browser, Logins, Origins
from director.secrets import KeyFile, Seal

# The page logs in by itself, as the person in the window would.
PAGES: dict[str, Served | str] = {
    "/login": "<title>in</title><script>document.cookie = 'who=ada; max-age=3600'</script>",
    "/account": "<h1>?</h1><script>document.querySelector('h1').textContent = document.cookie</script>",
}
XVFB = shutil.which("Xvfb") or ""
needs_display = pytest.mark.skipif(
    not XVFB,
    reason="there is no Xvfb, on whose display a window could be shown",
)


@pytest.fixture
def display() -> Iterator[str]:
    """A display that nobody looks at."""
    read, write = os.pipe()
    with subprocess.Popen(
        [XVFB, "-displayfd", str(write), "-screen", "0", "1280x800x24", "-nolisten", "tcp"],
        pass_fds=[write],
        stderr=subprocess.DEVNULL,
    ) as server:
        os.close(write)
        with os.fdopen(read) as told:
            number = told.readline().strip()
        try:
            yield f":{number}"
        finally:
            server.terminate()


@needs_display
def test_a_login_by_hand_is_kept_for_later_runs(
    browser: Browser,
    run: Callable[[Awaitable[None]], None],
    display: str,
    tmp_path: Path,
) -> None:
    """The window is shown, Enter is pressed, the login is sealed, and another session is in."""
    around = {**os.environ, "DISPLAY": display, "DIRECTOR_HOME": str(tmp_path)}
    around.pop("DIRECTOR_CHROMIUM", None)  # the headless shell has no window
    with site(PAGES) as home:
        command = [sys.executable, "-m", "director.cli", "login", "shop", f"{home.origin}/login"]
        ran = subprocess.run(
            command, input="\n", env=around, capture_output=True, text=True, check=False
        )
        assert (ran.returncode, ran.stdout) == (
            0,
            "Kept as 'shop'. Runs use it with loadProfile.\n",
        ), ran.stderr
        assert b"ada" not in (tmp_path / "logins" / "shop.login").read_bytes()
        logins = Logins(tmp_path / "logins", Seal(KeyFile(tmp_path / "vault.key")))

        async def later() -> None:
            async with browser.session(Origins([home.origin]), logins=logins) as session:
                await session.load_login("shop")
                await session.navigate(f"{home.origin}/account")
                assert await session.page().inner_text("h1") == "who=ada"

        run(later())


def test_without_a_display_a_window_is_refused_with_words(tmp_path: Path) -> None:
    """Nothing was done, and it says what a window needs."""
    around = {**os.environ, "DIRECTOR_HOME": str(tmp_path)}
    around.pop("DISPLAY", None)
    around.pop("WAYLAND_DISPLAY", None)
    command = [sys.executable, "-m", "director.cli", "login", "shop", "http://127.0.0.1:1/"]
    ran = subprocess.run(
        command, input="\n", env=around, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 2
    assert "A window needs a display" in ran.stderr
