"""The conformance suite of stores, on both engines."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from director.store.store_opening import open_store
from director.testing.store_drafts import draft_user_message
from director.testing.store_suite import STORE_CHECKS, check_store, run_check
from store.engines import prepared


@pytest.mark.parametrize("name", STORE_CHECKS)
def test_the_store_conforms(name: str, store_url: str) -> None:
    """Each check of the suite, on a store of its own."""
    with open_store(store_url) as store:
        assert run_check(name, STORE_CHECKS[name], store) == []


def test_the_suite_names_what_a_store_breaks(tmp_path: Path) -> None:
    """On stores that are not empty the suite is not green, and says which checks are not."""

    def used() -> object:
        store = open_store(prepared("sqlite", tmp_path))
        store.append("t", [draft_user_message("someone was here")])
        return store

    found = check_store(used)  # type: ignore[arg-type]
    assert any(what.startswith("threads belong to workflows: ") for what in found)


def test_what_the_suite_needs_is_named_with_its_extra() -> None:
    """The laws and the histories need nothing."""
    program = (
        "import sys; sys.modules['sqlalchemy'] = None\n"
        "import director.testing as testing\n"
        "assert testing.LAWS and testing.histories\n"
        "testing.check_store\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert "check_store needs 'sqlalchemy', which is not installed" in ran.stderr
    assert "[testing]" in ran.stderr
