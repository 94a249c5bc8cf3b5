"""How alike what is known of an element is to what one has now, thing by thing. Pure."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from director.browser.bundle import Bundle, Holder

AT_HOME = 0.7
"""How alike what it stands in must be to what it stood in."""
SAME_ROW = 0.6
"""The share of the words of a row, or of an item, that it must still have."""
MOVED = 0.25
CUT = 75
"""A text of this length may have been cut: it is alike to what it begins."""
_ROWS = ("row", "listitem")
_REGIONS = frozenset(
    ("alertdialog", "banner", "complementary", "contentinfo", "dialog", "main", "navigation")
)
# What a page may turn into one another; a label is not its field, though it has the same name.
FAMILIES = (
    {"button", "link", "menuitem", "tab", "option", ""},
    {"textbox", "searchbox", "combobox", "spinbutton", "listbox"},
    {"checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"},
)
_LABEL_SIGNS = " :*：…"
_COUNTED_STEP = re.compile(r"[\w\\:-]+:nth-child\(\d+\)")
_UNIT = r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|[smhdwy])"
# What a clock changes by itself: ages, and times with seconds; an hour may be an appointment.
_CLOCK = re.compile(
    rf"\b(?:(?:\d+|an?|a few|less than a|about an?)\s*{_UNIT},?\s*(?:and\s*)?)+ago\b"
    rf"|\bin (?:\d+|an?) {_UNIT}\b|\b(?:just now|a moment ago|moments ago)\b"
    r"|\b(?:\d+ days?,? )?\d{1,3}:\d\d:\d\d(?:\.\d+)?\b",
    re.IGNORECASE,
)
# Of these a framework may write new values at every visit.
_WRITTEN_ANEW = ("id", "for", "aria-controls")


def is_place(bundle: Bundle) -> bool:
    """Whether its CSS only counts the way to a place, and nothing else tells its element.

    Whoever writes more beside such CSS by hand says what stands there.
    """
    first, *rest = bundle.css.split(" > ")
    counted = rest if first.startswith("#") else [first, *rest]
    if not counted or not all(map(_COUNTED_STEP.fullmatch, counted)):
        return False
    said = (bundle.role, bundle.name, bundle.label, bundle.test_id, bundle.text, bundle.path)
    around = (bundle.attributes, bundle.classes, bundle.within, bundle.near)
    return bundle.nth is not None or not any((*said, *around))


def is_unmoved(bundle: Bundle, like: Bundle) -> bool:
    """Whether one says what the element that is meant said, among all that it stood among."""
    plain = ("role", "path", "nth")
    if any(getattr(bundle, key) != getattr(like, key) for key in plain):
        return False
    said, says = ((one.name, one.label, one.text, *one.near) for one in (bundle, like))
    if tuple(map(_without_clock, said)) != tuple(map(_without_clock, says)):
        return False
    around = {(each.role, _without_clock(each.name)) for each in like.within}
    held = all((each.role, _without_clock(each.name)) in around for each in bundle.within)
    return held and _lasting(bundle) == _lasting(like)


@lru_cache(maxsize=4096)
def _without_clock(text: str) -> str:
    """A text without what a clock changes in it: "5 minutes ago", "up 0:00:40"."""
    return _CLOCK.sub("…", text)


def _lasting(bundle: Bundle) -> dict[str, str]:
    return {key: text for key, text in bundle.attributes.items() if key not in _WRITTEN_ANEW}


def is_at_home(bundle: Bundle, like: Bundle) -> bool:
    """Whether the nearest of its neighbourhood is still there."""
    close = [_without_clock(text).casefold() for text in like.near[:3]]
    holder = next((each for at, each in enumerate(bundle.within) if _is_home(each, at)), None)
    if holder and not any(_is_same_holder(holder, has) for has in like.within):
        return False
    return bool(holder) or any(_without_clock(text).casefold() in close for text in bundle.near[:2])


def _is_home(holder: Holder, at: int) -> bool:
    """Whether what an element stands in tells where it is: the nearest, or a row, with a name."""
    return bool(holder.name) and (at == 0 or holder.role in _ROWS)


def has_named_row(bundle: Bundle) -> bool:
    """Whether it stood in a row or an item that says something."""
    return any(each.role in _ROWS and each.name for each in bundle.within)


def is_held_alike(bundle: Bundle, like: Bundle) -> bool:
    """Whether all that it stood in, and that has a name, is around it with that name."""
    return all(
        any(_says_same(want, has) for has in like.within if has.role == want.role)
        for want in bundle.within
        if want.name
    )


def _says_same(want: Holder, has: Holder) -> bool:
    return likeness(_without_clock(want.name), _without_clock(has.name)) == 1


def is_other_row(bundle: Bundle, best: Bundle, others: Iterable[Bundle]) -> bool:
    """Whether the row of the best one has no word of the row that is meant for itself alone.

    Rows are made alike: what several of them say tells none of them.
    """
    want, has = _row_of(bundle), _row_of(best)
    if want is None or has is None or _says_same(want, has):
        return False
    rows = {row.name for like in others if (row := _row_of(like)) and row.role == has.role}
    elsewhere = {word for name in rows - {has.name} for word in row_words(name)}
    shared = row_words(want.name) & row_words(has.name)
    return not any(word not in elsewhere for word in shared)


def _row_of(bundle: Bundle) -> Holder | None:
    """The row or item that it is, or stands in, if that says something."""
    if bundle.role in _ROWS and bundle.name:
        return Holder(bundle.role, bundle.name)
    return next((each for each in bundle.within if each.role in _ROWS and each.name), None)


@lru_cache(maxsize=4096)
def row_words(name: str) -> frozenset[str]:
    """The words of a row, but for what a clock changes."""
    return frozenset(_without_clock(name).casefold().split()) - {"…"}


def is_in_another_region(bundle: Bundle, like: Bundle) -> bool:
    """Whether it stands in another part of the page than the one that is meant stood in."""
    stood = [each for each in bundle.within if each.role in _REGIONS]
    stands = [each for each in like.within if each.role in _REGIONS]
    roles = {each.role for each in stands}
    return any(each.role not in roles for each in stood) and any(
        each.role not in {one.role for one in stood} for each in stands
    )


def is_sign(bundle: Bundle) -> bool:
    """Whether all that it says is a sign, such as an asterisk: others of its kind say the same."""
    words = f"{bundle.name}{bundle.label}{bundle.text}"
    return bundle.nth is not None and bool(words) and not any(map(str.isalnum, words))


def is_styled(bundle: Bundle) -> bool:
    """Whether its name is made of its classes, for want of words: others are styled alike."""
    words = bundle.name.split()
    return bundle.nth is not None and bool(words) and set(words) <= set(bundle.classes)


def read_as_page_says(bundle: Bundle, likes: Sequence[Bundle]) -> Bundle:
    """One that was written by hand, with its name and label as the page writes them.

    A page may write "Username:" or "Username *" where a person says "Username"; it counts only if
    no element has just what was written.
    """
    if bundle.nth is not None:
        return bundle
    alike = [like for like in likes if bundle.role in ("", like.role)]
    names = {text for like in alike for text in (like.name, like.text)}
    labels = {like.label or like.name for like in alike}
    name, label = _as_said(bundle.name, names), _as_said(bundle.label, labels)
    return replace(bundle, name=name, label=label)


def _as_said(wanted: str, said: Iterable[str]) -> str:
    plain = _without_signs(wanted)
    if not plain or any(likeness(wanted, text) == 1 for text in said):
        return wanted
    found = {text for text in said if _without_signs(text) == plain}
    return found.pop() if len(found) == 1 else wanted


def _without_signs(text: str) -> str:
    """A text without the signs that a page puts after the label of a field."""
    return " ".join(text.casefold().split()).rstrip(_LABEL_SIGNS)


def says_more_than_numbers(bundle: Bundle, likes: Sequence[Bundle]) -> bool:
    """Whether its words tell it, on a page with these, without the numbers in them."""
    return _tells(bundle) and not _is_numbered(bundle, likes)


def _tells(bundle: Bundle) -> bool:
    """Whether its words are more than a number, which is content: another may have it tomorrow.

    Whoever writes a bundle by hand may mean the number itself.
    """
    words = f"{bundle.name}{bundle.text}"
    return bundle.nth is None or not words or any(letter.isalpha() for letter in words)


def _is_numbered(bundle: Bundle, likes: Sequence[Bundle]) -> bool:
    """Whether others of its kind say the same with other numbers, which may be its own tomorrow."""
    wanted = [text for text in (bundle.name, bundle.text, bundle.label) if text]
    forms = {_form(text) for text in wanted} - {text.casefold() for text in wanted}
    if bundle.nth is None or not forms:
        return False
    said = {text.casefold() for text in wanted}
    return any(
        text.casefold() not in said and _form(text) in forms
        for like in likes
        if like.role == bundle.role
        for text in (like.name, like.text, like.label)
    )


@lru_cache(maxsize=4096)
def _form(text: str) -> str:
    return re.sub(r"\d+", "#", text.casefold())


def shares_words(bundle: Bundle) -> bool:
    """Whether others said the same when the bundle was made."""
    if bundle.nth is None or bundle.nth[1] == 1:
        return False
    said = bundle.text.casefold()[:40].strip()
    return bool(bundle.name) or said in {text.casefold() for text in bundle.near}


def _is_same_holder(want: Holder, has: Holder) -> bool:
    if want.role not in _ROWS:
        return _compare_holders(want, has) >= AT_HOME
    # Rows are alike to each other: only the words that they share tell that it is the same one.
    a, b = row_words(want.name), row_words(has.name)
    return bool(a) and 2 * len(a & b) >= SAME_ROW * (len(a) + len(b))


@lru_cache(maxsize=4096)
def likeness(one: str, other: str) -> float:
    """How alike two texts are, from 0 to 1; case and spacing do not count."""
    a, b = one.casefold().split(), other.casefold().split()
    if a == b:
        return 1.0 if a else 0.0
    if min(len(one), len(other)) >= CUT and (one.startswith(other) or other.startswith(one)):
        return 1.0
    if not a or not b:
        return 0.0
    shared = 2 * len(set(a) & set(b)) / (len(set(a)) + len(set(b)))
    drawn = difflib.SequenceMatcher(None, " ".join(a), " ".join(b), autojunk=False)
    if not shared and min(drawn.real_quick_ratio(), drawn.quick_ratio()) < 0.6:
        return 0.0
    return min(0.9, max(shared, drawn.ratio()))


def _fuzzy(one: str, other: str) -> float:
    alike = likeness(one, other)
    return alike if alike == 1 else alike * 0.7 if alike >= 0.5 else 0.0


def grade_test_id(bundle: Bundle, like: Bundle) -> float:
    """Whether it has the id for tests."""
    return float(bundle.test_id == like.test_id)


def grade_label(bundle: Bundle, like: Bundle) -> float:
    """How alike its label is, or its name."""
    return _fuzzy(bundle.label, like.label or like.name)


def grade_text(bundle: Bundle, like: Bundle) -> float:
    """How alike its text is."""
    alike = _fuzzy(bundle.text, like.text or like.name)
    if bundle.role:
        return alike * _kinship(bundle.role, like.role)
    # What stands around a text says the same: only the tag tells it from what it holds.
    return alike if is_kind(bundle, like) else alike * 0.7


def was_beside(bundle: Bundle, like: Bundle) -> bool:
    """Whether it says what stood near the element that is meant: it was there before."""
    said = [text.casefold() for text in (like.name, like.text) if text]
    near = {text.casefold() for text in bundle.near}
    return any(text[:40].strip() in near for text in said)


def is_kind(bundle: Bundle, like: Bundle) -> bool:
    """Whether it has the role, or else the tag."""
    if bundle.role or not bundle.path:
        return not bundle.role or bundle.role == like.role
    # One that was written by hand may leave the role open.
    open_role = bundle.nth is None or not like.role
    return open_role and bundle.path.rpartition(">")[2] == like.path.rpartition(">")[2]


def grade_name(bundle: Bundle, like: Bundle) -> float:
    """How alike its name is, in a role that is near."""
    # An item of a list has no name: who writes one by hand means the text that the outline shows.
    is_text = not like.name and bundle.nth is None and bundle.role == like.role
    worth = 1 if is_text else 0.9
    alike = max(_fuzzy(bundle.name, like.name), worth * _fuzzy(bundle.name, like.text))
    return alike * (_kinship(bundle.role, like.role) if bundle.role else 1)


def _kinship(role: str, other: str) -> float:
    """How near two roles are to each other."""
    if role == other:
        return 1
    return 0.7 if any({role, other} <= family for family in FAMILIES) else 0.3


def grade_role(bundle: Bundle, like: Bundle) -> float:
    """Whether it has the role."""
    return float(bundle.role == like.role)


def grade_classes(bundle: Bundle, like: Bundle) -> float:
    """The share of its classes."""
    wanted, has = set(bundle.classes), set(like.classes)
    return len(wanted & has) / len(wanted | has)


def grade_within(bundle: Bundle, like: Bundle) -> float:
    """How much of what it stood in it stands in."""
    got = [
        max((_compare_holders(want, has) for has in like.within), default=0)
        for want in bundle.within
    ]
    return sum(got) / len(got)


def _compare_holders(want: Holder, has: Holder) -> float:
    if not want.name:
        return 0.5 * (want.role == has.role)
    return likeness(want.name, has.name) * (1 if want.role in (has.role, "") else 0.5)


def grade_near(bundle: Bundle, like: Bundle) -> float:
    """How much of what stood near stands near, and how near."""
    there = [_without_clock(text).casefold() for text in like.near]
    has = {text: far for far, text in reversed(list(enumerate(there)))}
    got = most = 0.0
    for far, text in enumerate(bundle.near):
        # The nearest say most, and the less the further they have moved.
        worth = 1 / (1 + 0.2 * far)
        most += worth
        if (now := has.get(_without_clock(text).casefold())) is not None:
            got += worth * max(0.0, 1 - MOVED * abs(now - far))
    return got / most


def reverses_near(bundle: Bundle, best: Bundle, other: Bundle) -> bool:
    """Whether two texts that are reversed around the best one stand around another as before."""
    texts = [_plain(text) for text in bundle.near if any(map(str.isalpha, text))]
    has, others = (list(map(_plain, like.near)) for like in (best, other))
    return any(
        _is_reversed(has, pair)
        and all(text in others for text in pair)
        and not _is_reversed(others, pair)
        for pair in pairwise(texts)
    )


def _is_reversed(texts: Sequence[str], pair: tuple[str, str]) -> bool:
    """Whether the second of two texts stands before the first."""
    first, second = pair
    return first in texts and second in texts and texts.index(second) < texts.index(first)


def list_kept_near(bundle: Bundle, like: Bundle) -> list[bool]:
    """Of each of the nearest texts, but for mere numbers, whether it stands as near as it stood."""
    has = {text: far for far, text in reversed(list(enumerate(map(_plain, like.near))))}
    return [
        abs(has.get(_plain(text), 99) - far) <= 1
        for far, text in enumerate(bundle.near[:4])
        if any(map(str.isalpha, text))
    ]


def _plain(text: str) -> str:
    return _without_clock(text).casefold()


def grade_path(bundle: Bundle, like: Bundle) -> float:
    """How alike the tags around it are."""
    return _alike_paths(bundle.path, like.path)


@lru_cache(maxsize=2048)
def _alike_paths(one: str, other: str) -> float:
    steps = difflib.SequenceMatcher(None, one.split(">"), other.split(">"), autojunk=False)
    return steps.ratio()
