"""Director: a context engine for anyone's agent.

Fits any history into a budget, keeps what the next step needs, and never loses what was said.
"""

from typing import TYPE_CHECKING

from director.api import Fitted, fit_messages, summarise
from director.context.checkpoint import Phases, checkpoint
from director.context.compaction import Compactor
from director.context.fold import fold
from director.context.importance import PruningRules
from director.context.presets import Options, adaptive, hybrid
from director.context.prune import prune
from director.context.report import Kind, Loss, Report
from director.context.shrink import shrink
from director.context.strategy import Strategy, chain, until_fits
from director.context.truncate import truncate
from director.context.values import (
    AgentTurn,
    Budget,
    Call,
    Context,
    Counter,
    Fold,
    Prices,
    Section,
    Summary,
    UserTurn,
)
from director.context.window import sliding_window
from director.counting import chars4, counter_for
from director.manager import ContextConfig, ContextManager
from director.metrics import ContextMetrics
from director.middleware.clients import wrap

# The name of one release ago.
Sticky = Compactor

if TYPE_CHECKING:
    from director.fresh_context import fresh

__all__ = [
    "AgentTurn",
    "Budget",
    "Call",
    "Compactor",
    "Context",
    "ContextConfig",
    "ContextManager",
    "ContextMetrics",
    "Counter",
    "Fitted",
    "Fold",
    "Kind",
    "Loss",
    "Options",
    "Phases",
    "Prices",
    "PruningRules",
    "Report",
    "Section",
    "Sticky",
    "Strategy",
    "Summary",
    "UserTurn",
    "adaptive",
    "chain",
    "chars4",
    "checkpoint",
    "counter_for",
    "fit_messages",
    "fold",
    "fresh",
    "hybrid",
    "prune",
    "shrink",
    "sliding_window",
    "summarise",
    "truncate",
    "until_fits",
    "wrap",
]


def __getattr__(name: str) -> object:
    """`director.fresh`, read when it is first asked for: few programs need it."""
    if name != "fresh":
        raise AttributeError(f"module 'director' has no attribute {name!r}")
    from director.fresh_context import fresh  # noqa: PLC0415  see above

    return fresh
