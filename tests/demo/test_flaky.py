"""Flaky: what goes wrong goes wrong every n-th time, and the seed says which."""

from __future__ import annotations

import json

import pytest

from demo.visitor import Visitor
from director.demo.site import Site


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_page_fails_every_third_time(seed: int) -> None:
    """Counted from a place that the seed decides."""
    with Site(seed=seed).serve() as site:
        visitor = Visitor(site)
        statuses = [visitor.get("/flaky/fails").status for _ in range(9)]
    failed = [(time + seed) % 3 == 0 for time in range(1, 10)]
    assert statuses == [500 if each else 200 for each in failed]


def test_the_address_says_how_often(visitor: Visitor) -> None:
    """Each time, or never for as long as anybody tries."""
    assert {visitor.get("/flaky/fails?every=1").status for _ in range(3)} == {500}
    assert {visitor.get("/flaky/fails?every=1000").status for _ in range(3)} == {200}


def test_a_note_that_failed_is_not_kept(visitor: Visitor) -> None:
    """Whatever the page says; the list and the state tell the truth."""
    answers = [visitor.post("/flaky/notes", {"note": f"note {n}"}) for n in range(1, 5)]
    assert [answer.status for answer in answers] == [200, 500, 200, 200]
    assert [json.loads(answer.text)["saved"] for answer in answers] == [True, False, True, True]
    kept = ["note 1", "note 3", "note 4"]
    assert visitor.state()["notes"] == kept
    assert visitor.get("/flaky").all("<li>([^<]*)</li>") == kept


def test_a_slow_answer_comes_all_the_same(visitor: Visitor) -> None:
    """With the same content as a quick one."""
    slow, quick = (
        visitor.get("/flaky/slow?every=1&ms=50"),
        visitor.get("/flaky/slow?every=50&ms=50"),
    )
    assert (slow.status, quick.status) == (200, 200)
    assert slow.all("<h1>(.*?)</h1>") == quick.all("<h1>(.*?)</h1>") == ["Here it is"]
