"""What becomes of HTML: what is read and what can be acted on stays, markup goes."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from director.context.shapes.html import recognise, render
from director.context.values import Level

LEVELS: tuple[Level, ...] = ("low", "medium", "high")

LOGIN = """\
Address: https://shop.example/login
Viewport position: Showing page 1 of 2.
<!doctype html><html><head><title>Sign in &amp; go</title>\
<meta name="description" content="Sign in to the shop"><style>.a{color:red}</style>\
<script>var x = "<div>never</div>";</script></head><body class="a b c"><!-- a remark -->\
<nav id="top"><a class="x y" href="/home" data-testid="nav-home"><svg><path d="M0 0"/></svg>Home</a>\
<a href="/cart?id=3">Cart</a></nav>
<div class="alert alert-danger"><div>Wrong password, 2 attempts left</div></div><p>After that</p>
<form action="/login" method="post"><label for="email">Email</label>
<input id="email" name="email" type="email" placeholder="you@example.com" required>
<input type=checkbox checked name=remember>
<select name="country"><option value="de" selected>Germany<option value="fr">France</select>
<textarea name=note>hello</textarea>
<button type="submit" id="go" disabled><span>Sign</span> <b>in</b></button></form>
<h2><a href="/x">Linked heading</a></h2><h3>Plain <em>heading</em></h3>
<table><tr><th>Id</th><th>Total</th></tr><tr><td>A-17</td><td>12.50</td></tr></table>
<div role="button" onclick="go()"><div>Icon</div><div>Save all</div></div>
<noscript>Enable JavaScript or <a href="/plain">continue</a></noscript>
<ul><li>One <b>bold</b>, two</li><li>Two</li></ul>
<iframe src="/frame" title="Pay"></iframe>
<script type="application/ld+json">{"sku":"K-9"}</script></body></html>
"""


@pytest.mark.parametrize(
    "page", [LOGIN, "<html><p>x", "<div><p>a</p><ul><li>b</li><li>c</li></ul></div>"]
)
def test_pages_and_pieces_are_recognised(page: str) -> None:
    """A whole page by its frame, a piece by the elements that end in it."""
    assert recognise(page)


@pytest.mark.parametrize(
    "text", ["", "a < b and b > c", "Use the <div> element.", "x = List<String>();"]
)
def test_texts_that_only_mention_markup_are_not(text: str) -> None:
    """A comparison or one tag is no page."""
    assert not recognise(text)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    "kept",
    [
        "Address: https://shop.example/login\nViewport position: Showing page 1 of 2.\n",
        "title: Sign in & go",
        '<a href="/home" data-testid=nav-home> Home',
        '<a href="/cart?id=3"> Cart',
        "alert: Wrong password, 2 attempts left",
        "<input id=email name=email type=email placeholder=you@example.com required>",
        "<input name=remember type=checkbox checked>",
        "<select name=country>",
        "<option value=de selected> Germany\n<option value=fr> France",
        "<textarea name=note> hello",
        "<button id=go type=submit disabled> Sign in",
        '## <a href="/x"> Linked heading',
        "### Plain heading",
        "A-17 | 12.50",
        "<div role=button> Icon Save all",
        '<a href="/plain"> continue',
        "Enable JavaScript or",
    ],
)
def test_what_can_be_acted_on_stays_at_every_level(level: Level, kept: str) -> None:
    """Links, fields with their names and states, buttons, headings, alerts, rows."""
    assert kept in render(LOGIN, level, 3_000)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    "noise", ["never", "color:red", "a remark", "M0 0", 'class="x', "<!doctype"]
)
def test_scripts_styles_remarks_and_classes_go(level: Level, noise: str) -> None:
    """Nobody reads them and nothing can be done with them."""
    assert noise not in render(LOGIN, level, 3_000)


@pytest.mark.parametrize(
    "kept",
    ["[id=top]", "After that", "One bold, two", "method=post", "src=/frame", '{"sku":"K-9"}'],
)
def test_the_lowest_level_keeps_ids_and_all_text(kept: str) -> None:
    """Only markup is lost."""
    assert kept in render(LOGIN, "low", 10)


def test_text_after_an_alert_is_no_alert() -> None:
    """An alert ends where its element ends."""
    assert "\nAfter that\n" in render(LOGIN, "medium", 3_000)


def test_a_piece_cut_inside_a_tag_keeps_the_tags_attributes() -> None:
    """The name of a field is worth as much in half a tag."""
    piece = (
        'type="radio" value="71" name="diff" id="d-71"> <p>One</p><p>Two</p><ul><li>Three</li></ul>'
    )
    assert render(piece, "medium", 500).split("\n")[:2] == [
        "<… id=d-71 name=diff type=radio value=71>",
        "One",
    ]


def test_a_piece_cut_inside_a_script_starts_after_it() -> None:
    """The rest of a program is not text."""
    piece = "var a=function(){return 1}</script><p>One</p><p>Two</p><div>Three</div><span>x</span>"
    assert render(piece, "medium", 500) == "One\nTwo\nThree\nx"


@pytest.mark.parametrize(
    "end", ["<a href='/nex", "<div class", "<", "</di", "<!-- half", "<script>var a", "&am"]
)
def test_a_page_cut_at_the_end_keeps_what_came_before(end: str) -> None:
    """Half a tag costs nothing but itself."""
    page = f"<html><body><p>First words of the page</p><div>Second words {end}"
    small = render(page, "medium", 500)
    assert "First words of the page" in small
    assert "Second words" in small


def test_a_link_that_never_ends_does_not_swallow_the_page() -> None:
    """Its label is short, the rest is text again."""
    page = "<html><a href='/x'>" + "".join(
        f"<p>Paragraph {at}-17 of the page</p>" for at in range(300)
    )
    small = render(page, "medium", 50_000)
    assert "Paragraph 299-17" in small
    assert all(len(line) < 6_000 for line in small.split("\n"))


def test_a_minified_page_becomes_lines_near_the_room() -> None:
    """Long prose gives way, its literals stay."""
    prose = "".join(
        f"<p>{'some words that say little ' * 12} order_{at} {'and more ' * 9}</p>"
        for at in range(50)
    )
    small = render(f"<html><body>{prose}</body></html>", "medium", 5_000)
    assert len(small) <= 5_000
    assert all(f"order_{at} " in small for at in range(50))


@pytest.mark.parametrize("level", LEVELS)
def test_rendering_twice_changes_nothing(level: Level) -> None:
    """What is no longer HTML is not read as HTML."""
    once = render(LOGIN, level, 600)
    assert render(once, level, 600) == once


@settings(max_examples=80, deadline=None)
@given(
    start=st.integers(0, 1_500),
    end=st.integers(0, 1_900),
    noise=st.text("<>\"'=/!-ab &;", max_size=20),
)
@pytest.mark.parametrize("level", LEVELS)
def test_mangled_pages_never_fail_and_never_grow(
    level: Level, start: int, end: int, noise: str
) -> None:
    """Cut anywhere, with anything put in between."""
    for text in (LOGIN[start:end] + noise + LOGIN[end:], "<html>" + noise + LOGIN[start:end]):
        assert len(render(text, level, 200)) <= len(text)


@given(text=st.text())
def test_any_text_can_be_looked_at(text: str) -> None:
    """No input is an error."""
    recognise(text)
    assert len(render("<html>" + text, "low", 10)) <= len(text) + 6


@pytest.mark.parametrize(
    "text",
    [
        "<" * 100_000,
        "<a " * 40_000,
        '<a "' * 40_000,
        "<a '\"" * 30_000,
        "<!--" * 30_000,
        "<script" * 20_000,
        "<a>" * 40_000,
    ],
)
def test_hostile_markup_takes_no_more_than_its_length(text: str) -> None:
    """No tag makes a pattern go back and forth."""
    started = time.process_time()
    render(f"<html>{text}", "medium", 1_000)
    assert time.process_time() - started < 3
