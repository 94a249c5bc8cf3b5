"""A value in a script file and where it stands, so that every mistake can name its place.

Reads JSON values only; it must never guess what an author may have meant, only suggest it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from director.models.script_values import ScriptError

_NAMES = (
    (bool, "true or false"),
    (str, "a text"),
    (int, "a number"),
    (float, "a number"),
    (list, "a list"),
    (dict, "an object"),
)


def quote_spotted_names(names: Collection[str]) -> str:
    """Names in a sentence: quoted and with commas."""
    return ", ".join(f'"{name}"' for name in names)


def suggest_spotted_name(name: str, known: Collection[str]) -> str:
    """A suggestion for a misspelt name, or nothing."""
    close = get_close_matches(name.lower(), list(known), n=1, cutoff=0.6)
    return f' (did you mean "{close[0]}"?)' if close else ""


@dataclass(frozen=True, slots=True)
class Spot:
    """One value of a script: `at` is its path, such as steps[2][0]."""

    value: object
    at: str = ""
    script: str = "script"

    def wrong(self, message: str) -> ScriptError:
        """The error that names this place."""
        return ScriptError(f"{self.script}: {self.at or 'top level'}: {message}")

    def of(self, value: object, step: str) -> Spot:
        """A value inside this one."""
        joined = step if step.startswith("[") or not self.at else f".{step}"
        return Spot(value, self.at + joined, self.script)

    def kind(self) -> str:
        """What sort of value stands here, in words."""
        return next((name for kind, name in _NAMES if isinstance(self.value, kind)), "null")

    def text(self) -> str:
        """The text that must stand here."""
        if not isinstance(self.value, str):
            raise self.wrong(f"needs a text, not {self.kind()}")
        return self.value

    def number(self, least: float = 0) -> float:
        """The number that must stand here."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self.wrong(f"needs a number, not {self.kind()}")
        if not least <= self.value < float("inf"):
            raise self.wrong(f"needs a number of at least {least:g}, not {self.value}")
        return self.value

    def count(self, least: int = 0) -> int:
        """The whole number that must stand here."""
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            found = str(self.value) if isinstance(self.value, float) else self.kind()
            raise self.wrong(f"needs a whole number, not {found}")
        return int(self.number(least))

    def flag(self) -> bool:
        """The true or false that must stand here."""
        if not isinstance(self.value, bool):
            raise self.wrong(f"needs true or false, not {self.kind()}")
        return self.value

    def choice(self, known: Collection[str], what: str = "value") -> str:
        """The one of some names that must stand here."""
        name = self.text()
        if name not in known:
            hint = suggest_spotted_name(name, known)
            wrong = f'there is no {what} "{name}"{hint}; there are {quote_spotted_names(known)}'
            raise self.wrong(wrong)
        return name

    def all(self, what: str = "a list") -> list[Spot]:
        """The parts of the list that must stand here."""
        if not isinstance(self.value, list):
            raise self.wrong(f"needs {what}, not {self.kind()}")
        return [self.of(each, f"[{place}]") for place, each in enumerate(self.value)]

    def parts(self, form: str) -> dict[str, Spot]:
        """The values of the object that must stand here, under any names."""
        if not isinstance(self.value, Mapping):
            raise self.wrong(f"needs an object such as {form}, not {self.kind()}")
        return {str(key): self.of(each, str(key)) for key, each in self.value.items()}

    def fields(self, known: Collection[str], need: Collection[str], form: str) -> dict[str, Spot]:
        """The fields of the object that must stand here: only known ones, and all needed."""
        found = self.parts(form)
        for name in found:
            if name not in known:
                raise self.wrong(
                    f'there is no key "{name}" here{suggest_spotted_name(name, known)}; '
                    f"the form is {form}"
                )
        missing = [name for name in need if name not in found]
        if missing:
            raise self.wrong(f"needs {quote_spotted_names(missing)}; the form is {form}")
        return found
