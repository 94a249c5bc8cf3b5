"""Secrets that a model asks the user for: what for, where it would be used, what became of it.

The value goes from the user into the vault, bound to the one origin that the user was shown; the
model gets the reference. A model cannot bind a secret that is there to another origin, and one
that the user refused is not asked for again. Who wrote the reason is shown with it.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, TypeAlias, cast

from director.agent.conversation.provenance import (
    ReadTexts,
    find_address_provenance,
    find_text_provenance,
)
from director.agent.permissions.origin_requests import ASKED
from director.agent.permissions.secret_leaks import SecretLeak, record_secret_leak
from director.secrets import Clear, Reference, SecretRefused, Vault, parse_origin_binding
from director.store import Store
from director.workflow.values import WorkflowError

KIND = "secret_request"
LONGEST = 300
# Keys of model providers, which are no business of a workflow.
_RESERVED = "model."
RequestState: TypeAlias = Literal["asked", "given", "refused"]


@dataclass(frozen=True, slots=True)
class SecretRequest:
    """A secret that is wanted on one origin; `reason_from` is the page that the reason stands on.

    `origin_from` is the page that the origin was read on, if the user did not name it.
    """

    name: str
    origin: str
    reason: str
    state: RequestState = "asked"
    thread: str = ""
    reason_from: str = ""
    origin_from: str = ""

    @property
    def key(self) -> str:
        """What stands for exactly this name and this origin."""
        return hashlib.sha256(f"{self.name}\0{self.origin}".encode()).hexdigest()[:16]

    @property
    def reference(self) -> str:
        """What stands for the value."""
        return str(Reference(self.name))

    @property
    def warning(self) -> str:
        """Where the words came from, if a page wrote them."""
        told = []
        if self.reason_from:
            told.append(f"The reason was written by the page {self.reason_from}, not by Director.")
        if self.origin_from:
            told.append(f"The address was read on the page {self.origin_from}.")
        return " ".join(told)

    @property
    def promise(self) -> str:
        """What happens to a value that is entered; the user decides by it."""
        return (
            f"It is kept in the vault as {self.name} and typed on {self.origin} only. No model is "
            f"shown it. Enter it only if you would type it on {self.origin} yourself."
        )


class SecretWanted(WorkflowError):
    """A tool needs a secret that is not in the vault: the user is to be asked."""

    def __init__(self, wanted: SecretRequest) -> None:
        super().__init__(
            f"{ASKED} for {wanted.reference}, to be used on {wanted.origin} only. "
            "Go on when the user says that it is there; you will never see its value."
        )
        self.wanted = wanted


def check_secret_request(store: Store, workflow: str, vault: Vault, wanted: SecretRequest) -> bool:
    """Whether the secret is there for this origin; raises if it may not even be asked for."""
    name = wanted.name
    if name.startswith(_RESERVED):
        raise SecretRefused(f"Names that begin with {_RESERVED!r} are not for workflows.")
    if name in vault.names():
        if parse_origin_binding(wanted.origin) in vault.origins(name):
            return True
        raise SecretRefused(
            f"There is a secret {name!r} already, for another site, and it stays there: a secret "
            "is never moved. Nothing was asked. Choose another name for this site."
        )
    before = store.get(KIND, f"{workflow}/{wanted.key}")
    if before is not None and before.body.get("state") == "refused":
        raise SecretRefused(
            f"The user did not want to enter {wanted.reference} for {wanted.origin}. Nothing was "
            "asked again. Go on without it; the user can enter it at any time."
        )
    return False


def parse_secret_request(name: str, origin: str, reason: str) -> SecretRequest:
    """A request in its one spelling; raises if the name, the origin or the reason cannot be."""
    try:
        Reference(name)
    except ValueError as wrong:
        raise WorkflowError(str(wrong)) from None
    said = " ".join("".join(c if c.isprintable() else " " for c in reason).split())
    if not said:
        raise WorkflowError("Say in the reason what the secret is needed for: the user reads it.")
    return SecretRequest(name, str(parse_origin_binding(origin)), said[:LONGEST])


def request_secret(store: Store, workflow: str, wanted: SecretRequest, read: ReadTexts) -> str:
    """Write down that a secret is wanted, with who wrote the words; its key."""
    sourced = replace(
        wanted,
        reason_from=find_text_provenance(wanted.reason, read),
        origin_from=find_address_provenance(wanted.origin, read),
    )
    _put(store, workflow, sourced)
    return wanted.key


def read_secret_requests(store: Store, workflow: str) -> list[SecretRequest]:
    """Every secret that was asked for, and what became of it."""
    found = store.newest(KIND, f"{workflow}/")
    return [SecretRequest(**cast("dict[str, Any]", dict(one.body))) for one in found]


def find_secret_request(store: Store, workflow: str, key: str) -> SecretRequest:
    """The request of a key."""
    found = next((one for one in read_secret_requests(store, workflow) if one.key == key), None)
    if found is None:
        raise WorkflowError("There is no such request for a secret. Nothing was changed.")
    return found


def give_requested_secret(
    store: Store, workflow: str, key: str, value: str | Clear, vault: Vault
) -> SecretLeak | None:
    """Put what the user entered into the vault, for the origin that was asked for and no other."""
    wanted = find_secret_request(store, workflow, key)
    if wanted.name in vault.names() and parse_origin_binding(wanted.origin) not in vault.origins(
        wanted.name
    ):
        raise SecretRefused(
            f"There is a secret {wanted.name!r} already, for another site. Nothing was changed."
        )
    leak = record_secret_leak(store, vault, wanted.name, value, [wanted.origin])
    _put(store, workflow, replace(wanted, state="given"))
    return leak


def refuse_requested_secret(store: Store, workflow: str, key: str) -> None:
    """Do not enter it: no model is asked to ask for it again."""
    _put(store, workflow, replace(find_secret_request(store, workflow, key), state="refused"))


def _put(store: Store, workflow: str, wanted: SecretRequest) -> None:
    id_ = f"{workflow}/{wanted.key}"
    before = store.get(KIND, id_)
    expect = before.version if before else 0
    store.put(KIND, id_, asdict(wanted), wanted.state, expect=expect)
