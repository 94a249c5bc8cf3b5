"""A pattern means what Python's `re` means by it, whichever engine answers."""

from __future__ import annotations

import re
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from director.workflow import patterns
from director.workflow.patterns import (
    PatternError,
    check_pattern,
    matches_address_pattern,
    matches_glob_pattern,
    search_pattern_in_texts,
)

PIECES = [
    *"ab.^$|/5é",
    *(r"\d \D \w \W \s \S \b \B \A \Z \. \n \x41 \0 \z \p".split()),
    *"[ab] [^a] [a-c5] [\\d] [^\\W] [[:alpha:]] []a]".split(),
    *"(a) (?:b|a) (a|) (?i:a) (?P<n>a) (?=a) (?<!b) (?#c) (?i) (?s)".split(),
]
REPEATS = ["", "", "", "*", "+", "?", "{2}", "{1,2}", "{,2}", "*?", "+?", "??", "{", "}"]
pattern = st.lists(
    st.tuples(st.sampled_from(PIECES), st.sampled_from(REPEATS)), min_size=1, max_size=5
).map(lambda pairs: "".join(piece + repeat for piece, repeat in pairs))
text = st.text(alphabet=st.sampled_from(list("abAB5 /.\n\t\x0b\x1cé٣ſ\u212a")), max_size=6)


@settings(max_examples=200, deadline=None)
@given(pattern, st.lists(text, min_size=1, max_size=4), st.booleans())
def test_both_engines_mean_the_same(pattern: str, texts: list[str], ignore_case: bool) -> None:  # noqa: FBT001
    """What RE2 reads in another way is left to the worker."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            wanted = re.compile(pattern, re.IGNORECASE if ignore_case else 0)
        except (re.error, OverflowError):
            wanted = None
        if wanted is None:
            with pytest.raises(PatternError):
                search_pattern_in_texts(pattern, texts, ignore_case=ignore_case)
            return
        found = search_pattern_in_texts(pattern, texts, ignore_case=ignore_case)
    assert found == [wanted.search(each) is not None for each in texts]


def test_plain_patterns_need_no_worker() -> None:
    """RE2 answers what is usual; the worker is for the rest."""
    if patterns._load_re2() is None:
        pytest.skip("google-re2 is not installed")
    patterns._WORKER.close()
    assert search_pattern_in_texts(r"^https://\w+\.test/\d+(\?.*)?$", ["https://a.test/12?x"]) == [
        True
    ]
    assert patterns._WORKER._program is None
    assert search_pattern_in_texts(r"(?<=/)\d+", ["/12"]) == [True]
    assert patterns._WORKER._program is not None


@pytest.mark.parametrize("wrong", ["(", "*a", "a" * 301, "[b-a]", r"\z"])
def test_what_is_no_pattern_is_refused_when_it_is_saved(wrong: str) -> None:
    """With what is wrong with it."""
    with pytest.raises(PatternError, match="regular expression"):
        check_pattern(wrong)


@given(st.text(alphabet="ab*", max_size=8), st.text(alphabet="ab\n", max_size=8))
def test_a_star_is_any_run(glob: str, told: str) -> None:
    """As a regular expression would have it, without one."""
    written = ".*".join(map(re.escape, glob.split("*")))
    assert matches_glob_pattern(glob, told) == bool(re.fullmatch(written, told, re.DOTALL))


@pytest.mark.parametrize(
    ("pattern", "address", "matches"),
    [
        ("*val*=opened by mistake*", "http://a/?val%5D=opened+by+mistake&x=1", True),
        ("*/Zoë Marsh", "http://a/Zo%C3%AB%20Marsh", True),
        ("*q=a%20b*", "http://a/?q=a%20b", True),
        ("*/a+b", "http://a/a+b", True),
        ("*/a b", "http://a/a+b", False),
        ("*=closed*", "http://a/?val=opened+by+mistake", False),
    ],
)
def test_an_address_matches_as_it_is_or_as_it_reads(
    pattern: str, address: str, *, matches: bool
) -> None:
    """A form writes a space as "+" or "%20"; in the path "+" is itself."""
    assert matches_address_pattern(pattern, address) is matches
