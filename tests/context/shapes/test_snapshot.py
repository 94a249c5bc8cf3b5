"""What becomes of page snapshots: markers, labels and states stay, noise and prose give way."""

from __future__ import annotations

import re

import pytest

from director.context.shapes.snapshot import recognise, render
from director.context.values import Level

LEVELS: tuple[Level, ...] = ("low", "medium", "high")

SHOP = """\
### Ran Playwright code
```js
await page.goto('https://shop.example/cart');
await page.waitForLoadState();
```

### New console messages
- [LOG] ready
- [ERROR] Failed to load resource @ https://shop.example/x.js:0

### Page state
- Page URL: https://shop.example/cart
- Page Title: Your cart
- Page Snapshot:
```yaml
- generic [active] [ref=e1]:
  - banner [ref=e2]:
    - link "Home" [ref=e3] [cursor=pointer]:
      - /url: /
      - img "Home" [ref=e4]
    - navigation "Main" [ref=e5]:
      - list [ref=e6]:
        - listitem [ref=e7]:
          - link "Mugs" [ref=e8] [cursor=pointer]:
            - /url: /mugs
            - generic [ref=e9]: Mugs
        - listitem [ref=e10]:
          - link "Details" [ref=e11] [cursor=pointer]:
            - /url: /d/1
        - listitem [ref=e12]:
          - link "Details" [ref=e13] [cursor=pointer]:
            - /url: /d/2
  - main [ref=e20]:
    - heading "Your cart" [level=1] [ref=e21]
    - alert [ref=e22]: Coupon SPRING-24 has expired
    - paragraph [ref=e23]:
      - text: Order
      - code [ref=e24]: K-1021
      - text: "ships: tomorrow"
    - table [ref=e25]:
      - row "Blue mug 12.50" [ref=e26]:
        - cell "Blue mug" [ref=e27]
        - cell "12.50" [ref=e28]
    - textbox "Coupon" [ref=e30]:
      - /placeholder: Type a code
    - textbox "Note" [ref=e31]: leave at the door
    - checkbox "Gift" [checked] [ref=e32]
    - 'button "Pay: now" [disabled] [ref=e33]'
    - generic [ref=e34] [cursor=pointer]:
      - img [ref=e35]
      - text: Remove all
    - combobox "Country" [ref=e36]:
      - option "Austria"
      - option "Belgium" [selected]
    - iframe [ref=e37]:
      - button "Play" [ref=f1e2]
    - dialog "Cookies" [ref=e38]:
      - button "Accept" [expanded] [ref=e39]
```
"""
ACTING = [
    "e3",
    "e8",
    "e11",
    "e13",
    *[f"e{n}" for n in (30, 31, 32, 33, 34, 36, 37, 38, 39)],
    "f1e2",
]

FAILED = """\
### Result
TimeoutError: locator.click: Timeout 5000ms exceeded.
Call log:
\x1b[2m  - waiting for locator('aria-ref=e9')\x1b[22m
[2m    - element is not stable[22m
[2m    - retrying click action[22m
[2m    - element is not stable[22m
[2m    - retrying click action[22m
"""

INDEXED = """\
Current url: https://shop.example/cart
Interactive elements:
[Start of page]
[1]<a aria-label=Home href=/very/long/address/that/nobody/needs />
\tShop
[2]<input type=search placeholder=Search products name=q />
*[3]<button type=submit aria-label=Search />
Your cart holds 3 items, worth 120.50 EUR
[4]<div role=button />
\t[5]<span />
\t\tRemove Blue mug
[6]<button>Pay now</button>
... 512 pixels below - scroll to see more ...
"""

TREE = """\
Tab 0 (current): Dashboard
[1] RootWebArea 'Dashboard' focused: True
\t[13] navigation 'Main'
\t\t[14] link 'Home'
\t\t\t[15] StaticText 'Home'
\t\t[16] link "Bob's shop"
\t[20] heading 'Orders'
\t[21] textbox 'Search' required: False
\t[22] StaticText 'Order #000031 pending'
\t[28] combobox 'Show' hasPopup: menu expanded: False
"""

