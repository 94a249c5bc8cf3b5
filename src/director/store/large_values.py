"""What is kept once, by its hash, beside entries and records: large texts, and bytes of images.

A body has its large texts put aside when it is written and back when it is read, unseen by the
caller. Bytes are kept by the caller, and named in a record as `{"$kept": hash}`. This module must
never alter or delete what is kept.
"""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import cast

from sqlalchemy import Connection, Row, bindparam, select
from sqlalchemy.dialects import postgresql, sqlite

from director.store.canonical import encode_canonical
from director.store.database import StoredData
from director.store.schema import blobs
from director.store.values import Json, StoreError

LARGE = 4096
"""A text of more bytes than this is kept once, by its hash, beside the entries."""

_START = 200
_BLOB = "$blob"
_KEPT = "$kept"
_HASH = re.compile("[0-9a-f]{64}")


def fold_texts(value: object, aside: dict[str, str] | None) -> object:
    """The value with each large text replaced by its hash; the texts are added to `aside`.

    Without an `aside` the texts stay where they are.
    """
    if isinstance(value, str):
        return value if aside is None or not _is_large(value) else _put_aside(value, aside)
    if isinstance(value, Mapping):
        inner = {name: fold_texts(item, aside) for name, item in value.items()}
        # An object that happens to look like a reference is wrapped, so it comes back as it was.
        return {_BLOB: {"plain": inner}} if _BLOB in inner else inner
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [fold_texts(item, aside) for item in value]
    return value


def unfold_texts(value: object, aside: Mapping[str, str]) -> object:
    """The value as it was given: the texts of `aside` are put back."""
    if isinstance(value, list):
        return [unfold_texts(item, aside) for item in value]
    if not isinstance(value, dict):
        return value
    reference = value.get(_BLOB)
    if isinstance(reference, str):
        return aside[reference]
    return {name: unfold_texts(item, aside) for name, item in _plain(value).items()}


def list_folded_hashes(value: object) -> set[str]:
    """The hashes of the texts that a folded value has put aside."""
    if isinstance(value, list):
        return set().union(*map(list_folded_hashes, value))
    if not isinstance(value, dict):
        return set()
    reference = value.get(_BLOB)
    if isinstance(reference, str):
        return {reference}
    return set().union(*map(list_folded_hashes, _plain(value).values()))


def find_hashes(value: object) -> set[str]:
    """The hashes of the kept bytes that a value names, folded or not."""
    if isinstance(value, Mapping):
        named = value.get(_KEPT)
        if len(value) == 1 and isinstance(named, str) and _HASH.fullmatch(named):
            return {named}
        return set().union(*map(find_hashes, value.values()))
    if isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray):
        return set().union(*map(find_hashes, value))
    return set()


def may_mention_kept_bytes(body: str) -> bool:
    """Whether a stored body may name kept bytes."""
    return f'"{_KEPT}"' in body


def may_mention_folded_texts(body: str) -> bool:
    """Whether a stored body may have put texts aside."""
    return f'"{_BLOB}"' in body


def encode_text(text: str) -> bytes:
    """A text as bytes, half characters and all."""
    return text.encode("utf-8", "surrogatepass")


def _is_large(text: str) -> bool:
    return len(text) > LARGE or (len(text) * 4 > LARGE and len(encode_text(text)) > LARGE)


def _put_aside(text: str, aside: dict[str, str]) -> object:
    name = hashlib.sha256(encode_text(text)).hexdigest()
    aside[name] = text
    return {_BLOB: name, "start": text[:_START]}


def _plain(value: dict[str, object]) -> dict[str, object]:
    wrapped = value.get(_BLOB)
    inner = wrapped["plain"] if isinstance(wrapped, dict) else value
    return cast("dict[str, object]", inner)


AT_ONCE = 500  # how many hashes one question may name
_CHOSEN = blobs.c.hash.in_(bindparam("hashes", expanding=True))
_PRESENT = select(blobs.c.hash).where(_CHOSEN)
_TEXTS = select(blobs.c.hash, blobs.c.body).where(_CHOSEN)


