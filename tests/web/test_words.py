"""Texts of models as HTML: nothing in them runs or loads anything; citations lead to their turns."""

from __future__ import annotations

import pytest

from director.web.views import safe_markdown
from web.corpus import CORPUS


@pytest.mark.promise("E4")
@pytest.mark.parametrize("form", CORPUS, ids=range(len(CORPUS)))
def test_markdown_makes_no_element_that_loads_or_runs(form: str) -> None:
    """The HTML of a text has no tag and no attribute that was in the text."""
    for made in (safe_markdown.render_markdown(form), safe_markdown.render_summary_markdown(form)):
        html = str(made).lower()
        for tag in ("<script", "<img", "<iframe", "<svg", "<style", "<link", "<meta", "<form"):
            assert tag not in html
        assert 'href="javascript' not in html
        assert 'href="data' not in html


def test_a_link_tells_nobody_where_it_was_followed_from() -> None:
    """Links open elsewhere, without a referrer and without a way back."""
    html = str(safe_markdown.render_markdown("[a](https://example.org/x)"))
    assert 'rel="noopener noreferrer nofollow"' in html
    assert 'target="_blank"' in html


def test_a_citation_in_a_summary_leads_to_its_turn() -> None:
    """Single turns, spans, and what was put back with the turn it came from."""
    html = str(
        safe_markdown.render_summary_markdown(
            "Use #buy-7 [3, 5-6].\nt12 user: never [the blue](x) one"
        )
    )
    assert [part.partition('"')[0] for part in html.split('href="#t')[1:]] == ["3", "5", "6", "12"]
    assert "[the blue](x)" in html