DEVTOOLS = """\
uid=1_0 RootWebArea "Example" url="https://example.com/start"
  uid=1_1 heading "Example Domain" level="1"
  uid=1_2 StaticText "For use in documentation."
  uid=1_3 link "More" url="https://example.com/more"
    uid=1_4 StaticText "More"
  uid=1_5 textbox "Email" value="a@b.example" focusable focused
  uid=1_7 button "Go" disableable disabled
"""

LISTED = """\
- [0] <a> Home
- [1] <button> Sign in
- [2] <input> Search
- [3] <a> Orders
"""

BARE = """\
- banner:
  - link "Logo":
    - /url: /
- main:
  - heading "Results" [level=1]
  - button "Close"
  - checkbox "All" [checked]
  - text: Total 12.50
"""

PAGES = [SHOP, FAILED, INDEXED, TREE, DEVTOOLS, LISTED, BARE]


def line_of(marker: str, text: str) -> str:
    """The line that holds a marker."""
    found = [line for line in text.split("\n") if marker in line]
    assert len(found) == 1, (marker, found)
    return found[0]


def long_page(links: int, paragraphs: int) -> str:
    """A page with many links and much prose around a few literals."""
    lines = ["- main [ref=e1]:"]
    for at in range(links):
        lines += [f'  - link "Chapter {at} of it" [ref=e{at + 10}] [cursor=pointer]:']
        lines += [f"    - /url: chapter-{at}.html"]
    for at in range(paragraphs):
        words = "and so the story goes on for quite some while without any news at all "
        lines += [
            f"  - paragraph [ref=p{at}]: Once more {words * 3} see setting_{at} there {words}"
        ]
    return "\n".join(lines)


@pytest.mark.parametrize("page", PAGES)
def test_every_format_is_recognised(page: str) -> None:
    """A snapshot is known by its lines, whoever wrote it."""
    assert recognise(page)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Hello, this is a letter.\n- milk\n- eggs\n- [x] bread\n",
        "[1] Smith, On lists. 2019.\n[2] Jones, On trees. 2020.\n[3] Doe, On rows.\n[4] Roe.",
        '{"link": "Home", "button": "Go"}',
        "def link(name):\n    return 'button'\n\n\nclass Table:\n    pass\n",
        "- name: build\n  run: make\n- name: test\n  run: make test\n",
    ],
)
def test_other_texts_are_not_taken_for_snapshots(text: str) -> None:
    """Lists, references, JSON, code and settings are left to others."""
    assert not recognise(text)


@pytest.mark.parametrize("level", ["medium", "high"])
def test_all_that_acts_keeps_its_ref_in_document_order(level: Level) -> None:
    """Links, fields, frames, dialogs and clickable boxes each have a line of their own."""
    small = render(SHOP, level, 4_000)
    assert re.findall(r"\[ref=(\w+)\]", small) == sorted(
        ACTING, key=lambda ref: SHOP.index(f"[ref={ref}]")
    )
    for ref in ACTING:
        assert len(line_of(f"[ref={ref}]", small)) <= 400


@pytest.mark.parametrize(
    ("ref", "words"),
    [
        ("e8", ["link", "Mugs"]),
        ("e30", ["textbox", "Coupon", "Type a code"]),
        ("e31", ["textbox", "Note", "leave at the door"]),
        ("e32", ["checkbox", "Gift", "[checked]"]),
        ("e33", ["button", "Pay: now", "[disabled]"]),
        ("e34", ["Remove all"]),
        ("e39", ["Accept", "[expanded]"]),
    ],
)
def test_label_state_and_value_stay_beside_the_ref(ref: str, words: list[str]) -> None:
    """A next step needs them on the line it points at."""
    line = line_of(f"[ref={ref}]", render(SHOP, "medium", 4_000))
    assert all(word in line for word in words)


def test_options_stay_although_they_have_no_ref() -> None:
    """A value is chosen by its name."""
    small = render(SHOP, "medium", 4_000)
    assert 'option "Austria"' in small
    assert 'option "Belgium" [selected]' in small


def test_prose_is_merged_and_literals_stay() -> None:
    """Inline code and text become one line, cells one row."""
    small = render(SHOP, "medium", 4_000)
    assert "Order `K-1021` ships: tomorrow" in small
    assert "Blue mug | 12.50" in small
    assert "alert: Coupon SPRING-24 has expired" in small
    assert "# Your cart" in small


