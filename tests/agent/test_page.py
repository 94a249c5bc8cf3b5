"""The page on Director: its tables are the registry, its example runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from director.agent.permissions.tool_policy import POLICIES
from director.agent.subagents.scouts import MOST, SCOUT_TOOLS
from director.agent.tools import REGISTRY
from director.agent.turn import Ended

PAGE = Path(__file__).parents[2] / "docs" / "director.md"


def test_the_tables_name_every_tool_policy_and_end() -> None:
    """In their order, with the policy and the trust that they have."""
    text = PAGE.read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| (\w+) \|$", text, re.MULTILINE)
    assert rows == [(one.name, one.policy, one.trust) for one in REGISTRY.values()]
    for policy in POLICIES:
        assert re.search(rf"^\| {policy} \| ", text, re.MULTILINE)
    ends = [name for part in get_args(Ended) for name in (get_args(part) or (part,))]
    assert [end for end in ends if f"`{end}`" not in text] == []
    assert [tool for tool in SCOUT_TOOLS if f"`{tool}`" not in text] == []
    assert MOST == 12


def test_the_example_of_the_page_runs() -> None:
    """As it stands."""
    (block,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    exec(compile(block, str(PAGE), "exec"), {})  # noqa: S102  the page's own words
