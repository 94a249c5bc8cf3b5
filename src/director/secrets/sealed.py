"""Sealing: bytes that only the holder of the vault's key can read or make.

For what is as good as a secret but too large or too many for the vault, such as a kept login.
Each purpose has a key of its own, so what was sealed for one is not opened as another.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from typing import Final, final

from director.secrets.vault import load_cipher
from director.secrets.vault_key import GivenKey, KeySource, VaultError

_MAGIC: Final = b"director sealed 1\n"
_NONCE: Final = 12


@final
class Seal:
    """Seals and opens bytes; `key` is the vault's: 32 bytes, a `KeyFile` or a `KeyringKey`."""

    def __init__(self, key: bytes | KeySource) -> None:
        self._key = GivenKey(key) if isinstance(key, bytes) else key

    def __repr__(self) -> str:
        return "Seal()"

    def close(self, content: bytes, purpose: str) -> bytes:
        """The bytes, sealed for a purpose; makes the key if there is none yet."""
        nonce = os.urandom(_NONCE)
        key = _derive_key(self._key.read() or self._key.make(), purpose)
        return _MAGIC + nonce + load_cipher()(key).encrypt(nonce, content, _MAGIC)

    def open(self, sealed: bytes, purpose: str) -> bytes:
        """The bytes that were sealed for this purpose."""
        key = self._key.read()
        if key is None:
            raise VaultError(f"The {purpose} is sealed and its key is not there: put back a copy.")
        opened = _decrypt(sealed, _derive_key(key, purpose))
        del key
        if opened is None:
            raise VaultError(
                f"The {purpose} cannot be opened: it is damaged, or was sealed with another key."
            )
        return opened


def _derive_key(key: bytes, purpose: str) -> bytes:
    return hmac.digest(key, purpose.encode(), hashlib.sha256)


def _decrypt(sealed: bytes, key: bytes) -> bytes | None:
    from cryptography.exceptions import InvalidTag

    start = len(_MAGIC) + _NONCE
    if not sealed.startswith(_MAGIC):
        return None
    try:
        return load_cipher()(key).decrypt(sealed[len(_MAGIC) : start], sealed[start:], _MAGIC)
    except (InvalidTag, ValueError):
        return None
