"""Sealing: what was sealed opens with the same key, for the same purpose, unchanged."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from director.secrets import KeyFile, Seal, VaultError

KEY = bytes(range(32))


@given(st.binary(max_size=200))
def test_what_was_sealed_opens_again_and_never_looks_the_same(content: bytes) -> None:
    """Twice sealed is twice different."""
    seal = Seal(KEY)
    one, other = seal.close(content, "x"), seal.close(content, "x")
    assert one != other
    assert Seal(KEY).open(one, "x") == Seal(KEY).open(other, "x") == content


def test_another_key_purpose_or_a_changed_byte_opens_nothing() -> None:
    """And the error holds no content."""
    sealed = Seal(KEY).close(b"content", "x")
    changed = [
        sealed[:place] + bytes([sealed[place] ^ 1]) + sealed[place + 1 :]
        for place in range(len(sealed))
    ]
    for broken in (*changed, sealed[:-1], sealed + b"x", b"", sealed[:20]):
        with pytest.raises(VaultError, match="cannot be opened"):
            Seal(KEY).open(broken, "x")
    with pytest.raises(VaultError, match="The y cannot be opened"):
        Seal(KEY).open(sealed, "y")
    with pytest.raises(VaultError, match="another key"):
        Seal(bytes(32)).open(sealed, "x")


def test_a_key_that_is_missing_is_made_for_sealing_and_missed_for_opening(tmp_path: Path) -> None:
    """The file is private."""
    sealed = Seal(KeyFile(tmp_path / "key")).close(b"a", "x")
    assert Seal(KeyFile(tmp_path / "key")).open(sealed, "x") == b"a"
    assert (tmp_path / "key").stat().st_mode & 0o077 == 0
    with pytest.raises(VaultError, match="its key is not there"):
        Seal(KeyFile(tmp_path / "other")).open(sealed, "x")
