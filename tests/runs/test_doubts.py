"""The rules of doubts as laws over values: what agrees is never doubted, what is missing always is."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from director.browser.list_items import read_total
from director.runs.doubts import Doubt, EffectSeen, RowReading, find_doubts, parse_doubt
from director.runs.doubts.doubt import RowVisit
from director.runs.doubts.effects_done import list_effect_marks
from director.runs.doubts.node_checks import propose_checks
from director.runs.doubts.overwritten import find_overwritten
from director.runs.doubts.page_claims import read_claim
from director.runs.doubts.row_counts import list_of
from director.runs.doubts.value_shapes import compute_value_shape
from director.workflow.doubt_checks import KINDS, sign_doubt_checks
from director.workflow.values import Json, WorkflowError
from runs.building import code, flow

SAYS = (
    "{} results",
    "{} rows",
    "Showing 1-2 of {}",
    "{} Treffer",
    "Record Count: {}",
    "Found {} entries",
    "Results: {}",
    "Record Count: {}",
)


def row(number: int, price: str = "1.50") -> Json:
    """A row like any other."""
    return {"sku": f"s-{number}", "name": f"Lamp {number}", "price": price}


def reading(*visits: RowVisit, **more: object) -> RowReading:
    """A node that read these visits."""
    return RowReading("n1", "read", visits, **more)  # type: ignore[arg-type]


def visit(first: int, last: int, said: str = "", page: int = 1, **more: object) -> RowVisit:
    """A visit of one page that read these rows."""
    rows = tuple(row(number) for number in range(first, last))
    counters = ({"text": said, "place": "near"},) if said else ()
    return RowVisit(f"l[{page}].n1", f"http://a.test/list?page={page}", rows, counters, **more)  # type: ignore[arg-type]


def kinds(found: list[Doubt]) -> list[str]:
    """The kinds of doubts."""
    return [each.kind for each in found]


@given(
    total=st.integers(2, 300),
    size=st.integers(1, 50),
    left=st.integers(0, 3),
    says=st.sampled_from(SAYS),
)
def test_a_total_is_doubted_exactly_if_rows_are_missing(
    total: int, size: int, left: int, says: str
) -> None:
    """However the pages are cut, and in whatever words the page states its total."""
    pages = [(at, min(at + size, total)) for at in range(0, total, size)]
    kept = pages[: len(pages) - left] or pages[:1]
    said = says.format(f"{total:,}")
    visits = [visit(*part, said=said, page=at) for at, part in enumerate(kept, 1)]
    found = find_doubts([reading(*visits)])
    missing = total - sum(end - start for start, end in kept)
    assert kinds(found) == (["total"] if missing else [])
    if missing:
        assert found[0].evidence["said"] == total
        assert found[0].evidence["read"] == total - missing
        assert parse_doubt(found[0].json()) == found[0]


@given(st.integers(1, 10**8), st.sampled_from((",", ".", "'", "\u00a0", "\u202f", "")))
def test_thousands_are_read_in_every_notation(number: int, gap: str) -> None:
    """The same number, however its digits are grouped."""
    claim = read_claim(f"{number:,} results".replace(",", gap))
    assert claim is not None
    assert claim.total == number


@pytest.mark.parametrize(
    "text",
    ["3 unread", "12 items in cart", "0 of 40 selected", "10 items per page", "5 new items",
     "3 of 5 tasks done", "Step 2 of 4", "about 1,000 results", "2 days ago", "Version 1.2 items",
     "Top 10 results", "Only 3 items left", "Deleted 3 items", "Total: 82", "17 November 2026"],
)  # fmt: skip
def test_numbers_that_speak_of_something_else_claim_nothing(text: str) -> None:
    """Carts, selections, sizes of pages, steps, dates, guesses."""
    assert read_claim(text) is None


@pytest.mark.parametrize(
    ("text", "total"),
    [
        ("Showing 1 to 0 of 0 items", 0),
        ("Showing 0 to 0 of 0 entries", 0),
        ("0 items", 0),
        ("Showing 1 to 25 of 175 items", 175),
        ("50 items, 0 selected", 50),
        ("1.234 items", 1234),
        ("nothing", None),
    ],
)
def test_the_total_of_an_empty_list_is_0(text: str, total: int | None) -> None:
    """Although its range begins at 1."""
    assert read_total(text) == total
    claim = read_claim(text)
    assert claim is None or claim.total == total
    assert claim is not None or total not in (0, 175)


def test_a_subset_or_a_limit_is_not_compared_with_the_total() -> None:
    """A node that was told to read some rows is not doubted for it."""
    assert find_doubts([reading(visit(0, 5, "82 results", of=40))]) == []
    assert find_doubts([reading(visit(0, 5, "82 results", limited=True))]) == []


def test_a_total_that_a_step_doubts_itself_is_doubted_once() -> None:
    """Reading a whole list compares with the page's count itself; its doubt is the only one."""
    short = reading(visit(1, 68, "74 items"))
    told = Doubt("total", short.node, short.alias, "The page states 74 items; 68 were found.", {})
    assert kinds(find_doubts([short])) == ["total"]
    assert find_doubts([short], told=[told]) == [told]


