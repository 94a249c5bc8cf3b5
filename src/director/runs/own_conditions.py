"""Conditions about what a run has found, which no page is asked for; and what fails a visit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from director.browser.page_conditions import Evidence
from director.workflow.record_types import count_records
from director.workflow.records import Record
from director.workflow.values import Config


def is_own_condition(condition: Config) -> bool:
    """Whether a condition is about the run and not about a page."""
    return "records" in condition


def check_own_record_conditions(condition: Config, records: Iterable[Record]) -> Evidence:
    """Whether the run has as many records as a condition says."""
    count = count_records(str(condition["records"]), records)
    holds = (
        condition.get("equals") in (None, count)
        and count >= _get_bound(condition, "at_least", count)
        and count <= _get_bound(condition, "at_most", count)
    )
    return Evidence(holds, condition, count, "", 0.0)


def _get_bound(condition: Config, name: str, otherwise: int) -> int:
    value = condition.get(name)
    return value if isinstance(value, int) else otherwise


def require_own_conditions(
    evidence: Sequence[Config], fail: Callable[..., Exception], what: str
) -> None:
    """Fail the visit at the first condition that does not hold."""
    for each in evidence:
        if not each["holds"]:
            where = f" on {each['at_url']!r}" if each["at_url"] else ""
            said = f"It {what} {each['condition']}, but found {each['found']!r}{where}."
            raise fail(said, kind=what)
