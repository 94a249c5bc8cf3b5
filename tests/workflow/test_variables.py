"""Variables keep what they are given, are found by their names, and are shown without secrets."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from director.workflow.display import render_value
from director.workflow.scope import Scope
from director.workflow.sensitive import is_sensitive, mask_sensitive
from director.workflow.templates import resolve_templates
from director.workflow.values import Json, WorkflowError
from director.workflow.variables import list_node_variables, make_variables

WHOLE: Json = True
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=40, deadline=None)
@given(_json, st.sampled_from([WHOLE, {"result": "result"}]))
def test_whatever_a_result_is_it_is_kept_and_found_again(result: Json, store: Json) -> None:
    """Numbers, texts and null too."""
    variables = make_variables("find", store, [result])
    assert resolve_templates("{{find.result}}", Scope(variables)) == [result]
    assert resolve_templates("{{find.result[0]}}", Scope(variables)) == result


def test_store_names_what_becomes_a_variable() -> None:
    """The whole, each member, or sources and their targets."""
    result: Json = {"items": [{"n": 7}], "count": 1}
    assert make_variables("find", WHOLE, result) == {"find.result": result}
    assert make_variables("find", "*", result) == {"find.items": [{"n": 7}], "find.count": 1}
    assert make_variables("find", {"items[0].n": "first", "count": "count"}, result) == {
        "find.first": 7,
        "find.count": 1,
    }
    assert make_variables("find", {"result": "all"}, result) == {"find.all": result}
    assert make_variables("find", {"result": "n"}, {"result": 3}) == {"find.n": 3}
    for store in (True, "*", {"result": "result"}):
        assert make_variables("n", store, 5) == {"n.result": 5}


def test_a_source_that_is_not_in_the_result_is_an_error() -> None:
    """It names what is."""
    with pytest.raises(WorkflowError, match="Did you mean 'count'"):
        make_variables("find", {"cuont": "n"}, {"count": 1})
    with pytest.raises(WorkflowError, match="no path"):
        make_variables("find", {"a b": "n"}, {"count": 1})


def test_the_variables_of_a_node_are_those_under_its_alias() -> None:
    """And not those of one whose alias begins alike."""
    variables: dict[str, Json] = {"find.a": 1, "find.b": 2, "finder.a": 3, "find": 4}
    assert list_node_variables(variables, "find") == {"find.a": 1, "find.b": 2}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (None, "null"),
        ([], "[] (empty)"),
        ({}, "{} (empty)"),
        ("", '""'),
        ("gmail_inbox", '"gmail_inbox"'),
        ("x" * 100, f'"{"x" * 100}"'),
        ("x" * 101, f'"{"x" * 100}..."'),
        ([{"a": 1}, {"a": 2}], '[Array of 2 - first: {"a": 1}]'),
        (["y" * 200] * 8, f'[Array of 8 - first: "{"y" * 78}...'),
        ({"k": "z" * 200}, f'{{"k": "{"z" * 93}...'),
        ("naïve 🙂", '"naïve 🙂"'),
    ],
)
def test_a_value_is_shown_short(value: Json, text: str) -> None:
    """In full up to 100 characters; of a list the first element and the count."""
    assert render_value("v", value) == text


def test_the_password_inside_a_login_is_hidden() -> None:
    """Whose login it is can be seen."""
    login: Json = {"email": "user@gmail.com", "password": "hunter2"}
    assert (
        render_value("gmail_creds", login) == '{"email": "user@gmail.com", "password": "[hidden]"}'
    )
    assert render_value("api_token", "abc") == "[hidden]"
    assert render_value("mail", "Bearer {{secret:mail}}") == '"Bearer [hidden]"'
    assert render_value("mail", "{{secret:mail}}") == "[hidden]"


@pytest.mark.parametrize(
    "name",
    "password userPassword PASSWORD passwd db_pwd client_secret secrets token accessToken accessTOKEN "
    "auth_token tokens api_key apiKey APIKey API_KEY apikey x-api-key access_key privateKey otp "
    "mail_otp totp pin card_pin auth oauth authHeader authorization credential credentials creds "
    "2fa_code one_time_code verificationCode recovery_codes session_id cookie jwt cvv pass user_pass "
    "Passwort contraseña".split(),
)
def test_a_name_with_a_secret_word_is_sensitive(name: str) -> None:
    """However its words are joined."""
    assert is_sensitive(name)


@pytest.mark.parametrize(
    "name",
    "keyword keywords key keyboard monkey primary_key author authors authority coauthor pinned spin "
    "opinion shopping tokenizer secretary passed passenger compass bypass surpass pass_rate "
    "password_selector passwordLabel token_count tokens_used max_tokens_limit password_length "
    "auth_url token_type time_code zip_code cookie_count discotheque".split(),
)
def test_a_name_that_only_looks_like_one_is_not(name: str) -> None:
    """Nor one that is about a secret and holds none."""
    assert not is_sensitive(name)


def test_numbers_that_count_and_answers_are_not_hidden() -> None:
    """A one-time code is, even as a number."""
    assert mask_sensitive({"tokens": 512, "max_tokens": 9, "has_password": True, "auth": None}) == {
        "tokens": 512,
        "max_tokens": 9,
        "has_password": True,
        "auth": None,
    }
    assert mask_sensitive({"otp": 123456, "pin": 1234}) == {"otp": "[hidden]", "pin": "[hidden]"}


def test_secrets_are_found_at_any_depth_and_named_by_their_paths() -> None:
    """In lists, in pairs of name and value, in JSON inside a text, in addresses."""
    value: Json = {
        "users": [{"name": "ada", "login": {"apiKey": "k1"}}, {"tokens": ["t1", "t2"]}],
        "form": [{"name": "password", "value": "p1"}, {"name": "city", "value": "Rome"}],
        "raw": '{"a": {"secret": "s1"}}',
        "link": "https://ada:p2@example.org/?q=1&access_token=t3#x",
        "auth": {"user": "ada", "whatever": "w1"},
        "cookies": [{"name": "sid", "value": "c1"}],
    }
    safe = json.dumps(mask_sensitive(value))
    assert not [secret for secret in "k1 t1 t2 p1 s1 p2 t3 w1 c1".split() if secret in safe]
    assert all(plain in safe for plain in ("ada", "Rome", "example.org", "q=1"))


@settings(max_examples=40, deadline=None)
@given(_json, st.sampled_from(["password", "apiKey", "auth_token", "client-secret"]))
def test_a_hidden_value_is_in_no_part_of_what_is_shown(value: Json, name: str) -> None:
    """Wherever it stands, and before anything is cut."""
    canary = "canary-7f3a"
    for holder in (
        {name: canary},
        {"a": [value, {name: {"x": [canary]}}]},
        [{name: canary}, value],
    ):
        assert canary not in render_value("v", holder)
        assert canary not in json.dumps(mask_sensitive(holder))
