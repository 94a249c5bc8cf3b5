"""The browser section: how many tabs, their names and addresses, which is active; never content.

Titles are not shown: a page writes them. Its address it writes too, so the section is the web's.
"""

from __future__ import annotations

from collections.abc import Sequence

from director.context.values import Section
from director.sections.boundary import wrap_section
from director.sections.value_text import write_value_line
from director.workflow.sensitive import mask_sensitive
from director.workflow.values import Tab

LONGEST = 300


def render_browser_section(tabs: Sequence[Tab]) -> Section:
    """The tabs in their order."""
    if not tabs:
        return wrap_section("browser", "0 tabs open", "agent")
    open_ = "1 tab open:" if len(tabs) == 1 else f"{len(tabs)} tabs open:"
    return wrap_section("browser", "\n".join([open_, *map(_tab, tabs)]), "web")


def _tab(tab: Tab) -> str:
    active = " (active)" if tab.active else ""
    # An address may carry a token of the page's own, which no vault knows.
    address = _short(str(mask_sensitive(tab.url)))
    return f"- {write_value_line(tab.name)}{active} = {write_value_line(address)}"


def _short(url: str) -> str:
    """An address as far as it tells where one is."""
    return url if len(url) <= LONGEST else f"{url[:LONGEST]}... ({len(url)} characters)"
