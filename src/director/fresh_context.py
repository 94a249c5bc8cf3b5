"""Fresh contexts as a program calls them: plain functions from a folder to a context.

Reads a project and its history; writes only when asked to keep.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from director.counting import counter_for, exact
from director.planning.agent_profiles import SKILLS
from director.planning.budget_report import Limit
from director.planning.context_assembly import ContextRequest, Fresh, assemble_context
from director.planning.delivery import HOSTS, can_deliver_inline, split_for_delivery
from director.planning.git import Git
from director.planning.injection import Injected, expand_injected_commands
from director.planning.kept_contexts import (
    compare_with_last,
    find_kept_context,
    keep_context_parts,
    write_kept_context,
)
from director.planning.manifest import Json, hash_content
from director.planning.manifest_checks import (
    Check,
    describe_context_differences,
    list_manifest_sources,
    load_manifest,
    verify_manifest,
)
from director.planning.project_files import open_project, read_project
from director.planning.recent_changes import Commit, read_change_log
from director.planning.section_format import HEADED, Source, escape_section_name, read_context
from director.planning.skill_commands import make_skill_command_runner
from director.planning.values import (
    MemoryFiles,
    Project,
    ProjectError,
    decode_file_bytes,
    encode_file_text,
)
from director.workflow.nearest import write_nearest_hint

WINDOW = 200_000
Place = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class Own:
    """Instructions of one's own: a name and a text, which may hold `` !`commands` ``."""

    name: str
    text: str


def fresh(  # noqa: PLR0913  each option has a name
    project: Place,
    agent: str,
    task: str | None = None,
    *,
    skill: str | None = None,
    step: str | None = None,
    model: str | None = None,
    window: int | None = None,
    instructions: Sequence[Own | Place] = (),
    allow: Sequence[str] = (),
    order: str = "seed",
    fill: bool = False,
    log: Place | None = None,
) -> Fresh:
    """A fresh context for an agent and a task of the project in a folder.

    Without a task it is for the next one, without a model for a window of 200,000 tokens. A skill
    may be one of the five by name, or the path of a SKILL.md. Nothing is written.
    """
    root = Path(project)
    found = open_project(root)
    own, skill = _own(instructions, skill)
    extra, injected, remarks = _extra(root, own, allow)
    told = None if log is None else os.fspath(log)
    ask = ContextRequest(agent, task, skill, step, order, fill, extra, model, log=told)
    git = Git(root)
    made = _make_context(found, ask, limit_for(model, window), git=git, commits=_commits(git, log))
    commands: list[Json] = [_describe_injection(one) for one in injected]
    manifest = {**made.manifest, "commands": commands} if commands else made.manifest
    notes = (
        *([git.problem] if git.problem and log is None else []),
        *(f"!`{one.placeholder.command}`: {one.said}" for one in injected),
        *remarks,
    )
    report = replace(made.report, notes=(*made.report.notes, *notes))
    return replace(made, manifest=manifest, report=report)


def limit_for(model: str | None, window: int | None) -> Limit:
    """The budget for a model: its window from the catalogue unless one is given."""
    if window is not None and window < 1:
        raise ProjectError(f"A window has at least one token, not {window}.")
    if model is None:
        # Who reads it is not known, so no count is exact.
        return Limit(
            window or WINDOW, exact("o200k_base", "o200k_base (no model named)", error=0.25)
        )
    return Limit(window or _window(model), counter_for(model))


def keep_context(project: Place, made: Fresh, *, stable: bool = False) -> tuple[Path, str]:
    """Keep a context under `.director/contexts/`; its folder, and the report on it."""
    root = Path(project)
    shared = compare_with_last(root, made.content)
    report = str(made.report)
    if shared is not None:
        how = "stable order" if stable else "seed order"
        report += f"  Shared: {shared.share:.1%} is the beginning of {shared.before} ({how})\n"
    return write_kept_context(root, made, report), report


