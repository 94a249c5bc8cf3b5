"""Draw public functions by chance, to see whether a stranger finds their files by name alone.

    python -m scripts.guess --seed 7                  thirty names, and the tree of files
    python -m scripts.guess --seed 7 --answers FILE   also writes the file of each name, apart
    python -m scripts.guess --strangers               functions that share no word with their path

Give the first output to somebody who has not seen the code, who names a file for each; then compare
with the answers. The same seed draws the same names from the same tree. It changes nothing else.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "director"
# Words that name an activity and no subject: they lead to no file.
VERBS = set(
    """add apply ask build clear close compute count create describe draw ensure find fit get hash
    hide is keep list load look make map mark measure name note open parse prepare put read refuse
    register remove render replace require resolve say select send set show start stop take tell
    use wait watch write""".split()
)


def list_public_functions(source: Path) -> list[tuple[str, str]]:
    """Name and file of each public function of a module, those that occur once."""
    found = [
        (node.name, str(path.relative_to(source)))
        for path in sorted(source.rglob("*.py"))
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and not node.name.startswith("_")
        and "migrations" not in path.parts
    ]
    times = Counter(name for name, _ in found)
    return [(name, file) for name, file in found if times[name] == 1]


def draw(source: Path, *, seed: int, count: int) -> list[tuple[str, str]]:
    """So many of them, by chance; the same for the same seed."""
    every = list_public_functions(source)
    return random.Random(seed).sample(every, min(count, len(every)))  # noqa: S311  not secret


def list_strangers(source: Path) -> list[tuple[str, str]]:
    """The functions whose name shares no word with the path of their file."""
    verbs = _list_stems(" ".join(VERBS))
    return [
        (name, file)
        for name, file in list_public_functions(source)
        if not _list_stems(name) & (_list_stems(file.removesuffix(".py")) - verbs)
    ]


def _list_stems(name: str) -> set[str]:
    """The words of a name, without the endings that mean the same thing."""
    words = re.split(r"[^a-z0-9]+", name.lower())
    return {re.sub(r"(ations?|ions?|ing|ies|ed|es|s|e|y)$", "", word) for word in words if word}


def main() -> int:
    """Print the names and the tree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--answers", type=Path, help="write the file of each name here")
    parser.add_argument("--strangers", action="store_true")
    given = parser.parse_args()
    if given.strangers:
        for name, file in list_strangers(SOURCE):
            print(f"{name:45} {file}")
        return 0
    drawn = draw(SOURCE, seed=given.seed, count=given.count)
    print("In which file is each of these functions?\n")
    for place, (name, _) in enumerate(drawn, 1):
        print(f"{place:>3}. {name}")
    print("\nThe files of src/director:\n")
    for path in sorted(SOURCE.rglob("*.py")):
        print(path.relative_to(SOURCE))
    if given.answers:
        lines = [f"{place}. {name}: {file}" for place, (name, file) in enumerate(drawn, 1)]
        given.answers.write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
