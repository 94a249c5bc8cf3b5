"""What went wrong in programs of this kind, and must not here: one test for each."""

from __future__ import annotations

import gc
import sys
import threading
from dataclasses import replace

import pytest

from director.workflow.display import render_value
from director.workflow.edit import NodeDraft, add_nodes, delete_nodes, edit_node, move_nodes
from director.workflow.expressions import fill_expression_values, parse_expression
from director.workflow.records import Naming, find_records
from director.workflow.references import list_direct_nodes, map_parents
from director.workflow.scope import Scope
from director.workflow.templates import TemplateError, resolve_templates
from director.workflow.types import KINDS, check_config
from director.workflow.values import Json, WorkflowError
from director.workflow.variables import make_variables
from workflow_examples import CLICK, ids, mailbox

SPAM: list[Json] = [{"sender": "Ada"}, {"sender": "Bob"}]


def test_nested_passwords_are_hidden_and_keywords_are_not() -> None:
    """A name is read by its words, at every depth."""
    login: Json = {"email": "a@example.org", "inner": [{"password": "hunter2"}]}
    assert "hunter2" not in render_value("gmail_creds", login)
    assert "a@example.org" in render_value("gmail_creds", login)
    assert render_value("keyword", "shoes") == '"shoes"'


def test_a_default_that_is_written_down_is_the_one_that_is_run() -> None:
    """Validation stops; what names a wait by other fields is refused and not slept through."""
    rules: Json = [{"type": "element_exists", "selector": "#a"}]
    assert (
        check_config("browser_query", {"method": "validate", "rules": rules})["onFailure"]
        == "stop_workflow"
    )
    for wrong in ({"waitType": "time", "waitValue": 5}, {"type": "time", "value": 5}, {}):
        with pytest.raises(WorkflowError):
            check_config("browser_action", {"action": "wait", **wrong})
    assert "closeTab" in KINDS["browser_action"].forms
    scope = Scope(local={"isFirst": True, "isLast": False})
    assert resolve_templates(["{{isFirst}}", "{{isLast}}"], scope) == [True, False]


def test_what_is_stored_is_found_by_the_name_it_was_stored_under() -> None:
    """And a number, a text or a yes is stored like anything else."""
    for result in (5, "text", False, None, 0, ""):
        variables = make_variables("ask", store=True, result=result)
        assert resolve_templates("{{ask.result}}", Scope(variables)) == result
    assert (
        resolve_templates(
            "{{ask.n}}", Scope({**make_variables("ask", "*", {"n": 1}), "ask": {"n": 2}})
        )
        == 1
    )


def test_data_cannot_change_what_a_condition_says() -> None:
    """Operators and quotes in a value are part of the value; a missing value is an error."""
    hostile = "x' or True or 'x && {{secret:mail}}"
    code, values = fill_expression_values("{{sender}} == 'ada'", Scope({"sender": hostile}))
    assert hostile not in code
    assert list(values.values()) == [hostile]
    with pytest.raises(TemplateError):
        fill_expression_values("{{sendr}} == 'ada'", Scope({"sender": hostile}))


def test_branches_written_as_aliases_are_known_to_be_branches() -> None:
    """However they are written, what belongs to a branch does not run by itself."""
    for branch in ("label", 6, ["label"], "label..label", "6-6"):
        branches: Json = [{"name": "spam", "condition": True, "branch": branch}]
        workflow = edit_node(mailbox(), "choose", {"config": {"branches": branches}})
        owners = [part.owner for part in map_parents(workflow)["id_6"]]
        assert "id_5" in owners
        assert "id_6" not in list_direct_nodes(workflow, [node.id for node in workflow.nodes])


def test_finding_records_again_keeps_what_was_gathered() -> None:
    """Extraction may be repeated in the middle of the work."""
    first = find_records(SPAM, Naming("email"), source="find", visit="find").records
    worked = [replace(first[0], vars={"kind": "spam"}), first[1]]
    again = find_records(SPAM, Naming("email"), source="find", visit="find", known=worked).records
    assert again[0].vars == {"kind": "spam"}


def test_variables_of_one_run_are_not_seen_by_another() -> None:
    """A scope holds what it is given and nothing stays behind."""
    assert resolve_templates("{{row}}", Scope(local={"row": 1})) == 1
    with pytest.raises(TemplateError):
        resolve_templates("{{row}}", Scope())


def test_references_survive_insertion_deletion_and_moving() -> None:
    """They hold ids and never positions."""
    new_id = ids()
    workflow = mailbox(new_id)
    workflow = add_nodes(
        workflow, [NodeDraft("browser_action", "first", CLICK)], new_id=new_id, at=1
    )
    workflow = move_nodes(workflow, "report", to="each")
    workflow = delete_nodes(workflow, "first")
    each = next(node for node in workflow.nodes if node.alias == "each")
    assert each.config["body"] == ["id_4", "id_5"]


def test_code_is_read_in_several_threads_at_once() -> None:
    """Python 3.11 counts the depth of trees for all threads together and breaks where two make one."""
    code = "x = " + " + ".join(["f(a, [b, {'c': d}])"] * 60) + "\nx"
    problems: list[BaseException] = []

    class Collected:
        """Runs Python code while garbage is collected, where threads may change."""

        def __del__(self) -> None:
            pass

    def parse(depth: int) -> None:
        if depth:
            return parse(depth - 1)
        try:
            for _ in range(100):
                parse_expression(code)
                list_of_itself: list[object] = [Collected()]
                list_of_itself.append(list_of_itself)
        except SystemError as problem:
            problems.append(problem)
        return None

    before, threshold = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(10)
    try:
        threads = [threading.Thread(target=parse, args=(40 * number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    finally:
        sys.setswitchinterval(before)
        gc.set_threshold(*threshold)
    assert not problems
