"""Locator bundles: several independent ways to find one element, as plain JSON.

A bundle is written by `bundle_of` from a page, or by a person or a model, who need only a key or
two. Whatever it says is about the page, never about what somebody typed into it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TypeAlias

from director.errors import DirectorError
from director.workflow.selectors import check_css_selector, check_role_selector
from director.workflow.values import Json, WorkflowError

TEXTS = ("role", "name", "label", "test_id", "css", "text", "path")
KEYS = (*TEXTS, "attributes", "classes", "within", "near", "nth", "frame")
_FORM = '{"role": "button", "name": "Place order"}'
_OTHER_WORDS = {
    "testid": "test_id",
    "data-testid": "test_id",
    "selector": "css",
    "id": "attributes",
    "placeholder": "attributes",
    "title": "attributes",
    "alt": "attributes",
    "href": "attributes",
    "aria-label": "name",
}
_EARLY = {"text:": "text", "role:": "role", "label:": "label", "testid:": "test_id"}
# What begins like an early form and is CSS: the element `label` with a pseudo-class.
_PSEUDO_CLASS = re.compile(
    r"label:(has|not|is|where|nth-[a-z-]+|first-[a-z-]+|last-[a-z-]+|only-[a-z-]+)\b(?=\(|[^\w\s]|$)"
)


class LocatorError(DirectorError, ValueError):
    """No element, more than one, or a selector that cannot be read; and what to do about it."""


class NoElement(LocatorError):
    """Nothing on the page fits, or nothing that can be used."""


class SeveralElements(LocatorError):
    """More than one element fits where one is needed."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Something that an element stands in or under: a form, a row, a dialog, a heading."""

    role: str
    name: str = ""

    def __str__(self) -> str:
        return f"{self.role} {self.name!r}" if self.name else self.role


@dataclass(frozen=True, slots=True)
class Inner:
    """The frame an element is in: its name and its address without the query."""

    name: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Bundle:
    """What is known of one element. Each key that is given is a candidate of its own.

    `within` and `near` are its neighbourhood: what it stands in, and the texts around it, the
    nearest first. `nth` is its place among those with the same role and name: [index, count].
    """

    role: str = ""
    name: str = ""
    label: str = ""
    test_id: str = ""
    css: str = ""
    text: str = ""
    path: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)
    classes: tuple[str, ...] = ()
    within: tuple[Holder, ...] = ()
    near: tuple[str, ...] = ()
    nth: tuple[int, int] | None = None
    frame: Inner | None = None

    def __str__(self) -> str:
        if self.role or self.name:
            said = str(Holder(self.role or "element", self.name))
            return f"{said} in {self.within[0]}" if self.within else said
        key = next((key for key in TEXTS if getattr(self, key)), "")
        return f"{key} {getattr(self, key)!r}" if key else "element"

    def json(self) -> dict[str, Json]:
        """The bundle as it is stored: only the keys that say something."""
        plain: dict[str, Json] = {key: getattr(self, key) for key in TEXTS}
        plain |= {"attributes": dict(self.attributes), "classes": list(self.classes)}
        plain["within"] = [
            _drop_empty({"role": each.role, "name": each.name}) for each in self.within
        ]
        plain["near"] = list(self.near)
        plain["nth"] = list(self.nth) if self.nth else None
        plain["frame"] = (
            _drop_empty({"name": self.frame.name, "url": self.frame.url}) if self.frame else None
        )
        return _drop_empty(plain)


Selector: TypeAlias = str | Bundle


def parse_bundle_or_css(given: Json | Bundle) -> Selector:
    """Read a selector: CSS stays a string, an object becomes a bundle; early forms are refused."""
    if isinstance(given, Bundle):
        return given
    if isinstance(given, str):
        return _css(given)
    if isinstance(given, Mapping):
        return _bundle(given)
    raise LocatorError(
        f"A selector is one CSS string or one bundle such as {_FORM}, not {type(given).__name__}."
        + (" A list of selectors is not tried in turn: put them in one bundle." if given else "")
    )


def diff_bundles(before: Bundle, after: Bundle) -> str:
    """What differs between two bundles, a line for each side of each key."""
    old, new = before.json(), after.json()
    return "\n".join(
        line
        for key in KEYS
        if old.get(key) != new.get(key)
        for line in (
            *([f"- {key}: {_clip_value(old[key])}"] if key in old else ()),
            *([f"+ {key}: {_clip_value(new[key])}"] if key in new else ()),
        )
    )


