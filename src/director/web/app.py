"""The app put together: guards around routes, routes around the studio. Nothing is decided here."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path

from fastapi import APIRouter, FastAPI
from fastapi.staticfiles import StaticFiles
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware

from director.distribution import NAME
from director.web import api, event_stream, page_routes, sign_in
from director.web.app_state import AppState
from director.web.errors import add_error_answers
from director.web.guard import Bodies, Crossing, Doors, ErrorMiddleware, Headers, Hosts

STATIC = Path(__file__).parent / "static"

# Put together once: working out what each route takes and answers costs half a second. Routes that
# stand side by side are found in a third of the time of those of routers within routers.
_routes = APIRouter()
for _router in (page_routes.router, event_stream.router, sign_in.router):
    _routes.routes.extend(_router.routes)
_routes.include_router(api.router)


def make_app(studio: AppState) -> FastAPI:
    """The app of a studio, which it opens when it starts and closes when it ends."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await studio.open()
        try:
            yield
        finally:
            await studio.close()

    app = FastAPI(
        title="Director",
        version=version(NAME),
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        middleware=[
            Middleware(Headers),
            Middleware(ErrorMiddleware, studio.clean),
            Middleware(Hosts, studio.names, studio.sessions.handovers),
            Middleware(Crossing),
            Middleware(Doors, studio.sessions),
            Middleware(Bodies),
        ],
    )
    app.state.studio = studio
    add_error_answers(app)
    # Scripts and styles hold nothing of the user's: they alone are compressed.
    app.mount("/static", GZipMiddleware(StaticFiles(directory=STATIC)), name="static")
    app.router.routes.extend(_routes.routes)
    return app
