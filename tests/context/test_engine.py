"""The parts of the engine: marks, shrinking on arrival, folds, lineage, checkpoints, pruning."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from director import (
    AgentTurn,
    Budget,
    Call,
    Context,
    Fold,
    Prices,
    PruningRules,
    Section,
    Summary,
    UserTurn,
    chars4,
    checkpoint,
    counter_for,
    fold,
    hybrid,
    prune,
    shrink,
    sliding_window,
    summarise,
    truncate,
)
from director.context.compaction import Compactor, room_at, target_size
from director.context.excerpt_choice import select
from director.context.excerpts import earlier, extract, write
from director.context.fold import fold_cut
from director.context.laws import sticky
from director.context.notices import find_notice, is_range_notice
from director.context.shrink import Shrinking, shrink_text
from director.context.sizes import context_size
from director.context.values import Turn
from director.context.window import message_budget
from director.testing import make_history


def looked(
    at: int, result: str, *, tool: str = "look", failed: bool = False, text: str = ""
) -> AgentTurn:
    """A turn with one call."""
    return AgentTurn(at, text, (Call(f"c{at}", tool, f'{{"n": {at}}}', result, failed=failed),))


def page(url: str, *labels: str) -> str:
    """A page snapshot as a browser tool gives it."""
    links = "\n".join(f'- link "{label}" [ref=e{n}]' for n, label in enumerate(labels))
    return f"### Page state\n- Page URL: {url}\n- Page Snapshot:\n```yaml\n{links}\n```"


def run_of(*turns: Turn) -> Context:
    """A context with instructions and a first request."""
    first = UserTurn(0, "Find the cheapest mug.", pinned=True)
    return Context((Section("system", "You shop."),), (first, *turns))


WORDS = "the mug is red and costs as much as the blue one did last week "


class TestMarks:
    """When a rewrite comes, and how deep it goes."""

    def test_under_the_limit_nothing_but_large_results_changes(self) -> None:
        """Small results pass as they are."""
        context = run_of(looked(1, "small"), looked(2, "also small"))
        assert hybrid()(context, Budget(10_000)) == context

    def test_a_rewrite_leaves_room_for_several_calls(self) -> None:
        """The faster text arrives, the deeper the cut, within bounds set by the prices."""
        budget = Budget(10_000)
        marks = [target_size(1_000, rate, budget) for rate in (10, 300, 700, 5_000)]
        assert marks == sorted(marks, reverse=True)
        assert marks[0] <= 10_000
        assert marks[-1] < 6_000

    def test_a_given_target_is_the_target_size(self) -> None:
        """Whoever knows better decides."""
        assert target_size(1_000, 9_999, Budget(10_000, target=4_000)) == 4_000

    def test_below_the_cached_minimum_a_result_may_take_more_room(self) -> None:
        """Shrinking under the size that is cached saves nothing."""
        small = room_at(100, Budget(5_000))
        assert small > room_at(2_000, Budget(5_000))
        assert room_at(100, Budget(5_000, prices=Prices(minimum=0))) == room_at(
            9_999, Budget(5_000)
        )

    def test_a_window_of_messages_is_sticky_too(self) -> None:
        """Cut back to N on reaching twice N, and not before."""
        strategy = sliding_window(4)
        for seed in range(200):
            context, budget = make_history(seed)
            assert sticky(strategy, context, budget, (message_budget(4),)) == []


class TestShrink:
    """Results when they arrive."""

    def test_a_large_result_shrinks_and_keeps_its_original(self) -> None:
        """The rendering carries a notice, the call the original."""
        rows = json.dumps([{"sku": f"MUG-{n}", "note": WORDS} for n in range(400)])
        out = shrink()(run_of(looked(1, rows)), Budget(4_000))
        (call,) = out.turns[1].calls  # type: ignore[union-attr]
        assert call.original == rows
        assert find_notice(call.result)
        assert len(call.result) < len(rows) // 4

    def test_what_was_shrunk_is_not_shrunk_again(self) -> None:
        """The notice is the mark."""
        text = shrink_text(json.dumps([{"a": n, "b": WORDS} for n in range(99)]), Shrinking(), 900)
        assert shrink_text(text, Shrinking("high"), 100) == text

    def test_a_notice_longer_than_what_it_saves_is_not_used(self) -> None:
        """Never grows."""
        assert shrink_text('{"a": 1}', Shrinking(), 10) == '{"a": 1}'

    def test_a_shape_can_be_left_alone(self) -> None:
        """For those who want their snapshots whole."""
        text = page("http://x.test/", *(f"Link {n}" for n in range(300)))
        assert shrink_text(text, Shrinking(skip=frozenset({"snapshot"})), 100) == text
        assert len(shrink_text(text, Shrinking(), 100)) < len(text)


class TestFold:
    """Old turns as a summary."""

    def context(self) -> Context:
        """Twelve lookups, then a question."""
        turns = [
            looked(n, f"Order A-{n} by anna_k8 costs {n}.50. " + WORDS * 3) for n in range(1, 13)
        ]
        return run_of(*turns, UserTurn(13, "Which order was the dearest?"))

    def test_the_summary_cites_turns_and_keeps_identifiers(self) -> None:
        """Excerpts are verbatim and marked."""
        out = fold()(self.context(), Budget(700))
        assert out.summary is not None
        assert is_range_notice(out.summary.text.splitlines()[0])
        assert out.summary.covers
        kept = [n for n in out.summary.covers if f"A-{n} " in out.summary.text]
        assert len(kept) >= 3

    def test_a_summary_is_as_untrusted_as_what_it_covers(self) -> None:
        """Web text stays web text."""
        out = fold()(self.context(), Budget(700))
        assert out.summary is not None
        assert out.summary.trust == "web"

    def test_folding_again_merges_into_one_summary(self) -> None:
        """Fed call by call there is one summary, and it covers all that left."""
        out = fold()(self.context(), Budget(500))
        assert out.summary is not None
        assert out.fold is not None
        assert set(out.summary.covers) == {turn.at for turn in out.fold.turns}

    def test_only_the_latest_image_stays(self) -> None:
        """At a crossing older screenshots go, the newest never."""
        turns = [
            AgentTurn(n, "", (Call(f"c{n}", "shot", "{}", "a screenshot", images=1),))
            for n in range(1, 5)
        ]
        out = fold()(run_of(*turns), Budget(3_000))
        images = [call.images for turn in out.turns[1:] for call in turn.calls]  # type: ignore[union-attr]
        assert images[0] == 0
        assert images[-1] == 1
        assert sum(images) < 4

    def test_a_summary_can_be_read_back_into_its_pieces(self) -> None:
        """What was written is found again, with turn and speaker."""
        found = [
            *extract(UserTurn(3, "I want the red one."), 900),
            *extract(UserTurn(4, "Not the blue one."), 900),
            *extract(looked(6, "Red mug MUG-7\nBlue mug MUG-8", text="Looking."), 900),
        ]
        text = write(found, (3, 4, 6))
        again = earlier(Summary(text, (3, 4, 6)))
        assert [(p.at, p.who, p.text) for p in again] == [(p.at, p.who, p.text) for p in found]

    def test_what_stands_elsewhere_is_left_out_first(self) -> None:
        """A literal that survives anyway needs no second place."""
        found = [
            *extract(UserTurn(1, "Order A-17 is paid."), 9),
            *extract(UserTurn(2, "Order B-99 is open."), 9),
        ]
        (chosen,) = select(found, 30, chars4, ["A-17 is paid"])
        assert chosen.at == 2


class TestLineage:
    """Older snapshots of a page."""

    def test_an_older_snapshot_says_only_what_the_newer_does_not(self) -> None:
        """One line and the difference."""
        labels = [f"Mug {n} of the long list" for n in range(60)]
        old = page("http://shop.test/list", *labels, "Sold out today")
        new = page("http://shop.test/list", *labels)
        out = fold()(run_of(looked(1, old), looked(2, "x " * 2_000), looked(3, new)), Budget(2_000))
        (call,) = out.turns[1].calls  # type: ignore[union-attr]
        text = call.result
        assert "Sold out today" in text
        assert "Mug 30" not in text


class TestCheckpoint:
    """Phases behind us."""

    def test_a_checkpoint_is_small_and_says_where_we_are(self) -> None:
        """Phase, page, what is done; at most its size."""
        turns = [
            looked(n, page("http://shop.test/cart", "Pay", *"abc"), text=f"Cart step {n} done.")
            for n in range(1, 30)
        ]
        out = checkpoint()(run_of(*turns), Budget(900))
        assert out.summary is not None
        assert chars4(out.summary.text) <= 500
        lines = out.summary.text.splitlines()
        assert lines[:2] == ["[Checkpoint]", "[Phase: cart]"]
        assert lines[2].startswith("[Page: http://shop.test/cart")


class TestPruneAndWindow:
    """Whole units leave."""

    def test_what_later_calls_use_outlives_what_nobody_uses(self) -> None:
        """Importance comes from use."""
        context = run_of(
            looked(1, "customer anna_k8, card card_77, city BER_1, plan gold_3 " + WORDS),
            looked(2, WORDS * 2),
            AgentTurn(3, "", (Call("c3", "pay", '{"u": "anna_k8 card_77 BER_1 gold_3"}', "ok"),)),
            looked(4, "done"),
        )
        out = prune(PruningRules(importance_threshold=0.0))(context, Budget(120, target=110))
        assert 1 in [turn.at for turn in out.turns]
        assert 2 not in [turn.at for turn in out.turns]

    def test_the_last_failed_call_leaves_last(self) -> None:
        """An unresolved error is kept beyond its time."""
        turns = [looked(n, WORDS, failed=n == 2) for n in range(1, 9)]
        out = sliding_window()(run_of(*turns), Budget(150, target=120))
        assert 2 in [turn.at for turn in out.turns]
        assert 3 not in [turn.at for turn in out.turns]

    def test_sections_that_are_not_pinned_give_way_and_say_so(self) -> None:
        """The last first; pinned ones never."""
        notes = Section("notes", WORDS * 20, pinned=False)
        context = replace(run_of(), sections=(Section("system", "You shop."), notes))
        out = truncate(context, Budget(200, target=150))
        assert out.sections[1].text.endswith("[… section shortened]")
        assert context_size(out, chars4) <= 150


class TestSummarise:
    """A summary without a model, and the check of one that a model wrote."""

    def folded(self) -> Fold:
        """Three turns that left."""
        return Fold(
            (
                UserTurn(1, "Never book before 9:00, my id is anna_k8."),
                looked(2, "Flight HAT204 leaves at 10:30 for 120 EUR"),
                looked(3, "ERROR seat 4C is taken", failed=True),
            )
        )

    def test_without_a_model_the_excerpts_hold_the_facts(self) -> None:
        """Constraints, identifiers and errors."""
        text = summarise(self.folded()).text
        assert all(word in text for word in ("Never book before 9:00", "anna_k8", "HAT204", "4C"))

    def test_what_a_model_lost_is_appended_with_its_turn(self) -> None:
        """The model's words stay, the lost ones follow."""
        summary = summarise(
            self.folded(), written="User anna_k8 wants a flight after 9:00 (HAT204)."
        )
        assert summary.text.startswith("User anna_k8 wants a flight")
        assert "seat 4C" in summary.text
        assert "t3" in summary.text
        assert summary.covers == (1, 2, 3)

    @pytest.mark.parametrize("written", ["", "   ", "Everything went fine."])
    def test_a_worthless_text_gives_way_to_the_excerpts(self, written: str) -> None:
        """An empty skeleton never replaces what was said."""
        assert summarise(self.folded(), written=written) == summarise(self.folded())


