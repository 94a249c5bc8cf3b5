"""Selectors: a plain CSS text, or a bundle of ways to find one element. Checked, never run."""

from __future__ import annotations

import re
from collections.abc import Mapping

from director.workflow.paths import is_list, kind_of
from director.workflow.values import Json, WorkflowError

_PREFIX = re.compile(
    r"(text|act|xpath|role|css|id)\s*[:=](?!hover|focus|not|nth)\s*(.+)", re.DOTALL
)
_RIGHT = (
    'Write one CSS selector, such as "#login button", or a bundle such as '
    '{"role": "button", "name": "Sign in"}'
)


def selector(value: Json) -> None:
    """One CSS selector, or a bundle object; the forms of earlier times are refused by name."""
    if is_list(value):
        raise WorkflowError(f"a list of selectors is an earlier form. {_RIGHT}.")
    if isinstance(value, Mapping):
        if not value:
            raise WorkflowError(f"an empty bundle finds nothing. {_RIGHT}.")
        return
    if not isinstance(value, str) or not value.strip():
        raise WorkflowError(f"a selector is no {kind_of(value)}. {_RIGHT}.")
    if found := _PREFIX.match(value):
        raise WorkflowError(f"{found[1] + value[len(found[1])]!r} is not CSS. {_RIGHT}.")
    if value.startswith(("//", "(//", "./")):
        raise WorkflowError(f"XPath is not taken. {_RIGHT}.")
