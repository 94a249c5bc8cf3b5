"""What a person sees of a turn in the terminal, as it happens: words as they come, a line per call.

Into a file or a pipe the same lines go without colours. It only prints; it decides nothing.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterable
from decimal import Decimal

from rich.console import Console
from rich.text import Text

from director.agent import TurnProgress, TurnResult
from director.cli.chat_text import (
    RUNS_NODES,
    about,
    context_line,
    list_doubts,
    outcome,
    plan_changes,
    render_spent,
)
from director.runs.run_text import write_seconds_text
from director.store import Versioned

_WORDS = re.compile(r"\n|[^\s]+|[^\S\n]+")
_PIPED = 100  # columns, where there is no terminal
_WIDE = 100
_ABOUT = 20  # columns for what a call is about, on a narrow screen


class Flow:
    """Text that arrives in pieces, broken between words; `pace` is seconds for each word."""

    def __init__(self, console: Console, width: int, pace: float = 0.0) -> None:
        self._console = console
        self._width = width
        self._pace = pace
        self._column = 0
        self._space = ""

    @property
    def has_open_line(self) -> bool:
        """Whether a line is not ended yet."""
        return self._column > 0

    def feed(self, text: str, style: str = "") -> None:
        """Print a piece."""
        for word in _WORDS.findall(text):
            self._put(word, style)

    def end(self) -> None:
        """End the line, if one is begun."""
        if self.has_open_line:
            self._put("\n", "")

    def _put(self, word: str, style: str) -> None:
        if word.isspace() and word != "\n":
            self._space = word
            return
        if word == "\n" or self._column + len(self._space) + len(word) > self._width:
            self._console.file.write("\n" if word == "\n" or self._column else "")
            self._column, self._space = 0, ""
        if word == "\n":
            return
        whole = self._space + word
        self._console.print(Text(whole, style), end="", soft_wrap=True)
        self._column, self._space = self._column + len(whole), ""
        self._console.file.flush()
        time.sleep(self._pace)


class ChatScreen:
    """Prints turns. One for a whole conversation."""

    def __init__(self, *, pace: float = 0.0) -> None:
        plain = "NO_COLOR" in os.environ
        self.console = Console(
            highlight=False, markup=False, emoji=False, color_system=None if plain else "auto"
        )
        terminal = self.console.is_terminal
        self.width = min(self.console.width, 120) if terminal else _PIPED
        self.pace = pace if terminal else 0.0
        self._flow = Flow(self.console, self.width, self.pace)
        self._began: dict[str, float] = {}
        self._args: dict[str, str] = {}
        self._thinking = False

    def say(self, text: str, style: str = "") -> None:
        """Print lines, broken between words."""
        self._flow.end()
        self._flow.feed(text, style)
        self._flow.end()

    def line(self, text: str | Text, style: str = "") -> None:
        """Print one line, cut where the screen ends."""
        self._flow.end()
        told = Text(text, style) if isinstance(text, str) else text
        told.truncate(self.width, overflow="ellipsis")
        self.console.print(told, soft_wrap=True)

    def lines(self, texts: Iterable[str], style: str = "") -> None:
        """Print lines as they are, each cut where the screen ends."""
        for text in texts:
            self.line(text, style)

    def prompt(self, text: str) -> str:
        """What stands before the cursor, marked so that a line can be edited behind it."""
        coloured = self.console.is_terminal and self.console.color_system is not None
        edits = "readline" in sys.modules
        return f"\001\x1b[1;36m\002{text}\001\x1b[0m\002" if coloured and edits else text

    def show_user_text(self, text: str) -> None:
        """What the user said, where a program said it."""
        self._flow.end()
        self._flow.feed("you  ", "bold cyan")
        self._flow.feed(text, "cyan")
        self._flow.end()

    def progress(self, told: TurnProgress) -> None:
        """Show what just happened."""
        match told.what:
            case "thinking":
                self._thinking = True
                self._flow.feed(told.text, "dim italic")
            case "text":
                if self._thinking:
                    self._thinking = False
                    self._flow.end()
                self._flow.feed(told.text)
            case "background":
                self.say(f"The model works in the background. {told.text}", "dim")
            case "again":
                self.say(f"The answer begins anew: {told.text}", "yellow")
            case "answered":
                self._thinking = False
                self._flow.end()
            case "calling":
                self._began[told.call] = time.monotonic()
                self._args[told.call] = told.text
            case "called":
                self._show_call(told)
            case "compressed":
                self.say(told.text or "Older messages were compressed.", "magenta")

    def _show_call(self, told: TurnProgress) -> None:
        took = time.monotonic() - self._began.pop(told.call, time.monotonic())
        word, colour = ("failed", "red") if told.failed else ("ok", "green")
        if not told.failed and told.tool in RUNS_NODES and list_doubts(told.text):
            word, colour = "doubt", "yellow"
        named = about(self._args.pop(told.call, ""))
        room = _ABOUT if self.width < _WIDE else 2 * _ABOUT
        short = f"{named[: room - 1]}…" if len(named) > room else named
        shown = Text.assemble(
            (f"  {word:<7}", colour),
            told.tool,
            (f" {short}" if short else "", "bold"),
            (f"  {told.source}" if told.source else "", "yellow"),
            (f"  {write_seconds_text(took)}  ", "dim"),
            (outcome(told.tool, told.text, failed=told.failed), "dim" if word == "ok" else colour),
        )
        self.line(shown)
        if told.tool == "update_plan" and not told.failed:
            self.lines((f"          {one}" for one in plan_changes(told.text)), "dim")

    def show_turn_end(
        self, turn: TurnResult, request: Versioned | None, *, compress_at: int
    ) -> None:
        """What a turn took, and what the last request was made of."""
        self._flow.end()
        if turn.ended not in ("said", "asked"):
            self.say(turn.text, "yellow")
        body = request.body if request else {}
        scripted = str(body.get("model", "")).startswith("scripted:")
        priced = turn.spent.money > Decimal(0) or body.get("cost") is not None
        spent = turn.spent
        self.line(
            render_spent(spent.rounds, spent.tokens, spent.money, priced=priced, scripted=scripted),
            "dim",
        )
        if body:
            self.line(context_line(body, at=compress_at, width=self.width), "dim")
