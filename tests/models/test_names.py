"""A name says whose a model is and where; a bad one is told what was meant."""

from __future__ import annotations

import re

import pytest

from director.models.local import LocalServer
from director.models.names import (
    Access,
    Named,
    UnknownModel,
    find_model_credentials,
    find_nearest_model_name,
    parse_model_name,
)
from director.models.servers import NoKey

KEY = "sk-very-secret-0123456789"


@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("openai:gpt-6.1-terra", Named("openai", "gpt-6.1-terra", "", "responses")),
        ("openai-chat:gpt-4.1", Named("openai-chat", "gpt-4.1", "", "chat")),
        ("chat:gpt-4.1", Named("openai-chat", "gpt-4.1", "", "chat")),
        ("chat:https://api.openai.com/v1#gpt-4.1", Named("openai-chat", "gpt-4.1", "", "chat")),
        ("azure:our-deployment", Named("azure", "our-deployment", "", "responses")),
        ("anthropic:claude-sonnet-5-5", Named("anthropic", "claude-sonnet-5-5", "", "anthropic")),
        (
            "chat:http://localhost:11434/v1#qwen3:8b",
            Named("chat", "qwen3:8b", "http://localhost:11434/v1", "chat"),
        ),
        (
            "responses:http://127.0.0.1:8000/v1/#Qwen/Qwen3-8B",
            Named("responses", "Qwen/Qwen3-8B", "http://127.0.0.1:8000/v1", "responses"),
        ),
        (
            "anthropic:http://localhost:8080#m",
            Named("anthropic", "m", "http://localhost:8080", "anthropic"),
        ),
        (
            "openai:http://localhost:9/v1#gpt-5.4",
            Named("openai", "gpt-5.4", "http://localhost:9/v1", "responses"),
        ),
        ("scripted:plays/one.json", Named("scripted", "plays/one.json", "", "responses")),
        ("  openai:o3 ", Named("openai", "o3", "", "responses")),
    ],
)
def test_every_form_of_a_name_is_understood(name: str, named: Named) -> None:
    """Whose it is, which, where, and what it speaks."""
    assert parse_model_name(name) == named


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("gpt-6.1-terra", "Did you mean 'openai:gpt-6.1-terra'"),
        ("gpt-6.1-tera", "Did you mean 'openai:gpt-6.1-terra'"),
        ("claude-sonnet-5-5", "Did you mean 'anthropic:claude-sonnet-5-5'"),
        ("claude-haiku-4-5-20251001", "Did you mean 'anthropic:claude-haiku-4-5-20251001'"),
        ("opnai:gpt-5.4", "Did you mean 'openai:gpt-5.4'"),
        ("Anthropic:claude-opus-5-5", "Did you mean 'anthropic:claude-opus-5-5'"),
        ("", "is not the name of a model. The forms are"),
        ("openai:", "names no model"),
        ("chat:http://localhost:11434/v1", "put it after '#'"),
        ("responses:gpt-5.4", "'openai:gpt-5.4'"),
        ("chat:ftp://host#m", "starts with http://"),
        ("chat:http://#m", "is no address"),
        ("chat:http://host:99999999/v1#m", "is no address"),
        ("chat:http://me:pass@host/v1#m", "no user and no password"),
    ],
)
def test_a_bad_name_is_told_what_was_probably_meant(name: str, meant: str) -> None:
    """The error is a ValueError that a user can act on."""
    with pytest.raises(UnknownModel, match=re.escape(meant)):
        parse_model_name(name)


def test_a_bad_name_is_shown_all_right_forms() -> None:
    """One example for each."""
    with pytest.raises(UnknownModel) as refused:
        parse_model_name("foo")
    for form in ("openai:", "azure:", "anthropic:", "chat:http", "responses:http", "scripted:"):
        assert form in str(refused.value)


def test_a_key_given_as_a_name_is_not_repeated() -> None:
    """Someone pastes the wrong thing; the log must not keep it."""
    with pytest.raises(UnknownModel) as refused:
        parse_model_name(KEY)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("start", ["chat:http://", "chat:ftp://", "cat:http://", "http://"])
@pytest.mark.parametrize("end", ["host/v1#m", "host:999999/v1#m", "host/v1", "#m"])
def test_a_password_in_an_address_is_not_repeated(start: str, end: str) -> None:
    """Nor is that."""
    with pytest.raises(UnknownModel) as refused:
        parse_model_name(f"{start}me:hunter2@{end}")
    assert "hunter2" not in str(refused.value)


def test_the_nearest_model_is_found_for_a_misspelt_one() -> None:
    """A model may be newer than the catalogue, so this is a hint and no error."""
    assert (
        find_nearest_model_name(parse_model_name("openai:gpt-6.1-tera")) == "openai:gpt-6.1-terra"
    )
    assert find_nearest_model_name(parse_model_name("openai:zzz")) == ""
    assert find_nearest_model_name(parse_model_name("chat:http://localhost:1/v1#m")) == ""


