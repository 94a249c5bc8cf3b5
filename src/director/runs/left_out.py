"""Whether an item that a decision leaves out was really found, or only as a part of another's name.

When a look is made on which a decision rests, the single texts that hold what would be entered are
kept with its step; when the decision is taken, they are compared. Nothing is changed by it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast
from urllib.parse import parse_qsl, urlsplit

from playwright.async_api import Error as PlaywrightError

from director.browser import BrowserError, BrowserGone, Session
from director.browser.bundle import LocatorError
from director.browser.item_texts import find_item_texts, find_other_texts
from director.runs.doubts.part_fits import (
    find_part_fits,
    make_none_sentence,
    make_part_sentence,
    normalize_item_text,
)
from director.runs.values import Step
from director.workflow.entry_decisions import EntryDecision, list_decision_templates
from director.workflow.paths import is_list
from director.workflow.scope import Scope
from director.workflow.templates import TemplateError, defuse_templates, resolve_templates
from director.workflow.values import Config, Json, Node

if TYPE_CHECKING:
    from director.runs.visit import NodeVisit

_LEAST = 2  # letters of a text that can be looked for
_TERM = 3  # letters of a term that is a part of what is entered
_MOST = 200  # letters of a value that is one text
_NAMES = ("name", "label", "text")
_CSS = ("css", "path")
# A text that a selector finds within a longer one; [id="7"] finds nothing but itself.
_IN_PART = re.compile(r"""(?:-text\(\s*|[*^$~|]=)["']([^"'\\]{2,})["']""")


async def note_item_texts(
    node: Node, config: Config, scope: Scope, session: Session, decisions: Iterable[EntryDecision]
) -> dict[str, Json]:
    """The texts that a look saw of what decisions may leave out; nothing if none rests on it."""
    resting = [each for each in decisions if node.id in each.looks]
    if not resting:
        return {}
    raw = [text for each in resting for part in each.typed.values() for text in part]
    wanted = [*_resolve_texts(dict.fromkeys(raw), scope)]
    rules = config.get("rules")
    asked = (
        [each["selector"] for each in rules if isinstance(each, Mapping)] if is_list(rules) else []
    )
    selectors = asked or ([config["selector"]] if config.get("selector") else [])
    # Without a wanted text, such as before a loop, what a whole list shows is kept.
    try:
        texts = await find_item_texts(session, selectors, wanted)
        is_none = bool(wanted) and not texts
        others = await find_other_texts(session, selectors) if is_none else []
    except BrowserGone:
        raise
    except (BrowserError, LocatorError, PlaywrightError):
        return {}
    told: dict[str, Json] = {"item_texts": texts, **({"other_texts": others} if others else {})}
    url = session.net.clean(session.page().url)
    return {"url": url, **cast("dict[str, Json]", defuse_templates(told))}


def doubt_left_item(visit: NodeVisit, taken: str) -> Step:
    """The step of a decision, with a doubt if what it leaves out was found only in part."""
    decision = visit.engine.decisions.get(visit.node.id)
    if decision is None:
        return visit.step
    scope = visit.engine.ledger.scope(visit.place, visit.engine.means.env)
    entered = [*_resolve_texts(decision.list_left(taken), scope)]
    if not entered:
        return visit.step
    basis = _Basis(visit, decision, scope)
    for wanted in filter(basis.is_looked_for, entered):
        if fits := find_part_fits(wanted, basis.list_texts(wanted), entered):
            said = make_part_sentence(visit.node.alias, wanted, basis.names, fits)
            return _add_doubt(visit, basis, said, wanted, fits)
    searched = [each for each in entered if basis.is_searched_for(each)]
    if searched and (others := basis.list_others()):
        said = make_none_sentence(visit.node.alias, searched[0], basis.names, others)
        return _add_doubt(visit, basis, said, searched[0], others)
    return visit.step


def _add_doubt(
    visit: NodeVisit, basis: _Basis, said: str, wanted: str, found: Sequence[str]
) -> Step:
    evidence: Json = {
        "looked_for": wanted,
        "fits": [*found],
        "look": basis.names,
        "url": basis.url,
        "step": visit.key,
    }
    doubt: Config = {"kind": "part", "sentence": said, "evidence": evidence}
    told = cast("Config", defuse_templates(doubt))
    return replace(visit.step, doubts=(*visit.step.doubts, told))


class _Basis:
    """What a decision rests on: its last looks, and the values that it compares."""

    def __init__(self, visit: NodeVisit, decision: EntryDecision, scope: Scope) -> None:
        engine = visit.engine
        steps = engine.ledger.steps()
        self._looks = [*_list_last(steps, decision.looks)]
        self._typed = [*_list_typed(steps, visit.key)]
        self._terms = [*self._typed]
        for look in self._looks:
            self._terms += _list_asked(look)
        passing = [visit.node, *(engine.nodes[id_] for id_ in decision.passes)]
        given = [*_list_given(passing, scope)]
        results = [each.result for each in self._looks]
        # A plain value is what is compared, not what it is compared with.
        plain = [str(value) for value in given if isinstance(value, str | int)]
        self._terms += plain
        listed = [value for value in given if not isinstance(value, str | int)]
        longer = [value for value in plain if "\n" in value]
        leaves = [leaf for value in (*listed, *results, *longer) for leaf in _list_leaves(value)]
        self._cells = [leaf for leaf in leaves if len(leaf) <= _MOST]
        self.names = " and ".join(dict.fromkeys(each.alias for each in self._looks))
        seen = [str((each.observed or {}).get("url", "")) for each in self._looks]
        self.url = next(filter(None, seen), "")

    def is_looked_for(self, wanted: str) -> bool:
        """Whether a text is what was looked for, or a longer form of it."""
        asked = normalize_item_text(wanted)
        terms = {normalize_item_text(each) for each in self._terms}
        return len(asked) >= _LEAST and any(
            asked == term or (len(term) >= _TERM and (term in asked or asked in term))
            for term in terms
        )

    def is_searched_for(self, wanted: str) -> bool:
        """Whether a text was typed before the look, or stands in the address of its page."""
        asked = normalize_item_text(wanted)
        values = [each for look in self._looks for each in _list_query(look)]
        terms = map(normalize_item_text, (*self._typed, *values))
        return asked in terms and sum(map(str.isalpha, asked)) >= _TERM

    def list_others(self) -> list[str]:
        """What a look found, if that shows nothing of the entry."""
        if len(self._looks) != 1 or _is_gathered(self._looks[0]):
            return []
        others = (self._looks[0].observed or {}).get("other_texts")
        return [str(each) for each in others] if is_list(others) else []

    def list_texts(self, wanted: str) -> list[str]:
        """The single texts that hold a wanted one: of the pages, else of the values."""
        asked = normalize_item_text(wanted)
        cells = [each for each in self._cells if asked in normalize_item_text(each)]
        if any(normalize_item_text(each) == asked for each in cells):
            return [wanted]
        listed = [(each.observed or {}).get("item_texts") for each in self._looks]
        seen = [str(text) for texts in listed if is_list(texts) for text in texts]
        # A list that was turned or scrolled is not on the page as a whole, a row is no single text.
        if any(_is_gathered(each) for each in self._looks):
            return [] if any(_reads_rows_whole(each) for each in self._looks) else cells
        return seen if any(asked in normalize_item_text(each) for each in seen) else cells


def _list_last(steps: Sequence[Step], ids: Iterable[str]) -> Iterator[Step]:
    """The last finished step of each node."""
    for id_ in ids:
        done = [each for each in steps if each.node == id_ and each.state == "finished"]
        if done:
            yield max(done, key=lambda each: each.began)


def _list_typed(steps: Iterable[Step], key: str) -> Iterator[str]:
    """What was typed in the same round."""
    around = key.rpartition("]")[0]
    for each in steps:
        if each.type == "browser_action" and each.key.rpartition("]")[0] == around:
            text = each.config.get("text", each.config.get("value"))
            if isinstance(text, str) and text.strip() and "{{" not in text:
                yield text


def _list_asked(look: Step) -> Iterator[str]:
    """What a look asks for: by the address of its page, and by its selectors."""
    yield from _list_query(look)
    rules = look.config.get("rules")
    ruled = (
        [each.get("selector") for each in rules if isinstance(each, Mapping)]
        if is_list(rules)
        else []
    )
    for selector in (look.config.get("selector"), *ruled):
        named = selector if isinstance(selector, Mapping) else {"css": selector}
        yield from (str(named[name]) for name in _NAMES if named.get(name))
        for name in _CSS:
            yield from _IN_PART.findall(str(named.get(name) or ""))


def _list_query(look: Step) -> list[str]:
    url = str((look.observed or {}).get("url", ""))
    return [value for _, value in parse_qsl(urlsplit(url).query) if value]


def _list_given(nodes: Iterable[Node], scope: Scope) -> Iterator[Json]:
    """The values that nodes are given, as they are now."""
    for node in nodes:
        for template in list_decision_templates(node):
            try:
                yield scope(template)
            except TemplateError:
                continue


def _resolve_texts(texts: Iterable[str], scope: Scope) -> Iterator[str]:
    """The values of texts that can be known here."""
    for text in texts:
        try:
            found = resolve_templates(text, scope)
        except TemplateError:
            continue
        if isinstance(found, str | int) and not isinstance(found, bool):
            said = str(found).strip()
            if len(said) >= _LEAST and "{{" not in said and len(said) <= _MOST:
                yield said


def _list_leaves(value: Json) -> Iterator[str]:
    """The texts in a value; the lines of one."""
    if isinstance(value, str):
        yield from (line.strip() for line in value.splitlines() if line.strip())
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _list_leaves(inner)
    elif is_list(value):
        for inner in value:
            yield from _list_leaves(inner)
    elif isinstance(value, int) and not isinstance(value, bool):
        yield json.dumps(value)


def _is_gathered(look: Step) -> bool:
    return look.config.get("method") == "extract_all"


def _reads_rows_whole(look: Step) -> bool:
    fields = look.config.get("fields")
    return not isinstance(fields, Mapping) or "." in fields.values()
