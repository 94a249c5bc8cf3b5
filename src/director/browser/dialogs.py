"""Questions of a page: alert, confirm and prompt. A node says what to answer.

Without that an alert is accepted and told, and a question is dismissed and never passed over: the
node fails with its words, and nobody knows what came of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from playwright.async_api import Dialog

from director.browser.errors import BrowserError
from director.browser.session import Session
from director.browser.session_events import DialogEvent
from director.workflow.values import Json

Answer: TypeAlias = Callable[[Dialog], str | None]


class DialogUnanswered(BrowserError):
    """The page asked something that the node does not answer."""

    kind = "dialog"


def get_dialog_answer(given: Json) -> Answer | None:
    """What a node answers; None if it says nothing."""
    if given is None:
        return None
    if isinstance(given, Mapping):
        return lambda _: str(given["text"])
    return lambda _: "" if given == "accept" else None


def check_dialogs(session: Session) -> list[Json]:
    """The dialogs since the last check; an error if one of them was a question nobody answered."""
    dialogs = session.take_dialogs()
    for one in dialogs:
        if not one.is_expected:
            raise DialogUnanswered(
                f"The page asked ({one.type}): {one.message!r}. It was dismissed, since the node "
                "does not say what to answer. Whether anything was done is not known. Give the "
                'node on_dialog: "accept", "dismiss" or {"text": "…"}.'
            )
    return [_as_json(one) for one in dialogs]


def _as_json(one: DialogEvent) -> Json:
    return {"type": one.type, "message": one.message, "answer": one.answer}
