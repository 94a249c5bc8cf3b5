"""What stands for a secret: a reference, which has no content, and a clear value, which hides it.

A clear value is never shown by printing, formatting, copying, storing or a traceback with locals.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn, final

from director.errors import DirectorError

MARK = "[redacted]"
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")


class SecretRefused(DirectorError):
    """The secret was not handed out: the message names it and the origin, never its value."""


class FieldNotAllowed(SecretRefused):
    """The secret was not typed: the field is no password field, and the user did not allow it.

    `secret`, `origin` and `field` are what `Vault.allow_field` takes to allow it from now on.
    """

    def __init__(self, secret: str, origin: str, field: str) -> None:
        super().__init__(
            f"{{{{secret:{secret}}}}} was not typed on {origin!r}: {field!r} is no password field, "
            "and the user has not allowed it for this secret. Nothing was typed. Type it into a "
            "password field, or ask the user to allow this field."
        )
        self.secret, self.origin, self.field = secret, origin, field


@dataclass(frozen=True, slots=True)
class Reference:
    """The name of a secret, in the place where its value would stand."""

    name: str

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(
                "A secret's name has 1 to 128 letters of a-z A-Z 0-9 _ . - "
                "and begins with none of '.' and '-'."
            )

    def __str__(self) -> str:
        return f"{{{{secret:{self.name}}}}}"

    def __repr__(self) -> str:
        return str(self)

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


@final
class Clear:
    """A secret's value; `use()` gives its text, at the moment and place where it is needed."""

    # A function keeps the text: whoever lists the attributes sees no more than a function.
    __slots__ = ("_text",)
    _text: Callable[[], str]
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, text: str) -> None:
        object.__setattr__(self, "_text", lambda: text)

    def use(self) -> str:
        """The text. Hand it on at once; keep it in no variable."""
        return self._text()

    def __repr__(self) -> str:
        return f"Clear({MARK})"

    def __str__(self) -> str:
        return MARK

    def __format__(self, spec: str) -> str:
        return MARK

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Clear):
            return NotImplemented
        return hmac.compare_digest(
            self.use().encode("utf-8", "surrogatepass"),
            other.use().encode("utf-8", "surrogatepass"),
        )

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("A clear value does not change.")

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("A clear value is not copied, pickled or stored: keep its reference.")
