"""A script engine of rules: the first whose condition is met says what is said.

There is no silent default: a context that no rule fits is an error of the script.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from director.models.script_engines.context_turns import list_context_turns
from director.models.script_engines.emits import read_step
from director.models.script_engines.matching import (
    ALWAYS,
    When,
    fill_matching_holes,
    find_matching_holes,
    read_matching_condition,
)
from director.models.script_engines.spot import Spot
from director.models.script_engines.tape import describe_tape_end
from director.models.script_values import Emit, ScriptError, Seen

FORM = '{"brain": "rules", "rules": [{"when": {"turn": 1}, "then": [{"say": "Hello"}]}]}'
_RULE = '{"when": {"last": "user", "text": "hi (.*)"}, "then": [{"say": "Hello {1}"}]}'


@dataclass(frozen=True, slots=True)
class Rule:
    """What to say when a condition is met; without one it always is."""

    then: tuple[Emit, ...]
    when: When = ALWAYS

    def __post_init__(self) -> None:
        known = {"last", "0", *(str(number) for number in range(1, self.when.groups() + 1))}
        unknown = next((hole for hole in find_matching_holes(self.then) if hole not in known), None)
        if unknown is not None:
            raise ScriptError(f"nothing fills {{{unknown}}}: the condition has no such group")


class Rules:
    """Rules in order of precedence."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = tuple(rules)

    def __call__(self, seen: Seen) -> Sequence[Emit]:
        """What the first rule that fits says."""
        for rule in self.rules:
            fillings = rule.when.match(seen)
            if fillings is not None:
                return fill_matching_holes(rule.then, fillings)
        turn = len(list_context_turns(seen.items)) + 1
        raise ScriptError(
            f"none of the {len(self.rules)} rules fits turn {turn} ({seen.purpose}); "
            f"the last thing shown was {describe_tape_end(seen)}"
        )


def read_rules(spot: Spot) -> Rules:
    """The rules that a script file describes."""
    found = spot.fields(("brain", "about", "rules"), ("rules",), FORM)
    return Rules([_read_rule(each) for each in found["rules"].all("a list of rules")])


def _read_rule(spot: Spot) -> Rule:
    found = spot.fields(("when", "then"), ("then",), _RULE)
    when = read_matching_condition(found["when"]) if "when" in found else ALWAYS
    then = read_step(found["then"])
    try:
        return Rule(then, when)
    except ScriptError as error:
        raise spot.wrong(str(error)) from error
