"""Generated folders, windows and profiles, and what must hold of each context made of them.

As a program, `python cases.py FIRST COUNT YEAR`, it checks so many cases with its clock set to
that year and prints one digest of all that was made: the same in every process.
"""

from __future__ import annotations

import hashlib
import random
import sys
import time
from collections.abc import Callable

from director.context.values import Counter, chars4
from director.counting import counter_for
from director.planning.agent_profiles import AGENTS, SKILLS, load_profile
from director.planning.budget_report import Limit
from director.planning.context_assembly import ContextRequest, Fresh, assemble_context
from director.planning.manifest import encode_manifest
from director.planning.markdown import find_markdown_part
from director.planning.project_files import read_project
from director.planning.recent_changes import Commit
from director.planning.section_budget import TooLarge
from director.planning.section_format import ORDER, PROTECTED, Source, read_context
from director.planning.values import MemoryFiles, Project, decode_file_bytes, encode_file_text

_TAGS = [f"<{mark}{tag}>" for tag in ORDER for mark in ("", "/")]
_BITS = [
    *_TAGS,
    *(
        "## CONVENTIONS.md",
        "\\## x.md",
        "## a/b",
        "<\\vision>",
        "＜task＞",
        "< / TASK >",
        "<tаsk>",
        "<",
    ),
    *(
        "```",
        "```py\nx = 1\n\ny = 2\n```",
        "~~~~\n\n~~~~",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "- a\n\n- b",
    ),
    *(
        "# Title",
        "## Status",
        "## Decisions",
        "### Locked\n- Keep",
        "## What To Do",
        "## Done When",
    ),
    *(
        "## Needs First",
        "Task 1",
        "Goal 2 Step 1",
        "**Current Goal:** Goal 1",
        "form page test API",
    ),
    *(
        "日本語の文章です。",
        "🙂🙂",
        "\r\n",
        "\x00",
        "\ufeff",
        "---\na: b\n---",
        "<!--",
        "-->",
        "word " * 40,
        "",
    ),
    *("[… 3 lines left out]", "Recent progress:", "RULES:", "session: update timestamps"),
]
# Folders as they are meant, and as people name them.
_FOLDERS = ["0{}-g", "0{}-g", "0{}-g", "{} a goal", "Ziel-{}-ü", "<task>{}", "{}.md"]
_NAMES = ["VISION.md", "GAMEPLAN.md", "STATE.md", "config.json"]
_FILES = [
    "STACK.md",
    "FEATURES.md",
    "ARCHITECTURE.md",
    "STRUCTURE.md",
    "CONVENTIONS.md",
    "TESTING.md",
    "SUMMARY.md",
]
_COUNTERS: list[Callable[[], Counter]] = [
    lambda: chars4,
    counter_for,
    lambda: counter_for("claude"),
]


def text(some: random.Random) -> bytes:
    """Any content: pieces that look like our own, or bytes that are no text."""
    if some.random() < 0.03:
        return some.randbytes(some.randrange(40))
    bits = some.choices(_BITS, k=some.randrange(12))
    return some.choice(["\n", "\n\n", " "]).join(bits).encode("utf-8", "surrogateescape")


def files(some: random.Random) -> dict[str, bytes]:
    """A folder, some of it missing."""
    paths = [f".director/{name}" for name in _NAMES]
    paths += [f".director/{kind}/{name}" for kind in ("research", "codebase") for name in _FILES]
    for number in range(1, some.randrange(1, 4)):
        goal = f".director/goals/{some.choice(_FOLDERS).format(number)}"
        paths.append(f"{goal}/GOAL.md")
        for step in range(1, some.randrange(1, 4)):
            folder = f"{goal}/{some.choice(_FOLDERS).format(step)}"
            paths += [f"{folder}/{name}" for name in ("STEP.md", "RESEARCH.md", "word form.md")]
            for task in range(1, some.randrange(1, 4)):
                forms = some.choice([["md"], ["md"], ["done.md"], ["md", "done.md"]])
                paths += [f"{folder}/tasks/0{task}-t.{form}" for form in forms]
    return {path: text(some) for path in paths if some.random() < 0.8}


