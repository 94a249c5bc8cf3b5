"""Templates, `{{…}}`: a name in a config, in the place where a value will stand.

A value is put in once and is data from then on: what it holds is never read as a template again.
A secret is never looked up here: its reference stays as it is, for the browser to reveal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias
from urllib.parse import quote

from director.workflow.bounds import VALUE, BoundsCounter
from director.workflow.css_values import escape_css, find_css_place
from director.workflow.paths import Path, is_list, read_path
from director.workflow.values import Json, WorkflowError

_ALL = re.compile(r"""get_all_records\(\s*(["'])(.+?)\1\s*\)""")
_QUOTED = re.compile(r'"([^"]*)"')
_NAMED = re.compile(r"(secret|env):\s*([A-Za-z0-9_][A-Za-z0-9_.-]*)")
_ENVIRONMENT = re.compile(r"\$\{([A-Z][A-Z0-9_]*)\}")
_OLD_NODE = re.compile(r"node\d+")
# As wide as anything that could be taken for a reference further on.
SECRET = re.compile(r"\{\{\s*secret:\s*([\w.-]+)\s*\}\}")


class TemplateError(WorkflowError):
    """A template that cannot be read, or names nothing that exists."""


@dataclass(frozen=True, slots=True)
class Template:
    """One `{{…}}`: a path, one over all records, a name of the environment, a secret, a text.

    `text` is what stands between the braces.
    """

    text: str
    kind: Literal["path", "all_records", "env", "secret", "text"]
    path: Path = ()
    name: str = ""

    def __str__(self) -> str:
        return f"{{{{{self.text}}}}}"


Lookup: TypeAlias = Callable[[Template], Json]
Within: TypeAlias = Literal["text", "address", "selector", "selectors"]
# The members that hold CSS, of bundles, of rules and of conditions.
_CSS = ("css", "path", "selector", "element", "count")


def read_template(inside: str) -> Template:
    """What stands between two pairs of braces."""
    text = inside.strip()
    if named := _NAMED.fullmatch(text):
        return Template(text, "secret" if named[1] == "secret" else "env", name=named[2])
    if quoted := _QUOTED.fullmatch(text):
        return Template(text, "text", name=quoted[1])
    if (every := _ALL.fullmatch(text)) and (path := read_path(every[2])):
        return Template(text, "all_records", path=path)
    if path := read_path(text):
        if _OLD_NODE.fullmatch(str(path[0])):
            raise TemplateError(
                f"{{{{{text}}}}}: name the node by its alias, as in {{{{alias.field}}}}."
            )
        return Template(text, "path", path=path)
    raise TemplateError(
        f"{{{{{inside}}}}} is not a template: it may hold a path such as a.b[0].c, secret:name, "
        'env:NAME or get_all_records("path"). Compute with a transform node; for the braces '
        'themselves write {{"{{"}}.'
    )


def cut_at_templates(text: str) -> list[str]:
    """What stands outside and inside of braces, by turns; as many steps as there are letters."""
    pieces, at = [], 0
    while (start := text.find("{{", at)) >= 0 and (end := text.find("}}", start + 2)) >= 0:
        pieces += [text[at:start], text[start + 2 : end]]
        at = end + 2
    return [*pieces, text[at:]]


def resolve_templates(value: Json, lookup: Lookup, *, within: Within = "text") -> Json:
    """The value with each template in its texts replaced by what it names, typed if alone.

    However often a large value is named, the result is no larger than one value may be. `within`
    says what the value is: in an "address" what is given for a parameter is encoded, in a
    "selector" what stands in its CSS is escaped; of "selectors", every member is one.
    """
    budget = BoundsCounter(VALUE, "What the templates here put together")
    return _resolve(value, lookup, budget, within)


def _resolve(value: Json, lookup: Lookup, budget: BoundsCounter, within: Within) -> Json:
    if isinstance(value, str):
        return _resolve_text(value, lookup, budget, within)
    if isinstance(value, Mapping):
        return {
            key: _resolve(inner, lookup, budget, get_template_member(within, key))
            for key, inner in value.items()
        }
    if is_list(value):
        return [_resolve(inner, lookup, budget, within) for inner in value]
    return value


def get_template_member(within: Within, key: str) -> Within:
    """What a member is of an object that is a selector, a condition or has several of them."""
    is_css = within == "selectors" or (within == "selector" and key in _CSS)
    return "selector" if is_css else "text"


def _resolve_text(text: str, lookup: Lookup, budget: BoundsCounter, within: Within) -> Json:
    _check_braces(text)
    if is_template(text):
        found = _look_up(text[2:-2], lookup)
        budget.spend(found)
        return found
    pieces: list[str] = []
    for place, piece in enumerate(cut_at_templates(text)):
        said = stringify_template_value(_look_up(piece, lookup)) if place % 2 else piece
        is_value = place % 2 == 1 and piece != said[2:-2]
        pieces.append(_encode(said, "".join(pieces), within) if is_value else said)
        budget.spend_text(len(pieces[-1]))
    joined = "".join(pieces)
    # Two values that are harmless alone must not become the name of a secret side by side.
    if len(SECRET.findall(joined)) != sum(len(SECRET.findall(piece)) for piece in pieces):
        raise TemplateError(f"The values in {text[:80]!r} would join to name a secret.")
    return joined


def _encode(said: str, before: str, within: Within) -> str:
    """A value as it is written after a part of a text."""
    if within == "address" and is_template_parameter(before):
        return quote(said, safe="")
    return (
        escape_css(said, get_template_css_place(before))
        if within in ("selector", "selectors")
        else said
    )


def get_template_css_place(before: str) -> str:
    """What a value is that follows a part of a selector."""
    if place := find_css_place(before):
        return place
    raise TemplateError(
        f"A backslash stands before a template in {before[-80:]!r}: write it twice if it is meant; "
        "values are escaped by themselves."
    )


def is_template_parameter(before: str) -> bool:
    """Whether what follows a part of an address is the value of a parameter."""
    address, asks, query = before.partition("?")
    return bool(asks) and "#" not in address + query and "=" in query.rpartition("&")[2]


def _look_up(inside: str, lookup: Lookup) -> Json:
    template = read_template(inside)
    if template.kind == "secret":
        return f"{{{{{inside}}}}}"
    return template.name if template.kind == "text" else lookup(template)


def stringify_template_value(value: Json) -> str:
    """A value inside a longer text: a text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def is_template(value: object) -> bool:
    """Whether a value is one template and nothing else, so that it may become any type."""
    return (
        isinstance(value, str)
        and value.startswith("{{")
        and value.find("}}", 2) == len(value) - 2 >= 2
    )


def list_templates(value: Json) -> Iterator[Template]:
    """Every template in the texts of a value, in order; names of members are not templates."""
    if isinstance(value, str):
        _check_braces(value)
        yield from map(read_template, cut_at_templates(value)[1::2])
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from list_templates(inner)
    elif is_list(value):
        for inner in value:
            yield from list_templates(inner)


def _check_braces(text: str) -> None:
    if found := _ENVIRONMENT.fullmatch(text):
        raise TemplateError(f"Write {{{{env:{found[1]}}}}} instead of {found[0]!r}.")
    if "{{" in "".join(cut_at_templates(text)[::2]):
        raise TemplateError(
            f"A template is not closed in {text[:80]!r}: write {{{{name}}}}, "
            'or {{"{{"}} for the braces themselves.'
        )


def rename_templates(value: Json, old: str, new: str) -> Json:
    """The value with the templates that begin with one name beginning with another."""
    if isinstance(value, Mapping):
        return {key: rename_templates(inner, old, new) for key, inner in value.items()}
    if is_list(value):
        return [rename_templates(inner, old, new) for inner in value]
    if not isinstance(value, str):
        return value
    head = re.compile(rf"\{{\{{(\s*){re.escape(old)}(?=[\s.\[}}])")
    return head.sub(rf"{{{{\g<1>{new}", value)


def defuse_templates(value: Json) -> Json:
    """A value from outside that can name no secret: a page or a model must not have one typed."""
    if isinstance(value, str):
        return SECRET.sub(r"{ {secret:\1} }", value)
    if isinstance(value, Mapping):
        return {key: defuse_templates(inner) for key, inner in value.items()}
    if is_list(value):
        return [defuse_templates(inner) for inner in value]
    return value


# Names of one release ago; they go with the next.
resolve = resolve_templates
