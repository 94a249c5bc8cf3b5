"""Draws what is kept against what it costs, one line for each manager, a point for each budget.

A place is the mean over the materials that all managers were measured on.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

from peers import OURS, PEERS

Rows: TypeAlias = dict[str, dict[str, dict[str, float | None]]]

INK, QUIET, GRID = "#1f2430", "#5c6675", "#e6e8ec"
OURS_COLOUR = "#c2410c"
COLOURS = {
    "raw": "#1f2430",
    "floor": "#8a93a3",
    "trim": "#2563a8",
    "trim_bare": "#5b9bd5",
    "clear": "#0f766e",
    "mask3": "#7c5cbf",
    "mask10": "#b07cc6",
    "headroom": "#4d7c0f",
    "browser_use": "#b45387",
    "thrift": "#e0905f",
}
REFUSED_BELOW, ABOVE_MORE_THAN = 99.0, 5.0


@dataclass(frozen=True)
class Point:
    """One manager at one budget."""

    cost: float
    hard: float
    refused: bool
    over: bool


def points(results: dict[str, Rows]) -> dict[str, list[Point]]:
    """The points of each manager, budgets ascending, without those that coincide."""
    materials = [rows for rows in results.values() if rows]
    found: dict[str, list[Point]] = {}
    for peer in PEERS:
        measured = [rows[peer.key] for rows in materials if peer.key in rows]
        if not measured or (len(measured) < len(materials) and not peer.only):
            continue
        shares = sorted(measured[0], key=float)
        line = [_mean([rows[share] for rows in measured]) for share in shares]
        found[peer.key] = line if peer.follows_budget else line[len(line) // 2 :][:1]
    return found


def _mean(rows: Sequence[dict[str, float | None]]) -> Point:
    def mean(column: str) -> float:
        values = [value for row in rows if (value := row[column]) is not None]
        return sum(values) / len(values) if values else math.nan

    return Point(
        cost=mean("cost"),
        hard=mean("hard %"),
        refused=mean("valid openai %") < REFUSED_BELOW,
        over=mean("over budget %") > ABOVE_MORE_THAN,
    )


def draw(results: dict[str, Rows], target: Path) -> None:
    """Draw the frontier into an SVG or PNG file."""
    import matplotlib as mpl  # noqa: PLC0415

    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    mpl.rcParams |= {
        "svg.fonttype": "path",
        "svg.hashsalt": "director",
        "font.family": ["DejaVu Sans", "sans-serif"],
        "font.size": 10.5,
        "text.color": INK,
    }
    figure, axes = plt.subplots(figsize=(7.6, 5.3), dpi=150)
    lines = points(results)
    _frame(axes, lines)
    axes.set_title("Better is up and to the left", loc="left", fontweight="bold", pad=24)
    axes.text(0, 1.025, _caption(results), transform=axes.transAxes, fontsize=9.5, color=QUIET)
    for key, line in lines.items():
        _line(axes, key, line)
    figure.tight_layout()
    _labels(figure, axes, lines)
    _signs(axes)
    figure.savefig(target, metadata={"Date": None} if target.suffix == ".svg" else None)
    plt.close(figure)


def _caption(results: dict[str, Rows]) -> str:
    spelt = {"bfcl": "BFCL"}
    materials = [spelt.get(name, name) for name, rows in results.items() if rows]
    first = next(rows for rows in results.values() if rows)
    shares = sorted(float(share) for share in next(iter(first.values())))
    budgets = ", ".join(f"{share:.0%}" for share in shares)
    return f"Mean of {', '.join(materials)} recordings; points of a line: budgets of {budgets}"


def _frame(axes: Any, lines: dict[str, list[Point]]) -> None:
    widest = max(point.cost for line in lines.values() for point in line)
    axes.set_xlim(0, max(1.2, widest * 1.12))
    axes.set_ylim(-6, 109)
    axes.set_yticks(range(0, 101, 20))
    axes.grid(color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.axvline(1, color=QUIET, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(GRID)
    axes.tick_params(colors=QUIET, length=0)
    axes.set_xlabel("input cost with prompt caching (sending everything = 1)", color=QUIET)
    axes.set_ylabel("old values still there when needed, %", color=QUIET)


def _line(axes: Any, key: str, line: list[Point]) -> None:
    ours = key == OURS
    colour = OURS_COLOUR if ours else COLOURS[key]
    order = 6 if ours else 3
    xs, ys = [p.cost for p in line], [p.hard for p in line]
    axes.plot(xs, ys, color=colour, linewidth=2.6 if ours else 1.3, zorder=order)
    for point in line:
        axes.plot(
            point.cost,
            point.hard,
            marker="X" if point.refused else "o",
            markersize=9 if ours else 7.5 if point.refused else 6.5,
            markerfacecolor="white" if point.over else colour,
            markeredgecolor=colour,
            markeredgewidth=1.5,
            linestyle="none",
            zorder=order + 1,
        )


def _around() -> Iterator[tuple[float, float]]:
    """Places for a label around a point, nearest first, in points."""
    for distance in (11, 17, 25, 35, 47, 60, 76):
        for turn in (0, 4, 2, 6, 1, 7, 3, 5):
            angle = turn * math.pi / 4
            yield distance * math.cos(angle), distance * math.sin(angle)


def _labels(figure: Any, axes: Any, lines: dict[str, list[Point]]) -> None:
    names = {p.key: p.name + (" (browser runs)" if p.only else "") for p in PEERS}
    renderer = figure.canvas.get_renderer()
    scale = figure.dpi / 72
    taken = _obstacles(axes, lines, scale)
    inside = axes.get_window_extent(renderer)
    for key in sorted(lines, key=lambda key: (key != OURS, -lines[key][0].hard)):
        ours = key == OURS
        spots = [(point, shift) for shift in _around() for point in reversed(lines[key])]
        note = None
        for point, (right, up) in spots:
            note = axes.annotate(
                names[key],
                (point.cost, point.hard),
                xytext=(right, up),
                textcoords="offset points",
                ha="left" if right > 1 else "right" if right < -1 else "center",
                va="center",
                color=OURS_COLOUR if ours else COLOURS[key],
                fontweight="bold" if ours else "normal",
                fontsize=12 if ours else 9.5,
                zorder=9,
                arrowprops=_leader(key, right, up),
            )
            box = _text_box(note, renderer)
            pointer = _pointer(axes, point, (right * scale, up * scale))
            clear = not any(_meet(part, other) for part in (box, *pointer) for other in taken)
            if clear and inside.x0 <= box[0] and box[2] <= inside.x1 and box[3] <= inside.y1 + 4:
                taken.append(box)
                break
            note.remove()
            note = None


def _leader(key: str, right: float, up: float) -> dict[str, Any] | None:
    """How a label far from its point is tied to it: by the side that faces the point."""
    if math.hypot(right, up) <= 20:
        return None
    across = 0.0 if right > 1 else 1.0 if right < -1 else 0.5
    upward = 0.5 if across != 0.5 else float(up < 0)
    colour = COLOURS.get(key, OURS_COLOUR)
    return {"arrowstyle": "-", "color": colour, "lw": 0.6, "relpos": (across, upward), "shrinkA": 0}


def _pointer(axes: Any, point: Point, shift: tuple[float, float]) -> list[tuple[float, ...]]:
    """Small boxes along the way from just outside a point to its label."""
    x, y = axes.transData.transform((point.cost, point.hard))
    away = math.hypot(*shift)
    ways = [step / away for step in range(20, int(away), 4)]
    places = [(x + shift[0] * way, y + shift[1] * way) for way in ways]
    return [(right, up, right, up) for right, up in places]


def _text_box(note: Any, renderer: Any) -> tuple[float, float, float, float]:
    from matplotlib.text import Text  # noqa: PLC0415

    note.update_positions(renderer)
    box = Text.get_window_extent(note, renderer)
    return box.x0 - 3, box.y0 - 1, box.x1 + 3, box.y1 + 1


def _obstacles(
    axes: Any, lines: dict[str, list[Point]], scale: float
) -> list[tuple[float, float, float, float]]:
    """Boxes around every point, along every line and along the cost of sending everything."""
    at_one, bottom = axes.transData.transform((1, -6))
    _, top = axes.transData.transform((1, 109))
    boxes = [(at_one - 2, bottom, at_one + 2, top)]
    for line in lines.values():
        places = [axes.transData.transform((p.cost, p.hard)) for p in line]
        boxes += [(x - 6 * scale, y - 6 * scale, x + 6 * scale, y + 6 * scale) for x, y in places]
        for (x0, y0), (x1, y1) in pairwise(places):
            steps = max(1, int(math.hypot(x1 - x0, y1 - y0) / (4 * scale)))
            for step in range(steps):
                x, y = x0 + (x1 - x0) * step / steps, y0 + (y1 - y0) * step / steps
                boxes.append((x - 2, y - 2, x + 2, y + 2))
    return boxes


def _meet(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    apart = one[2] < other[0] or other[2] < one[0] or one[3] < other[1] or other[3] < one[1]
    return not apart


def _signs(axes: Any) -> None:
    from matplotlib.lines import Line2D  # noqa: PLC0415

    def sign(marker: str, face: str, words: str) -> Line2D:
        return Line2D(
            [], [], marker=marker, color=QUIET, markerfacecolor=face, linestyle="none", label=words
        )

    axes.legend(
        handles=[
            sign("o", QUIET, "within the budget, accepted by providers"),
            sign("o", "white", "often above the budget"),
            sign("X", QUIET, "some requests refused by providers"),
        ],
        loc="lower right",
        fontsize=9,
        frameon=False,
        labelcolor=QUIET,
        handletextpad=0.3,
    )