def _css(given: str) -> str:
    start = given.strip().split(" ", 1)[0].lower()
    for early, key in _EARLY.items():
        if start.startswith(early) and not _PSEUDO_CLASS.match(start):
            said = given.strip()[len(early) :].strip()
            raise LocatorError(
                f"{given!r} is not a CSS selector. Write it as a bundle: {{{key!r}: {said!r}}}."
            )
    if start.startswith(("//", "xpath=", "act:")):
        raise LocatorError(
            f"{given!r} is not a CSS selector. Write CSS, or a bundle such as {_FORM}."
        )
    if not start:
        raise LocatorError(f"An empty selector finds nothing. Write CSS, or a bundle: {_FORM}.")
    return read_css(given.strip())


def read_css(css: str) -> str:
    """CSS that a page may be asked for."""
    try:
        check_css_selector(css)
    except WorkflowError as problem:
        raise LocatorError(str(problem)) from None
    return css


def _check_role(role: str) -> None:
    try:
        check_role_selector(role)
    except WorkflowError as problem:
        raise LocatorError(str(problem)) from None


def _bundle(given: Mapping[str, Json]) -> Bundle:
    for key in given:
        if key not in KEYS:
            guess = _OTHER_WORDS.get(key.lower().replace("_", ""), "")
            near = [guess] if guess else difflib.get_close_matches(key, KEYS, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise LocatorError(
                f"A locator bundle has no key {key!r}.{hint} It takes {', '.join(KEYS)}."
            )
    bundle = Bundle(
        **{key: _text(given[key], key) for key in TEXTS if given.get(key) is not None},
        attributes=_texts_by_name(given.get("attributes")),
        classes=_texts(given.get("classes"), "classes"),
        within=_holders(given.get("within")),
        near=_texts(given.get("near"), "near"),
        nth=_place(given.get("nth")),
        frame=_frame(given.get("frame")),
    )
    for css in (bundle.css, bundle.path):
        read_css(css)
    _check_role(bundle.role)
    if not any(getattr(bundle, key) for key in (*TEXTS, "attributes", "classes")):
        raise LocatorError(f"A locator bundle must say which element: for example {_FORM}.")
    return bundle


def _text(given: Json, key: str) -> str:
    if isinstance(given, str):
        return given
    raise LocatorError(f"{key!r} of a locator bundle is a text, not {given!r}.")


def _texts(given: Json, key: str) -> tuple[str, ...]:
    if given is None:
        return ()
    if isinstance(given, str):
        return (given,)
    if not isinstance(given, Sequence):
        raise LocatorError(f"{key!r} of a locator bundle is a list of texts, not {given!r}.")
    return tuple(_text(each, key) for each in given)


def _texts_by_name(given: Json) -> dict[str, str]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise LocatorError(
            f"'attributes' of a locator bundle is an object of texts, not {given!r}."
        )
    return {key: _text(value, key) for key, value in given.items()}


def _holders(given: Json) -> tuple[Holder, ...]:
    if given is None:
        return ()
    each = [given] if isinstance(given, Mapping) else given
    if isinstance(each, str) or not isinstance(each, Sequence):
        raise LocatorError(
            f'\'within\' of a locator bundle is {{"role": "form", "name": "Checkout"}} '
            f"or a list of such, not {given!r}."
        )
    return tuple(Holder(**_small(one, Holder, "within")) for one in each)


def _frame(given: Json) -> Inner | None:
    return None if given is None else Inner(**_small(given, Inner, "frame"))


def _small(given: Json, kind: type[Holder | Inner], key: str) -> dict[str, str]:
    names = [each.name for each in fields(kind)]
    if isinstance(given, Mapping) and given and set(given) <= set(names):
        made = {name: _text(value, name) for name, value in given.items()}
        return {"role": "", **made} if kind is Holder else made
    raise LocatorError(
        f"{key!r} of a locator bundle takes {' and '.join(map(repr, names))}, not {given!r}."
    )


def _place(given: Json) -> tuple[int, int] | None:
    if given is None:
        return None
    if (
        isinstance(given, Sequence)
        and not isinstance(given, str)
        and len(given) == 2
        and isinstance(index := given[0], int)
        and isinstance(count := given[1], int)
    ):
        return index, count
    raise LocatorError(
        f"'nth' of a locator bundle is [index, count], not {given!r}. To choose among several "
        "elements give nth beside the selector."
    )


def _drop_empty(plain: dict[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in plain.items() if value}


def _clip_value(value: Json) -> str:
    text = str(value)
    return text if len(text) <= 100 else f"{text[:97]}..."
