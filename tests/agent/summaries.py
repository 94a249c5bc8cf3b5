"""Threads to compress, and models that write summaries: good ones, and every kind of bad one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence

from director.context.values import Counter
from director.models import Capabilities, Model, Policy, Timing
from director.models.model import ModelLocation
from director.models.script_values import Ask, Emit, Fail, Say, ScriptEngine, Seen, Stop, Wait
from director.models.scripted import Scripted
from director.sections.workflow_state import WorkflowState
from director.store import EntryDraft, Store
from director.workflow.values import Workflow

STATE = WorkflowState(Workflow("lamps", "Weekly lamp"))
words = Counter(lambda text: len(text.split()), "words", 0.0, per_message=1)
GOOD = (
    "The user wants lamp-{n} for at most 30 EUR and never the blue one. #buy-{n} works; "
    "#order-{n} failed with E{n}42."
)
PATIENCE = Policy(attempts=2, seconds=5.0)


def talk(rounds: int, start: int = 0, more: int = 40) -> list[EntryDraft]:
    """A finished conversation: a request, a call with its result, an answer, in each round."""
    drafts: list[EntryDraft] = []
    for n in range(start, start + rounds):
        call = {"type": "function_call", "id": f"fc_{n:040x}", "call_id": f"c{n}"}
        args = json.dumps({"selector": f"#buy-{n}", "tabName": "main"})
        said = {"type": "output_text", "text": f"I decided to use #buy-{n}.", "annotations": []}
        message = {"type": "message", "id": f"msg_{n:040x}", "role": "assistant"}
        drafts += [
            EntryDraft(
                "user", {"text": f"Get lamp-{n}. It must never be the blue one. {'so ' * more}"}
            ),
            EntryDraft("agent", _spoken([{**call, "name": "debug_action", "arguments": args}])),
            EntryDraft(
                "result", {"call": f"c{n}", "text": f"E{n}42: no #order-{n}.\n{'page ' * more}"}
            ),
            EntryDraft("agent", _spoken([{**message, "status": "completed", "content": [said]}])),
        ]
    return drafts


def _spoken(items: list[dict[str, object]]) -> dict[str, object]:
    return {"wire": "responses", "items": items, "text": "", "model": "m"}


def begun(store: Store, rounds: int = 6, thread: str = "main", **more: int) -> str:
    """A thread with so many rounds in it."""
    store.append(thread, talk(rounds, **more))
    return thread


def good(seen: Seen) -> Sequence[Emit]:
    """A fair summary of all rounds that are shown."""
    shown = seen.items[-1].text
    return [Say("\n".join(GOOD.format(n=n) for n in range(1_000) if f"lamp-{n}." in shown))]


def echo(seen: Seen) -> Sequence[Emit]:
    """All of the conversation again."""
    return [Say(seen.items[-1].text.partition("<conversation>")[2])]


FAULTS: dict[str, ScriptEngine] = {
    "failed": lambda _: [Fail("server_error")],
    "refused": lambda _: [Fail("invalid_prompt")],
    "empty": lambda _: [],
    "nothing": lambda _: [Say("")],
    "whitespace": lambda _: [Say(" \n\t ")],
    "truncated": lambda seen: [*good(seen), Stop("max_tokens")],
    "a call": lambda seen: [*good(seen), Ask("update_plan")],
    "oversized": lambda seen: [Say(seen.items[-1].text * 3)],
    "worthless": lambda _: [Say("The user and the agent talked about things.")],
}


def writer(
    brain: ScriptEngine,
    *,
    counter: Counter = words,
    name: str = "writer",
    sleep: Callable[[float], object] | None = None,
) -> Model:
    """A model with this brain, which counts words and waits for nothing."""

    async def at_once(seconds: float) -> None:
        if sleep is not None:
            sleep(seconds)
        await asyncio.sleep(0)

    timing = Timing(sleep=at_once, jitter=lambda: 0.0)

    def made(_known: Capabilities | None = None) -> Model:
        return Model(
            ModelLocation("scripted", "nobody", name),
            Scripted(brain, name, timing),
            policy=PATIENCE,
            timing=timing,
            counter=counter,
            reopen=made,
        )

    return made()


class Hanging:
    """A brain that never answers; it says when it was asked."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()

    def __call__(self, _seen: Seen) -> Sequence[Emit]:
        """Wait for good."""
        self.asked.set()
        return [Wait(1.0), Say("late")]
