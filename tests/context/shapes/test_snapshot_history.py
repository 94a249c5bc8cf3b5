"""How snapshots follow one another: which page it was, one line for it, what is gone since."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from director.context.shapes.snapshot_history import difference, headline, page_of

CART = """\
### Page state
- Page URL: https://shop.example/cart
- Page Title: Your cart
- Page Snapshot:
```yaml
- main [ref=e1]:
  - heading "Your cart" [level=1] [ref=e2]
  - paragraph [ref=e3]: Order K-1021 ships tomorrow
  - link "Mugs" [ref=e4] [cursor=pointer]:
    - /url: /mugs
  - checkbox "Gift" [checked] [ref=e5]
  - button "Pay" [ref=e6]
```
"""
INDEXED = """\
Current url: https://shop.example/login
[1]<a aria-label=Home />
[2]<input type=search name=q />
[3]<button type=submit aria-label=Search />
"""
DEVTOOLS = """\
uid=1_0 RootWebArea "Example" url="https://example.com/start"
  uid=1_1 link "More" url="https://example.com/more"
  uid=1_2 textbox "Email"
  uid=1_3 button "Go"
"""
TREE = """\
[1] RootWebArea 'Dashboard' focused: True
\t[2] link 'Home'
\t[3] textbox 'Search' required: False
\t[4] button 'Go'
"""


def test_a_page_is_known_by_its_address_or_title() -> None:
    """The address where it is said, else the title; nothing for other texts."""
    assert page_of(CART) == "https://shop.example/cart"
    assert page_of(INDEXED) == "https://shop.example/login"
    assert page_of(DEVTOOLS) == "https://example.com/start"
    assert page_of(TREE) == "Dashboard"
    assert page_of("Just a letter.") is None


def test_a_headline_says_page_and_how_much_could_be_done() -> None:
    """One line stands for an older snapshot."""
    assert headline(CART) == "https://shop.example/cart · Your cart · 3 interactive elements"
    assert headline(TREE) == "Dashboard · 3 interactive elements"


def test_the_difference_names_what_is_gone_and_ignores_refs() -> None:
    """New numbers for the same things are no news."""
    newer = re.sub(r"\[ref=e(\d)\]", r"[ref=e7\1]", CART)
    assert difference(CART, newer) == ""
    without = newer.replace('  - checkbox "Gift" [checked] [ref=e75]\n', "")
    assert difference(CART, without) == 'checkbox "Gift" [checked]'


@given(older=st.text(), newer=st.text())
def test_any_texts_can_be_compared(older: str, newer: str) -> None:
    """No input is an error, and a text lacks nothing of itself."""
    assert "\n" not in headline(older)
    assert difference(older, older) == ""
    assert isinstance(difference(older, newer), str)
    page_of(older)
