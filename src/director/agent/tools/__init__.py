"""The tools of Director: one row each. A tool that is not here does not exist."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from director.agent.permissions.effect_approval import (
    find_action_effect,
    find_run_effects,
    find_test_effects,
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
from director.agent.tools.tool_definition import (
    Spec,
    UserQuestion,
    get_origin_argument,
    get_url_argument,
    make_tool_definition,
)
from director.context.values import Trust

__all__ = ["REGISTRY", "TRUSTS", "Spec", "UserQuestion"]

_ALL = (
    make_tool_definition(plan_tools.update_plan, "keep"),
    make_tool_definition(plan_tools.get_current_plan, "look"),
    make_tool_definition(plan_tools.update_workflow_description, "keep"),
    make_tool_definition(plan_tools.get_workflow_description, "look"),
    make_tool_definition(retrieval_tools.get_workflow_summary, "look"),
    make_tool_definition(retrieval_tools.get_workflow_nodes, "look"),
    make_tool_definition(retrieval_tools.get_workflow_variables, "look", "web"),
    make_tool_definition(retrieval_tools.get_workflow_variable, "look", "web"),
    make_tool_definition(variable_tools.set_variable, "keep"),
    make_tool_definition(variable_tools.clear_variable, "keep"),
    make_tool_definition(variable_tools.clear_all_variables, "keep"),
    make_tool_definition(retrieval_tools.get_browser_state, "look", "web"),
    make_tool_definition(page_tools.inspect_tab, "look", "web"),
    make_tool_definition(page_tools.find, "look", "web"),
    make_tool_definition(page_tools.expand, "look", "web"),
    make_tool_definition(page_tools.read, "look", "web"),
    make_tool_definition(page_tools.describe_element, "look", "web"),
    make_tool_definition(browser_tools.debug_navigate, "reach", "web", wants=get_url_argument),
    make_tool_definition(browser_tools.debug_action, "run", "web", does=find_action_effect),
    make_tool_definition(browser_tools.debug_open_tab, "reach", "web", wants=get_url_argument),
    make_tool_definition(browser_tools.debug_close_tab, "run"),
    make_tool_definition(question_tools.deploy_scout, "reach", "web", wants=get_url_argument),
    make_tool_definition(
        question_tools.deploy_scout, "reach", "web", name="send_scout", wants=get_url_argument
    ),
    make_tool_definition(node_tools.create_node, "reach", wants=node_tools.list_addresses),
    make_tool_definition(node_tools.update_node, "reach", wants=node_tools.list_addresses),
    make_tool_definition(node_tools.delete_node, "keep"),
    make_tool_definition(node_tools.move_node, "keep"),
    make_tool_definition(execution_tools.test_single_node, "run", "web", does=find_test_effects),
    make_tool_definition(execution_tools.execute_nodes, "run", "web", does=find_run_effects),
    make_tool_definition(question_tools.ask_user, "ask", "user"),
    make_tool_definition(question_tools.ask_secret, "ask", wants=get_origin_argument),
    make_tool_definition(retrieval_tools.recall, "look", "web"),
    make_tool_definition(guide_tools.describe_node_type, "look"),
    make_tool_definition(input_tools.declare_input, "keep"),
    make_tool_definition(input_tools.remove_input, "keep"),
    make_tool_definition(browser_tools.reset_browser, "run"),
)
REGISTRY: Mapping[str, Spec] = MappingProxyType({one.name: one for one in _ALL})
TRUSTS: Mapping[str, Trust] = MappingProxyType({one.name: one.trust for one in _ALL})
