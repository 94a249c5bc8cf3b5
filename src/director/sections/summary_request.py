"""What the model that writes a summary is asked: the rules, the state, and the conversation.

The conversation itself is written by the engine; here it gets what is needed to understand it.
Pure: who is asked, and whether the answer is any good, is decided elsewhere.
"""

from __future__ import annotations

from director.context.sizes import section_size
from director.context.summary_prompt import request
from director.context.values import Context, Counter, Fold, Section, UserTurn
from director.sections.boundary import NAMES, guard_boundary, wrap_section
from director.sections.section_texts import read_system_prompt, render_section_text
from director.sections.workflow_state import WorkflowState

BESIDE = ("description", "plan", "workflow", "variables", "browser")


def make_summary_request_sections(state: WorkflowState, tokens: int) -> tuple[Section, ...]:
    """The rules for a summary of so many tokens, the system prompt, and the state as it is now."""
    rules = guard_boundary(read_system_prompt("compress").replace("{tokens}", f"{tokens:,}"))
    beside = (render_section_text(name, state) for name in BESIDE)
    return (
        Section("compress", rules),
        wrap_section("system", read_system_prompt("system"), "system"),
        *(one for one in beside if one is not None),
    )


def make_summary_request(
    state: WorkflowState, fold: Fold, *, tokens: int, counter: Counter, room: int
) -> Context:
    """The whole request for a summary of folded turns, which fits into the room."""
    sections = make_summary_request_sections(state, tokens)
    left = room - sum(section_size(one, counter) for one in sections) - counter.per_message
    asked = request(fold, tokens, counter, max(0, left), NAMES)
    return Context(sections, (UserTurn(1, asked),))