def test_rows_skipped_by_their_place_are_missing() -> None:
    """Nobody chose them, so the count of the list is still theirs."""
    assert kinds(find_doubts([reading(visit(0, 5, "82 results", of=40, skips=True))])) == ["total"]
    assert find_doubts([reading(visit(0, 39, "39 results", of=40, skips=True))]) == []
    limited = visit(0, 5, "82 results", of=40, skips=True, limited=True)
    assert find_doubts([reading(limited)]) == []


@pytest.mark.parametrize(
    ("said", "doubted"),
    [
        ("", ["nothing"]),
        ("Error 500", ["nothing"]),
        ("No such page", ["nothing"]),
        ("0 orders", []),
        ("No results", []),
        ("No orders yet.", []),
    ],
)
def test_nothing_where_the_count_of_the_list_is_gone_is_doubted(
    said: str, doubted: list[str]
) -> None:
    """Unless the page says in other words that there is nothing; a page not looked at says nothing."""
    checks = ({"kind": "total", "counter": "# orders"},)
    assert kinds(find_doubts([reading(visit(0, 0, said), checks=checks)])) == doubted
    assert find_doubts([reading(visit(0, 0, said))]) == []
    assert find_doubts([reading(visit(0, 3, said), checks=checks)]) == []
    assert find_doubts([reading(RowVisit("n1", "", ()), checks=checks)]) == []


def test_pages_of_a_list_that_are_all_empty_are_doubted() -> None:
    """A loop over the pages of a list with a filter that fits nothing; one empty page is honest."""
    empty = [replace(visit(1, 0, "0 items"), url=f"/orders?q=x&p={page}") for page in (0, 1, 2)]
    assert kinds(find_doubts([reading(*empty)])) == ["nothing"]
    assert kinds(find_doubts([reading(empty[0])])) == []
    words = [replace(empty[0], url=f"/orders?q={word}") for word in ("x", "y")]
    assert kinds(find_doubts([reading(*words)])) == []


def test_a_page_that_follows_is_doubted_unless_it_was_read() -> None:
    """By its number, or by where its link leads."""
    leads = {"text": "Next", "href": "http://a.test/list?page=2"}
    first = visit(0, 5, page=1, following=leads)
    assert kinds(find_doubts([reading(first)])) == ["next"]
    assert find_doubts([reading(first, visit(5, 9, page=2))]) == []
    numbered = [visit(n * 5, n * 5 + 5, page=n, pages={"current": n, "last": 3}) for n in (3, 2, 1)]
    assert find_doubts([reading(*numbered)]) == []
    assert kinds(find_doubts([reading(*numbered[1:])])) == ["next"]


def test_pages_of_a_list_have_its_address() -> None:
    """Whatever names the page; another search is another list."""
    assert list_of("http://a.test/l?q=x&page=2") == list_of("http://a.test/l?q=x&page=3")
    assert list_of("http://a.test/l/page/2/") == list_of("http://a.test/l/")
    assert list_of("http://a.test/l?q=x") != list_of("http://a.test/l?q=y")


def test_rows_that_a_key_cannot_tell_apart_are_doubted() -> None:
    """They would have become one record; equal rows are no loss."""
    differ = RowVisit("n1", "u", ({"name": "A", "price": "1"}, {"name": "A", "price": "2"}))
    equal = RowVisit("n1", "u", ({"name": "A", "price": "1"}, {"name": "A", "price": "1"}))
    assert kinds(find_doubts([reading(differ, makes_records=True, key="name")])) == ["merged"]
    assert find_doubts([reading(equal, makes_records=True, key="name")]) == []


