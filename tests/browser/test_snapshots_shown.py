"""What is shown of a stored snapshot: every acting ref, the changes, and a closer look at parts."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from director.browser.closer import (
    expand_snapshot_ref,
    find_snapshot_lines,
    list_snapshot_refs,
    read_snapshot_ref,
)
from director.browser.errors import BrowserError
from director.browser.snapshot_text import render_snapshot_text
from director.browser.snapshots import Happened, Snapshot
from director.context.shapes.snapshot import recognise
from director.context.shapes.snapshot_history import page_of

_REFS = re.compile(r"\[ref=(\w+)\]")
_ACTS = "button link textbox checkbox radio combobox searchbox slider tab menuitem option".split()
_HOLDS = "generic list listitem table row cell navigation main form heading paragraph".split()
_names = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), max_size=12)
_leaves = st.tuples(st.sampled_from([*_ACTS, *_HOLDS]), _names, _names, st.booleans(), st.none())
_trees = st.recursive(
    st.lists(_leaves, min_size=1, max_size=5),
    lambda inner: st.lists(
        st.tuples(st.sampled_from([*_ACTS[:2], *_HOLDS]), _names, _names, st.booleans(), inner),
        min_size=1,
        max_size=4,
    ),
    max_leaves=25,
)


def page(text: str, document: str = "d") -> Snapshot:
    """A snapshot with this tree."""
    return Snapshot(text, "https://x.test/y", "A page", document)


def written(tree: list, depth: int = 0, count: list[int] | None = None) -> list[str]:  # type: ignore[type-arg]
    """The lines Playwright would print for a tree."""
    count = [0] if count is None else count
    lines: list[str] = []
    for role, name, text, pointer, below in tree:
        count[0] += 1
        label = f' "{name}"'.replace("\\", "\\\\") if name and '"' not in name else ""
        mark = f" [ref=e{count[0]}]" + (" [cursor=pointer]" if pointer else "")
        head = f"{'  ' * depth}- {role}{label}{mark}"
        if below:
            lines += [f"{head}:", *written(below, depth + 1, count)]
        else:
            lines.append(f"{head}: {text}" if text and not text.startswith(("'", '"')) else head)
    return lines


@settings(max_examples=40)
@given(_trees)
def test_every_ref_that_can_be_acted_on_is_shown(tree: list) -> None:  # type: ignore[type-arg]
    """Once each, and none that is not on the page."""
    lines = written(tree)
    acting = [
        found[1]
        for line in lines
        if (found := _REFS.search(line))
        and (line.split()[1].rstrip(":") in _ACTS or "[cursor=pointer]" in line)
    ]
    shown = _REFS.findall(render_snapshot_text(page("\n".join(lines))))
    assert sorted(set(acting) - set(shown)) == []
    assert set(shown) <= set(list_snapshot_refs(page("\n".join(lines))))


@settings(max_examples=40)
@given(_trees)
def test_every_ref_is_in_the_expanded_page(tree: list) -> None:  # type: ignore[type-arg]
    """Of containers and of plain text too, save what only repeats the label above it."""
    snapshot = page("\n".join(written(tree)))
    whole = "\n".join(expand_snapshot_ref(snapshot, ref) for ref in list_snapshot_refs(snapshot))
    assert set(_REFS.findall(whole)) == set(list_snapshot_refs(snapshot))


@settings(max_examples=40)
@given(_trees, st.integers(0, 10**6))
def test_the_changes_lead_from_one_page_to_the_next(tree: list, seed: int) -> None:  # type: ignore[type-arg]
    """Every line that is new, and every acting ref that is gone, is in what is shown."""
    lines = written(tree)
    chance = random.Random(seed)
    later = [line for line in lines if chance.random() > 0.1]
    later.insert(chance.randint(0, len(later)), '- button "Brand new" [ref=e900]')
    old, new = page("\n".join(lines)), page("\n".join(later))
    shown = render_snapshot_text(new, old)
    assert "[ref=e900]" in shown
    if "Changes since" in shown:
        came = set(render_snapshot_text(new).split("\n")) - set(
            render_snapshot_text(old).split("\n")
        )
        assert {f"+{line}" for line in came} <= set(shown.split("\n"))
        assert 2 * (len(shown) - 100) < len(render_snapshot_text(new))


LIST = "\n".join(
    [
        "- generic [ref=e1]:",
        '  - navigation "Site" [ref=e2]:',
        '    - link "Home" [ref=e3] [cursor=pointer]:',
        "      - /url: /home",
        "  - generic [ref=e4]:",
        '    - table "People" [ref=e5]:',
        *(
            line
            for n in range(60)
            for line in (
                f"      - row [ref=e{100 + 3 * n}]:",
                f"        - cell [ref=e{101 + 3 * n}]: Person {n}",
                f'        - button "Open {n}" [ref=e{102 + 3 * n}]',
            )
        ),
        "    - generic [ref=e6]:",
        "      - text: Total due",
        "      - strong [ref=e7]: 42 euros",
    ]
)


def test_a_shown_page_is_one_that_the_engine_knows() -> None:
    """So that older ones become brief in a long conversation."""
    shown = render_snapshot_text(page(LIST))
    assert recognise(shown)
    assert page_of(shown) == "https://x.test/y"


def test_the_header_names_what_happened_and_stays_short() -> None:
    """Five of each kind, cut to a line."""
    happened = Happened(
        ("alert: Sure?",), ("a\nb " + "c" * 900,) * 8, ("f.csv",), ("https://ads.test",)
    )
    lines = render_snapshot_text(Snapshot('- button "b" [ref=e1]', "u", "t", "d", happened)).split(
        "\n"
    )
    assert lines[1:4] == ["- Page URL: u", "- Page Title: t", "- Dialog: alert: Sure?"]
    assert sum(line.startswith("- Console error: a b c") for line in lines) == 5
    assert "- Console error: … 3 more" in lines
    assert "- Blocked: https://ads.test" in lines
    assert max(map(len, lines)) < 350


def test_another_document_is_never_compared() -> None:
    """Its refs mean other elements."""
    assert "Changes" not in render_snapshot_text(page(LIST), page(LIST, "other"))
    assert "Nothing changed" in render_snapshot_text(page(LIST), page(LIST))


def test_a_new_order_is_a_change() -> None:
    """A table that was sorted has the same lines in other places."""
    rows = [f'- button "Row {n}" [ref=e{n}]' for n in range(50)]
    changed = render_snapshot_text(
        page("\n".join([*rows[1:30], rows[0], *rows[30:]])), page("\n".join(rows))
    )
    assert '-button "Row 0" [ref=e0]' in changed
    assert '+button "Row 0" [ref=e0]' in changed


def test_find_gives_the_lines_with_what_they_stand_in() -> None:
    """And refs to go on with, also for a text that has none of its own."""
    assert find_snapshot_lines(page(LIST), "person 7").split("\n") == [
        '- table "People" [ref=e5]:',
        " - row [ref=e121]:",
        "  - cell [ref=e122]: Person 7",
    ]
    assert "[ref=e6]" in find_snapshot_lines(page(LIST), "total due")
    assert "/home" in find_snapshot_lines(page(LIST), "/home")
    assert 'button "Open 42"' in find_snapshot_lines(page(LIST), r"Open 4\d", regex=True)
    assert "Open 5" not in find_snapshot_lines(page(LIST), r"^button Open 4\d", regex=True)


@pytest.mark.parametrize(
    "pattern",
    ["^Open 4$", '^button "Open 4"', '^- button "Open 4"', "^button Open 4$", r"\AOpen 4\Z"],
)
def test_a_pattern_begins_and_ends_with_an_elements_name_or_line(pattern: str) -> None:
    """As whoever sees the outline means it; what only holds it is not found."""
    found = find_snapshot_lines(page(LIST), pattern, regex=True)
    assert found.count("button") == 1
    assert 'button "Open 4" [ref=' in found
    assert "Nothing on the page" in find_snapshot_lines(page(LIST), "^pen 4$", regex=True)
    assert "cell [ref=e122]: Person 7" in find_snapshot_lines(page(LIST), "^Person 7$", regex=True)


def test_find_is_bounded_and_says_how_many_more() -> None:
    """A page full of matches does not fill the window."""
    found = find_snapshot_lines(page(LIST), "person")
    assert found.count("Person") == 20
    assert "… 40 more matches" in found
    assert "Nothing on the page matches 'nobody'" in find_snapshot_lines(page(LIST), "nobody")


@pytest.mark.parametrize("pattern", ["a" * 301, "("])
def test_a_pattern_that_cannot_be_searched_is_refused(pattern: str) -> None:
    """It comes from a model, which is told what to do instead."""
    with pytest.raises(BrowserError, match="pattern"):
        find_snapshot_lines(page(LIST), pattern, regex=True)


def test_expand_gives_the_whole_part() -> None:
    """With every ref in it, whichever way its ref was written."""
    part = expand_snapshot_ref(page(LIST), "e100")
    assert part == '- row [ref=e100]:\n - cell [ref=e101]: Person 0\n - button "Open 0" [ref=e102]'
    assert (
        expand_snapshot_ref(page(LIST), "[ref=e100]")
        == expand_snapshot_ref(page(LIST), "aria-ref=e100")
        == part
    )
    bounded = expand_snapshot_ref(page(LIST), "e1", room=500)
    assert len(bounded) < 600
    assert "more lines. Expand a ref further down" in bounded


def test_read_gives_the_plain_text() -> None:
    """Without roles and refs."""
    assert read_snapshot_ref(page(LIST), "e6") == "Total due\n42 euros"
    assert read_snapshot_ref(page(LIST), "e3") == "Home"
    assert "more lines" in read_snapshot_ref(page(LIST), "e1", room=100)


def test_a_ref_that_is_not_there_names_the_nearest() -> None:
    """And says how long a ref holds."""
    with pytest.raises(BrowserError, match=r"no element 'e10' .* Near it: .*e1\d\d?.* loaded anew"):
        expand_snapshot_ref(page(LIST), "e10")
    with pytest.raises(BrowserError, match="no element"):
        read_snapshot_ref(page(""), "e1")


def test_a_page_with_more_than_anybody_reads_is_cut_and_says_so() -> None:
    """Twenty thousand buttons; the stored text has them all."""
    huge = page("\n".join(f'- button "Open {n}" [ref=e{n}]' for n in range(20_000)))
    shown = render_snapshot_text(huge)
    assert len(shown) < 200_000
    assert re.search(r"… [\d,]+ more lines with [\d,]+ refs. Use find", shown)
    assert 'button "Open 19999" [ref=e19999]' in find_snapshot_lines(huge, "Open 19999")
    assert "e19998" in expand_snapshot_ref(huge, "e19998")
    other = page(huge.text.replace("Open", "Close"))
    assert "Changes" not in render_snapshot_text(other, huge)


def test_a_small_room_keeps_what_acts() -> None:
    """Prose gives way first."""
    prose = "\n".join(f"- paragraph [ref=e{n}]: {'words and words ' * 30}" for n in range(100, 140))
    buttons = "\n".join(f'- button "Do {n}" [ref=e{n}]' for n in range(20))
    shown = render_snapshot_text(page(f"{prose}\n{buttons}"), room=2_000)
    assert len(_REFS.findall(shown)) == 20
    assert len(shown) < 6_000
