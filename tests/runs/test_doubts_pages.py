"""Doubts in a real browser: pages that hide rows raise theirs, and right ones of many kinds raise none."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from director.browser import Origins, Session
from director.browser.list_claims import look_at_list
from director.browser.queries import run_query
from director.runs import Step
from director.runs.doubts import Doubt, find_doubts
from director.runs.row_readings import list_row_readings
from director.workflow.values import Config, Node
from runs.conftest import Live
from runs.doubt_pages import FIELDS, RIGHT, WRONG, ListCase, serve_lists


@pytest.fixture(scope="module")
def lists() -> Iterator[tuple[str, dict[str, str]]]:
    """A site for all cases."""
    with serve_lists() as served:
        yield served


async def read_case(session: Session, origin: str, case: ListCase) -> list[Doubt]:
    """Read the pages of a case one after another; the doubts about it."""
    config: Config = {
        "method": "deterministic_extract",
        "selector": case.selector,
        "fields": FIELDS if case.fields is None else case.fields or None,
        **({"limit": case.limit} if case.limit else {}),
    }
    given = {"limit": "{{most}}"} if case.is_limit_given else {}
    node = Node("n1", "read", "browser_query", {**config, **given})
    steps = []
    for at, (path, _) in enumerate(case.pages):
        await session.navigate(f"{origin}{path}")
        result, seen = await run_query(session, config), await look_at_list(session, config)
        step = Step(f"l[{at}].n1", "n1", "read", "browser_query", "finished", began=at)
        steps.append(
            Step(**{**{n: getattr(step, n) for n in step.__slots__}, "result": result, "config": config,
                    "observed": seen})
        )  # fmt: skip
    return find_doubts(list_row_readings({"n1": node}, steps))


def doubts_of(
    live: Live, lists: tuple[str, dict[str, str]], cases: list[ListCase]
) -> list[list[Doubt]]:
    """The doubts about each case, all read in one session."""
    origin, known = lists

    async def read() -> list[list[Doubt]]:
        found = []
        async with live.browser.session(Origins([origin])) as session:
            for case in cases:
                known.clear()
                known.update(dict(case.pages))
                found.append(await read_case(session, origin, case))
        return found

    return live.run(read())


def test_lists_that_were_read_rightly_raise_no_doubt(
    live: Live, lists: tuple[str, dict[str, str]]
) -> None:
    """Paged, filtered, empty, endless, and beside counts of something else."""
    found = doubts_of(live, lists, list(RIGHT))
    told = {
        case.name: [each.sentence for each in doubts]
        for case, doubts in zip(RIGHT, found, strict=True)
        if doubts
    }
    assert told == {}
    assert len(RIGHT) >= 20


def test_each_page_that_hides_something_raises_its_doubt(
    live: Live, lists: tuple[str, dict[str, str]]
) -> None:
    """One doubt each, of the kind that tells what is wrong, with the counts on both sides."""
    found = doubts_of(live, lists, [case for _, case in WRONG])
    told = {
        case.name: [each.kind for each in doubts]
        for (_, case), doubts in zip(WRONG, found, strict=True)
    }
    assert told == {case.name: [kind] for kind, case in WRONG}
    evidence = [doubt.evidence for doubts in found for doubt in doubts]
    assert all(each["url"] for each in evidence)
    assert evidence[0] | {"url": ""} == {
        "read": 40, "said": 82, "text": "82 results", "place": "near", "url": "", "visits": 1,
    }  # fmt: skip
