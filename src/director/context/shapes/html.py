"""HTML made readable and small: what a reader sees and what an agent can act on, without markup.

Works on whole pages, minified pages and pieces cut in the middle of a tag or a script. The lines
ahead of the markup survive. Never runs, fetches or resolves anything.
"""

from __future__ import annotations

import html
import re
from typing import NamedTuple

from director.context.shapes.snapshot_fit import Item, clip, fit
from director.context.values import Level

_TAG = re.compile(
    r"<(/?)([A-Za-z][A-Za-z0-9:-]*)((?:[^<>\"']++|\"[^\"]{0,50000}+\"|'[^']{0,50000}+'|[\"'])*+)>"
)
_LOOSE = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9:-]*)([^<>]*+)>")
_ATTRIBUTE = re.compile(r"([A-Za-z_:@][\w:.-]*)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+)))?")
_PAGE = re.compile(r"<!doctype html|<html[\s>]|<head[\s>]|<body[\s>]", re.IGNORECASE)
_CLOSER = re.compile(
    r"</(?:div|p|li|ul|ol|td|tr|table|span|section|a|h[1-6]|script|style|form)>", re.IGNORECASE
)
_SPACES = re.compile(r"\s+")
_WORD = re.compile(r"\w")
_UNSEEN = {name: f"</{name}" for name in ("script", "style", "svg", "template")}
_BLOCKS = frozenset(
    "address article aside blockquote body br caption dd details dialog div dl dt fieldset figure "
    "figcaption footer form head header hr html legend li main nav noscript ol option p pre "
    "section summary table tbody tfoot thead title tr ul".split()
)
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_CONTROLS = frozenset(("input", "iframe", "embed", "object", "video", "audio"))
_LOUD = re.compile(
    r"(?:^|[\s_-])(?:alert|error|invalid-feedback|toast|flash)(?:$|[\s_-])", re.IGNORECASE
)
_KEPT = (
    "id name type value placeholder aria-label title alt href src action method for role "
    "data-testid data-test data-test-id data-qa data-cy checked disabled selected required "
    "readonly multiple aria-expanded aria-checked aria-selected aria-disabled aria-invalid "
    "contenteditable accept pattern min max maxlength"
).split()
_IDENTITY = ("id", "data-testid", "data-test", "data-test-id", "data-qa", "data-cy")
_META = frozenset(("description", "og:description", "og:title", "og:url"))
_ACTING_ROLES = frozenset(
    "button link checkbox radio tab menuitem option switch slider textbox combobox searchbox "
    "treeitem".split()
)
_JSON = 600
_HEADER = 3_000
_CUT = 300
_LABEL = 200
_SHORT_LINK = 160
# An element that never ends must not swallow the page as its label.
_RUNAWAY = 60


def recognise(text: str) -> bool:
    """Whether a text is a page or a piece of a page in HTML."""
    if _PAGE.search(text, 0, 4_000):
        return True
    kinds = {match[0].lower() for match in _CLOSER.finditer(text, 0, 20_000)}
    return len(kinds) > 1 and len(_CLOSER.findall(text, 0, 20_000)) > 3


