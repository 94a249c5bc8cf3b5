"""Command output: failures, summaries and paths stay, noise and passing tests are counted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from director.context.shapes import shell

TESTS = "\n".join(
    [
        "$ pytest -v",
        "============ test session starts ============",
        *(f"tests/test_pay.py::test_case_{n} PASSED [ {n // 3}%]" for n in range(300)),
        "tests/test_pay.py::test_total FAILED [100%]",
        "================= FAILURES =================",
        "________________ test_total ________________",
        "    def test_total():",
        ">       assert order(42).total == 10",
        "E       assert 12 == 10",
        "tests/test_pay.py:77: AssertionError",
        "========= short test summary info ==========",
        "FAILED tests/test_pay.py::test_total - assert 12 == 10",
        "====== 1 failed, 300 passed in 3.21s =======",
        "exit code: 1",
    ]
)
INSTALL = "\n".join(
    [
        "$ pip install shop",
        *(f"Collecting part{n}>=1.{n}\n  Downloading part{n}-1.{n}.whl (12 kB)" for n in range(40)),
        "WARNING: part3 is yanked",
        "Successfully installed part0-1.0 shop-2.4.1",
    ]
)
PATHS = "\n".join(f"services/billing/src/models/{name}.py" for name in "abcdefghij")


def test_a_failing_test_stays_verbatim_and_passing_ones_are_counted() -> None:
    """Who reads a test run wants the failure and the totals."""
    shown = shell.render(TESTS, "medium", 1_000)
    assert TESTS[TESTS.index("tests/test_pay.py::test_total FAILED") :] in shown
    assert "test_case_150" not in shown
    assert "lines like: tests/test_pay.py::test_case_# PASSED" in shown


def test_the_noise_of_an_installer_goes_first() -> None:
    """What was asked, what is odd and what came of it remain."""
    shown = shell.render(INSTALL, "high", 330)
    assert "$ pip install shop" in shown
    assert "WARNING: part3 is yanked" in shown
    assert "Successfully installed part0-1.0 shop-2.4.1" in shown


def test_a_progress_bar_is_its_last_state() -> None:
    """What was overwritten on the screen was never read."""
    text = "fetch\n" + "".join(f"\r{n}% [{'#' * n}]" for n in range(0, 101, 10)) + "\nsaved out.bin"
    assert shell.render(text, "low", 0) == f"fetch\n100% [{'#' * 100}]\nsaved out.bin"


def test_low_writes_the_directory_of_a_listing_once() -> None:
    """Every name is there, under its directory."""
    shown = shell.render(PATHS, "low", 0)
    assert shown == "services/billing/src/models/: " + " ".join(f"{n}.py" for n in "abcdefghij")


def test_a_short_common_directory_is_left_alone() -> None:
    """A path in one piece is better than a few characters saved."""
    text = "\n".join(f"./{name}.py" for name in "abcdefgh")
    assert shell.render(text, "low", 0) == text


def test_a_long_listing_keeps_kind_size_and_name() -> None:
    """Owners and modes go before names do."""
    text = "total 9\n" + "\n".join(
        f"-rw-r--r-- 1 root root {n}00 Nov 16 01:0{n} file{n}.txt" for n in range(1, 9)
    )
    shown = shell.render(text, "medium", 200)
    assert "300 file3.txt" in shown
    assert "root" not in shown


def test_command_output_is_recognised_and_prose_is_not() -> None:
    """Prompts, test runs, installers and listings are command output."""
    assert all(shell.recognise(text) for text in (TESTS, INSTALL, PATHS))
    assert not shell.recognise("A letter.\nIt has some lines.\nNone is a command.\nBye.")


@given(st.integers(0, 3_000), st.integers(0, 3_000), st.integers(0, 500), st.text(max_size=40))
def test_mangled_output_is_rendered_within_its_room(a: int, b: int, room: int, noise: str) -> None:
    """Whatever is cut out or put in, nothing raises and nothing grows."""
    source = TESTS[-1_500:] + "\n" + INSTALL[:800] + "\n" + PATHS
    text = source[: min(a, b)] + noise + source[max(a, b) :]
    shown = shell.render(text, "high", room)
    assert len(shown) <= min(len(text), room) or shown == text
