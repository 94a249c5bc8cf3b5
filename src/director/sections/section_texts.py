"""All sections by name, and the tools that pull the same text: what is pushed is what is pulled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from director.context.values import Section
from director.sections.browser import render_browser_section
from director.sections.description import render_description_section
from director.sections.plan import render_plan_section
from director.sections.summary import render_summary_section
from director.sections.system import render_system_section
from director.sections.variables import list_state_variables
from director.sections.workflow import render_workflow_section
from director.sections.workflow_state import WorkflowState

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
