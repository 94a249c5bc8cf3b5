"""For replaying recorded runs: a fresh instance for each run, called before every model call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from director.context.values import Budget, chars4
from director.manager import ContextConfig, ContextManager


def make(
    *, recall: bool = True, thrift: bool = False
) -> Callable[[list[object], int], list[object]]:
    """A function of the messages so far and a budget: strategy `hybrid`, counter `chars4`.

    `recall` says whether the model can open the references that notices name; with `thrift`
    results shrink on ingest.
    """
    managers: dict[int, ContextManager] = {}

    def manage(messages: list[object], budget: int) -> list[object]:
        if budget not in managers:
            # The measure counts a call as part of its message.
            counter = replace(chars4, per_call=0)
            config = ContextConfig(
                strategy="hybrid",
                budget=Budget(int(budget), counter=counter),
                recall=recall,
                thrift=thrift,
            )
            config.max_snapshot_depth = 12
            managers[budget] = ContextManager(config)
        return managers[budget].fit(messages).messages

    return manage
