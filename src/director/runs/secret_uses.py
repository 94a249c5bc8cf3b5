"""The first use of a secret in a field: a person is asked, and the vault remembers the answer.

What a run finds in the store never allows anything: only the vault does, and it is written where a
person answers, never by a run. A refusal is kept in the store and stands until the person lifts it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, runtime_checkable

from director.secrets import FieldNotAllowed
from director.store import Store

if TYPE_CHECKING:
    from director.workflow.values import Json

KIND = "secret_use"
ALLOW, REFUSE = "allow it in this field", "do not type it"
State: TypeAlias = Literal["approved", "refused"]


@dataclass(frozen=True, slots=True)
class SecretUse:
    """A secret, the origin of the page, and the field by the name that the page gives it."""

    secret: str
    origin: str
    field: str

    @property
    def key(self) -> str:
        """What stands for exactly this use."""
        joined = f"{self.secret}\0{self.origin}\0{self.field}"
        return hashlib.sha256(joined.encode()).hexdigest()[:16]

    @property
    def question(self) -> str:
        """What a person is asked."""
        return (
            f"May {{{{secret:{self.secret}}}}} be typed on {self.origin} into the field "
            f"{self.field!r}? It is no password field: the page may show what is typed there. "
            "The answer is remembered for this field."
        )


@runtime_checkable
class FieldVault(Protocol):
    """Where an allowed field is remembered; the vault is one."""

    def allow_field(self, name: str, origin: str, field: str, /) -> None:
        """Let a secret be typed into one more field of an origin that it is bound to."""


@runtime_checkable
class BoundSecrets(Protocol):
    """What knows the origins that a secret is bound to; the vault is one."""

    def origins(self, name: str, /) -> tuple[object, ...]:
        """The origins a secret is bound to."""


def get_refused_secret_use(wanted: FieldNotAllowed) -> SecretUse:
    """The use that was not allowed."""
    return SecretUse(wanted.secret, wanted.origin, wanted.field)


def is_secret_use_refused(store: Store, use: SecretUse) -> bool:
    """Whether a person refused this use, and has not allowed it since."""
    found = store.get(KIND, use.key)
    return found is not None and found.body.get("state") == "refused"


def remember_secret_use(store: Store, use: SecretUse, state: State, vault: object | None) -> None:
    """Keep a person's answer: in the vault if it allows, in the store to be listed."""
    if state == "approved":
        if not isinstance(vault, FieldVault):
            raise TypeError("A field is allowed only where the vault is: answer it there.")
        vault.allow_field(use.secret, use.origin, use.field)
    store.put(KIND, use.key, {**asdict(use), "state": state}, state)


def list_secret_uses(store: Store) -> list[tuple[SecretUse, str]]:
    """Every use that a person answered, with the answer."""
    found = [one.body for one in store.newest(KIND) if "field" in one.body]
    return [(parse_secret_use(body), str(body.get("state"))) for body in found]


def parse_secret_use(body: Mapping[str, object]) -> SecretUse:
    """The use that a record or a question holds."""
    return SecretUse(str(body["secret"]), str(body["origin"]), str(body["field"]))


def describe_secret_use_bindings(store: Store, name: str, vault: object | None) -> str:
    """A word on the origins that a secret is bound to, which count as approved; only once."""
    if not isinstance(vault, BoundSecrets):
        return ""
    origins: list[Json] = [str(one) for one in vault.origins(name)]
    id_ = f"bound/{name}"
    before = store.get(KIND, id_)
    if before is not None and list(before.body.get("origins") or ()) == origins:  # type: ignore[call-overload]
        return ""
    store.put(KIND, id_, {"secret": name, "origins": origins}, "listed")
    return (
        f"{{{{secret:{name}}}}} is used here for the first time. It may be typed into password "
        f"fields of {', '.join(map(str, origins))}, because it is bound to them in the vault."
    )