def test_the_same_page_read_twice_makes_doubtful_records() -> None:
    """Without a key each row would be there twice; with one the second page's own rows are missing."""
    twice = visit(0, 5, page=1), visit(0, 5, page=2)
    assert kinds(find_doubts([reading(*twice, makes_records=True)])) == ["repeated"]
    assert kinds(find_doubts([reading(*twice, makes_records=True, key="sku")])) == ["repeated"]
    again = visit(0, 5, page=1), visit(0, 5, page=1)
    assert find_doubts([reading(*again, makes_records=True, key="sku")]) == []
    assert find_doubts([reading(*twice)]) == []


CHANGES: list[tuple[str, list[str], list[str]]] = [
    ("format", ["1,204.50", "3.10", "7.00"], ["1.204,50", "3,10", "7,00"]),
    ("format", ["€ 3.10", "€ 7.00", "€ 1.00"], ["$ 3.10", "$ 7.00", "$ 1.00"]),
    (
        "format",
        ["2026-01-31", "2026-02-11", "2026-03-01"],
        ["31.01.2026", "11.02.2026", "1.3.2026"],
    ),
    (
        "format",
        ["01/03/2026", "01/25/2026", "02/03/2026"],
        ["03/01/2026", "25/01/2026", "03/02/2026"],
    ),
    ("format", [f"{n},109.29" for n in range(1, 6)], [f"{n}10929" for n in range(1, 6)]),
    (
        "format",
        ["2026-01-03", "2026-01-25", "2026-02-03"],
        ["01/03/2026", "01/25/2026", "02/03/2026"],
    ),
    ("format", ["12", "13", "14"], ["sold out", "on request", "soon"]),
    ("blank", ["a", "b", "c"], ["", "", ""]),
    ("constant", ["a", "b", "c", "d", "e"], ["x", "x", "x", "x", "x"]),
    ("cut", ["A long name of it"] * 4 + ["B long name of it"], ["A long name…"] * 4 + ["B"]),
]


@pytest.mark.parametrize(("kind", "before", "now"), CHANGES)
def test_a_field_that_changed_its_shape_is_doubted(
    kind: str, before: list[str], now: list[str]
) -> None:
    """Against the run before; the same values again are not."""
    rows = tuple({"n": str(at), "v": text} for at, text in enumerate(now))
    old = [{"n": str(at), "v": text} for at, text in enumerate(before)]
    found = find_doubts([reading(RowVisit("n1", "u", rows))], earlier={"n1": old})
    assert kinds(found) == [kind]
    assert found[0].field_name == "v"
    again = RowVisit("n1", "u", tuple(old))
    assert find_doubts([reading(again)], earlier={"n1": old}) == []


@given(st.lists(st.sampled_from(["3.10", "1,204.50", "7", "12", "1,204", "0.99"]), min_size=1))
def test_other_values_of_the_same_notation_are_not_doubted(texts: list[str]) -> None:
    """Prices change; how they are written does not."""
    rows = tuple({"n": str(at), "v": text} for at, text in enumerate(texts))
    old = [{"n": str(at), "v": text} for at, text in enumerate(["3.10", "1,204.50", "7", "5.00"])]
    assert find_doubts([reading(RowVisit("n1", "u", rows))], earlier={"n1": old}) == []


def test_a_number_that_may_be_either_has_no_notation() -> None:
    """One thousand, or one and a bit."""
    assert compute_value_shape("1,204").form == compute_value_shape("1.204").form == ""
    assert compute_value_shape("1.5").form == "point"
    assert compute_value_shape("02/03/2026").form == "with slashes"


def test_values_that_are_used_in_their_own_round_are_not_overwritten() -> None:
    """Also in a loop inside of another; after the inner loop only the last is left."""
    use = code("use", "x", input={"x": "{{read.result}}"})
    nodes = {each.id: each for each in flow(code("read", "1", store=True), use).nodes}
    rounds = [f"each[{a}].inner[{b}]" for a in range(2) for b in range(2)]
    seen = {"id-read": [(f"{at}.read", {"result": at}) for at in rounds]}
    inside = {**seen, "id-use": [(f"{at}.use", None) for at in rounds]}
    assert [*find_overwritten(nodes, inside)] == []
    after = {**seen, "id-use": [(f"each[{a}].use", None) for a in range(2)]}
    assert kinds([*find_overwritten(nodes, after)]) == ["rounds"]


