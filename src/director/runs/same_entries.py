"""Effects that were there before: entered by an earlier run as well, or known from before a stop.

Of the first the site may have two; after the second the browser is where it was before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import cast

from director.runs.doubts import Doubt
from director.runs.ledger import steps_of
from director.runs.values import Run, Step
from director.store import Store
from director.workflow.paths import is_list
from director.workflow.values import Config, Json

_READ_BEFORE = 20  # earlier runs that are looked through
_NAMED = 3  # entries that a sentence names
_REFUSED = 400
_TELLING = 3  # letters of a typed text that tell a row from others


def find_same_entries(store: Store, run: Run, steps: Iterable[Step]) -> Iterator[Doubt]:
    """A doubt for each node that entered what it had entered in an earlier run or test."""
    entered: dict[str, list[tuple[Step, set[str]]]] = {}
    for step in steps:
        if marks := _marks_of(step):
            entered.setdefault(step.node, []).append((step, marks))
    if not entered:
        return
    known = _marks_before(store, run, entered)
    for node, visits in entered.items():
        again = [step for step, marks in visits if marks & known.get(node, {}).keys()]
        again = [step for step in again if not _is_shown_once(step)]
        if again:
            first = next(marks for step, marks in visits if step is again[0])
            earlier = next(known[node][mark] for mark in first if mark in known[node])
            yield _tell(node, again, len(visits), earlier)


def find_left_behind(steps: Iterable[Step]) -> Iterator[Doubt]:
    """A doubt if a node worked on the page before an effect that was not done in this attempt."""
    looks = [step for step in sorted(steps, key=lambda each: each.began) if _is_on_page(step)]
    for step, then in zip(looks, looks[1:], strict=False):
        result = step.result if isinstance(step.result, Mapping) else {}
        is_known = result.get("recovered") is True or result.get("already") is True
        if is_known and not result.get("arrived") and then.config.get("action") != "navigate":
            sentence = (
                f"{step.alias} had happened before, so it was not done again, and {then.alias} worked "
                "on the page that was open before it: what it found there may be old."
            )
            evidence: Config = {"step": then.key, "url": (then.page or {}).get("url")}
            yield Doubt("elsewhere", then.node, then.alias, sentence, evidence)


def _is_on_page(step: Step) -> bool:
    return step.type in ("browser_action", "browser_query")


def _tell(node: str, again: Sequence[Step], entries: int, earlier: str) -> Doubt:
    alias, texts = again[0].alias, [" · ".join(_typed(step)) for step in again[:_NAMED]]
    where = "a test" if earlier.startswith("workbench:") else f"run {earlier}"
    sentence = (
        f"{alias} entered {len(again)} of {entries} that were entered in {where} as well "
        f"({'; '.join(texts)}): unless the site keeps one of each only, they are there twice. Look "
        "first whether it is there and branch, or give it a proof, which is looked at before."
    )
    evidence: Config = {"times": len(again), "run": earlier, "typed": cast("Json", texts)}
    return Doubt("again", node, alias, sentence, evidence)


def _marks_before(
    store: Store, run: Run, entered: Mapping[str, object]
) -> dict[str, dict[str, str]]:
    """For each node the marks of what it entered before, with the run that did."""
    runs = [
        each
        for each in store.newest("run")
        if each.body.get("workflow") == run.workflow and each.id != run.id
    ]
    found: dict[str, dict[str, str]] = {}
    for each in sorted(runs, key=lambda one: -one.position)[:_READ_BEFORE]:
        for step in steps_of(store, each.id):
            if step.node in entered:
                for mark in _marks_of(step):
                    found.setdefault(step.node, {}).setdefault(mark, each.id)
    return found


def _marks_of(step: Step) -> set[str]:
    """The marks of what a step entered: a form with typed texts, over nothing that was there."""
    seen = step.observed or {}
    if step.status != "success" or seen.get("is_login") or seen.get("proof"):
        return set()
    if seen.get("replaced") or seen.get("errors") or not _typed(step):
        return set()
    sent = cast("Sequence[Config]", seen.get("sent") if is_list(seen.get("sent")) else ())
    return {str(each["mark"]) for each in sent if each.get("mark") and not _is_refused(each)}


def _is_refused(sent: Config) -> bool:
    status = sent.get("status")
    return isinstance(status, int) and status >= _REFUSED


def _is_shown_once(step: Step) -> bool:
    """Whether the page afterwards has exactly one row that shows what was typed."""
    rows = (step.observed or {}).get("rows")
    typed = [text.casefold() for text in _typed(step) if len(text) >= _TELLING]
    shown = [
        row
        for row in (cast("Sequence[Sequence[str]]", rows) if is_list(rows) else ())
        if any(text in " ".join(row).casefold() for text in typed)
    ]
    return len(shown) == 1


def _typed(step: Step) -> tuple[str, ...]:
    typed = (step.observed or {}).get("typed")
    return tuple(str(each) for each in typed) if is_list(typed) else ()
