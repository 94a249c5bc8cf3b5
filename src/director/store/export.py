"""Threads and workflows as one self-contained file each, and back: same hashes, same times.

An export holds all versions of what belongs to it, and nothing of what a provider remembers. An
import is one transaction: all of a file or nothing of it. What is already there is never altered,
and a file that tells another story than the store is refused. No decision of the user arrives by
it: see `import_rules`.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from tempfile import TemporaryFile
from typing import TextIO, TypeVar

from sqlalchemy import Connection, Row, Table, insert, or_, select

from director.store import thread_log
from director.store.export_lines import (
    ImportLine,
    read_export_lines,
    refuse_export_line,
    write_export_lines,
)
from director.store.import_rules import (
    HELD_BACK,
    HeldBack,
    OriginAsked,
    list_import_owners,
    list_imported_origins,
    remove_imported_origins,
)
from director.store.large_values import (
    check_large_values_kept,
    find_hashes,
    keep_large_values,
    read_large_bytes,
    store_large_values,
)
from director.store.positions import Writing, take_more_positions
from director.store.record_owners import list_owned_records
from director.store.schema import entries, records, threads
from director.store.store import Store
from director.store.values import KINDS, Entry, Json, RecordDraft, StoreError, Versioned
from director.store.versioned_records import (
    get_record_version,
    hash_record_version,
    load_record_bodies,
    make_record_row,
    put_record_versions,
)

_AT_ONCE = 500
_THREAD = ("id", "workflow", "title", "at")
_OWNERS = ("workflow", "run")
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import brought, and how many entries and records were there before."""

    threads: int
    entries: int
    records: int
    known: int
    held_back: tuple[HeldBack, ...] = ()
    asked: tuple[OriginAsked, ...] = ()


def export_thread(store: Store, thread: str) -> Iterator[str]:
    """The lines of a thread: its entries, and the records that name it."""
    with store.database.reading() as connection:
        found = connection.execute(select(threads).where(threads.c.id == thread)).all()
        if not found:
            raise StoreError(f"There is no thread {thread}. Nothing was exported.")
        yield from write_export_lines("thread", thread, _parts(connection, found, {thread}))


def export_workflow(store: Store, workflow: str) -> Iterator[str]:
    """The lines of a workflow: its threads, its records, and those of its threads."""
    with store.database.reading() as connection:
        asked = select(threads).where(threads.c.workflow == workflow)
        found = connection.execute(asked.order_by(threads.c.at, threads.c.id)).all()
        own = {workflow, *(row.id for row in found)}
        if not found and not list_owned_records(connection, own):
            raise StoreError(f"There is no workflow {workflow}. Nothing was exported.")
        yield from write_export_lines("workflow", workflow, _parts(connection, found, own))


def _parts(
    connection: Connection, found: Sequence[Row[*tuple[object, ...]]], own: set[str]
) -> Iterator[tuple[str, Json]]:
    for row in found:
        yield "thread", {name: getattr(row, name) for name in _THREAD}
        yield from _entries(connection, str(row.id))
    yield from _records(connection, list_owned_records(connection, own))


def _entries(connection: Connection, thread: str) -> Iterator[tuple[str, Json]]:
    after = 0
    while part := thread_log.read_thread_entries(connection, thread, after, after + _AT_ONCE):
        after = part[-1].seq
        for entry in part:
            yield (
                "entry",
                {
                    "thread": thread,
                    "seq": entry.seq,
                    "kind": entry.kind,
                    "body": entry.body,
                    "at": entry.at,
                    "before": entry.before,
                    "hash": entry.hash,
                },
            )


def _records(connection: Connection, own: set[tuple[str, str]]) -> Iterator[tuple[str, Json]]:
    """Every version of these records; kept bytes come before the first that names them."""
    columns = [column for column in records.c if column.name != "position"]
    sent: set[str] = set()
    for kind, name in sorted(own):
        asked = select(*columns).where(records.c.kind == kind, records.c.id == name)
        rows = connection.execute(asked.order_by(records.c.version)).all()
        for row, body in zip(rows, load_record_bodies(connection, rows), strict=True):
            for hash_ in sorted(find_hashes(body) - sent):
                sent.add(hash_)
                content = b64encode(read_large_bytes(connection, hash_)).decode()
                yield "kept", {"hash": hash_, "base64": content}
            yield "record", {**row._mapping, "body": body}  # noqa: SLF001  its public name


def import_lines(store: Store, lines: Iterator[str], *, extend: bool = False) -> Imported:
    """Take an export in; a damaged line is refused by its number, and then nothing is written.

    `extend` also adds to the threads, records and workflows that are here already.
    """
    with TemporaryFile("w+", encoding="utf-8", errors="surrogatepass", newline="\n") as copy:
        # The whole is checked before others have to wait for it, and is never in memory.
        for _ in read_export_lines(_copy_lines(lines, copy)):
            pass
        copy.seek(0)
        with store.database.writing() as writing:
            intake = _Intake(writing, extend)
            for line in read_export_lines(copy):
                _TAKES[line.what](intake, line)
            return intake.finish()


