"""An audit as one HTML file that needs nothing else: no script, no address that it loads from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from html import escape
from importlib.resources import files

from director.audit.session_audit import SessionAudit, WindowSize

_WIDTH, _HEIGHT = 900, 240
_PARTS = (
    ("fixed", "System and tools"),
    ("summaries", "Summaries"),
    ("said", "Messages"),
    ("results", "Tool results"),
)
_MOST_BARS = 300


def render_audit_page(audit: SessionAudit) -> str:
    """The whole page."""
    style = files("director.audit").joinpath("audit_page.css").read_text(encoding="utf-8")
    session = audit.session
    times = [call.time for call in session.calls if call.time]
    when = f" · {_say_time(times[0])} to {_say_time(times[-1])} UTC" if times else ""
    head = (
        f"<h1>Audit of a session</h1><p class=quiet>{escape(session.client)} · "
        f"{escape(session.name)}{when} · {len(session.calls):,} requests · read from the session "
        "file, nothing was sent</p>"
    )
    body = "".join(
        (
            head,
            _render_tiles(audit),
            _render_chart(audit),
            _render_lost(audit),
            _render_repeated(audit),
            _render_money(audit),
        )
    )
    return (
        '<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content="width='
        'device-width, initial-scale=1"><meta http-equiv=Content-Security-Policy content="default-'
        "src 'none'; style-src 'unsafe-inline'\"><title>Audit · Director</title>"
        f"<style>{style}</style><main>{body}</main></html>"
    )


def _say_time(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, tz=UTC):%d %B %Y, %H:%M}"


def _render_tiles(audit: SessionAudit) -> str:
    costs, estimate = audit.costs, audit.estimate
    sent = costs.cached + costs.again
    paid = (
        ("Paid", "not known", costs.unknown)
        if costs.unknown
        else (
            "Paid",
            f"${costs.total:,.2f}",
            f"{round(100 * sent / costs.total) if costs.total else 0}% for things sent before",
        )
    )
    tokens = sum(each.tokens for each in audit.repeated)
    sizes = ", ".join(f"{each.before:,}" for each in audit.compactions)
    tiles = [
        paid,
        ("Compactions", str(len(audit.compactions)), f"at {sizes} tokens" if sizes else "none"),
        ("Lost and needed again", str(len(audit.lost)), "names and values"),
        ("Read again", str(len(audit.repeated)), f"{tokens:,} tokens"),
    ]
    if estimate is not None:
        text = f"{len(estimate.kept)} of {len(audit.lost)} kept"
        tiles.append(("With Director (estimate)", f"{estimate.ratio:.2f} × the input cost", text))
    return (
        "<div class=tiles>"
        + "".join(
            f"<div class=tile><span>{escape(name)}</span><b>{escape(value)}</b>"
            f"<small>{escape(note)}</small></div>"
            for name, value, note in tiles
        )
        + "</div>"
    )


def _render_chart(audit: SessionAudit) -> str:
    """Each request as a bar of its parts; a long session is thinned to what a screen shows."""
    every = -(-len(audit.windows) // _MOST_BARS)
    shown = audit.windows[::every]
    most = max((each.total for each in shown), default=1) or 1
    wide = _WIDTH / max(1, len(shown))
    bars = "".join(_render_bar(each, place * wide, wide, most) for place, each in enumerate(shown))
    marks = "".join(
        f'<line x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{_HEIGHT}" class=cut />'
        f'<text x="{x + 4:.1f}" y="12">{number}</text>'
        for number, each in enumerate(audit.compactions, start=1)
        for x in ((each.call - 1) / every * wide,)
    )
    legend = "".join(f"<span><i class={name}></i>{escape(label)}</span>" for name, label in _PARTS)
    about = f"The size of {len(audit.windows)} requests; the largest has {most:,} tokens."
    return (
        f"<section><h2>Window over time</h2><p class=legend>{legend}</p>"
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role=img aria-label="{about}">{bars}{marks}</svg>'
        f"<p class=quiet>{about} A line is a compaction of the client.</p></section>"
    )


def _render_bar(window: WindowSize, x: float, wide: float, most: int) -> str:
    parts, top = [], float(_HEIGHT)
    for name, _ in _PARTS:
        high = getattr(window, name) * _HEIGHT / most
        top -= high
        if high:
            parts.append(
                f'<rect class={name} x="{x:.1f}" y="{top:.1f}" width="{max(wide - 0.5, 0.5):.1f}"'
                f' height="{high:.1f}" />'
            )
    return "".join(parts)


def _render_table(
    title: str, heads: Sequence[str], rows: Iterable[Sequence[str]], empty: str
) -> str:
    lines = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    if not lines:
        return f"<section><h2>{title}</h2><p class=quiet>{empty}</p></section>"
    names = "".join(f"<th scope=col>{head}</th>" for head in heads)
    return (
        f"<section><h2>{title}</h2><div class=wide><table><thead><tr>{names}</tr></thead>"
        f"<tbody>{lines}</tbody></table></div></section>"
    )


def _render_lost(audit: SessionAudit) -> str:
    kept = audit.estimate.kept if audit.estimate else frozenset()
    rows = (
        (
            fact.text,
            fact.stood,
            f"compaction {fact.compaction}",
            f"request {fact.call}, {fact.used_in}",
            f"{fact.found}, {fact.tokens:,} tokens" if fact.found else "nothing had shown it",
            "kept" if fact.text in kept else "lost too",
        )
        for fact in audit.lost
    )
    heads = ("What was lost", "It stood in", "Lost at", "Needed again", "Found again", "Director")
    none = (
        "Nothing that a compaction dropped was used again."
        if audit.compactions
        else "The client compacted nothing."
    )
    return _render_table("Lost, and needed again", heads, rows, none)


def _render_repeated(audit: SessionAudit) -> str:
    rows = (
        (each.what, each.tool, f"{each.times} times", f"{each.tokens:,}") for each in audit.repeated
    )
    heads = ("Same call, same result", "Tool", "Read", "Tokens of the repeats")
    return _render_table("Read again", heads, rows, "No result came twice.")


def _render_money(audit: SessionAudit) -> str:
    costs = audit.costs
    rows = (
        ("New text", costs.new),
        ("Sent before, from the cache", costs.cached),
        ("Sent before, billed in full again", costs.again),
        ("Written by the model", costs.output),
    )
    priced = () if costs.unknown else tuple((name, f"${value:.2f}") for name, value in rows)
    return _render_table(
        "Where the money went", ("For", "Paid"), priced, f"Not known: {escape(costs.unknown)}."
    )
