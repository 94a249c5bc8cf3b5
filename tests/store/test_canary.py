"""A secret goes through a whole session; no form of its value is in any byte that was written."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from director.context.values import Summary
from director.secrets import Clear, SecretRefused, Vault, list_encoded_forms
from director.store.compression import compress_turns, preview_turn_compression
from director.store.export import export_thread, import_lines
from director.store.store import Store
from director.store.store_opening import open_store
from director.store.values import StoreError
from director.testing.store_drafts import (
    draft_agent_message,
    draft_call_result,
    draft_talk,
    draft_user_message,
)
from store.engines import ENGINES, file_of, prepared

CANARY = "Pä\"s's&w+ör=d<%20>/ \\ 漢字🦝?"
_SHOP = "https://shop.example"


def _session(store: Store, vault: Vault, other: Store) -> Iterator[str]:
    """A login with a secret, echoed by the page and raised in an error; yields what is exported."""
    reference = vault.put("shop-password", CANARY, _SHOP)
    net = vault.net()
    clear = vault.reveal(reference, f"{_SHOP}/login")
    logging.getLogger("director").warning("typing %s as %r from %s", reference, clear, vault)
    echoed = f"<input value={clear.use()!r}> you are logged in with {clear.use()}"
    store.append(
        "t",
        [
            *draft_talk(3),
            draft_user_message(f"log in with {reference}"),
            draft_agent_message(f"I type {reference}", ["call_1"]),
            draft_call_result("call_1", net.clean(echoed * 90)),
        ],
        reference={"pending": [str(reference)]},
    )
    store.put("run", "r", {"variables": {"password": str(reference)}}, f"uses {reference}")
    look = preview_turn_compression(store, "t")
    compress_turns(store, "t", look, Summary(f"Logged in with {reference}.", look.covers))
    yield from _refusals(store, vault, clear)
    lines = list(export_thread(store, "t"))
    import_lines(other, iter(lines))
    yield from lines


def _refusals(store: Store, vault: Vault, clear: Clear) -> Iterator[str]:
    """What is said when something goes wrong while the value is held."""
    log = logging.getLogger("director")
    try:
        vault.reveal(vault.reference("shop-password"), "https://evil.example")
    except SecretRefused as refused:
        log.exception("refused")
        yield str(refused)
    try:
        store.append(
            "t", [draft_user_message(f"held: {clear}"), draft_call_result("call_9", clear)]
        )  # type: ignore[arg-type]
    except (TypeError, StoreError) as refused:
        log.exception("not written")
        yield str(refused)


def _written(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _log_end(url: str) -> tuple[str, int]:
    """The file of the server's write-ahead log that is being written, and how far."""
    with psycopg.connect(url, autocommit=True) as connection:
        row = connection.execute("SELECT (pg_walfile_name_offset(pg_current_wal_lsn())).*")
        name, offset = row.fetchone() or ("", 0)
        return str(name), int(offset)


def _server_files(url: str, start: tuple[str, int]) -> Iterator[bytes]:
    """The pages of this database and the server's log since `start`, read through the server."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CHECKPOINT")
        pages = connection.execute(
            "SELECT pg_read_binary_file(f) FROM (SELECT pg_relation_filepath(c.oid) AS f"
            " FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace"
            " WHERE nspname IN ('public', 'pg_toast') AND relkind IN ('r', 'i', 't')) AS files"
        )
        yield from (bytes(row[0]) for row in pages)
        last, end = _log_end(url)
        begun = start[1] if last == start[0] else 0
        log = connection.execute(
            "SELECT pg_read_binary_file('pg_wal/' || %s, %s, %s)", (last, begun, end - begun)
        )
        yield from (bytes(row[0]) for row in log)


def _found(places: dict[str, bytes], forms: dict[str, bytes]) -> list[str]:
    return [
        f"{form} in {place}"
        for place, content in places.items()
        for form, look_for in forms.items()
        if look_for in content
    ]


@pytest.mark.promise("D1")
@pytest.mark.parametrize("engine", ENGINES)
def test_no_form_of_a_secret_is_in_any_byte(
    engine: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Database pages, write-ahead log, vault, exports, logs and messages are all swept."""
    caplog.set_level(logging.DEBUG)
    url, copy = prepared(engine, tmp_path), prepared("sqlite", tmp_path)
    vault, start = Vault(tmp_path / "vault"), ("", 0)
    if engine == "postgresql":
        start = _log_end(url)
    with open_store(url) as store, open_store(copy) as other:
        spoken = "\n".join(_session(store, vault, other))
        places = _written(tmp_path)
        if engine == "postgresql":
            places |= {f"page {n:04}": page for n, page in enumerate(_server_files(url, start))}
    places |= {f"closed {name}": content for name, content in _written(tmp_path).items()}
    places |= {"said": spoken.encode(), "log": caplog.text.encode()}
    assert b"secret:shop-password" in b"".join(places.values())
    last = f"{file_of(url)}-wal" if engine == "sqlite" else max(p for p in places if "page" in p)
    assert b"secret:shop-password" in places[last]
    assert _found(places, list_encoded_forms(CANARY)) == []


@pytest.mark.promise("D1")
def test_the_sweep_finds_a_secret_that_was_written(tmp_path: Path) -> None:
    """Were the value itself said, the same sweep would find it."""
    with closing(open_store(prepared("sqlite", tmp_path))) as store:
        store.append("t", [draft_user_message(CANARY)])
        assert _found(_written(tmp_path), list_encoded_forms(CANARY))
