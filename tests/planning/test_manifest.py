"""A context can be verified, compared and made again from its manifest."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from director.fresh_context import (
    Own,
    compare_contexts,
    fresh,
    keep_context,
    replay_context,
    verify_context,
)
from director.planning.kept_contexts import measure_shared_prefix
from director.planning.values import ProjectError
from planning.folders import SMALL, STEP, TASK, committed, git, written

_VISION = ".director/VISION.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with a history."""
    return committed(written(tmp_path, SMALL), "Start", "session: update timestamps", "feat: bake")


def test_a_manifest_names_source_hash_commit_range_rule_tokens_and_counter(root: Path) -> None:
    """Of every piece of the context."""
    manifest = json.loads(json.dumps(fresh(root, "builder").manifest))
    head = git(root, "rev-parse", "HEAD").strip()
    sources = {s["source"]: s for section in manifest["sections"] for s in section["sources"]}
    vision = sources[_VISION]
    assert vision["commit"] == head
    assert vision["ranges"] == [[0, len(SMALL[_VISION])]]
    assert vision["rule"] == "profile builder"
    assert vision["tokens_before"] == vision["tokens_after"] > 0
    assert manifest["counter"]["name"].startswith("o200k_base")
    assert manifest["evidence"]["task_types"] == {"UI": ["form", "button"]}
    assert manifest["evidence"]["bookkeeping_commits_left_out"] == 1
    (root / _VISION).write_text("# Vision\n\nChanged\n")
    again = json.loads(json.dumps(fresh(root, "builder").manifest))
    assert again["sections"][0]["sources"][0]["commit"] is None


def test_the_range_of_decisions_is_their_place_in_the_file(root: Path) -> None:
    """In bytes."""
    manifest = json.loads(json.dumps(fresh(root, "builder").manifest))
    (entry,) = next(one for one in manifest["sections"] if one["tag"] == "decisions")["sources"]
    ((start, end),) = entry["ranges"]
    assert (root / STEP / "STEP.md").read_bytes()[start:end].strip().startswith(b"### Locked")


def test_a_kept_context_verifies_until_something_changes(root: Path) -> None:
    """A source that changed and a context that was altered are told apart."""
    folder, report = keep_context(root, fresh(root, "builder"))
    assert (folder / "report.txt").read_text() == report
    assert all(check.holds for check in verify_context(root))
    (root / TASK).write_text("# Task: Other\n")
    assert [check.said for check in verify_context(root) if not check.holds] == [
        f"{TASK} has changed since"
    ]
    context = folder / "context.md"
    context.write_bytes(context.read_bytes().replace(b"Sells bread", b"Sells shoes"))
    said = [check.said for check in verify_context(root) if not check.holds]
    assert said[:2] == ["the context was altered", "vision is not what the manifest says"]


def test_two_manifests_are_compared_in_words(root: Path) -> None:
    """What came, what went, what changed."""
    one, _ = keep_context(root, fresh(root, "builder"))
    (root / _VISION).write_text("# Vision\n\nShoes.\n")
    two, _ = keep_context(root, fresh(root, "verifier"))
    found = compare_contexts(root, one.name, two.name)
    assert any(line.startswith("asked agent: builder → verifier") for line in found)
    assert any(line.startswith(f"~ vision: {_VISION}: the source changed") for line in found)
    assert any(line.startswith("- decisions:") for line in found)
    assert compare_contexts(root, one.name, one.name) == []


def test_a_context_is_made_again_from_its_commit(root: Path) -> None:
    """Also when files and history have gone on; byte for byte."""
    keep_context(
        root, fresh(root, "builder", instructions=[Own("mine.md", "Be kind.\n")], window=9_000)
    )
    assert replay_context(root)[1]
    (root / TASK).rename(root / TASK.replace(".md", ".done.md"))
    (root / _VISION).write_text("# Vision\n\nShoes.\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Sell shoes")
    assert replay_context(root)[1]


def test_a_context_is_made_again_from_its_commit_and_what_was_not_committed(root: Path) -> None:
    """A source that lay beside the commit and still does is read where it lies."""
    (root / _VISION).write_text("# Vision\n\nNever committed.\n")
    keep_context(root, fresh(root, "builder"))
    (root / TASK).write_text("# Task: Other\n")
    assert replay_context(root)[1]


def test_a_context_of_files_with_odd_names_is_kept_and_made_again(root: Path) -> None:
    """Names and texts that are no UTF-8 come back as the bytes that they are."""
    task = root / STEP / os.fsdecode(b"tasks/03-caf\xe9 noir.md")
    task.write_bytes(b"# Task: Caf\xe9\n\n## What To Do\n\nBrew.\n")
    made = fresh(root, "builder", "1.1.3")
    folder, _ = keep_context(root, made)
    assert b"Caf\xe9" in (folder / "context.md").read_bytes()
    assert all(check.holds for check in verify_context(root))
    assert replay_context(root)[1]


def test_what_was_never_committed_cannot_be_made_again_and_is_named(root: Path) -> None:
    """Rather than something else being made."""
    (root / _VISION).write_text("# Vision\n\nNever committed.\n")
    keep_context(root, fresh(root, "builder"))
    (root / _VISION).write_text("# Vision\n\nOther.\n")
    with pytest.raises(ProjectError, match=r"VISION\.md.*in no commit"):
        replay_context(root)


def test_kept_contexts_are_out_of_gits_sight_and_of_the_next_context(root: Path) -> None:
    """They are no part of the project."""
    folder, _ = keep_context(root, fresh(root, "builder"))
    assert git(root, "status", "--porcelain") == ""
    assert fresh(root, "builder").sha256.startswith(folder.name)


def test_the_stable_order_shares_more_of_its_beginning(root: Path) -> None:
    """What changes least comes first; the report says how much is shared."""
    other = TASK.replace("02-order-form", "03-oven")
    (root / other).write_text(SMALL[TASK].replace("Order form", "Oven page"))
    shares = {}
    for order in ("seed", "stable"):
        one, two = (fresh(root, "builder", task, order=order) for task in (TASK, other))
        shares[order] = measure_shared_prefix(one.content, two.content)
        keep_context(root, one)
        assert f"Shared: {shares[order]:.1%}" in keep_context(root, two)[1]
    assert shares["stable"] > shares["seed"]


def test_a_repository_around_the_project_is_not_asked(tmp_path: Path) -> None:
    """Its history is not this project's, not even by a link."""
    committed(written(tmp_path, {"a.txt": "a"}), "Something else")
    project = written(tmp_path / "inner", SMALL)
    assert "Something else" not in fresh(project, "builder").text
    assert "No earlier progress is recorded." in fresh(project, "builder").text
    (project / ".git").symlink_to(tmp_path / ".git")
    assert "Something else" not in fresh(project, "builder").text
