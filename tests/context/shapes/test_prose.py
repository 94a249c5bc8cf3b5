"""Prose: sentences are found and kept whole, the telling ones first, and nothing is invented."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from director.context.shapes import prose

FILLER = "It was a day like many others and people went about what they usually do. "
PAGE = (
    "# Delivery terms\n\n"
    + FILLER * 6
    + "Order PX-4471 must be paid before 2024-06-30. "
    + FILLER * 6
    + "\n\nContact desk@shop.example for changes.\n"
)


def squashed(text: str) -> str:
    """The text without any blanks, to compare what was written."""
    return "".join(text.split())


def test_sentences_end_at_stops_but_not_inside_numbers_names_and_addresses() -> None:
    """Abbreviations, decimals and addresses hold a stop that ends nothing."""
    text = "Dr. Lee paid $3.50 at https://a.example/b.c?d=e. He left. Is v1.2.3 out? Yes!"
    assert prose.sentences(text) == [
        "Dr. Lee paid $3.50 at https://a.example/b.c?d=e.",
        "He left.",
        "Is v1.2.3 out?",
        "Yes!",
    ]


def test_each_list_item_is_a_sentence() -> None:
    """A line that is an item stands for itself, a wrapped line does not."""
    wrapped = "this line is long enough to be wrapped by an editor\nand so it goes on here."
    assert prose.sentences(f"- one\n- two\n\n{wrapped}") == ["- one", "- two", wrapped]


def test_a_long_sentence_is_cut_at_a_comma() -> None:
    """No sentence is much longer than four hundred characters."""
    pieces = prose.sentences("some words of it, " * 100)
    assert max(map(len, pieces)) <= prose.LONGEST
    assert all(piece.endswith(",") for piece in pieces)


@given(st.text())
def test_sentences_lose_nothing_but_blanks(text: str) -> None:
    """All that is written is in some sentence, in order."""
    assert squashed("".join(prose.sentences(text))) == squashed(text)


def test_low_normalises_blanks_and_tells_a_repeated_paragraph_once() -> None:
    """Trailing blanks, escape codes and repetition carry no facts."""
    paragraph = "This paragraph is said three times on the page."
    text = f"\x1b[1mTitle\x1b[0m  \n\n\n\n{paragraph}\n\n{paragraph}\n\nend\n\n{paragraph}\n"
    assert prose.render(text, "low", 0) == f"Title\n\n{paragraph} (repeated ×3)\n\nend"


def test_medium_is_low_when_there_is_room() -> None:
    """Nothing is left out of a text that fits."""
    assert prose.render(PAGE, "medium", 10_000) == prose.render(PAGE, "low", 0)


def test_the_sentence_with_the_order_and_its_date_survives_the_filler() -> None:
    """Literals and constraints are worth more than what is said again and again."""
    shown = prose.render(PAGE, "medium", 200)
    assert "Order PX-4471 must be paid before 2024-06-30." in shown
    assert "desk@shop.example" in shown
    assert "…" in shown
    assert len(shown) <= 200


def test_what_is_shown_stands_in_the_input_in_the_same_order() -> None:
    """A reduced text is made of pieces of the original."""
    shown = prose.render(PAGE, "high", 300)
    at = 0
    for piece in shown.replace("…", "\n").split("\n"):
        at = PAGE.index(piece.strip(), at)


@given(st.text(), st.sampled_from(["none", "low", "medium", "high"]), st.integers(-5, 300))
def test_rendering_never_grows_and_settles(text: str, level: prose.Level, room: int) -> None:
    """A rendering is no longer than its text, and at high no longer than its room."""
    shown = prose.render(text, level, room)
    assert len(shown) <= len(text)
    assert level != "high" or len(shown) <= max(room, 0)
    assert prose.render(shown, level, room) == shown


def test_a_megabyte_without_a_blank_takes_no_time() -> None:
    """An encoded image is split and left out in linear time."""
    started = time.process_time()
    prose.render("aB3/" * 100_000 + " done at 14:02.", "medium", 500)
    assert time.process_time() - started < 5
