"""The vault: secrets by name in one encrypted file, each bound to the origins it may be used on.

A value leaves only as `Clear`, and only for an origin it is bound to. No message, traceback or
file holds it otherwise: a function that holds a value or the key returns a verdict, and what
raises holds neither. A file that cannot be opened is left as it is.
"""

from __future__ import annotations

import difflib
import hashlib
import hmac
import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from director.distribution import install_line
from director.home import home, lock_file, make_private, write_private
from director.secrets.clear import Clear, Reference, SecretRefused
from director.secrets.encoded_forms import explain_unfit_secret, is_short_form
from director.secrets.origins import Origin, OriginError, parse_origin_binding, parse_page_origin
from director.secrets.redaction import Redactor
from director.secrets.secret_references import SecretReferences
from director.secrets.vault_key import GivenKey, KeyFile, KeySource, VaultError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

FILE = "vault"
_MAGIC = b"director vault 1\n"
_CHECK = 8
_NONCE = 12
_HEAD = len(_MAGIC) + _CHECK
_LONGEST_FIELD = 300


@dataclass(frozen=True, slots=True)
class AllowedField:
    """A field that is no password field, and into which the user lets a secret be typed.

    `name` describes the field as the browser does: its kind and the name the page gives it.
    """

    origin: Origin
    name: str


@dataclass(frozen=True, slots=True)
class StoredSecret:
    """A secret as the vault holds it."""

    value: Clear
    origins: tuple[Origin, ...]
    fields: tuple[AllowedField, ...] = ()


Content: TypeAlias = dict[str, StoredSecret]


