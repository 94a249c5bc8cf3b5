"""What routes ask for, by name: the studio, and a workflow that is there."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import Depends, Path, Request

from director.web.studio import Studio


def _studio(request: Request) -> Studio:
    found: Studio = request.app.state.studio
    return found


Here: TypeAlias = Annotated[Studio, Depends(_studio)]


def _known(workflow: Annotated[str, Path(min_length=1, max_length=200)], studio: Here) -> str:
    studio.check_workflow(workflow)
    return workflow


Known: TypeAlias = Annotated[str, Depends(_known)]
