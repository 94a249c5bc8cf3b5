"""Effects: what a call would do on a site that cannot be undone, shown to the user first.

An action that must happen once, by its nature or by its node's word, waits for the user before its
first execution in a conversation; approved, it is not asked for again with the same values. What is
known before a call is asked for before it; a run asks once more at each node, with the values that
it has then. Only the user's program answers, never a tool. A refusal stands until the user lifts it
or the node is changed.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from director.agent.browsing.page_looks import find_active_tab
from director.agent.permissions.origin_requests import ASKED
from director.browser import BrowserError, Session
from director.browser.approved_origins import get_origin_place
from director.browser.locators import is_ref
from director.runs.run_journal import list_run_records
from director.runs.run_text import write_node_text
from director.runs.values import NotPermitted, Permit
from director.sections.value_text import write_compact_value
from director.store import RecordDraft, Store
from director.store.run_variables import get_draft_run_id, read_run_variables
from director.workflow.records import select_records as chosen_records
from director.workflow.references import map_parents
from director.workflow.scope import Scope
from director.workflow.selection import find_selection_place as node_place
from director.workflow.selection import resolve_selection
from director.workflow.sensitive import mask_sensitive
from director.workflow.templates import SECRET
from director.workflow.types import get_node_effect, resolve_config
from director.workflow.values import Config, Json, Node, Workflow, WorkflowError

if TYPE_CHECKING:
    from director.agent.agent_session import AgentSession
    from director.agent.tools.tool_definition import Args

KIND = "effect"
State: TypeAlias = Literal["asked", "approved", "refused"]
Answer: TypeAlias = Literal["approved", "refused", "all"]
# They go through the history of a tab and ask the site for nothing that it did not show before.
_HARMLESS = frozenset({"back", "forward"})
_LOCAL = frozenset({"localhost", "127.0.0.1", "[::1]"})
_LONGEST = 600


@dataclass(frozen=True, slots=True)
class Effect:
    """Something that happens once: which node or action, what it does, on which sites.

    `key` stands for exactly this: another value, selector or action has another.
    """

    key: str
    name: str
    does: str
    origins: tuple[str, ...]
    state: State = "asked"
    thread: str = ""

    def __str__(self) -> str:
        there = f" on {', '.join(self.origins)}" if self.origins else ""
        return f"{self.name}{there}: {self.does}"


class EffectNotApproved(WorkflowError):
    """A call was not made, because the user has not approved what it does; `asked` are the keys."""

    def __init__(self, message: str, asked: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.asked = asked


def check_effects(desk: AgentSession, tool: str, wanted: Sequence[Effect]) -> None:
    """Ask the user for what was not approved yet; raise if anything was not."""
    if not wanted:
        return
    known = {one.key: one.state for one in list_requested_effects(desk.store, desk.workflow)}
    free = [one for one in wanted if not _is_approved(one, known)]
    refused = [one for one in free if known.get(one.key) == "refused"]
    if refused:
        raise EffectNotApproved(
            f"{tool} was not run: the user refused {refused[0]}. Nothing was done. Only the user "
            "can lift that; go on without it, or change it."
        )
    if not free:
        return
    asked = [replace(one, thread=desk.thread) for one in free]
    desk.store.put_all(
        [_draft(desk.store, desk.workflow, one) for one in asked if one.key not in known]
    )
    listed = "; ".join(one.name for one in free)
    raise EffectNotApproved(
        f"{tool} was not run: it does what cannot be undone and was not approved yet ({listed}). "
        f"Nothing was done. {ASKED}; call it again when the user has approved it.",
        tuple(one.key for one in free),
    )


def list_requested_effects(store: Store, workflow: str) -> list[Effect]:
    """Every effect that was asked for, with what the user said to it."""
    found = store.newest(KIND, f"{workflow}/")
    return [_effect(cast("dict[str, Any]", one.body)) for one in found]


def answer_effect(store: Store, workflow: str, key: str, said: Answer) -> Effect:
    """Write down the user's word; "all" lets every effect happen on its sites from now on."""
    found = next((one for one in list_requested_effects(store, workflow) if one.key == key), None)
    if found is None:
        raise WorkflowError(f"Nothing is asked for under {key!r}. Nothing was changed.")
    now = replace(found, state="refused" if said == "refused" else "approved")
    sites = [
        Effect(f"site:{origin}", "everything", "Every effect, unasked.", (origin,), "approved")
        for origin in (found.origins if said == "all" else ())
    ]
    store.put_all([_draft(store, workflow, one) for one in (now, *sites)])
    return now


