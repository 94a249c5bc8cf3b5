"""A form that is sent once is hinted at when nothing would show that it was, or others fit too."""

from __future__ import annotations

import json
from typing import Any

import pytest

from director.workflow.document import read_workflow_document
from director.workflow.effect_hints import hint_at_proof

NAME = {"action": "type", "selector": "#name", "text": "{{customer.name}}"}
MAIL = {"action": "type", "selector": "#mail", "text": "{{customer.email}}"}
WORD = {"action": "type", "selector": "#word", "text": "{{secret:word}}"}
BY_NAME = {"element": {"role": "link", "name": "{{customer.name}}"}}
BY_BOTH = {"element": 'tr:has-text("{{customer.name}}")', "text": "{{customer.email}}"}


def hint(*fills: dict[str, Any], **more: Any) -> str:
    """What is said of a button that is pressed once after some fields were filled."""
    save = {"action": "click", "selector": "#save"}
    nodes = [
        {"id": f"n{place}", "alias": f"n{place}", "type": "browser_action", "config": config}
        for place, config in enumerate(fills)
    ]
    last = {"id": "save", "alias": "save", "type": "browser_action", "config": save}
    nodes.append({**last, **more})
    made = read_workflow_document(
        {"version": 3, "id": "w", "name": "W", "nodes": nodes, "inputs": []}
    )
    return " ".join(hint_at_proof(made.nodes[-1], made.nodes))


def test_a_form_without_a_proof_is_hinted_at() -> None:
    """With an example of what was typed."""
    found = hint(NAME, MAIL)
    assert '"happened": [{"element": "tr", "text": "{{customer.name}}"}]' in found


def test_a_condition_that_another_entry_fits_is_hinted_at() -> None:
    """With a second value that was typed; the example itself draws no hint."""
    found = hint(NAME, MAIL, ensures=[BY_NAME])
    assert found.startswith("'{{customer.name}}' alone may stand there before save")
    assert json.dumps(BY_BOTH) in found
    assert hint(NAME, MAIL, ensures=[BY_BOTH]) == ""


@pytest.mark.parametrize(
    ("fills", "more"),
    [
        ([], {}),
        ([NAME, WORD], {}),
        ([NAME, MAIL], {"effect": "idempotent"}),
        ([NAME, MAIL], {"ensures": [{"url": "*/done*"}]}),
        ([NAME], {"ensures": [BY_NAME]}),
        ([NAME, MAIL], {"proof": {"url": "https://a.test/", "happened": [BY_BOTH]}}),
        ([NAME, MAIL, {"action": "navigate", "url": "https://a.test/"}], {}),
        ([NAME], {"config": {"action": "click", "selector": {"role": "button", "name": "Search"}}}),
        ([NAME], {"config": {"action": "click", "selector": "#search_button"}}),
    ],
    ids=[
        "link",
        "login",
        "idempotent",
        "address",
        "one field",
        "proof",
        "elsewhere",
        "search",
        "search by id",
    ],
)
def test_what_shows_its_effect_or_sends_no_form_draws_no_hint(
    fills: list[dict[str, Any]], more: dict[str, Any]
) -> None:
    """Neither does a login."""
    assert hint(*fills, **more) == ""
