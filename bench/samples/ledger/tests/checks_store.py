from pathlib import Path

import pytest

from ledger.store import COLUMNS, BadBooks, read_entries, write_entries

BOOKS = Path("books.csv").read_text()


def test_every_row_is_read():
    entries = read_entries(BOOKS)
    assert len(entries) == 9
    assert entries[-1].note == "From a former member"


def test_a_note_may_hold_a_comma():
    notes = [entry.note for entry in read_entries(BOOKS)]
    assert "Soup, bread and tea" in notes


def test_what_is_written_reads_the_same():
    entries = read_entries(BOOKS)
    assert read_entries(write_entries(entries)) == entries


def test_tags_are_split_at_bars():
    assert read_entries(BOOKS)[4].tags == ("nets", "abroad")


def test_a_file_without_columns_is_refused():
    with pytest.raises(BadBooks, match="first line"):
        read_entries("2025-01-01,fees,1.00,EUR,,\n")


def test_a_short_line_is_named():
    with pytest.raises(BadBooks, match="line 2"):
        read_entries(",".join(COLUMNS) + "\n2025-01-01,fees\n")
