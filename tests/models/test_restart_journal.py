"""Journals: one record for each thread, whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from director.models import FileJournal, Handle, MemoryJournal, ResumeRecord, StateRef, ToolCall

RECORD = ResumeRecord(
    StateRef("openai", "account", "resp_1", "digest", 3, 1_800_000_000.0, once=True),
    (ToolCall("call_1", "look", '{"at": "é"}'),),
    Handle("digest", 1.5, "resp_2", 7),
)


def test_a_record_comes_back_as_it_was(tmp_path: Path) -> None:
    """From memory and from a file, and another thread's is not touched."""
    for journal in (MemoryJournal(), FileJournal(tmp_path / "new" / "journal.json")):
        assert journal.read("a") == ResumeRecord()
        journal.write("a", RECORD)
        journal.write("b", ResumeRecord(pending=RECORD.pending))
        assert journal.read("a") == RECORD
        assert journal.read("b").state is None


def test_a_file_is_read_by_the_next_process(tmp_path: Path) -> None:
    """Nothing is held back in memory."""
    FileJournal(tmp_path / "j").write("a", RECORD)
    assert FileJournal(tmp_path / "j").read("a") == RECORD
    assert [path.name for path in tmp_path.iterdir()] == ["j"]


def test_a_write_that_fails_leaves_the_old_record(tmp_path: Path) -> None:
    """The file is replaced at once, and no scrap stays behind."""
    journal = FileJournal(tmp_path / "j")
    journal.write("a", RECORD)
    unwritable = ResumeRecord(pending=(ToolCall("x", "y", object()),))  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        journal.write("a", unwritable)
    assert journal.read("a") == RECORD
    assert [path.name for path in tmp_path.iterdir()] == ["j"]


def test_a_damaged_file_says_what_to_do(tmp_path: Path) -> None:
    """It is never overwritten in silence."""
    path = tmp_path / "j"
    path.write_text("{")
    with pytest.raises(ValueError, match="move it away"):
        FileJournal(path).read("a")
    with pytest.raises(ValueError, match="nothing that was said is lost"):
        FileJournal(path).write("a", RECORD)
    assert path.read_text() == "{"
