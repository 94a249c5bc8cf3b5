"""What the demonstration says, as lines of text; prints nothing and decides nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from director import Fitted
from director.demo.cost_replay import (
    PRICES,
    ReplayStep,
    ReplayTotals,
    calls,
    render_arguments,
    text_of,
)
from director.demo.recording import Message
from director.demo.screen import Screen, short

_WIDE, _EXAMPLE_LINES, _LARGEST = 5, 6, 5


def heading(screen: Screen, name: str, messages: Sequence[Message], budget: int) -> list[str]:
    """What is replayed, under which budget, and how to read the rows."""
    made = len(calls(messages))
    return [
        screen.ink(f"Director replays {screen.one_line(name, screen.width - 17)}", "bold"),
        f"{len(messages):,} messages, {made:,} model calls, budget {budget:,} tokens",
        "",
        *screen.wrap(
            "raw: tokens if everything is sent. sent: tokens after fitting. cost: the same two in "
            f"tokens at full price, a cached start at {PRICES.read:.0%}. "
            f"saved: of the cost so far. {_rewrite(screen)}: earlier text was rewritten, so the "
            "cached start is shorter. !: more than the budget, because nothing more may go."
        ),
        "",
        screen.ink(
            f"{'call':>4} {'raw':>{_WIDE}} {'sent':>{_WIDE}} {'':<{_room(screen)}} "
            f"{'cost':>{_WIDE}} {'ours':>{_WIDE}} {'saved':>5}",
            "dim",
        ),
    ]


def row(screen: Screen, step: ReplayStep, totals: ReplayTotals, largest: int) -> str:
    """One model call."""
    bar = screen.bar(step.sent / largest, max(step.raw, step.sent) / largest, _room(screen))
    sign = " "
    if not step.fitted.report.fits:
        sign = screen.ink("!", "red")
    elif step.rewrite:
        sign = screen.ink(_rewrite(screen), "yellow")
    return (
        f"{step.number:>4} {short(step.raw):>{_WIDE}} {short(step.sent):>{_WIDE}} {bar} "
        f"{short(step.raw_cost):>{_WIDE}} {short(step.sent_cost):>{_WIDE}} "
        f"{1 - totals.relative:>5.0%} {sign}"
    ).rstrip()


def render_kept(screen: Screen, fitted: Fitted) -> list[str]:
    """What the last call kept, by kind."""
    report = fitted.report
    largest = max((max(kind.before, kind.after) for kind in report.kinds), default=0) or 1
    room = screen.width - 9 - 2 * (_WIDE + 1) - 6
    lines = ["", screen.ink("The last call, by kind: recorded, sent, kept", "bold")]
    for kind in report.kinds:
        if not kind.before and not kind.after:
            continue
        tall = max(kind.before, kind.after)
        sizes = f"{short(kind.before):>{_WIDE}} {short(kind.after):>{_WIDE}}"
        share = f"{kind.after / kind.before:>5.0%}" if kind.before else "  new"
        bar = screen.bar(kind.after / largest, tall / largest, room)
        lines.append(f"{kind.name:<9}{sizes} {share} {bar}".rstrip())
    if not report.fits:
        lines += screen.wrap(
            f"! {report.after:,} tokens is the least that can be sent: more than the budget of "
            f"{report.limit:,}."
        )
    counted = "exact" if not report.error else f"within {report.error:.0%}"
    return [*lines, screen.ink(f"counted with {report.counter} ({counted})", "dim")]


def cut(screen: Screen, fitted: Fitted) -> list[str]:
    """The largest cuts of the last call, each with the handle that reads the original back."""
    losses = sorted(fitted.report.losses, key=lambda loss: loss.after - loss.before)
    if not losses:
        return ["", "Nothing was cut: everything fits the budget as it is."]
    title = f"What was cut: {len(losses):,} places"
    if len(losses) > _LARGEST:
        title += f", the largest {_LARGEST}"
    lines = ["", screen.ink(title, "bold")]
    arrow = screen.mark("→", "->")
    for loss in losses[:_LARGEST]:
        size = f"turn {loss.turn:>3}  {short(loss.before):>{_WIDE}} {arrow} {short(loss.after):<5}"
        room = screen.width - len(size) - len(loss.handle) - 3
        what = screen.one_line(loss.what, max(room, 8))
        lines.append(f"{size} {what:<{max(room, 8)}}  {screen.ink(loss.handle, 'dim')}")
    return lines


def example(screen: Screen, fitted: Fitted) -> list[str]:
    """One shrunk result, before and after."""
    losses = sorted(fitted.report.losses, key=lambda loss: loss.after - loss.before)
    for loss in losses:
        after = _holding(loss.handle, fitted)
        before = fitted.recall(loss.handle) if loss.handle and after else ""
        if len(before) > len(after) > 0:
            return [
                "",
                screen.ink(f"One of them, turn {loss.turn}: before", "bold"),
                *_excerpt(screen, before),
                screen.ink("and after", "bold"),
                *_excerpt(screen, after),
            ]
    return []


def _is_recorded(original: str, recorded: str) -> bool:
    """Whether every line was recorded; a line of a call is its tool's name and its arguments."""
    return all(
        line in recorded or line.partition(" ")[2] in recorded for line in original.splitlines()
    )


