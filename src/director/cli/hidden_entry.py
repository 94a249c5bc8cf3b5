"""What a person types without anybody seeing it, or pipes in."""

from __future__ import annotations

import getpass
import sys

from director.cli.chat_input import read_line


def read_hidden(prompt: str) -> str:
    """One line, without its end; empty if nothing was typed, or there is nobody to ask."""
    if sys.stdin.isatty():
        try:
            return getpass.getpass(prompt)
        except (EOFError, KeyboardInterrupt):
            return ""
    return read_line().rstrip("\r\n")
