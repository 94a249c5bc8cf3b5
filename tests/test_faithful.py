"""What the agent just asked for, and what the user said, is not taken away."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from chats import Message
from director import Budget, ContextConfig, ContextManager, chars4, counter_for, fit_messages

TOKENS = counter_for()


def call(at: int, tool: str, args: dict[str, object], result: str) -> list[Message]:
    """One call with its result, as Chat Completions writes them."""
    function = {"name": tool, "arguments": json.dumps(args)}
    return [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": f"c{at}", "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": f"c{at}", "content": result},
    ]


def task(text: str = "Find out why the payment service fails.") -> list[Message]:
    """Instructions and a first request."""
    return [{"role": "system", "content": "You work."}, {"role": "user", "content": text}]


def log(lines: int, start: int = 0) -> str:
    """A log in which one line is the answer."""
    said = [
        f"2026-11-17 10:{n // 60 % 60:02}:{n % 60:02} INFO call {n} of user_{n * 7} took {n % 90} ms"
        for n in range(start * lines, (start + 1) * lines)
    ]
    said[lines // 2] = "2026-11-17 10:11:12 INFO pool size is 3, 41 wait for ledger-db-7"
    return "\n".join(said)


def text_of(messages: list[object]) -> str:
    """All that a model would read."""
    return json.dumps(messages, ensure_ascii=False)


def test_a_log_of_12080_tokens_just_read_is_sent_whole_at_50000() -> None:
    """Below the trigger the identical objects come back, the first and the second time."""
    messages = [*task(), *call(1, "read_file", {"path": "app.log"}, log(400))]
    again = [*messages, *call(2, "read_file", {"path": "app.log"}, log(400))]
    manager = ContextManager(ContextConfig(strategy="hybrid", budget=50_000))
    for history in (messages, again):
        sent = manager.fit(history).messages
        assert len(sent) == len(history)
        assert all(one is other for one, other in zip(sent, history, strict=True))


def test_a_first_file_read_of_37646_characters_reaches_the_agent_whole() -> None:
    """As large as the file that a coding client reads first, at 60,000."""
    file = "\n".join(f"def function_{n}(value): return value + {n}" for n in range(900))[:37_646]
    messages = [*task(), *call(1, "Read", {"file_path": "src/big.py"}, file)]
    assert fit_messages(messages, budget=60_000).messages[-1] is messages[-1]


def test_a_result_that_alone_does_not_fit_fills_the_room_and_keeps_what_is_named() -> None:
    """Rows that differ are never told as a template; what the task names stays."""
    messages = [
        *task("Why does ledger-db-7 have waiters?"),
        *call(1, "read_file", {"path": "app.log"}, log(4_000)),
    ]
    fitted = fit_messages(messages, budget=8_000)
    assert fitted.report.fits
    assert fitted.report.after > 7_000
    assert "ledger-db-7" in str(fitted.messages[-1])
    assert "lines like" not in str(fitted.messages[-1])


def test_parallel_results_share_the_room_by_need() -> None:
    """The small one is whole, the large one takes the rest."""
    small, large = "the answer is 42", log(2_000)
    calls = [
        {"id": f"c{n}", "type": "function", "function": {"name": "read", "arguments": "{}"}}
        for n in (1, 2)
    ]
    messages = [
        *task(),
        {"role": "assistant", "content": "", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c1", "content": small},
        {"role": "tool", "tool_call_id": "c2", "content": large},
    ]
    fitted = fit_messages(messages, budget=6_000)
    assert fitted.messages[-2] is messages[-2]
    assert 4_500 < fitted.report.after <= 6_000


def test_a_user_message_of_50000_tokens_at_40000_leaves_a_trace() -> None:
    """It is cut like a result: its head, its tail, and a reference to all of it."""
    pasted = "\n".join(f"clause {n}: the lessee pays {n * 13} for item-{n}" for n in range(3_600))
    messages = [
        *task(),
        {"role": "user", "content": pasted},
        {"role": "assistant", "content": "I have read it."},
        {"role": "user", "content": "What does clause 1 say?"},
    ]
    assert TOKENS(pasted) > 50_000
    fitted = fit_messages(messages, budget=40_000)
    kept = next(str(m) for m in fitted.messages if "clause 0:" in str(m))
    assert fitted.report.fits
    assert TOKENS(kept) > 15_000
    assert "clause 3599:" in kept
    reference = kept.rpartition("recall ")[2][:8]
    assert fitted.recall(reference) == pasted


def test_what_the_request_names_stays_in_a_huge_message_that_is_cut() -> None:
    """A clause in the middle of a pasted contract, asked for one message later."""
    pasted = "\n".join(f"clause-{n}: the lessee pays {n * 13}" for n in range(3_000))
    messages = [
        *task(),
        {"role": "user", "content": pasted},
        {"role": "assistant", "content": "I have read it."},
        {"role": "user", "content": "What does clause-1717 say?"},
    ]
    said = text_of(fit_messages(messages, budget=9_000).messages)
    assert f"clause-1717: the lessee pays {1717 * 13}" in said


def test_a_chat_without_tools_keeps_most_of_what_the_user_said() -> None:
    """The long answers leave before the words of the user, also past half of the budget.

    About 92 of the 120 messages would fit if nothing else were sent.
    """
    messages = task("Help me plan.")
    for n in range(120):
        said = f"For day {n} I agreed with Ana to meet at gate-{n} in hall {n * 3}. " * 2
        messages.append({"role": "user", "content": said})
        messages.append({"role": "assistant", "content": "Here is general advice. " * 60})
    messages.append({"role": "user", "content": "Which gate was it on day 40?"})
    fitted = fit_messages(messages, budget=4_500)
    said = text_of(fitted.messages)
    assert fitted.report.fits
    assert sum(f"meet at gate-{n} in" in said for n in range(120)) >= 80


def test_files_in_user_messages_stay_while_they_fit_into_half() -> None:
    """As a client that puts whole files into user messages does it."""
    file = "\n".join(f"value_{n} = {n}" for n in range(1_200))
    messages = [*task(), {"role": "user", "content": f"src/values.py\n{file}"}]
    for n in range(30):
        messages += call(n, "shell", {"cmd": f"grep -n value_{n} src"}, log(30, n))
    messages.append({"role": "user", "content": "Now change value_7."})
    fitted = fit_messages(messages, budget=24_000)
    assert fitted.report.fits
    assert messages[2] in fitted.messages


def test_the_later_words_of_the_user_are_all_there_at_half_of_the_size() -> None:
    """Results and the agent's own words leave first."""
    messages = task()
    for n in range(20):
        messages += call(n, "look", {"n": n}, log(20, n))
        messages.append({"role": "user", "content": f"Please never touch account ACC-{n}00."})
    whole = fit_messages(messages, budget=10**6).report.before
    fitted = fit_messages(messages, budget=whole // 2)
    said = text_of(fitted.messages)
    assert all(f"never touch account ACC-{n}00." in said for n in range(20))


def test_the_only_error_of_a_run_is_kept_without_a_flag_by_default() -> None:
    """S4.3 with the default configuration: plain messages carry no flag of failure."""
    messages = task()
    for n in range(40):
        said = (
            "Traceback (most recent call last):\nTimeoutError: login took 30 s" if n == 3 else "ok"
        )
        messages += call(n, "click", {"n": n}, said)
    sent = ContextManager(ContextConfig()).fit(messages).messages
    assert len(sent) < len(messages)
    assert "TimeoutError: login took 30 s" in text_of(sent)


def test_excerpts_hold_the_error_and_no_reference_of_a_page_that_is_gone() -> None:
    """A shop test: what stays true comes first, stale element references never."""
    messages = task("Test the shop.")
    for n in range(30):
        page = "\n".join(
            f'- link "item {k} of page {n}" [ref=e{n * 40 + k}] [cursor=pointer]' for k in range(30)
        )
        result = f"### Page state\n- Page URL: http://shop.test/{n}\n```yaml\n{page}\n```"
        if n == 5:
            result = "TimeoutError in login: the button did not appear"
        messages += call(n, "browser_click", {"ref": f"e{n * 40 + 2}"}, result)
    fitted = fit_messages(messages, budget=4_000)
    excerpts = str(next(m for m in fitted.messages if "Left out of" in str(m)))
    assert "TimeoutError in login" in text_of(fitted.messages)
    assert "[ref=" not in excerpts
    assert fitted.report.after > 2_600


@pytest.mark.parametrize(
    ("line", "argument"),
    [
        ("[{n}]<button>Buy item {n}</button>", "{n}"),
        ("B{n}: button 'Buy item {n}'", "B{n}"),
        ("node-{n} button Buy item {n}", "node-{n}"),
        ("#{n} button Buy item {n}", "#{n}"),
        ("@e{n} [button] Buy item {n}", "@e{n}"),
        ("<e{n}|button> Buy item {n}", "e{n}"),
        ("[0-{n}] button: Buy item {n}", "0-{n}"),
        ('<button bid="{n}">Buy item {n}</button>', "{n}"),
        ("({n}) Buy item {n}", "{n}"),
        ("{n}: button 'Buy item {n}'", "{n}"),
    ],
)
def test_references_of_any_format_survive_with_their_label(line: str, argument: str) -> None:
    """A format that is learned from the run: a page too large for the room keeps its elements."""

    def page(count: int) -> str:
        prose = "Lorem ipsum dolor sit amet, consectetur adipiscing elit sed do eiusmod. " * 3
        return "\n".join(f"{line.format(n=n)}\n{prose}" for n in range(count))

    messages = [
        *task("Buy all items."),
        *call(1, "open", {"url": "http://shop.test/"}, page(9)),
        *call(2, "click", {"target": argument.format(n=3)}, page(120)),
    ]
    fitted = fit_messages(messages, budget=3_500)
    shown = str(fitted.messages[-1])
    kept = [n for n in range(120) if line.format(n=n) in shown.replace("\\'", "'")]
    assert fitted.report.fits
    assert len(kept) >= 119


def test_the_next_edit_of_a_file_in_work_can_be_made() -> None:
    """Read, edit, read: the newest text of the file stays, older copies become references."""
    file = [f"    total_{n} = price_{n} * count_{n}" for n in range(120)]
    messages = task("Fix totals.")
    for n in range(8):
        messages += call(3 * n, "Read", {"file_path": "src/totals.py"}, "\n".join(file))
        file[n * 9] = f"    total_{n * 9} = round(price_{n * 9}, 2)"
        edit = {"file_path": "src/totals.py", "new_string": file[n * 9]}
        messages += call(3 * n + 1, "Edit", edit, "The file was changed.")
        messages += call(3 * n + 2, "Bash", {"command": "pytest -q"}, log(20, n))
    messages += call(99, "Read", {"file_path": "src/totals.py"}, "\n".join(file))
    messages += call(100, "Bash", {"command": "pytest -q"}, log(20))
    fitted = fit_messages(messages, budget=9_000)
    said = "\n".join(str(m.get("content")) for m in fitted.messages if isinstance(m, dict))
    assert fitted.report.fits
    assert all(line in said for line in file)
    assert said.count("total_50 = price_50") <= 2


def test_a_documentation_walk_at_32000_still_names_every_page_and_function() -> None:
    """Addresses and names only: what the sentences beside them say leaves with older pages."""

    def page(n: int) -> str:
        tree = "\n".join(
            f'  - link "module_{n}.function_{k}" [ref=e{n * 90 + k}]:\n    - /url: "#f{k}"\n'
            f"  - paragraph: function_{k} of module_{n} returns Type{n}x{k}, as told below."
            for k in range(60)
        )
        return f"### Page state\n- Page URL: http://docs.test/{n}\n```yaml\n- main:\n{tree}\n```"

    messages = task("Read the modules, then list what returns what.")
    for n in range(20):
        messages += call(n, "browser_navigate", {"url": f"http://docs.test/{n}"}, page(n))
    fitted = fit_messages(messages, budget=Budget(32_000, counter=chars4))
    said = text_of(fitted.messages)
    assert fitted.report.before > 40_000
    assert all(f"http://docs.test/{n}" in said for n in range(20))
    names = [f"module_{n}.function_{k}" for n in range(20) for k in range(60)]
    assert sum(name in said for name in names) >= 0.93 * len(names)


def test_without_recall_no_notice_names_a_reference() -> None:
    """Where nothing can open one, none is named; the ranges are."""
    messages = task()
    for n in range(30):
        messages += call(n, "read", {"n": n}, log(60, n))
    said = text_of(fit_messages(messages, budget=9_000, recall=False).messages)
    assert "recall" not in said
    assert "Left out of t1–t" in said


def test_thrift_is_the_older_behaviour_for_those_who_ask() -> None:
    """A large result is compact at once, far below the budget."""
    messages = [*task(), *call(1, "read_file", {"path": "app.log"}, log(400))]
    thrifty = fit_messages(messages, budget=50_000, thrift=True)
    assert thrifty.report.after < thrifty.report.before * 0.8
    assert thrifty.report.losses


def anthropic(messages: list[Message]) -> list[Message]:
    """The same history as Anthropic's Messages writes it, without the instructions."""
    out: list[Message] = []
    for message in messages[1:]:
        if message["role"] == "tool":
            block = {"type": "tool_result", "tool_use_id": message["tool_call_id"]}
            out.append({"role": "user", "content": [{**block, "content": message["content"]}]})
        elif message.get("tool_calls"):
            uses = [
                {
                    "type": "tool_use",
                    "id": one["id"],
                    "name": one["function"]["name"],
                    "input": json.loads(one["function"]["arguments"]),
                }
                for one in message["tool_calls"]
            ]
            out.append({"role": "assistant", "content": uses})
        else:
            out.append(message)
    return out


FORMS: dict[str, Callable[[list[Message]], list[Message]]] = {
    "openai": lambda messages: messages,
    "anthropic": anthropic,
}


def run() -> list[Message]:
    """A run of forty calls with an error, a state change and two things the user said."""
    messages = task("Order the mug. Never pay more than 20.")
    for n in range(40):
        said = {4: "Error: the cart is locked", 9: "Order completed: A-17"}.get(n, log(12, n))
        messages += call(n, "shop", {"step": n}, said)
        if n == 20:
            messages.append({"role": "user", "content": "Send it to Kiel instead."})
    return messages


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("strategy", ["sliding_window", "checkpoint", "hybrid", "adaptive"])
def test_every_strategy_keeps_what_must_stay_on_plain_messages(form: str, strategy: str) -> None:
    """S4.1 to S4.3 and S4.7: fits, in order, the user's words, and metrics that tell it."""
    messages = FORMS[form](run())
    manager = ContextManager(ContextConfig(strategy=strategy, budget=6_000))
    fitted = manager.fit(messages)
    said = text_of(fitted.messages)
    assert fitted.report.fits
    assert "Never pay more than 20." in said
    assert "Send it to Kiel instead." in said
    assert messages == FORMS[form](run())
    assert manager.metrics.get_summary()["calls"] == 1


@pytest.mark.parametrize("form", FORMS)
def test_the_window_of_messages_keeps_errors_and_state_changes(form: str) -> None:
    """S4.3 with the default configuration."""
    sent = ContextManager(ContextConfig()).fit(FORMS[form](run())).messages
    said = text_of(sent)
    assert len(sent) < 40
    assert "Error: the cart is locked" in said
    assert "Order completed: A-17" in said


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("level", ["none", "low", "medium", "high"])
def test_the_level_is_the_form_that_results_take_at_a_compaction(form: str, level: str) -> None:
    """S4.4: and the words of the user are untouched at every level."""
    fitted = fit_messages(FORMS[form](run()), budget=7_000, compression_level=level)  # type: ignore[arg-type]
    assert fitted.report.fits
    assert "Send it to Kiel instead." in text_of(fitted.messages)


@pytest.mark.parametrize("form", FORMS)
def test_a_checkpoint_by_phase_holds_at_most_its_size(form: str) -> None:
    """S4.5: named by the caller, in the first lines."""
    config = ContextConfig(strategy="checkpoint", budget=5_000, max_checkpoint_size=300)
    manager, messages = ContextManager(config), FORMS[form](run())
    manager.fit(messages[:5], current_phase="payment")
    fitted = manager.fit(messages)
    assert fitted.context.summary is not None
    assert "[Phase: payment]" in fitted.context.summary.text
    assert TOKENS(fitted.context.summary.text) <= 300


def test_what_is_no_list_of_messages_is_refused() -> None:
    """A text is no history."""
    with pytest.raises(TypeError, match="must be a list of messages"):
        fit_messages("x", budget=100)
