"""What an outline shows is what a node finds: in a run, and in the script it is exported to."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from director.runs import run_workflow
from director.runs.playwright_script import write_playwright_script
from director.store import open_store
from director.store.run_variables import read_run_variables
from runs.building import pages
from runs.conftest import Live
from runs.one_page import PAGES, workflow
from sharing import share


@pytest.fixture(scope="module")
def told(live: Live, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a run of all parts kept, and what the script of the same workflow kept."""
    folder = tmp_path_factory.mktemp("one_page")
    found: dict[str, Any] = share(tmp_path_factory, "one_page", lambda: _run_both(live, folder))
    return found


def _run_both(live: Live, folder: Path) -> dict[str, Any]:
    (folder / "a.txt").write_text("hello")
    with pages(**PAGES) as origin:
        made = workflow(origin)
        with open_store(folder / "runs.db") as store:
            run = live.run(run_workflow(store, made, live.means(file=lambda name: folder / name)))
            assert run.state == "done", run.error
            ran = dict(read_run_variables(store, run.id))
        script = folder / "script.py"
        script.write_text(write_playwright_script(made))
        done = subprocess.run(
            [sys.executable, str(script), "--out", str(folder / "out.json")],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        kept = json.loads((folder / "out.json").read_text())["variables"]
        return {"run": ran, "script": kept}


@pytest.fixture(params=["run", "script"])
def kept(told: dict[str, Any], request: pytest.FixtureRequest) -> Mapping[str, Any]:
    """What was kept by one of them."""
    found: Mapping[str, Any] = told[request.param]
    return found


def items(kept: Mapping[str, Any], name: str) -> Any:
    """What an extraction read."""
    return (kept.get(f"{name}.result") or kept[name]["result"])["items"]


def test_what_fits_twice_is_not_absent(kept: Mapping[str, Any]) -> None:
    """Two visible buttons are two, not none."""
    assert "2 visible" in kept["buttons_failed"]


def test_a_list_is_read_and_counted_by_a_bundle(kept: Mapping[str, Any]) -> None:
    """All that fit are taken."""
    assert items(kept, "items") == ["one", "two", "three"]


def test_fields_cannot_hide_what_an_element_is(kept: Mapping[str, Any]) -> None:
    """A form whose fields are named like properties of elements is found as any other."""
    assert items(kept, "saved") == ["saved"]


def test_keys_go_to_the_element_that_is_named(kept: Mapping[str, Any]) -> None:
    """Also when a frame had the focus."""
    assert items(kept, "title") == [{"value": "x"}, {"value": ""}]


def test_shadow_roots_are_read(kept: Mapping[str, Any]) -> None:
    """Their texts, their parts and attributes of those."""
    found = items(kept, "cards")
    assert [card["title"] for card in found] == ["Card 1", "Card 2"]
    assert [card["link"].rpartition("/")[2] for card in found] == ["1", "2"]
    assert found[0]["all"] == "Card 1 open"


def test_what_stands_in_a_slot_names_its_button(kept: Mapping[str, Any]) -> None:
    """As the outline shows it."""
    assert items(kept, "sent") == ["sent"]


def test_names_are_those_of_the_outline(kept: Mapping[str, Any]) -> None:
    """With what a style adds, from a title, and of an icon that only listens."""
    assert items(kept, "printed") == ["Ada printed"]


def test_a_file_goes_to_the_chooser_behind_a_button(kept: Mapping[str, Any]) -> None:
    """Whatever the button makes to open it."""
    assert items(kept, "named") == ["a.txt"]


def test_a_question_is_answered_or_the_node_fails(kept: Mapping[str, Any]) -> None:
    """With the words of the question, if the node has no answer to it."""
    assert items(kept, "kept") == ["kept"]
    assert items(kept, "gone_then") == ["gone"]
    assert "Delete all?" in kept["confirm_failed"]
    assert "not known" in kept["confirm_failed"]


def test_rows_in_a_frame_are_read_by_css(kept: Mapping[str, Any]) -> None:
    """As the outline shows them."""
    assert items(kept, "rows") == [{"name": "Ada", "all": "Ada 3"}, {"name": "Ben", "all": "Ben 4"}]


def test_an_editor_holds_what_was_typed_and_nothing_else(kept: Mapping[str, Any]) -> None:
    """What was there before is replaced."""
    assert items(kept, "lines") == ["let a = 1;", "let b = 2;"]


def test_css_may_ask_for_a_text(kept: Mapping[str, Any]) -> None:
    """In the words of Playwright."""
    assert items(kept, "paid") == ["ben"]


def test_a_radio_in_its_label_is_found_by_both(kept: Mapping[str, Any]) -> None:
    """By its role and name, and by its label."""
    assert items(kept, "way") == ["sea"]


def test_what_only_its_place_tells_is_never_absent(kept: Mapping[str, Any]) -> None:
    """It is found while what stands around it is as it was; then it is neither found nor absent."""
    assert items(kept, "last") == [{"class": "b"}]
    assert "by its place alone" in kept["place_failed"]


def test_an_option_is_of_the_list_that_the_field_opens(kept: Mapping[str, Any]) -> None:
    """The list beside it has one of the same name."""
    assert items(kept, "chosen") == ["Lamp", "high"]


def test_a_list_that_draws_a_part_is_read_as_a_whole(kept: Mapping[str, Any]) -> None:
    """From its beginning, wherever it was scrolled to."""
    found = items(kept, "orders")
    assert [(item["no"], item["odd"]) for item in found] == [
        (str(n), str(n % 2)) for n in range(60)
    ]
