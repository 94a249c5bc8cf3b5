"""Wires: the message formats of providers, read into turns and written back without loss.

A history that nothing edited comes back as the very objects it was; one that a provider would
refuse comes back repaired, and every repair is reported. Never imports a provider's library.
"""

from __future__ import annotations

from director.context.wire.detect import detect, find_certain_wire
from director.context.wire.emitter import bare, emit
from director.context.wire.oracle import problems
from director.context.wire.parse_events import WIRES, Parsed, Repair, Wire
from director.context.wire.parser import Parser, parse

__all__ = [
    "WIRES",
    "Parsed",
    "Parser",
    "Repair",
    "Wire",
    "bare",
    "detect",
    "emit",
    "find_certain_wire",
    "parse",
    "problems",
]
