"""What leaves a service passes one place, which takes every form of a secret out of it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

import pytest

from director.errors import DirectorError
from director.secrets import Redactor, list_encoded_forms
from director.services.outgoing import Identifier, T, redact_result, redact_value

CANARY = "Correct-horse-9-battery"
NET = Redactor([CANARY])


class Row(NamedTuple):
    """A row with a text."""

    text: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A value with all kinds of things in it."""

    id: Identifier
    state: Literal["open", "done"]
    text: str
    more: tuple[object, ...] = ()


class Redacting:
    """What a use case is given first."""

    def redact(self, value: T) -> T:
        """The value without the canary."""
        return redact_value(value, NET)


@redact_result
def show(_: Redacting, text: str) -> Shown:
    """A use case that shows a text, or refuses an empty one."""
    if not text:
        raise DirectorError(f"No {CANARY}.", kept=f"Not {CANARY}.")
    return Shown("a", "open", text)


@redact_result
async def show_later(_: Redacting, text: str) -> list[bytes]:
    """A use case that waits."""
    return [text.encode()]


@pytest.mark.parametrize("form", list_encoded_forms(CANARY).values())
def test_no_form_of_a_secret_leaves(form: bytes) -> None:
    """Not in any kind of value that a service returns."""
    text = form.decode("utf-8", "surrogateescape")
    shown = Shown("a", "open", text, (Row(text), {text: [text]}, frozenset({text}), Path(text)))
    found = redact_value((shown, form), NET)
    assert text not in str(found)
    assert form not in found[1]


def test_what_holds_no_secret_is_the_same_object() -> None:
    """Nothing is copied that does not change."""
    shown = Shown("a", "open", "text")
    assert redact_value(shown, NET) is shown


def test_identifiers_and_closed_sets_stay() -> None:
    """A redacted address leads nowhere, and a state is nobody's text."""
    found = redact_value(Shown("open", "open", "open"), Redactor(["open"]))
    assert (found.id, found.state) == ("open", "open")
    assert found.text != "open"


def test_what_is_of_no_known_kind_is_refused() -> None:
    """Rather than passed on."""
    with pytest.raises(TypeError, match="cannot be redacted"):
        redact_value((object(),), NET)


def test_results_and_errors_of_a_use_case_are_redacted() -> None:
    """Of one that waits, too."""
    assert CANARY not in show(Redacting(), CANARY).text
    assert CANARY.encode() not in asyncio.run(show_later(Redacting(), CANARY))[0]
    with pytest.raises(DirectorError) as refused:
        show(Redacting(), "")
    assert CANARY not in str(refused.value)
