"""The tools of Director: one row each. A tool that is not here does not exist."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from director.agent.permissions.effect_approval import (
    effects_of_action,
    effects_of_run,
    effects_of_test,
)
from director.agent.tools import (
    browser_tools,
    execution_tools,
    guide_tools,
    input_tools,
    node_tools,
    page_tools,
    plan_tools,
    question_tools,
    retrieval_tools,
    variable_tools,
)
from director.agent.tools.tool_definition import Spec, UserQuestion, origin_of, spec, url_of
from director.context.values import Trust

__all__ = ["REGISTRY", "TRUSTS", "Spec", "UserQuestion"]

_ALL = (
    spec(plan_tools.update_plan, "keep"),
    spec(plan_tools.get_current_plan, "look"),
    spec(plan_tools.update_workflow_description, "keep"),
    spec(plan_tools.get_workflow_description, "look"),
    spec(retrieval_tools.get_workflow_summary, "look"),
    spec(retrieval_tools.get_workflow_nodes, "look"),
    spec(retrieval_tools.get_workflow_variables, "look", "web"),
    spec(retrieval_tools.get_workflow_variable, "look", "web"),
    spec(variable_tools.set_variable, "keep"),
    spec(variable_tools.clear_variable, "keep"),
    spec(variable_tools.clear_all_variables, "keep"),
    spec(retrieval_tools.get_browser_state, "look", "web"),
    spec(page_tools.inspect_tab, "look", "web"),
    spec(page_tools.find, "look", "web"),
    spec(page_tools.expand, "look", "web"),
    spec(page_tools.read, "look", "web"),
    spec(page_tools.describe_element, "look", "web"),
    spec(browser_tools.debug_navigate, "reach", "web", wants=url_of),
    spec(browser_tools.debug_action, "run", "web", does=effects_of_action),
    spec(browser_tools.debug_open_tab, "reach", "web", wants=url_of),
    spec(browser_tools.debug_close_tab, "run"),
    spec(question_tools.deploy_scout, "reach", "web", wants=url_of),
    spec(question_tools.deploy_scout, "reach", "web", name="send_scout", wants=url_of),
    spec(node_tools.create_node, "reach", wants=node_tools.list_addresses),
    spec(node_tools.update_node, "reach", wants=node_tools.list_addresses),
    spec(node_tools.delete_node, "keep"),
    spec(node_tools.move_node, "keep"),
    spec(execution_tools.test_single_node, "run", "web", does=effects_of_test),
    spec(execution_tools.execute_nodes, "run", "web", does=effects_of_run),
    spec(question_tools.ask_user, "ask", "user"),
    spec(question_tools.ask_secret, "ask", wants=origin_of),
    spec(retrieval_tools.recall, "look", "web"),
    spec(guide_tools.describe_node_type, "look"),
    spec(input_tools.declare_input, "keep"),
    spec(input_tools.remove_input, "keep"),
    spec(browser_tools.reset_browser, "run"),
)
REGISTRY: Mapping[str, Spec] = MappingProxyType({one.name: one for one in _ALL})
TRUSTS: Mapping[str, Trust] = MappingProxyType({one.name: one.trust for one in _ALL})
