"""What users put into their messages: whole files, and facts spread over a long chat."""

from __future__ import annotations

import random

from chats import Message
from director import counter_for, fit_messages

TOKENS = counter_for()
AIDER, FILES = 108_495, 3


def aider_chat() -> list[Message]:
    """Files in a message of the user, as a client without tools sends them; then its requests."""
    lines = [f"def handle_{n}(request): return route('{n * 37 % 1_009}')" for n in range(4_000)]
    files = "src/routes.py\n```\n" + "\n".join(lines)
    return [
        {"role": "system", "content": "Act as an expert developer."},
        {"role": "user", "content": "Change the greeting to be more casual."},
        {"role": "assistant", "content": "Ok."},
        {"role": "user", "content": files[:AIDER]},
        {"role": "assistant", "content": "Ok, any changes I propose will be to those files."},
        {"role": "user", "content": "Rename handle_7."},
        {"role": "assistant", "content": "Done: handle_7 is now handle_seven. " * 40},
        {"role": "user", "content": "Now change what handle_1234 returns to 'gone'."},
    ]


def test_a_clients_files_of_108495_characters_are_whole_while_they_fit() -> None:
    """At 60,000 tokens nothing is touched."""
    messages = aider_chat()
    sent = fit_messages(messages, budget=60_000).messages
    assert len(str(messages[FILES]["content"])) == AIDER
    assert all(one is other for one, other in zip(sent, messages, strict=True))


def test_a_clients_files_that_do_not_fit_are_cut_and_hold_what_is_asked_about() -> None:
    """At 20,000 tokens head and tail stay, the function that the request names, and a reference."""
    messages = aider_chat()
    fitted = fit_messages(messages, budget=20_000)
    kept = next(str(m) for m in fitted.messages if "src/routes.py" in str(m))
    assert fitted.report.fits
    assert fitted.report.after > 12_000
    assert "def handle_0(request)" in kept
    assert "def handle_1234(request)" in kept
    reference = kept.rpartition("recall ")[2][:8]
    assert fitted.recall(reference) == messages[FILES]["content"]


def test_a_clients_files_as_its_first_request_stay_whole_and_are_named_by_size() -> None:
    """The first request is never cut: what is above the budget then is said, with its size."""
    first, *_, last = aider_chat()
    messages = [first, aider_chat()[FILES], last]
    fitted = fit_messages(messages, budget=20_000)
    assert messages[1] in fitted.messages
    assert not fitted.report.fits
    assert fitted.report.floor[0][1] > 20_000


def test_a_long_chat_into_16000_keeps_what_the_user_told_of_himself() -> None:
    """Over 100,000 tokens, mostly long answers: nine of ten facts that the user told are there."""
    chance = random.Random(5)
    words = (
        "plan trip garden budget report meeting paper lesson recipe engine letter camera".split()
    )
    messages: list[Message] = [{"role": "system", "content": "You are a helpful assistant."}]
    facts = []
    for n in range(220):
        facts.append(
            f"my {chance.choice(words)} {n} is with {chance.choice('ABCDE')}na in room {n * 3}"
        )
        talk = " ".join(chance.choices(words, k=12))
        messages.append({"role": "user", "content": f"{talk}. Remember that {facts[-1]}."})
        answer = " ".join(chance.choices([*words, "which", "helps", "because", "often"], k=420))
        messages.append({"role": "assistant", "content": f"{answer}."})
    messages.append({"role": "user", "content": "In which room is my first meeting?"})
    fitted = fit_messages(messages, budget=16_000)
    said = "\n".join(str(m["content"]) for m in fitted.messages)  # type: ignore[index]
    assert fitted.report.before > 100_000
    assert fitted.report.fits
    assert sum(fact in said for fact in facts) >= 0.9 * len(facts)