def made(number: int) -> tuple[Project, ContextRequest, Limit, Fresh | None]:
    """Case `number`: what was asked, and the context, or None if it was refused for its size."""
    some = random.Random(number)
    project = read_project(MemoryFiles(files(some)))
    own = (Source("own.md", decode_file_bytes(text(some)), "own", "own.md", kind="own"),)
    ask = ContextRequest(
        some.choice((*AGENTS, *SKILLS)),
        skill=some.choice([None, None, *SKILLS]),
        order=some.choice(["seed", "stable"]),
        fill=some.random() < 0.5,
        extra=own if some.random() < 0.3 else (),
    )
    limit = Limit(int(10 ** some.uniform(2.3, 4.8)), some.choice(_COUNTERS)())
    commits = [
        Commit("0" * 40, decode_file_bytes(text(some)).split("\n")[0])
        for _ in range(some.randrange(15))
    ]
    try:
        return project, ask, limit, assemble_context(project, ask, limit, commits=commits)
    except TooLarge:
        return project, ask, limit, None


def check(project: Project, limit: Limit, fresh: Fresh) -> None:
    """Within the budget; protected parts word for word; read back as it was put in."""
    assert limit.counter(fresh.text) == fresh.tokens <= limit.tokens
    assert fresh.tokens <= limit.window * 0.3
    parsed = read_context(fresh.text) if fresh.text else []
    assert len({tag for tag, _ in parsed}) == len(parsed)
    shown = {tag: [one for _, one in texts] for tag, texts in parsed}
    for section in fresh.sections:
        assert shown[section.name] == [one.full_text for one in section.sources]
        for source, back in zip(section.sources, shown[section.name], strict=True):
            whole = project.text(source.source) if source.kind in ("file", "part") else source.text
            assert whole is not None
            if source.spans is None and not source.notice:
                assert back == source.lead + source.text + source.tail
            if source.kind == "file" and source.spans is None and not source.notice:
                assert back == whole
            for start, end in source.spans or ():
                assert source.text[start:end] in back
        if section.name in PROTECTED:
            assert all(one.spans is None and not one.notice for one in section.sources)
    decided(project, fresh, shown)


def decided(project: Project, fresh: Fresh, shown: dict[str, list[str]]) -> None:
    """The decisions are the file's own bytes, and none that are there are left away."""
    for section in fresh.sections:
        if section.name == "decisions":
            (one,) = section.sources
            kept, file = encode_file_text(one.text), project.folder.read(one.source)
            assert file is not None
            assert file[one.offset : one.offset + len(kept)] == kept
            assert b"ecisions" in file[: one.offset].splitlines()[-1]
    if (
        fresh.place is not None
        and "decisions" in load_profile(fresh.manifest["asked"]["agent"]).sections
    ):
        step = project.text(f"{fresh.place.step.path}/STEP.md") or ""
        found = find_markdown_part(step, "Decisions")
        wanted = step[slice(*found)] if found else ""
        assert wanted in shown["decisions"][0] if wanted.strip() else True


def set_clock(year: int) -> None:
    """What this process is told when it asks for the time."""
    then = (year - 1970) * 31_556_952.0
    time.time = lambda: then
    time.time_ns = lambda: int(then) * 1_000_000_000
    time.localtime = time.gmtime = lambda _=None: time.struct_time((year, 1, 1, 0, 0, 0, 0, 1, 0))


def run(first: int, count: int) -> tuple[str, int]:
    """Check so many cases; one digest of all that was made, and how many were refused."""
    digest = hashlib.sha256()
    refused = 0
    for number in range(first, first + count):
        project, _, limit, fresh = made(number)
        if fresh is None:
            refused += 1
            continue
        check(project, limit, fresh)
        digest.update(
            fresh.content + encode_manifest(fresh.manifest).encode() + str(fresh.report).encode()
        )
    return digest.hexdigest(), refused


if __name__ == "__main__":
    set_clock(int(sys.argv[3]))
    told, refused = run(int(sys.argv[1]), int(sys.argv[2]))
    sys.stdout.write(f"{told} {refused}\n")
