"""`director verify`, `export`, `import` and `purge`, as a person meets them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from director.cli import app
from director.store import EntryDraft, open_store
from store.engines import ENGINES, fresh

Run = Callable[..., tuple[int, str, str]]
WORD = "marmalade"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """The command, with a home folder of its own."""

    def running(*arguments: str, given: str = "", **env: str) -> tuple[int, str, str]:
        around = {"DIRECTOR_HOME": str(tmp_path / "home"), "DIRECTOR_STORE": "", **env}
        ran = CliRunner().invoke(app, list(arguments), input=given, env=around)
        return ran.exit_code, ran.stdout, ran.stderr

    return running


@pytest.fixture(params=ENGINES)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A store with two threads of one workflow and a plan, on each engine."""
    made = fresh(str(request.param), tmp_path)
    _fill(made)
    return made


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The same in a file."""
    path = tmp_path / "some.db"
    _fill(str(path))
    return path


def _fill(where: str) -> None:
    with open_store(where) as store:
        store.open_thread("breakfast", "Toast", thread="t1")
        store.append("t1", [EntryDraft("user", {"text": f"Bring {WORD}. " * 600})])
        store.append("t1", [EntryDraft("agent", {"wire": "chat", "items": [], "text": "Here."})])
        store.open_thread("breakfast", "Tea", thread="t2")
        store.append("t2", [EntryDraft("user", {"text": "Some tea."})])
        store.put("plan", "p", {"workflow_id": "breakfast"})


def _entries(where: str, thread: str) -> list[tuple[int, str, float]]:
    with open_store(where) as store:
        return [(entry.seq, entry.hash, entry.at) for entry in store.entries(thread)]


def test_verify_says_that_nothing_was_altered(run: Run, url: str) -> None:
    """Exit code 0, and how much was checked."""
    code, out, _ = run("verify", "--store", url)
    assert code == 0
    assert out.startswith("Nothing was altered: ")


def test_verify_names_the_entry_that_was_altered(run: Run, file: Path) -> None:
    """By somebody with a database tool: exit code 1."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("DROP TRIGGER entries_no_update")
        connection.execute('UPDATE entries SET body = \'{"text":"x"}\' WHERE seq = 2')
        connection.commit()
    code, _, err = run("verify", "--store", str(file))
    assert code == 1
    assert "Altered: thread t1, entry 2" in err
    assert "Fix it" in err


def test_an_exported_thread_is_imported_exactly(run: Run, url: str, tmp_path: Path) -> None:
    """From either engine into a new file: same hashes, same times; the second time nothing."""
    out, target = str(tmp_path / "t1.jsonl"), str(tmp_path / "new.db")
    code, said, _ = run("export", "--thread", "t1", "-o", out, "--store", url)
    assert (code, said) == (0, f"5 lines in {out}\n")
    code, said, _ = run("import", out, "--store", target)
    assert code == 0
    assert said == "1 threads, 2 entries and 0 records are new; 0 were already there.\n"
    assert _entries(target, "t1") == _entries(url, "t1")
    _, said, _ = run("import", out, "--store", target)
    assert said == "0 threads, 0 entries and 0 records are new; 2 were already there.\n"


def test_a_workflow_goes_through_a_pipe(run: Run, file: Path, tmp_path: Path) -> None:
    """Without a file, export writes what import reads."""
    code, lines, _ = run("export", "--workflow", "breakfast", "--store", str(file))
    assert code == 0
    code, said, _ = run("import", "-", "--store", str(tmp_path / "new.db"), given=lines)
    assert code == 0
    assert said.startswith("2 threads, 3 entries and 1 records are new")