def test_far_fewer_rows_are_doubted_unless_the_page_says_so() -> None:
    """A list may become short; then it says so itself, unless it was long, or the check is dismissed."""
    old = [row(number) for number in range(40)]
    assert kinds(find_doubts([reading(visit(0, 5))], earlier={"n1": old})) == ["fewer"]
    assert find_doubts([reading(visit(0, 5, "5 results"))], earlier={"n1": old}) == []
    long = {"n1": [row(number) for number in range(225)]}
    assert kinds(find_doubts([reading(visit(0, 100, "100 results"))], earlier=long)) == ["fewer"]
    assert find_doubts([reading(visit(0, 130, "130 results"))], earlier=long) == []
    assert find_doubts([reading(visit(10, 40))], earlier={"n1": old}) == []
    assert kinds(find_doubts([reading(visit(0, 30))], earlier={"n1": old})) == ["fewer"]


@pytest.mark.parametrize(
    ("now", "before", "said", "found"),
    [
        (56, (64, 64, 64), "", ["fewer"]),
        (56, (64,), "", []),  # one run says little
        (56, (64, 64), "56 results", []),  # the page knows of it
        (15, (42, 42), "15 results", ["fewer"]),  # but for most of them
        (63, (64, 64), "", []),
        (56, (64, 70), "", []),  # it rises and falls
        (56, (55, 64), "", []),
    ],
)
def test_a_steady_list_that_falls_without_a_word_is_doubted(
    now: int, before: tuple[int, ...], said: str, found: list[str]
) -> None:
    """A tenth of the rows or more is gone, and nothing on the page says so."""
    rows = tuple([row(number) for number in range(1, 1 + many)] for many in before)
    other = replace(visit(100, 100 + now, said), rows=tuple(row(n) for n in range(200, 200 + now)))
    doubted = find_doubts([reading(other, rows_before=rows)], earlier={"n1": rows[0]})
    assert kinds(doubted) == found


def test_a_count_of_before_that_the_page_still_states_is_doubted() -> None:
    """The pager counts what it was given, and the label over the table still says how many."""
    before = [row(number) for number in range(57)]
    says = ({"text": "1-30 of 30", "place": "pager"}, {"text": "57 orders", "place": "near"})
    now = replace(
        visit(0, 30),
        rows=tuple(row(n) for n in range(100, 130)),
        counters=says,
        of=30,
        words="orders",
    )
    short = reading(now, rows_before=(before,))
    assert kinds(find_doubts([short], earlier={"n1": before})) == ["fewer"]
    assert kinds(find_doubts([reading(now)])) == []


def test_full_pages_that_hold_fewer_rows_than_before_are_doubted() -> None:
    """Though their stated total agrees; only the last page grows and shrinks with its list."""
    pages = [visit(0, 18, "40 rows", 1), visit(18, 36, "40 rows", 2), visit(36, 40, "40 rows", 3)]
    old = {"n1": [row(number) for number in range(44)]}

    def find(size: int, *visits: RowVisit) -> list[str]:
        return kinds(find_doubts([reading(*visits, page_size_before=size)], earlier=old))

    assert find(20, *pages) == ["fewer"]
    assert find(18, *pages) == find(0, *pages) == find(16, *pages) == []
    assert find(20, visit(0, 20, "21 rows", 1), visit(20, 21, "21 rows", 2)) == []


def test_a_page_in_the_middle_that_is_shorter_than_the_others_is_doubted() -> None:
    """The first and the last may be; so may all where pages have many sizes, or the page says so."""
    whole = [visit(20 * n, 20 * n + 20, "", n) for n in range(6)]
    short = visit(40, 55, "", 2)
    assert kinds(find_doubts([reading(*whole[:2], short, *whole[3:])])) == ["fewer"]
    assert find_doubts([reading(*whole[:5], visit(100, 107, "", 5))]) == []
    assert find_doubts([reading(visit(5, 20, "", 0), *whole[1:])]) == []
    several = [*whole[:2], short, visit(60, 71, "", 3), *whole[4:]]
    assert find_doubts([reading(*several)]) == []
    stated = visit(40, 55, "115 rows", 2)
    assert find_doubts([reading(*whole[:2], stated, *whole[3:])]) == []


SENT = {"method": "POST", "url": "http://a.test/add", "body": 0, "status": 302}
ALIKE = (("", "7", "Nordwind AG", "Bern"), ("", "8", "Nordwind AG", "Bern"))


