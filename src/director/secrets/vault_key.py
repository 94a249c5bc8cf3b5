"""Where the vault's key lives: a private file, or the system's keyring if that is chosen.

A key is 32 random bytes. It is never printed, and never replaced once something is sealed with it.
"""

from __future__ import annotations

import base64
import importlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast, final

from director.errors import DirectorError
from director.home import lock_file, make_private, write_private

SIZE = 32


class VaultError(DirectorError):
    """The vault cannot be used as asked; the message says why and what to do. Nothing was lost."""


class KeySource(Protocol):
    """A place that keeps the key."""

    def read(self) -> bytes | None:
        """The key, or None if there is none yet."""

    def make(self) -> bytes:
        """A new key, kept before it is returned."""


class Keyring(Protocol):
    """What is needed of the package `keyring`."""

    def get_password(self, service: str, username: str, /) -> str | None:
        """The text that was kept, or None."""

    def set_password(self, service: str, username: str, password: str, /) -> None:
        """Keep a text."""


@final
class GivenKey:
    """A key that the caller holds."""

    def __init__(self, key: bytes) -> None:
        if len(key) != SIZE:
            raise VaultError(f"A key of a vault has {SIZE} bytes, not {len(key)}.")
        self._read: Callable[[], bytes] = lambda: key

    def read(self) -> bytes:
        """The key."""
        return self._read()

    def make(self) -> bytes:
        """The same key: another one would not be known to the caller."""
        return self._read()


@final
@dataclass(eq=False, slots=True)
class KeyFile:
    """A key in a file of its own, which only its owner may read."""

    path: Path

    def __str__(self) -> str:
        return f"the key file {str(self.path)!r}"

    def read(self) -> bytes | None:
        """The key in the file; a file that others may read is closed to them first."""
        try:
            if os.name == "posix" and self.path.stat().st_mode & 0o077:
                self.path.chmod(0o600)
            return _check_key(_decode_key(self.path.read_bytes()), str(self))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise VaultError(f"Reading {self!s} failed: {error.strerror}.") from error

    def make(self) -> bytes:
        """A new key, on the disk before it is used; the one that another program made just now."""
        make_private(self.path.parent)
        with lock_file(self.path):
            if not self.path.exists():
                write_private(self.path, _encode_key(os.urandom(SIZE)))
        return _check_key(_decode_key(self.path.read_bytes()), str(self))


@final
class KeyringKey:
    """A key in the system's keyring."""

    def __init__(self, name: str, keyring: Keyring | None = None) -> None:
        self._name = name
        self._keyring = keyring or _system_keyring()

    def __str__(self) -> str:
        return f"the key {self._name!r} in the system's keyring"

    def _read_password(self) -> str | None:
        return self._keyring.get_password("director", self._name)

    def read(self) -> bytes | None:
        """The key in the keyring."""
        return (
            _check_key(key, str(self))
            if (key := _decode_key(self._read_password())) is not None
            else None
        )

    def make(self) -> bytes:
        """A new key, kept in the keyring before it is used."""
        self._keyring.set_password("director", self._name, _encode_key(os.urandom(SIZE)).decode())
        return _check_key(_decode_key(self._read_password()), str(self))


def _encode_key(key: bytes) -> bytes:
    return base64.urlsafe_b64encode(key) + b"\n"


def _decode_key(text: bytes | str | None) -> bytes | None:
    """The key; None for nothing; empty for what is no key, to be refused where it is not held."""
    if text is None:
        return None
    try:
        key = base64.b64decode(text.strip(), altchars=b"-_", validate=True)
    except ValueError:
        return b""
    return key if len(key) == SIZE else b""


def _check_key(key: bytes | None, place: str) -> bytes:
    if not key:
        raise VaultError(f"What is in {place} is not a key: put back a copy of the right one.")
    return key


def _system_keyring() -> Keyring:
    try:
        return cast("Keyring", importlib.import_module("keyring"))
    except ImportError as error:
        raise VaultError(
            "The system's keyring needs the package keyring: pip install keyring, "
            "or let the key stay in its file."
        ) from error