def ask_at_nodes(desk: AgentSession) -> Permit:
    """What a run calls before each node with the values of that moment; raises NotPermitted."""

    def permit(node: Node, config: Config, form: str = "") -> bool:
        sites = _list_watched_sites(desk, desk.now().origins)
        if not sites:
            return True
        effect = _of_node(desk, replace(node, config=config), sites)
        if not _is_once(node):
            effect = _of_node(desk, replace(node, config=config, effect="once"), sites)
            known = {
                one.key: one.state for one in list_requested_effects(desk.store, desk.workflow)
            }
            if not form:
                return _is_approved(effect, known)
            effect = replace(effect, does=f"{effect.does} (the page sends a form: {form})")
        try:
            check_effects(desk, node.alias, [effect])
        except EffectNotApproved as stopped:
            desk.effects += stopped.asked
            raise NotPermitted(str(stopped)) from stopped
        return True

    return permit


def find_node_effects(
    desk: AgentSession, chosen: Iterable[str], scope: Scope | None = None
) -> tuple[Effect, ...]:
    """What these nodes, and those that belong to them, would do once, as far as it is known.

    A node with a value that only the run finds is asked for by the run. That one ran before is not
    looked at: who brings a workflow may bring its history as well.
    """
    workflow = desk.now()
    sites = _list_watched_sites(desk, workflow.origins)
    if not sites:
        return ()
    ids, known = _with_parts(workflow, chosen), scope or _bench_scope(desk)
    once = [node for node in workflow.nodes if node.id in ids and _is_once(node)]
    known_nodes = [_resolve_node(node, known) for node in once]
    return tuple(_of_node(desk, node, sites) for node in known_nodes if node is not None)


async def find_test_effects(desk: AgentSession, args: Args) -> Sequence[Effect]:
    """The effects of a test of one node."""
    nodes = desk.now().nodes
    tested = nodes[node_place(cast("str | int", args["node"]), nodes)].id
    return find_node_effects(desk, [tested], _bench_scope(desk, str(args.get("record") or "")))


async def find_run_effects(desk: AgentSession, args: Args) -> Sequence[Effect]:
    """The effects of a run of several nodes: of a flow with what it is given, as it has no more."""
    workflow = desk.now()
    if args.get("mode") == "isolated":
        scope = _bench_scope(desk, str(args.get("record") or ""))
    else:
        inputs = cast("Mapping[str, Json]", args.get("inputs") or {})
        given = {one.name: inputs.get(one.name, one.default) for one in workflow.inputs}
        found = {name: value for name, value in given.items() if value is not None}
        scope = Scope(variables=found, env=desk.means.env)
    return find_node_effects(
        desk, resolve_selection(str(args.get("nodes", "all")), workflow.nodes), scope
    )


async def find_action_effect(desk: AgentSession, args: Args) -> Sequence[Effect]:
    """The effect of a click that is no node, on the page that it would go to."""
    if args.get("action") != "click" or not _list_watched_sites(desk, desk.now().origins):
        return ()
    session = await desk.bench.session()
    tab = str(args.get("tabName") or "") or await find_active_tab(desk)
    sites = _list_watched_sites(desk, (session.page(tab).url,))
    if not sites:
        return ()
    does = f"click {await _line_of(session, tab, str(args.get('selector', '')))}"
    return (Effect(_key("debug_action", does, *sites), "debug_action", does, sites),)


@asynccontextmanager
async def hold_forms_for_approval(
    desk: AgentSession, session: Session, action: str, *, selector: str = "", text: str = ""
) -> AsyncIterator[None]:
    """Hold back what a page sends while something harmless is tried on it, and ask for that."""
    here = text if action == "navigate" else session.page().url
    sites = _list_watched_sites(desk, (here,))
    if not sites:
        await session.forms.let_go()
        yield
        return
    line = await _line_of(session, None, selector)
    does = _clean_words(desk, " ".join(filter(None, [action, text and repr(text), line])))
    effect = Effect(_key("debug_action", does, *sites), "debug_action", does, sites)
    known = {one.key: one.state for one in list_requested_effects(desk.store, desk.workflow)}
    if _is_approved(effect, known):
        await session.forms.let_go()
        yield
        return
    await session.forms.hold(session.page().context)
    problem: BrowserError | None = None
    try:
        yield
    except BrowserError as error:
        problem = error
    if form := await session.forms.take():
        check_effects(desk, "debug_action", [replace(effect, does=f"{does} (a form: {form})")])
    if problem is not None:
        raise problem


