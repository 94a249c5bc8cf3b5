"""A template gives the value that it names, as data; what names nothing is an error that helps."""

from __future__ import annotations

import json
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from director.workflow.paths import read_path, write_path
from director.workflow.records import Record
from director.workflow.scope import Scope
from director.workflow.templates import (
    SECRET,
    TemplateError,
    defuse_templates,
    is_template,
    list_templates,
    rename_templates,
    resolve_templates,
)
from director.workflow.values import Json

FIRST = Record("email_001", "email", fields={"find": {"sender": "Ada", "tags": ["new"]}})
SECOND = Record("email_002", "email", fields={"find": {"sender": "Bob"}}, vars={"kind": "spam"})
SCOPE = Scope(
    variables={
        "find.items": [{"sender": "Ada"}, {"sender": "Bob"}],
        "find.count": 2,
        "creds": {"email": "a@example.org", "password": "{{secret:mail}}"},
        "a": {"b": "inside", "c": 1},
        "a.b": "flat",
        "odd": {"two words": True, "x-y": None},
    },
    local={"index": 0, "total": 2, "isFirst": True, "isLast": False, "row": {"n": 3}},
    current=SECOND,
    records={"email_001": FIRST, "email_002": SECOND},
    params={"folder": "inbox"},
    env={"HOST": "example.org"}.get,
)
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("{{find.count}}", 2),
        ("{{ find.items[1].sender }}", "Bob"),
        ("{{find.items[-1]}}", {"sender": "Bob"}),
        ("{{isFirst}}", True),
        ("{{row.n}} of {{total}}, {{isLast}}", "3 of 2, false"),
        ("{{creds.email}}", "a@example.org"),
        ('{{odd["two words"]}}', True),
        ("{{odd.x-y}}", None),
        ("x{{odd.x-y}}", "xnull"),
        ("got {{a}}", 'got {"b": "inside", "c": 1}'),
        ("{{current.sender}}", "Bob"),
        ("{{current.kind}}", "spam"),
        ("{{current.vars.kind}}", "spam"),
        ("{{current.id}}", "email_002"),
        ("{{current.fields.find.sender}}", "Bob"),
        ("{{email_001.find.tags[0]}}", "new"),
        ('{{get_all_records("sender")}}', ["Ada", "Bob"]),
        ("{{get_all_records('vars.kind')}}", [None, "spam"]),
        ("{{param.folder}}", "inbox"),
        ("https://{{env:HOST}}/", "https://example.org/"),
        ('{{"{{"}}name}}', "{{name}}"),
        ("no template", "no template"),
    ],
)
def test_a_template_gives_what_it_names(written: str, value: Json) -> None:
    """Typed if it stands alone, else as text; objects as JSON."""
    assert resolve_templates(written, SCOPE) == value
    assert resolve_templates({"k": [written, 1, None]}, SCOPE) == {"k": [value, 1, None]}


def test_a_variable_with_a_dot_in_its_name_is_found_before_a_member() -> None:
    """And a member where there is no such variable."""
    assert resolve_templates("{{a.b}}", SCOPE) == "flat"
    assert resolve_templates("{{a.c}}", SCOPE) == 1


def test_a_secret_stays_a_reference() -> None:
    """Alone, inside a text, and in the value of a variable."""
    for text in ("{{secret:mail}}", "Bearer {{secret:api.key-1}}!", "{{ secret:mail }}"):
        assert resolve_templates(text, SCOPE) == text
    assert resolve_templates("{{creds.password}}", SCOPE) == "{{secret:mail}}"


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("{{find.cuont}}", "Did you mean 'find.count'?"),
        ("{{cred.email}}", "Did you mean 'creds'?"),
        ("{{creds.emial}}", "'creds' has no 'emial'. Did you mean 'email'?"),
        ("{{find.items.sender}}", "find.items[0]"),
        ("{{find.items[7]}}", "has 2 elements"),
        ("{{find.count.x}}", "'find.count' is a whole number"),
        ("{{current.sendr}}", "Did you mean 'sender'?"),
        ("{{email_001.subjct}}", "There is: find, sender, tags"),
        ('{{get_all_records("nothing")}}', "no record has 'nothing'"),
        ("{{env:NOTHING}}", "the environment of this run has no 'NOTHING'"),
        ("{{param.foldr}}", "Did you mean 'folder'?"),
        ("{{node4.result}}", "name the node by its alias"),
        ("{{a + b}}", "Compute with a transform"),
        ("{{a | upper}}", "is not a template"),
        ("{{}}", "is not a template"),
        ("{{open", "not closed"),
        ("${HOST}", "{{env:HOST}}"),
    ],
)
def test_what_names_nothing_is_refused_with_what_exists(written: str, says: str) -> None:
    """The error holds the template and the nearest name."""
    with pytest.raises(TemplateError) as error:
        resolve_templates(written, SCOPE)
    assert says in str(error.value)
    assert written.strip("{}") in str(error.value)


