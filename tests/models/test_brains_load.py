"""Script files: every brain can be read, and every mistake names its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from director.models.script_engines import adversary, machine, mind, rules, summariser, tape
from director.models.script_engines.load import READERS, load_script_engine, load_script_engine_text
from director.models.script_values import Ask, Compact, Say, ScriptError, Seen, Shown, Think

SCRIPTS = Path(__file__).parent.parent.parent / "docs" / "scripts"
KINDS = {
    "tape": tape.Tape,
    "rules": rules.Rules,
    "machine": machine.Machine,
    "mind": mind.Mind,
    "adversary": adversary.Adversary,
    "summariser": summariser.Summariser,
}
FORMS = (tape.FORM, rules.FORM, machine.FORM, mind.FORM, adversary.FORM, summariser.FORM)


@pytest.mark.parametrize("form", FORMS)
def test_the_forms_that_messages_show_are_right(form: str) -> None:
    """What an error message tells an author to write can be read, as the brain it names."""
    assert isinstance(load_script_engine_text(form), KINDS[json.loads(form)["brain"]])
    assert set(READERS) == set(KINDS)


@pytest.mark.parametrize("path", sorted(SCRIPTS.glob("*.json")), ids=lambda path: path.stem)
def test_every_shipped_script_can_be_read(path: Path) -> None:
    """The examples of the documentation work."""
    assert load_script_engine(path) is not None


def test_the_shipped_tape_plays() -> None:
    """A call, then an answer."""
    brain = load_script_engine(SCRIPTS / "hello.json")
    first = brain(Seen("chat", "m", items=(Shown("user", "Weather?"),)))
    assert first == (Think("I should look first."), Ask("get_weather", '{"city": "Berlin"}'))


def test_the_shipped_rules_play() -> None:
    """The city goes from the question into the call, the report into the answer."""
    brain = load_script_engine(SCRIPTS / "rules.json")
    ask = Shown("user", "How is the weather in Rome today?")
    seen = Seen("chat", "m", tools=("get_weather",), items=(ask,))
    assert brain(seen) == (Ask("get_weather", '{"city": "Rome"}'),)
    answered = (ask, Shown("call", "{}", "get_weather"), Shown("result", "sun", "get_weather"))
    assert brain(Seen("chat", "m", items=answered)) == (Say("The report says: sun"),)
    assert brain(Seen("chat", "m", items=(ask,))) == (Say(f"You said: {ask.text}"),)


def test_the_shipped_mind_forgets_by_compaction() -> None:
    """It works for its total, and a compaction that lost the order cannot bring it back."""
    brain = load_script_engine(SCRIPTS / "forgetful.json")
    order = Shown("user", "order=A-7")
    assert brain(Seen("chat", "m", items=(order,))) == (Ask("open_order", '{"id": "A-7"}'),)
    talk = (order, *(Shown("user", f"line {n}") for n in range(4)))
    (said,) = brain(Seen("responses", "m", items=talk, purpose="compact"))
    assert isinstance(said, Compact)
    assert "A-7" not in said.text


def test_a_bare_list_is_a_tape_and_a_step_may_be_one_emit() -> None:
    """The shortest script is a list of texts."""
    brain = load_script_engine_text('["one", {"say": "two"}, ["three"]]')
    assert isinstance(brain, tape.Tape)
    assert brain.steps == ((Say("one"),), (Say("two"),), (Say("three"),))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[\n  [{"say": "a"},]\n]', "s.json: line 2, column 17: this is not JSON"),
        ('{"steps": [], "steps": []}', 's.json: the key "steps" stands twice'),
        ("[" * 100_000, "s.json: is nested too deeply"),
        ("3", "s.json: top level: needs an object such as"),
        ("{}", 'top level: needs "brain"; the form is'),
        ('{"brain": "tapes"}', 'brain: there is no brain "tapes" \\(did you mean "tape"'),
        ('{"brain": 3}', "brain: needs a text, not a number"),
        ('{"brain": "tape"}', 'top level: needs "steps"; the form is'),
        ('{"brain": "tape", "step": []}', 'no key "step" here \\(did you mean "steps"'),
        ('{"steps": {}}', "steps: needs a list of steps, not an object"),
        ('{"steps": [], "per_run": 1}', "per_run: needs true or false, not a number"),
        ('[["a"], ["b"], [{"sya": "c"}]]', r"steps\[2\]\[0\]: .*did you mean \"say\""),
        (
            '{"brain": "rules", "rules": [{"when": {"last": "uses"}, "then": []}]}',
            r"rules\[0\].when.last: .*did you mean \"user\"",
        ),
        (
            '{"brain": "rules", "rules": [{"when": {"turn": 0}, "then": []}]}',
            r"when.turn: .*at least 1",
        ),
        (
            '{"brain": "rules", "rules": [{"when": {"turn": 1.5}, "then": []}]}',
            "whole number, not 1.5",
        ),
        (
            '{"brain": "rules", "rules": [{"when": {"text": "("}, "then": []}]}',
            r"rules\[0\].when: .*not a regular expression",
        ),
        ('{"brain": "rules", "rules": [{"then": ["{1}"]}]}', r"rules\[0\]: nothing fills \{1\}"),
        ('{"brain": "rules", "rules": [{"when": {"purpose": "x"}, "then": []}]}', "no purpose"),
        ('{"brain": "rules", "rules": [{"when": {}}]}', r'rules\[0\]: needs "then"'),
        (
            '{"brain": "machine", "start": "b", "states": {"a": {"do": []}}}',
            'start: there is no state "b"',
        ),
        (
            '{"brain": "machine", "start": "a", "states": {"a": {"do": [], "next": "c"}}}',
            "states.a.next: there is no state",
        ),
        (
            '{"brain": "machine", "start": "a", "states": {"a": {"do": [], "next": 3}}}',
            "a list of moves",
        ),
        (
            '{"brain": "machine", "start": "a", "states": {"a": {"do": ["{1}"]}}}',
            r"states.a.do: nothing fills",
        ),
        ('{"brain": "mind", "do": [{"call": "f", "args": 3}]}', r"do\[0\].args: needs an object"),
        ('{"brain": "mind", "do": [{"say": "f"}]}', r'do\[0\]: there is no key "say"'),
        ('{"brain": "adversary", "does": ["malformed"]}', r"does\[0\]: there is no misbehaviour"),
        ('{"brain": "summariser"}', 'needs "then"'),
        (
            '{"brain": "summariser", "then": {"brain": "mind"}, "loss": "all"}',
            'loss: there is no loss "all"',
        ),
        ('{"brain": "summariser", "then": [[{"sy": ""}]]}', r"then.steps\[0\]\[0\]"),
    ],
)
def test_a_mistake_names_its_place_and_the_right_form(text: str, message: str) -> None:
    """Nothing wrong in a script passes, and nobody has to guess where it is."""
    with pytest.raises(ScriptError, match=message):
        load_script_engine_text(text, "s.json")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """Missing files and other encodings are errors of the script too."""
    with pytest.raises(ScriptError, match=r"none\.json: cannot be read: No such file"):
        load_script_engine(tmp_path / "none.json")
    (tmp_path / "latin.json").write_bytes(b'["\xe4"]')
    with pytest.raises(ScriptError, match=r"latin\.json: is not UTF-8"):
        load_script_engine(tmp_path / "latin.json")
