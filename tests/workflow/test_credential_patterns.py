"""Keys and tokens are known by their look, and nothing else is."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from director.workflow.credential_patterns import find_credentials, hide_credentials
from director.workflow.display import render_value
from director.workflow.sensitive import HIDDEN, mask_sensitive, replace_sensitive

ROOT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("DIRECTOR_SHARED", ROOT.parent / "shared"))
SETS = sorted((SHARED / "eval" / "data").glob("*.jsonl.gz"))
BODY = "q7Zr2LmX9cVb4NtK8wYd3HsJ6pGf1DaE5uTo"
# Written in two halves: a scanner of repositories must not take this file for a leak.
KEYS = (
    f"sk-proj-{BODY}",
    f"sk-ant-api03-{BODY}",
    f"sk-{BODY}",
    f"ghp_{BODY}",
    f"github_pat_{BODY}{BODY}",
    f"glpat-{BODY[:20]}",
    f"xoxb-123456789012-{BODY}",
    "AKIA" + "IOSFODNN7EXAMPLE",
    f"AIza{BODY[:35]}",
    f"sk_live_{BODY[:24]}",
    f"npm_{BODY}",
    f"hf_{BODY}",
    f"SG.{BODY[:22]}.{BODY}xyz",
    f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.{BODY}",
    f"-----BEGIN RSA PRIVATE KEY-----\n{BODY}\n{BODY}\n-----END RSA PRIVATE KEY-----",
)
PLAIN = (
    "550e8400-e29b-41d4-a716-446655440000",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "6925073b1c5d4e0f9a8b7c6d5e4f3a2b1c0d9e8f",
    "INV-2026-004711",
    "sk-learn",
    "risk-assessment-of-the-whole-portfolio-2026",
    "AKIA",
    "call_Kx7b2QwErTyUiOpAsDfGhJkL",
    "resp_68af4030592c81938ec0a5fbab4a3e9f05438e46b5f69a3b",
    "token usage: 12345678901234567890",
    "password: please choose a new one",
    "pk_test_51H8sQ2eZvKYlo2C0aBcDeFg",
    "the token is documented in section-4.2.1-of-the-manual",
    "https://shop.example/p/9781449355739?ref=nav_logo&page=2",
)


@pytest.mark.parametrize("key", KEYS, ids=[key[:10] for key in KEYS])
def test_a_key_is_hidden_whatever_its_name_is(key: str) -> None:
    """Alone, in a sentence, in a list and in an object with a harmless name."""
    assert render_value("column_3", key) == HIDDEN
    for value in (f"Use {key} for it.", [key], {"note": f"x {key}"}, json.dumps({"note": key})):
        assert key[-12:] not in json.dumps(mask_sensitive(value, name="note")), value


@pytest.mark.parametrize("text", PLAIN)
def test_ids_hashes_and_words_are_no_keys(text: str) -> None:
    """What only looks long or odd is shown."""
    assert find_credentials(text) == []
    assert mask_sensitive(text, name="note") == text


@pytest.mark.parametrize(
    "text", ["api_key={}", 'token: "{}"', "Authorization: Bearer {}", "the password is {}"]
)
def test_an_odd_value_is_hidden_where_its_name_says_what_it_is(text: str) -> None:
    """The value is hidden, its name stays."""
    hidden = hide_credentials(text.format(BODY), HIDDEN)
    assert BODY not in hidden
    assert hidden.startswith(text.partition("{}")[0])


@given(st.binary(min_size=1, max_size=40), st.sampled_from(["", "id ", "commit ", "etag: "]))
def test_no_hash_and_no_uuid_is_ever_taken_for_a_key(seed: bytes, before: str) -> None:
    """Whatever the digits are."""
    digest = hashlib.sha256(seed).hexdigest()
    ids = (digest, digest[:40], digest[:32], str(uuid.UUID(digest[:32])))
    assert not any(find_credentials(f"{before}{one}") for one in ids)


def test_a_value_is_only_shown_less_and_never_moved_by_its_look() -> None:
    """A run keeps what it read: only names put a value into the vault."""
    assert replace_sensitive("note", KEYS[0], lambda _, __: "moved") == KEYS[0]


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


@pytest.mark.slow
@pytest.mark.skipif(not SETS, reason="no recorded runs beside the project")
@pytest.mark.parametrize("path", SETS, ids=[path.name.partition(".")[0] for path in SETS])
def test_nothing_in_a_recorded_set_is_taken_for_a_key(path: Path) -> None:
    """Millions of characters of ids, hashes, UUIDs, code and pages: none is a secret."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        texts = [text for line in lines for text in _texts(json.loads(line))]
    found = [text[one.start : one.end] for text in texts for one in find_credentials(text)]
    assert len(texts) > 100
    assert found == []
