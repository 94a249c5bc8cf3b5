"""The benchmark's measure, on histories small enough to check by hand."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parents[2] / "bench"))

from peers import floor, masking, raw

from director.audit.recorded_texts import Message, find_word
from director.audit.support import (
    CallNeeds,
    compute_budget,
    count_tokens,
    find_needs,
    find_refusing,
    is_among_neighbours,
    is_ref_kept,
)
from director.audit.support_replay import CacheBill, Manage, RecordedRun, SupportScore, replay


def call(number: int, tool: str, **args: object) -> Message:
    """An assistant message with one call."""
    function = {"name": tool, "arguments": json.dumps(args)}
    calls = [{"id": f"c{number}", "type": "function", "function": function}]
    return {"role": "assistant", "content": "", "tool_calls": calls}


def result(number: int, text: str) -> Message:
    """The result of that call."""
    return {"role": "tool", "tool_call_id": f"c{number}", "content": text}


ORDER = "The parcel of Ms Ito has order number ORD-5512 and leaves the depot on Monday morning."
HISTORY: list[Message] = [
    {"role": "system", "content": "You look after parcels."},
    {"role": "user", "content": "Find the parcel of Ms Ito and stop it."},
    call(1, "find", name="Ito"),
    result(1, ORDER),
    call(2, "weather", town="Ghent"),
    result(2, "Rain until noon. " * 40),
    call(3, "stop", order="ORD-5512", town="Ghent", reason="Ito"),
    result(3, "Stopped."),
    {"role": "assistant", "content": "It is stopped."},
]
RUN = RecordedRun("parcel", HISTORY)


def score_of(make: Any, share: float = 0.3) -> SupportScore:
    """The score of a manager on the one run."""
    return replay(make, [RUN], share)


def listing(text: str) -> Any:
    """A manager that sends the floor and a text in place of all else."""

    def make() -> Manage:
        def manage(messages: list[Message], budget: int) -> list[Message]:
            kept = floor()(messages, budget)
            return [*kept[:1], {"role": "user", "content": text}, *kept[1:]]

        return manage

    return make


def test_only_what_old_history_alone_holds_is_hard() -> None:
    """The order number is hard; the name is in the request and the town in the latest turn."""
    assert find_needs(HISTORY[:6], HISTORY[6]) == CallNeeds(hard=("ORD-5512",))


def test_a_value_that_stands_nowhere_is_not_needed() -> None:
    """What the agent made up itself cannot be kept by anyone."""
    assert find_needs(HISTORY[:6], call(3, "stop", order="ORD-9999")) == CallNeeds()


def test_telling_pieces_of_a_long_value_are_needed() -> None:
    """Of a sentence that was never said before, the number in it is still needed."""
    action = call(3, "remark", text="please stop (ORD-5512) right away")
    assert find_needs(HISTORY[:6], action) == CallNeeds(hard=("ORD-5512",))


def test_everything_raw_scores_a_hundred() -> None:
    """Sending all keeps all, costs the same and is valid."""
    row = score_of(raw).row()
    assert (row["hard %"], row["hard_ctx %"], row["cost"]) == (100, 100, 1)
    assert (row["valid openai %"], row["valid anthropic %"]) == (100, 100)
    assert (row["kept %"], row["over budget %"], row["rewrites %"]) == (100, 100, 0)


def test_the_floor_scores_nothing() -> None:
    """Head and latest turn hold no hard value, by definition."""
    row = score_of(floor).row()
    assert (row["hard %"], row["hard_ctx %"]) == (0, 0)
    assert row["valid openai %"] == 100


def test_a_bare_list_of_values_does_not_count_as_kept_in_context() -> None:
    """The value is there, its meaning is not."""
    row = score_of(listing("c1 c2 ORD-5512 Ghent 40 Ito")).row()
    assert (row["hard %"], row["hard_ctx %"]) == (100, 0)


def test_a_value_in_its_sentence_counts_as_kept_in_context() -> None:
    """Half of the neighbours are enough."""
    row = score_of(listing("parcel of Ms Ito: order number ORD-5512, leaves Monday")).row()
    assert (row["hard %"], row["hard_ctx %"]) == (100, 100)


def test_markup_of_a_snapshot_is_no_neighbour() -> None:
    """A table row without its references and roles is still the same row."""
    snapshot = '- row [ref=e1]:\n  - cell "NX77" [ref=e2]\n  - cell "06:19" [ref=e3]\n  - cell "Ghent" [ref=e4]'
    assert is_among_neighbours("NX77", snapshot, "NX77 | 06:19 | Ghent")
    assert not is_among_neighbours("NX77", snapshot, "NX77, NX78, NX79")


def test_a_value_inside_a_longer_word_does_not_stand_there() -> None:
    """ORD-5512 is not ORD-55123."""
    assert find_word("ORD-5512", "about ORD-5512.") == 6
    assert find_word("ORD-5512", "about ORD-55123 and XORD-5512") == -1
    assert find_word("", "anything") == -1


def test_a_reference_counts_only_with_its_label_on_a_line_of_its_own() -> None:
    """Neither a bare reference nor one giant line of all of them offers an element."""
    page = '- button "Place the order" [ref=e9]'
    assert is_ref_kept("e9", page, '- button "Place order" [ref=e9]')
    assert not is_ref_kept("e9", page, "[ref=e9]")
    assert not is_ref_kept("e9", page, f"{page} " + "x" * 500)


def test_references_are_needed_from_the_newest_result_only() -> None:
    """What the newest snapshot does not offer cannot be asked of it."""
    history = [*HISTORY[:3], result(1, '- button "Stop" [ref=e4]')]
    assert find_needs(history, call(2, "click", element="Stop button", ref="e4")).refs == ("e4",)
    assert find_needs(history, call(2, "click", element="Stop button", ref="e5")).refs == ()


def test_changing_what_was_sent_before_is_a_rewrite() -> None:
    """Masking one result rewrites once for each result that it masks."""
    assert score_of(raw).rewrites == 0
    assert score_of(masking(1)).rewrites == 2


def test_a_change_below_the_budget_is_early() -> None:
    """With a budget for everything, any change was not needed."""
    assert score_of(raw, 1.0).early == 0
    assert score_of(masking(1), 1.0).early == 2


def test_a_manager_that_raises_sends_nothing() -> None:
    """It keeps nothing and nobody would accept it."""

    def make() -> Manage:
        def manage(messages: list[Message], budget: int) -> list[Message]:
            raise RuntimeError(f"{len(messages)} messages into {budget}")

        return manage

    row = score_of(make).row()
    assert (row["crashes"], row["hard %"], row["valid openai %"]) == (4, 0, 0)


def test_a_manager_that_changes_its_input_is_noticed() -> None:
    """The history belongs to the caller."""

    def make() -> Manage:
        def manage(messages: list[Message], _: int) -> list[Message]:
            messages.pop()
            return messages

        return manage

    assert score_of(make).mutations == 4


def test_providers_refuse_a_result_without_its_call() -> None:
    """And a call without its result."""
    assert find_refusing(HISTORY) == set()
    assert find_refusing([*HISTORY[:2], *HISTORY[3:]]) == {"openai", "anthropic"}
    assert find_refusing([*HISTORY[:3], *HISTORY[4:]]) == {"openai", "anthropic"}
    assert find_refusing(HISTORY[:3]) == {"openai", "anthropic"}
    assert find_refusing(HISTORY[:1]) == {"openai", "anthropic"}


def test_anthropic_wants_the_user_first_and_the_system_apart() -> None:
    """OpenAI takes both."""
    assert find_refusing([HISTORY[0], HISTORY[8], HISTORY[1]]) == {"anthropic"}
    assert find_refusing([HISTORY[1], HISTORY[0]]) == {"anthropic"}
    silent = {"role": "assistant", "content": ""}
    assert find_refusing([HISTORY[1], silent]) == {"anthropic"}


def user(size: int) -> Message:
    """A message of that many tokens."""
    return {"role": "user", "content": "x" * (4 * (size - 4))}


def test_a_size_is_a_quarter_of_the_characters_and_four_for_the_message() -> None:
    """Rounded up for each message."""
    assert count_tokens([user(100)]) == 100
    assert count_tokens([{"role": "user", "content": "hello"}]) == 6


def test_a_budget_holds_the_head_and_a_share_of_the_rest() -> None:
    """Half of a hundred after a head of thirty."""
    history = [{"role": "system", "content": ""}, user(26), user(60), user(40)]
    assert compute_budget(history, 0.5) == 80


def test_a_known_prefix_costs_a_tenth() -> None:
    """Two requests: the first in full, the second only for what is new."""
    till = CacheBill()
    till.pay([user(2_000)], now=0)
    till.pay([user(2_000), user(500)], now=60)
    assert till.paid == pytest.approx(2_000 + 200 + 500)
    assert till.reused == 2_000


def test_a_short_prefix_is_not_kept() -> None:
    """Below 1,024 tokens everything is paid in full."""
    till = CacheBill()
    till.pay([user(1_023)], now=0)
    till.pay([user(1_023), user(500)], now=60)
    assert till.paid == 1_023 + 1_023 + 500


def test_a_prefix_is_forgotten_after_five_minutes() -> None:
    """Unless a request used it in between."""
    late, kept = CacheBill(), CacheBill()
    for now in (0, 301):
        late.pay([user(2_000)], now=now)
    for now in (0, 200, 400):
        kept.pay([user(2_000)], now=now)
    assert late.paid == 4_000
    assert kept.paid == pytest.approx(2_000 + 200 + 200)


def test_a_change_in_the_middle_is_paid_from_there_on() -> None:
    """Only what stands before the change is a known prefix."""
    till = CacheBill()
    till.pay([user(2_000), user(300), user(400)], now=0)
    till.pay([user(2_000), user(299), user(400)], now=10)
    assert till.paid == pytest.approx(2_700 + 200 + 299 + 400)


def test_writing_to_the_cache_may_cost_more() -> None:
    """Anthropic's writes cost a quarter more."""
    till = CacheBill(write=1.25)
    till.pay([user(2_000)], now=0)
    assert till.paid == 2_500