def render_recalled(screen: Screen, fitted: Fitted, messages: Sequence[Message]) -> list[str]:
    """Reads every original back by its reference and compares it with what was recorded."""
    handles = list(dict.fromkeys(loss.handle for loss in fitted.report.losses if loss.handle))
    if not handles:
        return []
    recorded = "\n".join(f"{text_of(message)}\n{render_arguments(message)}" for message in messages)
    originals = [fitted.recall(handle) for handle in handles]
    same = sum(_is_recorded(original, recorded) for original in originals)
    signs = sum(map(len, originals))
    good = same == len(handles)
    verdict = (
        f"Nothing is lost: {len(handles):,} of {len(handles):,} originals read back by handle"
        if good
        else f"{same:,} of {len(handles):,} originals read back as recorded; the others were merged"
    )
    first = originals[0].strip() or originals[0]
    return [
        "",
        *(
            screen.ink(line, "green" if good else "yellow")
            for line in screen.wrap(
                f"{verdict}, {signs:,} characters, compared with the recording."
            )
        ),
        screen.one_line(f'recall("{handles[0]}") = {first}', screen.width),
    ]


def total(screen: Screen, totals: ReplayTotals) -> list[str]:
    """The last word."""
    sent = f"sent {abs(totals.fewer):.0%} {'fewer' if totals.fewer >= 0 else 'more'} tokens"
    cost = f"cost {totals.relative:.0%} of sending everything"
    times = "once" if totals.rewrites == 1 else f"{totals.rewrites} times"
    return [
        "",
        screen.ink(f"{sent}, {cost}", "bold"),
        screen.ink(f"earlier text was rewritten {times}", "dim"),
    ]


def _room(screen: Screen) -> int:
    return screen.width - 4 - 4 * (_WIDE + 1) - 6 - 2 - 1


def _rewrite(screen: Screen) -> str:
    return screen.mark("↻", "*")


def _holding(handle: str, fitted: Fitted) -> str:
    texts = (text_of(message) for message in fitted.messages)
    return next((text for text in texts if handle and handle in text), "")


def _excerpt(screen: Screen, text: str) -> Iterator[str]:
    lines = [line for line in text.splitlines() if line.strip()]
    side = screen.mark("│", "|")
    for line in lines[:_EXAMPLE_LINES]:
        indent = min(len(line) - len(line.lstrip()), 8)
        yield f"{side} {' ' * indent}{screen.one_line(line, screen.width - 2 - indent)}"
    if len(lines) > _EXAMPLE_LINES:
        rest = f"{len(lines) - _EXAMPLE_LINES:,} more lines, {len(text):,} characters in all"
        yield screen.ink(f"{side} {screen.mark('…', '...')} {rest}", "dim")