@pytest.mark.parametrize(
    ("kind", "seen"),
    [
        ("twice", {"sent": (SENT, SENT)}),
        ("twice", {"rows": ALIKE, "typed": ("Nordwind AG", "Bern")}),
        ("twice", {"found": 2, "where": "http://a.test/list"}),
        ("gone", {"found": 0, "where": "http://a.test/list"}),
        ("refused", {"sent": ({**SENT, "status": 422},)}),
        ("refused", {"errors": ("Please correct the error below.",)}),
    ],
)
def test_an_effect_must_be_there_and_there_once(kind: str, seen: dict[str, object]) -> None:
    """As it was sent, as the page shows it afterwards, as its proof finds it."""
    effect = EffectSeen("n1", "save", "n1", "http://a.test/", **seen)  # type: ignore[arg-type]
    assert kinds(find_doubts([], [effect])) == [kind]
    dismissed = {"n1": [{"kind": kind, "dismissed": True}]}
    assert find_doubts([], [effect], checks=dismissed) == []


def test_a_proof_tells_an_entry_by_the_name_of_its_element() -> None:
    """Two rows with it are two entries, whichever of the other texts they show."""
    marks = list_effect_marks(
        [{"element": {"role": "cell", "name": "S-950"}}, {"element": "#saved"}]
    )
    assert marks == ["S-950"]
    rows, typed = (("S-950", "Nord"), ("S-950", "Nord")), ("S-950", "a longer note")
    effect = EffectSeen("n1", "save", "n1", "u", typed=typed, found=1, marks=(*marks,), rows=rows)
    assert kinds(find_doubts([], [effect])) == ["twice"]
    once = replace(effect, rows=(("S-950", "Nord"), ("S-951", "Nord")))
    assert find_doubts([], [once]) == []


def test_an_effect_that_is_there_once_is_not_doubted() -> None:
    """Other rows may name it too; a first try that was refused and repeated is one effect."""
    rows = (("7", "Nordwind AG", "Bern"), ("8", "Nordwind AG", "Graz"))
    sent = ({**SENT, "status": 503}, SENT)
    effect = EffectSeen(
        "n1", "save", "n1", "u", typed=("Nordwind AG", "Bern"), rows=rows, sent=sent, found=1
    )
    assert find_doubts([], [effect]) == []


def test_a_test_proposes_the_total_and_what_is_unique() -> None:
    """Both are kept with the node, and run from then on."""
    proposed = propose_checks(visit(0, 5, "5 results"))
    assert proposed == [
        {"kind": "total", "counter": "# results"},
        {"kind": "unique", "field": "sku"},
    ]
    twice = RowVisit("n1", "u", (row(1), row(2), row(1)))
    assert kinds(find_doubts([reading(twice, checks=tuple(proposed))])) == ["unique"]


@given(kind=st.sampled_from(KINDS), field=st.sampled_from(("", "sku")))
def test_a_dismissed_kind_is_never_doubted_again(kind: str, field: str) -> None:
    """For the field that it names, or for all."""
    check = {"kind": kind, "field": field, "dismissed": True}
    rows = (row(1), row(2), row(1))
    many = RowVisit("n1", "http://a.test/", rows, ({"text": "82 results", "place": "near"},))
    node = reading(many, checks=({"kind": "unique", "field": "sku"}, check))
    left = {"total", "unique"} - {kind}
    if (kind, field) == ("total", "sku"):
        left = {"total", "unique"}
    assert set(kinds(find_doubts([node]))) == left


def test_parts_of_one_total_are_one_list_whatever_their_addresses() -> None:
    """A form leads to the first page, a pager to the others; a part that is missing is doubted."""
    first = replace(visit(0, 15, "1..15 out of 40"), url="http://a.test/list?@search=&status=5")
    rest = [visit(15, 30, "16..30 out of 40", 2), visit(30, 40, "31..40 out of 40", 3)]
    assert find_doubts([reading(first, *rest)]) == []
    assert kinds(find_doubts([reading(first, rest[1])])) == ["total"]


def test_what_a_model_sets_silences_no_doubt() -> None:
    """Neither a dismissal nor a tolerance; a person's does."""
    for check in ({"kind": "total", "dismissed": True, "because": "enough"},
                  {"kind": "total", "tolerance": 99}):  # fmt: skip
        (signed,) = sign_doubt_checks([check])
        seen = visit(0, 5, "82 results")
        (doubt,) = find_doubts([reading(seen, checks=(signed,))])
        assert doubt.explained == ("enough" if "because" in check else "")
        assert find_doubts([reading(seen, checks=(check,))]) == []
        for said in ("…", "", " . "):
            with pytest.raises(WorkflowError, match="in words"):
                sign_doubt_checks([{"kind": "next", "dismissed": True, "because": said}])
