"""Brains: what a scripted model says, decided without a model.

Each is a function of what it is shown; shown the same again, it says the same again.
"""

from director.models.script_engines.adversary import Adversary
from director.models.script_engines.load import load_script_engine, load_script_engine_text
from director.models.script_engines.machine import Machine, Move, State
from director.models.script_engines.matching import When
from director.models.script_engines.mind import Mind, PlannedCall, score_facts
from director.models.script_engines.rules import Rule, Rules
from director.models.script_engines.summariser import Summariser
from director.models.script_engines.tape import Tape

__all__ = [
    "Adversary",
    "Machine",
    "Mind",
    "Move",
    "PlannedCall",
    "Rule",
    "Rules",
    "State",
    "Summariser",
    "Tape",
    "When",
    "load_script_engine",
    "load_script_engine_text",
    "score_facts",
]

# Names of one release ago; they go with the next.
score = score_facts
load = load_script_engine
read = load_script_engine_text
