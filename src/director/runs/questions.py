"""Questions to a person: written to the store, answered by whoever can, waited for durably.

A question is asked once in a run, however often the run is resumed, and an answer stays.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace

from director.runs.values import Means, Parked, Question, RunError
from director.store import Moved, Store, Versioned
from director.workflow.nearest import hint

KIND = "question"
_LOOK_AGAIN = 0.1


def questions(store: Store, run: str) -> list[Question]:
    """The questions of a run; those without an answer are what it waits for."""
    return [_question(found) for found in store.newest(KIND, f"{run}/")]


def answer(store: Store, question: str, text: str) -> Question:
    """Answer a question by its id; the first answer counts."""
    found = store.get(KIND, question)
    if found is None:
        known = [each.id for each in store.newest(KIND, question.partition("/")[0] + "/")]
        raise RunError(f"There is no question {question!r}.{hint(question, known)}")
    asked = _question(found)
    if asked.answer is not None:
        raise RunError(f"{question!r} is answered already: {asked.answer!r}. It stays so.")
    if asked.choices and text not in asked.choices:
        raise RunError(f"{question!r} is answered with one of: {', '.join(asked.choices)}.")
    try:
        store.put(KIND, question, {**found.body, "answer": text}, "answered", expect=found.version)
    except Moved:
        raise RunError(f"Somebody else has just answered {question!r}.") from None
    return replace(asked, answer=text)


def asked(store: Store, run: str, key: str, *, text: str, choices: tuple[str, ...]) -> Question:
    """The question of a step: the one that was asked before, or a new one."""
    id_ = f"{run}/{key}"
    found = store.get(KIND, id_)
    if found is None or found.body["text"] != text:
        body = {"run": run, "text": text, "choices": list(choices), "answer": None}
        found = store.put(KIND, id_, body, "asked")
    return _question(found)


async def answered(store: Store, question: Question, means: Means) -> str:
    """Wait for the answer, from here or from anywhere; Parked if patience is over."""
    here = asyncio.create_task(_ask_here(store, question, means))
    try:
        async with asyncio.timeout(means.patience):
            while True:
                found = store.get(KIND, question.id)
                text = _question(found).answer if found else None
                if text is not None:
                    return text
                if here.done():
                    here.result()
                await asyncio.sleep(_LOOK_AGAIN)
    except TimeoutError:
        raise Parked(f"The run waits for an answer to {question.id!r}: {question.text}") from None
    finally:
        here.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await here


async def _ask_here(store: Store, question: Question, means: Means) -> None:
    if means.ask is None or question.answer is not None:
        return
    answer(store, question.id, await means.ask(question))


def _question(found: Versioned) -> Question:
    body = found.body
    said = body["answer"]
    choices = body["choices"]
    return Question(
        found.id,
        str(body["run"]),
        str(body["text"]),
        tuple(map(str, choices)) if isinstance(choices, list | tuple) else (),
        None if said is None else str(said),
    )
