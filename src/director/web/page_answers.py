"""How a page is answered: with the one that was made before if it is still right, else a new one.

Whatever a page shows that is not in the store is listed in `read_surroundings`; a page that shows
more than that, such as the age of something, must not be answered so.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Hashable
from datetime import datetime
from typing import Any, TypeAlias

from fastapi import Request
from fastapi.responses import HTMLResponse

from director.services.provider_keys import find_keys
from director.store.cached_store import record_reads
from director.web.app_state import AppState
from director.web.page_cache import CachedPage
from director.web.page_templates import answer_html_page, render_page_template

Making: TypeAlias = Callable[[], Awaitable[tuple[str, dict[str, Any]]]]
# Stands where a page says which event it was made after; nobody can write it into a page.
_EVENT = secrets.token_hex(16)


async def answer_page(
    request: Request, studio: AppState, key: tuple[Hashable, ...], make: Making
) -> HTMLResponse:
    """The page of a key, whose first part is its workflow or empty; `make` is asked for a new one.

    It gives the name of a template and what it shows.
    """
    workflow = str(key[0])
    before = await read_surroundings(studio, workflow)
    body = studio.pages.find(key, before)
    if body is None:
        with record_reads() as reads:
            if workflow:
                await asyncio.to_thread(studio.check_workflow, workflow)
            template, shown = await make()
            body = render_page_template(template, {**shown, "event": _EVENT})
        if await read_surroundings(studio, workflow) == before:
            studio.pages.keep(key, CachedPage(body, before, reads))
    return answer_html_page(body.replace(_EVENT.encode(), request.state.event.encode()))


async def read_surroundings(studio: AppState, workflow: str) -> tuple[object, ...]:
    """All that pages show and that is not in the store, as it is now."""
    return (
        studio.settings,
        find_keys(studio.supplies.vault),
        # What is redacted depends on it.
        studio.supplies.vault.stamp(),
        tuple(studio.supplies.files(workflow).list()) if workflow else (),
        await studio.tabs(workflow),
        studio.turns.is_on(workflow),
        # What was said today is shown by its time alone.
        datetime.now().astimezone().date(),
    )
