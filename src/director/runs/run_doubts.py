"""The doubts about a run: what its steps read, against the page, its checks and the run before.

The rules are in `director.runs.doubts`; here its values are made of steps, and stored checks kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from director.runs.done_before import EarlierEffects, is_search_done_before, was_looked_for
from director.runs.doubts import Doubt, EffectSeen, LoopSeen, RowReading, find_doubts
from director.runs.doubts.exchanged_fields import has_fields
from director.runs.doubts.node_checks import add_proposals, propose_checks
from director.runs.doubts.overwritten import find_overwritten
from director.runs.doubts.part_fits import join_part_doubts
from director.runs.doubts.record_details import find_strange_details
from director.runs.earlier_readings import find_earlier_reading, list_earlier_steps
from director.runs.export_doubts import find_wrong_exports
from director.runs.file_doubts import find_changed_files, find_wrong_files
from director.runs.row_comparison import RowComparison, count_row_changes, name_compared_rows
from director.runs.row_readings import (
    as_count,
    as_rows,
    is_row_reading,
    is_row_reading_done,
    list_row_readings,
    make_visit,
)
from director.runs.row_uses import find_record_key, list_decision_words
from director.runs.run_journal import list_run_records, list_run_steps
from director.runs.values import Run, Step
from director.store import Store, VersionConflict
from director.store.run_variables import get_draft_run_id, read_run_variables
from director.workflow.document import read_workflow_document, write_workflow_document
from director.workflow.doubt_checks import DoubtKind
from director.workflow.references import map_parents
from director.workflow.values import Config, Json, Node, Workflow


def find_run_doubts(
    store: Store,
    run: Run,
    workflow: Workflow,
    *,
    proofs: Mapping[str, Config] | None = None,
    is_of_run: Callable[[Step], bool] = lambda _: True,
) -> list[Doubt]:
    """Every doubt about a run that passed; `proofs` is what was read back of its effects."""
    every = [step for step in list_run_steps(store, run.id) if is_of_run(step)]
    steps = [step for step in every if is_row_reading_done(step)]
    nodes = {node.id: node for node in workflow.nodes}
    given = run.inputs
    found = [
        replace(
            each,
            is_one=each.is_one and not (each.only_counts and _is_asked_for(each, nodes)),
            decided_by=list_decision_words(nodes[each.node], nodes),
        )
        for each in list_row_readings(nodes, steps)
    ]
    before = find_earlier_reading(store, run, found, nodes)
    readings = [replace(each, inputs=given, **before.describe(each.node)) for each in found]
    rows_before = {id_: before.list_rows(id_) for id_ in before.same}
    effects = _list_effects(EarlierEffects(store, run), steps, proofs or {})
    checks = {node.id: node.checks for node in workflow.nodes}
    skipped = [step for step in every if step.status == "skipped"]
    told = [*list_step_doubts([*steps, *skipped]), *_rules(nodes, steps), *find_wrong_files(steps)]
    told += find_overwritten(nodes, _list_visits(steps))
    if gathers := [node for node in workflow.nodes if node.config.get("store_to_record")]:
        told += find_strange_details(gathers, list_run_records(store, run.id))
    told += find_changed_files(steps, lambda: list_earlier_steps(store, run), given)
    told += find_wrong_exports(steps, found)
    return find_doubts(
        readings, effects, _loops(nodes, steps), told, earlier=rows_before, checks=checks
    )


def compare_run(store: Store, run: Run, workflow: Workflow) -> dict[str, Json]:
    """What a run read beside the last one that passed with the same inputs, for its summary.

    `compared` has a comparison for each node that read rows in both; `not_compared` are the nodes
    that read several fields, of which no earlier run and no test is stored.
    """
    nodes = {node.id: node for node in workflow.nodes}
    steps = [step for step in list_run_steps(store, run.id) if is_row_reading_done(step)]
    found = [
        replace(each, key=each.key or find_record_key(nodes[each.node], nodes))
        for each in list_row_readings(nodes, steps)
    ]
    before = find_earlier_reading(store, run, found, nodes)
    ended = max((step.began + step.took for step in steps), default=0.0)
    alone = [each.alias for each in found if has_fields(each) and before.has_none(each.node)]
    told = [
        _compare_rows(store, each, last, ended)
        for each in found
        if (last := before.find_last(each.node)) and (len(each.visits) == 1 or not each.only_counts)
    ]
    return {"not_compared": [*alone], "compared": [each.json() for each in told]}


def _compare_rows(
    store: Store, reading: RowReading, last: tuple[str, RowReading], ended: float
) -> RowComparison:
    run, before = last
    known = store.get("run", run)
    rows = [*reading.rows, *before.rows]
    has_key = any(isinstance(row, Mapping) and reading.key in row for row in rows)
    key = reading.key if has_key else ""
    compared = RowComparison(
        reading.node,
        reading.alias,
        run,
        round(max(0.0, ended - known.at), 1) if known else 0.0,
        len(before.rows),
        len(reading.rows),
        key=key,
        only_counts=reading.only_counts,
    )
    if reading.only_counts:
        return compared
    gone, new, changed, left = count_row_changes(reading.rows, before.rows, key)
    names = name_compared_rows(left, before.rows, key)
    return replace(compared, gone=gone, new=new, changed=changed, names=names)


def _list_effects(
    earlier: EarlierEffects, steps: Sequence[Step], proofs: Mapping[str, Config]
) -> list[EffectSeen]:
    """What was seen of each effect, in the order in which they were had."""
    done = sorted(filter(_has_effect, steps), key=lambda step: step.began)
    return [
        replace(
            _effect(
                step,
                {} if _is_used_later(step, done) else proofs.get(step.key, {}),
                is_seen=_is_seen(step, steps),
            ),
            before=found
            if (found := earlier.find_same(step)) and not was_looked_for(step, steps)
            else "",
        )
        for step in done
    ]


def _find_before(earlier: EarlierEffects, step: Step, steps: Sequence[Step]) -> str:
    """Where the same was sent before, unless a look showed that it is not there."""
    same = earlier.find_same(step)
    return "" if was_looked_for(step, steps) else same


def _is_asked_for(reading: RowReading, nodes: Mapping[str, Node]) -> bool:
    """Whether another node uses what was counted: then none is an answer."""
    used = re.compile(r"\{\{\s*" + re.escape(reading.alias) + r"\b")
    others = [node.config for node in nodes.values() if node.id != reading.node]
    return any(used.search(json.dumps(each, default=dict)) for each in others)


def _has_effect(step: Step) -> bool:
    return step.type == "browser_action" and step.observed is not None


def _loops(nodes: Mapping[str, Node], steps: Iterable[Step]) -> list[LoopSeen]:
    """The loops and groups that ended, each with all of its visits."""
    found: dict[str, LoopSeen] = {}
    for step in steps:
        result = step.result if isinstance(step.result, Mapping) else {}
        if step.type in ("iterate", "group") and "errors" in result:
            parts = "rounds" if step.type == "iterate" else "nodes"
            limit = as_count(nodes[step.node].config.get("limit")) if step.node in nodes else 0
            fresh = LoopSeen(step.node, step.alias, 0, (), parts, limit)
            known = found.get(step.node) or fresh
            errors = [str(each["error"]) for each in cast("list[Config]", result["errors"])]
            total = known.total + as_count(result.get("total"))
            left = known.left + as_count(result.get("left"))
            told = (*known.errors, *errors)
            found[step.node] = replace(known, total=total, errors=told, left=left)
    return list(found.values())


def list_step_doubts(steps: Iterable[Step]) -> list[Doubt]:
    """The doubts that steps told themselves; of several visits of a node the first of each kind.

    Items that were left out are told together.
    """
    found: dict[tuple[str, str], Doubt] = {}
    for step in steps:
        for each in step.doubts:
            kind, evidence = cast("DoubtKind", each["kind"]), cast("Config", each["evidence"])
            doubt = Doubt(kind, step.node, step.alias, str(each["sentence"]), evidence)
            known = found.setdefault((step.node, kind), doubt)
            if kind == "part" and known is not doubt:
                found[step.node, kind] = join_part_doubts(known, doubt)
    return list(found.values())


def _rules(nodes: Mapping[str, Node], steps: Iterable[Step]) -> Iterator[Doubt]:
    """Rules that did not hold while the run went on, and whose result nothing else is told."""
    for step in steps:
        result = step.result if isinstance(step.result, Mapping) else {}
        node = nodes.get(step.node)
        if step.type != "browser_query" or result.get("passed") is not False or node is None:
            continue
        if not {"store", "store_to_record", "create_records"} & {*node.config}:
            errors = [str(each) for each in as_rows(result.get("errors"))]
            said = f"{step.alias} found the page not as it should be: {'; '.join(errors)}."
            yield Doubt("rule", step.node, step.alias, said, {"errors": [*errors]})


def _is_used_later(step: Step, done: Sequence[Step]) -> bool:
    """Whether another node had an effect after it, which may have used up what it left."""
    return any(each.node != step.node and each.began > step.began for each in done)


def _effect(step: Step, proof: Config, *, is_seen: bool) -> EffectSeen:
    seen = step.observed or {}
    # What stands where a login leads is not its doing.
    rows = [] if seen.get("is_login") else [*as_rows(seen.get("rows"))]
    later = as_rows(proof.get("rows"))
    return EffectSeen(
        step.node,
        step.alias,
        step.key,
        str(seen.get("url", "")),
        typed=tuple(str(each) for each in as_rows(seen.get("typed"))),
        sent=cast("tuple[Config, ...]", tuple(as_rows(seen.get("sent")))),
        rows=cast("tuple[Sequence[str], ...]", tuple(later or rows)),
        errors=tuple(str(each) for each in as_rows(seen.get("errors"))),
        found=cast("int | None", proof.get("found")),
        where=str(proof.get("where", "")),
        looked=str(proof.get("looked", ""))[:300],
        part=cast("tuple[str, str] | None", seen.get("part")),
        is_seen=is_seen,
        held=_list_held(seen),
        fields=(*_list_fields(seen), *cast("Sequence[Config]", as_rows(proof.get("fields")))),
        marks=tuple(str(each) for each in as_rows(proof.get("marks"))),
    )


def _list_fields(seen: Config) -> tuple[Config, ...]:
    """What filled fields show, without those whose text the page shows elsewhere."""
    shown = {str(each).casefold() for each in as_rows(seen.get("texts_shown"))}
    fields = [cast("Config", each) for each in as_rows(seen.get("fields"))]
    return tuple(
        each for each in fields if each["shown"] or str(each["typed"]).casefold() not in shown
    )


def _list_held(seen: Config) -> tuple[str, ...]:
    """The promises that held before an effect, if nothing but them could show it."""
    told = seen.get("held_before")
    if not isinstance(told, Mapping) or seen.get("shown") or seen.get("proof"):
        return ()
    if seen.get("led_on") or (told.get("changed") and not told.get("acted")):
        return ()
    return tuple(str(each) for each in as_rows(told.get("conditions")))


def _is_seen(step: Step, steps: Sequence[Step]) -> bool:
    """Whether the page after an effect, or a later step, showed what was typed, or never could."""
    seen = step.observed or {}
    typed = [str(each) for each in as_rows(seen.get("typed")) if len(str(each)) > 2]
    # What was kept before this was looked for says nothing.
    if "shown" not in seen or not typed or seen.get("shown") or seen.get("is_login"):
        return True
    if seen.get("proof") or is_search_done_before(seen):
        return True
    # What was taken and is in the fields of the page that it led to.
    filled = [each for each in _list_fields(seen) if not each.get("kept")]
    kept = [each for each in filled if each["typed"] == each["shown"]]
    if seen.get("led_on") and kept:
        return True
    later = [each for each in steps if each.began > step.began]
    told = json.dumps([[each.result, each.evidence] for each in later], default=dict).casefold()
    return any(json.dumps(text)[1:-1].casefold() in told for text in typed)


def _list_visits(steps: Sequence[Step]) -> dict[str, list[tuple[str, Json]]]:
    """The keys and results of the visits of each node that holds no others."""
    found: dict[str, list[tuple[str, Json]]] = {}
    for step in steps:
        if step.type not in ("iterate", "group", "handle", "item"):
            found.setdefault(step.node, []).append((step.key, step.result))
    return found


def is_doubted_in_loop(workflow: Workflow, node: str) -> bool:
    """Whether a node is visited several times in a run, so that one visit is only a part."""
    inside = map_parents(workflow)
    kinds = {each.id: each.type for each in workflow.nodes}
    owners, seen = [part.owner for part in inside.get(node, ())], set()
    while owners:
        owner = owners.pop()
        if kinds.get(owner) == "iterate":
            return True
        if owner not in seen:
            seen.add(owner)
            owners += [part.owner for part in inside.get(owner, ())]
    return False


def keep_checks(
    store: Store, workflow: Workflow, node: str, step: Step | None
) -> tuple[Config, ...]:
    """Keep with a node the checks that its test proposes; those that are new."""
    if step is None or not is_row_reading_done(step) or not is_row_reading(step):
        return ()
    known_inputs = read_run_variables(store, get_draft_run_id(workflow.id))
    given = {one.name: known_inputs.get(one.name) for one in workflow.inputs if not one.sensitive}
    counts = step.config.get("method") == "count"
    proposed = [] if counts else propose_checks(make_visit(step), cast("dict[str, Json]", given))
    newest = store.get("workflow", workflow.id)
    if newest is None or not proposed:
        return ()
    now = read_workflow_document(cast("Json", newest.body))
    known = next((each.checks for each in now.nodes if each.id == node), None)
    if known is None:
        return ()
    checks = add_proposals(known, proposed)
    if checks == known:
        return ()
    nodes = tuple(replace(each, checks=checks) if each.id == node else each for each in now.nodes)
    body = write_workflow_document(replace(now, nodes=nodes))
    try:
        store.put("workflow", workflow.id, body, "kept proposed checks", expect=newest.version)
    except VersionConflict:
        # Somebody changed the workflow meanwhile; the next test proposes them again.
        return ()
    return tuple(each for each in checks if each not in known)