def test_there_is_no_current_record_outside_a_loop() -> None:
    """The error says where one would be."""
    with pytest.raises(TemplateError, match="iterate"):
        resolve_templates("{{current.x}}", Scope())


def test_the_environment_is_reached_only_through_what_is_handed_in() -> None:
    """The machine's own is not looked at."""
    assert "PATH" in os.environ
    with pytest.raises(TemplateError):
        resolve_templates("{{env:PATH}}", Scope())


def test_a_list_of_names_never_becomes_long() -> None:
    """A dozen, and how many more."""
    with pytest.raises(TemplateError) as error:
        resolve_templates("{{zzz}}", Scope({f"variable_{number}": 0 for number in range(5000)}))
    assert "and 4988 more" in str(error.value)
    assert len(str(error.value)) < 500


def test_a_field_that_two_nodes_found_must_be_named_in_full() -> None:
    """Neither is chosen silently."""
    record = Record("x_1", "x", fields={"a": {"n": 1}, "b": {"n": 2}})
    with pytest.raises(TemplateError, match=r"fields\.a\.n, fields\.b\.n"):
        resolve_templates("{{current.n}}", Scope(current=record))


@settings(max_examples=50, deadline=None)
@given(_json)
def test_what_a_value_holds_is_never_read_as_a_template(value: Json) -> None:
    """Whatever it is, it comes out as it was."""
    scope = Scope({"x": value, "y": "{{x}}", "z": ["{{y}}"]})
    assert resolve_templates("{{x}}", scope) == value
    assert resolve_templates("{{y}}", scope) == "{{x}}"
    assert resolve_templates({"k": "{{z}}"}, scope) == {"k": ["{{y}}"]}
    as_text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    assert resolve_templates("<{{x}}>", scope) == f"<{as_text}>"


@settings(max_examples=50, deadline=None)
@given(st.text(alphabet="ab{}\"':.[]0 secrtnvgl()_", max_size=30))
def test_any_text_resolves_or_is_refused_in_words(text: str) -> None:
    """Nothing else is ever raised, and what has no braces stays as it is."""
    scope = Scope({"a": "1", "b": {"a": [2]}})
    try:
        found = resolve_templates(text, scope)
    except TemplateError:
        found = None
    assert found == text or "{{" in text


def test_values_side_by_side_cannot_name_a_secret() -> None:
    """Two halves of a reference, each harmless, are refused together."""
    scope = Scope({"x": "{{sec", "y": "ret:mail}}", "z": "mail"})
    for text in ("{{x}}{{y}}", "{{x}}ret:mail}}", "{{x}}ret:{{z}}}}"):
        with pytest.raises(TemplateError):
            resolve_templates(text, scope)


@settings(max_examples=50, deadline=None)
@given(st.text(alphabet="{} secrt:mail", max_size=40))
def test_what_comes_from_outside_can_name_no_secret(text: str) -> None:
    """A page that shows a reference does not get the secret typed; all else stays."""
    hostile = f"{text}{{{{secret:mail}}}}{text}"
    safe = defuse_templates({"k": [hostile, 3]})
    assert isinstance(safe, dict)
    assert not SECRET.search(json.dumps(safe))
    assert defuse_templates(text.replace("{", "")) == text.replace("{", "")


def test_a_config_tells_what_it_refers_to() -> None:
    """Each once, in order; names of members are not templates."""
    config = {"a": "{{x.y}} {{secret:s}}", "b": ["{{ x.y }}", {"{{k}}": "{{env:H}}"}], "c": 1}
    assert {each.text for each in list_templates(config)} == {"x.y", "secret:s", "env:H"}
    assert is_template("{{a}}")
    assert not is_template("{{a}}{{b}}")


def test_renaming_changes_only_the_heads_of_templates() -> None:
    """Other names that begin alike, members and plain words stay."""
    before = "{{find}} {{find.items[0]}} {{ find.n }} {{finder.x}} {{a.find}} find {{find_2}}"
    after = "{{seek}} {{seek.items[0]}} {{ seek.n }} {{finder.x}} {{a.find}} find {{find_2}}"
    assert rename_templates([before], "find", "seek") == [after]


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.integers(-9, 9) | st.from_regex(r"[a-z][\w-]{0,4}|[a-z ]{1,5}", fullmatch=True),
        max_size=4,
    )
)
def test_a_path_can_be_written_and_read(steps: list[str | int]) -> None:
    """Any members and elements after a first name."""
    path = ("head", *steps)
    assert read_path(write_path(path)) == path
