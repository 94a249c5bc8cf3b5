"""Diffs: what changed stays, its surroundings go, and generated files are counted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from director.context.shapes import diff

CONTEXT = "\n".join(f"     line_{n} = {n}" for n in range(30))
CHANGE = f"""diff --git a/src/pay.py b/src/pay.py
index 1a2b3c4..5d6e7f8 100644
--- a/src/pay.py
+++ b/src/pay.py
@@ -1,61 +1,61 @@ def charge(order):
{CONTEXT}
-    return order.total
+    return order.total + order.tax
{CONTEXT}
"""
LOCK = "\n".join(
    [
        "diff --git a/uv.lock b/uv.lock",
        "--- a/uv.lock",
        "+++ b/uv.lock",
        "@@ -1,200 +1,200 @@",
        *(f"-version = {n}\n+version = {n + 1}" for n in range(200)),
    ]
)


def test_changed_lines_stay_and_context_is_counted() -> None:
    """The point of a diff is what differs."""
    shown = diff.render(CHANGE, "medium", 300)
    assert "-    return order.total\n+    return order.total + order.tax" in shown
    assert "@@ -1,61 +1,61 @@ def charge(order):" in shown
    assert "unchanged" in shown
    assert len(shown) <= 300


def test_a_lock_file_is_told_by_its_size() -> None:
    """Nobody reads the lines of a lock file."""
    shown = diff.render(CHANGE + LOCK, "medium", 500)
    assert "+++ b/uv.lock\n … 401 generated lines (+200 -200)" in shown
    assert "+    return order.total + order.tax" in shown


def test_low_names_a_file_once_and_drops_no_line_of_a_hunk() -> None:
    """Only the line that repeats the two names goes."""
    shown = diff.render(CHANGE, "low", 0)
    assert shown == CHANGE.split("\n", 1)[1]


def test_blanks_at_the_end_of_a_changed_line_may_be_the_change() -> None:
    """Low never hides a change of blanks."""
    text = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-end  \n+end\n \n"
    assert "-end  \n+end" in diff.render(text, "low", 0)


def test_a_removed_line_of_dashes_is_no_file_name() -> None:
    """In a hunk, "--- note" is a removed "-- note"."""
    text = f"--- a/q.sql\n+++ b/q.sql\n@@ -1,9 +1,9 @@\n--- dist/note\n+select 1;\n{CONTEXT}\n+x;"
    assert "+select 1;" in diff.render(text, "medium", 150)


def test_a_diff_is_recognised_by_its_hunk() -> None:
    """A rule of dashes makes no diff."""
    assert diff.recognise(CHANGE)
    assert not diff.recognise("--- notes\n+ one\n- two")


@given(st.integers(0, 3_000), st.integers(0, 3_000), st.integers(0, 500), st.text(max_size=40))
def test_a_mangled_diff_is_rendered_within_its_room(a: int, b: int, room: int, noise: str) -> None:
    """Whatever is cut out or put in, nothing raises and nothing grows."""
    source = CHANGE + LOCK[:1_000]
    text = source[: min(a, b)] + noise + source[max(a, b) :]
    shown = diff.render(text, "high", room)
    assert len(shown) <= min(len(text), room) or shown == text
