"""Compression by hand and by itself: verified, bounded, one entry or nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from agent.summaries import FAULTS, STATE, begun, echo, good, talk, words, writer
from director.agent.compression.citations import find_citations, list_uncited_lines
from director.agent.compression.compression_proposal import (
    CompressionTask,
    Refused,
    check_summary,
    edit_proposal,
    preview_proposal,
    propose_compression_summary,
)
from director.agent.compression.thread_compression import (
    CompressionOutcome,
    apply_compression,
    compress_if_due,
    compress_now,
    list_compression_attempts,
    select_older_turns,
)
from director.agent.compression.thresholds import Marks, compute_thresholds
from director.context.sizes import context_size, summary_size
from director.context.values import Summary
from director.models import Model
from director.models.capabilities import read_capabilities
from director.models.script_values import Emit, Say, Seen, Wait
from director.settings import load_settings
from director.store import Entry, EntryDraft, Store, StoreError, VersionConflict, open_store
from director.store.compression import (
    list_compression_history,
    preview_turn_compression,
    restore_compressed_turns,
)
from director.store.context_view import build_thread_view, project_context_view
from store.engines import prepared_file

MARKS = Marks(warn=300, at=400, to=200)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store in a file."""
    with open_store(prepared_file(tmp_path / "store.db")) as opened:
        yield opened


def kept(store: Store, thread: str = "main") -> list[Entry]:
    """All that is in the thread, hashes and times included."""
    return store.entries(thread)


def size(store: Store, thread: str = "main") -> int:
    """What the model would be sent of the thread."""
    return context_size(project_context_view(store.entries(thread)), words)


def by_itself(
    store: Store, model: Model, turn: int = 1, marks: Marks = MARKS
) -> CompressionOutcome:
    """One automatic compression, if it is due."""
    task = CompressionTask(store, "main", STATE, model, marks, turn=turn)
    return asyncio.run(compress_if_due(task, size(store)))


def by_hand(
    store: Store, model: Model, turns: Sequence[int] | None = None, marks: Marks = MARKS
) -> CompressionOutcome:
    """One compression that a user asked for."""
    return asyncio.run(compress_now(CompressionTask(store, "main", STATE, model, marks, turns)))


@pytest.mark.promise("A4")
@pytest.mark.parametrize("how", ["manual", "auto"])
@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_a_summary_that_cannot_be_used_changes_nothing(store: Store, fault: str, how: str) -> None:
    """Every entry is the same, byte for byte, the reference too; the attempt is told and kept."""
    begun(store)
    store.set_reference("main", {"state": None})
    before = kept(store)
    model = writer(FAULTS[fault])
    outcome = by_hand(store, model) if how == "manual" else by_itself(store, model)
    assert outcome.status == "failed"
    assert outcome.gap
    assert kept(store) == before
    assert store.reference("main") == {"state": None}
    assert list_compression_attempts(store, "main")[-1].body["outcome"] in ("failed", "refused")
    assert by_hand(store, writer(good)).status == "done"


@pytest.mark.promise("A4")
@pytest.mark.parametrize("how", ["manual", "auto"])
def test_a_cancelled_summary_changes_nothing(store: Store, how: str) -> None:
    """Cancelled while the model works: the thread is as it was, and the attempt says so."""
    begun(store)
    before = kept(store)

    async def cancelled() -> None:
        doing: asyncio.Task[CompressionOutcome]

        def asked(_seen: Seen) -> Sequence[Emit]:
            doing.cancel()
            return [Wait(1.0), Say("late")]

        model = writer(asked)
        task = CompressionTask(store, "main", STATE, model, MARKS)
        started = compress_now(task) if how == "manual" else compress_if_due(task, 9_999)
        doing = asyncio.create_task(_hung(started))
        with pytest.raises(asyncio.CancelledError):
            await doing

    async def _hung(started: object) -> CompressionOutcome:
        return await started  # type: ignore[misc,no-any-return]

    asyncio.run(cancelled())
    assert kept(store) == before
    assert list_compression_attempts(store, "main")[-1].body["outcome"] == "cancelled"


