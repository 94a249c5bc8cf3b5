"""The documentation is executed: every python block of the pages below runs as written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
_BLOCK = re.compile(r"^```python[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", ["README.md", "docs/library.md"])
def test_every_python_block_runs(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Blocks of one page share their names from top to bottom, as a reader would type them."""
    text = (ROOT / page).read_text()
    names: dict[str, object] = {"__name__": "__main__"}
    blocks = list(_BLOCK.finditer(text))
    assert blocks, f"{page} holds no python block"
    for block in blocks:
        # Blank lines in front make a traceback point into the page.
        before = "\n" * (text.count("\n", 0, block.start()) + 1)
        exec(compile(before + block[1], page, "exec"), names)  # noqa: S102
    capsys.readouterr()


def test_pages_link_only_to_files_that_exist() -> None:
    """A link or picture to a file of the project leads somewhere."""
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    links = [
        (page, link)
        for page in pages
        for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text())
        if "://" not in link
    ]
    assert [
        f"{page.relative_to(ROOT)}: {link}"
        for page, link in links
        if not (page.parent / link).exists()
    ] == []
