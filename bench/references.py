"""Can the next element still be named? `python bench/references.py` replays the page runs.

Recorded in the formats of other packages, on four local applications. For every action on an element
of the latest page: does its reference stand in the latest page that was sent, on a line with half of
its label? With `--write` the table goes into docs/measured.md.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from material import recorded
from peers import PEERS

from director.audit.recorded_texts import Message
from director.audit.support import compute_budget, count_tokens, read_newest_result
from director.audit.support_replay import Manage, RecordedRun

SHARES = (0.5, 0.25, 0.1)
# How each format writes a reference, and the argument that names one.
MARKS = {
    "pages_playwright_mcp": ("target", "[ref={}]"),
    "pages_agent_browser": ("ref", "ref={}]"),
    "pages_browser_use": ("index", "[{}]<"),
    "pages_notte": ("id", "{}[:]"),
    "pages_html": ("href", 'href="{}"'),
}
MANAGERS = ("raw", "trim_bare", "clear", "mask3", "director")
PAGE = Path(__file__).parent.parent / "docs" / "measured.md"
BEGIN, END = "<!-- references: begin -->", "<!-- references: end -->"
_WORD = re.compile(r"[A-Za-z]{3,}")


def words(line: str) -> set[str]:
    """The words of a line."""
    return set(_WORD.findall(line))


@dataclass
class Kept:
    """How many references were needed and stayed, also of the pages that fit into the budget."""

    needed: int = 0
    kept: int = 0
    fit: int = 0
    fit_kept: int = 0
    over: int = 0

    @property
    def share(self) -> float:
        """The share that stayed, in percent."""
        return 100 * self.kept / self.needed if self.needed else 100.0


def mark_of(message: Message, family: str) -> str:
    """The reference that an action names, as the page writes it; none where it names none."""
    field, mark = MARKS[family]
    for call in message.get("tool_calls") or ():
        given = json.loads(call["function"]["arguments"])
        if field in given:
            return mark.format(given[field])
    return ""


def is_kept(mark: str, raw: str, kept: str) -> bool:
    """Whether a line of the latest page still offers an element, with half of its label."""
    if mark.startswith("href="):
        # A page of HTML may stand in one line: there a link begins its own.
        raw, kept = (text.replace("<a ", "\n<a ") for text in (raw, kept))
    was = next(line for line in raw.splitlines() if mark in line)
    label = words(was)
    longest = max(400, 2 * len(was))
    return any(
        2 * len(label & words(line)) >= len(label)
        for line in kept.splitlines()
        if mark in line and len(line) <= longest
    )


def replay(
    make: Callable[[], Manage], runs: Sequence[RecordedRun], share: float, family: str
) -> Kept:
    """Send every run of a format through a fresh manager, call by call."""
    score = Kept()
    for run in runs:
        manage, budget = make(), compute_budget(run.messages, share)
        for at, _ in run.calls():
            raw = run.messages[:at]
            out = list(manage(list(raw), budget))
            score.over += count_tokens(raw) > budget and count_tokens(out) > budget
            mark, page = mark_of(run.messages[at], family), read_newest_result(raw)
            if not mark or mark not in page:
                continue
            shown = read_newest_result(out)
            kept = is_kept(mark, page, shown)
            score.needed += 1
            score.kept += kept
            fits = count_tokens([{"content": page}]) <= budget
            score.fit += fits
            score.fit_kept += fits and kept
    return score


def main() -> None:
    """Print the table, and write it where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--managers", nargs="*", default=MANAGERS)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    heads = ["budget", "format", *(peer.name for peer in PEERS if peer.key in options.managers)]
    heads += ["actions", "on a page larger than the budget", "Director over budget"]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for share in SHARES:
        for family in MARKS:
            runs, found = recorded(family), []
            for peer in PEERS:
                if peer.key in options.managers:
                    ours = replay(peer.make, runs, share, family)
                    found.append(f"{ours.share:.1f}")
            cells = [f"{share:.0%}", family.removeprefix("pages_"), *found]
            cells += [str(ours.needed), str(ours.needed - ours.fit), str(ours.over)]
            lines.append("| " + " | ".join(cells) + " |")
            print(lines[-1], flush=True)
    if options.write:
        text = PAGE.read_text(encoding="utf-8")
        before, after = text.split(BEGIN)[0], text.split(END)[1]
        PAGE.write_text(f"{before}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{after}", "utf-8")


if __name__ == "__main__":
    main()
