"""The rules about items: calls and outputs, ids, reasoning, references and seals."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from double.responses_room import (
    HI,
    MODEL,
    PLAIN,
    TOOL,
    Room,
    ask,
    asking,
    client,
    output,
    result,
    room,
)


@pytest.fixture
def here() -> Iterator[Room]:
    """A double of OpenAI with a plain brain."""
    with room() as made:
        yield made


def test_r3_the_first_unanswered_call_is_named(here: Room) -> None:
    """R3: every call of the chain needs its output, for good."""
    first = ask(here, "call twice", tools=[TOOL])
    one, two = output(first)
    for given in ("go on", [result(two)]):
        here.refused(
            "R3",
            asking(here, given, previous_response_id=first["id"]),
            f"No tool output found for function call {one['call_id']}.",
            param="input",
        )
    here.refused(
        "R3",
        asking(here, [result(one)], previous_response_id=first["id"]),
        f"No tool output found for function call {two['call_id']}.",
        param="input",
    )
    both = [result(one), result(two)]
    assert ask(here, both, previous_response_id=first["id"])["status"] == "completed"


def test_r3_a_poisoned_chain_stays_poisoned(here: Room) -> None:
    """R3: a history sent whole is held to the same rule."""
    call = {"type": "function_call", "call_id": "call_a", "name": "look", "arguments": "{}"}
    here.refused(
        "R3",
        asking(here, [HI, call, HI]),
        "No tool output found for function call call_a.",
        param="input",
    )
    assert ask(here, [HI, call, result(call), HI])["status"] == "completed"


def test_r4_an_output_without_a_call_is_refused(here: Room) -> None:
    """R4: an output answers a call that came before it."""
    orphan = {"type": "function_call_output", "call_id": "call_x", "output": "1"}
    here.refused(
        "R4",
        asking(here, [orphan]),
        "No tool call found for function call output with call_id call_x.",
        param="input",
    )
    first = ask(here, "call", tools=[TOOL])
    ask(here, [result(output(first)[0])], previous_response_id=first["id"])


def test_r5_an_item_is_there_once(here: Room) -> None:
    """R5: what the chain holds is not sent again."""
    first = ask(here)
    item = output(first)[0]
    here.refused(
        "R5",
        asking(here, [item], previous_response_id=first["id"]),
        f"Duplicate item found with id {item['id']}. "
        "Remove duplicate items from your input and try again.",
        param="input",
    )
    assert ask(here, [HI, item, HI])["status"] == "completed"


def test_r5_an_id_has_its_prefix_and_its_length(here: Room) -> None:
    """R5: an id begins as its type has it, and is at most 64 long."""
    here.refused(
        "R5",
        asking(here, [{**HI, "id": "abc"}]),
        "Invalid 'input[0].id': 'abc'. Expected an ID that begins with 'msg'.",
        param="input[0].id",
        code="invalid_value",
    )
    here.refused(
        "R5",
        asking(here, [{**HI, "id": "msg_" + "0" * 61}]),
        "Invalid 'input[0].id': string too long. Expected a string with maximum length 64, "
        "but got a string with length 65 instead.",
        param="input[0].id",
        code="string_above_max_length",
    )
    ask(here, [{**HI, "id": "msg_" + "0" * 60}])


def test_r6_reasoning_goes_with_what_followed_it(here: Room) -> None:
    """R6: neither is replayed without the other on a model that reasons."""
    first = ask(here, "think and call", tools=[TOOL])
    thought, call = output(first)
    here.refused(
        "R6",
        asking(here, [HI, thought]),
        f"Item '{thought['id']}' of type 'reasoning' was provided without its required "
        "following item.",
        param="input",
    )
    here.refused(
        "R6",
        asking(here, [HI, call, result(call)]),
        f"Item '{call['id']}' of type 'function_call' was provided without its required "
        f"'reasoning' item: '{thought['id']}'.",
        param="input",
    )
    assert ask(here, [HI, thought, call, result(call)])["status"] == "completed"


def test_r6_an_item_without_its_id_needs_no_reasoning(here: Room) -> None:
    """R6: the rule is about ids, and about models that reason."""
    first = ask(here, "think and call", tools=[TOOL])
    _, call = output(first)
    bare = {key: value for key, value in call.items() if key != "id"}
    ask(here, [HI, bare, result(call)])
    here.post("/responses", {"model": PLAIN, "input": [HI, call, result(call)]})
    assert here.clean()


def test_r7_what_was_never_stored_cannot_be_referred_to(here: Room) -> None:
    """R7: neither by a reference nor by a reasoning item without its content."""
    first = ask(here, "think", store=False)
    thought, said = output(first)
    reference = {"type": "item_reference", "id": said["id"]}
    bare = {"type": "reasoning", "id": thought["id"], "summary": []}
    for item in (reference, bare):
        here.refused(
            "R7",
            asking(here, [item, HI]),
            f"Item with id '{item['id']}' not found. Items are not persisted when `store` is set "
            "to false. Try again with `store` set to true, or remove this item from your input.",
            status=404,
            param="input",
        )
    ask(here, [HI, thought, said, HI], store=False)


def test_r7_what_was_stored_can_be_referred_to(here: Room) -> None:
    """R7: a reference stands for the item."""
    thought, said = output(ask(here, "think"))
    references = [{"type": "item_reference", "id": item["id"]} for item in (thought, said)]
    ask(here, [HI, *references, HI])
    seen = here.double.generations[-1].seen
    assert [item.text for item in seen.items[1:3]] == ["I should think.", "Here is the answer."]


def test_r8_encrypted_content_is_not_altered_or_moved(here: Room) -> None:
    """R8: it is bound to the key it was made for, and to its letters."""
    thought, said = output(ask(here, "think", store=False))
    token = str(thought["encrypted_content"])
    altered = {**thought, "encrypted_content": token[:-6] + "AAAAAA"}
    with client(here.double, "sk-somebody-else") as other:
        theirs = other.responses.create(model=MODEL, input="think", store=False).output
    foreign = [item.model_dump(exclude_unset=True) for item in theirs]
    for pair in ([altered, said], foreign):
        bad = str(pair[0]["encrypted_content"])
        here.refused(
            "R8",
            asking(here, [HI, *pair, HI], store=False),
            f"The encrypted content {bad[:8]}...{bad[-4:]} could not be verified. "
            "Reason: Encrypted content could not be decrypted or parsed.",
            code="invalid_encrypted_content",
        )
    ask(here, [HI, thought, said, HI], store=False)


def test_a_server_that_does_not_pair_takes_what_openai_refuses() -> None:
    """Without the rules of pairing, R3 to R8 are not asked."""
    orphan = {"type": "function_call_output", "call_id": "call_x", "output": "1"}
    with room(profile="vllm") as here:
        ask(here, [{**HI, "id": "abc"}, orphan, {"type": "item_reference", "id": "x"}])
        assert here.clean()


def test_custom_tools_are_paired_by_themselves(here: Room) -> None:
    """R3 and R4: with their own words, and never with a function's output."""
    call = {"type": "custom_tool_call", "call_id": "c", "name": "look", "input": "there"}
    answer = {"type": "custom_tool_call_output", "call_id": "c", "output": "a cat"}
    here.refused(
        "R3",
        asking(here, [HI, call]),
        "No tool output found for custom tool call c.",
        param="input",
    )
    here.refused(
        "R4",
        asking(here, [HI, answer]),
        "No tool call found for custom tool call output with call_id c.",
        param="input",
    )
    made = ask(here, [HI, call, answer])
    shown = here.double.generations[-1].seen.items
    assert [(item.kind, item.text, item.tool) for item in shown[1:]] == [
        ("call", "there", "look"),
        ("result", "a cat", "look"),
    ]
    here.client.responses.input_items.list(str(made["id"]))
