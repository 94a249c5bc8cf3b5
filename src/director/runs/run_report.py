"""A run as one HTML page that stands alone: it needs no script, no network and no other file.

Everything in it came through the run's own net and is escaped here; what is sensitive by its name
is hidden. Pictures are part of the page. Nothing on it can load anything or run anything.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from importlib.resources import files

from director.runs.branch_choices import read_branch_choices
from director.runs.nodes import CONTROL
from director.runs.questions import list_run_questions
from director.runs.run_control import load_run_workflow
from director.runs.run_journal import list_run_records, list_run_steps, read_run
from director.runs.run_text import (
    get_step_depth,
    write_branch_run_lines,
    write_comparison_run_lines,
    write_config_text,
    write_doubts_text,
    write_evidence_text,
    write_key_text,
    write_node_text,
    write_seconds_text,
    write_time_text,
)
from director.runs.values import Run, Step
from director.store import Store
from director.store.run_variables import read_run_variables
from director.workflow.display import render_value
from director.workflow.paths import is_list
from director.workflow.records import Record
from director.workflow.sensitive import mask_sensitive
from director.workflow.values import Config, Json, Workflow

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
_COUNTS = {"successfully_executed": "done", "failed": "failed", "skipped": "skipped"}
_LONGEST = 20_000  # characters of one result


def render_run_report(store: Store, run: str) -> str:
    """The report of a run, as it is now."""
    found = read_run(store, run)
    return _Report(store, found, load_run_workflow(store, found)).page()


class _Report:
    def __init__(self, store: Store, run: Run, workflow: Workflow) -> None:
        self._store = store
        self._run = run
        self._workflow = workflow
        self._nodes = {node.id: node for node in workflow.nodes}
        self._steps = sort_report_steps(list_run_steps(store, run.id))
        timed = [step for step in self._steps if step.began]
        self._start = min((step.began for step in timed), default=0.0)
        self._end = max((step.began + step.took for step in timed), default=0.0)

    def page(self) -> str:
        style = (files("director.runs") / "report.css").read_text(encoding="utf-8")
        title = f"{self._workflow.name}: {self._run.state}"
        body = "\n".join(
            [
                *self._head(),
                *self._inputs(),
                *self._timeline(),
                *self._questions(),
                *self._variables(),
                *self._records(),
            ]
        )
        return (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n{body}\n"
            f"<footer>Run {escape(self._run.id)}. Made by Director; this page loads nothing."
            "</footer>\n</body>\n</html>\n"
        )

    def _head(self) -> Iterator[str]:
        run, summary = self._run, self._run.summary
        yield '<header><div class="head">'
        yield f"<h1>{escape(self._workflow.name)}</h1>"
        yield f'<span class="state {run.state}">{run.state}</span>'
        if run.doubts:
            yield f'<span class="state doubt">{write_doubts_text(len(run.doubts))}</span>'
        yield "</div>"
        if self._workflow.description:
            yield f'<p class="soft">{escape(self._workflow.description)}</p>'
        named = summary.get("not_compared")
        alone = named if isinstance(named, list | tuple) else []
        facts = {
            "Run": run.id,
            "Workflow": f"{run.workflow}, version {run.workflow_version}",
            "Began": write_time_text(self._start) if self._start else "not yet",
            "Took": write_seconds_text(self._end - self._start),
            "Steps": ", ".join(
                f"{summary[name]} {word}" for name, word in _COUNTS.items() if summary.get(name)
            )
            or "none",
            **({"Nothing to compare with yet": ", ".join(map(str, alone))} if alone else {}),
            "Nodes": run.selection if run.selection != "all" else "all",
            "Worker": run.worker or "none",
        }
        told = "".join(
            f"<div><dt>{k}</dt><dd>{escape(str(v))}</dd></div>" for k, v in facts.items()
        )
        yield f'<dl class="facts">{told}</dl>'
        if run.error:
            key = str(run.error.get("key", ""))
            where = f"<b>{escape(write_key_text(key, self._nodes.values()))}</b>: " if key else ""
            message = escape(str(run.error.get("message", "")))
            yield f'<div class="error">{where}{message}</div>'
        yield "</header>"
        yield from self._doubts()
        if compared := write_comparison_run_lines(run):
            yield f"<h2>Compared with the last run</h2>{_items(map(escape, compared))}"
        if taken := write_branch_run_lines(read_branch_choices(run.summary), most=200):
            yield f"<h2>Branches</h2>{_items(map(escape, taken))}"

    def _doubts(self) -> Iterator[str]:
        """What speaks against a run that passed, with the evidence."""
        if not self._run.doubts:
            return
        yield f"<h2>Doubts ({len(self._run.doubts)})</h2>"
        for each in self._run.doubts:
            evidence = each.get("evidence")
            seen = _render_values(evidence) if isinstance(evidence, Mapping) else []
            yield f'<details class="doubt" open><summary>{escape(str(each["sentence"]))}</summary>'
            if each.get("explained"):
                said = escape(str(each["explained"]))
                yield f"<p>Dismissed by Director's model, not by a person: {said}</p>"
            yield f"{_table(('evidence', 'value'), seen)}</details>"

    def _inputs(self) -> Iterator[str]:
        if self._run.inputs:
            yield "<h2>Inputs</h2>"
            yield _table(("name", "value"), _render_values(self._run.inputs))

    def _timeline(self) -> Iterator[str]:
        yield "<h2>Timeline</h2>"
        if not self._steps:
            yield '<p class="soft">Nothing has been done yet.</p>'
        for step in self._steps:
            yield from self._step(step)

    def _step(self, step: Step) -> Iterator[str]:
        state = step.status if step.state == "finished" else step.state
        kind = "item" if step.type == "item" else "control" if step.type in CONTROL else ""
        name = step.alias
        if step.type == "item":
            name = f"[{step.key.rpartition('[')[2].rstrip(']')}]"
        opened = " open" if step.status == "failed" and not kind else ""
        indent = f"padding-left:{get_step_depth(step.key) * 16 + (16 if kind == 'item' else 0)}px"
        took = write_seconds_text(step.took) if step.began and state != "begun" else ""
        yield f'<details class="step {kind}{" bad" if state == "failed" else ""}"{opened}><summary>'
        yield f'<span class="name" style="{indent}">{escape(name)}</span>'
        yield f'<span class="{state}">{"ok" if state == "success" else state}</span>'
        yield f'<span class="track">{self._bar(step)}</span><span class="took">{took}</span>'
        yield "</summary>"
        yield f'<div class="inside">{"".join(self._inside(step))}</div></details>'

    def _bar(self, step: Step) -> str:
        whole = self._end - self._start
        if not step.began or whole <= 0:
            return ""
        left = 100 * (step.began - self._start) / whole
        width = min(100 - left, 100 * step.took / whole)
        return f'<span class="bar" style="left:{left:.2f}%;width:{width:.2f}%"></span>'

    def _inside(self, step: Step) -> Iterator[str]:
        yield from self._about(step)
        if step.error:
            yield f'<div class="error">{escape(step.error)}</div>'
        if step.warnings:
            yield _list("Warnings", (escape(each) for each in step.warnings))
        if step.notes:
            yield _list("Notes", (escape(each) for each in step.notes))
        if step.evidence:
            yield _list("Evidence", map(_evidence, step.evidence))
        if step.page:
            yield _list("Page", [escape(str(step.page.get("url", "")))])
        if step.screenshot:
            yield self._picture(step)
        yield from self._render_details(step)

    def _about(self, step: Step) -> Iterator[str]:
        node = self._nodes.get(step.node)
        about = [step.type] if step.type == "item" or not node else [write_node_text(node)]
        if node and node.description and step.type != "item":
            about.append(node.description)
        if get_step_depth(step.key):
            about.append(write_key_text(step.key, self._nodes.values()))
        if step.attempt > 1:
            about.append(f"attempt {step.attempt}")
        yield f'<p class="soft">{"<br>".join(map(escape, about))}</p>'

    def _render_details(self, step: Step) -> Iterator[str]:
        if step.config:
            yield f"<h3>Config</h3><pre>{escape(write_config_text(step.config))}</pre>"
        if step.result is not None and step.type not in (*CONTROL, "item"):
            told = json.dumps(mask_sensitive(step.result), ensure_ascii=False, indent=2)
            yield f"<h3>Result</h3><pre>{escape(told[:_LONGEST])}</pre>"
        if wrote := list(self._wrote(step)):
            yield "<h3>Variables and records written</h3>"
            yield _table(("name", "value"), wrote)

    def _picture(self, step: Step) -> str:
        content = self._store.read_kept((step.screenshot or {})["$kept"])
        kind = "png" if content.startswith(b"\x89PNG") else "jpeg"
        source = f"data:image/{kind};base64,{base64.b64encode(content).decode()}"
        alt = escape(f"The page after {step.alias}", quote=True)
        return (
            '<h3>Page as it looked</h3><details class="shot"><summary>'
            f'<img src="{source}" alt="{alt}"></summary></details>'
        )

    def _wrote(self, step: Step) -> Iterator[tuple[str, str]]:
        for kind, id_, before in step.wrote:
            name = id_.partition("/")[2]
            written = self._store.get(kind, id_, before + 1)
            if written is None:
                continue
            if kind == "variable":
                yield name, render_value(name, written.body.get("value"))  # type: ignore[arg-type]
            else:
                yield name, f"record, {written.body.get('status')}"

    def _questions(self) -> Iterator[str]:
        if asked := list_run_questions(self._store, self._run.id):
            yield "<h2>Questions</h2>"
            rows = [(each.text, "answered" if each.answer else "no answer yet") for each in asked]
            yield _table(("question", "state"), rows)

    def _variables(self) -> Iterator[str]:
        found = read_run_variables(self._store, self._run.id)
        if found:
            yield "<h2>Variables at the end</h2>"
            yield _table(("name", "value"), _render_values(found))  # type: ignore[arg-type]

    def _records(self) -> Iterator[str]:
        found = list_run_records(self._store, self._run.id)
        if not found:
            return
        rows = [flatten_report_row(flatten_report_record(record)) for record in found]
        names = list(dict.fromkeys(name for row in rows for name in row))
        yield f"<h2>Records ({len(found)})</h2>"
        cells = ([_cell(name, row.get(name)) for name in names] for row in rows)
        yield _table(names, cells)


def sort_report_steps(steps: Iterable[Step]) -> list[Step]:
    """Steps in the order in which they began; one that was skipped follows what it belongs to."""
    known = list(steps)
    began = {step.key: step.began for step in known}

    def when(step: Step) -> tuple[float, int]:
        around = [at for key, at in began.items() if at and step.key.startswith(f"{key}.")]
        return step.began or max(around, default=0.0), step.position

    return sorted(known, key=when)


def flatten_report_record(record: Record) -> dict[str, Json]:
    """A record as one row: what was found and gathered, each under its own name.

    What a query gave stays together under its name. What Director knows of the record comes last,
    under names that no page uses.
    """
    row: dict[str, Json] = {}
    for inside in (record.fields, record.vars):
        for name, value in inside.items():
            is_own = isinstance(value, Mapping) and not {"totalElements", "downloads"} & {*value}
            for inner, one in value.items() if is_own else [("", value)]:  # type: ignore[union-attr]
                column = inner or name
                row[column if column not in row else f"{name}.{column}"] = one
    row |= {"_record": record.id, "_type": record.type, "_status": record.status}
    return {**row, "_error": record.error} if record.error else row


def flatten_report_row(row: Mapping[str, Json]) -> dict[str, Json]:
    """A row of a table: an object as columns of their own, a list of plain values as one text.

    Of what a query gave, the one item that it found is meant. A list of objects stays as it is.
    """
    found: dict[str, Json] = {}
    for name, value in row.items():
        inner = _find_item(value)
        if isinstance(inner, Mapping) and inner:
            told = flatten_report_row(inner)
            found |= {f"{name}.{one}": each for one, each in told.items()}
        elif is_list(inner) and not any(isinstance(each, Mapping | list | tuple) for each in inner):
            found[name] = "; ".join("" if each is None else str(each) for each in inner)
        else:
            found[name] = inner
    return found


def _find_item(value: Json) -> Json:
    """The one object of a list, or of the items of a query; anything else as it is."""
    items = value.get("items") if isinstance(value, Mapping) and "totalElements" in value else value
    is_one = is_list(items) and len(items) == 1 and isinstance(items[0], Mapping)
    return items[0] if is_one and is_list(items) else items


def _cell(name: str, value: Json) -> str:
    said = mask_sensitive(value, name=name)
    return "" if said is None else said if isinstance(said, str) else render_value(name, said)


def _render_values(values: Mapping[str, Json]) -> list[tuple[str, str]]:
    return [(name, render_value(name, value)) for name, value in values.items()]


def _evidence(evidence: Config) -> str:
    state = ("success", "held") if evidence.get("holds") else ("failed", "did not hold")
    return f'<span class="{state[0]}">{state[1]}</span>: {escape(write_evidence_text(evidence))}'


def _list(title: str, items: Iterable[str]) -> str:
    return f"<h3>{title}</h3>{_items(items)}"


def _items(items: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{each}</li>' for each in items)}</ul>"


def _table(names: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    lines = (f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f'<div class="table"><table><tr>{head}</tr>{"".join(lines)}</table></div>'
