"""Texts of models and pages as HTML that is safe to show: Markdown without HTML or pictures.

Nothing that is made here loads anything by itself; an address is followed only by a click.
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping, Sequence
from functools import lru_cache
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup

from director.services.summary_texts import write_summary_markdown

# Longer texts are shown as they are: nobody reads Markdown of that length in a chat.
LONGEST = 60_000
_CITED = re.compile(r"[\[(]t?(\d+(?:\s*[-–,]\s*t?\d+)*)[\])]")
# What was put back into a summary begins with the turn that it came from.
_LABELLED = re.compile(r"^t(\d+)\b")
_NUMBER = re.compile(r"\d+")


@lru_cache(maxsize=2_000)
def render_markdown(text: str) -> Markup:
    """The HTML of a text."""
    if len(text) > LONGEST:
        return Markup("<pre>{}</pre>").format(text)
    return Markup(_plain().render(text))  # noqa: S704  escaped by the renderer, HTML is off


@lru_cache(maxsize=200)
def render_summary_markdown(text: str) -> Markup:
    """The HTML of a summary, whose citations lead to their turns."""
    shown = write_summary_markdown(text[:LONGEST])
    return Markup(_citing().render(shown))  # noqa: S704  as above


@lru_cache(maxsize=1)
def _plain() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(
        ["table", "strikethrough"]
    )
    made.add_render_rule("image", _image)
    made.add_render_rule("link_open", _link)
    return made


@lru_cache(maxsize=1)
def _citing() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False, "linkify": False, "breaks": True}).enable(
        "table"
    )
    # In a summary a name in brackets is a citation, never a link.
    made.disable(["link", "image", "reference", "autolink"])
    made.add_render_rule("text", _cited)
    return made


def _link(
    self: RendererHTML,
    tokens: Sequence[Token],
    idx: int,
    options: Any,  # noqa: ANN401  the library's own
    env: MutableMapping[str, Any],
) -> str:
    tokens[idx].attrSet("rel", "noopener noreferrer nofollow")
    tokens[idx].attrSet("target", "_blank")
    return self.renderToken(tokens, idx, options, env)


def _image(
    self: RendererHTML,
    tokens: Sequence[Token],
    idx: int,
    options: Any,  # noqa: ANN401  the library's own
    env: MutableMapping[str, Any],
) -> str:
    del self, options, env
    source = str(tokens[idx].attrGet("src") or "")
    said = tokens[idx].content
    return f'<span class="no-image">picture not loaded: {escape(said)} {escape(source)}</span>'


def _cited(
    self: RendererHTML,
    tokens: Sequence[Token],
    idx: int,
    options: Any,  # noqa: ANN401  the library's own
    env: MutableMapping[str, Any],
) -> str:
    del self, options, env
    said = escape(tokens[idx].content)
    return _CITED.sub(_cite, _LABELLED.sub(_cite, said))


def _cite(found: re.Match[str]) -> str:
    def link(number: re.Match[str]) -> str:
        at = number[0]
        return f'<a href="#t{at}" data-turn="{at}" aria-label="turn {at}">{at}</a>'

    return f'<span class="cite">{_NUMBER.sub(link, found[1])}</span>'
