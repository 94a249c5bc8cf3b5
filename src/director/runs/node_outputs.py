"""What a node leaves behind: variables by `store`, records by `create_records`, the current one.

Computed here as values; the ledger writes them together with the step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from director.workflow.paths import is_list
from director.workflow.records import Naming, Record, RecordsFound, find_records
from director.workflow.values import Config, Json, Node, WorkflowError
from director.workflow.variables import make_variables

_MECHANICS = {
    "browser_action": frozenset(
        "clicked hovered dragged to by pressed focused selector nth totalElements "
        "actionableElements filteredBy waited scrolledTo scrolledToRow scrollTop tries doubts "
        "active".split()
    ),
    "browser_query": frozenset({"filteredBy", "doubts"}),
}


@dataclass(frozen=True, slots=True)
class OutputWrites:
    """Variables and records to write, and what could not be kept."""

    values: Mapping[str, Json] = field(default_factory=dict)
    records: tuple[Record, ...] = ()
    warnings: tuple[str, ...] = ()
    found: RecordsFound | None = None

    def merge_into(self, records: Mapping[str, Record]) -> list[Record]:
        """The records of the run as they will be when these are written."""
        merged = {**records, **{each.id: each for each in self.records}}
        gone = self.found.dropped if self.found else ()
        return [each for each in merged.values() if each.id not in gone]

    def count(self, records: Mapping[str, Record]) -> Mapping[str, int] | None:
        """How many records were made and found again, and how many the run has of their type."""
        if self.found is None:
            return None
        types = {record.type for record in self.found.records}
        total = sum(each.type in types for each in self.merge_into(records))
        return {"made": self.found.made, "merged": self.found.merged, "total": total}


@dataclass(frozen=True, slots=True)
class Keeping:
    """A node's result, what its config says to keep of it, and the records there are."""

    node: Node
    config: Config
    result: Json
    records: Mapping[str, Record]
    visit: str
    current: str = ""

    def collect_writes(self) -> OutputWrites:
        """What is to be written; a problem is a warning unless the config is strict."""
        values: dict[str, Json] = {}
        changed: dict[str, Record] = {}
        warnings: list[str] = []
        found: list[RecordsFound] = []
        for keep in (self._variables, self._create, self._gather):
            try:
                for each in keep({**self.records, **changed}):
                    if isinstance(each, RecordsFound):
                        found.append(each)
                        changed |= {record.id: record for record in each.records}
                    elif isinstance(each, Record):
                        changed[each.id] = each
                    else:
                        values[each[0]] = each[1]
            except WorkflowError as problem:
                # Records that were asked for and are missing would be a green run with holes.
                if self.config.get("strict_store") or keep == self._create:
                    raise
                warnings.append(f"Not kept: {problem}")
        made = found[0] if found else None
        return OutputWrites(values, tuple(changed.values()), tuple(warnings), made)

    def _variables(self, _: Mapping[str, Record]) -> Iterator[tuple[str, Json]]:
        if self.config.get("store"):
            yield from make_variables(self.node.alias, self.config["store"], self.result).items()

    def _create(self, records: Mapping[str, Record]) -> Iterator[RecordsFound]:
        wanted = self.config.get("create_records")
        if wanted is None:
            return
        asked = wanted if isinstance(wanted, Mapping) else {"type": wanted}
        naming = Naming(
            str(asked["type"]), str(asked.get("key") or ""), str(asked.get("id_pattern") or "")
        )
        yield find_records(
            self.result, naming, source=self.node.alias, visit=self.visit, known=records.values()
        )

    def _gather(self, records: Mapping[str, Record]) -> Iterator[Record]:
        if not self.config.get("store_to_record"):
            return
        if not self.current:
            raise WorkflowError(
                "store_to_record needs a current record: put the node in the body of an iterate "
                "over records, or name a record for the test."
            )
        name = str(self.config.get("as") or self.node.alias)
        record = records[self.current]
        kept = _drop_mechanics(self.node.type, self.result)
        yield replace(record, vars={**record.vars, name: kept})


def _drop_mechanics(type_: str, result: Json) -> Json:
    """A result without how its element was found: what a person wants to have of it.

    Of an action of which nothing else is left, that it was done.
    """
    if not isinstance(result, Mapping) or type_ not in _MECHANICS:
        return result
    left = {name: value for name, value in result.items() if name not in _MECHANICS[type_]}
    if is_list(files := left.get("downloads")):
        left["downloads"] = [_describe_file(each) for each in files]
    return left or True


def _describe_file(told: Json) -> Json:
    """A downloaded file without the beginning of its content."""
    if not isinstance(told, Mapping):
        return told
    return {name: value for name, value in told.items() if name not in ("first", "lines")}
