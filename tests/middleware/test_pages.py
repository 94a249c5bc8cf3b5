"""The pages and examples of the middleware do what they show."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from director.browser import BrowserError
from director.browser.chromium import find_chromium

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r"^```python[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGES = sorted(path.name for path in (ROOT / "docs" / "middleware").glob("*.md"))
EXAMPLES = sorted(path.name for path in (ROOT / "examples").glob("*.py"))


def has_chromium() -> bool:
    """Whether there is a browser to drive."""
    try:
        find_chromium("")
    except BrowserError:
        return False
    return True


@pytest.mark.parametrize("page", PAGES)
def test_every_python_block_runs(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Blocks of one page share their names from top to bottom, as a reader would type them."""
    text = (ROOT / "docs" / "middleware" / page).read_text()
    names: dict[str, object] = {"__name__": "__main__"}
    for block in _BLOCK.finditer(text):
        before = "\n" * (text.count("\n", 0, block.start()) + 1)
        exec(compile(before + block[1], page, "exec"), names)  # noqa: S102
    capsys.readouterr()


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_runs(example: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each is a program that ends well and says something."""
    if example == "pilot.py" and not has_chromium():
        pytest.skip("there is no Chromium")
    runpy.run_path(str(ROOT / "examples" / example), run_name="__main__")
    assert capsys.readouterr().out
