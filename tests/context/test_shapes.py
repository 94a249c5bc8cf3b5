"""Which shape a result is taken for, and what survives the rendering of each."""

from __future__ import annotations

import json

import pytest

from director.context.notices import find_notice
from director.context.shapes.dispatch import SHAPES
from director.context.shrink import Shrinking, shrink_text

LOG = "\n".join(
    f"2026-03-01 12:{n // 60:02}:{n % 60:02},250 INFO worker-{n % 7} handled req-{n} in {n % 9} ms"
    for n in range(1_500)
).replace("handled req-777 ", "payment 8812 failed: ERROR card declined, req-777 ")
SAMPLES = {
    "snapshot": '### Page state\n- Page URL: http://a.test/\n- Page Snapshot:\n```yaml\n- link "A" [ref=e1]\n```',
    "html": "<!DOCTYPE html><html><body>" + '<p class="x">Hello <a href="/b">b</a></p>' * 9,
    "diff": "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-old\n+new\n same",
    "search": "\n".join(f"src/mod{n}.py:{n}:    value = compute({n})" for n in range(12)),
    "log": LOG,
    "record": json.dumps({"id": 7, "tags": ["a", "b"]}),
    "table": "id,name,amount\n" + "\n".join(f"{n},user{n},{n * 3}" for n in range(20)),
    "prose": "The committee met on Monday. It agreed to wait. Nobody objected.",
}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_result_is_taken_for_what_it_is(name: str) -> None:
    """The first shape that recognises it is the right one."""
    shape = next(shape for shape in SHAPES if shape.recognise(SAMPLES[name]))
    assert shape.__name__.rpartition(".")[2] == name


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("level", ["low", "medium", "high"])
def test_shrinking_is_done_once_and_never_grows(name: str, level: str) -> None:
    """Whatever the shape and the level."""
    how = Shrinking(level)  # type: ignore[arg-type]
    once = shrink_text(SAMPLES[name], how, 300)
    assert len(once) <= len(SAMPLES[name])
    assert shrink_text(once, how, 300) == once
    assert once == SAMPLES[name] or find_notice(once)


def test_the_one_bad_line_of_a_log_survives_although_its_level_is_info() -> None:
    """1,500 lines become a few, and that one is among them."""
    small = shrink_text(LOG, Shrinking("high"), 1_500)
    assert "payment 8812 failed: ERROR card declined" in small
    assert len(small) < len(LOG) // 20


def test_json_lines_are_rows_and_the_row_that_failed_stays() -> None:
    """A row is odd if it tells of an error, not because it is long."""
    rows = [{"order": f"A-{n}", "state": "paid", "note": "x" * (n % 9)} for n in range(300)]
    rows[151]["state"] = "refused"
    text = "\n".join(map(json.dumps, rows))
    small = shrink_text(text, Shrinking(), 1_500)
    assert "A-151" in small
    assert "refused" in small
    assert len(small) < 2_000
