"""For anyone's tests: the laws, a seeded generator of histories, and conformance suites."""

from importlib import import_module
from typing import TYPE_CHECKING

from director.context.laws import LAWS, Broken, find_broken_laws
from director.distribution import install_line
from director.testing.conformance import Conformance, check_strategy
from director.testing.histories import make_histories, make_history

if TYPE_CHECKING:
    from director.testing.store_suite import STORE_CHECKS, check_store

__all__ = [
    "LAWS",
    "STORE_CHECKS",
    "Broken",
    "Conformance",
    "check_store",
    "check_strategy",
    "find_broken_laws",
    "make_histories",
    "make_history",
]

# Names of one release ago; they go with the next.
broken_laws = find_broken_laws


def __getattr__(name: str) -> object:
    """The suite of stores, loaded when asked for: strategies are tested without a database."""
    if name not in ("STORE_CHECKS", "check_store"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        suite = import_module("director.testing.store_suite")
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(
            f"{name} needs {missing.name!r}, which is not installed: {install_line('testing')}."
        ) from missing
    return getattr(suite, name)


history = make_history
histories = make_histories