def _list_watched_sites(desk: AgentSession, addresses: Iterable[str]) -> tuple[str, ...]:
    """The sites whose effects are shown first, by the setting."""
    wanted = desk.settings.confirm_effects.value
    if wanted == "never":
        return ()
    found = [
        get_origin_place(one.replace("://*.", "://")) for one in addresses if one.startswith("http")
    ]
    shown = {str(one) for one in found if wanted == "always" or one.host not in _LOCAL}
    return tuple(sorted(shown))


def _is_approved(one: Effect, known: dict[str, State]) -> bool:
    if known.get(one.key) == "approved":
        return True
    sites = [known.get(f"site:{origin}") == "approved" for origin in one.origins]
    return known.get(one.key) != "refused" and bool(sites) and all(sites)


def _is_once(node: Node) -> bool:
    """By nature or by its author's word: an author that says less cannot be taken at it.

    To turn a page is a click on whatever is named, and an upload hands a file over, perhaps by one.
    """
    if node.config.get("action") in _HARMLESS:
        return False
    if node.config.get("action") == "upload" or node.config.get("next") is not None:
        return True
    return "once" in (node.effect, get_node_effect(node.type, node.config))


def _with_parts(workflow: Workflow, chosen: Iterable[str]) -> set[str]:
    owners = {id_: {part.owner for part in parts} for id_, parts in map_parents(workflow).items()}
    found = set(chosen)
    while more := {id_ for id_, by in owners.items() if id_ not in found and by & found}:
        found |= more
    return found


def _of_node(desk: AgentSession, node: Node, sites: tuple[str, ...]) -> Effect:
    """The effect of a node whose values are put in; its key stands for all of them."""
    does = write_node_text(node, _LONGEST)
    if isinstance(node.config.get("selector"), Mapping):
        # Its first words are not all that finds the element.
        does = f"{does} ({write_compact_value(mask_sensitive(node.config['selector']))})"
    for name, says in (("next", "clicking"), ("file", "with the file")):
        if node.config.get(name) is not None:
            does = f"{does}, {says} {write_compact_value(mask_sensitive(node.config[name]))}"
    if secrets := sorted({f"{{{{secret:{name}}}}}" for name in SECRET.findall(str(node.config))}):
        does = f"{does} with {', '.join(secrets)}"
    key = _key(node.id, node.type, write_compact_value(dict(node.config)), node.effect)
    return Effect(key, node.alias, _clean_words(desk, does), sites)


def _clean_words(desk: AgentSession, does: str) -> str:
    """The words without a secret; what is not shown is said, as somebody may want it unseen."""
    shown = desk.clean(does)
    return shown if shown == does else f"{shown} (a part is not shown: the vault holds the same)"


def _bench_scope(desk: AgentSession, record: str = "") -> Scope:
    """What templates can name in a test in the draft run, perhaps for one record."""
    run = get_draft_run_id(desk.workflow)
    records = list_run_records(desk.store, run)
    return Scope(
        variables=cast("dict[str, Json]", read_run_variables(desk.store, run)),
        current=next(iter(chosen_records(record, records))) if record else None,
        records={one.id: one for one in records},
        env=desk.means.env,
    )


def _resolve_node(node: Node, scope: Scope) -> Node | None:
    """The node with its values put in, if all are known; secrets stay references."""
    try:
        return replace(node, config=resolve_config(node.type, node.config, scope))
    except WorkflowError:
        return None


async def _line_of(session: Session, tab: str | None, selector: str) -> str:
    """An element by what its page calls it now, where it was given by a ref."""
    if not is_ref(selector):
        return selector
    page = await session.snapshot(tab)
    mark = f"[ref={selector}]"
    for line in page.text.splitlines():
        if mark in line:
            return " ".join(line.replace(mark, "").strip(" -").split())[:_LONGEST]
    return selector


def _key(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _effect(body: dict[str, Any]) -> Effect:
    known = {name: body[name] for name in ("key", "name", "does", "state", "thread")}
    return Effect(**known, origins=tuple(body["origins"]))


def _draft(store: Store, workflow: str, one: Effect) -> RecordDraft:
    body = {
        "workflow": workflow,
        "key": one.key,
        "name": one.name,
        "does": one.does,
        "origins": list(one.origins),
        "state": one.state,
        "thread": one.thread,
    }
    id_ = f"{workflow}/{one.key}"
    before = store.get(KIND, id_)
    return RecordDraft(KIND, id_, body, one.state, before.version if before else 0)
