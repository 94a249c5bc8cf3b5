"""A counter that is off learns it from what providers report."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from splintr import Tokenizer

from director.context.values import Counter
from director.counting import (
    Calibration,
    calibrate_counter,
    chars4,
    counter_for,
    exact,
    remembering,
)

FILLER = "Some words of a line.\n" * 200
observations = st.lists(
    st.tuples(st.integers(1, 1_000_000), st.integers(1, 1_000_000)), min_size=1, max_size=40
)


def test_before_anything_was_reported_the_counter_is_as_it_was() -> None:
    """Its counts, its name and its error."""
    calibration = Calibration(chars4)
    counter = calibration.counter()
    assert (counter.name, calibration.factor) == (chars4.name, 1.0)
    assert counter.error == calibration.error == chars4.error
    assert counter("some words") == chars4("some words")


def test_the_factor_is_reported_over_estimated() -> None:
    """Over all of the latest requests, so large ones weigh more."""
    calibration = Calibration(chars4)
    assert calibration.observe(100, 120) == pytest.approx(1.2)
    assert calibration.observe(900, 980) == pytest.approx(1.1)
    assert calibration.counter()("x" * 4_000) == round(chars4("x" * 4_000) * 1.1)


def test_a_calibrated_counter_says_so_in_its_name() -> None:
    """Reports show what was counted with."""
    calibration = Calibration(chars4)
    calibration.observe(100, 125)
    assert calibration.counter().name == "chars4 × 1.25 (calibrated)"


def test_the_stated_error_is_the_worst_that_was_observed() -> None:
    """With the factor of now."""
    exact = Counter(len, "letters", 0.0)
    calibration = Calibration(exact)
    calibration.observe(100, 100)
    calibration.observe(100, 200)
    assert calibration.factor == pytest.approx(1.5)
    assert calibration.counter().error == pytest.approx(0.5)


def test_one_observation_does_not_make_a_poor_counter_exact() -> None:
    """Its own error wears off with each."""
    calibration = Calibration(chars4)
    errors = []
    for _ in range(4):
        calibration.observe(100, 110)
        errors.append(calibration.counter().error)
    assert errors == pytest.approx([chars4.error / number for number in (1, 2, 3, 4)])


def test_an_estimate_of_a_calibrated_counter_is_taken_back_to_the_raw_one() -> None:
    """The factor is not learned twice."""
    calibration = Calibration(chars4)
    factor = calibration.observe(1_000, 1_500)
    assert calibration.observe(1_500, 1_500, factor=factor) == pytest.approx(1.5)


def test_only_the_latest_requests_count() -> None:
    """A provider may change its tokens."""
    calibration = Calibration(chars4, latest=2)
    for reported in (400, 200, 200):
        calibration.observe(100, reported)
    assert calibration.factor == pytest.approx(2.0)


@pytest.mark.parametrize(("estimated", "reported"), [(0, 10), (10, 0), (-1, 5), (5, -1)])
def test_a_request_of_no_tokens_teaches_nothing(estimated: int, reported: int) -> None:
    """Nor does nonsense."""
    assert Calibration(chars4).observe(estimated, reported) == 1.0


@given(observations)
def test_the_factor_stays_within_bounds_and_the_error_is_true(
    seen: list[tuple[int, int]],
) -> None:
    """Whatever is reported: every latest observation is within the stated error."""
    calibration = Calibration(chars4)
    for estimated, reported in seen:
        calibration.observe(estimated, reported)
    assert 0.25 <= calibration.factor <= 4.0
    for estimated, reported in seen[-20:]:
        off = abs(estimated * calibration.factor - reported) / reported
        assert off <= calibration.error * (1 + 1e-9)


@given(observations)
def test_the_same_observations_teach_the_same(seen: list[tuple[int, int]]) -> None:
    """Nothing is random and nothing depends on time."""
    one, two = Calibration(chars4), Calibration(chars4)
    for estimated, reported in seen:
        one.observe(estimated, reported)
        two.observe(estimated, reported)
    assert (one.factor, one.error) == (two.factor, two.error)
    assert one.counter().name == two.counter().name


def test_each_text_is_counted_once_however_often_the_factor_changes() -> None:
    """The raw count is remembered and only multiplied."""
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text)

    calibration = Calibration(Counter(count, "letters", 0.1))
    for reported in (10, 20, 30):
        calibration.observe(10, reported)
        calibration.counter()("a text")
        calibration.base("a text")
    assert counted == ["a text"]


def test_framing_is_calibrated_with_the_texts() -> None:
    """What was reported held both."""
    twice = calibrate_counter(chars4, 2.0, 0.1)
    assert (twice.per_message, twice.per_call, twice.per_image) == (8, 2, 2_000)


def test_an_exact_counter_can_be_calibrated_too() -> None:
    """A provider adds what no vocabulary tells."""
    calibration = Calibration(counter_for("gpt-6.1-terra"))
    calibration.observe(1_000, 1_050)
    counter = calibration.counter()
    assert counter.name == "o200k_base × 1.05 (calibrated)"
    assert counter("hello world " * 100) == round(calibration.base("hello world " * 100) * 1.05)


def test_what_a_counter_remembers_is_bounded_by_its_length() -> None:
    """Many texts or a few long ones: the oldest are forgotten, and counted again when asked for."""
    texts: list[str] = []

    def count(text: str) -> int:
        texts.append(text)
        return len(text)

    counted = remembering(count, 3, characters=10)
    for text in ("a", "bb", "a", "ccc", "a", "d"):
        assert counted(text) == len(text)
    assert texts == ["a", "bb", "ccc", "d"]
    assert [counted("bb"), counted("a"), counted("e" * 20), counted("f" * 9)] == [2, 1, 20, 9]
    assert texts[4:] == ["a", "e" * 20, "f" * 9]
    assert counted("a") == 1
    assert counted("f" * 9) == 9
    assert texts[7:] == ["a"]


@pytest.mark.parametrize(
    "vocabulary", ["o200k_base", "qwen3", "llama3", "deepseek_v3", "mistral_v3"]
)
@given(
    st.lists(
        st.sampled_from(
            [
                "a",
                "Word",
                " the",
                "'s",
                "7",
                "12 ",
                " ",
                "  ",
                "\n",
                "\n\n",
                "\n ",
                "\r\n",
                "\t",
                ".",
            ]
            + ["/", "{", '"', "é", "漢", "\u00a0", "\u2028", "😀", "_", "- "]
        ),
        max_size=40,
    )
)
def test_a_long_text_counts_as_many_tokens_in_lines_as_in_one_piece(
    vocabulary: str, parts: list[str]
) -> None:
    """A long text is counted line by line: no token may span a cut."""
    text = f"{FILLER}\n{''.join(parts)}\nword {''.join(reversed(parts))}"
    whole = Tokenizer.from_pretrained(vocabulary).encode_ordinary(text)
    assert exact(vocabulary)(text) == len(whole)
