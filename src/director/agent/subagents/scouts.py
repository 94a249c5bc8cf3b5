"""Scouts: a model in a fresh context that can only look, and brings typed findings or none.

What it says in words goes nowhere. Each claim is done again by the runtime on the page; those that
do not hold are dropped, and that is said. Nothing of its context reaches the conversation.
"""

# ruff: noqa: D417  no model is told of the post
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal, NotRequired, TypedDict

from director.agent.agent_session import AgentSession
from director.agent.browsing.claim_checks import Checked, check_claim
from director.agent.browsing.page_looks import find_active_tab, look_at_page
from director.agent.request_assembly import compute_request_budget
from director.agent.request_log.kept_requests import RequestRecord, RequestTarget
from director.agent.tools.tool_definition import Spec, make_tool_definition
from director.browser import BrowserError, closer
from director.browser.bundle import LocatorError
from director.browser.elements import find_matching_elements, read_element_text
from director.browser.masks import MaskedPage
from director.browser.snapshot_text import render_snapshot_text
from director.browser.snapshots import Snapshot
from director.context.boundary_escapes import escape_boundaries
from director.context.report import report_on
from director.context.values import Context, Section, Turn, UserTurn
from director.models import Model, Policy, Reply, Result, ToolArgumentError, ToolCall, turn_of
from director.models.tool_schemas import read_tool_arguments
from director.sections.section_texts import read_system_prompt

ROUNDS = 8
MOST = 12
LONGEST = 300
_ANSWER = 2_000
_ROOM = 40_000
_WAIT = 2_000


class Finding(TypedDict):
    """One claim about the page."""

    claim: Literal["matches", "text"]
    selector: Annotated[str, "CSS"]
    count: NotRequired[Annotated[int, "how many it matches, for matches"]]
    text: NotRequired[Annotated[str, "the exact text, for text"]]
    note: NotRequired[Annotated[str, "what it is for, in a few words"]]


@dataclass(slots=True)
class Post:
    """Where a scout stands, and what it has brought so far."""

    desk: AgentSession
    tab: str
    page: Snapshot
    seen: int = 0
    failed: list[str] = field(default_factory=list)
    findings: list[Finding] | None = None
    missing: str = ""


async def run_scout(desk: AgentSession, question: str, *, url: str = "", tab: str = "") -> Result:
    """Let a scout look at a page, and check what it brings."""
    session = await desk.bench.session()
    own = await session.open_tab(url, "scout") if url else ""
    try:
        name = own or tab or await find_active_tab(desk)
        page, _ = await look_at_page(desk, name)
        post = Post(desk, name, page)
        await _look_around(post, question)
        if post.failed and not post.seen:
            return Result(
                f"The scout has no findings: every look failed, last with: {post.failed[-1]}",
                failed=True,
            )
        found = [await check_claim(session, name, dict(each)) for each in post.findings or ()]
        page, _ = await look_at_page(desk, name)
        return Result(write_scout_report(page, found, post))
    finally:
        if own:
            await session.close_tab(own)
            desk.looked.pop(own, None)


async def explore_page(desk: AgentSession, page: Snapshot, question: str) -> str:
    """A short answer to a question about one page, from a model that sees nothing else."""
    shown = escape_boundaries(render_snapshot_text(page, room=_ROOM), ("page",))
    asked = f"{question}\n\n<page trust=web>\n{shown}\n</page>"
    context = Context((Section("explore", read_system_prompt("explore")),), (UserTurn(1, asked),))
    async with desk.open(desk.talks, None) as model:
        reply = await _send(desk, model, context, ())
    return reply.text if len(reply.text) <= _ANSWER else f"{reply.text[:_ANSWER]}…"


async def _look_around(post: Post, question: str) -> None:
    sections = (Section("scout", read_system_prompt("scout")),)
    turns: tuple[Turn, ...] = (UserTurn(1, f"{question}\n\nThe page is {post.page.url}"),)
    async with post.desk.open(post.desk.talks, None) as model:
        for nth in range(ROUNDS):
            reply = await _send(post.desk, model, Context(sections, turns), _TOOLS)
            results = {asked.id: await _run_tool_call(post, asked) for asked in reply.calls}
            if post.findings is not None or not reply.calls:
                return
            turns = (*turns, turn_of(reply, nth + 2, results))


async def _send(
    desk: AgentSession, model: Model, context: Context, specs: tuple[Spec, ...]
) -> Reply:
    tools = tuple(one.tool for one in specs)
    policy = Policy(chain="never")
    budget = compute_request_budget(model.capabilities, desk.settings, model.counter)
    asked = RequestTarget(desk.workflow, desk.thread, "", model, tools, policy, by="scout")
    with desk.keep_record(RequestRecord(asked, report_on(context, context, budget))) as made:
        made.ended = reply = await model.send(
            context, tools=tools, thread="scout", policy=policy, attempts=made.attempts
        )
    desk.spent.add(reply)
    return reply