def deliver_context(project: Place, made: Fresh, host: str) -> str:
    """The context if this way into a host shows it whole, else the names of files that hold it."""
    if host not in HOSTS:
        raise ProjectError(f"There is no host {host!r}.{write_nearest_hint(host, HOSTS)}")
    count = made.report.counting
    if host != "file" and can_deliver_inline(made.text, HOSTS[host], count):
        return made.text
    texts = split_for_delivery(made.text, count)
    places = keep_context_parts(Path(project), made, texts)
    lines = [
        f"{number}. {place} ({count(text):,} tokens)\n"
        for number, (place, text) in enumerate(zip(places, texts, strict=True), 1)
    ]
    return (
        f"Your context is in {len(lines)} files. Read each whole, in this order:\n{''.join(lines)}"
    )


def verify_context(project: Place, wanted: str | None = None) -> list[Check]:
    """Whether a kept or written context holds; without a name, the last one kept."""
    manifest, context = _manifest(Path(project), wanted)
    return verify_manifest(manifest, context, open_project(Path(project)).folder.read)


def compare_contexts(project: Place, old: str, new: str) -> list[str]:
    """What differs between two contexts, in words."""
    return describe_context_differences(
        _manifest(Path(project), old)[0], _manifest(Path(project), new)[0]
    )


def replay_context(project: Place, wanted: str | None = None) -> tuple[Fresh, bool]:
    """A context made again from its manifest, and whether it is the same, byte for byte.

    A source that has changed since is read from the commit that the manifest names.
    """
    root = Path(project)
    manifest, context = _manifest(root, wanted)
    git = Git(root)
    asked = manifest["asked"]
    found = _as_it_was(root, manifest, git)
    extra = _extra_again(manifest, context)
    ask = ContextRequest(
        asked["agent"],
        asked["task"],
        asked["skill"],
        asked["step"],
        asked["order"],
        asked["fill"],
        extra,
        asked["model"],
        log=asked["log"],
    )
    commits = _commits(git, asked["log"], asked["head"] or "HEAD")
    limit = limit_for(asked["model"], manifest["window"])
    made = _make_context(found, ask, limit, git=git, commits=commits)
    return made, made.sha256 == manifest["context"]["sha256"]


def _make_context(
    found: Project, ask: ContextRequest, limit: Limit, *, git: Git, commits: Sequence[Commit]
) -> Fresh:
    def commit_of(path: str, content: bytes) -> str | None:
        return git.head if git.is_committed(path, content) else None

    head = commits[0].id if commits and ask.log is None else None
    return assemble_context(
        found, replace(ask, head=head), limit, commits=commits, commit_of=commit_of
    )


def _commits(git: Git, log: Place | None, revision: str = "HEAD") -> list[Commit]:
    if log is None:
        return git.log(revision)
    try:
        return read_change_log(Path(log).read_text("utf-8", "replace"))
    except OSError as error:
        raise ProjectError(
            f"The log {os.fspath(log)!r} cannot be read: {error.strerror}."
        ) from None


def _own(given: Sequence[Own | Place], skill: str | None) -> tuple[list[Own], str | None]:
    """The instructions of one's own, with those of a SKILL.md if a skill is given by its path."""
    own = [one if isinstance(one, Own) else _read(Path(one)) for one in given]
    if skill is None or skill in SKILLS or not Path(skill).is_file():
        return own, skill
    text = _read(Path(skill))
    # Some name a skill with its plugin ahead, as in director:build.
    told = re.search(r"^name:[ \t]*(?:[\w-]+:)?([\w-]+)[ \t]*\r?$", text.text[:2_000], re.MULTILINE)
    named = told[1] if told and told[1] in SKILLS else None
    return [text, *own], named


def _read(path: Path) -> Own:
    try:
        return Own(path.name, decode_file_bytes(path.read_bytes()))
    except OSError as error:
        raise ProjectError(f"{str(path)!r} cannot be read: {error.strerror}.") from None


def _extra(
    root: Path, own: Sequence[Own], allow: Sequence[str]
) -> tuple[tuple[Source, ...], list[Injected], list[str]]:
    sources: list[Source] = []
    injected: list[Injected] = []
    remarks: list[str] = []
    run = make_skill_command_runner(root)
    for one in own:
        # A heading is one word that holds a dot; no two are the same.
        name = one.name if "." in one.name else f"{one.name}.md"
        name = name if all(name != each.name for each in sources) else f"{len(sources)}-{name}"
        done = expand_injected_commands(one.text, allow, run)
        injected += done.injected
        remarks += [f"{name}, {remark}" for remark in done.remarks]
        rule = "instructions of your own"
        sources.append(Source(name, done.text, rule, name, kind="own", injected=done.spans))
    return tuple(sources), injected, remarks


