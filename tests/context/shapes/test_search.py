"""Search results: titles and addresses stay, snippets shrink, matches stand under their file."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from director.context.shapes import search

FILLER = "There is much more to say about this and some of it is said here again. "
HITS = "A search for 'harbour ferry' found 8 results:\n\n## Web Results\n" + "\n\n".join(
    f"{n}. [Ferry page {n}](https://ferry{n}.example/times?line={n})\nSource: Ferry {n}\n\n"
    f"{FILLER * 3}Line F{n}0 leaves at 0{n}:15 from pier {n}. {FILLER * 3}"
    for n in range(1, 9)
)
TRIPLES = "\n\n".join(
    f"Title: Page {n}\nURL: https://site{n}.example/\nSnippet: {FILLER * 4}" for n in range(5)
)
MATCHES = "\n".join(
    f"src/shop/billing/{name}.py:{line}:    charge(order, {line})"
    for name in ("invoice", "refund", "total")
    for line in range(10, 200, 10)
)


def test_every_title_and_address_stays_at_medium() -> None:
    """A result that cannot be opened is no result."""
    shown = search.render(HITS, "medium", 1_200)
    for n in range(1, 9):
        assert f"{n}. [Ferry page {n}](https://ferry{n}.example/times?line={n})" in shown


def test_a_snippet_keeps_the_sentence_with_its_literals() -> None:
    """What a snippet tells is in its numbers and names."""
    shown = search.render(HITS, "medium", 1_800)
    assert "Line F30 leaves at 03:15 from pier 3." in shown
    assert len(shown) <= 1_800


def test_high_keeps_whole_addresses() -> None:
    """A title may be cut, an address never."""
    shown = search.render(HITS, "high", 520)
    assert shown.count(".example/times?line=") == 8
    assert len(shown) <= 520


def test_a_repeated_address_is_one_result() -> None:
    """The second finding of a page adds only what it newly says."""
    hit = "[A](https://a.example/x)\n"
    text = f"1. {hit}Old words here.\n2. {hit}New words here.\n3. [B](https://b.example/)\nBye."
    shown = search.render(text, "low", 0)
    assert shown.count("https://a.example/x") == 1
    assert "Old words here.\nNew words here." in shown


def test_low_writes_a_path_once_over_its_matches() -> None:
    """Every match is there with its line number."""
    shown = search.render(MATCHES, "low", 0)
    assert shown.startswith("src/shop/billing/invoice.py\n 10:    charge(order, 10)\n 20:")
    assert shown.count("src/shop/billing/refund.py") == 1
    assert shown.count("charge(") == MATCHES.count("charge(")


def test_every_matching_file_is_named_when_matches_are_folded() -> None:
    """Where something is found matters more than each finding."""
    shown = search.render(MATCHES, "medium", 700)
    for name in ("invoice", "refund", "total"):
        assert f"src/shop/billing/{name}.py" in shown
    assert len(shown) <= 700


def test_results_are_recognised_and_a_numbered_list_is_not() -> None:
    """Only a list of addresses is a list of results."""
    assert all(search.recognise(text) for text in (HITS, TRIPLES, MATCHES))
    assert not search.recognise("1. Wash.\n2. Rinse.\n3. Repeat.\n4. Dry.")


@given(st.integers(0, 4_000), st.integers(0, 4_000), st.integers(0, 500), st.text(max_size=40))
def test_mangled_results_are_rendered_within_their_room(
    a: int, b: int, room: int, noise: str
) -> None:
    """Whatever is cut out or put in, nothing raises and nothing grows."""
    for source in (HITS, TRIPLES + "\n" + MATCHES):
        text = source[: min(a, b)] + noise + source[max(a, b) :]
        shown = search.render(text, "high", room)
        assert len(shown) <= min(len(text), room) or shown == text
