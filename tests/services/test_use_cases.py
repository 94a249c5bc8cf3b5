"""Every use case redacts what it returns; the few that do not are named here with the reason."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator

from director import services
from director.services.outgoing import is_redacted

NOT_REDACTED = {
    "cancel_run_when_possible": "it returns nothing, and tells that the store is away",
    "check_run": "an id that Director made",
    "check_workflow": "it returns nothing, and its error names ids of workflows alone",
    "export_workflow_archive": "its hashes are of what was stored",
    "find_run": "an id that Director made",
    "get_run_picture": "secret fields were covered when it was taken",
    "get_workflow_picture": "secret fields were covered when it was taken",
    "load_workflow": "to work with, not to show",
    "open_worker": "no value leaves it",
}


def list_use_cases() -> Iterator[tuple[str, Callable[..., object]]]:
    """The public functions of the services that take a workspace first."""
    for found in pkgutil.iter_modules(services.__path__):
        module = importlib.import_module(f"{services.__name__}.{found.name}")
        for name, use_case in vars(module).items():
            if not inspect.isfunction(use_case) or use_case.__module__ != module.__name__:
                continue
            first = next(iter(inspect.signature(use_case).parameters.values()), None)
            if not name.startswith("_") and first and first.annotation == "Workspace":
                yield name, use_case


def test_every_use_case_redacts_what_it_returns() -> None:
    """A new one that does not fails here."""
    found = {name for name, use_case in list_use_cases() if not is_redacted(use_case)}
    assert found == set(NOT_REDACTED)
