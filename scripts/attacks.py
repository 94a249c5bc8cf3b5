"""Writes the catalogue of attacks in docs/security.md from the tests in tests/attacks.

Each test there is one attack and says so in its marker; the table is never written by hand. What
was seen of an attack on the code before is in `tests/attacks/before.json`, by commit and test.
`--check` writes nothing and fails if the table is not what the tests say.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "security.md"
BEFORE = ROOT / "tests" / "attacks" / "before.json"
BEGIN, END = "<!-- attacks -->\n", "<!-- /attacks -->"


@dataclass(frozen=True, slots=True)
class Attack:
    """One attack: what is tried, what must happen, how many variants, and the test that does it."""

    text: str
    must: str
    tries: int
    test: str
    before: str = ""


def read_attacks(folder: Path) -> list[Attack]:
    """The attacks of a folder of tests, in the order of files and lines."""
    before = read_before()
    return [
        replace(attack, before=before.get(attack.test, ""))
        for path in sorted(folder.glob("test_*.py"))
        for attack in _attacks_in(path)
    ]


def read_before() -> dict[str, str]:
    """What was seen of each attack on the code before, in a word, or why nothing was."""
    seen: dict[str, dict[str, str]] = json.loads(BEFORE.read_text())
    return {test: result for results in seen.values() for test, result in results.items()}


def render_table(attacks: list[Attack]) -> str:
    """The table that the page holds."""
    rows = [
        f"| {_cell(each.text)} | {each.tries} | {each.before} | {_cell(each.must)} |"
        f" `{each.test}` |"
        for each in attacks
    ]
    head = ["| attack | tries | before | result | test |", "|---|---|---|---|---|"]
    return "\n".join([*head, *rows]) + "\n"


def _attacks_in(path: Path) -> Iterator[Attack]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for mark in node.decorator_list:
                if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.attack":
                    said = {each.arg: ast.literal_eval(each.value) for each in mark.keywords}
                    yield Attack(
                        text=ast.literal_eval(mark.args[0]),
                        must=said["must"],
                        tries=said.get("tries", 1),
                        test=f"{path.relative_to(ROOT)}::{node.name}",
                    )


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> int:
    """Write the table, or with --check compare it."""
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    made = before + BEGIN + render_table(read_attacks(ROOT / "tests" / "attacks")) + END + after
    if "--check" in sys.argv:
        return int(made != page)
    PAGE.write_text(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