async def _run_tool_call(post: Post, asked: ToolCall) -> Result:
    """What one call of a scout gave; only looks count as seen."""
    found = next((one for one in _TOOLS if one.name == asked.tool), None)
    if found is None:
        post.failed.append(f"A scout has no tool {asked.tool!r}.")
        return Result(post.failed[-1], failed=True)
    try:
        given = await found.run(post, **read_tool_arguments(found.tool, asked.args))
    except (ToolArgumentError, BrowserError, LocatorError) as problem:
        if found.name != "report":
            post.failed.append(str(problem))
        return Result(str(problem), failed=True)
    post.seen += found.name != "report"
    return Result(post.desk.clean(str(given)))


async def _look(post: Post) -> str:
    """Look at the page: its outline with refs."""
    post.page, _ = await look_at_page(post.desk, post.tab)
    return render_snapshot_text(post.page, room=_ROOM)


async def _newest(post: Post) -> Snapshot:
    """The page as it is now: what a scout brings is checked on that one."""
    post.page, _ = await look_at_page(post.desk, post.tab)
    return post.page


async def _find(post: Post, text: str) -> str:
    """Find a text on the page; gives the lines with their refs.

    Args:
        text: what to find

    """
    return closer.find_snapshot_lines(await _newest(post), text)


async def _expand(post: Post, ref: str) -> str:
    """Show everything under a ref.

    Args:
        ref: such as "e12"

    """
    return closer.expand_snapshot_ref(await _newest(post), ref)


async def _read(post: Post, ref: str) -> str:
    """Read the plain text under a ref.

    Args:
        ref: such as "e12"

    """
    return closer.read_snapshot_ref(await _newest(post), ref)


async def _count(post: Post, selector: str) -> str:
    """Count the elements that a CSS selector matches, and say what the first one shows.

    Args:
        selector: CSS

    """
    session = await post.desk.bench.session()

    async def look(seen: MaskedPage) -> tuple[int, str]:
        every = await find_matching_elements(seen, selector)
        count = len(every)
        return count, await read_element_text(every.locator(), timeout=_WAIT) if count else ""

    async with session.doing(f"count {selector!r}"):
        count, first = await session.look(session.page(post.tab), look)
    return f"{count} match; the first says: {session.net.clean(first)[:LONGEST]!r}"


async def _bring(post: Post, findings: list[Finding], missing: str = "") -> str:
    """Report what you found; this ends your work.

    Args:
        findings: at most 12 claims that you have seen to hold
        missing: what the page does not tell, if something

    """
    if len(findings) > MOST:
        raise ToolArgumentError(f"report takes at most {MOST} findings; keep the most useful.")
    for one in findings:
        if any(isinstance(value, str) and len(value) > LONGEST for value in one.values()):
            raise ToolArgumentError(f"Each text of a finding has at most {LONGEST} characters.")
        if ("count" if one["claim"] == "matches" else "text") not in one:
            raise ToolArgumentError('"matches" needs a count, "text" needs a text.')
    post.findings, post.missing = findings, missing[:LONGEST]
    return "Thank you."


_TOOLS: tuple[Spec, ...] = (
    make_tool_definition(_look, "look", "web", name="look"),
    make_tool_definition(_find, "look", "web", name="find"),
    make_tool_definition(_expand, "look", "web", name="expand"),
    make_tool_definition(_read, "look", "web", name="read"),
    make_tool_definition(_count, "look", "web", name="count"),
    make_tool_definition(_bring, "look", "web", name="report"),
)
SCOUT_TOOLS: tuple[str, ...] = tuple(one.name for one in _TOOLS)


def write_scout_report(page: Snapshot, found: list[Checked], post: Post) -> str:
    """What a scout brought: a line for each claim that was checked, and none besides."""
    # A scout's own words stay on their line: below it they would look like a checked claim.
    held = [_one_line(each.told) for each in found if each.holds]
    gone = [_one_line(each.told) for each in found if not each.holds]
    lines = [f"A scout looked at {page.url} (snapshot {page.hash[:12]})."]
    if post.findings is None:
        lines.append("It ended without a report, so it has no findings.")
    elif not held:
        lines.append("It has no findings that hold.")
    lines += [f"- {told}" for told in held]
    if gone:
        lines += ["Dropped, because the page showed otherwise:", *(f"- {told}" for told in gone)]
    lines += [f"Not found out: {_one_line(post.missing)}"] if post.missing else []
    return post.desk.clean("\n".join(lines))


def _one_line(text: str) -> str:
    return " ".join(text.split())
