"""A compression before it is done: what it would cover, what it costs, and its checked summary.

Nothing is written to a thread here. A summary that cannot stand for its turns is refused with the
reason; one that lost something is given it back, as far as its cap allows.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal, TypeAlias

from director.agent.compression.citations import add_citations
from director.agent.compression.thresholds import Marks
from director.agent.request_log.kept_requests import StoredRequest, keep_request
from director.context.literals import literals
from director.context.report import Report, report_on
from director.context.sizes import context_size, summary_size
from director.context.summary_checks import WORTHLESS, compute_kept_share, find_lost, repair_summary
from director.context.values import Budget, Context, Counter, Summary
from director.errors import DirectorError
from director.models import Model, ModelError, Reply, Usage
from director.models.prices import compute_price
from director.sections.summary_request import make_summary_request
from director.sections.workflow_state import WorkflowState
from director.store import Store
from director.store.compression import Preview, preview_turn_compression

By: TypeAlias = Literal["manual", "auto"]


@dataclass(frozen=True, slots=True)
class CompressionTask:
    """These turns of a thread, all if none are named, are to be summarised by a model.

    `marks` are those of the model that talks, whoever writes. `beside` are the tokens of history
    that stay, so that all of it comes to about `marks.to`. `turn` is the entry of the user that is
    worked on, if a turn compresses for itself. `clean` takes out of a provider's words what must
    not be kept.
    """

    store: Store
    thread: str
    state: WorkflowState
    writer: Model
    marks: Marks
    turns: Sequence[int] | None = None
    beside: int = 0
    by: By = "manual"
    turn: int = 0
    clean: Callable[[str], str] = str

    @property
    def cap(self) -> int:
        """The most tokens of the summary."""
        return max(1, min(self.marks.to - self.beside, self.marks.to))


# How much of its cap a summary is asked to fill: the rest is for what it forgets.
_ASKED = 2 / 3
_WINDOW = 0.9
_THINKING = 16_384
_SECONDS = 600.0


class Refused(DirectorError):
    """No summary that could stand for the turns; nothing was written. `bad` if one was given."""

    kept = "The conversation is as it was."
    next_step = "Try again, or write it yourself."

    def __init__(self, why: str, *, bad: bool = True, spent: Decimal | None = None) -> None:
        super().__init__(why)
        self.bad = bad
        self.spent = spent


@dataclass(frozen=True, slots=True)
class CompressionEstimate:
    """What a compression would do: its preview, its cap, and an estimate of size and price.

    `names` counts the identifiers, numbers and addresses that are at stake.
    """

    preview: Preview
    cap: int
    after: int
    names: int
    cost: Decimal | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class CompressionProposal:
    """A compression that can be applied: the text as written, and the summary made of it.

    `share` of the names and numbers were in the text; `lost` is what is not even in the summary.
    """

    preview: Preview
    written: str
    summary: Summary
    share: float
    lost: tuple[str, ...]
    by_user: bool = False
    cost: Decimal | None = None
    request: int | None = None

    @property
    def after(self) -> int:
        """The size of the summary, in the tokens of the preview's counter."""
        return summary_size(self.summary, self.preview.counter)


def preview_proposal(task: CompressionTask) -> CompressionEstimate:
    """Look at a compression; no model is called."""
    writer = task.writer
    found = preview_turn_compression(task.store, task.thread, task.turns, counter=writer.counter)
    asked = _compute_wanted_size(found, task.cap)
    size = context_size(_request(task.state, found, asked, writer), writer.counter)
    usage = Usage(uncached=size, output=asked)
    money, note = compute_price(writer.place.provider, writer.place.model, usage)
    names = {word for turn in found.fold.turns for word in literals(turn.text)}
    after = min(asked, found.tokens)
    return CompressionEstimate(found, task.cap, after, len(names), money, note or "")


async def propose_compression_summary(
    task: CompressionTask, *, seconds: float = _SECONDS
) -> CompressionProposal:
    """Have a summary written and check it; `Refused` if there is none that can be used."""
    writer, cap = task.writer, task.cap
    whole, found = _previews(task)
    if not found.fold.turns:
        raise Refused("There is nothing to compress.", bad=False)
    size = _compute_wanted_size(found, cap)
    context = writer.conceal(_request(task.state, found, size, writer))
    most = min(writer.capabilities.max_output, cap + _THINKING)
    policy = replace(writer.policy, chain="never", background=False, max_output=most)
    limit = Budget(writer.capabilities.max_input, counter=writer.counter)
    asking = StoredRequest(task.thread, 0, purpose="compress", policy=policy)
    report = report_on(context, context, limit)
    reply, number = await _ask_writer(task, asking, report=report, seconds=seconds)
    if reply.calls:
        raise Refused("The model called a tool instead of writing a summary.", spent=reply.cost)
    if reply.status == "incomplete":
        why = f"The summary was cut off ({reply.stop})."
        raise Refused(why, spent=reply.cost)
    try:
        made = check_summary(reply.text, found, cap)
    except Refused as why:
        raise Refused(str(why), spent=reply.cost) from None
    return replace(made, preview=whole, cost=reply.cost, request=number)


