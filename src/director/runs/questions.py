"""Questions to a person: written to the store, answered by whoever can, waited for durably.

A question is asked once in a run, however often the run is resumed, and an answer stays. The answer
to a question for a secret, such as a one-time code, is never stored in clear: it is sealed.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
from collections.abc import Mapping
from dataclasses import asdict
from itertools import count

from director.runs.secret_uses import (
    ALLOW,
    REFUSE,
    FieldVault,
    SecretUse,
    parse_secret_use,
    remember_secret_use,
)
from director.runs.values import Question, RunDependencies, RunError, RunWaiting
from director.secrets import Seal
from director.store import Store, VersionConflict, Versioned
from director.workflow.nearest import write_nearest_hint
from director.workflow.paths import is_list
from director.workflow.sensitive import HIDDEN
from director.workflow.values import Json

KIND = "question"
_PURPOSE = "answer to a question"
_SEALED = "$sealed"
_LOOK_AGAIN = 0.1


def list_run_questions(store: Store, run: str) -> list[Question]:
    """The questions of a run; those without an answer are what it waits for."""
    return [_question(found) for found in store.newest(KIND, f"{run}/")]


def answer_run_question(
    store: Store,
    question: str,
    text: str,
    *,
    seal: Seal | None = None,
    vault: object | None = None,
) -> Question:
    """Answer a question by its id; the first answer counts, and a secret one needs the seal.

    What allows the use of a secret is written into the vault here, and nowhere else.
    """
    found = store.get(KIND, question)
    if found is None:
        known = [each.id for each in store.newest(KIND, question.partition("/")[0] + "/")]
        raise RunError(f"There is no question {question!r}.{write_nearest_hint(question, known)}")
    asked = _question(found)
    if asked.answer is not None:
        raise RunError(f"{question!r} is answered already: {asked.answer!r}. It stays so.")
    if asked.choices and text not in asked.choices:
        raise RunError(f"{question!r} is answered with one of: {', '.join(asked.choices)}.")
    if asked.use is not None and text == ALLOW and not isinstance(vault, FieldVault):
        raise RunError(
            f"{question!r} lets a secret be typed into one more field, which is written into the "
            "vault. It was not answered: answer where the vault is."
        )
    said = _seal_answer(asked, text, seal) if asked.secret else text
    try:
        put = store.put(
            KIND, question, {**found.body, "answer": said}, "answered", expect=found.version
        )
    except VersionConflict:
        raise RunError(f"Somebody else has just answered {question!r}.") from None
    if asked.use is not None:
        remember_secret_use(store, asked.use, "approved" if text == ALLOW else "refused", vault)
    return _question(put)


def ensure_question(  # noqa: PLR0913  a question has that many parts
    store: Store,
    run: str,
    key: str,
    *,
    text: str,
    choices: tuple[str, ...] = (),
    secret: bool = False,
    use: SecretUse | None = None,
    picture: str = "",
) -> Question:
    """The question of a step: the one that was asked before, or a new one.

    One that was answered is not asked again, even if what the page shows now words it otherwise.
    """
    id_ = f"{run}/{key}"
    found = store.get(KIND, id_)
    wanted = asdict(use) if use else None
    if found is None or (
        found.body["answer"] is None
        and (found.body["text"], found.body.get("use")) != (text, wanted)
    ):
        body = {
            "run": run,
            "text": text,
            "choices": list(choices),
            "answer": None,
            "secret": secret,
            "use": wanted,
            "picture": {"$kept": picture} if picture else None,
        }
        found = store.put(KIND, id_, body, "asked")
    return _question(found)


def ask_secret_use_question(store: Store, run: str, use: SecretUse, picture: str = "") -> Question:
    """The open question for the use of a secret.

    An answer that is there already allowed nothing, or the vault would: it is asked anew.
    """
    for number in count(1):
        question = ensure_question(
            store,
            run,
            f"use-{use.key}-{number}",
            text=use.question,
            choices=(ALLOW, REFUSE),
            use=use,
            picture=picture,
        )
        if question.answer is None:
            return question
    raise AssertionError("numbers do not end")


async def wait_for_answer(store: Store, question: Question, means: RunDependencies) -> str:
    """Wait for the answer, from here or from anywhere; Parked if patience is over."""
    here = asyncio.create_task(_ask_here(store, question, means))
    try:
        async with asyncio.timeout(means.patience):
            while True:
                if (said := _read_answer(store, question.id, means.seal)) is not None:
                    return said
                if here.done():
                    here.result()
                await asyncio.sleep(_LOOK_AGAIN)
    except TimeoutError:
        raise RunWaiting(
            f"The run waits for an answer to {question.id!r}: {question.text}"
        ) from None
    finally:
        here.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await here


async def _ask_here(store: Store, question: Question, means: RunDependencies) -> None:
    if means.ask is None or question.answer is not None:
        return
    said = await means.ask(question)
    answer_run_question(store, question.id, said, seal=means.seal, vault=means.secrets)


def _seal_answer(question: Question, text: str, seal: Seal | None) -> Json:
    if seal is None:
        raise RunError(
            f"The answer to {question.id!r} is a secret, and without a seal it would be stored for "
            "all to read. It was not stored: answer where the seal of the run is."
        )
    return {_SEALED: base64.b64encode(seal.close(text.encode(), _PURPOSE)).decode()}


def _read_answer(store: Store, question: str, seal: Seal | None) -> str | None:
    """The answer as it was given, opened if it is sealed; None while there is none."""
    found = store.get(KIND, question)
    said = found.body["answer"] if found else None
    if not isinstance(said, Mapping):
        return None if said is None else str(said)
    if seal is None:
        raise RunError(f"The answer to {question!r} is sealed: hand in the `seal` of the run.")
    return seal.open(base64.b64decode(str(said[_SEALED])), _PURPOSE).decode()


def _question(found: Versioned) -> Question:
    """The question of a record. One for the use of a secret says what its answer will allow."""
    body = found.body
    said = body["answer"]
    choices = body["choices"]
    use = parse_secret_use(wanted) if isinstance(wanted := body.get("use"), Mapping) else None
    return Question(
        found.id,
        str(body["run"]),
        use.question if use else str(body["text"]),
        (ALLOW, REFUSE) if use else tuple(map(str, choices)) if is_list(choices) else (),
        HIDDEN if isinstance(said, Mapping) else None if said is None else str(said),
        secret=body.get("secret") is True,
        use=use,
        picture=str(kept["$kept"]) if isinstance(kept := body.get("picture"), Mapping) else "",
    )
