"""What holds for every snapshot, however mangled: no failure, no growth, no long wait."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from director.context.shapes.snapshot import recognise, render
from director.context.values import Level

LEVELS: tuple[Level, ...] = ("low", "medium", "high")
ARIA = """\
### Page state
- Page URL: https://shop.example/cart
- Page Snapshot:
```yaml
- main [ref=e1]:
  - heading "Your cart" [level=1] [ref=e2]:
    - link "Back" [ref=e3] [cursor=pointer]:
      - /url: /back
  - alert [ref=e4]: Coupon SPRING-24 has expired
  - row "Blue mug 12.50" [ref=e5]:
    - cell "Blue mug" [ref=e6]
    - cell "12.50" [ref=e7]
  - textbox "Note" [ref=e8]: leave it
  - 'button "Pay: now" [disabled] [ref=e9]'
```
"""
INDEXED = """\
[1]<a aria-label=Home href=/ />
\tShop
*[2]<button type=submit />
[3]<div role=button />
\t[4]<span />
\t\tRemove
"""
TREE = """\
[1] RootWebArea 'Dashboard' focused: True
\t[2] link "Bob's shop" url="https://shop.example"
\t\t[3] StaticText 'Home'
\tuid=1_5 textbox "Email" value="a@b.example" focused
\t[7] <button> Go
"""
PAGES = [ARIA, INDEXED, TREE]


@settings(max_examples=60, deadline=None)
@given(
    page=st.sampled_from(PAGES),
    cut=st.tuples(st.integers(0, 900), st.integers(0, 900)),
    noise=st.text(max_size=30),
)
@pytest.mark.parametrize("level", LEVELS)
def test_mangled_snapshots_never_fail_and_never_grow(
    level: Level, page: str, cut: tuple[int, int], noise: str
) -> None:
    """Cut anywhere, with anything put in between."""
    text = page[: cut[0]] + noise + page[cut[1] :]
    recognise(text)
    assert len(render(text, level, 300)) <= len(text)


@given(text=st.text())
def test_any_text_can_be_looked_at(text: str) -> None:
    """No input is an error."""
    recognise(text)
    assert len(render(text, "medium", 10)) <= len(text)


@pytest.mark.parametrize(
    "text",
    [
        "- " * 50_000,
        '- link "' * 20_000,
        "[1]<" * 40_000,
        "link '" * 30_000,
        "- a [" * 30_000,
        "`" * 100_000,
    ],
)
def test_hostile_lines_take_no_more_than_their_length(text: str) -> None:
    """No line makes a pattern go back and forth."""
    started = time.process_time()
    recognise(text)
    render(text, "medium", 1_000)
    assert time.process_time() - started < 3
