"""The values of a run: the run itself, its steps, what it works with, how it can end.

A step is one visit of a node; the same node has several steps if it is in the body of an iterate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from director.browser import Browser, Logins, SecretDoor, Session
from director.errors import DirectorError
from director.runs.secret_uses import SecretUse
from director.secrets import Seal
from director.workflow.values import Config, Effect, Json, Mode, Node

RunState: TypeAlias = Literal["queued", "running", "waiting", "done", "failed", "cancelled"]
Status: TypeAlias = Literal["success", "partial", "failed", "skipped"]
Pictures: TypeAlias = Literal["each", "failures", "none"]


class Permit(Protocol):
    """Asks a person before a node acts; raises NotPermitted until there is an answer."""

    def __call__(self, node: Node, config: Config, form: str = "") -> bool:
        """Whether a page may send forms meanwhile; `form` is one that it wants to send."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run: which version of which workflow, with what, how far it is, how it ended.

    One that a model began `asks` before each of its effects, whoever goes on with it. `doubts` are
    the reasons to think that it is wrong although it passed.
    """

    id: str
    workflow: str
    workflow_version: int
    state: RunState = "queued"
    inputs: Mapping[str, Json] = field(default_factory=dict)
    selection: str = "all"
    mode: Mode = "flow"
    record: str = ""
    error: Mapping[str, Json] | None = None
    summary: Mapping[str, Json] = field(default_factory=dict)
    worker: str = ""
    asks: bool = False
    doubts: tuple[Config, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One visit of a node, as the journal has it.

    `open` is to be done, perhaps again; `begun` was about to act, and nobody knows how far it came;
    `finished` has a status: `partial` if nodes inside it failed and it went on. `acted` tells
    whether a step may have had an effect. `wrote` names what was written with it and at which
    version it was before. `seen` is what it did to the page
    and sent, if it was only tried: conditions are proposed from it. `records` counts those it made
    and merged, and all of their type in the run. `observed` is what the page said
    about it, `notes` what was done that needs no care, `doubts` what speaks against it: {"kind",
    "sentence", "evidence"} each. `tables` is what is kept of the tables that it downloaded.
    """

    key: str
    node: str
    alias: str
    type: str
    state: Literal["open", "begun", "finished"]
    effect: Effect = "read"
    status: Status = "success"
    result: Json = None
    error: str = ""
    error_kind: str = ""
    acted: bool = False
    attempt: int = 1
    worker: str = ""
    began: float = 0.0
    took: float = 0.0
    config: Config = field(default_factory=dict)
    plan: Json = None
    evidence: tuple[Config, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    screenshot: Mapping[str, str] | None = None
    point: Mapping[str, str] | None = None
    before: Mapping[str, Json] | None = None
    page: Mapping[str, Json] | None = None
    wrote: tuple[tuple[str, str, int], ...] = ()
    seen: Mapping[str, Json] | None = None
    records: Mapping[str, int] | None = None
    observed: Mapping[str, Json] | None = None
    doubts: tuple[Config, ...] = ()
    tables: tuple[Config, ...] = ()
    version: int = 0
    position: int = 0


@dataclass(frozen=True, slots=True)
class Question:
    """Something that only a person can tell; the run waits until it is answered.

    The answer to a `secret` question is stored sealed; here it is `[hidden]`. A question for the
    `use` of a secret has a `picture` of the page, kept under its hash, if one could be taken.
    """

    id: str
    run: str
    text: str
    choices: tuple[str, ...] = ()
    answer: str | None = None
    secret: bool = False
    use: SecretUse | None = None
    picture: str = ""


@dataclass(frozen=True, slots=True)
class RunProgress:
    """What just happened in a run, for whoever watches it."""

    run: str
    what: Literal["begun", "finished", "waiting", "run"]
    key: str = ""
    alias: str = ""
    status: str = ""
    error: str = ""
    took: float = 0.0


class CognitionModel(Protocol):
    """A model that answers: what `cognition` needs."""

    async def __call__(self, instruction: str, given: Json, schema: Config, /) -> Json:
        """The answer, which should be of the schema."""


class Work(Protocol):
    """A sub-agent: what `agent` needs. Its answer says `ok`, true or false."""

    async def __call__(self, goal: str, max_steps: int, session: Session, /) -> Mapping[str, Json]:
        """What came of it."""


@dataclass(frozen=True, slots=True)
class NodeModels:
    """What lends a model to the nodes that need one."""

    think: CognitionModel
    work: Work


def _as_it_is(_: str, value: Json) -> Json:
    return value


@dataclass(frozen=True, slots=True)
class RunDependencies:
    """What runs work with. Everything is handed in, and what is missing is named when needed.

    `browser` opens a session for each run; `session` is used instead if it is given, and left
    open. `secrets` is the vault and `seal` closes restart points; without it none is kept.
    `file` finds a file to upload by its name, and `files` lists those that there are, as text.
    `hide` replaces sensitive values by references before anything is stored. `ask` may answer a
    question here; else somebody answers it with `answer`. After `patience` seconds without an
    answer the run is put aside as waiting. `pace` is awaited with an address before each action.
    A browser that ends makes a run fail; who `outlasts` it is told by BrowserGone instead.
    `opened` is told the session that is opened for a run, to look at it.
    `permit` is called before each node of a run that asks, with its values, and for a form that its
    page wants to send; NotPermitted stops it.
    """

    browser: Browser | None = None
    session: Session | None = None
    secrets: SecretDoor | None = None
    seal: Seal | None = None
    think: CognitionModel | None = None
    work: Work | None = None
    hide: Callable[[str, Json], Json] = _as_it_is
    env: Callable[[str], str | None] | None = None
    file: Callable[[str], Path] | None = None
    files: Callable[[], Sequence[object]] | None = None
    downloads: Path | None = None
    logins: Logins | None = None
    ask: Callable[[Question], Awaitable[str]] | None = None
    patience: float | None = None
    pace: Callable[[str], Awaitable[None]] | None = None
    permit: Permit | None = None
    progress: Callable[[RunProgress], None] | None = None
    pictures: Pictures = "each"
    worker: str = "here"
    outlasts: bool = False
    opened: Callable[[Session], None] | None = None


@dataclass(frozen=True, slots=True)
class VisitScope:
    """Where in a run a node is visited: the key before its own, and what its templates see."""

    within: str = ""
    local: Mapping[str, Json] = field(default_factory=dict)
    params: Mapping[str, Json] = field(default_factory=dict)
    record: str = ""

    def key(self, node: str, nth: int = 1) -> str:
        """The key of a node visited here, for the nth time in one list."""
        name = node if nth == 1 else f"{node}~{nth}"
        return f"{self.within}.{name}" if self.within else name

    def inside(self, key: str, /, **local: Json) -> VisitScope:
        """The place inside a step, with more local values."""
        return replace(self, within=key, local={**self.local, **local})


def number_node_visits(ids: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Each node of a list, with how many times the list has named it so far."""
    times: Counter[str] = Counter()
    for id_ in ids:
        times[id_] += 1
        yield id_, times[id_]


class RunError(DirectorError):
    """The run could not be started or gone on with; the message says why and what to do."""


class NodeFailed(DirectorError):
    """A node failed. `key` is the step that failed first; `kind` tells failures apart."""

    def __init__(self, message: str, *, key: str, alias: str, kind: str = "") -> None:
        super().__init__(message)
        self.key, self.alias, self.kind = key, alias, kind


class RunTaken(Exception):
    """Another worker has this run now; what this one did last was not written."""


class RunWaiting(Exception):
    """The run waits for an answer; resume it when there is one."""


class NotPermitted(DirectorError):
    """A node waits for a person's word and was not begun; no node before it catches that."""


class Cancelled(Exception):
    """Somebody cancelled the run."""