def test_a_hanging_summariser_is_given_up(store: Store) -> None:
    """After its seconds there is no summary, and nothing was written."""
    begun(store)
    before = kept(store)

    async def hanging() -> None:
        ended = asyncio.Event()

        def never(_seen: Seen) -> Sequence[Emit]:
            return [Say("x")]

        model = writer(never)
        model_apart = model.apart

        class Slow:
            """The model, but that it never comes to an end."""

            def __getattr__(self, name: str) -> object:
                return getattr(model, name)

            def apart(self) -> Model:
                found = model_apart()
                found.send = lambda *_a, **_k: ended.wait()  # type: ignore[method-assign,assignment]
                return found

        with pytest.raises(Refused, match=r"more than 0\.01 seconds"):
            await propose_compression_summary(
                CompressionTask(store, "main", STATE, Slow(), MARKS), seconds=0.01
            )  # type: ignore[arg-type]

    asyncio.run(hanging())
    assert kept(store) == before


def test_a_compression_is_one_entry_and_the_chain_restarts(store: Store) -> None:
    """The summary stands for the turns, and what the server remembered is forgotten with it."""
    begun(store)
    store.set_reference("main", {"state": None})
    outcome = by_hand(store, writer(good))
    assert outcome.status == "done"
    assert [entry.kind for entry in kept(store)][-1] == "checkpoint"
    assert len(kept(store)) == 25
    assert store.reference("main") is None
    seen = project_context_view(kept(store))
    assert seen.turns == ()
    assert seen.summary is not None
    assert "#buy-3" in seen.summary.text


def test_every_line_of_a_summary_cites_its_turns(store: Store) -> None:
    """Lines without a citation, or with one of other turns, get those they came from."""
    begun(store)
    found = preview_turn_compression(store, "main", counter=words)
    made = check_summary(f"{GOOD_2}\nUnknown things happened to lamp-4 [9999].", found, 200)
    assert list_uncited_lines(made.summary.text, found.fold.turns) == []
    first, second = made.summary.text.splitlines()[:2]
    assert find_citations(first) & {9, 10, 12}
    assert find_citations(second) & {17, 18, 20}
    assert "9999" not in made.summary.text


GOOD_2 = "The user wants lamp-2, never the blue one; #buy-2 works, #order-2 fails with E242."


@pytest.mark.promise("C7")
def test_what_a_summary_lost_is_put_back(store: Store) -> None:
    """Names, constraints and errors of the turns it forgot are appended, with their turns."""
    begun(store, rounds=2, more=30)
    found = preview_turn_compression(store, "main", counter=words)
    made = check_summary("Lamp hunting: lamp-0 and #buy-0 were looked at, main tab.", found, 120)
    for word in ("lamp-1", "#buy-1", "E142", "never be the blue one"):
        assert word in made.summary.text
    assert made.share < 1


@pytest.mark.promise("C3")
def test_a_summary_is_as_untrusted_as_what_it_covers(store: Store) -> None:
    """Results of the web make a summary one of the web."""
    begun(store)
    by_hand(store, writer(good))
    summary = project_context_view(kept(store)).summary
    assert summary is not None
    assert summary.trust == "web"


@pytest.mark.promise("C4")
def test_a_restore_gives_back_the_exact_view(store: Store) -> None:
    """After two compressions and two restores the model sees what it saw."""
    begun(store)
    views = [project_context_view(kept(store))]
    made = []
    for start in (6, 12):
        made.append(by_hand(store, writer(good)).checkpoint)
        store.append("main", talk(2, start))
        views.append(project_context_view(kept(store)))
    for seq, seen in zip(reversed(made), reversed(views[:-1]), strict=True):
        assert seq is not None
        restore_compressed_turns(store, "main", seq)
        turns = project_context_view(kept(store)).turns
        assert turns[: len(seen.turns)] == seen.turns
        assert project_context_view(kept(store)).summary == seen.summary


