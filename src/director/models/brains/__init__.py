"""Brains: what a scripted model says, decided without a model.

Each is a function of what it is shown; shown the same again, it says the same again.
"""

from director.models.brains.adversary import Adversary
from director.models.brains.load import load, read
from director.models.brains.machine import Machine, Move, State
from director.models.brains.matching import When
from director.models.brains.mind import Mind, PlannedCall, score
from director.models.brains.rules import Rule, Rules
from director.models.brains.summariser import Summariser
from director.models.brains.tape import Tape

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
    "load",
    "read",
    "score",
]
