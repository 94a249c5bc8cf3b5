"""What a locator bundle may say, and how a wrong one is refused."""

from __future__ import annotations

from typing import Any

import pytest

from director.browser.bundle import (
    Bundle,
    Holder,
    Inner,
    LocatorError,
    diff_bundles,
    parse_bundle_or_css,
)

WHOLE = {
    "role": "button",
    "name": "Place order",
    "label": "Order",
    "test_id": "place-order",
    "css": "#place",
    "text": "Place order now",
    "path": "main>form>button",
    "attributes": {"type": "submit"},
    "classes": ["primary"],
    "within": [{"role": "form", "name": "Checkout"}, {"role": "main"}],
    "near": ["Total", "12.00"],
    "nth": [1, 3],
    "frame": {"name": "pay", "url": "https://pay.example/form"},
}


def test_a_bundle_comes_back_as_it_was_written() -> None:
    """Every key, through JSON and back."""
    read = parse_bundle_or_css(WHOLE)
    assert isinstance(read, Bundle)
    assert read.json() == WHOLE
    assert parse_bundle_or_css(read.json()) == read
    assert read.within[0] == Holder("form", "Checkout")
    assert read.frame == Inner("pay", "https://pay.example/form")


def test_a_bundle_keeps_only_what_it_says() -> None:
    """A person writes a key or two, and so little is stored."""
    read = parse_bundle_or_css(
        {"role": "button", "name": "Pay", "within": {"role": "form"}, "near": "Total"}
    )
    assert isinstance(read, Bundle)
    assert read.json() == {
        "role": "button",
        "name": "Pay",
        "within": [{"role": "form"}],
        "near": ["Total"],
    }


def test_css_stays_css() -> None:
    """Without the space around it."""
    assert parse_bundle_or_css(" button.primary ") == "button.primary"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"rol": "button"}, "Did you mean 'role'"),
        ({"testId": "x"}, "Did you mean 'test_id'"),
        ({"placeholder": "Search"}, "Did you mean 'attributes'"),
        ({"near": ["Total"]}, "must say which element"),
        ({}, "must say which element"),
        ({"role": 3}, "'role' of a locator bundle is a text"),
        ({"role": "button", "nth": 2}, "give nth beside the selector"),
        ({"role": "button", "within": "form"}, '"role": "form"'),
        ({"role": "button", "frame": {"id": "x"}}, "'frame' of a locator bundle takes"),
        ({"role": "button", "attributes": ["id"]}, "an object of texts"),
        ({"role": "button", "near": 3}, "a list of texts"),
        (["#a", "#b"], "put them in one bundle"),
        ("text: Hello", r"\{'text': 'Hello'\}"),
        ("act: press the button", "is not a CSS selector"),
        ("//button[1]", "is not a CSS selector"),
        (" ", "empty selector"),
        (None, "one CSS string or one bundle"),
    ],
)
def test_a_wrong_selector_is_refused_with_the_right_form(given: Any, says: str) -> None:
    """Unknown keys, early forms, other languages."""
    with pytest.raises(LocatorError, match=says):
        parse_bundle_or_css(given)


@pytest.mark.parametrize("css", ["label:has(input)", "label:not(.x) > a", "label:nth-of-type(2)"])
def test_css_that_begins_like_an_early_form_is_css(css: str) -> None:
    """A label with a pseudo-class is an element; a label with a text is not."""
    assert parse_bundle_or_css(css) == css
    with pytest.raises(LocatorError, match="Write it as a bundle"):
        parse_bundle_or_css("label:Username")


def test_two_bundles_are_compared_key_by_key() -> None:
    """What only one of them has stands on one line, what changed on two."""
    before = Bundle(role="button", name="Order", css="#go", test_id="go")
    after = Bundle(role="button", name="Place order", css="#go", near=("Total",))
    assert diff_bundles(before, after).splitlines() == [
        "- name: Order",
        "+ name: Place order",
        "- test_id: go",
        "+ near: ['Total']",
    ]
    assert diff_bundles(before, before) == ""


@pytest.mark.parametrize(
    ("bundle", "words"),
    [
        (
            Bundle(role="button", name="Pay", within=(Holder("form", "Checkout"),)),
            "button 'Pay' in form 'Checkout'",
        ),
        (Bundle(name="Pay"), "element 'Pay'"),
        (Bundle(css="#pay"), "css '#pay'"),
        (Bundle(attributes={"id": "x"}), "element"),
    ],
)
def test_a_bundle_is_called_by_what_tells_most(bundle: Bundle, words: str) -> None:
    """The way a person would say it."""
    assert str(bundle) == words
