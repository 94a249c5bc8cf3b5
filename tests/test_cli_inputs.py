"""What is given on the command line becomes what the inputs of a workflow want."""

from __future__ import annotations

from pathlib import Path

import pytest

from director.cli.inputs import read_typed, rows_of
from director.runs import RunError
from director.runs.run_control import queue_run
from director.runs.values import RunDependencies
from director.store import Store, open_store
from director.workflow.document import read_workflow_document, write_workflow_document
from director.workflow.values import Input, Node, Workflow, WorkflowError
from store.engines import prepared_file

TEXT = Input("room", "Which room", required=True, type="text")
NUMBER = Input("limit", "How many", default=5, type="number")
SECRET = Input("door", "The code of the door", sensitive=True, type="text", required=True)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store in a file."""
    return open_store(prepared_file(tmp_path / "director.db"))


def flow(*inputs: Input) -> Workflow:
    """A workflow with these inputs."""
    node = Node("n1", "a", "transform", {"code": "1"}, effect="idempotent")
    return Workflow("w", "W", (node,), inputs)


def test_a_text_stays_as_it_is_written_and_a_number_is_one(tmp_path: Path) -> None:
    """`--set room=007` and `1e5` are texts; a cell of a CSV file becomes what its input wants."""
    assert rows_of(["room=1e5", "limit=7"], None, [TEXT, NUMBER]) == [{"room": "1e5", "limit": 7}]
    file = tmp_path / "rows.csv"
    file.write_text("room,limit,other\n12,3,4\n")
    assert rows_of([], file, [TEXT, NUMBER]) == [{"room": "12", "limit": 3, "other": "4"}]


def test_a_list_of_objects_is_the_rows_of_a_csv_file(tmp_path: Path, store: Store) -> None:
    """Whatever else is given is answered with the form of its own default."""
    orders = [{"number": "R-7", "to": "Mill Lane"}, {"number": "R-8", "to": ""}]
    listed = Input("orders", default=orders, type="list")
    file = tmp_path / "orders.csv"
    file.write_text("number,to\nR-7,Mill Lane\nR-8,\n")
    assert rows_of([f"orders=@{file}"], None, [listed]) == [{"orders": orders}]
    with pytest.raises(WorkflowError) as refused:
        queue_run(store, flow(listed), RunDependencies(), inputs={"orders": "R-7"})
    assert 'a list, such as [{"number": "R-7", "to": "Mill Lane"}], not' in str(refused.value)
    file.write_text("number,to\nR-7\n")
    with pytest.raises(RunError, match="names the fields"):
        rows_of([f"orders=@{file}"], None, [listed])


@pytest.mark.parametrize(
    ("typed", "given"),
    [
        ("room=Mill Lane", {"room": "Mill Lane"}),
        ('room="Mill Lane" limit=7', {"room": "Mill Lane", "limit": 7}),
        ("'room=Mill Lane' limit=7", {"room": "Mill Lane", "limit": 7}),
        ('room="see a=b"  limit="7"', {"room": "see a=b", "limit": 7}),
        ('other=["a", "b c"] room=it\'s', {"other": ["a", "b c"], "room": "it's"}),
        ('other="12" room=', {"other": "12", "room": ""}),
        ("", {}),
    ],
)
def test_a_line_of_the_chat_gives_values_with_spaces(typed: str, given: dict[str, object]) -> None:
    """Quotes may stand around the value or all of it; JSON keeps its own."""
    assert read_typed(typed, [TEXT, NUMBER]) == given


def test_a_line_of_the_chat_without_a_name_is_answered_in_its_own_words() -> None:
    """No option of the command line is spoken of."""
    with pytest.raises(RunError, match=r"^/run 'Lane': write name=value"):
        read_typed("Lane", [TEXT])


def test_a_value_of_another_type_starts_nothing(store: Store) -> None:
    """The right form is named; a reference to a secret may stand for a text."""
    with pytest.raises(WorkflowError, match="'limit' takes a number"):
        queue_run(store, flow(NUMBER), RunDependencies(), inputs={"limit": "7"})
    assert store.newest("run") == []
    run = queue_run(store, flow(TEXT), RunDependencies(), inputs={"room": "{{secret:room}}"})
    assert run.inputs == {"room": "{{secret:room}}"}


def test_a_declared_secret_is_put_away_whatever_its_name(store: Store) -> None:
    """It is hidden under a name that says what it is; a default written out is refused."""
    hidden: list[str] = []

    def hide(name: str, value: object) -> str:
        hidden.append(name)
        return f"hidden {len(str(value))}"

    means = RunDependencies(hide=hide)  # type: ignore[arg-type]
    run = queue_run(store, flow(SECRET), means, inputs={"door": "4711"})
    assert hidden == ["door_secret"]
    assert run.inputs == {"door": "hidden 4"}
    with pytest.raises(WorkflowError, match="written out"):
        read_workflow_document(
            write_workflow_document(flow(Input("door", default="4711", sensitive=True)))
        )


def test_the_document_of_an_untyped_input_is_as_it_was() -> None:
    """What an earlier version stored reads as unchanged."""
    old = {"name": "room", "description": "", "default": None, "required": False}
    assert write_workflow_document(flow(Input("room")))["inputs"] == [old]
    assert read_workflow_document(write_workflow_document(flow(TEXT, NUMBER))).inputs == (
        TEXT,
        NUMBER,
    )
