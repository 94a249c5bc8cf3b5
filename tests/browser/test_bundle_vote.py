"""How the candidates of a bundle elect an element, without a browser."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from director.browser.bundle import Bundle, Holder
from director.browser.bundle_vote import Portrait, leaders, tally
from director.browser.element_likeness import likeness

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


def cell(at: int, says: str, **more: Any) -> Bundle:
    """A cell of a notebook whose id is its place."""
    return Bundle(
        role="textbox",
        name="Code",
        attributes={"id": f"cell-{at}"},
        css=f"#cell-{at}",
        path="div>div>textarea",
        near=(says, f"{says} result"),
        nth=(at, 3),
        **more,
    )


def test_an_id_that_counts_places_does_not_carry_the_vote() -> None:
    """A new cell stands first: the one that has the number now is another one."""
    before = [cell(at, says) for at, says in enumerate(("load", "clean", "plot"))]
    assert elected(before[1], *before) == [1]
    after = [cell(0, "hello"), *(cell(at + 1, s) for at, s in enumerate(("load", "clean", "plot")))]
    portraits = [
        Portrait(replace(one, nth=(at, 4)), at, by_css=at == 1) for at, one in enumerate(after)
    ]
    found = [one.at for one in leaders(before[1], tally(before[1], portraits))]
    assert found in ([2], [])


def test_an_id_that_counts_places_is_no_substitute_for_one_that_is_gone() -> None:
    """The rest is counted anew; and so it is with ids for tests."""
    for key in ("attributes", "test_id"):

        def numbered(at: int, says: str, nth: tuple[int, int], key: str = key) -> Bundle:
            mark: Any = {"id": f"row-{at}"} if key == "attributes" else f"row-{at}"
            plain = Bundle(role="button", name="Run", path="li>button", near=(says,), nth=nth)
            return replace(plain, **{key: mark})

        wanted = numbered(1, "clean", (1, 3))
        assert elected(wanted, numbered(0, "load", (0, 2)), numbered(1, "plot", (1, 2))) == []


def test_a_hand_written_id_is_meant_as_it_is() -> None:
    """Whoever writes it says so, numbers or not."""
    assert elected(
        Bundle(attributes={"id": "cell-1"}), *(cell(at, str(at)) for at in range(3))
    ) == [1]


def test_words_that_differ_by_a_number_only_tell_no_element() -> None:
    """Every number has changed: what is called row 3 today was another row."""
    rows = [
        Bundle(role="button", name=f"Row {n}", path="li>button", near=(f"{n}.50",), nth=(0, 1))
        for n in range(1, 5)
    ]
    assert elected(rows[2], *rows) == [2]
    now = [
        replace(row, name=f"Row {n}", near=(f"{n}.75",))
        for row, n in zip(rows, (3, 5, 8, 9), strict=True)
    ]
    assert elected(rows[2], *now) == []


def test_a_day_of_a_calendar_is_found_only_among_its_neighbours() -> None:
    """All numbers have changed: the 16 that is there now was another day."""

    def day(number: int, near: tuple[str, ...]) -> Bundle:
        return Bundle(role="link", name=str(number), path="td>a", near=near, nth=(0, 1))

    wanted = day(16, ("15", "17", "14", "18"))
    assert elected(wanted, wanted, day(23, ("22", "24"))) == [0]
    assert elected(wanted, day(16, ("14", "15", "11")), day(19, ("18", "21"))) == []


def test_of_two_alike_in_one_row_the_one_that_is_left_is_not_taken() -> None:
    """The row says less than it did: what is gone may be the one that was meant."""
    row = Holder("row", "Ada - open")
    first = Bundle(role="cell", name="-", path="tr>td", within=(row,), near=("Ada",), nth=(0, 2))
    left = replace(first, within=(Holder("row", "Ada open"),), nth=(0, 1))
    assert elected(first, left) == []
    assert elected(replace(first, nth=(0, 1)), replace(first, nth=(0, 1))) == [0]


def test_of_two_alike_under_two_headings_the_other_one_is_not_taken() -> None:
    """Its title says the same as its name, and tells it no more than that."""
    holders = [
        (Holder("tabpanel", "Launcher"), Holder("heading", word)) for word in ("Book", "Shell")
    ]
    near = ("Python 3", "Shell", "Book", "Other", "Terminal", "Text", "Launcher")
    icons = [
        Bundle(
            role="img",
            name="Python 3",
            attributes={"alt": "Python 3"},
            path="div>img",
            within=within,
            near=near,
            nth=(at, 2),
        )
        for at, within in enumerate(holders)
    ]
    assert elected(icons[1], replace(icons[0], nth=(0, 1))) == []


def test_where_a_link_leads_tells_it_when_others_alike_have_gone() -> None:
    """Its row says something else today, and its words and its address are the same."""
    links = [
        Bundle(
            role="link",
            name="Edit",
            attributes={"href": f"/edit/{who}/"},
            css=f'a[href="/edit/{who}/"]',
            path="td>a",
            within=(Holder("row", f"{who} open"),),
            near=(who, "open"),
            nth=(at, 2),
        )
        for at, who in enumerate(("ada", "ben"))
    ]
    paid = replace(links[0], within=(Holder("row", "ada paid"),), near=("ada", "paid"), nth=(0, 1))
    now = [Portrait(paid, 0, by_css=True)]
    assert [one.at for one in leaders(links[0], tally(links[0], now))] == [0]


def test_one_of_several_that_was_reworded_is_not_taken_for_another_of_them() -> None:
    """Where it stood, something says what is new there."""
    places = (("By staff", "Yes"), ("By role", "No"), ("By town", "Ulm"))
    every = [
        Bundle(role="link", name="All", path="li>a", near=near, nth=(at, 3))
        for at, near in enumerate(places)
    ]
    now = [replace(every[0], nth=(0, 2)), replace(every[1], name="All (83)", nth=(0, 1)), every[2]]
    assert elected(every[1], *now) in ([], [1])


def test_a_link_that_leads_to_the_same_page_is_not_taken_for_one_that_is_gone() -> None:
    """It stood beside it before, or elsewhere, and says something else."""
    name = Bundle(
        role="link", name="shop.db", path="li>a", attributes={"href": "/"}, near=("Create", "Query")
    )
    home = replace(name, name="sqlite-web", path="nav>a", nth=(0, 1))
    assert elected(replace(name, near=("sqlite-web", "Query"), nth=(0, 1)), home) == []
    assert elected(replace(name, nth=(0, 1)), replace(home, near=("Imprint", "Help"))) == []


def test_what_has_no_words_and_a_shared_name_is_not_taken_for_one_that_is_gone() -> None:
    """Radios that a page draws itself have one name and no role."""
    small = Bundle(
        path="label>md-radio",
        attributes={"name": "size"},
        within=(Holder("heading", "Sizes"),),
        near=("Small", "Dark"),
        nth=(3, 9),
    )
    large = replace(small, near=("Large", "Small", "Dark"), nth=(3, 8))
    assert elected(small, replace(small), replace(large, nth=(4, 9))) == [0]
    assert elected(small, large) == []


def test_a_sign_is_no_word() -> None:
    """An asterisk beside one label is not the one that stood beside another label."""
    first = Bundle(text="*", path="label>span", near=("Users", "Host", "Start"), nth=(5, 24))
    second = replace(first, near=("Host", "Users", "Start"), nth=(7, 24))
    assert elected(first, first, second) == [0]
    assert elected(first, replace(second, nth=(7, 23))) == []
    assert elected(first, second) == []


def test_what_holds_an_element_and_says_the_same_is_told_from_it_by_its_place() -> None:
    """Though ids and classes be others now; not once anything else has changed too."""
    outer = Bundle(
        text="Settings Help", css="div.drawer", path="body>div", classes=("drawer",), nth=(6, 40)
    )
    outer = replace(outer, near=("Sort", "Reload", "Create"))
    inner = replace(outer, css="", path="body>div>div", classes=("paper",), nth=(7, 40))
    now = [replace(one, css="", classes=("css-1",)) for one in (outer, inner)]
    assert elected(outer, *now) == [0]
    assert elected(inner, *now) == [1]
    assert elected(outer, *(replace(one, near=("Sort", "Create")) for one in now)) != [1]


def test_twins_are_not_told_apart_by_something_far_away() -> None:
    """Else one would be taken for the other, once that other says something else."""
    held = (Holder("table"), Holder("main"), Holder("heading", "Parameters"))
    near = ("Name", "Description", "Parameters", "Try it out", "Responses", "Code")
    group = Bundle(role="rowgroup", text="id (query)", path="div>table>tbody", within=held)
    first, second = (
        replace(group, near=(*near, verb), nth=nth)
        for verb, nth in (("POST", (5, 16)), ("DELETE", (13, 16)))
    )
    assert elected(first, first, second) == [0, 1]
    assert elected(second, first, second) == [0, 1]


def test_the_row_of_an_element_tells_it_though_a_list_stands_between() -> None:
    """Each row has the same list of actions; the row that was meant says something else today."""
    rows = ("starting mail Action Action", "stopped Not started search Start Action")
    first, second = (
        Bundle(
            role="listitem",
            text="Tail",
            path="tr>td>ul>li",
            within=(Holder("list"), Holder("row", row)),
            near=("Clear Log", "Errors", *row.split()),
            nth=(at, 6),
        )
        for at, row in enumerate(rows)
    )
    row = "running pid 7 mail Restart Stop"
    changed = replace(
        first, within=(Holder("list"), Holder("row", row)), near=("Clear", "Errors", *row.split())
    )
    assert elected(first, first, second) == [0]
    assert elected(first, changed, second) == []


def test_what_a_clock_changes_is_not_another_place() -> None:
    """Ages of entries grow; the entries are those that were there."""
    entries = [
        Bundle(
            text="Ada",
            path="li>a>span",
            within=(Holder("listitem", f"Add file {at} 40 seconds ago"),),
            near=("40 seconds ago", f"Add file {at}", f"Add file {at + 1}", "Ada"),
            nth=(at, 9),
        )
        for at in range(3)
    ]
    older = [
        replace(
            one,
            within=(Holder("listitem", one.within[0].name.replace("40 seconds", "a minute")),),
            near=("a minute ago", *one.near[1:]),
        )
        for one in entries
    ]
    assert [elected(one, *older) for one in entries] == [[0], [1], [2]]


def test_a_label_means_a_field_before_a_column_of_the_same_name() -> None:
    """Both are called so; only one of them can be filled."""
    column = Bundle(role="columnheader", name="Customer", path="tr>th", nth=(0, 1))
    field = Bundle(role="textbox", name="Customer", path="form>input", nth=(0, 1))
    assert elected(Bundle(label="Customer"), column, field) == [1]
    assert elected(Bundle(label="Customer"), column) == [0]


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


def test_of_rows_of_plain_elements_none_is_taken_for_another() -> None:
    """What stands around the one that is meant tells it, and stands around the next one too."""
    row = {"path": "div>div>span", "text": "Never made", "nth": (3, 9)}
    orders = Bundle(**row, near=("shop.py", "default", "orders", "bills"))
    reworded = replace(orders, text="Never made now", near=("shop.py now", *orders.near))
    bills = replace(orders, near=("shop.py", "default", "bills", "orders"), nth=(4, 9))
    assert elected(orders, bills, reworded) == []
    assert elected(orders, bills, orders) == [1]
    other = replace(orders, near=("shop.py", "default", "reminders", "orders"))
    gone = replace(reworded, near=("shop.py now", "shop.py", "default", "reminders"))
    assert elected(other, bills, gone) == []


def test_a_number_beside_an_element_may_change() -> None:
    """What is counted beside it is no part of it."""
    green = Bundle(
        css="span.green",
        classes=("green",),
        path="div>span",
        near=("Done", "0", "Batch"),
        nth=(1, 3),
    )
    now = Portrait(replace(green, css="", near=("Done", "7", "Batch", "0")), 0, by_css=True)
    beside = Portrait(replace(green, css="", classes=("red",), near=("Batch", "0", "Done")), 1)
    found = leaders(green, tally(green, [now, beside]))
    assert [one.at for one in found] == [0]


def test_a_layer_around_an_element_is_not_taken_for_it() -> None:
    """Elements without a role say what those inside of them say."""
    inner = Bundle(
        text="a.py a.py", path="div>a>div", near=("file", "1", "Loaded"), classes=("cut",),
        attributes={"title": "a.py"}, nth=(8, 13),
    )  # fmt: skip
    twin = replace(inner, path="div>div>div", nth=(9, 13))
    assert elected(inner, replace(inner, attributes={}), twin) == []
    assert elected(inner, inner, replace(twin, attributes={})) == [0]
    assert elected(inner, replace(twin, classes=())) == []


def test_of_twins_in_one_place_the_one_that_is_left_is_not_taken() -> None:
    """Most of what stands around both is the same."""
    logo = Bundle(
        role="img", name="Shop", path="nav>a>svg", classes=("logo",), within=(Holder("navigation"),),
        near=("Overview", "Runs", "Catalog", "Search", "Help", "Settings"), nth=(0, 2),
    )  # fmt: skip
    left = replace(logo, classes=("x1",), near=("Overview", "Runs", "Catalog", "Help", "Settings"))
    assert elected(logo, replace(left, nth=(0, 1))) == []


def test_of_blocks_alike_the_next_one_is_not_taken_for_one_that_is_gone() -> None:
    """Its CSS names what it stood in, and matches nothing though classes are as they were."""
    cell = Bundle(
        role="cell", name="id integer", css="#pets td.name", path="table>tr>td", classes=("name",),
        within=(Holder("row"), Holder("table")), near=("Name", "Description", "Responses"), nth=(0, 4),
    )  # fmt: skip
    assert elected(cell, replace(cell, nth=(0, 2))) == []


def test_an_empty_cell_is_told_by_what_stands_next_to_it() -> None:
    """Of two in one row the other one is not taken."""
    row = (Holder("row", "Keywords: Cc:"), Holder("table"))
    near = ("Keywords:", "Cc:", "Component:", "core", "Version:", "Priority:", "minor")
    cell = Bundle(role="cell", path="table>tr>td", within=row, near=near, nth=(1, 3))
    other = replace(cell, near=("Cc:", "Keywords:", *near[2:]), nth=(2, 3))
    assert elected(cell, other) == []


def test_what_holds_a_link_is_not_taken_for_it_by_where_it_leads() -> None:
    """It has another role and none of its words."""
    more = Bundle(
        role="link", name="More", attributes={"href": "#more"}, path="x-button>a", nth=(0, 1),
        within=(Holder("heading", "Material"),), near=("settings", "Cancel", "Save"),
    )  # fmt: skip
    assert elected(more, replace(more, role="", name="", path="x-button", nth=(2, 22))) == []
