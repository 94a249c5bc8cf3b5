"""The calls of one answer: in order, each under its policy, each answered and stored at once.

A call is begun only here and only once. What goes wrong in a tool is told to the model as text;
what the program is told to stop with goes through, and the call is then shown as interrupted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import cast

from director.agent.approvals import Approval, approvals, ask_for
from director.agent.desk import Desk
from director.agent.effects import EffectNotApproved, check_effects
from director.agent.journal import answered
from director.agent.policy import Allowed, Denied, Waits, decide, origins_in, typed
from director.agent.progress import Progress
from director.agent.provenance import ReadTexts, address_source, collect_texts, source_line, sources
from director.agent.secret_requests import SecretWanted, request_secret
from director.agent.tools import REGISTRY, Question, Spec
from director.browser import BrowserError, BrowserGone, Session
from director.browser.bundle import LocatorError
from director.browser.origins import place_of
from director.context.values import Context, UserTurn
from director.models import Asked, Reply, Result, ToolArgumentError
from director.models.tools import arguments
from director.profiles import Profile
from director.runs import RunError
from director.secrets import OriginError, SecretRefused, VaultError
from director.sections.boundary import guarded
from director.sections.render import SECTION_TOOLS
from director.store import Moved, StoreError
from director.workflow.nearest import hint
from director.workflow.values import Json, WorkflowError

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
    """What the model had read when it answered, and what its calls led to.

    `origins`, `effects`, `questions` and `secrets` are what the user is to approve or answer.
    """

    profile: Profile
    said: Context = field(default_factory=Context)
    question: Question | None = None
    call: str = ""
    origins: list[str] = field(default_factory=list)
    effects: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)
    _texts: ReadTexts | None = None

    @property
    def texts(self) -> ReadTexts:
        """Who wrote the words that the model has read."""
        if self._texts is None:
            self._texts = collect_texts(self.said)
        return self._texts

    @property
    def user_origins(self) -> frozenset[str]:
        """The origins that the user wrote out in a message that was typed."""
        words = typed(turn.text for turn in self.said.turns if isinstance(turn, UserTurn))
        return frozenset(map(str, origins_in(words)))


async def answer_calls(desk: Desk, reply: Reply, going: Round) -> None:
    """Run the calls of an answer one after the other; a question ends them."""
    for asked in reply.calls:
        if going.question is not None:
            answered(desk.store, desk.thread, reply, {asked.id: Result(_LATER, failed=True)})
            continue
        source = _source(desk, asked, going)
        desk.progress(Progress("calling", asked.args, asked.tool, asked.id, source=source))
        given = await run_call(desk, asked, going)
        if isinstance(given, Question):
            going.question, going.call = given, asked.id
            continue
        result = replace(given, text=result_text(desk, asked.tool, given))
        answered(desk.store, desk.thread, reply, {asked.id: result}, source=source)
        told = Progress("called", result.text, asked.tool, asked.id, result.failed, source)
        desk.progress(told)


def result_text(desk: Desk, tool: str, given: Result) -> str:
    """What a model is shown of a result: no secret, and nothing like a section unless it is one."""
    text = desk.clean(given.text)
    return text if tool in SECTION_TOOLS and not given.failed else guarded(text)


def _source(desk: Desk, asked: Asked, going: Round) -> str:
    """The pages that the arguments of a call came from, in words, if it acts on them."""
    spec = REGISTRY.get(asked.tool)
    if spec is None or spec.policy not in ("reach", "run"):
        return ""
    try:
        args = arguments(spec.tool, asked.args)
    except ToolArgumentError:
        return ""
    live = desk.bench.live
    return source_line(sources(cast("Json", args), going.texts, here=_origin_of(live)))


def _origin_of(live: Session | None) -> str:
    """Where text is typed now; nowhere if no page is open."""
    try:
        return str(place_of(live.page().url)) if live else ""
    except (BrowserError, OriginError):
        return ""


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
        check_effects(desk, spec.name, await spec.does(desk, args))
        desk.questions.clear()
        desk.effects.clear()
        given = await spec.run(desk, **args)
        going.questions += [one for one in desk.questions if one not in going.questions]
        going.effects += [one for one in desk.effects if one not in going.effects]
    except BrowserGone as gone:
        await desk.bench.drop()
        return Result(f"{gone} The browser is opened again at the next use.", failed=True)
    except _MISTAKES as mistake:
        if isinstance(mistake, EffectNotApproved):
            going.effects += [key for key in mistake.asked if key not in going.effects]
        if isinstance(mistake, SecretWanted):
            key = request_secret(desk.store, desk.workflow, mistake.wanted, going.texts)
            going.secrets += [key] if key not in going.secrets else []
        return Result(str(mistake), failed=not isinstance(mistake, SecretWanted))
    except Exception as fault:  # noqa: BLE001  a fault of a tool must not cost the conversation
        said = f"{asked.tool} broke: {type(fault).__name__}: {fault}. This is a fault of Director."
        return Result(said, failed=True)
    return Result(given) if isinstance(given, str) else given


def _refused(desk: Desk, spec: Spec, args: Mapping[str, object], going: Round) -> Result | None:
    """Why a call is not made, if it is not."""
    wanted = spec.wants(args)
    known = approvals(desk.store, desk.workflow) if wanted else []
    decision = decide(
        spec.policy,
        wanted,
        approved=[one.origin for one in known if one.state == "approved"],
        refused=[one.origin for one in known if one.state == "refused"],
    )
    match decision:
        case Allowed():
            return None
        case Denied(why):
            return Result(f"{spec.name} was not run: {why.rstrip('.')}.", failed=True)
        case Waits(origins):
            return _waits(desk, spec, args, origins, going)


def _waits(
    desk: Desk, spec: Spec, args: Mapping[str, object], origins: tuple[str, ...], going: Round
) -> Result:
    why = str(args.get("reason") or args.get("description") or "")[:300]
    for origin in origins:
        wanted = Approval(
            origin,
            "asked",
            spec.name,
            why,
            desk.thread,
            named=origin in going.user_origins,
            source=address_source(origin, going.texts),
        )
        ask_for(desk.store, desk.workflow, wanted)
    going.origins += [origin for origin in origins if origin not in going.origins]
    return Result(
        f"{spec.name} was not run: {', '.join(origins)} is not approved, and nothing was sent "
        "there. The user is asked now; call it again when the user has approved it.",
        failed=True,
    )
