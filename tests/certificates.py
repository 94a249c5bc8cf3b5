"""Which certificates the tests trust: one, of nobody.

Each client of HTTP reads those that it trusts when it is made. Those of a system are more than a
hundred, and no test talks to anybody who has one.
"""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "SSL_CERT_FILE"
NOBODY = str(Path(__file__).parent / "data" / "nobody.pem")
_OUTSIDE = "DIRECTOR_TESTS_FOUND_CERTIFICATES"  # workers of the tests inherit what was found


def trust_nobody() -> None:
    """Trust nobody from now on, here and in the programs that tests start."""
    if os.environ.get(VARIABLE) != NOBODY:
        os.environ.update({_OUTSIDE: os.environ.get(VARIABLE, ""), VARIABLE: NOBODY})


def outside_environment() -> dict[str, str]:
    """The environment as the tests found it, for a program that talks to registries."""
    left = {key: value for key, value in os.environ.items() if key not in (VARIABLE, _OUTSIDE)}
    found = os.environ.get(_OUTSIDE)
    return {**left, VARIABLE: found} if found else left