@pytest.mark.promise("C5")
def test_the_count_that_is_shown_is_the_count_that_is_compressed(store: Store) -> None:
    """Users and agents are counted once each; what was previewed is what is archived."""
    begun(store, rounds=3)
    shown = preview_proposal(CompressionTask(store, "main", STATE, writer(good), MARKS))
    assert (shown.preview.user_count, shown.preview.agent_count) == (3, 6)
    assert shown.preview.builds_on is None
    assert shown.cost == 0
    proposal = asyncio.run(
        propose_compression_summary(CompressionTask(store, "main", STATE, writer(good), MARKS))
    )
    apply_compression(store, "main", proposal)
    assert len(build_thread_view(kept(store)).summary_turns) == shown.preview.count
    store.append("main", talk(1, 3))
    again = preview_proposal(CompressionTask(store, "main", STATE, writer(good), MARKS))
    assert (again.preview.count, again.preview.builds_on) == (3, 13)


@pytest.mark.promise("C5")
def test_a_stale_preview_is_refused(store: Store) -> None:
    """What was said since is not covered by what the user agreed to."""
    begun(store)
    proposal = asyncio.run(
        propose_compression_summary(CompressionTask(store, "main", STATE, writer(good), MARKS))
    )
    store.append("main", talk(1, 6))
    before = kept(store)
    with pytest.raises(VersionConflict):
        apply_compression(store, "main", proposal)
    assert kept(store) == before


def test_a_user_may_write_the_summary(store: Store) -> None:
    """The text is verified and repaired like a model's; an empty one is refused."""
    begun(store)
    proposal = asyncio.run(
        propose_compression_summary(CompressionTask(store, "main", STATE, writer(good), MARKS))
    )
    with pytest.raises(Refused, match="empty"):
        edit_proposal(proposal, "  ", 200)
    own = edit_proposal(proposal, "We buy lamp-0 to lamp-5 with #buy-0 to #buy-5 in main.", 200)
    assert own.by_user
    apply_compression(store, "main", own)
    summary = project_context_view(kept(store)).summary
    assert summary is not None
    assert summary.text.startswith("We buy lamp-0 to lamp-5")


def test_chosen_turns_are_compressed_and_no_others(store: Store) -> None:
    """Whole units only; half a unit is refused with what belongs to it."""
    begun(store)
    assert by_hand(store, writer(good), [1, 2, 4]).status == "done"
    assert build_thread_view(kept(store)).summary_turns == {1, 2, 4}
    with pytest.raises(StoreError, match="cannot be compressed"):
        by_hand(store, writer(good), [1])


@pytest.mark.promise("A5")
def test_a_turn_said_during_a_compression_is_kept_and_uncovered(store: Store) -> None:
    """The model writes while somebody speaks: the summary covers what it was written of."""
    begun(store)

    def interrupted(seen: Seen) -> Sequence[Emit]:
        store.append("main", [EntryDraft("user", {"text": "One more thing."})])
        return good(seen)

    assert by_hand(store, writer(interrupted)).status == "done"
    assert [entry.kind for entry in kept(store)][-2:] == ["user", "checkpoint"]
    assert [turn.text for turn in project_context_view(kept(store)).turns] == ["One more thing."]


@pytest.mark.promise("A5")
def test_two_compressions_cannot_both_win(store: Store) -> None:
    """Of two at once one is done; the other says so and writes nothing."""
    begun(store)

    async def both() -> list[CompressionOutcome]:
        task = CompressionTask(store, "main", STATE, writer(good), MARKS)
        return await asyncio.gather(*(compress_now(task) for _ in range(2)))

    assert sorted(one.status for one in asyncio.run(both())) == ["done", "failed"]
    assert [entry.kind for entry in kept(store)].count("checkpoint") == 1


@pytest.mark.promise("C1")
def test_there_is_one_attempt_for_each_turn(store: Store) -> None:
    """A turn of many rounds asks the summariser once, whatever came of it."""
    begun(store)
    asked: list[Seen] = []

    def failing(seen: Seen) -> Sequence[Emit]:
        asked.append(seen)
        return [Say("")]

    assert [by_itself(store, writer(failing), turn=7).status for _ in range(4)] == [
        "failed",
        "stopped",
        "stopped",
        "stopped",
    ]
    assert len(asked) == 1
    # The same messages once more: the same failure is not paid for again.
    assert by_itself(store, writer(failing), turn=8).status == "stopped"
    assert len(asked) == 1


