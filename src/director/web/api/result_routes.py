"""What runs brought: records and variables as CSV and JSON, the report, pictures of steps."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Header, Path, Query
from fastapi.responses import PlainTextResponse, Response

from director.services import run_exports
from director.web.route_dependencies import CurrentApp, KnownRun

router = APIRouter(prefix="/runs/{run}", tags=["runs"])


@router.get(
    "/results",
    response_class=Response,
    responses={200: {"content": {"text/csv": {}, "application/json": {}}}},
)
def get_run_results(
    run: KnownRun,
    studio: CurrentApp,
    what: Annotated[Literal["records", "variables"], Query()] = "records",
    form: Annotated[Literal["csv", "json"], Query()] = "csv",
    *,
    bom: Annotated[bool, Query()] = False,
) -> Response:
    """The records or the variables of a run, whole; a secret is a reference here as everywhere.

    `bom` begins a CSV with the mark by which Excel knows UTF-8.
    """
    found = run_exports.export_run_data(studio.workspace, run, what, form=form, bom=bom)
    kind = "text/csv" if form == "csv" else "application/json"
    return _file(found.text, kind, f"{what}.{form}")


@router.get("/report", response_class=Response, responses={200: {"content": {"text/html": {}}}})
def get_result_report(run: KnownRun, studio: CurrentApp) -> Response:
    """The report of a run: one HTML page with pictures that needs nothing else, to be saved."""
    return _file(
        run_exports.make_exported_report(studio.workspace, run), "text/html", "report.html"
    )


@router.get(
    "/picture",
    response_class=Response,
    responses={
        200: {"content": {"image/png": {}}},
        204: {"description": "No browser is open for it here."},
        304: {"description": "It is the same."},
    },
)
async def live(
    run: KnownRun,
    studio: CurrentApp,
    if_none_match: Annotated[str, Header(max_length=200)] = "",
) -> Response:
    """The page that a run is on now, with secret fields covered; none if it is not done here."""
    found = await studio.run_pictures.of(run)
    if found is None:
        return Response(status_code=204)
    headers = {"etag": found.tag, "cache-control": "private, no-cache"}
    if if_none_match == found.tag:
        return Response(status_code=304, headers=headers)
    return Response(found.content, media_type="image/png", headers=headers)


@router.get(
    "/pictures/{hash_}", response_class=Response, responses={200: {"content": {"image/png": {}}}}
)
def get_result_picture(
    run: KnownRun, hash_: Annotated[str, Path(pattern=r"^[0-9a-f]{64}$")], studio: CurrentApp
) -> Response:
    """The picture of a step, by the hash that the step names."""
    content = run_exports.get_run_picture(studio.workspace, run, hash_)
    # It can never be another one: the hash is of its bytes.
    headers = {"cache-control": "private, max-age=31536000, immutable"}
    return Response(content, media_type="image/png", headers=headers)


def _file(text: str, kind: str, name: str) -> Response:
    response = PlainTextResponse(text, media_type=kind)
    response.headers["content-disposition"] = f'attachment; filename="{name}"'
    return response
