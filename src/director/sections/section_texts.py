"""All sections by name, and the tools that pull the same text: what is pushed is what is pulled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import MappingProxyType

from director.context.values import Section, Summary
from director.sections.boundary import guard_boundary, wrap_section
from director.sections.value_text import write_value_bullets, write_value_field, write_value_line
from director.sections.variables import list_state_variables
from director.sections.workflow import render_workflow_section
from director.sections.workflow_state import WorkflowState
from director.workflow.description import PARTS, Description, list_missing_description_parts
from director.workflow.plan import Plan, Task
from director.workflow.sensitive import mask_sensitive
from director.workflow.values import Tab

_MOST = 12


@lru_cache(maxsize=2)
def render_summary_section(summary: Summary | None) -> Section | None:
    """The newest summary, and the turns that it stands for; the same until the next one."""
    if summary is None:
        return None
    covers = f"In place of turns {_name_turns(summary.covers)}, which recall can read:\n"
    return wrap_section(
        "summary", f"{covers if summary.covers else ''}{summary.text}", summary.trust
    )


def _name_turns(covers: Sequence[int]) -> str:
    """The turns, as long as they can be named in a few words; a section must not grow with them."""
    named = write_summary_spans(covers)
    if named.count(",") < _MOST:
        return named
    return f"{min(covers)}-{max(covers)}, but for those that are shown"


def write_summary_spans(numbers: Iterable[int]) -> str:
    """Numbers in order, runs of them as `1-9`."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and runs[-1][-1] == number - 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return ", ".join("-".join(map(str, run)) for run in runs)


LONGEST_URL = 300


def render_browser_section(tabs: Sequence[Tab]) -> Section:
    """The tabs in their order."""
    if not tabs:
        return wrap_section("browser", "0 tabs open", "agent")
    open_ = "1 tab open:" if len(tabs) == 1 else f"{len(tabs)} tabs open:"
    return wrap_section("browser", "\n".join([open_, *map(_tab, tabs)]), "web")


def _tab(tab: Tab) -> str:
    active = " (active)" if tab.active else ""
    # An address may carry a token of the page's own, which no vault knows.
    address = _short(str(mask_sensitive(tab.url)))
    return f"- {write_value_line(tab.name)}{active} = {write_value_line(address)}"


def _short(url: str) -> str:
    """An address as far as it tells where one is."""
    return url if len(url) <= LONGEST_URL else f"{url[:LONGEST_URL]}... ({len(url)} characters)"


NO_PLAN = "No plan yet: make one with update_plan before you build."


def render_plan_section(plan: Plan | None) -> Section:
    """The whole plan."""
    return wrap_section("plan", NO_PLAN if plan is None else "\n".join(_write_plan(plan)), "agent")


def _write_plan(plan: Plan) -> Iterator[str]:
    yield from write_value_field("plan_version", plan.plan_version)
    yield from write_value_field("overall_goal", plan.overall_goal)
    yield from write_value_field("current_phase", plan.current_phase)
    for phase in plan.phases:
        yield f"phase {phase.status}: {write_value_line(phase.phase_name)}"
        for task in phase.tasks:
            yield from _task(task)
    yield from write_value_bullets("next_actions", plan.next_actions)
    yield from write_value_bullets("blockers", plan.blockers)
    yield from write_value_field("notes", plan.notes)


def _task(task: Task) -> Iterator[str]:
    head = f"{write_value_line(str(task.task_id))} {task.status}"
    yield f"{head}: {write_value_line(task.description)}"
    yield from (f" {found}" for found in write_value_field("notes", task.notes))
    yield from (f" {found}" for found in write_value_field("node_ids", ", ".join(task.node_ids)))


NO_DESCRIPTION = (
    "No description yet: agree with the user on what to build, then update_workflow_description."
)


def render_description_section(description: Description | None) -> Section:
    """The whole description."""
    text = NO_DESCRIPTION if description is None else "\n".join(_write_description(description))
    return wrap_section("description", text, "agent")


def _write_description(description: Description) -> Iterator[str]:
    for part in PARTS:
        value = getattr(description, part)
        yield from (
            write_value_field(part, value)
            if isinstance(value, str)
            else write_value_bullets(part, value)
        )
    yield from write_value_field(
        "not said yet", ", ".join(list_missing_description_parts(description))
    )


def read_system_prompt(name: str, folder: Traversable | None = None) -> str:
    """The text of a prompt, read anew each time, so that no old one is ever sent."""
    folder = folder or files("director.sections").joinpath("prompts")
    return folder.joinpath(f"{name}.md").read_text("utf-8").strip()


def render_system_section() -> Section:
    """The newest system prompt."""
    return Section("system", guard_boundary(read_system_prompt("system")), "system")


_ALWAYS: Mapping[str, Callable[[WorkflowState], Section]] = {
    "system": lambda _: render_system_section(),
    "description": lambda state: render_description_section(state.description),
    "plan": lambda state: render_plan_section(state.plan),
    "workflow": lambda state: render_workflow_section(state.workflow, state.statuses),
    "variables": list_state_variables,
    "browser": lambda state: render_browser_section(state.tabs),
}
SECTIONS: Mapping[str, Callable[[WorkflowState], Section | None]] = MappingProxyType(
    {**_ALWAYS, "summary": lambda state: render_summary_section(state.summary)}
)
# Which section a tool returns that is called without arguments.
PULLED: Mapping[str, str] = MappingProxyType(
    {
        "get_workflow_description": "description",
        "get_current_plan": "plan",
        "get_workflow_nodes": "workflow",
        "get_workflow_variables": "variables",
        "get_browser_state": "browser",
    }
)

# The tools whose whole answer is a section: what else a tool gives must not look like one.
SECTION_TOOLS = frozenset({*PULLED, "get_workflow_variable"})


def render_section_text(name: str, state: WorkflowState) -> Section | None:
    """A section of the state; None if there is nothing to show."""
    return SECTIONS[name](state)


def render_tool_result(tool: str, state: WorkflowState) -> Section:
    """What a tool of `PULLED` returns: the section as it would be pushed."""
    return _ALWAYS[PULLED[tool]](state)


# Names of one release ago; they go with the next.
pulled = render_tool_result
section = render_section_text