@pytest.mark.promise("C1")
def test_it_stops_after_two_that_gain_little_and_says_so(store: Store) -> None:
    """The conversation goes on, nobody is asked any more; by hand it works, and lifts the stop."""
    begun(store, rounds=10, more=3)
    asked: list[Seen] = []

    def wordy(seen: Seen) -> Sequence[Emit]:
        asked.append(seen)
        return [Say(" ".join(seen.items[-1].text.partition("<conversation>")[2].split()[:-24]))]

    marks = Marks(warn=10, at=20, to=4_000)
    said = []
    for turn in range(1, 6):
        store.append("main", talk(8, start=100 * turn, more=200))
        said.append(by_itself(store, writer(wordy), turn=turn, marks=marks))
    assert len(asked) == 2
    assert [one.status for one in said[2:]] == ["stopped"] * 3
    assert "less than 10 %" in said[-1].says
    assert by_hand(store, writer(good), marks=marks).status == "done"
    store.append("main", talk(8, start=150, more=200))
    assert by_itself(store, writer(good), turn=9, marks=marks).status == "done"


@pytest.mark.promise("C2")
def test_fifty_compressions_by_an_echo_stay_within_the_cap(store: Store) -> None:
    """Whatever it repeats, no summary is larger than its cap, and the thread goes on."""
    begun(store)
    for n in range(50):
        store.append("main", talk(1, start=10 + n, more=5))
        by_hand(store, writer(echo))
        if n % 3 == 0:
            by_hand(store, writer(good))
        assert summary_size(project_context_view(kept(store)).summary, words) <= MARKS.to
    assert len(list_compression_attempts(store, "main")) == 67
    assert [one for one in list_compression_history(store, "main") if one.after > MARKS.to] == []


def fill(store: Store, tokens: int) -> None:
    """A thread whose context has exactly so many tokens."""
    begun(store, rounds=3)
    left = tokens - size(store)
    store.append("main", [EntryDraft("user", {"text": "so " * (left - 1)})])
    assert size(store) == tokens


@pytest.mark.promise("C6")
def test_the_marks_are_the_documented_ones() -> None:
    """Large from 160,000 tokens, full from 180,000, each to the token; to about 20,000."""
    marks = compute_thresholds(
        load_settings(environ={}, path=Path("none")), read_capabilities("scripted", "x")
    )
    assert marks == Marks(160_000, 180_000, 20_000)
    walked = [marks.fill(size) for size in range(159_998, 180_003)]
    assert walked == ["fine"] * 2 + ["large"] * 20_000 + ["full"] * 3


@pytest.mark.promise("C6")
@pytest.mark.parametrize(("tokens", "status"), [(399, "not due"), (400, "done"), (401, "done")])
def test_a_thread_is_compressed_at_the_mark_and_not_before(
    store: Store, tokens: int, status: str
) -> None:
    """One token decides; what is left of the history is about what was wanted."""
    fill(store, tokens)
    assert by_itself(store, writer(good), turn=13).status == status
    now = project_context_view(kept(store))
    assert now.turns[-1].text.startswith("so ")
    if status == "done":
        seqs, _ = select_older_turns(store, "main", MARKS, words)
        assert seqs == []
        assert summary_size(now.summary, words) <= MARKS.to


def test_a_small_window_lowers_all_marks() -> None:
    """A model that takes less is compressed for earlier, and warned of before that."""
    settings = load_settings(environ={}, path=Path("none"))
    small = replace(
        read_capabilities("scripted", "x"), window=32_000, max_input=32_000, max_output=4_096
    )
    marks = compute_thresholds(settings, small)
    assert marks.to < marks.warn < marks.at < 32_000
    dear = compute_thresholds(settings, read_capabilities("anthropic", "claude-sonnet-4-5"))
    assert dear.at <= 200_000


@pytest.mark.promise("C7")
def test_the_new_summary_takes_in_the_old_one(store: Store) -> None:
    """What only the first summary said is still there after the second."""
    begun(store, rounds=2)
    by_hand(store, writer(good))
    store.append("main", talk(2, 2))
    by_hand(store, writer(good))
    now = project_context_view(kept(store))
    assert now.summary is not None
    assert now.turns == ()
    assert {"#buy-0", "#buy-3"} <= set(now.summary.text.replace("[", " ").split())
    assert isinstance(now.summary, Summary)
