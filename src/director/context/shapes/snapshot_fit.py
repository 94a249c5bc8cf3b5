"""Items of a page and how they are made to fit: what acts stays, prose gives way first.

An item is a line to be. Nothing here knows a format, so snapshots and HTML share it. A line that
acts is never dropped, only its label may be clipped; fitting what was fitted changes nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Literal, NamedTuple, TypeAlias

from director.context.values import Level

Kind: TypeAlias = Literal["act", "head", "alert", "keep", "text"]
LINE = 400
_HEAD = 64
_AROUND = 34
_LEAST = 64
_TINY = 20
_SHORT = 24
_GLEANED = 160
_FOR_LINKS = 0.5
_SHORTEST_LABEL, _JOINTS = 4, " :,;–—-"
# What sets a literal apart from a word, wherever in it; cheaper than naming every literal.
_SIGN = re.compile(
    r"`[^`\n]{1,80}`|\d\d|\d[.:,/-]\d|[A-Za-z]\d|[_/@]|\w\.\w|[a-z][A-Z]|[A-Z]{3}|\w\(\)"
)
_SHAPE = re.compile(r"[^\W\d_]+|\d+")


class Item(NamedTuple):
    """A line to be: `pre + body + post + tail`, of which body and tail may be clipped."""

    kind: Kind
    depth: int
    body: str
    pre: str = ""
    post: str = ""
    tail: str = ""
    url: str = ""
    marked: bool = True


def clip(text: str, size: int) -> str:
    """A text cut at a word to at most `size` characters."""
    if len(text) <= size:
        return text
    cut = text[: max(size - 1, 0)]
    space = cut.rfind(" ")
    return (cut[:space] if space > size // 2 else cut) + "…"


def _spots(text: str) -> list[tuple[int, int]]:
    """Where the words stand that a next step may have to name, each word once."""
    spots: list[tuple[int, int]] = []
    seen: set[str] = set()
    at = 0
    while (match := _SIGN.search(text, at)) is not None:
        start, end = match.span()
        if text[start] != "`":
            start = max(text.rfind(" ", at, start) + 1, at)
            end = text.find(" ", end)
            end = len(text) if end < 0 else end
        word = text[start:end].strip(",.;:()")
        if word not in seen:
            seen.add(word)
            spots.append((start, end))
        at = end
    return spots


def _window(text: str, start: int, end: int) -> tuple[int, int]:
    left = max(start - _AROUND, 0)
    if left:
        space = text.find(" ", left, start)
        left = space + 1 if space >= 0 else start
    right = min(end + _AROUND, len(text))
    if right < len(text):
        space = text.rfind(" ", end, right)
        right = space if space >= 0 else right
    return left, right


def gist(text: str, size: int, head: int = _HEAD) -> str:
    """The beginning of a text and its literals among their neighbouring words."""
    if len(text) <= size:
        return text
    windows = [_window(text, start, end) for start, end in _spots(text)]
    found = _join_windows(text, windows, size, head)
    if head and len(found) + 40 < size:
        longer = _join_windows(text, windows, size, head + size - len(found) - 8)
        found = longer if len(longer) > len(found) else found
    return found


def _dense(text: str, head: int) -> str:
    windows = [_window(text, start, end) for start, end in _spots(text)]
    return _join_windows(text, windows, len(text), min(head, len(text)))


def _join_windows(text: str, windows: list[tuple[int, int]], size: int, head: int) -> str:
    parts: list[tuple[int, int]] = []
    room = size - 1
    if head:
        cut = len(clip(text, min(head, size))) - 1
        parts.append((0, cut))
        room -= cut
    for left, right in windows:
        first, last = parts[-1] if parts else (0, -9)
        touching = left <= last + 4
        cost = max(right - last, 0) if touching else right - left + 3
        if cost > room:
            continue
        room -= cost
        if touching:
            parts[-1] = (first, max(right, last))
        else:
            parts.append((left, right))
    if not parts and windows and size > _AROUND:
        # Not even one literal fits among its neighbours: those behind it are the ones to keep.
        left, right = windows[0]
        return text[max(left, right - size + 2) : right].partition(" ")[2] + "…"
    if not parts:
        return clip(text, size)
    joined = " … ".join(text[left:right].strip(" …") for left, right in parts)
    return joined if parts[-1][1] >= len(text) else joined.rstrip("… ") + "…"


def _line(item: Item, indent: int, label: int, *, with_url: bool) -> str:
    body, tail = item.body, item.tail
    url = f" /url: {item.url}" if with_url and item.url else ""
    fixed = indent + len(item.pre) + len(item.post)
    if item.kind == "act" and fixed + len(body) + len(tail) + len(url) > LINE:
        if len(url) > LINE // 2:
            url = ""
        tail = gist(tail, max(LINE - fixed - len(url) - min(len(body), 200), 0))
        body = clip(body, max(LINE - fixed - len(tail) - len(url), 0))
    if label and item.kind == "act":
        body = clip(body, label)
    return f"{' ' * indent}{item.pre}{body}{item.post}{url}{tail}"


def _find_repeated(items: list[Item]) -> frozenset[str]:
    labels = Counter(item.body for item in items if item.kind == "act" and item.url)
    return frozenset(body for body, count in labels.items() if count > 1)


def _shape(item: Item) -> str:
    if item.kind not in ("text", "act") or (item.kind == "act" and item.marked):
        return ""
    if len(item.body) > 120:
        return ""
    shape = _SHAPE.sub(lambda word: "0" if word[0][0].isdigit() else "a", item.body)
    return f"{item.kind}{item.depth}{item.pre}{shape}"


def _fold_runs(items: list[Item]) -> list[Item]:
    """Long runs of unmarked lines of one shape become their first three and a count."""
    out: list[Item] = []
    at = 0
    while at < len(items):
        shape = _shape(items[at])
        end = at + 1
        while shape and end < len(items) and _shape(items[end]) == shape:
            end += 1
        if end - at < 10:
            out.extend(items[at:end])
        else:
            out.extend(items[at : at + 3])
            out.append(Item("keep", items[at].depth, f"… {end - at - 3} more like it"))
        at = end
    return out


def _cap(sizes: list[int], room: int) -> int:
    """The largest size that all may have together without passing the room."""
    left = room
    ordered = sorted(sizes)
    for index, size in enumerate(ordered):
        share = left // (len(ordered) - index)
        if size > share:
            return share
        left -= size
    return ordered[-1] if ordered else 0


def _fit_texts(items: list[Item], room: int, head: int) -> list[Item]:
    """The texts cut so that together they keep to the room; literals go before plain prose."""
    texts = [index for index, item in enumerate(items) if item.kind == "text"]
    dense = {
        at: len(_dense(items[at].body, head)) + 1 for at in texts if _SIGN.search(items[at].body)
    }
    plain = {at: min(len(items[at].body), _HEAD) + 1 for at in texts if at not in dense}
    needs = sum(dense.values())
    prose = min(sum(plain.values()), max(room - needs, room // 6)) if head else 0
    # Many short texts would together pass the room many times over at the usual least.
    least = max(_TINY, min(_LEAST, max(3 * room, 12 * _LEAST) // max(len(dense), 1)))
    cap = max(_cap(list(dense.values()), room - prose), least)
    spare = max(room - prose - needs, 0) // max(len(dense), 1)
    short = _cap(list(plain.values()), prose)
    out: list[Item] = []
    for at, item in enumerate(items):
        if at in dense:
            size = max(min(dense[at], cap) + spare, min(len(item.body), least) + 1) - 1
            out.append(item._replace(body=_telling(item.body, size, min(head, size // 3))))
        elif at not in plain:
            out.append(item)
        elif short >= min(plain[at], _SHORT):
            out.append(item._replace(body=clip(item.body, short - 1)))
    return out


def _join_texts(items: list[Item]) -> list[Item]:
    """The items, each text that begins as the label of the element before it behind that label.

    What it says of the element stays with it, and the label is said once.
    """
    out: list[Item] = []
    for item in items:
        above = out[-1] if out else item
        if item.kind == "text" and above.kind == "act" and not above.tail:
            said = _after_label(item.body, above.body)
            if said != item.body:
                out[-1] = above._replace(tail=f" {said}")
                continue
        out.append(item)
    return out


def _after_label(text: str, label: str) -> str:
    """What a text says behind a label that it begins with; all of it where that is nothing."""
    rest = text[len(label) :]
    if len(label) < _SHORTEST_LABEL or not text.startswith(label) or rest[:1] in ("_", "."):
        return text
    return text if rest[:1].isalnum() else rest.lstrip(_JOINTS) or text


def _telling(text: str, size: int, head: int) -> str:
    """The gist of a text, without its beginning if that does not fit beside a literal in it."""
    if _SIGN.search(text) is None:
        return clip(text, size)
    found = gist(text, size, head)
    return found if _SIGN.search(found) else gist(text, size, 0)


def _glean(item: Item) -> Item | None:
    """What the highest level leaves of an item: of a text its literals, of others everything."""
    if item.kind != "text":
        return item
    if _SIGN.search(item.body) is None:
        return None
    body = gist(item.body, _GLEANED, 0)
    return item._replace(body=body) if _SIGN.search(body) else None


def _brief(items: list[Item], room: int, least: int) -> list[Item]:
    """What is said behind the labels, cut to the room that the labels leave."""
    acts = sum(len(i.pre + i.body + i.post) + 1 for i in items if i.kind == "act")
    tails = [len(item.tail) for item in items if item.tail]
    cap = max(_cap(tails, max(room - acts, room // 6)), least)
    return [
        item._replace(tail=_telling(item.tail, cap, cap // 3)) if len(item.tail) > cap else item
        for item in items
    ]


def fit(items: list[Item], level: Level, room: int) -> str:
    """The lines of the items at a level, near the wanted size."""
    high = level == "high"
    deepest = 3 if high else 12

    def lines(given: list[Item], label: int = 0, urls: frozenset[str] = frozenset()) -> list[str]:
        return [
            _line(
                item,
                min(item.depth, deepest),
                label,
                with_url=not item.body or item.body in urls,
            )
            for item in given
        ]

    if high:
        items = [said for item in items if (said := _glean(item)) is not None]
    repeated = _find_repeated(items)
    for attempt in (lines(items, urls=repeated), lines(items)):
        if sum(map(len, attempt)) + len(attempt) <= room:
            return "\n".join(attempt)
    joined = _join_texts(items)
    items = _brief(joined, room, _LEAST // 2 if len(joined) == len(items) else _LEAST)
    if sum(map(len, brief := lines(items))) + len(brief) <= room:
        return "\n".join(brief)
    every = frozenset(item.body for item in items if item.kind == "act" and item.url)
    named = sum(len(item.url) + 7 for item in items if item.kind == "act")
    acts = sum(len(item.pre + item.body + item.post) + 1 for item in items if item.kind == "act")
    least = sum(min(len(item.body), _LEAST) + 1 for item in items if item.kind != "act")
    roomy = not high and acts + named <= min(room * _FOR_LINKS, room - least)
    urls = every if roomy else frozenset()
    label = 40 if high else 0
    static = sum(len(item.body) + 1 + item.depth for item in items if item.kind == "text")
    fixed = sum(len(line) + 1 for line in lines(items, label, urls)) - static
    share = max(room - fixed, room // 12)
    if static <= share:
        return "\n".join(lines(items, label, urls))
    items = _fold_runs(items)
    return "\n".join(lines(_fit_texts(items, share, 0 if high else _HEAD), label, urls))
