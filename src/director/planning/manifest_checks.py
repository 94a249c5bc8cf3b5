"""Checking manifests: does a context hold, what differs between two, can one be made again.

Pure: the bytes are handed in.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from director.planning.manifest import VERSION, hash_content
from director.planning.section_format import escape_section_name, read_context
from director.planning.values import ProjectError, decode_file_bytes, encode_file_text

Read = Callable[[str], bytes | None]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked: in words what was found, and whether it holds."""

    said: str
    holds: bool = False


def load_manifest(content: bytes, place: str) -> Mapping[str, Any]:
    """A manifest from its bytes; ProjectError if it is none."""
    try:
        found = json.loads(content)
    except ValueError as error:
        raise ProjectError(f"{place!r} is no manifest: {error}.") from None
    if not isinstance(found, dict) or found.get("manifest") != VERSION:
        raise ProjectError(f"{place!r} is no manifest of version {VERSION}.")
    return found


def verify_manifest(manifest: Mapping[str, Any], context: bytes | None, read: Read) -> list[Check]:
    """Whether the context is the one of the manifest, and its sources are still what they were."""
    checks = list(_context(manifest, context)) if context is not None else []
    for path, source in list_manifest_sources(manifest):
        now = read(path)
        if now is None:
            checks.append(Check(f"{path} is not there any more"))
        elif hash_content(now) != source["sha256"]:
            checks.append(Check(f"{path} has changed since"))
        else:
            checks.append(Check(f"{path} is as it was", holds=True))
    return checks


def list_manifest_sources(manifest: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The files of the project that a manifest names, each once, with one of its entries."""
    seen: set[str] = set()
    for section in manifest["sections"]:
        for source in section["sources"]:
            path = source["source"]
            if source["kind"] in ("file", "part") and path not in seen:
                seen.add(path)
                yield path, source


def _context(manifest: Mapping[str, Any], context: bytes) -> Iterator[Check]:
    told = manifest["context"]
    same = hash_content(context) == told["sha256"]
    said = "the context is the manifest's" if same else "the context was altered"
    yield Check(said, same)
    try:
        parsed = read_context(decode_file_bytes(context))
    except ValueError as error:
        yield Check(f"the context cannot be read back: {error}")
        return
    shown = {
        (tag, name): hash_content(encode_file_text(text))
        for tag, texts in parsed
        for name, text in texts
    }
    wanted = {
        (section["tag"], escape_section_name(source["name"])): source["shown_sha256"]
        for section in manifest["sections"]
        for source in section["sources"]
    }
    for tag, name in sorted(shown.keys() | wanted.keys()):
        place = f"{tag}{f' ({name})' if name else ''}"
        if shown.get((tag, name)) != wanted.get((tag, name)):
            yield Check(f"{place} is not what the manifest says")


def describe_context_differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """What differs between two contexts, in words; nothing if they are the same."""
    if old["context"]["sha256"] == new["context"]["sha256"]:
        return []
    found = [
        f"{key}: {old[key]} → {new[key]}"
        for key in ("window", "budget", "tokens", "tokens_before")
        if old[key] != new[key]
    ]
    asked = sorted(old["asked"].keys() | new["asked"].keys())
    found += [
        f"asked {key}: {old['asked'].get(key)} → {new['asked'].get(key)}"
        for key in asked
        if old["asked"].get(key) != new["asked"].get(key)
    ]
    before, after = _by_place(old), _by_place(new)
    for place in [*before, *(one for one in after if one not in before)]:
        found += _describe_change(place, before.get(place), after.get(place))
    return found


def _by_place(manifest: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    return {
        f"{section['tag']}: {source['source']}": source
        for section in manifest["sections"]
        for source in section["sources"]
    }


def _describe_change(
    place: str, old: Mapping[str, Any] | None, new: Mapping[str, Any] | None
) -> Iterator[str]:
    if old is None or new is None:
        here = new or old or {}
        yield f"{'+' if old is None else '-'} {place} ({here.get('tokens_after')} tokens)"
        return
    if old["sha256"] != new["sha256"]:
        yield f"~ {place}: the source changed, {old['bytes']} → {new['bytes']} bytes"
    if old["ranges"] != new["ranges"] and old["sha256"] == new["sha256"]:
        yield f"~ {place}: shown {old['ranges']} → {new['ranges']}"
    if old["tokens_after"] != new["tokens_after"]:
        yield f"~ {place}: {old['tokens_after']} → {new['tokens_after']} tokens"
    if old["rule"] != new["rule"]:
        yield f"~ {place}: {old['rule']} → {new['rule']}"