def test_a_damaged_file_is_refused_by_its_line(run: Run, file: Path, tmp_path: Path) -> None:
    """Exit code 2, one line, nothing taken in."""
    out, target = tmp_path / "t2.jsonl", tmp_path / "new.db"
    run("export", "--thread", "t2", "-o", str(out), "--store", str(file))
    out.write_text(out.read_text().replace("Some tea", "Some rum"))
    code, _, err = run("import", str(out), "--store", str(target))
    assert code == 2
    assert err.startswith("director import: line 3: ")
    assert err.count("\n") == 1
    assert _entries(str(target), "t2") == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("export",), "say either --thread ID or --workflow ID"),
        (("export", "--thread", "a", "--workflow", "b"), "say either --thread ID or --workflow ID"),
        (("export", "--thread", "t9", "-o", "{}/x.jsonl"), "There is no thread t9"),
        (("export", "--workflow", "w9", "-o", "{}/x.jsonl"), "There is no workflow w9"),
        (("export", "--thread", "t1", "-o", "{}/no/x.jsonl"), "No such file or directory"),
        (("import", "{}/none.jsonl"), "none.jsonl: there is no such file"),
        (("purge", "--thread", "t9"), 'there is no thread "t9"; nothing was removed'),
        (("purge", "--workflow", "w9"), 'there is no workflow "w9"; nothing was removed'),
        (("purge",), "say either --thread ID, --workflow ID or --secret NAME"),
        (("verify", "--store", "{}/none.db"), "there is no store at "),
        (("verify", "--store", "mysql://host/x"), "does not know databases of the kind mysql"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(
    run: Run, file: Path, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    """And leaves no half file behind."""
    given = [each.replace("{}", str(tmp_path)) for each in arguments]
    before = sorted(tmp_path.glob("*"))
    code, _, err = run(*given, DIRECTOR_STORE=f"sqlite:///{file}")
    assert code == 2
    assert err.startswith(f"director {arguments[0]}: ")
    assert words in err
    assert err.count("\n") == 1
    left = {each.name for each in tmp_path.glob("*") if each not in before}
    assert left <= {"home", "some.db-wal", "some.db-shm"}


def test_a_file_that_is_no_database_is_said_to_be_none(run: Run, tmp_path: Path) -> None:
    """Without a traceback."""
    (tmp_path / "notes.txt").write_text("Not a database, and rather long for a note. " * 40)
    code, _, err = run("verify", "--store", str(tmp_path / "notes.txt"))
    assert code == 2
    assert "not a database of Director" in err


def test_purge_says_what_goes_and_removes_nothing_without_a_yes(run: Run, file: Path) -> None:
    """It asks; the default is no."""
    for answer in ("\n", "n\n"):
        code, out, _ = run("purge", "--thread", "t1", "--store", str(file), given=answer)
        assert code == 1
        assert "its 2 entries (1 user, 1 agent)" in out
        assert "cannot be undone" in out
        assert "Nothing was removed." in out
    assert len(_entries(str(file), "t1")) == 2


def test_purge_removes_a_thread_for_good(run: Run, url: str) -> None:
    """After a yes it is gone, the other thread and the plan are not, and all is still sound."""
    code, out, _ = run("purge", "--thread", "t1", "--store", url, given="y\n")
    assert code == 0
    assert out.endswith("Removed 2 entries.\n")
    with open_store(url) as store:
        assert store.threads() == ["t2"]
        assert store.ids("plan") == ["p"]
        assert store.verify().ok


def test_purge_leaves_no_word_in_the_file(run: Run, file: Path) -> None:
    """Neither in its pages nor beside it."""
    code, _, _ = run("purge", "--thread", "t1", "--yes", "--store", str(file))
    assert code == 0
    left = b"".join(each.read_bytes() for each in file.parent.glob("some.db*"))
    assert WORD.encode() not in left


def test_purge_removes_a_workflow_after_saying_what_it_is(run: Run, url: str) -> None:
    """Threads and records by kind; without a yes nothing happens."""
    with open_store(url) as store:
        store.put("run", "r1", {"workflow": "breakfast"})
        store.put("step", "r1/1", {"done": True})
    given = ("purge", "--workflow", "breakfast", "--store", url)
    code, out, _ = run(*given, given="n\n")
    assert code == 1
    assert "its 2 threads, with 3 entries" in out
    assert "its 3 records (1 plan, 1 run, 1 step), with all their 3 versions" in out
    assert "cannot be undone" in out
    code, out, _ = run(*given, given="y\n")
    assert code == 0
    assert out.endswith("Removed 3 entries and 3 versions of records.\n")
    with open_store(url) as store:
        assert store.threads() == []
        assert store.ids("step") == []
        assert store.verify().ok


def test_purging_again_rewrites_the_file_once_more(run: Run, file: Path) -> None:
    """For a purge that another program kept from finishing; without --yes it says so."""
    run("purge", "--thread", "t1", "--yes", "--store", str(file))
    code, _, err = run("purge", "--thread", "t1", "--store", str(file))
    assert code == 2
    assert "with --yes" in err
    code, out, _ = run("purge", "--thread", "t1", "--yes", "--store", str(file))
    assert code == 0
    assert out.endswith("Removed 0 entries.\n")


def test_the_store_is_found_by_flag_then_environment_then_file_then_home(
    run: Run, tmp_path: Path
) -> None:
    """Each has another number of entries in it."""
    home = tmp_path / "home"
    home.mkdir()
    places = [tmp_path / "flag.db", tmp_path / "env.db", tmp_path / "file.db", home / "director.db"]
    for count, place in enumerate(places, 1):
        with open_store(place) as store:
            store.append("t", [EntryDraft("user", {"text": "x"})] * count)
    (home / "settings.toml").write_text(f'store = "sqlite:///{places[2]}"\n')
    env = {"DIRECTOR_STORE": f"sqlite:///{places[1]}"}

    def entries(*flag: str, **env: str) -> int:
        _, out, _ = run("export", "--thread", "t", *flag, **env)
        return out.count('{"entry"')

    assert entries("--store", str(places[0]), **env) == 1
    assert entries(**env) == 2
    assert entries() == 3
    (home / "settings.toml").unlink()
    assert entries() == 4


def test_a_password_is_never_printed(run: Run) -> None:
    """Not even when the server cannot be reached."""
    url = "postgresql://someone:hunter2secret@127.0.0.1:1/none"
    for arguments in (("verify",), ("purge", "--thread", "t"), ("doctor",), ("doctor", "--json")):
        code, out, err = run(*arguments, "--store", url)
        assert code in (1, 2)
        assert "hunter2secret" not in out + err
