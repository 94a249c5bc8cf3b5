"""Selectors: a plain CSS text, or a bundle of ways to find one element. Checked, never run.

Whatever CSS a workflow or a model gives passes `check_css` before a browser or an exported script
has it. Playwright takes more than CSS, and reads quotes and comments in its own way: what could be
read in two ways is refused, wherever in the text it stands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from director.workflow.paths import describe_kind, is_list
from director.workflow.templates import is_template
from director.workflow.values import Json, WorkflowError

LONGEST = 2_000
# Words of Playwright, and how the same is written here.
_WORDS = {
    "text": '{"text": "…"}, or CSS with :has-text("…")',
    "role": '{"role": "button", "name": "…"}',
    "label": '{"label": "…"}',
    "data-testid": '{"test_id": "…"}',
    "id": '"#…"',
    "css": "the CSS alone, without css=",
}
_ENGINE = re.compile(r"\s*([\w:*+-]+)\s*=")
_EARLY = re.compile(r"\s*(text|act|xpath|role|css|id|internal)\s*:(?!hover|focus|not|nth)")
_CALL = re.compile(r"\s*(?:page\.)?(?:get_?by_?\w+|locator|getBy\w+)\s*\(", re.IGNORECASE)
_ROLE = re.compile(r"[a-zA-Z-]*")
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})(?:\r\n|\s)?|(.))", re.DOTALL)
_RIGHT = (
    'Write one CSS selector, such as "#login button", or a bundle such as '
    '{"role": "button", "name": "Sign in"}'
)
_NO_CSS = {
    ">>": 'Inside a quoted text write \\3e\\3e , or give a bundle such as {"text": "Next >>"}. ',
    "`": "Inside a quoted text write \\60 . ",
    "/*": "A selector has no comments; inside a quoted text write \\2f *. ",
}
_PATHS = ("//", "(//", "./", "..", '"', "'")


def check_css_selector(css: str) -> None:
    """Refuse what Playwright takes and CSS does not, what hides a part, and what is too long."""
    if len(css) > LONGEST:
        raise WorkflowError(
            f"A selector has at most {LONGEST:,} characters, this one {len(css):,}. {_RIGHT}."
        )
    for part, right in _NO_CSS.items():
        if part in css:
            raise WorkflowError(f"{part!r} is not taken in a selector. {right}{_RIGHT}.")
    if found := _ENGINE.match(css) or _EARLY.match(css):
        instead = _WORDS.get(found[1].removeprefix("internal:").lower())
        right = f"Write {instead}. " if instead else ""
        raise WorkflowError(f"{found[0].strip()!r} is not CSS. {right}{_RIGHT}.")
    if call := _CALL.match(css):
        raise WorkflowError(f"{call[0].strip()!r} is code of Playwright. {_RIGHT}.")
    if css.lstrip().startswith(_PATHS):
        raise WorkflowError(f"{css[:80]!r} is not CSS: XPath and texts are not taken. {_RIGHT}.")
    if ":text-matches" in unescape_selector(css).casefold():
        raise WorkflowError(f'{css[:80]!r} holds a pattern. Write :has-text("…"). {_RIGHT}.')


def get_field_selector(rule: str) -> str:
    """The CSS of a rule that reads a field: "a" of "a@href", nothing of "@href"."""
    at = rule.rfind("@")
    return rule[:at].strip() if at >= 0 and "]" not in rule[at:] else rule


def check_role_selector(role: str) -> None:
    """Refuse what is no role: Playwright would read a selector out of it."""
    if not _ROLE.fullmatch(role):
        raise WorkflowError(f'{role[:80]!r} is no role. Write one word, such as "button".')


def unescape_selector(css: str) -> str:
    """The letters that a selector names, in whatever way it writes them."""
    return _ESCAPE.sub(_letter, css)


def _letter(found: re.Match[str]) -> str:
    if not found[1]:
        return str(found[2])
    number = int(found[1], 16)
    return chr(number) if 0 < number < 0x110000 else "\ufffd"


def check_selector(value: Json) -> None:
    """One CSS selector, or a bundle object; the forms of earlier times are refused by name."""
    if is_list(value):
        raise WorkflowError(f"a list of selectors is an earlier form. {_RIGHT}.")
    if isinstance(value, Mapping):
        if not value:
            raise WorkflowError(f"an empty bundle finds nothing. {_RIGHT}.")
        for key in ("css", "path"):
            check_css_selector(str(value.get(key) or ""))
        if not is_template(value.get("role")):
            check_role_selector(str(value.get("role") or ""))
        return
    if not isinstance(value, str) or not value.strip():
        raise WorkflowError(f"a selector is no {describe_kind(value)}. {_RIGHT}.")
    check_css_selector(value)
