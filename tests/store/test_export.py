"""An export holds all of a thread or workflow, comes back exactly, and refuses any damage."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from director.store import EntryDraft, Store, StoreError, open_store
from director.store.export import Imported, export_thread, export_workflow, import_lines
from director.store.export_lines import _sum, read_export_lines, write_export_lines
from director.store.run_variables import get_draft_run_id, read_run_variables, set_run_variable


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    """A store with one workflow of two threads, its plan, and a thread that is none of it."""
    with open_store(store_url) as opened:
        opened.open_thread("shop", "Prices", thread="t1")
        opened.append("t1", _turn("Which one is cheaper? “Ünïcödé” \u2028 \ud800"))
        opened.append("t1", [EntryDraft("delete", {"seqs": [1]})])
        opened.open_thread("shop", "Stock", thread="t2")
        opened.append("t2", _turn("How many?"), reference={"response": "resp_1"})
        opened.append("other", _turn("Not part of it."))
        opened.put("plan", "p1", {"workflow_id": "shop", "phases": []}, "begun")
        opened.put("plan", "p1", {"workflow_id": "shop", "phases": ["look"]}, "a phase more")
        opened.put("report", "r1", {"thread": "t1", "tokens": 12.5})
        opened.put("plan", "p2", {"workflow_id": "another"})
        opened.put("workflow", "shop", {"title": "Shop"})
        yield opened


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Store]:
    """An empty store of another kind or place."""
    with open_store(tmp_path / "other.db") as opened:
        yield opened


def _turn(text: str) -> list[EntryDraft]:
    return [
        EntryDraft("user", {"text": text}),
        EntryDraft("agent", {"wire": "chat", "items": [{"role": "assistant"}], "text": ""}),
        EntryDraft("result", {"call": "c1", "text": f"{text} " * 1_000, "failed": False}),
    ]


def _all(store: Store) -> object:
    """Everything but the positions, which belong to each store."""
    threads = {thread: _entries(store, thread) for thread in store.threads()}
    kinds = ("plan", "report", "workflow")
    versions = [
        (found.kind, found.id, found.version, found.body, found.reason, found.at)
        for kind in kinds
        for name in store.ids(kind)
        for found in store.versions(kind, name)
    ]
    return threads, versions, len(store.changes())


def _entries(store: Store, thread: str) -> list[object]:
    return [
        (entry.seq, entry.kind, entry.body, entry.at, entry.hash, entry.before)
        for entry in store.entries(thread)
    ]


def test_a_thread_comes_back_with_the_same_hashes_and_times(store: Store, other: Store) -> None:
    """On whichever engine it was: the same entries, and the same file again."""
    lines = list(export_thread(store, "t1"))
    assert import_lines(other, iter(lines)) == Imported(1, 4, 1, 0)
    assert other.threads() == ["t1"]
    assert other.threads("shop") == ["t1"]
    assert _entries(other, "t1") == _entries(store, "t1")
    assert list(export_thread(other, "t1")) == lines
    assert other.verify().ok


def test_a_workflow_brings_its_threads_and_records_and_no_others(
    store: Store, other: Store
) -> None:
    """Every version of its plan comes along, and what names one of its threads."""
    lines = list(export_workflow(store, "shop"))
    assert import_lines(other, iter(lines)) == Imported(2, 7, 4, 0)
    assert other.threads() == ["t1", "t2"]
    assert [each.body for each in other.versions("plan", "p1")] == [
        each.body for each in store.versions("plan", "p1")
    ]
    assert other.get("report", "r1") is not None
    assert other.ids("plan") == ["p1"]
    assert list(export_workflow(other, "shop")) == lines
    assert other.verify().ok


def test_an_import_goes_into_either_engine(store: Store, other: Store) -> None:
    """From a file into the engine under test and back."""
    import_lines(other, export_workflow(store, "shop"))
    other.append("new", _turn("Said elsewhere."))
    assert import_lines(store, export_thread(other, "new")) == Imported(1, 3, 0, 0)
    assert _entries(store, "new") == _entries(other, "new")
    assert store.verify().ok
    store.append("new", _turn("And it goes on."), expect=3)
    assert store.verify().ok


def test_importing_twice_changes_nothing(store: Store, other: Store) -> None:
    """The second time everything is known."""
    lines = list(export_workflow(store, "shop"))
    import_lines(other, iter(lines))
    before = _all(other)
    assert import_lines(other, iter(lines)) == Imported(0, 0, 0, 11)
    assert import_lines(store, iter(lines)) == Imported(0, 0, 0, 11)
    assert _all(other) == before


def test_a_thread_that_has_grown_is_continued(store: Store, other: Store) -> None:
    """If that is asked for; an older export of it brings nothing."""
    old = list(export_thread(store, "t2"))
    import_lines(other, iter(old))
    store.append("t2", _turn("And tomorrow?"))
    with pytest.raises(StoreError, match="is here already and would be continued; --extend"):
        import_lines(other, export_thread(store, "t2"))
    assert import_lines(other, export_thread(store, "t2"), extend=True) == Imported(0, 3, 0, 3)
    assert import_lines(other, iter(old)) == Imported(0, 0, 0, 3)
    assert _entries(other, "t2") == _entries(store, "t2")


def test_a_thread_that_went_another_way_is_refused(store: Store, other: Store) -> None:
    """Two stories of one thread are not mixed."""
    import_lines(other, export_thread(store, "t2"))
    other.append("t2", _turn("One way."))
    store.append("t2", _turn("Another way."))
    before = _all(other)
    with pytest.raises(StoreError, match=r"line 6: the store holds something else at 4"):
        import_lines(other, export_thread(store, "t2"))
    assert _all(other) == before


def test_another_thread_of_the_same_id_is_refused(store: Store, other: Store) -> None:
    """Its title says that it is another."""
    other.open_thread("garden", "Roses", thread="t2")
    with pytest.raises(StoreError, match=r"line 2: the store holds another thread of the id t2"):
        import_lines(other, export_thread(store, "t2"))


def test_what_the_provider_remembers_stays_behind(store: Store, other: Store) -> None:
    """A reference belongs to one account on one machine."""
    lines = list(export_thread(store, "t2"))
    assert "resp_1" not in "".join(lines)
    import_lines(other, iter(lines))
    assert other.reference("t2") is None


def test_what_is_not_there_cannot_be_exported(store: Store) -> None:
    """The name is said."""
    with pytest.raises(StoreError, match="There is no thread t9"):
        list(export_thread(store, "t9"))
    with pytest.raises(StoreError, match="There is no workflow w9"):
        list(export_workflow(store, "w9"))


def test_subscribers_see_what_is_imported(store: Store, other: Store) -> None:
    """An import is committed like anything else, in order."""
    with other.subscribe() as feed:
        import_lines(other, export_thread(store, "t1"))
        seen = [feed.next(timeout=60) for _ in range(5)]
    assert seen == other.changes()
    positions = [change.position for change in seen if change]
    assert positions == sorted({*positions})


@pytest.mark.parametrize("number", range(1, 8))
def test_a_line_with_one_letter_changed_is_refused_by_its_number(
    tmp_path: Path, number: int
) -> None:
    """Whichever line it is: and nothing is written."""
    lines = _small(tmp_path)
    assert len(lines) == 7
    lines[number - 1] = _altered(lines[number - 1])
    _refused(tmp_path, lines, f"line {number}: ")


def _small(folder: Path) -> list[str]:
    with open_store(folder / "small.db") as store:
        store.append("t", _turn("Hello."))
        store.put("note", "n", {"thread": "t", "a": 1})
        return list(export_thread(store, "t"))


def _altered(line: str) -> str:
    """The same line with one digit of a value another."""
    place = next(at for at in range(len(line) - 70, 0, -1) if line[at].isalnum())
    return f"{line[:place]}{'1' if line[place] != '1' else '2'}{line[place + 1 :]}"


def _refused(folder: Path, lines: list[str], words: str) -> None:
    with open_store(folder / "target.db") as target:
        with pytest.raises(StoreError) as refused:
            import_lines(target, iter(lines))
        assert str(refused.value).startswith(words)
        assert str(refused.value).endswith("nothing was imported")
        assert target.threads() == []
        assert target.changes() == []


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda _: [], "line 1: the file is empty"),
        (lambda lines: lines[:-1], "line 7: the export breaks off here"),
        (lambda lines: lines[:3], "line 4: the export breaks off here"),
        (lambda lines: [*lines[:2], *lines[3:]], "line 3: it was altered, or a line before"),
        (lambda lines: [lines[0], lines[2], lines[1], *lines[3:]], "line 2: it was altered"),
        (lambda lines: [*lines, lines[-1]], "line 8: there is something after the end"),
        (lambda lines: [lines[0], "{broken", *lines[2:]], "line 2: this is not JSON"),
        (lambda lines: ["[1, 2]\n", *lines[1:]], "line 1: this is no line of an export"),
        (lambda lines: ["\x00\n", *lines[1:]], "line 1: this is not JSON"),
    ],
)
def test_a_file_that_was_cut_or_mixed_is_refused(
    tmp_path: Path, damage: object, words: str
) -> None:
    """Lines that are gone, moved, doubled or no JSON at all."""
    assert callable(damage)
    _refused(tmp_path, damage(_small(tmp_path)), words)


def test_a_forged_entry_is_refused_though_its_sums_are_right(tmp_path: Path) -> None:
    """Who rewrites all sums still has the chain of hashes against them."""
    parts = [(line.what, dict(line.value)) for line in read_export_lines(_small(tmp_path))]
    parts[1][1]["body"] = {"text": "Something else."}
    _refused(
        tmp_path, list(write_export_lines("thread", "t", parts)), "line 3: the hash of entry 1"
    )


def test_a_forged_record_is_refused_though_its_sums_are_right(tmp_path: Path) -> None:
    """The same for records."""
    parts = [(line.what, dict(line.value)) for line in read_export_lines(_small(tmp_path))]
    parts[-1][1]["reason"] = "Another reason."
    _refused(
        tmp_path, list(write_export_lines("thread", "t", parts)), "line 6: the hash of version 1"
    )


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ((0, 0), "line 3: the thread t is in this file twice"),
        ((1, 0), "line 2: its thread t is not in this file"),
        ((0, 2), "line 3: it does not follow what came before in thread t"),
    ],
)
def test_parts_in_another_order_are_refused(
    tmp_path: Path, order: tuple[int, ...], words: str
) -> None:
    """Though every line is right by itself."""
    parts = [(line.what, line.value) for line in read_export_lines(_small(tmp_path))]
    _refused(tmp_path, list(write_export_lines("thread", "t", [parts[at] for at in order])), words)


@pytest.mark.parametrize("name", ["seq", "kind", "body", "at", "hash", "before", "thread"])
def test_a_field_that_is_missing_or_wrong_is_refused(tmp_path: Path, name: str) -> None:
    """By its name or by what it breaks."""
    parts = [(line.what, dict(line.value)) for line in read_export_lines(_small(tmp_path))]
    parts[1][1][name] = True
    _refused(tmp_path, list(write_export_lines("thread", "t", parts)), f"line 3: {name} is missing")


def test_a_file_of_a_newer_form_is_refused(tmp_path: Path) -> None:
    """It says what to do."""
    heading = {"director": {"format": 99, "of": "thread", "id": "t"}}
    total = _sum("director", heading["director"], "")
    _refused(tmp_path, [json.dumps({**heading, "sum": total})], "line 1: format 99 is not known")


def test_each_line_is_one_object_that_any_program_reads(tmp_path: Path) -> None:
    """JSON Lines in ASCII: heading, thread, entries, records, end."""
    lines = _small(tmp_path)
    whats = [next(iter(json.loads(line))) for line in lines]
    assert whats == ["director", "thread", "entry", "entry", "entry", "record", "end"]
    assert all(line.isascii() and line.endswith("\n") for line in lines)


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(st.dictionaries(st.text(), _JSON, max_size=3), min_size=1, max_size=4))
@settings(max_examples=25)
def test_any_body_comes_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, bodies: list[dict[str, object]]
) -> None:
    """Whatever JSON can say."""
    folder = tmp_path_factory.mktemp("bodies")
    with open_store(folder / "a.db") as source, open_store(folder / "b.db") as target:
        source.append("t", [EntryDraft("user", body) for body in bodies])
        import_lines(target, export_thread(source, "t"))
        assert _entries(target, "t") == _entries(source, "t")
        assert target.verify().ok


def test_an_export_of_a_workflow_holds_its_runs_and_what_they_kept(
    store: Store, other: Store
) -> None:
    """Steps, variables of its runs and of its workbench, and screenshots, once each."""
    shot = store.keep(bytes(range(256)))
    store.put("run", "run-1", {"workflow": "shop"})
    store.put("run", "run-2", {"workflow": "another"})
    for step in ("run-1/1", "run-1/2", "run-2/1"):
        store.put("step", step, {"shot": {"$kept": shot}, "page": "x" * 5_000})
    set_run_variable(store, get_draft_run_id("shop"), "price", 5, "seen")
    lines = list(export_workflow(store, "shop"))
    import_lines(other, iter(lines))
    assert other.ids("run") == ["run-1"]
    assert other.versions("step", "run-1/2")[0].body == {
        "shot": {"$kept": shot},
        "page": "x" * 5_000,
    }
    assert other.ids("step") == ["run-1/1", "run-1/2"]
    assert read_run_variables(other, get_draft_run_id("shop")) == {"price": 5}
    assert other.read_kept(shot) == bytes(range(256))
    assert sum('{"kept"' in line for line in lines) == 1
    assert list(export_workflow(other, "shop")) == lines
    assert other.verify().ok


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({"hash": "0" * 64, "base64": "AAAA"}, "is wrong"),
        ({"hash": "0" * 64, "base64": "é"}, "not base64"),
        ({"hash": 1, "base64": ""}, "hash is missing"),
    ],
)
def test_kept_bytes_that_are_not_what_they_say_are_refused(
    other: Store, value: dict[str, object], why: str
) -> None:
    """Nothing of the file is taken in."""
    with pytest.raises(StoreError, match=f"line 2: .*{why}"):
        import_lines(other, write_export_lines("workflow", "shop", [("kept", value)]))


def test_a_record_that_names_bytes_which_are_not_in_the_file_is_refused(
    store: Store, other: Store
) -> None:
    """An export that lost them is not self-contained."""
    store.put("run", "run-1", {"workflow": "shop", "shot": {"$kept": store.keep(b"picture")}})
    parts = [
        (line.what, line.value)
        for line in read_export_lines(export_workflow(store, "shop"))
        if line.what != "kept"
    ]
    with pytest.raises(StoreError, match="Nothing is kept under"):
        import_lines(other, write_export_lines("workflow", "shop", parts))
    assert other.threads() == []


def test_an_import_of_any_length_stays_small_in_memory(store: Store, other: Store) -> None:
    """Entries are written as they are read, and the file is in no list."""
    big = [EntryDraft("user", {"text": f"{n} {'x' * 7_500}"}) for n in range(1_600)]
    other.append("long", big)
    lines = export_thread(other, "long")
    tracemalloc.start()
    assert import_lines(store, lines) == Imported(1, 1_600, 0, 0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000_000 < sum(len(str(draft.body)) for draft in big)
    assert store.verify().ok