class Vault:
    """An encrypted file of secrets; safe for many threads and programs at once.

    `key` is 32 bytes, a `KeyringKey`, or by default a private file beside the vault, which is made
    with the first secret.
    """

    def __init__(self, path: Path | str, key: bytes | KeySource | None = None) -> None:
        self._path = Path(path)
        given = GivenKey(key) if isinstance(key, bytes) else key
        self._key = given or KeyFile(self._path.with_name(f"{self._path.name}.key"))

    def __repr__(self) -> str:
        return f"Vault({str(self._path)!r})"

    def put(self, name: str, value: str | Clear, origins: str | Iterable[str]) -> Reference:
        """Keep a value under a name, for use on these origins only; replaces what was there."""
        hidden = Clear(value) if isinstance(value, str) else value
        del value
        reference = Reference(name)
        if reason := explain_unfit_secret(hidden.use()):
            raise VaultError(f"The secret {name!r} is not kept: {reason}.")
        bound = [
            parse_origin_binding(each)
            for each in ([origins] if isinstance(origins, str) else origins)
        ]
        if not bound:
            raise VaultError(f"The secret {name!r} is bound to no origin: name at least one.")
        held = StoredSecret(hidden, tuple(dict.fromkeys(bound)))
        self._change(lambda content: content.update({name: _with_fields(held, content.get(name))}))
        return reference

    def allow_field(self, name: str, origin: Origin | str, field: str) -> None:
        """Let a secret be typed into one more field of an origin that it is bound to."""
        allowed = AllowedField(self._check_origin(name, origin), _field_name(field))

        def change(content: Content) -> None:
            held = content[name]
            fields = tuple(dict.fromkeys((*held.fields, allowed)))
            content[name] = replace(held, fields=fields)

        self._change(change)

    def disallow_field(self, name: str, origin: Origin | str, field: str) -> None:
        """Let a secret no longer be typed into a field."""
        gone = AllowedField(self._check_origin(name, origin), field)

        def change(content: Content) -> None:
            fields = tuple(each for each in content[name].fields if each != gone)
            content[name] = replace(content[name], fields=fields)

        self._change(change)

    def fields(self, name: str) -> tuple[AllowedField, ...]:
        """The fields that the user allowed for a secret, beside password fields."""
        return self._get_secret(name).fields

    def allows_field(self, reference: Reference, origin: Origin | str, field: str) -> bool:
        """Whether the user allowed this field of this origin for the secret."""
        asked = AllowedField(self._check_origin(reference.name, origin), field)
        return asked in self._get_secret(reference.name).fields

    def remove(self, name: str) -> None:
        """Take a secret out of the vault."""
        self._get_secret(name)
        self._change(lambda content: content.pop(name, None))

    def names(self) -> tuple[str, ...]:
        """The names of all secrets, sorted."""
        return tuple(sorted(self._content()))

    def origins(self, name: str) -> tuple[Origin, ...]:
        """The origins a secret is bound to."""
        return self._get_secret(name).origins

    def is_short(self, name: str) -> bool:
        """Whether a secret has so few characters that it can be guessed."""
        return is_short_form(self._get_secret(name).value.use())

    def reference(self, name: str) -> Reference:
        """What stands for the secret wherever its value must not."""
        self._get_secret(name)
        return Reference(name)

    def reveal(self, reference: Reference, origin: Origin | str) -> Clear:
        """The value, for use on `origin` (or a page's address) and only if it is bound to it."""
        self._check_origin(reference.name, origin)
        return self._get_secret(reference.name).value

    def net(self) -> Redactor:
        """A net for all values in the vault."""
        return Redactor([held.value for held in self._content().values()])

    def stamp(self) -> bytes:
        """What changes with every change of the vault; it says nothing of what is in it."""
        try:
            return hashlib.sha256(self._path.read_bytes()).digest()
        except OSError:
            return b""

    def references(self, names: Iterable[str] | None = None) -> SecretReferences:
        """What puts references in the place of values: of these names, or of all."""
        content = self._content()
        chosen = content if names is None else [name for name in names if name in content]
        return SecretReferences({name: content[name].value for name in chosen})

    def _check_origin(self, name: str, origin: Origin | str) -> Origin:
        """The origin, if the secret is bound to it."""
        origins = self._get_secret(name).origins
        try:
            asked = parse_page_origin(origin) if isinstance(origin, str) else origin
        except OriginError as error:
            raise SecretRefused(
                f"The secret {name!r} is not used on this origin. {error}"
            ) from None
        if asked not in origins:
            raise SecretRefused(
                f"The secret {name!r} is not used on {str(asked)!r}: "
                f"it is bound to {', '.join(map(str, origins))}."
            )
        return asked

    def _get_secret(self, name: str) -> StoredSecret:
        content = self._content()
        if name in content:
            return content[name]
        near = difflib.get_close_matches(name, content, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise VaultError(f"There is no secret {name!r} in the vault.{hint}")

    def _content(self) -> Content:
        try:
            sealed = self._path.read_bytes()
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise VaultError(self._says(f"cannot be read: {error.strerror}.")) from error
        opened = _unseal_content(load_cipher(), sealed, self._key.read())
        if isinstance(opened, str):
            raise VaultError(self._says(opened))
        return opened

    def _change(self, change: Callable[[Content], object]) -> None:
        try:
            make_private(self._path.parent)
            with lock_file(self._path):
                content = self._content()
                change(content)
                write_private(
                    self._path,
                    _seal_content(load_cipher(), content, self._key.read() or self._key.make()),
                )
        except OSError as error:
            raise VaultError(
                self._says(f"could not be written: {error.strerror}. It is as it was before.")
            ) from None

    def _says(self, what: str) -> str:
        return f"The vault {str(self._path)!r} {what}"


def open_vault(environ: Mapping[str, str] | None = None) -> Vault:
    """The vault in the data folder."""
    return Vault(home(environ) / FILE)


def load_cipher() -> type[AESGCM]:
    """The cipher that seals the vault, from the package that has it."""
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError as error:
        raise VaultError(
            f"The vault needs the package cryptography: {install_line('store')}."
        ) from error
    return AESGCM


def _with_fields(held: StoredSecret, before: StoredSecret | None) -> StoredSecret:
    """A new value keeps the fields that were allowed on the origins that it is still bound to."""
    fields = before.fields if before else ()
    return replace(held, fields=tuple(each for each in fields if each.origin in held.origins))


def _field_name(field: str) -> str:
    if not field.strip() or len(field) > _LONGEST_FIELD:
        raise VaultError(
            f"A field is named in 1 to {_LONGEST_FIELD} characters, such as 'text name=user'."
        )
    return field


def _head(key: bytes) -> bytes:
    # Tells a wrong key from a damaged file; of a random key it gives nothing away.
    return _MAGIC + hmac.digest(key, b"which key", hashlib.sha256)[:_CHECK]


def _seal_content(cipher: type[AESGCM], content: Mapping[str, StoredSecret], key: bytes) -> bytes:
    nonce = os.urandom(_NONCE)
    return _head(key) + nonce + cipher(key).encrypt(nonce, _write_content(content), _head(key))


def _unseal_content(cipher: type[AESGCM], sealed: bytes, key: bytes | None) -> Content | str:
    """What the file holds, or why it cannot be opened."""
    from cryptography.exceptions import InvalidTag

    if not sealed.startswith(_MAGIC) or len(sealed) < _HEAD + _NONCE:
        return "is damaged, or not a vault of this version: put back a copy of it."
    if key is None:
        return "is there, but its key is not: put back a copy of the key."
    if not hmac.compare_digest(sealed[:_HEAD], _head(key)):
        return "was sealed with another key: put back a copy of the right one."
    nonce, rest = sealed[_HEAD : _HEAD + _NONCE], sealed[_HEAD + _NONCE :]
    try:
        return _parse_content(cipher(key).decrypt(nonce, rest, _head(key)))
    except (InvalidTag, ValueError, LookupError, TypeError, AttributeError):
        return "is damaged: put back a copy of it."


def _write_content(content: Mapping[str, StoredSecret]) -> bytes:
    return json.dumps(
        {
            name: {
                "value": held.value.use(),
                "origins": [str(each) for each in held.origins],
                "fields": [[str(each.origin), each.name] for each in held.fields],
            }
            for name, held in content.items()
        }
    ).encode()


def _parse_content(plain: bytes) -> Content:
    return {
        name: StoredSecret(
            Clear(kept["value"]),
            tuple(parse_origin_binding(each) for each in kept["origins"]),
            # A vault of an earlier version allows none.
            tuple(
                AllowedField(parse_origin_binding(at), field)
                for at, field in kept.get("fields", ())
            ),
        )
        for name, kept in json.loads(plain).items()
    }
