"""`python -m director.demo`: reads the arguments, replays, prints. Nothing is decided here."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from director.demo import demo_text, recording
from director.demo.cost_replay import ReplayTotals, replay, usual_budget
from director.demo.screen import Screen

_ABOUT = """\
Replays a recorded agent run through the context engine, one model call after another, and shows
what was kept, what was cut, and what each call costs against sending everything. No model is
called and nothing leaves this machine.
"""

_MORE = """\
examples:
  ./run --engine                          the run that comes with the project
  ./run --engine --budget 8000            the same with less room: more is cut, earlier
  ./run --engine --run my-agent.json      your own agent's history
  ./run --engine --run log.jsonl | less   without colours; NO_COLOR=1 does the same

FILE holds chat messages as sent to a model, {"role": ..., "content": ...}: a JSON list, an object
with "messages", or one of either a line (of several runs the first is shown); .gz is fine.

How to read it: a provider charges a tenth for the start of a request that it has seen before.
So a call that only adds to the previous one is cheap, and a call that rewrites earlier text is
not. The engine shrinks each result once, when it arrives, and rewrites rarely, in batches.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demonstration; the exit code is 2 if the file or the budget cannot be used."""
    chosen = _arguments().parse_args(arguments)
    try:
        messages = recording.load(chosen.run) if chosen.run else recording.load_shipped()
    except recording.BadRecordingError as bad:
        print(f"./run --engine: {bad}", file=sys.stderr)
        return 2
    _show(chosen.run.name if chosen.run else recording.SHIPPED, messages, chosen.budget)
    return 0


def _show(name: str, messages: list[recording.Message], chosen: int | None) -> None:
    screen = Screen.of(sys.stdout)
    budget = chosen or usual_budget(messages)
    _print(demo_text.heading(screen, name, messages, budget))
    largest = max(1, 2 * usual_budget(messages))
    totals = ReplayTotals()
    last = None
    for step in replay(messages, budget):
        totals = totals.plus(step)
        _print([demo_text.row(screen, step, totals, largest)])
        last = step.fitted
    if last is not None:
        _print(demo_text.render_kept(screen, last))
        _print(demo_text.cut(screen, last))
        _print(demo_text.example(screen, last))
        _print(demo_text.render_recalled(screen, last, messages))
    _print(demo_text.total(screen, totals))


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        print(line, flush=True)


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="./run --engine",
        description=_ABOUT,
        epilog=_MORE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--budget",
        type=_tokens,
        metavar="N",
        help="tokens a call may have (default: half of what the last call would send)",
    )
    parser.add_argument(
        "--run", type=Path, metavar="FILE", help="a recorded run of chat messages (see below)"
    )
    return parser


def _tokens(text: str) -> int:
    number = text.replace(",", "").replace("_", "")
    if not number.isdecimal() or not int(number):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of tokens, such as 24000")
    return int(number)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:
        # The reader went away (`| head`): leave quietly, and keep the interpreter from flushing.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except KeyboardInterrupt:
        print("\n./run --engine: stopped", file=sys.stderr)
        sys.exit(130)
