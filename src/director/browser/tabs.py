"""The tabs of a session by name. The first is `main`; a name belongs to one tab at a time."""

from __future__ import annotations

import difflib
from typing import Final, final

from playwright.async_api import Page

from director.browser.errors import BrowserError

FIRST: Final = "main"


def normalize_tab_name(text: str) -> str:
    """The name that is meant: `Main Tab` and `main` are the same."""
    name = text.strip()
    return FIRST if name.casefold() in {"main", "main tab"} else name


@final
class Tabs:
    """Pages by name, in the order they were opened, and which one is active."""

    def __init__(self) -> None:
        self._pages: dict[str, Page] = {}
        # The active one is last; closing it brings back the one before.
        self._seen: list[str] = []

    def __contains__(self, name: str) -> bool:
        return normalize_tab_name(name) in self._pages

    def names(self) -> tuple[str, ...]:
        """The names, in the order the tabs were opened."""
        return tuple(self._pages)

    @property
    def active(self) -> str:
        """The tab that is worked on when none is named."""
        if not self._seen:
            raise BrowserError("No tab is open: open one first.")
        return self._seen[-1]

    def page(self, name: str | None = None) -> Page:
        """The page of a tab."""
        if (wanted := self.active if name is None else normalize_tab_name(name)) in self._pages:
            return self._pages[wanted]
        near = difflib.get_close_matches(wanted, self._pages, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise BrowserError(
            f"There is no tab {wanted!r}. Open: {', '.join(self._pages) or 'none'}.{hint}"
        )

    def name_of(self, page: Page | None) -> str:
        """The name of the tab that shows a page; empty if it is no tab of this session."""
        return next((name for name, each in self._pages.items() if each is page), "")

    def add(self, page: Page, name: str, *, active: bool) -> str:
        """Take in a page; a name that is taken gets `_2`, then `_3`."""
        wanted = normalize_tab_name(name) or FIRST
        given, number = wanted, 2
        while given in self._pages:
            given, number = f"{wanted}_{number}", number + 1
        self._pages[given] = page
        self._seen.insert(len(self._seen) if active else 0, given)
        return given

    def activate(self, name: str) -> Page:
        """Make a tab the active one."""
        page, wanted = self.page(name), normalize_tab_name(name)
        self._seen.remove(wanted)
        self._seen.append(wanted)
        return page

    def forget(self, page: Page) -> None:
        """A page was closed."""
        if name := self.name_of(page):
            del self._pages[name]
            self._seen.remove(name)
