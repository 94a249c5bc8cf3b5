"""Measures time and memory: `python bench/speed.py`.

Times are those of the processor, beside those of LangChain's trim_messages on the same input in the
same run, so that they mean something on any machine. Writes `bench/results/speed.json`.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import random
import statistics
import time
import tracemalloc
from collections.abc import Callable, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any, TypeAlias

from langchain_core.messages import convert_to_openai_messages, trim_messages
from langchain_core.messages.utils import count_tokens_approximately
from material import recorded

from director import Budget, ContextConfig, ContextManager, chars4, counter_for, fit_messages
from director.audit.recorded_texts import Message, read_text
from director.audit.support import count_tokens

RESULTS = Path(__file__).parent / "results" / "speed.json"
LONG = 68_000
ADDED_TO = (1_000, 10_000)
STEPS = 9
HELD = (1_000, 2_000, 4_000, 8_000)
BUDGET = 34_000
CHAT, CHAT_BUDGETS = 145_000, (16_000, 72_000)
NAMED = ("${}", "Room-{}", "src/app_{}.py", "v{}.2", "{} March")
Row: TypeAlias = dict[str, float | int | str]


def history(count: int, *, mark: str = "") -> list[Message]:
    """A long history from the recordings: no two texts or call ids in it are the same."""
    runs = recorded("shop", "terminal")
    messages: list[Message] = list(runs[0].messages[:2])
    for lap, run in enumerate(cycle(runs)):
        for message in run.messages[1:]:
            if len(messages) >= count:
                return messages
            messages.append(_renamed(message, f"{lap}{mark}"))
    raise AssertionError("cycle never ends")


def _renamed(message: Message, lap: str) -> Message:
    made = dict(message)
    if made["content"]:
        made["content"] = f"{made['content']}\n(part {lap})"
    if "tool_call_id" in made:
        made["tool_call_id"] = f"{made['tool_call_id']}_{lap}"
    if "tool_calls" in made:
        made["tool_calls"] = [c | {"id": f"{c['id']}_{lap}"} for c in made["tool_calls"]]
    return made


def history_of(size: int, *, mark: str = "") -> list[Message]:
    """The longest such history of at most this many tokens, ending with a result."""
    messages = history(2_000, mark=mark)
    used, end = 0, 0
    for at, message in enumerate(messages, start=1):
        used += count_tokens([message])
        if used > size:
            break
        end = at if message["role"] == "tool" else end
    return messages[:end]


def chat_of(size: int, *, seed: int) -> list[Message]:
    """A made-up chat of so many tokens by the exact counter, the rare words seldom."""
    chance, count = random.Random(seed), counter_for(None)
    letters = random.Random(0)
    vocabulary = ["".join(letters.choices("aeiounrstlmdk", k=n % 7 + 2)) for n in range(4_000)]
    weights = [1 / (n + 2) for n in range(len(vocabulary))]

    def say(sentences: int) -> str:
        return " ".join(_sentence(chance, vocabulary, weights) for _ in range(sentences))

    messages: list[Message] = [{"role": "system", "content": "You are a helpful assistant."}]
    used = 0
    while used < size:
        answer = "\n\n".join(say(chance.randint(2, 5)) for _ in range(chance.randint(1, 4)))
        for role, said in (("user", say(chance.randint(1, 4))), ("assistant", answer)):
            messages.append({"role": role, "content": said})
            used += count(said)
    return [*messages, {"role": "user", "content": "And what did we say at first?"}]


def _sentence(chance: random.Random, words: Sequence[str], weights: Sequence[float]) -> str:
    said = chance.choices(words, weights, k=chance.randint(6, 18))
    if chance.random() < 0.25:
        said.insert(
            chance.randrange(len(said)), chance.choice(NAMED).format(chance.randint(1, 400))
        )
    if chance.random() < 0.1:
        said.insert(0, chance.choice(["never", "always", "please", "we decided", "must"]))
    return " ".join(said).capitalize() + "."


def trim(
    messages: list[Message], counter: Any = count_tokens_approximately, budget: int = BUDGET
) -> None:
    """What everything is compared with; its counter is the one its documentation calls fast."""
    trim_messages(
        messages,
        max_tokens=budget,
        token_counter=counter,
        strategy="last",
        include_system=True,
        start_on="human",
        end_on=("human", "tool"),
    )


def exactly(messages: list[Any]) -> int:
    """Count LangChain's messages as `fit_messages` counts by default."""
    count = counter_for(None)
    plain = convert_to_openai_messages(messages)
    return sum(count.per_message + count(read_text(message)) for message in plain)


def _took(work: Callable[[], object]) -> float:
    gc.collect()
    began = time.process_time()
    work()
    return 1e3 * (time.process_time() - began)


def fitting(repeats: int) -> list[Row]:
    """One list of 68,000 tokens: texts never seen before (cold), then the same again (warm)."""
    ways: dict[str, Callable[[list[Message]], object]] = {
        "trim_messages": trim,
        "trim_messages, exact": lambda given: trim(given, exactly),
        "fit_messages, exact": lambda given: fit_messages(given, budget=BUDGET),
        "fit_messages, exact, thrift": lambda given: fit_messages(
            given, budget=BUDGET, thrift=True
        ),
        "fit_messages, chars4": lambda given: fit_messages(
            given, budget=Budget(BUDGET, counter=chars4)
        ),
    }
    for way in ways.values():
        way(history_of(2_000, mark="first"))
    return _timed(ways, lambda turn, way: history_of(LONG, mark=f".{turn}.{way}"), repeats)


