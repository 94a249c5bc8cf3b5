"""What `director double` prints: where it listens, a line for each request, and the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from director.testing.double.double import Double
    from director.testing.double.provider_profiles import ServerProfile
    from director.testing.double.world import Exchange

_CHAINS = {
    "kept": "remembers responses",
    "zdr": "refuses chaining: zero data retention",
    "missing": "never finds a previous response",
    "ignored": "silently ignores previous responses",
    "refused": "refuses chaining as not supported",
}
_BACKGROUND = {
    "real": "",
    "needs_store": "background only with store",
    "echoed": "says background and does it at once",
    "refused": "no background",
}
_APIS = {"responses": "Responses", "chat": "Chat Completions", "anthropic": "Messages"}


def about(profile: ServerProfile) -> str:
    """What a profile is, in one line."""
    apis = ", ".join(_APIS[api] for api in profile.apis)
    told = [apis]
    if "responses" in profile.apis:
        told += [_CHAINS[profile.chain], _BACKGROUND[profile.background]]
    if not profile.pairing:
        told.append("takes calls without results")
    if not profile.strict:
        told.append("takes unknown fields and models")
    if not profile.keys:
        told.append("asks for no key")
    return "; ".join(part for part in told if part)


def profiles(known: Mapping[str, ServerProfile]) -> None:
    """Print whom the double can play."""
    console = _console()
    for name, profile in known.items():
        console.print(Text.assemble((f"{name:<12}", "bold"), about(profile)), soft_wrap=True)


def _console() -> Console:
    return Console(highlight=False, markup=False)


class ExchangePrinter:
    """Prints what happens at one double, each exchange once."""

    def __init__(self, double: Double) -> None:
        self._double = double
        self._console = _console()
        self._printed: dict[int, Exchange] = {}

    def begin(self, key: str) -> None:
        """Say where it listens and how a client finds it."""
        profile = self._double.world.profile
        self._say((f"{profile.name} ", "bold"), f"({about(profile)})")
        if {"responses", "chat"} & set(profile.apis):
            self._say(f"export OPENAI_BASE_URL={self._double.openai_url}")
            self._say(f"export OPENAI_API_KEY={key}")
        if "anthropic" in profile.apis:
            self._say(f"export ANTHROPIC_BASE_URL={self._double.anthropic_url}")
            self._say(f"export ANTHROPIC_API_KEY={key}")
        self._say((f"Control: {self._double.url}/__double/  Stop: Ctrl-C", "dim"))

    def print_new(self, *, ended: bool = False) -> None:
        """Print the exchanges that were finished since the last time; at the end, all."""
        for exchange in list(self._double.exchanges):
            number = exchange.asked.number
            # After a reset the numbers begin again, with other exchanges.
            if self._printed.get(number) is not exchange and (exchange.finished or ended):
                self._printed[number] = exchange
                self._print(exchange)

    def end(self) -> bool:
        """Print what is left, the books and the verdict; say whether the client was clean."""
        self.print_new(ended=True)
        self._say()
        self._totals()
        for fault in self._double.pending_faults:
            self._say((f"The fault {fault.kind} never struck.", "yellow"))
        findings = self._double.verdict()
        mistakes = [*self._double.defects, *findings]
        if not mistakes and not self._double.failures:
            self._say(("The client made no mistake.", "green"))
        for mistake in mistakes:
            self._say((f"{mistake}", "red"))
        for failure in self._double.failures:
            self._say((f"The script failed: {failure}", "red"))
        return not mistakes and not self._double.failures

    def _print(self, exchange: Exchange) -> None:
        asked, answer = exchange.asked, exchange.answer
        status = str(answer.status) if answer else "---"
        good = answer is not None and answer.status < 400
        parts: list[str | tuple[str, str]] = [
            (status, "green" if good else "yellow"),
            f" {asked.method:<6} {asked.path}",
            (self._tokens(asked.number), "dim"),
        ]
        if exchange.struck:
            parts.append((f"  fault: {', '.join(exchange.struck)}", "yellow"))
        if exchange.rule:
            style = "bold red" if exchange.defect or exchange.rule == "failure" else "yellow"
            parts.append((f"  {exchange.rule}: {_message(exchange)}", style))
        elif not exchange.finished:
            parts.append(("  not finished", "yellow"))
        self._say(*parts)

    def _tokens(self, number: int) -> str:
        lines = [line for line in self._double.ledger.lines if line.exchange == number]
        taken = sum(line.uncached + line.read + sum(line.writes.values()) for line in lines)
        return f"  {taken} in, {sum(line.output for line in lines)} out" if lines else ""

    def _totals(self) -> None:
        lines = self._double.ledger.lines
        costs = [line.cost for line in lines if line.cost is not None]
        taken = sum(line.uncached + line.read + sum(line.writes.values()) for line in lines)
        read = sum(line.read for line in lines)
        made = sum(line.output for line in lines)
        cost = f", ${sum(costs, Decimal(0)):.4f}" if costs and len(costs) == len(lines) else ""
        self._say(
            f"{len(self._double.exchanges)} requests, {len(lines)} answers: "
            f"{taken} tokens in ({read} from cache), {made} out{cost}"
        )

    def _say(self, *parts: str | tuple[str, str]) -> None:
        self._console.print(Text.assemble(*parts), soft_wrap=True)


def _message(exchange: Exchange) -> str:
    """The words of a refusal."""
    error = exchange.answer.body.get("error") if exchange.answer else None
    message = error.get("message") if isinstance(error, Mapping) else None
    return str(message or "refused")