def _attributes(source: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(source):
        name = match[1].lower()
        value = match[2] or match[3] or match[4] or ""
        found.setdefault(name, html.unescape(value) if "&" in value else value)
    return found


def _render_attribute(name: str, value: str) -> str:
    if not value:
        return f" {name}"
    plain = _SPACES.sub(" ", value).strip()
    if not plain or name == "href" or re.search(r"[\s\"'<>=]", plain):
        # An address stands in quotes as it does on the page: it is named and searched that way.
        return f' {name}="{plain.replace(chr(34), chr(39))}"'
    return f" {name}={plain}"


def _acts(name: str, attributes: dict[str, str]) -> bool:
    if name in _CONTROLS or name in ("button", "textarea", "select", "form", "option"):
        return True
    if name == "a":
        return "href" in attributes or "id" in attributes or "name" in attributes
    return attributes.get("role") in _ACTING_ROLES or "onclick" in attributes


def _head(name: str, attributes: dict[str, str], *, low: bool) -> str:
    """The tag of an element with the attributes by which it can be named."""
    shown = ""
    for key in _KEPT:
        value = attributes.get(key)
        if value is None or (not value and key in ("href", "src", "title", "alt")):
            continue
        if not low and (key in ("method", "src") or (key == "title" and name == "a")):
            continue
        if not low and value.lower().startswith("javascript:"):
            continue
        shown += _render_attribute(
            key, clip(value, 2_000 if low else 300 if key == "href" else 160)
        )
    return f"<{name}{shown}>"


class _Open(NamedTuple):
    """An element that acts and has not ended: where it will stand and how deep its name nests."""

    name: str
    head: str
    at: int
    nested: int = 0


class _Reader:
    """One pass over a page that collects items; never used twice."""

    def __init__(self, text: str, *, low: bool) -> None:
        self.text = text
        self.low = low
        self.items: list[Item] = []
        self.prose: list[str] = []
        self.open: list[_Open] = []
        self.heading = ""
        self.alert = ("", 0)

    def say(self, raw: str) -> None:
        if raw and not raw.isspace():
            self.prose.append(html.unescape(raw) if "&" in raw else raw)
        elif raw and self.prose:
            self.prose.append(" ")

    def take_text(self) -> str:
        text = _SPACES.sub(" ", "".join(self.prose)).strip(" |")
        self.prose.clear()
        return text

    def flush(self) -> None:
        if self.open or not self.prose:
            return
        text = self.take_text()
        if not text or not (self.low or _WORD.search(text)):
            return
        if self.heading:
            self.items.append(Item("head", 0, text, self.heading))
        elif self.alert[1]:
            self.items.append(Item("alert", 0, text, "alert: "))
        else:
            self.items.append(Item("text", 0, text))

    def run(self, at: int) -> list[Item]:
        """Read from a place to the end."""
        text, size = self.text, len(self.text)
        at = self.cut(at)
        while at < size:
            start = text.find("<", at)
            if start < 0:
                self.say(text[at:])
                break
            self.say(text[at:start])
            at = self.mark(start)
        while self.open:
            self.close()
        self.flush()
        return self.items

    def cut(self, at: int) -> int:
        """The page may begin inside a tag, whose attributes are worth as much as any other's."""
        end = self.text.find(">", at)
        piece = self.text[at:end] if end >= 0 else ""
        if not piece or "<" in piece or "=" not in piece:
            return at
        attributes = _attributes(piece)
        if any(key in attributes for key in ("id", "name", "href", "value")):
            self.items.append(Item("act", 0, "", _head("…", attributes, low=self.low)))
        return end + 1

    def mark(self, start: int) -> int:
        """Read what begins with `<` and answer where to go on."""
        text = self.text
        if text.startswith("<!--", start):
            end = text.find("-->", start)
            return len(text) if end < 0 else end + 3
        match = _TAG.match(text, start) or _LOOSE.match(text, start)
        if match is None:
            return self.skip_broken(start)
        name = match[2].lower()
        if match[1]:
            self.end_element(name)
        elif name in _UNSEEN:
            return self.unseen(name, match)
        else:
            self.began(name, match[3])
        return match.end()

    def skip_broken(self, start: int) -> int:
        """A `<` that opens no whole tag: a declaration, a tag cut by the end, or plain text."""
        text = self.text
        following = text[start + 1 : start + 2]
        end = text.find(">", start)
        if following in ("!", "?"):
            return len(text) if end < 0 else end + 1
        if end < 0 and (following.isalpha() or following == "/"):
            if self.low:
                self.flush()
                self.prose.append(clip(text[start : start + 2 * _CUT], _CUT))
            return len(text)
        self.say("<")
        return start + 1

    def unseen(self, name: str, match: re.Match[str]) -> int:
        """Skip an element that shows no text of its own; short JSON stays at the lowest level."""
        if match[3].endswith("/") and name == "svg":
            return match.end()
        closing = re.compile(_UNSEEN[name], re.IGNORECASE).search(self.text, match.end())
        end = closing.start() if closing else len(self.text)
        inside = self.text[match.end() : end]
        if name == "script" and self.low and "json" in match[3] and len(inside) <= _JSON:
            self.flush()
            self.items.append(Item("text", 0, _SPACES.sub(" ", inside).strip()))
        if name == "svg" and (label := _attributes(match[3]).get("aria-label")):
            self.say(f" {label} ")
        after = self.text.find(">", end)
        return len(self.text) if after < 0 else after + 1

    def began(self, name: str, source: str) -> None:
        if self.open:
            self.inside(name)
        elif name in _BLOCKS or name in _HEADINGS:
            self.flush()
        elif name in ("td", "th") and self.prose:
            self.prose.append(" | ")
        if name in _HEADINGS or name == "title":
            self.heading = "title: " if name == "title" else "#" * int(name[1]) + " "
        if self.alert[1] and self.alert[0] == name:
            self.alert = (name, self.alert[1] + 1)
        attributes = _attributes(source) if source and not source.isspace() else {}
        if name == "meta":
            self.meta(attributes)
        elif name == "img":
            self.image(attributes)
        elif _acts(name, attributes) or (self.low and name == "label" and attributes):
            self.open_element(name, attributes)
        elif attributes:
            self.container(name, attributes)

    def inside(self, name: str) -> None:
        """An element begins within one that acts; some end it, blocks only part its words."""
        last = self.open[-1]
        if len(self.prose) > _RUNAWAY or (name == last.name and name in ("a", "option", "button")):
            self.close()
        elif name == last.name:
            self.open[-1] = last._replace(nested=last.nested + 1)
        if name in _BLOCKS or name in _HEADINGS or name in ("td", "th"):
            self.prose.append(" ")

    def container(self, name: str, attributes: dict[str, str]) -> None:
        loud = attributes.get("role") == "alert" or _LOUD.search(attributes.get("class", ""))
        if loud and not self.alert[1] and not self.open:
            self.flush()
            self.alert = (name, 1)
        if self.low and name not in ("html", "head", "link", "base"):
            marks = "".join(
                _render_attribute(key, attributes[key]) for key in _IDENTITY if key in attributes
            )
            if marks:
                self.prose.append(f" [{marks.strip()}] ")

    def open_element(self, name: str, attributes: dict[str, str]) -> None:
        head = _head(name, attributes, low=self.low)
        if not self.open:
            self.flush()
        elif text := self.take_text():
            # Text ahead of a nested element belongs to the one that is open.
            last = self.open[-1]
            self.items.insert(last.at, self.make_item(last.head, text))
            self.open[-1] = last._replace(head="", at=last.at + 1)
        if name == "form" or name in _CONTROLS:
            self.items.append(Item("act", 0, "", head))
        else:
            self.open.append(_Open(name, head, len(self.items)))

    def make_item(self, head: str, text: str) -> Item:
        if not head:
            return Item("text", 0, text)
        mark = self.heading if self.heading.startswith("#") else ""
        return Item("act", 0, text, f"{mark}{head} ")

    def end_element(self, name: str) -> None:
        if any(name == each.name for each in self.open[-6:]):
            while self.open[-1].name != name:
                self.close()
            if self.open[-1].nested:
                self.open[-1] = self.open[-1]._replace(nested=self.open[-1].nested - 1)
                self.prose.append(" ")
            else:
                self.close()
        elif name in _BLOCKS or name in _HEADINGS:
            self.prose.append(" ")
            self.flush()
        if name in _HEADINGS or name == "title":
            self.flush()
            self.heading = self.heading if self.open else ""
        if self.alert[0] == name and self.alert[1]:
            self.flush()
            self.alert = (name, self.alert[1] - 1)

    def close(self) -> None:
        """The innermost open element ends: its text so far becomes its label."""
        last = self.open.pop()
        text = self.take_text()
        rest = ""
        if not self.low and last.head and len(text) > _LABEL:
            head = clip(text, _LABEL).rstrip("…")
            text, rest = head, text[len(head) :].strip()
        if text:
            self.items.insert(last.at, self.make_item(last.head, text))
        elif last.head and last.head != "<a>":
            self.items.insert(last.at, Item("act", 0, "", last.head))
        if rest:
            self.items.insert(last.at + 1, Item("text", 0, rest))

    def meta(self, attributes: dict[str, str]) -> None:
        key = attributes.get("name") or attributes.get("property") or ""
        content = attributes.get("content", "")
        refresh = attributes.get("http-equiv", "").lower() == "refresh"
        wanted = key in _META if self.low else key == "description"
        if content and (refresh or wanted):
            label = "refresh" if refresh else key
            self.items.append(Item("text", 0, f"{label}: {_SPACES.sub(' ', content).strip()}"))

    def image(self, attributes: dict[str, str]) -> None:
        alt, src = attributes.get("alt", ""), attributes.get("src", "")
        if self.low and src and len(src) <= 200 and not src.startswith("data:"):
            self.prose.append(f" <img{_render_attribute('alt', alt)} src={src}> ")
        elif alt:
            self.prose.append(f" {alt} ")


def _start(text: str) -> int:
    """Where the markup begins: after the lines of a header."""
    found = re.search(r"<[!A-Za-z/]", text)
    first = found.start() if found else 0
    ruled = re.search(r"\n={5,}\n|\n-{5,}\n", text[: max(first, 2_000)])
    if ruled:
        return ruled.end()
    start = text.rfind("\n", 0, first) + 1
    return start if start <= _HEADER else 0


def _whole(text: str, start: int) -> int:
    """Where the first whole piece begins, if the page was cut inside a script, style or tag."""
    for name in ("script", "style"):
        closing = re.compile(f"</{name}\\s*>", re.IGNORECASE).search(text, start)
        opening = re.compile(f"<{name}[\\s>]", re.IGNORECASE).search(text, start)
        if closing and (opening is None or opening.start() > closing.start()):
            return closing.end()
    return start


def render(text: str, level: Level, room: int) -> str:
    """The page at a level, near `room` characters and never longer than it was."""
    if level == "none" or not recognise(text):
        return text
    start = _start(text)
    head = text[:start]
    items = _Reader(text, low=level == "low").run(_whole(text, start))
    if level == "low":
        body = "\n".join(item.pre + item.body for item in items)
    else:
        wanted = max(room - len(head), room // 2)
        body = fit(_lighter(items, level, wanted), level, wanted)
    smaller = head + body
    return smaller if len(smaller) < len(text) else text


_HREF = re.compile(r' href=(?:"[^"]*"|[^\s>]+)')


def _lighter(items: list[Item], level: Level, room: int) -> list[Item]:
    """Where links alone fill the room, the addresses of named ones go: the longest, or all."""
    links = sum(len(item.pre) + len(item.body) + 1 for item in items if item.kind == "act")
    if links <= (room if level == "high" else 2 * room):
        return items
    longest = 0 if level == "high" else _SHORT_LINK
    return [
        item._replace(pre=_HREF.sub("", item.pre))
        if item.kind == "act" and item.body and len(item.pre) > longest
        else item
        for item in items
    ]
