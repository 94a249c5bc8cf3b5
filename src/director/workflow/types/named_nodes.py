"""How a config names other nodes, as far as it can be told without the workflow."""

from __future__ import annotations

from director.workflow.config_fields import (
    Check,
    check_text_field,
    make_either_field_check,
    make_list_field_check,
    make_whole_number_field_check,
)

_FORM = 'an alias, a position, a list of them, or a range such as "first..last" or "3-20"'


def check_named_nodes(*, least: int = 1) -> Check:
    """One node or several."""
    one = make_either_field_check(
        check_text_field,
        make_whole_number_field_check(1),
        otherwise="an alias or a position from 1",
    )
    return make_either_field_check(
        check_text_field,
        make_whole_number_field_check(1),
        make_list_field_check(one, least=least),
        otherwise=_FORM,
    )