def chatting(repeats: int) -> list[Row]:
    """A made-up chat of 145,000 tokens without tools into a ninth of its size and into half."""
    rows: list[Row] = []
    for budget in CHAT_BUDGETS:
        ways: dict[str, Callable[[list[Message]], object]] = {
            f"trim_messages into {budget:,}": lambda given, to=budget: trim(given, budget=to),
            f"fit_messages into {budget:,}": lambda given, to=budget: fit_messages(
                given, budget=to
            ),
        }
        for way in ways.values():
            way(chat_of(2_000, seed=0))
        first = 1 + budget
        rows += _timed(ways, lambda turn, _, at=first: chat_of(CHAT, seed=at + turn), repeats)
    return rows


def _timed(
    ways: dict[str, Callable[[list[Message]], object]],
    make: Callable[[int, int], list[Message]],
    repeats: int,
) -> list[Row]:
    """Medians of each way, on a history that it has not seen and then on the same again."""
    times: dict[str, dict[str, list[float]]] = {name: {"cold": [], "warm": []} for name in ways}
    for turn in range(repeats):
        for at, (name, way) in enumerate(ways.items()):
            given = make(turn, at)
            for state in ("cold", "warm"):
                # A copy of every string, as a request read from a socket would bring.
                own = json.loads(json.dumps(given))
                times[name][state].append(_took(lambda way=way, own=own: way(own)))  # type: ignore[misc]
    rows: list[Row] = []
    for state in ("cold", "warm"):
        middle = {name: statistics.median(taken[state]) for name, taken in times.items()}
        base = next(iter(middle.values()))
        rows += [
            {"what": f"{name}, {state}", "ms": round(ms, 2), "to trim": _ratio(ms, base)}
            for name, ms in middle.items()
        ]
    return rows


def _ratio(one: float, other: float) -> float:
    return round(one / other, 2) if other else float("inf")


def adding() -> list[Row]:
    """One message added to a long history that the instance already knows."""
    rows: list[Row] = []
    for budget in (BUDGET, None):
        for count in ADDED_TO:
            whole = history(count + STEPS)
            manager = ContextManager(ContextConfig(budget=budget))
            times, before = [], {}
            asyncio.run(manager.process_messages(whole[:count]))
            before = _counters(manager)
            for step in range(1, STEPS + 1):
                given = whole[: count + step]
                times.append(_took(lambda given=given, manager=manager: _sent(manager, given)))  # type: ignore[misc]
            base = statistics.median(_took(lambda whole=whole: trim(whole)) for _ in range(3))  # type: ignore[misc]
            middle = statistics.median(times)
            touched = {
                key: round((value - before[key]) / STEPS, 1)
                for key, value in _counters(manager).items()
            }
            rows.append(
                {
                    "what": f"one more after {count:,}, budget {budget}",
                    "ms": round(middle, 3),
                    "to trim": _ratio(middle, base),
                    **{f"{key} a call": value for key, value in touched.items()},
                }
            )
        small, large = (float(row["ms"]) for row in rows[-2:])
        grown = f"{ADDED_TO[1]:,} against {ADDED_TO[0]:,}, budget {budget}"
        rows.append({"what": grown, "times": _ratio(large, small)})
    return rows


def _sent(manager: Any, given: list[Message]) -> object:
    return asyncio.run(manager.process_messages(given))


def _counters(manager: Any) -> dict[str, int]:
    metrics = getattr(manager, "metrics", None)
    return {
        name: value
        for name in ("parsed", "counted", "shrunk")
        if isinstance(value := getattr(metrics, name, None), int)
    }


def holding() -> list[Row]:
    """The most memory taken while a history is read in one call, without the history itself."""
    rows: list[Row] = []
    _sent(ContextManager(ContextConfig(budget=BUDGET)), history(100))
    for count in HELD:
        given = history(count)
        gc.collect()
        tracemalloc.start()
        _sent(ContextManager(ContextConfig(budget=BUDGET)), given)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        row: Row = {"what": f"peak at {count:,} messages", "MB": round(peak / 1e6, 2)}
        row["KB a message"] = round(peak / 1e3 / count, 2)
        rows.append(row)
    return rows


def _table(rows: list[Row]) -> str:
    columns = list(dict.fromkeys(column for row in rows for column in row))
    lines = ["| " + " | ".join(columns) + " |", "|---" + "|---:" * (len(columns) - 1) + "|"]
    lines += ["| " + " | ".join(str(row.get(c, "")) for c in columns) + " |" for row in rows]
    return "\n".join(lines)


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=7)
    repeats = parser.parse_args().repeats
    works: dict[str, Callable[[], list[Row]]] = {
        f"A history of {LONG:,} tokens into {BUDGET:,}": lambda: fitting(repeats),
        f"A chat of {CHAT:,} tokens": lambda: chatting(repeats),
        "One message more": adding,
        "Memory": holding,
    }
    parts = {}
    for title, work in works.items():
        parts[title] = work()
        print(f"\n## {title}\n\n{_table(parts[title])}", flush=True)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(parts, indent=1) + "\n")


if __name__ == "__main__":
    main()