def test_addresses_of_named_links_go_unless_two_share_a_name() -> None:
    """A label is enough to name a link, except where it is not."""
    small = render(SHOP, "medium", 4_000)
    assert "/mugs" not in small
    assert "/d/1" in line_of("[ref=e11]", small)
    assert "/d/2" in line_of("[ref=e13]", small)


def test_a_link_without_a_name_keeps_its_address() -> None:
    """Its address is all that tells it apart."""
    page = '- main [ref=e1]:\n  - link [ref=e2] [cursor=pointer]:\n    - /url: /only\n  - button "B" [ref=e3]\n'
    assert "/only" in line_of("[ref=e2]", render(page, "medium", 1_000))


def test_what_stands_around_the_snapshot_survives() -> None:
    """Address, title and errors are said outside the fence."""
    small = render(SHOP, "high", 1_000)
    assert "- Page URL: https://shop.example/cart" in small
    assert "- Page Title: Your cart" in small
    assert "[ERROR] Failed to load resource @ https://shop.example/x.js:0" in small
    assert "await page.goto('https://shop.example/cart');" in small


def test_the_lowest_level_keeps_every_fact() -> None:
    """Addresses, refs of containers and all words are still there."""
    small = render(SHOP, "low", 10)
    gone = {"cursor", "pointer"}
    assert set(re.findall(r"\w+", SHOP)) - set(re.findall(r"\w+", small)) <= gone | {
        "e4",
        "e9",
        "url",
        "e35",
    }
    assert '- link "Mugs" [ref=e8] → /mugs' in small


def test_a_failure_keeps_its_error_and_counts_repeated_log_lines() -> None:
    """Colour codes go; a line said twice is said once with its count."""
    small = render(FAILED, "medium", 1_000)
    assert "TimeoutError: locator.click: Timeout 5000ms exceeded." in small
    assert "[2m" not in small
    assert "[22m" not in small
    assert small.count("element is not stable") == 1
    assert "element is not stable ×2" in small


def test_a_link_to_a_snapshot_file_is_not_touched() -> None:
    """The file is where the snapshot is; the line must lead there."""
    page = "### Page\n- Page URL: https://a.example/\n### Snapshot\n- [Snapshot](out/page-1.yml)\n"
    assert recognise(page)
    assert all("- [Snapshot](out/page-1.yml)" in render(page, level, 100) for level in LEVELS)


@pytest.mark.parametrize("level", LEVELS)
def test_indexed_elements_keep_their_numbers(level: Level) -> None:
    """`[33]<button` is what a next step names, text beside it is its label."""
    small = render(INDEXED, level, 200)
    for marker in ("[1]<a", "[2]<input", "*[3]<button", "[4]<div", "[5]<span", "[6]<button"):
        line_of(marker, small)
    assert "Current url: https://shop.example/cart" in small
    assert "512 pixels below" in small
    assert "120.50 EUR" in small


def test_text_of_an_indexed_element_moves_to_its_line() -> None:
    """The address goes, since the element has a label."""
    small = render(INDEXED, "medium", 2_000)
    assert line_of("[1]<a", small) == "[1]<a aria-label=Home /> Shop"
    assert line_of("[5]<span", small).endswith("Remove Blue mug")


@pytest.mark.parametrize(
    ("page", "kept"),
    [
        (
            TREE,
            [
                "[14] link 'Home'",
                '[16] link "Bob\'s shop"',
                "[21] textbox 'Search'",
                "expanded: False",
            ],
        ),
        (DEVTOOLS, ['uid=1_3 link "More"', 'value="a@b.example"', 'uid=1_7 button "Go" disabled']),
        (LISTED, ["[0] <a> Home", "[1] <button> Sign in", "[2] <input> Search", "[3] <a> Orders"]),
        (BARE, ['link "Logo"', 'button "Close"', 'checkbox "All" [checked]', "# Results", "12.50"]),
    ],
)
def test_other_trees_keep_what_acts(page: str, kept: list[str]) -> None:
    """Every notation keeps its own markers."""
    small = render(page, "medium", 2_000)
    assert all(each in small for each in kept)
    assert "StaticText" not in small


