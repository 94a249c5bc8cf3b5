"""The machine: a whole run from states, found again from the context alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from director.models.script_engines.load import load_script_engine, load_script_engine_text
from director.models.script_engines.machine import Machine, Move, State
from director.models.script_engines.matching import When
from director.models.script_values import Ask, Say, ScriptError, Seen, Shown

SCRIPTS = Path(__file__).parent.parent.parent / "docs" / "scripts"


def _run(machine: Machine, results: list[str]) -> list[str]:
    """The states that a run goes through, each call answered with the next result."""
    items: list[Shown] = [Shown("user", "build the login step")]
    names = []
    for result in [*results, None]:
        seen = Seen("responses", "m", items=tuple(items))
        names.append(machine.state(seen))
        (said,) = machine(seen)
        if result is None or not isinstance(said, Ask):
            return names
        items += [Shown("call", said.args, said.tool, "c"), Shown("result", result, said.tool, "c")]
    return names


def _shipped() -> Machine:
    brain = load_script_engine(SCRIPTS / "build.json")
    assert isinstance(brain, Machine)
    return brain


def test_a_run_goes_through_its_states() -> None:
    """Scout, build, try, report: each result leads on."""
    assert _run(_shipped(), ["<main>", "node 1", "ok"]) == ["scout", "build", "try", "report"]


def test_a_result_decides_where_it_goes() -> None:
    """A failed try leads back to the start of the work."""
    results = ["<main>", "node 1", "Error: not found", "<main>", "node 2", "clicked"]
    went = ["scout", "build", "try", "scout", "build", "try", "report"]
    assert _run(_shipped(), results) == went


def test_a_state_can_say_what_it_was_last_shown() -> None:
    """{last} is filled in a state too."""
    machine = Machine("a", {"a": State((Say("got {last}"),))})
    assert machine(Seen("chat", "m", items=(Shown("user", "this"),))) == (Say("got this"),)


def test_the_same_context_gives_the_same_state_in_a_new_machine() -> None:
    """Nothing is remembered between requests."""
    items = (Shown("user", "go"), Shown("call", "{}", "get_dom", "c"), Shown("result", "x"))
    seen = Seen("chat", "m", items=items)
    assert _shipped()(seen) == _shipped()(seen)
    assert _shipped().state(seen) == "build"


def test_parallel_calls_and_their_results_are_one_turn() -> None:
    """Two calls at once move one state, not two."""
    items = (
        Shown("user", "go"),
        Shown("thinking", "hm"),
        Shown("call", "{}", "get_dom", "c1"),
        Shown("call", "{}", "get_dom", "c2"),
        Shown("result", "x", "get_dom", "c1"),
        Shown("result", "y", "get_dom", "c2"),
    )
    assert _shipped().state(Seen("chat", "m", items=items)) == "build"


def test_a_shortened_history_goes_on_from_the_state_it_names() -> None:
    """After a compaction the walk starts at state=NAME, not from the beginning."""
    items = (
        Shown("agent", "old"),
        Shown("compaction", "Logged in. state=try"),
        Shown("user", "go on"),
    )
    assert _shipped().state(Seen("chat", "m", items=items)) == "try"
    more = (*items, Shown("call", "{}", "execute", "c"), Shown("result", "fine", "execute", "c"))
    assert _shipped().state(Seen("chat", "m", items=more)) == "report"


def test_a_name_that_is_no_state_does_not_move_the_start() -> None:
    """Only the machine's own states count."""
    items = (Shown("user", "state=Bavaria"),)
    assert _shipped().state(Seen("chat", "m", items=items)) == "scout"


def test_a_state_that_leads_nowhere_says_so() -> None:
    """Being asked on after the last state is an error of the script."""
    machine = Machine("a", {"a": State((Say("end"),), (Move("a", When(text="again")),))})
    items = (Shown("user", "go"), Shown("agent", "end"), Shown("user", "and now?"))
    with pytest.raises(ScriptError, match=r'state "a" leads nowhere from turn 1.*and now'):
        machine(Seen("chat", "m", items=items))


def test_a_move_to_no_state_is_refused() -> None:
    """A machine is checked when it is made."""
    with pytest.raises(ScriptError, match='move 1: there is no state "b"'):
        Machine("a", {"a": State((), (Move("b"),))})


def test_the_start_may_depend_on_what_is_asked_first() -> None:
    """One script plays several parts; what is said later does not change which."""
    states = {"a": State((Say("A"),), (Move("a"),)), "b": State((Say("B"),), (Move("b"),))}
    machine = Machine([Move("b", When(offers="report")), Move("a")], states)
    assert machine(Seen("chat", "m", items=(Shown("user", "go"),))) == (Say("A"),)
    items = (Shown("user", "go"), Shown("agent", "B"), Shown("user", "on"))
    assert machine(Seen("chat", "m", tools=("report",), items=items)) == (Say("B"),)
    with pytest.raises(ScriptError, match="no start fits"):
        Machine([Move("a", When(text="never"))], states)(Seen("chat", "m"))


def test_a_state_that_the_instructions_name_is_gone_on_from() -> None:
    """A summary may stand there instead of in the history."""
    seen = Seen("chat", "m", instructions="So far: state=try", items=(Shown("user", "go on"),))
    assert _shipped().state(seen) == "try"


def test_what_it_knows_is_looked_up_in_what_it_sees() -> None:
    """The newest counts; a name that it does not know stays as it is."""
    machine = Machine(
        "a", {"a": State((Say("at {site}, not {other}"),))}, knows={"site": r"(https?://\S+)"}
    )
    items = (Shown("user", "http://old"), Shown("result", "http://a then http://b"))
    assert machine(Seen("chat", "m", items=items)) == (Say("at http://b, not {other}"),)
    assert machine(Seen("chat", "m", instructions="http://c")) == (Say("at http://c, not {other}"),)


def test_messages_that_are_no_part_of_the_conversation_are_passed_over() -> None:
    """The state of the work may stand behind what was said; it is not an answer."""
    machine = Machine(
        "a",
        {"a": State((Say("A"),), (Move("b", When(text="found")),)), "b": State((Say("{last}"),))},
        skip="^<plan>",
    )
    items = (
        *(Shown("user", "go"), Shown("call", "{}", "look", "c1")),
        *(Shown("result", "found it", call="c1"), Shown("user", "<plan>\nnothing\n</plan>")),
    )
    assert machine(Seen("chat", "m", items=items)) == (Say("found it"),)


def test_a_pattern_that_is_none_is_named() -> None:
    """A script is read strictly."""
    text = '{"brain": "machine", "start": "a", "skip": "(", "states": {"a": {"do": "A"}}}'
    with pytest.raises(ScriptError, match="not a regular expression"):
        load_script_engine_text(text)
