"""The documentation is executed: every python block of the pages below runs as written."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path

import pytest

from director.models.script_engines.adversary import MENU
from director.models.script_engines.emits import FORMS
from director.models.script_engines.matching import When
from director.settings import RULES as RULES_OF_SETTINGS
from director.testing.double.control import CONTROLS
from director.testing.double.faults import KINDS
from director.testing.double.provider_profiles import PROFILES

RULES = {"R": range(1, 22), "C": range(1, 7), "M": range(21)}
ROOT = Path(__file__).parent.parent
_BLOCK = re.compile(r"^```python[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "docs/library.md",
        "docs/models.md",
        "docs/double.md",
        "docs/store.md",
        "docs/runs.md",
        "docs/browser.md",
        "docs/demo-site.md",
        "docs/sections.md",
        "docs/compression.md",
        "docs/fresh-contexts.md",
    ],
)
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


def test_the_navigation_names_every_page_once() -> None:
    """In its four parts; the records of the test loop are left out."""
    nav = (ROOT / "mkdocs.yml").read_text().split("\nnav:\n")[1]
    parts = re.findall(r"^  - ([^:\n]+):$", nav, flags=re.MULTILINE)
    assert parts == ["Start", "Guides", "Reference", "How it works"]
    pages = [path.relative_to(ROOT / "docs").as_posix() for path in ROOT.glob("docs/**/*.md")]
    named = re.findall(r"([\w/.-]+\.md)$", nav, flags=re.MULTILINE)
    assert sorted(named) == sorted(page for page in pages if not page.startswith("loop/"))


def test_every_file_of_the_walks_exists() -> None:
    """How it works names each stop by its file; one that was renamed is renamed there."""
    page = (ROOT / "docs/how-it-works.md").read_text()
    named = set(re.findall(r"`((?:\w+/)*\w+\.py)`", page))
    assert len(named) > 50
    assert [name for name in sorted(named) if not (ROOT / "src/director" / name).is_file()] == []


def _column(heading: str) -> list[str]:
    """The first column of the first table below a heading of the double's page."""
    page = (ROOT / "docs/double.md").read_text()
    section = re.split(rf"^#+ {re.escape(heading)}$", page, flags=re.MULTILINE)[1]
    lines = section.split("|---", 1)[1].split("\n\n", 1)[0].splitlines()[1:]
    return [line.strip("|").split("|")[0].strip(" `") for line in lines]


@pytest.mark.parametrize(
    ("heading", "names"),
    [
        ("Profiles", PROFILES),
        ("Faults", KINDS),
        ("Adversary", MENU),
        ("Rules", [field.name for field in fields(When)]),
        ("Refusals", [f"{api}{n}" for api, span in RULES.items() for n in span]),
    ],
)
def test_the_tables_of_the_double_list_exactly_what_exists(
    heading: str, names: Iterable[str]
) -> None:
    """Neither more nor less."""
    assert sorted(_column(heading)) == sorted(names)


def test_the_page_of_the_double_shows_every_emit_and_control() -> None:
    """Each has a row that can be copied."""
    page = (ROOT / "docs/double.md").read_text()
    assert [
        name for name in FORMS if f'{{"{name}": ' not in "".join(_column("What can be said"))
    ] == []
    shown = "".join(_column("Control from another process"))
    assert [name for _, name in CONTROLS if name not in shown] == []
    assert "[below](#faults)" in page


def test_every_rule_that_the_double_names_is_on_its_page() -> None:
    """A refusal in the code has a line in the table."""
    sources = (ROOT / "src/director/testing/double").rglob("*.py")
    named = {rule for path in sources for rule in re.findall(r'"([RCM]\d+)"', path.read_text())}
    assert named <= set(_column("Refusals"))


def test_the_scripts_on_the_page_are_the_shipped_ones() -> None:
    """What the page shows is what the tests load, and every script is shown."""
    page = (ROOT / "docs/double.md").read_text()
    shown = re.findall(r"^```json\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    shipped = [path.read_text() for path in (ROOT / "docs/scripts").glob("*.json")]
    assert sorted(shown) == sorted(shipped)


def test_the_settings_on_the_page_are_exactly_those_that_exist() -> None:
    """A new setting has a row."""
    page = (ROOT / "docs/store.md").read_text()
    rows = page.split("| setting | default | meaning |\n|---|---|---|\n")[1].split("\n\n")[0]
    assert re.findall(r"^\| `(\w+)`", rows, flags=re.MULTILINE) == list(RULES_OF_SETTINGS)