def _describe_injection(one: Injected) -> dict[str, Json]:
    return {
        "command": one.placeholder.command,
        "line": one.placeholder.line,
        "outcome": one.outcome,
        "said": one.said,
        "output_sha256": hash_content(encode_file_text(one.output)),
        "output_bytes": len(encode_file_text(one.output)),
    }


def _manifest(root: Path, wanted: str | None) -> tuple[Mapping[str, Any], bytes | None]:
    place, context = find_kept_context(root, wanted)
    try:
        found = load_manifest(place.read_bytes(), str(place))
    except OSError as error:
        raise ProjectError(f"{str(place)!r} cannot be read: {error.strerror}.") from None
    return found, context.read_bytes() if context else None


def _as_it_was(root: Path, manifest: Mapping[str, Any], git: Git) -> Project:
    """The project with the sources of a manifest: as it lies there, else from its commit."""
    now = open_project(root)
    if _is_unchanged(now, manifest):
        return now
    head = next((s["commit"] for _, s in list_manifest_sources(manifest) if s["commit"]), None)
    # What was not committed then may still lie there as it was.
    as_then = {
        path: content
        for path, source in list_manifest_sources(manifest)
        if (content := now.folder.read(path)) is not None
        and hash_content(content) == source["sha256"]
    }
    then = read_project(MemoryFiles({**git.files(head), **as_then})) if head else now
    for path, source in list_manifest_sources(manifest):
        content = then.folder.read(path)
        if content is None or hash_content(content) != source["sha256"]:
            raise ProjectError(
                f"{path!r} has changed since and is in no commit as it was: "
                "the context cannot be made again."
            )
    return then


def _is_unchanged(project: Project, manifest: Mapping[str, Any]) -> bool:
    return all(
        (content := project.folder.read(path)) is not None
        and hash_content(content) == source["sha256"]
        for path, source in list_manifest_sources(manifest)
    )


def _extra_again(manifest: Mapping[str, Any], context: bytes | None) -> tuple[Source, ...]:
    """Instructions of one's own as the kept context has them; they are in no project."""
    entries = [
        source
        for section in manifest["sections"]
        if section["tag"] in HEADED
        for source in section["sources"]
        if source["kind"] == "own"
    ]
    if not entries:
        return ()
    if context is None:
        raise ProjectError("The context had instructions of its own and was not kept with them.")
    parsed = {tag: dict(texts) for tag, texts in read_context(decode_file_bytes(context))}
    found = []
    for entry in entries:
        text = parsed.get("instructions", {}).get(escape_section_name(entry["name"]), "")
        if hash_content(encode_file_text(text)) != entry["sha256"]:
            raise ProjectError(f"{entry['name']!r} was cut in the context and is not kept whole.")
        found.append(Source(entry["source"], text, entry["rule"], entry["name"], kind="own"))
    return tuple(found)


def _window(model: str) -> int:
    """The window of a model, by its full name or, if the catalogue knows it, its bare one."""
    from director.models import capabilities  # noqa: PLC0415  quick help
    from director.models.names import UnknownModel, parse_model_name  # noqa: PLC0415

    if ":" in model:
        try:
            named = parse_model_name(model)
            known = [capabilities.read_capabilities(named.provider, named.model)]
        except (UnknownModel, KeyError) as error:
            raise ProjectError(
                f"{str(error).splitlines()[0]} Give its window with --window."
            ) from None
    else:
        known = [
            capabilities.read_capabilities(provider, model) for provider in ("openai", "anthropic")
        ]
    # A window that is guessed by a model's family could be too large.
    for found in known:
        if found.known:
            return found.window
    raise ProjectError(f"The window of {model!r} is not known. Give it with --window.")


# Names of one release ago; they go with the next.
kept = keep_context
delivered = deliver_context
verified = verify_context
compared = compare_contexts
replayed = replay_context
