"""Budgets that hold little more than what is protected: nothing that the engine adds passes them."""

from __future__ import annotations

import json

from director import fit_messages, shrink
from director.context.cut import cut_text
from director.context.element_references import find_references
from director.context.values import Budget, chars4
from director.testing import check_strategy
from director.testing.replay import make

SYSTEM = {"role": "system", "content": "You operate the given tools for the user."}
REQUEST = {"role": "user", "content": "Copy summary_draft.docx to ultimate_draft.docx, please."}


def size(messages: list[object]) -> int:
    """Four characters a token, an assistant's text and its calls being one text."""
    total = 0
    for message in messages:
        assert isinstance(message, dict)
        calls = [call["function"] for call in message.get("tool_calls") or ()]
        said = "".join(f"\n{call['name']} {call['arguments']}" for call in calls)
        total += (len((message["content"] or "") + said) + 3) // 4 + 4
    return total


def call(nth: int, result: str, *, said: str = "") -> list[object]:
    """One call of a tool and its result."""
    function = {"name": "copy", "arguments": json.dumps({"source": "summary_draft.docx"})}
    asked = {"id": f"c{nth}", "type": "function", "function": function}
    return [
        {"role": "assistant", "content": said, "tool_calls": [asked]},
        {"role": "tool", "tool_call_id": f"c{nth}", "content": result},
    ]


def test_a_call_is_counted_as_the_message_that_it_is() -> None:
    """Roundings of its parts do not add up: the report says what the messages take."""
    counter = Budget(1, counter=chars4).counter
    for nth in range(8):
        messages = [SYSTEM, REQUEST, *call(1, "x" * nth, said="y" * nth)]
        fitted = fit_messages(messages, budget=Budget(1_000, counter=counter))
        assert fitted.report.before == size(messages) + counter.per_call


def test_the_note_of_what_left_does_not_pass_the_limit() -> None:
    """Beside the head, the latest request and the latest call there are 24 tokens."""
    told = {"role": "user", "content": "And now the last of them, into ResearchDocs."}
    earlier = [REQUEST, *call(1, "copied " * 20), {"role": "assistant", "content": "Done."}]
    messages = [SYSTEM, *earlier, told, *call(2, "'summary_draft.docx' was copied, as it was said")]
    least = size([SYSTEM, REQUEST, told, *call(2, "")])
    manage = make()
    sent = manage(messages, least + 24)
    assert size(sent) <= least + 24
    assert "Left out of t1" in str(sent)


def test_the_last_words_of_an_agent_give_way_to_the_limit() -> None:
    """Its result is whole, its text is cut to fill the room and can be read back."""
    said = "\n".join(f"Fact {nth}: the record {nth * 977} was seen." for nth in range(60))
    messages = [SYSTEM, REQUEST, *call(1, "zip code 34689", said=said)]
    limit = size(messages) - 200
    fitted = fit_messages(messages, budget=Budget(limit, counter=chars4))
    assert limit * 0.9 < fitted.report.after <= limit
    assert fitted.messages[-1] == messages[-1]
    reference = str(fitted.messages[2]).split("recall ")[1][:8]
    assert fitted.recall(reference) == said


def test_a_new_result_is_whole_where_a_cut_made_room_for_it() -> None:
    """It had taken its shorter notation before turns of the same loop became smaller."""
    for seed in (1_000_434, 1_004_426):
        result = check_strategy(shrink("low"), 1, start=seed)
        assert result.holds, str(result)


def test_links_outlast_the_bare_cells_around_them() -> None:
    """A page that does not fit loses the numbers of cells and rows before those of its links."""
    rows = [
        f"[{nth}]<tr />\n\t[{nth + 1}]<td />\n\t\t[{nth + 2}]<a title=Edit />"
        for nth in range(100, 1_000, 5)
    ]
    page = "\n".join(rows)
    room = len(page) * 2 // 3
    kept = cut_text(page, room, references=find_references(()))
    assert len(kept) <= room
    assert kept.count("<a title=Edit />") > 2 * kept.count("<td />")


def test_a_cut_leaves_out_what_the_rest_says_and_keeps_a_word_that_stands_once() -> None:
    """Nine tenths of a text fit: what goes is a sentence whose words stand elsewhere too."""
    parts = [
        f"valve{i % 20}x gauge{i % 20}x piston{i % 20}x gasket{i % 20}x of the brake"
        for i in range(40)
    ]
    said = "the brake of the vehicle, as the manual of the vehicle says of the brake, "
    parts[9] = f"{said * 4}beside the passenger"
    text = "\n".join(parts)
    for share in (0.9, 0.8, 0.7):
        smaller = cut_text(text, int(len(text) * share))
        assert "passenger" in smaller
        assert len(smaller) >= 0.9 * share * len(text)
