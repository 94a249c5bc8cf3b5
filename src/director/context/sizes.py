"""How large things are, in the tokens of a budget's counter. Never changes anything."""

from __future__ import annotations

from director.context.memory import remember_latest
from director.context.notices import separate_parts
from director.context.values import AgentTurn, Call, Context, Counter, Section, Summary, Turn


def section_size(section: Section, counter: Counter) -> int:
    """Tokens of one section as a message."""
    return counter(section.text) + counter.per_message


def result_size(call: Call, counter: Counter) -> int:
    """Tokens of one result as a message."""
    return counter(call.result) + counter.per_message + call.images * counter.per_image


def turn_size(turn: Turn, counter: Counter) -> int:
    """Tokens of one turn with all its calls and results.

    What an agent says and calls is one message, and counted as one: a count of each part would
    be rounded each time, and their sum be off.
    """
    count = counter.count  # asked for each turn of a history at each compaction: no call between
    if not isinstance(turn, AgentTurn):
        return count(turn.text) + counter.per_message + turn.images * counter.per_image
    if not turn.calls and not turn.thinking:
        return count(turn.text) + counter.per_message
    said = "".join([turn.text, *(f"\n{call.tool} {call.args}" for call in turn.calls)])
    return (
        count(said)
        + counter.per_message
        + sum(counter.per_call + result_size(call, counter) for call in turn.calls)
        + sum(counter(str(block)) for block in turn.thinking)
    )


def summary_size(summary: Summary | None, counter: Counter) -> int:
    """Tokens of a summary, each part of it a message; none for no summary."""
    if summary is None:
        return 0
    return sum(counter(part) + counter.per_message for _, part in separate_parts(summary.text))


def head_size(context: Context, counter: Counter) -> int:
    """Tokens of what always stays: what is pinned, and the request that the run begins with."""
    users = (turn for turn in context.turns if not isinstance(turn, AgentTurn))
    sections = (section for section in context.sections if section.pinned)
    return sum(section_size(section, counter) for section in sections) + sum(
        turn_size(turn, counter) for turn in users if turn.pinned or turn.request
    )


@remember_latest
def context_size(context: Context, counter: Counter) -> int:
    """Tokens of a whole context."""
    return (
        sum(section_size(section, counter) for section in context.sections)
        + summary_size(context.summary, counter)
        + sum(turn_size(turn, counter) for turn in context.turns)
    )