def _copy_lines(lines: Iterable[str], copy: TextIO) -> Iterator[str]:
    for line in lines:
        copy.write(line)
        yield line


@dataclass(slots=True)
class _Intake:
    """What is new and not written yet, in the order of the file, and what is known by its place."""

    writing: Writing
    extend: bool
    threads: int = 0
    entries: int = 0
    records: int = 0
    known: int = 0
    new_entries: list[Entry] = field(default_factory=list)
    new_records: list[dict[str, object]] = field(default_factory=list)
    ends: dict[tuple[str, ...], tuple[int, str]] = field(default_factory=dict)
    there: dict[tuple[str, ...], dict[int, str]] = field(default_factory=dict)
    held: dict[tuple[str, str], HeldBack] = field(default_factory=dict)
    workflows: dict[str, Json] = field(default_factory=dict)
    made: set[tuple[str, str]] = field(default_factory=set)
    approved: dict[str, list[str]] = field(default_factory=dict)

    def thread(self, line: ImportLine) -> None:
        """A thread is made as it was, or is there already."""
        name = _get(line, "id", str)
        if ("thread", name) in self.ends:
            refuse_export_line(line.number, f"the thread {name} is in this file twice")
        workflow, title = _get(line, "workflow", str), _get(line, "title", str)
        at = _get(line, "at", float)
        row = {"id": name, "workflow": workflow, "title": title, "at": at}
        connection = self.writing.connection
        found = connection.execute(select(threads).where(threads.c.id == name)).first()
        if found is None:
            self._check_extends(line, {workflow, name}, f"the thread {name}")
            self.made.add(("thread", name))
            own = thread_log.hash_thread(name, workflow, title, at)
            connection.execute(insert(threads).values({**row, "hash": own}))
            self.threads += 1
        elif any(getattr(found, part) != row[part] for part in _THREAD):
            refuse_export_line(line.number, f"the store holds another thread of the id {name}")
        self._expect(("thread", name), entries, entries.c.seq, {"thread": name})

    def entry(self, line: ImportLine) -> None:
        """An entry continues its thread, and its hash is right."""
        thread, seq = _get(line, "thread", str), _get(line, "seq", int)
        kind, body, at = _get(line, "kind", str), _get(line, "body", dict), _get(line, "at", float)
        if kind not in KINDS:
            refuse_export_line(line.number, f"there is no entry of the kind {kind}")
        before, own = self._follow(line, ("thread", thread), seq)
        entry = Entry(thread, seq, kind, body, at, own, before, 0)
        if own != thread_log.hash_thread_entry(entry):
            refuse_export_line(
                line.number, f"the hash of entry {seq} of the thread {thread} is wrong"
            )
        if self._is_new(line, ("thread", thread), seq, own):
            self._check_grows(line, ("thread", thread))
            self.new_entries.append(replace(entry, position=self._position()))
            self.entries += 1
            self._write_some()

    def check_bytes(self, line: ImportLine) -> None:
        """Bytes that a record of this file names are what their hash says."""
        name = _get(line, "hash", str)
        try:
            content = b64decode(_get(line, "base64", str), validate=True)
        except ValueError:
            refuse_export_line(line.number, "this is not base64")
        if keep_large_values(self.writing.connection, [content]) != [name]:
            refuse_export_line(line.number, f"the hash of what is kept under {name} is wrong")

    def record(self, line: ImportLine) -> None:
        """A version continues its record, and its hash is right."""
        kind, name, number = (
            _get(line, "kind", str),
            _get(line, "id", str),
            _get(line, "version", int),
        )
        if kind in HELD_BACK:
            self.held[kind, name] = HeldBack(kind, name, _get(line, "body", dict))
            return
        place = ("record", kind, name)
        if place not in self.there:
            self._expect(place, records, records.c.version, {"kind": kind, "id": name})
        before, own = self._follow(line, place, number)
        body, reason = _get(line, "body", dict), _get(line, "reason", str)
        at = _get(line, "at", float)
        version = Versioned(kind, name, number, body, reason, at, self._position())
        if own != hash_record_version(before, version):
            refuse_export_line(
                line.number, f"the hash of version {number} of the {kind} {name} is wrong"
            )
        if self._is_new(line, place, number, own):
            self._check_grows(line, place)
            self._check_extends(line, list_import_owners(name, body), f"the {kind} {name}")
            if kind == "conversation" and self._was_here(name):
                # Which thread a workflow is talked about in is the user's to say.
                self.held[kind, name] = HeldBack(kind, name, body)
                return
            self._note_new(line, kind, name, body)
            check_large_values_kept(self.writing.connection, [body])
            stored = store_large_values(self.writing.connection, [body])[0]
            self.new_records.append(make_record_row(version, stored, before))
            self.records += 1
            self._write_some()

    def finish(self) -> Imported:
        """Write the rest, and take from the workflows the origins that nobody approved here."""
        self._write()
        connection, taken = self.writing.connection, self._position() - 1
        drafts, asked = self._narrow_origins()
        put_record_versions(Writing(connection, taken, self.writing.at), drafts)
        taken += len(drafts)
        take_more_positions(self.writing, taken - self.writing.taken)
        held = tuple(one for one in self.held.values() if not self._is_here(one))
        return Imported(self.threads, self.entries, self.records, self.known, held, tuple(asked))

    def _narrow_origins(self) -> tuple[list[RecordDraft], list[OriginAsked]]:
        drafts: list[RecordDraft] = []
        every: list[OriginAsked] = []
        for name, body in self.workflows.items():
            narrowed, asked = remove_imported_origins(name, body, self.approved[name])
            if asked:
                drafts.append(RecordDraft("workflow", name, narrowed, "origins are asked for"))
                every += asked
        return drafts, every

    def _is_here(self, held: HeldBack) -> bool:
        found = get_record_version(self.writing.connection, held.kind, held.id, None)
        return found is not None and found.body == held.body

    def _check_grows(self, line: ImportLine, place: tuple[str, ...]) -> None:
        """Refuse to go on with what is here already, unless that was asked for."""
        if self.there[place] and not self.extend:
            refuse_export_line(
                line.number,
                f"{' '.join(place)} is here already and would be continued; --extend does that",
            )

    def _check_extends(self, line: ImportLine, owners: set[str], what: str) -> None:
        """Refuse to add to a workflow, thread or run that is here, unless that was asked for."""
        found = next((one for one in sorted(owners) if self._was_here(one)), None)
        if found is not None and not self.extend:
            refuse_export_line(
                line.number,
                f"{what} would be added to {found}, which is here already; --extend does that",
            )

    def _was_here(self, name: str) -> bool:
        """Whether a thread, workflow or run of this name is here that this file did not bring."""
        talked = select(threads.c.id).where(or_(threads.c.id == name, threads.c.workflow == name))
        own = select(records.c.kind).where(records.c.id == name, records.c.kind.in_(_OWNERS))
        connection = self.writing.connection
        found = {("thread", each) for each in connection.execute(talked).scalars()} if name else ()
        kinds = connection.execute(own.distinct()).scalars()
        return not {*found, *((kind, name) for kind in kinds)} <= self.made

    def _note_new(self, line: ImportLine, kind: str, name: str, body: Json) -> None:
        """Remember what this import makes, and what was approved before it for a workflow."""
        if kind == "workflow":
            if "/" in name or not name.isprintable():
                refuse_export_line(line.number, f"a workflow cannot be called {name[:200]!r}")
            if name not in self.workflows:
                found = get_record_version(self.writing.connection, "workflow", name, None)
                self.approved[name] = list_imported_origins(found.body) if found else []
            self.workflows[name] = body
        if kind in _OWNERS and not self.there["record", kind, name]:
            self.made.add((kind, name))

    def _write_some(self) -> None:
        if len(self.new_entries) + len(self.new_records) >= _AT_ONCE:
            self._write()

    def _write(self) -> None:
        thread_log.write_thread_entries(self.writing.connection, self.new_entries)
        if self.new_records:
            self.writing.connection.execute(insert(records), self.new_records)
        self.new_entries, self.new_records = [], []

    def _expect(
        self, place: tuple[str, ...], table: Table, number: object, where: Mapping[str, str]
    ) -> None:
        """Begin a chain, and look up what the store already holds of it."""
        self.ends[place] = (0, "")
        asked = select(number, table.c.hash).filter_by(**where)  # type: ignore[call-overload]
        rows = self.writing.connection.execute(asked.select_from(table))
        self.there[place] = {int(each[0]): str(each[1]) for each in rows}

    def _follow(self, line: ImportLine, place: tuple[str, ...], number: int) -> tuple[str, str]:
        """The hash that this one must follow, and its own."""
        if place not in self.ends:
            refuse_export_line(line.number, f"its thread {place[1]} is not in this file")
        last, before = self.ends[place]
        if number != last + 1 or _get(line, "before", str) != before:
            refuse_export_line(
                line.number, f"it does not follow what came before in {' '.join(place)}"
            )
        own = _get(line, "hash", str)
        self.ends[place] = (number, own)
        return before, own

    def _is_new(self, line: ImportLine, place: tuple[str, ...], number: int, own: str) -> bool:
        known = self.there[place].get(number)
        if known is None:
            return True
        if known != own:
            refuse_export_line(
                line.number, f"the store holds something else at {number} of {' '.join(place)}"
            )
        self.known += 1
        return False

    def _position(self) -> int:
        return self.writing.taken + self.entries + self.records + 1


_TAKES = {
    "thread": _Intake.thread,
    "entry": _Intake.entry,
    "kept": _Intake.check_bytes,
    "record": _Intake.record,
}


def _get(line: ImportLine, name: str, kind: type[_T]) -> _T:
    """A field of a line, of the kind it must have."""
    value = line.value.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        refuse_export_line(line.number, f"{name} is missing or of the wrong kind")
    return value
