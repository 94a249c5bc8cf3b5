"""Can the next edit still be made? `python bench/coding.py` replays the coding runs.

An edit names the text that it replaces, which has to be copied exactly. It can be made if that text
stands whole in one message of what was sent, apart from the numbers that a reader puts before lines.
With `--write` the table goes into docs/measured.md.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from material import recorded
from peers import PEERS, Peer

from director.audit.recorded_texts import Message, read_text
from director.audit.support import compute_budget, count_tokens, find_refusing
from director.audit.support_replay import CacheBill, Manage, RecordedRun

SHARES = (0.5, 0.35)
MANAGERS = ("raw", "mask10", "mask3", "clear", "trim", "trim_bare", "director")
PAGE = Path(__file__).parent.parent / "docs" / "measured.md"
BEGIN, END = "<!-- coding: begin -->", "<!-- coding: end -->"
_NUMBER = re.compile(r"^ *\d+(?:\t|→|: )", re.MULTILINE)


@dataclass
class Tally:
    """Sums over the calls of all runs, for one manager and one budget."""

    edits: int = 0
    readable: int = 0
    late: int = 0
    late_readable: int = 0
    above: int = 0
    above_still: int = 0
    refused: int = 0
    early: int = 0
    paid: float = 0.0
    paid_raw: float = 0.0

    def row(self) -> dict[str, float]:
        """The columns of the table."""
        return {
            "edits %": round(100 * self.readable / max(1, self.edits), 1),
            "above budget %": round(100 * self.late_readable / max(1, self.late), 1),
            "over budget %": round(100 * self.above_still / max(1, self.above), 1),
            "changed early": self.early,
            "refused": self.refused,
            "cost": round(self.paid / self.paid_raw, 2),
        }


def old_text(message: Message) -> str:
    """The text that an edit replaces; none where the message is no edit."""
    for call in message.get("tool_calls") or ():
        if call["function"]["name"] == "Edit":
            return str(json.loads(call["function"]["arguments"])["old_string"])
    return ""


def can_edit(old: str, sent: Sequence[Message]) -> bool:
    """Whether a text stands whole in one message, read with or without numbers before its lines."""
    return any(old in text or old in _NUMBER.sub("", text) for text in _texts(sent))


def _texts(sent: Sequence[Message]) -> Iterator[str]:
    for message in sent:
        yield read_text({**message, "tool_calls": None})
        for call in message.get("tool_calls") or ():
            given = json.loads(call["function"]["arguments"])
            yield from (value for value in given.values() if isinstance(value, str))


def replay(make: Callable[[], Manage], runs: Sequence[RecordedRun], share: float) -> Tally:
    """Send every run through a fresh manager, call by call."""
    tally = Tally()
    for run in runs:
        manage, tills = make(), (CacheBill(), CacheBill())
        budget = compute_budget(run.messages, share)
        passed = False
        for at, now in run.calls():
            raw = run.messages[:at]
            out = list(manage(list(raw), budget))
            for till, sent in zip(tills, (out, raw), strict=True):
                till.pay(sent, now)
            above = count_tokens(raw) > budget
            passed = passed or above
            tally.above += above
            tally.above_still += above and count_tokens(out) > budget
            tally.early += not passed and out != raw
            tally.refused += bool(find_refusing(out))
            _count(tally, old_text(run.messages[at]), (raw, out), above=above)
        tally.paid += tills[0].paid
        tally.paid_raw += tills[1].paid
    return tally


def _count(
    tally: Tally, old: str, sent: tuple[Sequence[Message], Sequence[Message]], *, above: bool
) -> None:
    if not old or not can_edit(old, sent[0]):
        return
    kept = can_edit(old, sent[1])
    tally.edits += 1
    tally.readable += kept
    tally.late += above
    tally.late_readable += above and kept


def table(peers: Sequence[Peer], runs: Sequence[RecordedRun]) -> list[str]:
    """The table as lines of Markdown."""
    lines: list[str] = []
    for share in SHARES:
        for peer in peers:
            tally = replay(peer.make, runs, share)
            row = tally.row()
            if not lines:
                about = f"edits that can be made % ({tally.edits})"
                heads = ["budget", "manager", about, *list(row)[1:]]
                lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
            cells = [f"{share:.0%}", peer.name, *(f"{value:g}" for value in row.values())]
            lines.append("| " + " | ".join(cells) + " |")
            print(lines[-1], flush=True)
    return lines


def main() -> None:
    """Print the table, and write it where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--managers", nargs="*", default=MANAGERS)
    parser.add_argument("--only", nargs="*", default=())
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    peers = [peer for peer in PEERS if peer.key in options.managers]
    runs = [run for run in recorded("coding") if not options.only or run.name in options.only]
    lines = table(peers, runs)
    if options.write:
        text = PAGE.read_text(encoding="utf-8")
        before, after = text.split(BEGIN)[0], text.split(END)[1]
        PAGE.write_text(f"{before}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{after}", "utf-8")


if __name__ == "__main__":
    main()
