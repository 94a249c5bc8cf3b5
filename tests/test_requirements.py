"""The requirements on a context manager for ReAct agents, S4.1 to S4.7, one after the other.

Each is shown on plain messages of OpenAI and on those of Anthropic, by the default configuration
unless the requirement names another. S4.8 and S4.9: `test_requirements_agents.py`.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from chats import Message
from director import Budget, ContextConfig, ContextManager, chars4, counter_for, fit_messages
from director.api import Fitted
from director.context.wire import Wire, problems
from test_faithful import FORMS, call, log, task, text_of

STRATEGIES = ["sliding_window", "checkpoint", "hybrid", "adaptive"]
WIRES: dict[str, Wire] = {"openai": "chat", "anthropic": "anthropic"}
on_both = pytest.mark.parametrize("form", FORMS)


def page(at: int) -> str:
    """A snapshot: rows with prose and, deep in each, a button."""
    lines = [
        f'  - row "row {k} of {at}":\n    - cell "value {at * k}"\n      - paragraph: "about'
        f' value_{at}_{k}, which is told at length"\n        - button "Buy {at}-{k}" [ref=e{k}]'
        for k in range(30)
    ]
    tree = "\n".join(["- generic [ref=e99]:", *lines])
    return f"### Page state\n- Page URL: http://shop.test/{at}\n```yaml\n{tree}\n```"


def console(at: int) -> str:
    """What a console says, again and again."""
    said = "[LOG] 10:{:02} worker {} polled the queue and took {} ms for it"
    return "\n".join(said.format(n % 60, at, n * 7 % 50) for n in range(60))


def rows(at: int) -> str:
    """A long answer of an interface."""
    found = [
        {"sku": f"MUG-{at}-{k}", "stock": k * 3, "place": f"shelf {k} of the hall"}
        for k in range(60)
    ]
    return json.dumps(found)


def errand() -> list[Message]:
    """Thirty-two calls with an error, a state change, and what the user said in between."""
    messages = task("Order the mug. Never pay more than 20.")
    for n in range(32):
        said = {
            4: "Traceback (most recent call last):\nTimeoutError: the cart did not answer",
            9: "Order completed: A-17",
        }.get(n, (page(n), console(n), rows(n))[n % 3])
        messages += call(n, "shop", {"step": n}, said)
        if n == 20:
            messages.append({"role": "user", "content": "Send it to Kiel instead."})
    return messages


def fit(form: str, messages: list[Message], **fields: Any) -> Fitted:
    """What is sent of a history under a configuration, and that it is valid there."""
    fitted = ContextManager(ContextConfig(**fields)).fit(FORMS[form](messages))
    assert problems(fitted.messages, WIRES[form]) == []
    return fitted


def agent(seen: list[object], step: int) -> Message:
    """A ReAct agent: it goes where the latest result says, and ends with what it was told first."""
    said = text_of(seen)
    doors = re.findall(r"the next door is (\w+)", said)
    if doors and doors[-1] == "exit":
        word = re.search(r"password is (\w+)", said)
        return {"role": "assistant", "content": f"Out, with {word and word.group(1)}."}
    function = {"name": "open", "arguments": json.dumps({"door": doors[-1] if doors else "d0"})}
    calls = [{"id": f"c{step}", "type": "function", "function": function}]
    return {"role": "assistant", "content": "", "tool_calls": calls}


def play(look: Callable[[list[Message]], list[object]]) -> list[Message]:
    """All messages of a run of the agent, which sees what `look` shows of the history."""
    messages = task("Find the way out. The password is heron.")
    for step in range(50):
        said = agent(look(messages), step)
        messages.append(said)
        if "tool_calls" not in said:
            return messages
        goes = "exit" if step == 40 else f"d{step + 1}"
        result = f"{log(10, step)}\nthe next door is {goes}"
        messages.append({"role": "tool", "tool_call_id": f"c{step}", "content": result})
    raise AssertionError("the agent never came out")


@on_both
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_s4_1_a_layer_that_leaves_the_behaviour_and_the_originals_alone(
    form: str, strategy: str
) -> None:
    """The agent does the same with the layer as without, and its messages are never changed."""
    manager, sizes = ContextManager(ContextConfig(strategy=strategy)), []

    def look(messages: list[Message]) -> list[object]:
        given = FORMS[form](messages)
        before = copy.deepcopy(given)
        sent = manager.fit(given).messages
        assert given == before
        sizes.append((len(given), len(sent)))
        return sent

    assert play(look) == play(lambda messages: list(FORMS[form](messages)))
    assert sizes[-1][1] < sizes[-1][0] / 2


@on_both
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_s4_2_every_strategy_makes_a_long_history_small(form: str, strategy: str) -> None:
    """By its window of messages, or by a budget of tokens."""
    assert len(fit(form, errand(), strategy=strategy).messages) < 30
    fitted = fit(form, errand(), strategy=strategy, budget=6_000)
    assert fitted.report.fits
    assert fitted.report.after <= 6_000 < fitted.report.before


@on_both
def test_s4_2_adaptive_takes_the_cheapest_of_them(form: str) -> None:
    """Where the first compaction is, it sends what one of the others sends, by price."""
    chosen: list[list[str]] = []
    for limit in (3_000, 4_500):
        # As many turns as just pass the limit: one compaction.
        end = next(n for n in range(4, 99, 2) if size_of(errand()[:n]) > limit)
        sent = {
            name: fit(
                form, errand()[:end], strategy=name, budget=Budget(limit, counter=chars4)
            ).messages
            for name in STRATEGIES
        }
        chosen.append([name for name in STRATEGIES[:3] if sent[name] == sent["adaptive"]])
    assert chosen == [["sliding_window"], ["checkpoint"]]


def size_of(messages: list[Message]) -> int:
    """Tokens of a history."""
    return fit_messages(messages, budget=Budget(10**6, counter=chars4)).report.before


@on_both
def test_s4_3_the_window_keeps_instructions_errors_and_state_changes(form: str) -> None:
    """Valid, in order, nothing twice, no call without its result."""
    messages: list[Any] = FORMS[form](errand())
    sent = fit(form, errand()).messages
    said = text_of(sent)
    assert len(sent) < 30
    assert sent[: 2 - (form == "anthropic")] == messages[: 2 - (form == "anthropic")]
    assert "TimeoutError: the cart did not answer" in said
    assert "Order completed: A-17" in said
    kept = [messages.index(m) for m in sent if m in messages]
    assert kept == sorted(set(kept))
    asked = re.findall(r'"(?:id)": "(c\d+)"', said)
    answered = re.findall(r'"(?:tool_call_id|tool_use_id)": "(c\d+)"', said)
    assert asked == answered == sorted(set(asked), key=lambda name: int(name[1:]))


@on_both
def test_s4_4_levels_take_more_the_higher_they_are(form: str) -> None:
    """none, low, medium, high; and no level touches what the user said."""
    sizes = []
    for level in ("none", "low", "medium", "high"):
        messages = [*errand()[:29], {"role": "user", "content": "Send it to Kiel instead."}]
        fitted = fit(form, messages, compression_level=level)
        assert len(fitted.messages) <= 16
        assert "Never pay more than 20." in text_of(fitted.messages)
        assert "Send it to Kiel instead." in text_of(fitted.messages)
        sizes.append(fitted.report.after)
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == 4


@on_both
def test_s4_4_what_each_kind_of_result_becomes(form: str) -> None:
    """Snapshots by depth with their buttons, a console summarised, long results with a notice."""
    kinds = {"page": page, "console": console, "rows": rows}
    for name, make in kinds.items():
        messages = task("Look around.")
        for n in range(15):
            messages += call(n, "look", {"n": n}, make(n))
        sent = fit(form, messages).messages
        told = next(text for m in sent if (text := result_of(m)))
        at = next(n for n in range(15) if is_of(told, n))
        assert len(told) < len(make(at)) * 0.6
        assert "recall " in told.splitlines()[-1]
        if name == "page":
            assert all(f'"Buy {at}-{k}" [ref=e{k}]' in told for k in range(30))
            assert max(len(line) - len(line.lstrip()) for line in told.splitlines()) <= 3
        if name == "console":
            assert "lines like" in told


def result_of(message: Any) -> str:
    """The text of a result in a message, if it holds one."""
    content = message.get("content")
    if message["role"] == "tool":
        return str(content)
    found = [b["content"] for b in content if "tool_use_id" in b] if type(content) is list else []
    return str(found[0]) if found else ""


def is_of(told: str, n: int) -> bool:
    """Whether a result is that of a step."""
    return any(word in told for word in (f"shop.test/{n}\n", f"worker {n} ", f"MUG-{n}-0"))


def screens(form: str) -> list[Message]:
    """Forty calls that each give a picture."""
    messages = task("Watch the screen.")
    for n in range(40):
        messages += call(n, "look", {"n": n}, f"screen {n}")
    messages = FORMS[form](messages)
    for n, message in enumerate(m for m in messages if f'"screen {n_of(m)}"' in json.dumps(m)):
        text = {"type": "text", "text": f"screen {n}"}
        if form == "openai":
            url = {"url": f"data:image/png;base64,SHOT{n:04}"}
            message["content"] = [text, {"type": "image_url", "image_url": url}]
        else:
            source = {"type": "base64", "media_type": "image/png", "data": f"SHOT{n:04}"}
            blocks: Any = message["content"]
            blocks[0]["content"] = [text, {"type": "image", "source": source}]
    return messages


def n_of(message: Message) -> str:
    """Which screen a message shows."""
    found = re.search(r'"screen (\d+)"', json.dumps(message))
    return found.group(1) if found else "none"


@on_both
def test_s4_4_the_latest_screenshot_stays_and_older_ones_leave(form: str) -> None:
    """The newest of forty is there; older ones are gone where the history was compacted."""
    sent = ContextManager(ContextConfig()).fit(screens(form)).messages
    assert problems(sent, WIRES[form]) == []
    shown = re.findall(r"SHOT(\d+)", text_of(sent))
    assert shown[-1] == "0039"
    assert len(shown) < 10


def phases() -> list[Message]:
    """A run through login, cart and checkout that says what it has done."""
    messages = task("Buy the mug.")
    for n in range(45):
        step = ("login", "cart", "checkout")[n // 15]
        messages += call(n, "shop", {"phase": step, "step": n}, page(n))
        if n % 15 == 14:
            messages.append({"role": "assistant", "content": f"The {step} is completed: T-{n}."})
            messages.append({"role": "user", "content": "Go on."})
    return messages


@on_both
def test_s4_5_a_checkpoint_by_detected_phase_with_state_and_what_is_done(form: str) -> None:
    """At most 500 tokens: the phase, the page and the objectives that were reached."""
    summary = fit(form, phases(), strategy="checkpoint").context.summary
    assert summary is not None
    assert "[Phase: checkout]" in summary.text
    assert "Completed phases: login, cart" in summary.text
    assert "http://shop.test/" in summary.text
    assert "Done: The cart is completed: T-29." in summary.text
    assert counter_for()(summary.text) <= 500


@on_both
def test_s4_5_a_checkpoint_by_named_phase_from_which_the_context_is_rebuilt(form: str) -> None:
    """The checkpoint and what came after it are the context, without the turns it stands for."""
    manager = ContextManager(ContextConfig(strategy="checkpoint"))
    messages = FORMS[form](phases())
    for end in range(2, len(messages) + 1, 2):
        phase = "buying" if end < 40 else "paying"
        fitted = manager.fit(messages[:end], current_phase=phase)
    events = manager.metrics.checkpoint_events
    assert {event.phase for event in events} == {"buying", "paying"}
    summary = fitted.context.summary
    assert summary is not None
    assert "[Phase: paying]" in summary.text
    rebuilt = fit_messages(messages, budget=10**6, summary=summary)
    first: Any = rebuilt.messages[2 - (form == "anthropic")]
    assert summary.text in first["content"]
    assert rebuilt.report.after < rebuilt.report.before / 2
    assert problems(rebuilt.messages, WIRES[form]) == []


def broken_run() -> list[Message]:
    """Forty steps of which one fails and is never solved, and a pair that says the same."""
    messages = task("Order the mug.")
    for n in range(40):
        said = "Error: locked by session-77" if n == 20 else f"step {n} wrote row-{n} to the sheet"
        messages += call(n, "shop", {"step": n}, said + ", and nothing else happened." * 6)
    return messages


@on_both
def test_s4_6_pruning_keeps_what_is_important_in_order_down_to_a_target(form: str) -> None:
    """Scores, the default threshold, a target size, and the messages around the error."""
    target = Budget(2_200, target=1_900, counter=chars4)
    fitted = fit(form, broken_run(), strategy="hybrid", budget=target)
    said = text_of(fitted.messages)
    assert fitted.report.after <= 2_200 < fitted.report.before
    assert "locked by session-77" in said
    assert all(f"row-{n} " in said for n in (18, 19, 21, 22))
    places = [turn.at for turn in fitted.context.turns]
    assert places == sorted(set(places))
    assert ContextConfig().importance_threshold == 0.3
    strict = fit(form, broken_run(), strategy="hybrid", budget=target, importance_threshold=1.0)
    assert strict.messages != fitted.messages


@on_both
def test_s4_6_similar_neighbours_are_merged(form: str) -> None:
    """Sixty equal answers are told once."""
    messages = task("Wait for the job.")
    for n in range(60):
        messages += call(n, "poll", {}, "job-5 is still running on host-9")
    messages += call(99, "poll", {}, "job-5 is done")
    fitted = fit(form, messages, strategy="hybrid", budget=Budget(900, counter=chars4))
    assert fitted.context.summary is not None
    assert fitted.context.summary.text.count("still running on host-9") <= 1


@on_both
def test_s4_7_metrics_per_event_per_strategy_and_in_total(form: str) -> None:
    """Tokens in and out of every call that was made smaller, and their sums."""
    manager = ContextManager(ContextConfig())
    messages = FORMS[form](errand())
    reports = [manager.fit(messages[:end]).report for end in range(2, len(messages) + 1, 2)]
    smaller = [(r.before, r.after) for r in reports if r.after < r.before]
    events = manager.metrics.compression_events
    assert [(event.input_tokens, event.output_tokens) for event in events] == smaller
    summary = manager.metrics.get_summary()
    assert summary["calls"] == len(reports)
    assert summary["compression_count"] == len(smaller)
    assert summary["total_input_tokens"] == sum(before for before, _ in smaller)
    assert summary["total_output_tokens"] == sum(after for _, after in smaller)
    by_strategy: Any = summary["by_strategy"]
    assert by_strategy["sliding_window"]["total_output_tokens"] == summary["total_output_tokens"]
    assert manager.metrics.total_input_tokens == sum(r.before for r in reports)
