"""What a recorded session cost, by the usage that the provider reported, and for what."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from director.audit.recorded_session import RecordedCall, RecordedSession
from director.models.prices import compute_price
from director.models.values import Usage

_SELLERS = {"Claude Code": "anthropic", "Codex": "openai"}


@dataclass(frozen=True, slots=True)
class SessionCosts:
    """Dollars, by what they paid for. `unknown` says why there are none.

    `cached` is what was sent before and came from the cache; `again` what was sent before and had
    to be billed anew, since the prefix had changed or the cache had ended.
    """

    new: Decimal = Decimal(0)
    cached: Decimal = Decimal(0)
    again: Decimal = Decimal(0)
    output: Decimal = Decimal(0)
    unknown: str = ""

    @property
    def total(self) -> Decimal:
        """All of it."""
        return self.new + self.cached + self.again + self.output


def compute_session_costs(session: RecordedSession) -> SessionCosts:
    """The costs of all calls; unknown as soon as one of them is."""
    sums = dict.fromkeys(("new", "cached", "again", "output"), Decimal(0))
    before = 0
    for call in session.calls:
        if call.usage is None:
            return SessionCosts(unknown="the file does not say how many tokens each call took")
        for part, usage in _split_usage(call.usage, before).items():
            price, why = _price(session.client, call, usage)
            if price is None:
                return SessionCosts(unknown=why)
            sums[part] += price
        before = call.usage.input
    return SessionCosts(sums["new"], sums["cached"], sums["again"], sums["output"])


def _split_usage(usage: Usage, before: int) -> dict[str, Usage]:
    """The parts of a call: what is beyond the request before it is new."""
    billed = usage.input - usage.read
    again = min(billed, max(0, before - usage.read))
    share = again / billed if billed else 0.0
    uncached = round(usage.uncached * share)
    writes = {life: round(size * share) for life, size in usage.writes.items()}
    rest = {life: size - writes[life] for life, size in usage.writes.items()}
    return {
        "new": Usage(usage.uncached - uncached, writes=rest),
        "cached": Usage(read=usage.read),
        "again": Usage(uncached, writes=writes),
        "output": Usage(output=usage.output),
    }


def _price(client: str, call: RecordedCall, usage: Usage) -> tuple[Decimal | None, str]:
    seller = "anthropic" if call.model.startswith("claude") else _SELLERS.get(client, "openai")
    price, why = compute_price(seller, call.model, usage, at=call.time or None)
    return price, why or ""
