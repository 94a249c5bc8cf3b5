"""HTML as values: a tree of elements that is written as text once, escaped, in a given look.

There is no way to put raw markup into a page, so nothing that a visitor typed can become any.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from director.demo.site.look import SiteDesign

Attribute: TypeAlias = "str | int | bool | None"
Node: TypeAlias = "Element | str | int | Sequence[Node] | None"

_EMPTY = frozenset({"br", "hr", "img", "input", "link", "meta", "path"})
_REFERENCES = frozenset(
    {"id", "for", "aria-labelledby", "aria-describedby", "data-opens", "data-enables", "data-into"}
)
_WRAPPED = frozenset({"article", "form", "table", "h1", "ul", "dl"})


@dataclass(frozen=True, slots=True)
class Element:
    """A tag, its attributes and what is inside."""

    tag: str
    attributes: Mapping[str, str]
    children: tuple[Node, ...]


def el(tag: str, *children: Node, **attributes: Attribute) -> Element:
    """An element; `class_` and `aria_label` become `class` and `aria-label`, None and False go."""
    return Element(
        tag,
        {
            name.rstrip("_").replace("_", "-"): "" if value is True else str(value)
            for name, value in attributes.items()
            if value is not None and value is not False
        },
        children,
    )


def render_html(node: Node, look: SiteDesign) -> str:
    """The markup of a node in a look."""
    return "".join(_render_parts(node, look))


def _render_parts(node: Node, look: SiteDesign) -> Iterator[str]:
    if node is None:
        return
    if isinstance(node, str | int):
        yield html.escape(str(node))
    elif isinstance(node, Element):
        wrapped = look.redesign and node.tag in _WRAPPED
        if wrapped:
            yield f'<div class="{look.name("wrap")}">'
        yield from _element(node, look)
        if wrapped:
            yield "</div>"
    else:
        for child in node:
            yield from _render_parts(child, look)


def _element(element: Element, look: SiteDesign) -> Iterator[str]:
    attributes = "".join(
        f' {name}="{html.escape(_value(name, value, look))}"'
        for name, value in element.attributes.items()
    )
    if element.tag in _EMPTY:
        yield f"<{element.tag}{attributes} />"
    else:
        yield f"<{element.tag}{attributes}>"
        yield from _render_parts(element.children, look)
        yield f"</{element.tag}>"


def _value(name: str, value: str, look: SiteDesign) -> str:
    if name == "class":
        return " ".join(look.name(each) for each in value.split())
    if name in _REFERENCES:
        return look.name(value)
    if name == "href" and value.startswith("#"):
        return f"#{look.name(value[1:])}"
    return value
