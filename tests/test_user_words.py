"""What users put into their messages: whole files, and facts spread over a long chat."""

from __future__ import annotations

import random

import pytest

from chats import Message
from director import (
    AgentTurn,
    Budget,
    Call,
    Context,
    ContextConfig,
    ContextManager,
    UserTurn,
    counter_for,
    fit_messages,
    hybrid,
)
from director.context.sizes import context_size
from director.context.wire import Wire

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


def test_a_clients_files_as_its_first_request_are_cut_for_the_latest() -> None:
    """The first request never leaves: too large to stay, it holds what the latest one names."""
    first, *_, last = aider_chat()
    answer: Message = {"role": "assistant", "content": "All of these are handlers. " * 200}
    messages = [first, aider_chat()[FILES], answer, last]
    fitted = fit_messages(messages, budget=20_000)
    kept = str(fitted.messages[1])
    assert fitted.report.fits
    assert fitted.report.after > 12_000
    assert (fitted.messages[0], fitted.messages[-1]) == (first, last)
    assert "src/routes.py" in kept
    assert "def handle_1234(request)" in kept
    assert fitted.recall(kept.rpartition("recall ")[2][:8]) == messages[1]["content"]


QUESTION = "Which of these orders was never paid, and why does the total of March not match it?"
WIRES: tuple[Wire, ...] = ("chat", "anthropic", "responses")


def pasted(tokens: int, *, at: str) -> str:
    """So many tokens of orders that a user pasted, the question ahead of them or behind."""
    lines: list[str] = []
    while sum(map(TOKENS, lines)) < tokens:
        lines += [f"order {len(lines) + n}: {n * 37 % 1_009}.50 EUR, paid" for n in range(100)]
    rows = "\n".join(lines)
    return f"{QUESTION}\n\n{rows}" if at == "head" else f"{rows}\n\n{QUESTION}"


@pytest.mark.parametrize("at", ["head", "tail"])
@pytest.mark.parametrize("wire", WIRES)
def test_a_message_of_50000_tokens_into_40000_fits_with_its_question(wire: Wire, at: str) -> None:
    """Alone it exceeds the budget: cut like a result, its question whole, with a reference."""
    said = pasted(50_000, at=at)
    block = "input_text" if wire == "responses" else "text"
    content: object = said if wire == "chat" else [{"type": block, "text": said}]
    given: list[object] = [{"role": "user", "content": content}]
    if wire == "chat":
        given.insert(0, {"role": "system", "content": "You keep the books."})
    for fitted in (
        fit_messages(given, budget=40_000),
        ContextManager(ContextConfig(budget=40_000), wire=wire).fit(given),
    ):
        kept = str(fitted.messages[-1])
        assert fitted.report.before > 50_000
        assert 34_000 < fitted.report.after <= 40_000
        assert fitted.report.fits
        assert QUESTION in kept
        assert fitted.recall(kept.rpartition("recall ")[2][:8]) == said
        assert list(fitted.messages[:-1]) == given[:-1]
    untold = fit_messages(given, budget=40_000, recall=False)
    assert untold.report.fits
    assert "recall" not in str(untold.messages)


def test_beside_a_huge_request_an_agent_can_work() -> None:
    """What it reads is whole, each call fits, and the request is rewritten only once."""
    said = pasted(50_000, at="tail")
    history: list[object] = [{"role": "user", "content": said}]
    manager = ContextManager(ContextConfig(budget=40_000, strategy="hybrid"))
    requests: list[str] = []
    for step in range(12):
        fitted = manager.fit(history)
        assert fitted.report.fits
        assert QUESTION in str(fitted.messages[0])
        requests.append(str(fitted.messages[0]))
        if step:
            assert fitted.messages[-1] is history[-1]
        function = {"name": "read", "arguments": f'{{"part": {step}}}'}
        calls = [{"id": f"c{step}", "type": "function", "function": function}]
        page = "\n".join(f"entry {step * 1_000 + n}: {n * 91 % 997} pieces" for n in range(400))
        history.append({"role": "assistant", "content": "", "tool_calls": calls})
        history.append({"role": "tool", "tool_call_id": f"c{step}", "content": page})
    assert len(set(requests)) == 2


def test_up_to_half_of_the_budget_results_give_way_to_a_request() -> None:
    """And one that is pinned by the caller is never cut, however large it is."""
    said = pasted(7_000, at="head")
    call = Call("c1", "read", "{}", pasted(30_000, at="tail"))
    turns = (UserTurn(0, said, request=True), AgentTurn(1, "", (call,)))
    budget = Budget(20_000, counter=TOKENS)
    sent = hybrid()(Context(turns=turns), budget)
    assert sent.turns[0] is turns[0]
    assert context_size(sent, TOKENS) <= 20_000
    pinned = UserTurn(0, pasted(30_000, at="head"), pinned=True)
    sent = hybrid()(Context(turns=(pinned, AgentTurn(1, "", (call,)))), budget)
    assert sent.turns[0] is pinned


@pytest.mark.parametrize(
    ("fact", "talk"),
    [
        ("My dentist lives in Vologda", "Today we talked about the weather and work. "),
        ("Мой секретарь живёт в Вологде", "Сегодня мы говорили о погоде и работе. "),
        ("Ο γιατρός μου μένει στη Λάρισα", "Σήμερα μιλήσαμε για τον καιρό και τη δουλειά. "),
        ("我的牙医住在昆明", "今天我们谈了天气和工作。"),
        ("私の歯医者は盛岡に住んでいます", "今日は天気と仕事について話しました。"),
        ("หมอฟันของฉันอยู่ที่ลำปาง", "วันนี้เราคุยเรื่องอากาศและงาน "),
    ],
)
def test_a_fact_that_was_said_once_stays_in_any_script(fact: str, talk: str) -> None:
    """In a third of the room: what has words only in Latin letters would lose it."""
    messages: list[Message] = [{"role": "system", "content": "You are a helpful assistant."}]
    for n in range(60):
        said = f"{talk * 10}{fact}." if n == 20 else talk * 10
        messages.append({"role": "user", "content": talk * 2})
        messages.append({"role": "assistant", "content": said})
    messages.append({"role": "user", "content": talk})
    size = sum(TOKENS(str(m["content"])) for m in messages)
    fitted = fit_messages(messages, budget=size // 3)
    assert fitted.report.fits
    assert fact in str(fitted.messages)


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
