"""Every error that a user may see has one base, and says what was kept and what to do next."""

from __future__ import annotations

import copy
import importlib
import pkgutil
from collections.abc import Iterator

import director
from director.errors import DirectorError
from director.services import errors
from director.services.errors import NotFound, describe_error
from director.store import StoreError

# They steer a program, or answer a request at once, and are shown to nobody.
STEERING = set("Cancelled Failed Leave RequestRefused RunTaken RunWaiting TooMany Unsafe".split())
# Their modules act when they are imported.
ACTING = {"director.cli.__main__", "director.store.migrations.env"}


def classes() -> Iterator[type]:
    """Every public class of an exception in the package, but those of the double of providers."""
    for found in pkgutil.walk_packages(director.__path__, "director."):
        if found.name in ACTING or found.name.startswith("director.testing"):
            continue
        for each in vars(importlib.import_module(found.name)).values():
            if (
                isinstance(each, type)
                and issubclass(each, Exception)
                and each.__module__ == found.name
                and not each.__name__.startswith("_")
            ):
                yield each


def draw(kind: type, indent: str = "") -> Iterator[str]:
    """The tree of the errors under one of them, as the docstring draws it."""
    under = {each for each in classes() if kind in each.__bases__}
    for each in sorted(under, key=lambda one: one.__name__):
        is_last = each is max(under, key=lambda one: one.__name__)
        yield f"{indent}{'└── ' if is_last else '├── '}{each.__name__}"
        yield from draw(each, indent + ("    " if is_last else "│   "))


def test_every_error_that_is_shown_has_one_base() -> None:
    """One place translates them; what has no base steers the program."""
    others = {each.__name__ for each in classes() if not issubclass(each, DirectorError)}
    assert others == STEERING


def test_the_tree_in_the_docstring_is_that_of_the_code() -> None:
    """A reader finds every error where it is drawn."""
    tree = "DirectorError\n" + "\n".join(draw(DirectorError))
    assert tree in (errors.__doc__ or "")


def test_an_error_says_what_was_kept_once() -> None:
    """As one text with all of its parts, or in parts."""
    own = StoreError("It broke.", kept="All is there.", next_step="Look again.")
    assert str(own) == "It broke. All is there. Look again."
    assert str(describe_error(copy.copy(own))) == str(own)
    plain = describe_error(NotFound("There is no run 'a'."))
    assert (plain.status, plain.kept) == (404, "Nothing was changed.")
