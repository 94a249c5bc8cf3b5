"""The tools of Director: one row each. A tool that is not here does not exist."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from director.agent.effects import effects_of_action, effects_of_run, effects_of_test
from director.agent.tools import (
    asking,
    building,
    debugging,
    describing,
    executing,
    pages,
    planning,
    retrieving,
    run_inputs,
    valuing,
)
from director.agent.tools.kind import Spec, UserQuestion, origin_of, spec, url_of
from director.context.values import Trust

__all__ = ["REGISTRY", "TRUSTS", "Spec", "UserQuestion"]

_ALL = (
    spec(planning.update_plan, "keep"),
    spec(planning.get_current_plan, "look"),
    spec(planning.update_workflow_description, "keep"),
    spec(planning.get_workflow_description, "look"),
    spec(retrieving.get_workflow_summary, "look"),
    spec(retrieving.get_workflow_nodes, "look"),
    spec(retrieving.get_workflow_variables, "look", "web"),
    spec(retrieving.get_workflow_variable, "look", "web"),
    spec(valuing.set_variable, "keep"),
    spec(valuing.clear_variable, "keep"),
    spec(valuing.clear_all_variables, "keep"),
    spec(retrieving.get_browser_state, "look", "web"),
    spec(pages.inspect_tab, "look", "web"),
    spec(pages.find, "look", "web"),
    spec(pages.expand, "look", "web"),
    spec(pages.read, "look", "web"),
    spec(pages.describe_element, "look", "web"),
    spec(debugging.debug_navigate, "reach", "web", wants=url_of),
    spec(debugging.debug_action, "run", "web", does=effects_of_action),
    spec(debugging.debug_open_tab, "reach", "web", wants=url_of),
    spec(debugging.debug_close_tab, "run"),
    spec(asking.deploy_scout, "reach", "web", wants=url_of),
    spec(asking.deploy_scout, "reach", "web", name="send_scout", wants=url_of),
    spec(building.create_node, "reach", wants=building.reached),
    spec(building.update_node, "reach", wants=building.reached),
    spec(building.delete_node, "keep"),
    spec(building.move_node, "keep"),
    spec(executing.test_single_node, "run", "web", does=effects_of_test),
    spec(executing.execute_nodes, "run", "web", does=effects_of_run),
    spec(asking.ask_user, "ask", "user"),
    spec(asking.ask_secret, "ask", wants=origin_of),
    spec(retrieving.recall, "look", "web"),
    spec(describing.describe_node_type, "look"),
    spec(run_inputs.declare_input, "keep"),
    spec(run_inputs.remove_input, "keep"),
    spec(debugging.reset_browser, "run"),
)
REGISTRY: Mapping[str, Spec] = MappingProxyType({one.name: one for one in _ALL})
TRUSTS: Mapping[str, Trust] = MappingProxyType({one.name: one.trust for one in _ALL})
