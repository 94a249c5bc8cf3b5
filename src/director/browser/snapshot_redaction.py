"""Taking the values of secret fields out of a page snapshot.

A value of four characters or more goes wherever it stands, in every form the net knows. A shorter
one, such as a digit of a code, goes from the fields and from the names around them, since it would
take half of the page with it. What comes out is the only text that anything else may see.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Protocol, TypeAlias

from director.secrets import Clear, Redactor
from director.secrets.clear import MARK
from director.secrets.encoded_forms import explain_unfit_secret

Clean: TypeAlias = Callable[[str], str]

_KEY = re.compile(r"^( *- )'((?:[^']|'')*)'(?=:|$)", re.MULTILINE)
_FIELD = re.compile(r"( *)- (?:textbox|searchbox|spinbutton|combobox|slider|generic)\b")
_VALUE = re.compile(r'(.*: )"?(.*?)"?$')
_UNSEEN = re.compile("[\u200b\u00ad]")


class Cleaner(Protocol):
    """What removes the values of the vault from a text: a net, or a session's."""

    def clean(self, text: str, /) -> str:
        """The text without them."""


def make_snapshot_redactor(values: Iterable[Clear], net: Cleaner | None) -> Clean:
    """A function that removes the values of a net, and then the long ones of a page's fields.

    In this order: what an agent typed into a field must not cut a value of the net in two.
    """
    own = Redactor(
        [
            Clear(form)
            for value in values
            for form in _forms(value)
            if not explain_unfit_secret(form)
        ]
    )

    def clean(text: str) -> str:
        return own.clean(net.clean(text) if net else text)

    return clean


def clean_snapshot(raw: str, values: Iterable[Clear], clean: Clean) -> str:
    """The snapshot without the values; a key that YAML quoted is written without its quotes."""
    # In a quoted key every ' is doubled, a form that no net knows.
    plain = _KEY.sub(lambda found: found[1] + found[2].replace("''", "'"), raw)
    short = {form for value in values for form in _forms(value) if explain_unfit_secret(form)}
    return clean(_without_short(plain, short) if short else plain)


def _forms(value: Clear) -> set[str]:
    """The value as typed, as a snapshot prints it, and its lines."""
    text = value.use()
    forms = {text, *text.splitlines()}
    forms |= {" ".join(_UNSEEN.sub("", form).split()) for form in forms}
    return {form for form in forms if form.strip()}


def _without_short(text: str, short: set[str]) -> str:
    """The text with each short value gone from fields and from the names of what holds them."""
    lines = text.split("\n")
    word = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(short)))})(?!\w)")
    above: list[tuple[int, int]] = []
    for at, line in enumerate(lines):
        depth = len(line) - len(line.lstrip(" "))
        while above and above[-1][0] >= depth:
            above.pop()
        if _holds(line, [lines[row] for _, row in above], short):
            lines[at] = _VALUE.sub(rf"\1{MARK}", line)
            for _, row in above:
                lines[row] = re.sub(
                    r'"(?:[^"\\]|\\.)*"', lambda f: word.sub(MARK, f[0]), lines[row]
                )
        above.append((depth, at))
    return "\n".join(lines)


def _holds(line: str, above: list[str], short: set[str]) -> bool:
    value = _VALUE.match(line)
    if value is None or value[2] not in short:
        return False
    inside = line.lstrip().startswith("- text: ") and above and _FIELD.match(above[-1])
    return bool(inside or _FIELD.match(line))
