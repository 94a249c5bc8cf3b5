"""What templates can name at one place of a run: loop variables, records, variables, parameters.

A scope only reads. The environment is reached through a function that is handed in, or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from director.workflow.nearest import find_nearest, write_nearest_hint
from director.workflow.paths import Path, PathNotFound, follow_path, write_path
from director.workflow.records import Record, list_record_paths, look_up_record_path
from director.workflow.templates import Template, TemplateError
from director.workflow.values import Json
from director.workflow.variables import split_variable_path


@dataclass(frozen=True, slots=True)
class Scope:
    """A lookup for `resolve`.

    In this order: `local` (index, total, isFirst, isLast and the loop's variable), `current`,
    `param`, a record by its id, a variable. `ran` says whether a node of this alias has run.
    """

    variables: Mapping[str, Json] = field(default_factory=dict)
    local: Mapping[str, Json] = field(default_factory=dict)
    current: Record | None = None
    records: Mapping[str, Record] = field(default_factory=dict)
    params: Mapping[str, Json] = field(default_factory=dict)
    env: Callable[[str], str | None] | None = None
    ran: Callable[[str], bool] | None = None

    def __call__(self, template: Template) -> Json:
        """What a template names; TemplateError if there is nothing of that name."""
        try:
            if template.kind == "env":
                return self._environment(template.name)
            if template.kind == "all_records":
                return self._of_all(template.path)
            return self._look_up_name(template.path)
        except PathNotFound as problem:
            raise TemplateError(f"{template}: {problem}") from None

    def names(self) -> Iterator[str]:
        """Everything that exists here, in the order of lookup."""
        yield from self.local
        if self.current:
            yield from (f"current.{way}" for way in list_record_paths(self.current))
        yield from (f"param.{name}" for name in self.params)
        yield from self.variables
        yield from self.records

    def _look_up_name(self, path: Path) -> Json:
        head = str(path[0])
        if head in self.local:
            return follow_path(self.local[head], path[1:], after=path[:1])
        if head == "current":
            return self._of_current(path[1:])
        if head == "param":
            return follow_path(self.params, path[1:], after=path[:1])
        if head in self.records:
            return look_up_record_path(self.records[head], path[1:])
        return self._variable(path)

    def _of_current(self, path: Path) -> Json:
        if self.current is None:
            if loop := self._name_of_item():
                rest = write_path((loop, *path)) if path else loop
                raise PathNotFound(f"in this loop the item is called {loop}: write {{{{{rest}}}}}.")
            raise PathNotFound(
                "there is no current record here: it exists in the body of an iterate over "
                "records, or when a record is given for a test."
            )
        return look_up_record_path(self.current, path)

    def _name_of_item(self) -> str:
        """What the innermost loop over a list calls its item."""
        names = [name for name in self.local if f"{name}Index" in self.local]
        return names[-1] if names else ""

    def _variable(self, path: Path) -> Json:
        found = split_variable_path(self.variables, path)
        if found is None:
            if self.ran and self.ran(str(path[0])):
                raise PathNotFound(
                    f"the node {path[0]} ran, and keeps nothing under this name: give it "
                    '"store": "*", which keeps each field of its result.'
                )
            names = list(self.names())
            wanted = write_path(path) if find_nearest(write_path(path), names) else str(path[0])
            raise PathNotFound(f"nothing has this name.{write_nearest_hint(wanted, names)}")
        key, rest = found
        return follow_path(self.variables[key], rest, after=path[: len(path) - len(rest)])

    def _of_all(self, path: Path) -> Json:
        found = [_or_nothing(record, path) for record in self.records.values()]
        if found and all(values == () for values in found):
            ways = dict.fromkeys(way for r in self.records.values() for way in list_record_paths(r))
            raise PathNotFound(
                f"no record has {write_path(path)!r}.{write_nearest_hint(write_path(path), ways)}"
            )
        return [values[0] if values else None for values in found]

    def _environment(self, name: str) -> Json:
        value = self.env(name) if self.env else None
        if value is None:
            raise PathNotFound(f"the environment of this run has no {name!r}.")
        return value


def _or_nothing(record: Record, path: Path) -> tuple[()] | tuple[Json]:
    try:
        return (look_up_record_path(record, path),)
    except PathNotFound:
        return ()
