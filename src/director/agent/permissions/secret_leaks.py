"""Values of secrets that stand in a conversation: found when they enter the vault, then replaced.

A user may type a password into the chat. It was sent then, and that cannot be undone; the user is
told so. From the moment the vault knows the value, whatever is sent or stored has the reference in
its place, and the provider's memory of the conversation is not built on any more. Only values that
were said already are looked for in what a model writes: no model can find out others by guessing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, cast, runtime_checkable

from director.agent.conversation.current_thread import store_notice
from director.models import Model
from director.secrets import Clear, Reference, SecretReferences, Vault
from director.store import Entry, Store
from director.store.purge_text import Rewritten

KIND = "secret_leak"
NONE = SecretReferences({})


@runtime_checkable
class KnowsReferences(Protocol):
    """What puts references in the place of values; the vault does."""

    def references(self, names: Iterable[str] | None = None) -> SecretReferences:
        """For these secrets, or for all."""


@dataclass(frozen=True, slots=True)
class SecretLeak:
    """A secret whose value was said: the messages that hold it by thread, and who was sent it."""

    name: str
    entries: Mapping[str, Sequence[int]]
    models: tuple[str, ...] = ()

    def __str__(self) -> str:
        seqs = [seq for found in self.entries.values() for seq in found]
        where = ", ".join(map(str, seqs[:8])) + (" and more" if len(seqs) > 8 else "")
        several = "messages" if len(seqs) > 1 else "message"
        sent = f"It was already sent to {', '.join(self.models)}" if self.models else "It was kept"
        return (
            f"The value of {Reference(self.name)} stands in {several} {where} of this conversation."
            f" {sent}, and nothing can undo that: if you do not trust them with it, change it at "
            "the site. From now on its reference is sent and stored instead, and the provider's "
            "memory of this conversation is not used again. To remove it from the stored messages "
            f"as well: director purge --secret {self.name} (in the chat: /purge {self.name})."
        )


def record_secret_leak(
    store: Store, vault: Vault, name: str, value: str | Clear, origins: Iterable[str]
) -> SecretLeak | None:
    """Put a value into the vault; if it was said in a conversation before, what is to be told.

    The conversations that hold it get a word about it, and are sent anew from now on.
    """
    vault.put(name, value, list(origins))
    del value
    leak = _find(store, vault.references([name]), name, short=vault.is_short(name))
    if leak is None:
        return None
    before = store.get(KIND, name)
    body = {"name": name, "entries": dict(leak.entries), "models": list(leak.models)}
    store.put(KIND, name, body, "said before", expect=before.version if before else 0)
    for thread in leak.entries:
        store.set_reference(thread, None)
        store_notice(store, thread, str(leak))
    return leak


def _find(
    store: Store, references: SecretReferences, name: str, *, short: bool
) -> SecretLeak | None:
    found: dict[str, list[int]] = {}
    models: dict[str, None] = {}
    for thread in store.threads():
        for entry in store.entries(thread):
            if _holds(entry, references, short=short):
                found.setdefault(thread, []).append(entry.seq)
            if thread in found and entry.kind == "agent" and entry.body.get("model"):
                models[str(entry.body["model"])] = None
    return SecretLeak(name, found, tuple(models)) if found else None


def _holds(entry: Entry, references: SecretReferences, *, short: bool) -> bool:
    """Whether an entry holds the value; a short one stands in many texts that do not mean it."""
    if short and entry.kind != "user":
        return False
    return references.replace_in(entry.body) != entry.body


def list_leak_references(store: Store, vault: object) -> SecretReferences:
    """What replaces the values that were said in some conversation."""
    names = store.ids(KIND) if isinstance(vault, KnowsReferences) else []
    return cast("KnowsReferences", vault).references(names) if names else NONE


def find_secret_leaks(store: Store) -> list[SecretLeak]:
    """The secrets whose values stand in stored messages; those that were purged do not."""
    found = [one.body for one in store.newest(KIND, "")]
    told = [
        SecretLeak(
            str(one["name"]),
            cast("Mapping[str, Sequence[int]]", one["entries"]),
            tuple(map(str, cast("Sequence[str]", one["models"]))),
        )
        for one in found
    ]
    return [one for one in told if one.entries]


def compute_leak_stamp(store: Store) -> tuple[tuple[str, int], ...]:
    """What changes whenever one more value was found."""
    return tuple((one.id, one.version) for one in store.newest(KIND, ""))


def guard_model_from_leaks(model: Model, store: Store, vault: object) -> Model:
    """The model, which is sent references in the place of values that were said before."""
    model.hide = lambda value: list_leak_references(store, vault).replace_in(value)
    return model


def purge_leaked_secret(store: Store, vault: Vault, name: str) -> Rewritten:
    """Rewrite all that is stored without the value of a secret; there is no way back."""
    references = vault.references([vault.reference(name).name])
    gone = store.purge_text(references.replace_in)
    for thread, seqs in gone.entries.items():
        listed = ", ".join(map(str, seqs))
        store_notice(store, thread, f"The value of {Reference(name)} was purged from {listed}.")
    if (before := store.get(KIND, name)) is not None:
        # It is still kept out of what is sent: somebody may have a copy of the conversation.
        body = {**before.body, "entries": {}}
        store.put(KIND, name, body, "purged", expect=before.version)
    return gone