def test_a_long_page_comes_near_the_room_and_loses_no_ref() -> None:
    """Prose becomes its beginning and its literals among their neighbours."""
    page = long_page(40, 60)
    small = render(page, "medium", 5_000)
    assert len(small) < 5_500
    assert all(f"[ref=e{at + 10}]" in small for at in range(40))
    assert all(f"see setting_{at} there" in small for at in range(60))


def test_links_stay_even_beyond_the_room() -> None:
    """Room is a wish; a ref that is gone cannot be clicked."""
    small = render(long_page(400, 0), "high", 500)
    assert len(re.findall(r"\[ref=e\d+\]", small)) == 400


def test_long_runs_of_the_same_are_folded_when_there_is_no_room() -> None:
    """Three of forty tell what the others look like."""
    rows = "\n".join(f"  - listitem: Entry {at} of the log" for at in range(40))
    page = f'- list "Log":\n{rows}\n- button "More" [ref=e2]\n- link "Up" [ref=e3]'
    small = render(page, "medium", 300)
    assert "… 37 more like it" in small
    assert "Entry 2 of the log" in small


def test_a_very_long_label_leaves_room_for_its_ref() -> None:
    """A line keeps to 400 characters and still ends in its marker."""
    page = f'- main [ref=e1]:\n  - link "{"word " * 300}" [ref=e2] [cursor=pointer]\n  - button "Go" [ref=e3]\n'
    line = line_of("[ref=e2]", render(page, "medium", 1_000))
    assert len(line) <= 400


def test_a_card_that_can_be_clicked_keeps_its_text() -> None:
    """What does not fit its line goes on below it."""
    page = (
        '- main [ref=e1]:\n  - generic [ref=e2] [cursor=pointer]:\n    - heading "Flight LH-441" [level=3] [ref=e3]\n'
        f'    - paragraph [ref=e4]: {"it leaves quite early and arrives late " * 8}from gate B-17\n  - button "Go" [ref=e5]\n'
    )
    small = render(page, "medium", 3_000)
    assert "Flight LH-441" in line_of("[ref=e2]", small)
    assert "from gate B-17" in small


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("page", [*PAGES, long_page(40, 60), long_page(300, 30)])
def test_rendering_twice_changes_nothing(page: str, level: Level) -> None:
    """What was shrunk is as small as it gets."""
    once = render(page, level, 3_000)
    assert render(once, level, 3_000) == once


def test_windows_line_ends_make_no_difference() -> None:
    """The same page is the same page."""
    assert render(SHOP.replace("\n", "\r\n"), "medium", 4_000) == render(SHOP, "medium", 4_000)


def _documentation(name: str) -> str:
    """A page of sixty links, each with a sentence that begins with a name."""
    tree = "\n".join(
        f'  - link "function_{k}" [ref=e{9 + 2 * k}]:\n    - /url: "#f{k}"\n'
        f"  - paragraph [ref=e{10 + 2 * k}]: {name.format(k)} closes the palette before ribbon {k}"
        for k in range(60)
    )
    return f"### Page state\n- Page URL: http://docs.test/\n```yaml\n- main:\n{tree}\n```"


def test_a_sentence_that_repeats_its_link_says_the_rest_beside_it() -> None:
    """What the name does not say is worth more than the name a second time."""
    lines = render(_documentation("function_{}"), "medium", 3_000).splitlines()
    for k in range(60):
        link = next(line for line in lines if f"[ref=e{9 + 2 * k}]" in line)
        assert f'"function_{k}"' in link
        assert link.endswith(f"closes the palette before ribbon {k}")
        assert link.count(f"function_{k}") == 1


def test_a_sentence_that_only_seems_to_repeat_its_link_keeps_its_beginning() -> None:
    """A longer name that begins as the label does is another name; without a loss all stays."""
    smaller = render(_documentation("function_{}_old"), "medium", 3_000)
    assert "function_7_old" in smaller
    whole = render(_documentation("function_{}"), "low", 3_000)
    assert "function_7 closes the palette before ribbon 7" in whole
