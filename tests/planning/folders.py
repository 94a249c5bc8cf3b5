"""Folders to try things on: in memory, or written to a disk."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from director.planning.project_files import read_project
from director.planning.values import MemoryFiles, Project

GOAL = ".director/goals/01-open-the-shop"
STEP = f"{GOAL}/01-take-orders"
TASK = f"{STEP}/tasks/02-order-form.md"
SMALL: Mapping[str, str] = {
    ".director/VISION.md": "# Vision\n\n## Project Name\nBakery\n\n## What It Does\nSells bread.\n",
    ".director/GAMEPLAN.md": "# Gameplan\n\n## Goals\n\n1. **Goal 1: Open the shop** -- orders\n\n"
    "## Current Focus\n\n**Current Goal:** Goal 1\n**Current Step:** Step 1\n",
    ".director/STATE.md": "# Project State\n\n## Current Position\n\n**Current task:** Order form\n",
    f"{GOAL}/GOAL.md": "# Goal 1: Open the shop\n\n## Status\n\n**Progress:** In progress\n"
    "**Steps complete:** 0 of 1\n",
    f"{STEP}/STEP.md": "# Step 1: Take orders\n\n## What This Delivers\n\nOrders come in.\n\n"
    "## Tasks\n\n- [x] Task 1: Price list\n- [ ] Task 2: Order form\n\n## Needs First\n\nNothing.\n\n"
    "## Decisions\n\n### Locked\n- Pay in the shop\n\n### Deferred\n- Delivery\n",
    f"{STEP}/tasks/01-price-list.done.md": "# Task: Price list\n\n## What To Do\n\nWrite it.\n\n"
    "## Done When\n\n- [x] there\n",
    TASK: "# Task: Order form\n\n## What To Do\n\nBuild the form with a button.\n\n"
    "## Why It Matters\n\nNo orders, no bread.\n\n## Done When\n\n- [ ] it sends\n\n"
    "## Needs First\n\nTask 1.\n",
}


def project_of(files: Mapping[str, str | bytes]) -> Project:
    """The project that these files make, in memory."""
    content = {
        path: one if isinstance(one, bytes) else one.encode("utf-8", "surrogateescape")
        for path, one in files.items()
    }
    return read_project(MemoryFiles(content))


def written(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """The same files below a folder of a disk."""
    for path, one in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(one if isinstance(one, bytes) else one.encode("utf-8", "surrogateescape"))
    return root


def git(root: Path, *arguments: str) -> str:
    """What git says to these arguments, under a name that is nobody's."""
    names = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    said = subprocess.run(
        ["git", *names, *arguments],  # noqa: S607
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    )
    return said.stdout


def committed(root: Path, *subjects: str) -> Path:
    """A repository of what is there, with one commit for each subject, the last the newest."""
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    for subject in subjects:
        git(root, "commit", "-q", "--allow-empty", "-m", subject)
    return root
