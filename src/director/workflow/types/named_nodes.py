"""How a config names other nodes, as far as it can be told without the workflow."""

from __future__ import annotations

from director.workflow.config_fields import Check, either, list_of, text, whole

_FORM = 'an alias, a position, a list of them, or a range such as "first..last" or "3-20"'


def nodes(*, least: int = 1) -> Check:
    """One node or several."""
    one = either(text, whole(1), otherwise="an alias or a position from 1")
    return either(text, whole(1), list_of(one, least=least), otherwise=_FORM)