@pytest.mark.parametrize(
    ("name", "env", "base_url"),
    [
        ("openai:o3", {"OPENAI_API_KEY": KEY}, "https://api.openai.com/v1"),
        ("chat:gpt-4.1", {"OPENAI_API_KEY": KEY}, "https://api.openai.com/v1"),
        (
            "openai:o3",
            {"OPENAI_API_KEY": f" {KEY}\n", "OPENAI_BASE_URL": "https://gate.example/v1/"},
            "https://gate.example/v1",
        ),
        ("anthropic:claude-opus-5", {"ANTHROPIC_API_KEY": KEY}, "https://api.anthropic.com"),
        (
            "anthropic:claude-opus-5",
            {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": "http://localhost:1"},
            "http://localhost:1",
        ),
        (
            "azure:d",
            {"AZURE_OPENAI_API_KEY": KEY, "AZURE_OPENAI_ENDPOINT": "https://x.openai.azure.com/"},
            "https://x.openai.azure.com/openai/v1",
        ),
        (
            "azure:d",
            {"AZURE_OPENAI_API_KEY": KEY, "AZURE_OPENAI_ENDPOINT": "https://x/openai/v1/"},
            "https://x/openai/v1",
        ),
        ("chat:https://far.example/v1#m", {"CHAT_API_KEY": KEY}, "https://far.example/v1"),
    ],
)
def test_keys_and_addresses_come_from_the_environment(
    name: str, env: dict[str, str], base_url: str
) -> None:
    """Each provider has its own variables."""
    access = find_model_credentials(parse_model_name(name), env, list)
    assert access == Access(KEY, base_url)


@pytest.mark.parametrize(
    ("name", "env"),
    [
        ("chat:http://localhost:11434/v1#m", {}),
        ("responses:http://host/v1#m", {}),
        ("anthropic:http://127.0.0.1:8080#m", {}),
        ("openai:http://[::1]:80/v1#m", {}),
        ("openai:o3", {"OPENAI_BASE_URL": "http://localhost:4000/v1"}),
        ("scripted:a.json", {}),
    ],
)
def test_servers_of_this_machine_need_no_key(name: str, env: dict[str, str]) -> None:
    """A word stands where clients want one."""
    assert find_model_credentials(parse_model_name(name), env, list).key == "none"


def test_openais_key_is_not_sent_to_a_server_of_ones_own() -> None:
    """A chat server somewhere has its own variable."""
    access = find_model_credentials(
        parse_model_name("chat:http://host/v1#m"), {"OPENAI_API_KEY": KEY}, list
    )
    assert access.key == "none"


def test_without_a_key_the_ways_to_go_on_are_named() -> None:
    """The variable, a local server that is there, or a script."""
    servers = [
        LocalServer("Ollama", "http://localhost:11434/v1", ("qwen3", "llama3")),
        LocalServer("vLLM", "http://localhost:8000/v1"),
    ]
    with pytest.raises(NoKey) as refused:
        find_model_credentials(parse_model_name("openai:gpt-6.1-terra"), {}, lambda: servers)
    said = str(refused.value)
    assert "export OPENAI_API_KEY" in said
    assert "Ollama: chat:http://localhost:11434/v1#qwen3" in said
    assert "vLLM: chat:http://localhost:8000/v1#model" in said
    assert "scripted:file" in said


def test_without_a_key_and_a_server_it_says_where_it_looked_and_how_to_start_one() -> None:
    """Four usual servers on their usual ports."""
    with pytest.raises(NoKey) as refused:
        find_model_credentials(
            parse_model_name("anthropic:claude-opus-5-5"), {"ANTHROPIC_API_KEY": "  "}, list
        )
    said = str(refused.value)
    assert "ANTHROPIC_API_KEY" in said
    for words in ("11434 (Ollama)", "1234 (LM Studio)", "8080 (llama.cpp)", "8000 (vLLM)"):
        assert words in said
    assert "ollama serve" in said


def test_azure_without_an_endpoint_asks_for_it() -> None:
    """A key alone reaches nothing."""
    with pytest.raises(NoKey, match="AZURE_OPENAI_ENDPOINT") as refused:
        find_model_credentials(parse_model_name("azure:d"), {"AZURE_OPENAI_API_KEY": KEY}, list)
    assert KEY not in str(refused.value)


def test_a_key_is_in_no_repr() -> None:
    """Access can be logged."""
    access = find_model_credentials(parse_model_name("openai:o3"), {"OPENAI_API_KEY": KEY}, list)
    assert KEY not in repr(access)
    assert KEY not in str(access)