def _previews(task: CompressionTask) -> tuple[Preview, Preview]:
    """What is compressed, and the same as the writer may be shown it.

    What it must not be sent must not come back with the names that a summary lost either.
    """
    whole = preview_turn_compression(
        task.store, task.thread, task.turns, counter=task.writer.counter
    )
    return whole, replace(whole, fold=task.writer.conceal(whole.fold))


def check_summary(
    written: str, found: Preview, cap: int, *, by_user: bool = False
) -> CompressionProposal:
    """A text as a summary: cited, verified, repaired; `Refused` if it cannot be one."""
    counter, fold = found.counter, found.fold
    text = add_citations(written.strip(), fold)
    size = counter(text) + counter.per_message
    share = compute_kept_share(text, fold)
    wrong = (
        (not written.strip(), "The summary is empty."),
        (size > cap, f"The summary has {size:,} tokens and may have {cap:,}."),
        (size >= found.tokens, "The summary is not shorter than what it would replace."),
        (share < WORTHLESS, f"The summary keeps {share:.0%} of the names and numbers."),
    )
    for is_wrong, why in wrong:
        if is_wrong:
            raise Refused(why)
    # What is put back must not eat up what was gained; what was kept before need not shrink again.
    before = summary_size(fold.previous, counter)
    summary = _repair(text, found, min(cap, max(size, (found.tokens + before) // 2)))
    gone = tuple(
        f"t{piece.at} {piece.who}: {piece.text}" for piece in find_lost(summary.text, fold)
    )
    return CompressionProposal(found, written, summary, share, gone, by_user)


def _repair(text: str, found: Preview, most: int) -> Summary:
    """The text with what it lost; less and less of it until it is within its cap."""
    counter: Counter = found.counter
    least = counter(text)
    room = most - counter.per_message
    while True:
        made = repair_summary(text, found.fold, max(room, least), counter)
        if summary_size(made, counter) <= most:
            return made
        if room <= least:
            return replace(made, text=text)
        room -= max(8, (room - least) // 8)


def edit_proposal(proposal: CompressionProposal, text: str, cap: int) -> CompressionProposal:
    """The same compression with the user's text, which is verified like any other."""
    made = check_summary(text, proposal.preview, cap, by_user=True)
    return replace(made, cost=proposal.cost, request=proposal.request)


def _compute_wanted_size(found: Preview, cap: int) -> int:
    """The tokens that a summary is asked to have."""
    return max(1, int(min(cap, found.tokens / 2) * _ASKED))


def _request(state: WorkflowState, found: Preview, tokens: int, writer: Model) -> Context:
    room = int(writer.capabilities.max_input * _WINDOW)
    return make_summary_request(state, found.fold, tokens=tokens, counter=writer.counter, room=room)


async def _ask_writer(
    task: CompressionTask, asking: StoredRequest, *, report: Report, seconds: float
) -> tuple[Reply, int]:
    """The model's answer, and the number of the request, which is kept however it ends."""
    # A journal of its own: what it says is no turn of the thread.
    async with task.writer.apart() as apart:

        def keep(ended: Reply | BaseException) -> int:
            kept = keep_request(
                task.store, asking, model=apart, report=report, ended=ended, clean=task.clean
            )
            return kept.version

        try:
            async with asyncio.timeout(seconds):
                reply = await apart.send(report.sent, thread=asking.thread, policy=asking.policy)
        except (ModelError, TimeoutError) as error:
            keep(error)
            why = task.clean(str(error)) or f"it took more than {seconds:g} seconds"
            raise Refused(f"The model wrote no summary: {why}", bad=False) from error
        except asyncio.CancelledError as stopped:
            keep(stopped)
            raise
        return reply, keep(reply)


__all__ = [
    "CompressionEstimate",
    "CompressionProposal",
    "Refused",
    "check_summary",
    "edit_proposal",
    "preview_proposal",
    "propose_compression_summary",
]


# Names of one release ago; they go with the next.
edited = edit_proposal
look = preview_proposal
propose = propose_compression_summary
