"""What the distribution is called and how it is installed: the one place that says it.

`director` is the name of the import and of the command; on package indexes that name is another
project's, so nothing here may ever tell a user to install it.
"""

from __future__ import annotations

NAME = "director-engine"
PUBLISHED: bool = False


def install_line(extra: str = "") -> str:
    """The line that installs Director with an extra, as it works today."""
    wanted = f"[{extra}]" if extra else ""
    if PUBLISHED:
        return f"pip install '{NAME}{wanted}'"
    return f"pip install '.{wanted}' in a checkout of Director"
