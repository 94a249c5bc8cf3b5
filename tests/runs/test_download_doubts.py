"""Downloaded tables that are not as in the last run that passed; honest twins are not doubted."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from director.browser.downloads import Downloaded
from director.runs import Run, Step, run_workflow, steps_of
from director.runs.doubts import Doubt
from director.runs.doubts.doubt import RowReading, RowVisit
from director.runs.download_facts import describe_download
from director.runs.file_doubts import find_changed_files, find_partial_files
from director.runs.table_profiles import profile_table
from director.store import Store
from runs.answers import AnsweringSite, file_named, serve_answers
from runs.building import flow, node
from runs.conftest import Live

Row = dict[str, str]
Rows = list[Row]


@pytest.fixture
def site() -> Iterator[AnsweringSite]:
    """A site that answers nothing yet."""
    with serve_answers() as served:
        yield served


def order(number: int) -> Row:
    """One order."""
    return {
        "id": str(number),
        "customer": str(number % 7 + 1),
        "placed": f"2026-09-{number % 28 + 1:02}",
        "status": "paid",
        "amount": f"{number * 37 % 900 + 10}.{number % 89 + 10}",
    }


def write(rows: Rows, separator: str = ",") -> str:
    """Rows as a table in a file."""
    file = io.StringIO()
    writer = csv.DictWriter(file, [*rows[0]], delimiter=separator)
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def exchange(rows: Rows, one: str, other: str) -> Rows:
    """The values of two columns, exchanged under the same head."""
    return [{**row, one: row[other], other: row[one]} for row in rows]


def change(rows: Rows, name: str, to: Callable[[str], str]) -> Rows:
    """Rows with other values in a column."""
    return [{**row, name: to(row[name])} for row in rows]


def rename(rows: Rows, old: str, new: str) -> Rows:
    """Rows with another name of a column."""
    return [{new if name == old else name: text for name, text in row.items()} for row in rows]


def get(live: Live, store: Store, site: AnsweringSite, folder: Path, text: str) -> Run:
    """A run that downloads a table."""
    site["/"] = "<a id=get href=/file>Export</a>"
    site["/file"] = file_named("orders.csv", text, "text/csv")
    opened = node("open", "browser_action", action="navigate", url=f"{site.origin}/")
    click = node("get", "browser_action", action="click", selector="#get")
    asked = [{"name": "status", "type": "text"}]
    workflow = flow(opened, click, origin=site.origin, inputs=asked)
    means = live.means(downloads=folder)
    run = live.run(run_workflow(store, workflow, means, inputs={"status": "paid"}))
    assert run.state == "done", run.error
    return run


ORDERS = [order(n) for n in range(1, 41)]
NEW = [order(n) for n in range(5, 49)]
WRONG: dict[str, tuple[str, list[str]]] = {
    "one column": (write(ORDERS).replace(",", "|"), ["download"]),
    "separator": (write(ORDERS, ";"), ["download"]),
    "renamed": (write(rename(ORDERS, "placed", "date")), ["download"]),
    "missing": (
        write([{k: v for k, v in row.items() if k != "amount"} for row in ORDERS]),
        ["download"],
    ),
    "key twice": (write(change(NEW, "id", lambda text: str(int(text) // 2))), ["unique"]),
    "decimal comma": (write(change(NEW, "amount", lambda t: t.replace(".", ","))), ["format"]),
    "dates": (
        write(change(NEW, "placed", lambda t: "/".join(reversed(t.split("-"))))),
        ["format"],
    ),
    "not filtered": (write([*NEW[:30], *change(NEW[30:], "status", lambda _: "open")]), ["input"]),
    "exchanged": (write(exchange(ORDERS, "placed", "status")), ["cells"]),
    "ids exchanged": (write(exchange(ORDERS, "id", "customer")), ["cells"]),
    "one row twice": (write([*ORDERS[:20], ORDERS[19], *ORDERS[21:]]), ["repeated"]),
    "many rows twice": (write([*ORDERS[:20], *ORDERS[:20]]), ["repeated"]),
}
HONEST = {
    "the same": write(ORDERS),
    "new rows": write(NEW),
    "all rows new": write([order(n) for n in range(100, 150)]),
    "a few rows fewer": write(ORDERS[:33]),
    "another order": write([*reversed(ORDERS)]),
    "a column more": write([{**row, "note": "x"} for row in ORDERS]),
    "an amount twice": write([*ORDERS, {**order(41), "amount": ORDERS[0]["amount"]}]),
    "columns in another order": write([dict(reversed(row.items())) for row in ORDERS]),
}


def download(folder: Path, *texts: str, name: str = "orders", key: str = "id-get") -> Step:
    """A step that downloaded tables, as a run keeps it."""
    files = [folder / f"{name}{number or ''}.csv" for number in range(len(texts))]
    for path, text in zip(files, texts, strict=True):
        path.write_text(text)
    told = [describe_download(Downloaded(each, each.stat().st_size, 0), str) for each in files]
    done = Step(key, "id-get", "get", "browser_action", "finished", result={"downloads": told})
    return replace(done, tables=tuple(profile_table(each, str) for each in files))


def compare(before: Step, now: Step) -> list[Doubt]:
    """The doubts about what a step downloaded, after another one."""
    return [*find_changed_files([now], lambda: [before], {"status": "paid"})]


@pytest.mark.parametrize("what", WRONG)
def test_a_table_that_is_not_as_before_is_doubted(tmp_path: Path, what: str) -> None:
    """Each fault by its kind, with the file in its evidence or what was before."""
    text, kinds = WRONG[what]
    found = compare(download(tmp_path, write(ORDERS)), download(tmp_path, text))
    assert sorted({each.kind for each in found}) == kinds, found
    assert all(each.alias == "get" and {"file", "before"} & {*each.evidence} for each in found)


@pytest.mark.parametrize("what", HONEST)
def test_an_honest_table_is_not_doubted(tmp_path: Path, what: str) -> None:
    """New rows, fewer by a little, in another order, with a column more."""
    found = compare(download(tmp_path, write(ORDERS)), download(tmp_path, HONEST[what]))
    assert found == []


def test_what_was_so_before_is_not_doubted(tmp_path: Path) -> None:
    """Two notations and ids that are there twice, rows that are, a status that was never alike."""
    mixed = [*change(ORDERS[:9], "amount", lambda text: text.replace(".", ",")), *ORDERS]
    doubled, unpaid = [*ORDERS, *ORDERS[:5]], [{**ORDERS[0], "status": "open"}, *ORDERS[1:]]
    for rows in (mixed, doubled, unpaid):
        later = [*rows, *(order(n) for n in range(50, 60))]
        before, now = download(tmp_path, write(rows, ";")), download(tmp_path, write(later, ";"))
        assert compare(before, now) == []


def test_rows_that_nothing_tells_apart_are_doubted_only_if_many_repeat(tmp_path: Path) -> None:
    """The same thing may be sold twice, but not half of all."""
    sales = [{"sold": f"2026-09-{n:02}", "item": f"Lamp {n}"} for n in range(1, 29)]
    for later, kinds in (([*sales, *sales[:3]], []), ([*sales[:14], *sales[:14]], ["repeated"])):
        before, now = download(tmp_path, write(sales)), download(tmp_path, write(later))
        assert [each.kind for each in compare(before, now)] == kinds


def test_each_of_several_tables_is_compared_with_its_own(tmp_path: Path) -> None:
    """By its name without numbers; where that is not sure, with none."""
    other = write([{"sku": str(n), "name": f"Lamp {n}"} for n in range(30)])
    orders, lamps = download(tmp_path, write(ORDERS)), download(tmp_path, other, name="lamps")
    result: Any = {"downloads": [*files(orders), *files(lamps)]}
    both = replace(orders, result=result, tables=(*orders.tables, *lamps.tables))
    turned: Any = {"downloads": [*files(lamps), *files(orders)]}
    assert compare(both, replace(both, result=turned)) == []
    alike = download(tmp_path, write(ORDERS), other), download(tmp_path, other, write(ORDERS))
    assert compare(*alike) == []
    bad = download(tmp_path, write(exchange(ORDERS, "placed", "status")), name="orders_2026-09-")
    result = {"downloads": [*files(lamps), *files(bad)]}
    wrong = replace(bad, result=result, tables=(*lamps.tables, *bad.tables))
    assert {each.kind for each in compare(both, wrong)} == {"cells"}


def files(step: Step) -> Any:
    """What a step told of its files."""
    result: Any = step.result
    return result["downloads"]


def test_what_is_kept_of_a_table_is_bounded_and_has_no_secret(tmp_path: Path) -> None:
    """But what is there twice is counted over the whole table."""
    rows = [{**order(n), "note": "hunter2" + "x" * 300} for n in range(2000)]
    path = tmp_path / "orders.csv"
    path.write_text(write([*rows, rows[0]]))
    kept: Any = profile_table(path, lambda text: text.replace("hunter2", "[hidden]"))
    assert len(json.dumps(kept)) < 100_000
    assert 100 < len(kept["rows"]) <= 500
    assert "hunter2" not in json.dumps(kept)
    assert "[hidden]" in kept["rows"][0]["note"]
    assert kept["repeated"] == 1
    assert kept["twice"]["id"] == "0"


@pytest.mark.parametrize(
    ("rows", "at", "doubted"),
    [
        (ORDERS[30:], "/orders?page=2", True),
        (ORDERS, "/orders?page=2", False),
        (ORDERS[30:], "/orders?status=paid", False),  # another list: a filter was set
        ([order(n) for n in range(70, 80)], "/orders?page=2", False),  # other things
    ],
)
def test_a_table_that_holds_a_part_of_the_list_on_its_page_is_doubted(
    tmp_path: Path, rows: Rows, at: str, *, doubted: bool
) -> None:
    """An export that begins at the last page, where reading the list had ended."""
    read = [{"number": row["id"], "total": row["amount"]} for row in ORDERS]
    list_ = RowReading("id-read", "read", (RowVisit("id-read", "/orders?page=2", read),))
    step = replace(download(tmp_path, write(rows)), before={"url": at, "document": "1"})
    found = [*find_partial_files([step], [list_])]
    assert [each.kind for each in found] == ["download"] * doubted
    assert (
        not doubted or "has 10 rows, all of them among the 40 that read read" in found[0].sentence
    )


def test_runs_compare_the_tables_that_they_download(
    live: Live, store: Store, site: AnsweringSite, tmp_path: Path
) -> None:
    """With the last run that passed without a doubt, of the same inputs; results stay short."""
    bad = WRONG["not filtered"][0]
    for text, kinds in ((write(ORDERS), []), (bad, ["input"]), (write(NEW), [])):
        run = get(live, store, site, tmp_path, text)
        assert [each["kind"] for each in run.doubts] == kinds
    (step,) = [each for each in steps_of(store, run.id) if each.alias == "get"]
    (kept,) = step.tables
    assert kept["rows"] == NEW
    assert len(files(step)[0]["first"]) == 3
    assert "twice" not in files(step)[0]
