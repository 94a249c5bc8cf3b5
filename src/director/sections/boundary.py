"""The boundary of a section: a line that opens it and a line that closes it.

No content can forge one. What looks like a boundary in a content, to a program or to a reader, is
given a backslash, and loses it again when it is read back: nothing else is changed.
"""

from __future__ import annotations

import re

from director.context import boundary_escapes
from director.context.values import Section, Trust

NAMES = ("system", "description", "plan", "workflow", "variables", "browser", "summary")

_OPENING = re.compile(rf"^<({'|'.join(NAMES)})( trust=web)?>\n", re.MULTILINE)


def wrap_section(name: str, text: str, trust: Trust) -> Section:
    """A section with its boundary; what holds words of the web says so."""
    label = " trust=web" if trust == "web" else ""
    shown = f"<{name}{label}>\n{guard_boundary(text)}\n</{name}>"
    return Section(name, shown, trust, stable=name in ("system", "description", "summary"))


def guard_boundary(text: str) -> str:
    """The text with a backslash in everything that looks like the boundary of a section."""
    return boundary_escapes.escape_boundaries(text, NAMES)


def unguard_boundary(text: str) -> str:
    """The text as it was before it was guarded."""
    return boundary_escapes.unescape_boundaries(text, NAMES)


def read_sections(text: str) -> list[Section]:
    """The sections of the instructions of a request; ValueError if the text is not such.

    What stands ahead of the first boundary is the system section, which has none of its own.
    """
    first = _OPENING.search(text)
    start = first.start() if first else len(text)
    ahead = text[:start].removesuffix("\n\n") if first else text
    found = [Section("system", unguard_boundary(ahead))] if start else []
    for opening, inside in boundary_escapes.split_bounded(text, _OPENING, start):
        trust: Trust = "web" if opening[2] else "agent"
        found.append(Section(opening[1], unguard_boundary(inside), trust))
    return found


# Names of one release ago; they go with the next.
guarded = guard_boundary
unguarded = unguard_boundary
