"""Questions to a person: written to the store, answered by whoever can, waited for durably.

A question is asked once in a run, however often the run is resumed, and an answer stays. The answer
to a question for a secret, such as a one-time code, is never stored in clear: it is sealed.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
from collections.abc import Mapping

from director.runs.values import Means, Parked, Question, RunError
from director.secrets import Seal
from director.store import Moved, Store, Versioned
from director.workflow.nearest import hint
from director.workflow.sensitive import HIDDEN
from director.workflow.values import Json

KIND = "question"
_PURPOSE = "answer to a question"
_SEALED = "$sealed"
_LOOK_AGAIN = 0.1


def questions(store: Store, run: str) -> list[Question]:
    """The questions of a run; those without an answer are what it waits for."""
    return [_question(found) for found in store.newest(KIND, f"{run}/")]


def answer(store: Store, question: str, text: str, *, seal: Seal | None = None) -> Question:
    """Answer a question by its id; the first answer counts, and a secret one needs the seal."""
    found = store.get(KIND, question)
    if found is None:
        known = [each.id for each in store.newest(KIND, question.partition("/")[0] + "/")]
        raise RunError(f"There is no question {question!r}.{hint(question, known)}")
    asked = _question(found)
    if asked.answer is not None:
        raise RunError(f"{question!r} is answered already: {asked.answer!r}. It stays so.")
    if asked.choices and text not in asked.choices:
        raise RunError(f"{question!r} is answered with one of: {', '.join(asked.choices)}.")
    said = _closed(asked, text, seal) if asked.secret else text
    try:
        put = store.put(
            KIND, question, {**found.body, "answer": said}, "answered", expect=found.version
        )
    except Moved:
        raise RunError(f"Somebody else has just answered {question!r}.") from None
    return _question(put)


def asked(  # noqa: PLR0913  a question has that many parts
    store: Store,
    run: str,
    key: str,
    *,
    text: str,
    choices: tuple[str, ...] = (),
    secret: bool = False,
) -> Question:
    """The question of a step: the one that was asked before, or a new one."""
    id_ = f"{run}/{key}"
    found = store.get(KIND, id_)
    if found is None or found.body["text"] != text:
        body = {
            "run": run,
            "text": text,
            "choices": list(choices),
            "answer": None,
            "secret": secret,
        }
        found = store.put(KIND, id_, body, "asked")
    return _question(found)


async def answered(store: Store, question: Question, means: Means) -> str:
    """Wait for the answer, from here or from anywhere; Parked if patience is over."""
    here = asyncio.create_task(_ask_here(store, question, means))
    try:
        async with asyncio.timeout(means.patience):
            while True:
                if (said := _said(store, question.id, means.seal)) is not None:
                    return said
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
    answer(store, question.id, await means.ask(question), seal=means.seal)


def _closed(question: Question, text: str, seal: Seal | None) -> Json:
    if seal is None:
        raise RunError(
            f"The answer to {question.id!r} is a secret, and without a seal it would be stored for "
            "all to read. It was not stored: answer where the seal of the run is."
        )
    return {_SEALED: base64.b64encode(seal.close(text.encode(), _PURPOSE)).decode()}


def _said(store: Store, question: str, seal: Seal | None) -> str | None:
    """The answer as it was given, opened if it is sealed; None while there is none."""
    found = store.get(KIND, question)
    said = found.body["answer"] if found else None
    if not isinstance(said, Mapping):
        return None if said is None else str(said)
    if seal is None:
        raise RunError(f"The answer to {question!r} is sealed: hand in the `seal` of the run.")
    return seal.open(base64.b64decode(str(said[_SEALED])), _PURPOSE).decode()


def _question(found: Versioned) -> Question:
    body = found.body
    said = body["answer"]
    choices = body["choices"]
    return Question(
        found.id,
        str(body["run"]),
        str(body["text"]),
        tuple(map(str, choices)) if isinstance(choices, list | tuple) else (),
        HIDDEN if isinstance(said, Mapping) else None if said is None else str(said),
        secret=body.get("secret") is True,
    )
