"""Values of templates in CSS: each stays one text or one name, whatever signs it holds."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from html import escape
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from director.browser import Browser, Origins
from director.browser.actions import run_action
from director.browser.queries import run_query
from director.runs.script_names import Names
from director.workflow.css_values import escape_css, find_css_place
from director.workflow.templates import Lookup, TemplateError, resolve_templates
from director.workflow.types import resolve_config
from director.workflow.values import Json

NAMES = (
    'Bäckerei "Zum Korn"',
    "O'Brien \\ Sons",
    "Next >> `code` /* no comment */",
    "two\nlines",
    '"), body *:has-text("',
    "a\\",
    "{curly} <b> 3/4 /",
)


def _page() -> str:
    rows = (
        f'<li class=option data-name="{escape(name)}" id="{at}-{at} x"'
        f" onclick=\"document.title = '{at}'\">{escape(name)}</li>"
        for at, name in enumerate(NAMES)
    )
    return f"<title>Names</title><ul>{''.join(rows)}</ul>"


def _give(value: Json) -> Lookup:
    return lambda _: value


def _in_script(selector: Json, value: str) -> Any:
    """What an exported script makes of a selector."""
    space: dict[str, object] = {"x": value, "escape_css": escape_css}
    return eval(Names(["x"], ["x"]).selector(selector), space)  # noqa: S307  what was just written


def test_a_value_in_quotes_finds_the_element_that_shows_it(
    run: Callable[[Awaitable[Any]], Any], browser: Browser
) -> None:
    """By its text and by its attribute, between either quotes, in a click, a count and a bundle."""

    async def go() -> None:
        async with browser.session(Origins([])) as session:
            await session.page().set_content(_page())
            for at, name in enumerate(NAMES):
                for css in ('li:has-text("{{x}}")', "[data-name='{{x}}']", '[data-name="{{x}}"]'):
                    config: dict[str, Json] = {"method": "count", "selector": css}
                    asked = resolve_config("browser_query", config, _give(name))
                    assert (await run_query(session, asked))["count"] == 1, (name, asked)
                    assert asked["selector"] == _in_script(css, name)
                bundle = {"css": ".option:has-text('{{x}}')", "text": "{{x}}"}
                click: dict[str, Json] = {"action": "click", "selector": bundle, "timeout": 2000}
                await run_action(session, resolve_config("browser_action", click, _give(name)))
                assert await session.page().title() == str(at)

    run(go())


def test_a_value_outside_of_quotes_is_one_name(
    run: Callable[[Awaitable[Any]], Any], browser: Browser
) -> None:
    """It may begin with a digit and hold a space; a comma or a combinator in it finds nothing."""

    async def count(session: Any, css: str, value: Json) -> Json:
        asked = resolve_config("browser_query", {"method": "count", "selector": css}, _give(value))
        return (await run_query(session, asked))["count"]

    async def go() -> None:
        async with browser.session(Origins([])) as session:
            await session.page().set_content(_page())
            assert await count(session, "#{{x}}", "2-2 x") == 1
            assert await count(session, "li[id={{x}}]", "2-2 x") == 1
            assert await count(session, "li:nth-child({{x}})", 2) == 1
            assert await count(session, "li:nth-child({{x}})", "2n+1") == 4
            assert await count(session, ".{{x}}", "none, .option") == 0
            assert await count(session, "{{x}}.option", "ul > li") == 0
            # A selector that is a template and nothing else is the author's own.
            assert await count(session, "{{x}}", "ul > .option") == len(NAMES)

    run(go())


@given(
    st.text(), st.sampled_from(['li:has-text("', "[a='", 'x:is([b="\\"', "li:has-text('it\\'s "])
)
def test_no_value_leaves_the_quotes(value: str, before: str) -> None:
    """Law: after any value in quotes the selector is still in the same quotes."""
    written = before + escape_css(value, find_css_place(before))
    assert find_css_place(before) == find_css_place(written) == "quoted"
    assert not re.search(r">>|`|/\*|\n", written[len(before) :] + "*")


@given(st.text(min_size=1), st.sampled_from(["#", "a[b=", "li.x-", ""]))
def test_no_value_outside_of_quotes_is_more_than_a_name(value: str, before: str) -> None:
    """Law: what is written there are signs of names and escapes."""
    written = escape_css(value, find_css_place(before))
    assert re.fullmatch(r"(?:[\w\u0080-\U0010ffff-]|\\[0-9a-f]+ )*", written, re.ASCII)


def test_a_backslash_before_a_template_is_refused() -> None:
    """It would escape what follows: the value, or the end of the quotes if that is empty."""
    with pytest.raises(TemplateError, match="backslash"):
        resolve_templates('li:has-text("\\{{x}}")', _give(""), within="selector")
    assert resolve_templates('"\\\\{{x}}"', _give(""), within="selector") == '"\\\\"'


def test_only_the_css_of_rules_fields_and_conditions_is_escaped() -> None:
    """A name in a bundle, a text of a condition and a description are as they are."""
    said = 'the "x"'
    css, plain = '[a="the \\22 x\\22 "]', 'is the "x"'
    condition: Json = {"element": '[a="{{x}}"]', "text": "is {{x}}"}
    assert resolve_templates(condition, _give(said), within="selector") == {
        "element": css,
        "text": plain,
    }
    bundle: Json = {"element": {"css": '[a="{{x}}"]', "name": "is {{x}}", "near": ["is {{x}}"]}}
    assert resolve_templates(bundle, _give(said), within="selector") == {
        "element": {"css": css, "name": plain, "near": [plain]}
    }
    asked: dict[str, Json] = {"method": "deterministic_extract", "selector": "li"}
    asked["fields"] = {"name": '[a="{{x}}"]'}
    assert resolve_config("browser_query", asked, _give(said))["fields"] == {"name": css}
    rule: Json = {"type": "element_exists", "selector": '[a="{{x}}"]', "description": "is {{x}}"}
    found = resolve_config("browser_query", {"method": "validate", "rules": [rule]}, _give(said))
    assert found["rules"] == [{"type": "element_exists", "selector": css, "description": plain}]
