"""A ten-turn run in which one thing goes wrong at one place, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count, product

from director.models import Model, ModelError, Policy, Reply, Timing, open_model
from director.testing.double import KINDS, Double, Fault
from models.talk import MODELS, PROFILES, Talk, environment, seen, ten_turns, told

TURNS = 10
# What ends a run, and with which failure; after all others the run goes on as if nothing was.
FINAL = {
    "quota": "quota",
    "window": "window",
    "window_after_results": "window",
    "window_event": "window",
    "key_revoked": "auth",
    "model_retired": "invalid",
}
# After these a job may be running that nobody can find again.
UNCERTAIN = {
    "stall_before",
    "stall_after",
    "reset_before_headers",
    "reset_after_work",
    "reset_mid_event",
    "truncated_json",
}


@dataclass(frozen=True, slots=True)
class Way:
    """A way to talk to a provider."""

    name: str
    form: str
    streaming: bool = False
    policy: Policy = field(default_factory=Policy)

    @property
    def background(self) -> bool:
        """Whether its turns are background jobs."""
        return self.policy.background


_JOBS = Policy(background=True, background_seconds=60.0)
WAYS = (
    Way("responses", "responses"),
    Way("responses stream", "responses", streaming=True),
    Way("responses whole", "responses", policy=Policy(chain="never")),
    Way("background", "responses", policy=_JOBS),
    Way("background stream", "responses", streaming=True, policy=_JOBS),
    Way("chat", "chat"),
    Way("chat stream", "chat", streaming=True),
    Way("anthropic", "anthropic"),
    Way("anthropic stream", "anthropic", streaming=True),
    Way("anthropic thread", "anthropic", policy=Policy(chain="any")),
)
CREATE = {"responses": "responses.create", "chat": "chat.create", "anthropic": "messages.create"}
# Half of the requests bring results; the first one has nothing behind it to be forgotten.
POSITIONS = {"window_after_results": 5, "forget_ids": 9, "thread_expired": 9, "thread_in_flight": 9}
POLLED = (
    "rate_limit",
    "server_error",
    "overloaded",
    "stall_before",
    "reset_before_headers",
    "reset_after_work",
    "truncated_json",
)


@dataclass(frozen=True, slots=True)
class Case:
    """One fault at one position of one way."""

    way: Way
    kind: str
    nth: int
    endpoint: str
    with_: tuple[tuple[str, object], ...] = ()

    def __str__(self) -> str:
        more = "".join(f"-{name}={value}" for name, value in self.with_)
        return f"{self.way.name}-{self.endpoint}-{self.kind}{more}-{self.nth}".replace(" ", "_")


_VARIANTS: dict[str, tuple[tuple[tuple[str, object], ...], ...]] = {
    "rate_limit": (
        (("retry_after", 2),),
        (("retry_after_ms", 700),),
        (("date", True),),
        (("none", True),),
        (("silent", True),),
        (("retry_after", 300),),
    ),
    "server_error": (
        *((("status", status),) for status in (500, 502, 503, 504)),
        (("should_retry", False),),
        (("should_retry", True),),
    ),
}


def meets(way: Way, kind: str) -> bool:
    """Whether a run on this way can meet a fault of this kind."""
    about = KINDS[kind]
    return (
        way.form in about.apis
        and not (about.needs == "json" and way.streaming)
        and not (about.needs == "stream" and not way.streaming)
        and not (kind.startswith("background") and not way.background)
        and not (kind.startswith("thread") and way.policy.chain != "any")
        and not (kind == "forget_ids" and way.policy.chain == "never")
        # Shown by tests of their own: a run does not cancel, nor ask for a summary.
        and kind not in ("cancel_race", "compaction_unavailable")
    )


def cases() -> Iterator[Case]:
    """Every fault that a way can meet, at each of its ten requests."""
    for way, kind in product(WAYS, KINDS):
        for with_ in _VARIANTS.get(kind, ((),)) if meets(way, kind) else ():
            for nth in range(1, POSITIONS.get(kind, TURNS) + 1):
                yield Case(way, kind, nth, CREATE[way.form], with_)
    background = next(way for way in WAYS if way.name == "background")
    for kind, nth in product(POLLED, range(1, TURNS + 1)):
        yield Case(background, kind, nth, "responses.get")


@dataclass(slots=True)
class Outcome:
    """What came of a run."""

    replies: list[Reply]
    error: ModelError | None
    defects: list[str]
    findings: list[str]
    unlike: list[int]
    struck: bool


def _patience(model: Model, case: Case) -> Callable[[], None]:
    """Before each request: a second for the one that is never answered, and time for all others."""
    policy, requests = model.policy, count(1)

    def before() -> None:
        turn = next(requests) == case.nth or case.endpoint == "responses.get"
        stalls = turn and case.kind.startswith("stall")
        model.policy = replace(policy, timeout=1.0 if stalls else 60.0)

    return before


async def run(case: Case) -> Outcome:
    """Play the run, with the fault laid."""
    fault = Fault(case.kind, case.endpoint, nth=case.nth, with_=dict(case.with_))
    policy = case.way.policy
    with Double(PROFILES[case.way.form], ten_turns(), faults=[fault]) as double:
        timing = Timing(double.now, double.sleep, lambda: 0.5)
        async with open_model(
            MODELS[case.way.form], env=environment(double), timing=timing, policy=policy
        ) as model:
            talk = Talk(model, streaming=case.way.streaming, before=_patience(model, case))
            error = None
            try:
                for nth in range(TURNS // 2):
                    await talk.say(f"Go to room {nth}.")
            except ModelError as raised:
                error = raised
        shown = {one.exchange: seen(one.seen.items) for one in double.generations}
        answered = [one for one in double.exchanges if one.work and one.asked.number in shown]
        given = [told(context) for context in talk.sent]
        unlike = [
            nth
            for nth, told_ in enumerate(given)
            if told_ not in [shown[e.asked.number] for e in answered]
        ]
        return Outcome(
            talk.replies,
            error,
            [str(defect) for defect in double.defects],
            [str(finding) for finding in double.verdict()],
            unlike,
            any(case.kind in exchange.struck for exchange in double.exchanges),
        )


def expected(case: Case) -> str:
    """The failure that a run must end with, or nothing."""
    if case.kind in FINAL:
        return FINAL[case.kind]
    if case.endpoint == "responses.get":
        return ""
    details = dict(case.with_)
    if details.get("retry_after") == 300:
        return "rate_limited"
    if details.get("should_retry") is False:
        return "transient"
    if case.way.name == "background stream" and case.kind == "reset_mid_event":
        return ""  # the job's id was heard, so the rest of it is fetched
    uncertain = case.kind in UNCERTAIN or details.get("status") in (502, 504)
    return "ambiguous" if case.way.background and uncertain else ""