def keep_large_values(connection: Connection, contents: Iterable[bytes]) -> list[str]:
    """Write what is not there yet; the hash of each."""
    by_hash = {hashlib.sha256(content).hexdigest(): content for content in contents}
    there = find_present_large_values(connection, by_hash)
    rows = [
        {"hash": name, "body": zlib.compress(content)}
        for name, content in by_hash.items()
        if name not in there
    ]
    if rows:
        # Another writer may keep the same at this moment; all do it in one order, or they would
        # wait for one another.
        rows.sort(key=lambda row: str(row["hash"]))
        is_file = connection.dialect.name == "sqlite"
        insert = sqlite.insert(blobs) if is_file else postgresql.insert(blobs)
        connection.execute(insert.on_conflict_do_nothing(), rows)
    return list(by_hash)


def read_large_bytes(connection: Connection, name: str) -> bytes:
    """The bytes of a hash."""
    body = connection.execute(select(blobs.c.body).where(blobs.c.hash == name)).scalar()
    if body is None:
        raise StoreError(
            f"Nothing is kept under {name!r}. Check the hash; `director verify` says whether "
            "something is missing that should be there."
        )
    try:
        return zlib.decompress(body)
    except zlib.error:
        raise StoreError(
            f"What is kept under {name!r} is damaged. Everything else is as it was. Run "
            "`director verify` to see what else is, and open a backup."
        ) from None


def find_present_large_values(connection: Connection, hashes: Iterable[str]) -> set[str]:
    """Those of the hashes under which something is kept."""
    there: set[str] = set()
    wanted = sorted(hashes)
    for start in range(0, len(wanted), AT_ONCE):
        given = {"hashes": wanted[start : start + AT_ONCE]}
        there.update(connection.execute(_PRESENT, given).scalars())
    return there


def read_large_texts(connection: Connection, hashes: Iterable[str]) -> dict[str, str]:
    """The large texts of these hashes."""
    wanted = sorted(hashes)
    found: dict[str, str] = {}
    for start in range(0, len(wanted), AT_ONCE):
        given = {"hashes": wanted[start : start + AT_ONCE]}
        for name, body in connection.execute(_TEXTS, given):
            found[name] = zlib.decompress(body).decode("utf-8", "surrogatepass")
    return found


def check_large_values_kept(connection: Connection, bodies: Iterable[Json]) -> None:
    """Refuse bodies that name bytes which are not kept.

    Looked up in the transaction that writes: no purge can take them away meanwhile.
    """
    named = set().union(*map(find_hashes, bodies))
    missing = named - find_present_large_values(connection, named)
    if missing:
        raise StoreError(
            f"Nothing is kept under {min(missing)!r}, which is named in what was to be written. "
            "Nothing was written. Keep the bytes first and name the hash that you get."
        )


def store_large_values(connection: Connection, bodies: Iterable[Json]) -> list[str]:
    """The bodies as they are stored; their large texts are written if they are not there yet."""
    aside: dict[str, str] = {}
    stored = [encode_canonical(fold_texts(body, aside)) for body in bodies]
    if aside:
        keep_large_values(connection, map(encode_text, aside.values()))
    return stored


def restore_large_values(
    connection: Connection,
    rows: Sequence[Row[*tuple[object, ...]]],
    name: Callable[[Row[*tuple[object, ...]]], str],
) -> list[Json]:
    """The bodies of rows, with their large texts; `name` says in words what a row is."""
    bodies = [json.loads(row.body) for row in rows]
    folds = [may_mention_folded_texts(row.body) for row in rows]
    named = (list_folded_hashes(body) for body, fold in zip(bodies, folds, strict=True) if fold)
    aside = read_large_texts(connection, set().union(*named))
    return [
        _whole(body, aside, name(row)) if fold else body
        for row, body, fold in zip(rows, bodies, folds, strict=True)
    ]


def _whole(body: object, aside: Mapping[str, str], name: str) -> Json:
    try:
        return cast("Json", unfold_texts(body, aside))
    except KeyError:
        raise StoreError(
            f"A large text of {name} is missing. The rest is as it was. Run `director verify` to "
            "see what is damaged, and open a backup."
        ) from None


class StoredBytes(StoredData):
    """The bytes that are kept in a store. Each method is one transaction."""

    def keep(self, content: bytes) -> str:
        """Keep bytes, such as a screenshot, once; the hash that a record names them by."""
        with self._database.writing(names=()) as writing:
            return keep_large_values(writing.connection, [content])[0]

    def read_kept(self, hash: str) -> bytes:
        """The bytes that were kept under a hash."""
        with self.database.reading() as connection:
            return read_large_bytes(connection, hash)

    kept = read_kept  # its name of one release ago
