"""A profile shows its sections and no others, in its order and places; a wrong one is refused."""

from __future__ import annotations

from importlib.resources import files

import pytest

from director.profiles import TOOLS, ProfileError, load_profile, place_sections, read_profile
from director.profiles.values import MODES, with_mode
from director.sections.boundary import NAMES, read_sections
from director.sections.section_texts import SECTIONS, read_system_prompt, render_section_text
from director.settings import MODES as SETTING
from director.settings import PROFILES
from sections.states import BUILDING, STATES

# Where each section stands: i the instructions, f ahead of the history, l behind it, - nowhere.
TABLE = {
    "structured": "system i  description i  plan i  workflow i  variables i  browser i  summary i",
    "structured_cached": (
        "system i  description i  plan l  workflow l  variables l  browser l  summary i"
    ),
    "clean": "system i  description -  plan -  workflow -  variables -  browser -  summary f",
}
CELLS = [(profile, *cell.split()) for profile, row in TABLE.items() for cell in row.split("  ")]
RIGHT = files("director.profiles").joinpath("clean.toml").read_text("utf-8")


def refused(text: str) -> str:
    """What is said about a profile that cannot be right."""
    with pytest.raises(ProfileError) as error:
        read_profile(text, "mine", place="mine.toml")
    return str(error.value)


@pytest.mark.promise("D7")
@pytest.mark.parametrize(("name", "shown", "where"), CELLS)
def test_a_profile_shows_a_section_in_its_place_or_not_at_all(
    name: str, shown: str, where: str
) -> None:
    """Every profile and every section."""
    found = place_sections(load_profile(name), BUILDING)
    places = {"i": found.instructions, "f": found.first, "l": found.last}
    there = [key for key, sections in places.items() if shown in [one.name for one in sections]]
    assert there == ([] if where == "-" else [where])


@pytest.mark.promise("D7")
def test_the_table_has_every_profile_and_every_section() -> None:
    """A new one must be entered there."""
    assert {(name, shown) for name, shown, _ in CELLS} == {
        (name, shown) for name in PROFILES for shown in SECTIONS
    }
    shipped = {file.name for file in files("director.profiles").iterdir()}
    assert {f"{name}.toml" for name in PROFILES} == {
        name for name in shipped if name.endswith(".toml")
    }
    assert set(SECTIONS) == set(NAMES)
    assert MODES == SETTING


def test_the_structured_order_is_the_agreed_one() -> None:
    """System, description, plan, workflow, variables, browser, summary; then the history."""
    found = place_sections(load_profile("structured"), BUILDING)
    assert tuple(one.name for one in found.instructions) == NAMES


@pytest.mark.promise("B8")
@pytest.mark.parametrize("name", PROFILES)
def test_every_profile_shows_the_same_texts(name: str) -> None:
    """Wherever they stand: a section is rendered by one function."""
    found = place_sections(load_profile(name), BUILDING)
    for one in (*found.instructions, *found.first, *found.last):
        assert one == render_section_text(one.name, BUILDING)


@pytest.mark.parametrize("state", STATES)
def test_a_message_of_sections_is_those_sections(state: str) -> None:
    """Ahead of the history and behind it."""
    found = place_sections(load_profile("structured_cached"), STATES[state])
    assert [one.name for one in read_sections(found.last_message)] == list(
        load_profile("structured_cached").last
    )
    assert found.first_message == ""


def test_clean_injects_nothing() -> None:
    """The instructions are the system prompt; until there is a summary, that is all."""
    found = place_sections(load_profile("clean"), STATES["begun"])
    assert [one.text for one in found.instructions] == [read_system_prompt("system")]
    assert (found.first_message, found.last_message) == ("", "")


@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.parametrize("mode", MODES)
def test_each_way_to_go_on_from_a_summary_can_be_chosen(name: str, mode: str) -> None:
    """The summary then stands once, where that way wants it; nothing else moves."""
    profile = load_profile(name)
    other = with_mode(profile, mode, every=20 if mode == "refresh" else 0)
    place = other.instructions if mode == "checkpoint" else other.first
    assert "summary" in place
    assert sorted(other.sections) == sorted(profile.sections)
    assert other.compression.mode == mode
    assert with_mode(other, profile.compression.mode) == profile


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_bounds_a_turn_and_allows_tools_by_name(name: str) -> None:
    """Every limit is set, every tool is known, every tool can be had."""
    profile = load_profile(name)
    limits = profile.limits
    assert min(limits.rounds, limits.tokens, limits.seconds, limits.money) > 0
    assert set(profile.tools) == set(TOOLS)
    assert profile.says


def test_only_what_stands_behind_the_history_keeps_a_profile_from_chaining() -> None:
    """A server would remember each of those messages for good."""
    for name in PROFILES:
        profile = load_profile(name)
        assert (profile.chain == "never") == bool(profile.last)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("[limits]", "[limit]", "there is no field 'limit'. Did you mean 'limits'?"),
        ("[limits]", "[limit]", "the table [limits] is missing"),
        ("rounds = 60", "round = 60", "limits: there is no field 'round'. Did you mean 'rounds'?"),
        ("rounds = 60", "rounds = 0", "limits: 'rounds' must be a number above 0"),
        ("money = 5.0", 'money = "5"', "limits: 'money' must be a number above 0"),
        ('"hybrid"', '"hybird"', "'strategy' cannot be 'hybird'. Did you mean 'hybrid'?"),
        ('"durable"', '"always"', "'chain' cannot be 'always'"),
        ('["system"]', '["systm"]', "sections.instructions: there is no 'systm'. Did you mean"),
        ('["system"]', '["plan", "system"]', "'system' comes first"),
        ('["system"]', '["system", "summary"]', "'summary' is shown twice"),
        ('["summary"]', "[]", "sections.first: 'summary' belongs here with the compression mode"),
        ('"create_node"', '"creat_node"', "tools: there is no 'creat_node'. Did you mean"),
        ('"create_node"', '"update_node"', "'update_node' is there twice"),
        ('"reset"', '"refresh"', "'every' is above 0 with the mode refresh"),
        ('"reset"', '"rest"', "'mode' cannot be 'rest'. Did you mean 'reset'?"),
        ("says =", "say =", "'says' is missing"),
        ("[limits]", "[limits", "'mine.toml' is not TOML"),
    ],
)
def test_a_wrong_profile_is_refused_with_file_key_and_nearest(
    old: str, new: str, says: str
) -> None:
    """Nothing in it is ignored in silence."""
    assert old in RIGHT
    said = refused(RIGHT.replace(old, new))
    assert says in said
    assert "mine.toml" in said


def test_a_profile_that_does_not_exist_is_refused_with_the_nearest() -> None:
    """By the names there are."""
    with pytest.raises(ProfileError, match="Did you mean 'structured'"):
        load_profile("structurd")
