"""The calls of one answer: in order, each under its policy, each answered and stored at once.

A call is begun only here and only once. What goes wrong in a tool is told to the model as text;
what the program is told to stop with goes through, and the call is then shown as interrupted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from director.agent.approvals import Approval, approve, ask_for
from director.agent.desk import Desk
from director.agent.journal import answered
from director.agent.policy import Allowed, Denied, Waits, decide
from director.agent.progress import Progress
from director.agent.tools import REGISTRY, Question, Spec
from director.browser import BrowserError, BrowserGone
from director.browser.bundle import LocatorError
from director.models import Asked, Reply, Result, ToolArgumentError
from director.models.tools import arguments
from director.profiles import Profile
from director.runs import RunError
from director.secrets import OriginError, SecretRefused, VaultError
from director.store import Moved, StoreError
from director.workflow.nearest import hint
from director.workflow.values import WorkflowError

_LATER = "Not run: the user is asked first. Call it again after the answer, if it is still wanted."
# What a model can mend, or tell the user; its text was written for them.
_MISTAKES = (
    WorkflowError,
    BrowserError,
    LocatorError,
    RunError,
    StoreError,
    ToolArgumentError,
    OriginError,
    SecretRefused,
    VaultError,
    Moved,
)


@dataclass(slots=True)
class Round:
    """What the model had read when it answered, and what its calls led to."""

    profile: Profile
    trusted: bool
    said: str
    question: Question | None = None
    call: str = ""
    waiting: list[str] = field(default_factory=list)


async def answer_calls(desk: Desk, reply: Reply, going: Round) -> None:
    """Run the calls of an answer one after the other; a question ends them."""
    for asked in reply.calls:
        if going.question is not None:
            answered(desk.store, desk.thread, reply, {asked.id: Result(_LATER, failed=True)})
            continue
        desk.progress(Progress("calling", asked.args, asked.tool, asked.id))
        given = await run_call(desk, asked, going)
        if isinstance(given, Question):
            going.question, going.call = given, asked.id
            continue
        result = Result(desk.clean(given.text), given.failed, given.images)
        answered(desk.store, desk.thread, reply, {asked.id: result})
        desk.progress(Progress("called", result.text, asked.tool, asked.id, result.failed))


async def run_call(desk: Desk, asked: Asked, going: Round) -> Result | Question:
    """Make one call under its policy; what goes wrong is its result."""
    spec = REGISTRY.get(asked.tool) if asked.tool in going.profile.tools else None
    if spec is None:
        near = hint(asked.tool, going.profile.tools)
        return Result(f"There is no tool {asked.tool!r}.{near}", failed=True)
    try:
        args = arguments(spec.tool, asked.args)
        refused = _refused(desk, spec, args, going)
        if refused is not None:
            return refused
        given = await spec.run(desk, **args)
    except BrowserGone as gone:
        await desk.bench.drop()
        return Result(f"{gone} The browser is opened again at the next use.", failed=True)
    except _MISTAKES as mistake:
        return Result(str(mistake), failed=True)
    except Exception as fault:  # noqa: BLE001  a fault of a tool must not cost the conversation
        said = f"{asked.tool} broke: {type(fault).__name__}: {fault}. This is a fault of Director."
        return Result(said, failed=True)
    return Result(given) if isinstance(given, str) else given


def _refused(desk: Desk, spec: Spec, args: Mapping[str, object], going: Round) -> Result | None:
    """Why a call is not made, if it is not."""
    decision = decide(
        spec.policy,
        spec.wants(args),
        approved=desk.now().origins,
        trusted=going.trusted,
        said=going.said,
    )
    match decision:
        case Allowed(named):
            for origin in named:
                approve(desk.store, desk.workflow, origin, why="by naming it in a message")
            return None
        case Denied(why):
            return Result(f"{spec.name} was not run: {why.rstrip('.')}.", failed=True)
        case Waits(origins):
            return _waits(desk, spec, args, origins, going)


def _waits(
    desk: Desk, spec: Spec, args: Mapping[str, object], origins: tuple[str, ...], going: Round
) -> Result:
    for origin in origins:
        why = str(args.get("reason") or args.get("description") or "")[:300]
        wanted = Approval(origin, "asked", spec.name, why, desk.thread)
        ask_for(desk.store, desk.workflow, wanted)
    going.waiting += [origin for origin in origins if origin not in going.waiting]
    return Result(
        f"{spec.name} was not run: {', '.join(origins)} is not approved, and nothing was sent "
        "there. The user is asked now; call it again when the user has approved it.",
        failed=True,
    )
