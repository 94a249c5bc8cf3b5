"""Restart points and kept logins: a session goes on elsewhere, and nothing of it is kept in clear."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from browser.sites import Served, site
from director.browser import Browser, BrowserError, Logins, NotApproved, Origins, RestartPoint
from director.secrets import KeyFile, Seal, VaultError

CANARY = "canary-cookie-value"
PAGES: dict[str, Served | str] = {
    "/login": Served("in", headers={"Set-Cookie": f"session={CANARY}; HttpOnly"}),
    "/": "<title>home</title>",
}
KEEP = f"""async () => {{
    localStorage.token = "{CANARY}";
    await new Promise((done) => {{
        const asked = indexedDB.open("db", 1);
        asked.onupgradeneeded = () => asked.result.createObjectStore("s").put("{CANARY}", "k");
        asked.onsuccess = () => {{ asked.result.close(); done() }};
    }});
}}"""
KEPT = """async () => [localStorage.token, await new Promise((done) => {
    const asked = indexedDB.open("db", 1);
    asked.onsuccess = () => {
        const got = asked.result.transaction("s").objectStore("s").get("k");
        got.onsuccess = () => done(got.result);
    };
})]"""


def test_a_session_goes_on_from_a_sealed_restart_point(
    browser: Browser, run: Callable[[Any], None], tmp_path: Path
) -> None:
    """With its cookies, storage, tabs, and the active one; the sealed text shows none of it."""
    seal = Seal(KeyFile(tmp_path / "key"))

    async def go_on() -> None:
        with site(PAGES) as home:
            approved = Origins([home.origin])
            async with browser.session(approved) as session:
                await session.navigate(f"{home.origin}/login")
                await session.page().evaluate(KEEP)
                await session.open_tab(f"{home.origin}/?second", "second")
                await session.open_tab("about:blank", "third")
                await session.switch_tab("second")
                point = await session.point()
            sealed = point.encrypt(seal)
            assert CANARY not in repr(point) + sealed
            opened = RestartPoint.decrypt(sealed, Seal(KeyFile(tmp_path / "key")))
            assert opened == point
            async with browser.session(approved, state=opened) as session:
                assert [(tab.name, tab.url, tab.active) for tab in await session.tabs()] == [
                    ("main", f"{home.origin}/login", False),
                    ("second", f"{home.origin}/?second", True),
                    ("third", "about:blank", False),
                ]
                assert await session.page().evaluate(KEPT) == [CANARY, CANARY]
            assert f"session={CANARY}" in home.asked[-1].headers["Cookie"]
            with pytest.raises(NotApproved):
                async with browser.session(Origins(), state=opened):
                    pass

    run(go_on())


def test_a_kept_login_serves_later_sessions_and_is_a_sealed_file(
    browser: Browser, run: Callable[[Any], None], tmp_path: Path
) -> None:
    """Loaded into a session that is running; a name nobody kept is refused with those that are."""
    logins = Logins(tmp_path / "logins", Seal(KeyFile(tmp_path / "key")))

    async def log_in() -> None:
        with site(PAGES) as home:
            approved = Origins([home.origin])
            async with browser.session(approved, logins=logins) as session:
                await session.navigate(f"{home.origin}/login")
                await session.save_login("bank")
            async with browser.session(approved, logins=logins) as session:
                await session.load_login("bank")
                await session.navigate(home.origin)
                assert f"session={CANARY}" in home.asked[-1].headers["Cookie"]
                with pytest.raises(BrowserError, match=r"no login 'bnak'\. Kept: bank"):
                    await session.load_login("bnak")
            async with browser.session(approved) as session:
                with pytest.raises(BrowserError, match="keeps no logins"):
                    await session.save_login("bank")

    run(log_in())
    assert logins.names() == ("bank",)
    [file] = (tmp_path / "logins").iterdir()
    assert CANARY.encode() not in file.read_bytes()
    assert file.stat().st_mode & 0o077 == 0
    logins.remove("bank")
    assert logins.names() == ()


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".x", "x" * 65, "a b"])
def test_a_login_has_a_name_that_stays_in_its_folder(name: str, tmp_path: Path) -> None:
    """Neither kept nor looked for otherwise."""
    logins = Logins(tmp_path, Seal(bytes(32)))
    with pytest.raises(BrowserError, match="no name for a login"):
        logins.save(name, {})
    with pytest.raises(BrowserError, match="no name for a login"):
        logins.load(name)


def test_a_login_sealed_with_another_key_or_renamed_is_not_opened(tmp_path: Path) -> None:
    """The error names it and says what may have happened."""
    Logins(tmp_path, Seal(bytes(32))).save("a", {"cookies": []})
    with pytest.raises(VaultError, match="login a cannot be opened"):
        Logins(tmp_path, Seal(b"1" * 32)).load("a")
    (tmp_path / "a.login").rename(tmp_path / "b.login")
    with pytest.raises(VaultError, match="login b cannot be opened"):
        Logins(tmp_path, Seal(bytes(32))).load("b")
