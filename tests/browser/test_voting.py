"""How the candidates of a bundle elect an element, without a browser."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from director.browser.bundle import Bundle, Holder
from director.browser.voting import Portrait, leaders, likeness, tally

PAY = Bundle(
    role="button",
    name="Pay",
    attributes={"id": "pay", "type": "submit"},
    classes=("primary",),
    within=(Holder("form", "Checkout"),),
    near=("Total", "12.00", "Cancel"),
    path="main>form>button",
    nth=(0, 1),
)
OTHERS = tuple(
    Bundle(role="button", name=name, path="main>div>button", near=("Menu", "Help"), nth=(0, 1))
    for name in ("Search", "Help", "Log out", "Cancel")
)


def elected(bundle: Bundle, *page: Bundle) -> list[int]:
    """The numbers of the elements that lead."""
    portraits = [Portrait(like, 0) for like in page]
    return [one.at for one in leaders(bundle, tally(bundle, portraits))]


@given(st.permutations((PAY, *OTHERS)))
def test_the_order_of_the_page_does_not_decide(page: list[Bundle]) -> None:
    """The element wins wherever it stands."""
    assert elected(PAY, *page) == [page.index(PAY)]


@pytest.mark.parametrize(
    "changed",
    [
        replace(PAY, attributes={"id": "x91", "type": "submit"}, classes=("css-7",)),
        replace(PAY, name="Pay now"),
        replace(PAY, within=(), near=("Something", "else")),
        replace(PAY, path="aside>section>div>div>button", role="link"),
        replace(PAY, name="Bezahlen"),
    ],
)
def test_one_change_at_a_time_is_survived(changed: Bundle) -> None:
    """Each leaves enough that agrees."""
    assert elected(PAY, *OTHERS, changed) == [len(OTHERS)]


def test_a_candidate_that_describes_many_weighs_less() -> None:
    """The id singles one out, though the name and the role speak for all."""
    wanted = Bundle(role="button", name="Delete", attributes={"id": "second"}, nth=(1, 3))
    page = [
        Bundle(role="button", name="Delete", attributes={"id": id_}, nth=(at, 3))
        for at, id_ in enumerate(("first", "second", "third"))
    ]
    assert elected(wanted, *page) == [1]


def test_twins_are_told_by_their_place_only_while_nothing_changed() -> None:
    """Elements that nothing else tells apart keep their order, or nobody knows."""
    twins = [
        Bundle(role="checkbox", path="div>input", near=("Choose",), nth=(at, 3)) for at in range(3)
    ]
    assert elected(twins[1], *twins) == [1]
    moved = [replace(twin, near=("Select",), path="ul>li>input") for twin in twins]
    assert elected(twins[1], *moved) in ([], [0, 1, 2])


def test_when_one_of_several_alike_is_gone_the_rest_is_no_substitute() -> None:
    """What is left stands in another row."""
    rows = [
        Bundle(role="link", name="Edit", within=(Holder("row", who),), near=(who,), nth=(at, 2))
        for at, who in enumerate(("Ada", "Ben"))
    ]
    assert elected(rows[0], replace(rows[1], nth=(0, 1))) == []


def test_a_label_does_not_stand_in_for_its_field() -> None:
    """It has the same words, and is something else."""
    field = Bundle(
        role="checkbox", name="Agree", path="form>label>input", near=("Agree",), nth=(0, 1)
    )
    label = Bundle(text="Agree", path="form>label", near=("Send",), nth=(0, 1))
    assert elected(field, label) == []


def test_nothing_is_elected_on_an_empty_page() -> None:
    """Nor where nothing fits."""
    assert elected(PAY) == []
    assert elected(PAY, *OTHERS) == []


@given(st.text(max_size=30), st.text(max_size=30))
def test_likeness_is_a_measure(one: str, other: str) -> None:
    """Between nothing and all, and all for the same words only."""
    alike = likeness(one, other)
    assert 0 <= alike <= 1
    assert (alike == 1) == (
        bool(one.split()) and one.casefold().split() == other.casefold().split()
    )