def test_a_summary_keeps_to_its_room_under_an_exact_counter() -> None:
    """Labels count too: many short turns must not pass the room by their names."""
    counter = counter_for("gpt-6")
    found = [piece for n in range(900) for piece in extract(looked(n, f"A-{n} ok"), 900)]
    for room in (200, 1_500, 4_000):
        assert (
            counter(write(select(found, room, counter), range(900))) + counter.per_message <= room
        )


def test_what_is_below_the_threshold_leaves_at_a_crossing_even_beyond_the_mark() -> None:
    """Idle talk goes together, so that the next crossing is far away."""
    turns = [looked(n, WORDS * 2) for n in range(1, 12)]
    kept = {
        threshold: len(
            prune(PruningRules(threshold, keep_error_context=0))(run_of(*turns), Budget(500)).turns
        )
        for threshold in (0.0, 0.35)
    }
    assert kept[0.35] < kept[0.0]


def test_a_summary_does_not_depend_on_the_order_of_a_set() -> None:
    """Processes with other hash seeds choose the same pieces, to the last one."""
    program = (
        "import hashlib, director, director.testing as t\n"
        "out = [director.hybrid()(*h).summary for h in t.histories(120)]\n"
        "print(hashlib.sha256(repr(out).encode()).hexdigest())"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(seen) == 1


def test_a_crossing_that_was_looked_at_is_not_worked_out_again() -> None:
    """A copy of a walk looks ahead; the walk itself then takes over what was found."""
    cuts = 0

    def cut(context: Context, budget: Budget, low: int, /) -> Context:
        nonlocal cuts
        cuts += 1
        return fold_cut()(context, budget, low)

    walk = Compactor(cut).begin(Context(), Budget(300))
    for turn in run_of(*(looked(at, f"page {at}: " + "words " * 40) for at in range(1, 9))).turns:
        walk.add(turn)
        if walk.size > 300:
            break
    before = cuts
    ahead = walk.copy()
    ahead.call()
    walk.call()
    assert cuts == before + 1
    assert walk.context() == ahead.context()
