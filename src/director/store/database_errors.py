"""What a database complains about, in words that help: what happened, what was kept, what to do.

The words of the database itself are never passed on whole: they may quote what was being written.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from director.store.values import StoreAway, StoreError

_KEPT = "Nothing of this request was written; all that was acknowledged before is kept."
_UNSURE = (
    "If it broke off while a request was being committed, that request was written whole or not at "
    "all; all that was acknowledged before is kept."
)
_LOCKED = (
    "Another program is writing to it and did not finish in time",
    ("Try again; if it stays so, see which other program has it open."),
)
_FULL = "The disk is full", "Free some space and try again."
_READ_ONLY = (
    "It cannot be written to",
    ("Check the permissions of the file and of its folder, or of the user of the database."),
)
_UNREACHABLE = (
    "It cannot be opened",
    ("Check the address, that the folder or server exists, and that you may use it."),
)
_CUT_OFF = (
    "The connection broke off",
    ("See that the server runs, then look at the end of the thread before you try again."),
)
_DAMAGED = (
    "It is damaged, or it is not a database of Director",
    ("Keep the file as it is, copy it, and run `director verify` on the copy or open a backup."),
)
_NO_NAME = "A name holds half a character", "Leave it out."
_BROKEN_DISK = (
    "The disk failed to read or write",
    ("Check the disk, copy the database to another one, and run `director verify` there."),
)
_GUARDED = (
    "What is written in a store cannot be altered or deleted",
    ("Append instead, or use `director purge` to remove a whole thread."),
)

# What SQLite says, in the words of its own error messages.
_SQLITE = (
    ("database is locked", _LOCKED),
    ("database table is locked", _LOCKED),
    ("database or disk is full", _FULL),
    ("attempt to write a readonly database", _READ_ONLY),
    ("unable to open database file", _UNREACHABLE),
    ("file is not a database", _DAMAGED),
    ("malformed", _DAMAGED),
    ("no such table", _DAMAGED),
    ("disk I/O error", _BROKEN_DISK),
    ("append-only", _GUARDED),
)
# What PostgreSQL says, by the first characters of its SQLSTATE.
_POSTGRESQL = (
    ("53100", _FULL),
    ("25006", _READ_ONLY),
    ("25P03", _CUT_OFF),
    ("42501", _READ_ONLY),
    ("55P03", _LOCKED),
    ("40", _LOCKED),
    ("P0001", _GUARDED),
    ("58", _BROKEN_DISK),
    ("XX", _DAMAGED),
    ("42P01", _DAMAGED),
    ("08", _CUT_OFF),
    ("28", _UNREACHABLE),
    ("3D", _UNREACHABLE),
    ("53", _UNREACHABLE),
    ("57", _CUT_OFF),
)


# What the driver says of a server that is not there for a while: a connection has no SQLSTATE yet.
_AWAY = (
    *("connection refused", "timeout expired", "timed out", "closed the connection"),
    *("starting up", "shutting down", "recovery mode", "no route to host", "unreachable"),
)


@contextmanager
def translate_database_errors(place: str) -> Iterator[None]:
    """Turn what a database complains about into a StoreError."""
    try:
        yield
    except PoolTimeout:
        raise StoreError(_sentence(place, *_LOCKED)) from None
    except UnicodeDecodeError:
        # SQLite quotes a damaged page in its complaint, and the driver cannot read that.
        raise StoreError(_sentence(place, *_DAMAGED)) from None
    except UnicodeEncodeError:
        raise StoreError(_sentence(place, *_NO_NAME)) from None
    except DBAPIError as error:
        kind = StoreAway if _is_away(error) else StoreError
        raise kind(_sentence(place, *_explain(error))) from None
    except SQLAlchemyError as error:
        raise StoreError(_sentence(place, *_unknown(error))) from None


def make_database_cut_error(place: str) -> StoreError:
    """The error that says that a connection broke off."""
    return StoreError(_sentence(place, *_CUT_OFF))


def _explain(error: DBAPIError) -> tuple[str, str]:
    code = getattr(error.orig, "sqlstate", None)
    if isinstance(code, str):
        return next(
            (said for start, said in _POSTGRESQL if code.startswith(start)), _unknown(error)
        )
    if type(error.orig).__module__.startswith("psycopg"):
        return _CUT_OFF if error.connection_invalidated else _UNREACHABLE
    words = str(error.orig)
    return next((said for part, said in _SQLITE if part in words), _unknown(error))


def _is_away(error: DBAPIError) -> bool:
    words = str(error.orig).lower()
    is_server = type(error.orig).__module__.startswith("psycopg")
    return is_server and any(each in words for each in _AWAY)


def _unknown(error: SQLAlchemyError) -> tuple[str, str]:
    cause = error.orig if isinstance(error, DBAPIError) else error
    code = getattr(cause, "sqlstate", None) or getattr(cause, "sqlite_errorname", None)
    name = f"{type(cause).__name__} {code}" if code else type(cause).__name__
    return f"The database refused ({name})", "Run `director doctor` to see what is wrong."


def _sentence(place: str, happened: str, advice: str) -> str:
    kept = _UNSURE if happened in (_CUT_OFF[0], _BROKEN_DISK[0]) else _KEPT
    return f"{happened}: {place}. {kept} {advice}"
