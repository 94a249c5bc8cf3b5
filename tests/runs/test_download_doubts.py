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
from director.runs import Run, Step, list_run_steps, run_workflow
from director.runs.doubts import Doubt
from director.runs.doubts.doubt import RowReading, RowVisit
from director.runs.download_facts import describe_download
from director.runs.export_doubts import find_wrong_exports
from director.runs.file_doubts import find_changed_files
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


def test_rows_from_all_over_a_table_are_kept(tmp_path: Path) -> None:
    """The first ones, and others up to its end; all of a table that is short."""
    for many in (1, 499, 500, 501, 2000):
        path = tmp_path / "orders.csv"
        path.write_text(write([order(n) for n in range(many)]))
        kept: Any = profile_table(path, str)
        ids = [int(row["id"]) for row in kept["rows"]]
        assert len(ids) == min(many, 500)
        assert ids == sorted(set(ids))
        assert ids[:250] == [*range(min(many, 250))]
        assert ids[-1] >= many - 1 - many // 200


def turn_date(text: str) -> str:
    """A date with its day first."""
    return ".".join(reversed(text.split("-")))


MANY = [order(n) for n in range(1, 638)]
TAILS: dict[str, tuple[Rows, list[str]]] = {
    "dates": (change(MANY[450:], "placed", turn_date), ["placed"]),
    "cents": (change(MANY[450:], "amount", lambda text: text.replace(".", "")), ["amount"]),
    "commas": (change(MANY[450:], "amount", lambda text: text.replace(".", ",")), ["amount"]),
    "right": (MANY[450:], []),
    "a slip": ([*MANY[450:500], *change(MANY[500:501], "placed", turn_date), *MANY[501:]], []),
    "amounts of nothing": ([*MANY[450:500], *change(MANY[500:], "amount", lambda _: "0")], []),
    "no dates": (change(MANY[450:], "placed", lambda _: ""), ["placed"]),
}


@pytest.mark.parametrize("what", TAILS)
def test_a_table_whose_end_is_written_in_another_way_is_doubted(tmp_path: Path, what: str) -> None:
    """Far behind its first rows, or is gone from known rows; a single slip and zeros are not."""
    tail, fields = TAILS[what]
    before, now = (download(tmp_path, write([*MANY[:450], *end])) for end in (MANY[450:], tail))
    found = compare(before, now)
    kind = "blank" if what == "no dates" else "format"
    assert [(each.kind, each.field_name) for each in found] == [(kind, f) for f in fields]
    # What was mixed before is not doubted.
    assert compare(now, now) == []


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
    found = [*find_wrong_exports([step], [list_])]
    assert [each.kind for each in found] == ["download"] * doubted
    assert (
        not doubted or "has 10 rows, all of them among the 40 that read read" in found[0].sentence
    )


def invoice(number: int) -> Row:
    """One invoice, with a number that tells it."""
    return {"number": f"RE-{number:04}", "amount": f"{number}.50", "status": "open"}


INVOICES = [invoice(n) for n in range(1, 638)]


def read_first(said: str, **more: Any) -> RowReading:
    """A node that read the first six invoices of a list that states its length."""
    rows = tuple({"number": row["number"], "href": f"/{row['number']}"} for row in INVOICES[:6])
    told = ({"text": said, "place": "pager"},)
    visit = RowVisit("id-read", "/invoices?search=late", rows, told, limited=True, of=25, **more)
    return RowReading("id-read", "read", (visit,), limit=6)


STATES = "Showing 1 to 25 of 175 items"


@pytest.mark.parametrize(
    ("rows", "said", "at", "doubted"),
    [
        (INVOICES, STATES, "/invoices?search=late", True),  # the export ignores the filter
        (INVOICES[:60], STATES, "/invoices?search=late", True),
        (INVOICES[:60], STATES, "/invoices?search=late&page=2", True),
        (INVOICES[:175], STATES, "/invoices?search=late", False),
        (INVOICES, "Showing 1 to 25 of 637 items", "/invoices?search=late", False),
        (INVOICES, STATES, "/invoices", False),  # another list
        (INVOICES, "more than 175 items", "/invoices?search=late", False),
        (INVOICES, "", "/invoices?search=late", False),
        (INVOICES[300:], STATES, "/invoices?search=late", False),  # none of the rows that were read
        ([order(n) for n in range(1, 638)], STATES, "/invoices?search=late", False),
        # Lines of invoices: their numbers are there twice.
        ([row for row in INVOICES for _ in "ab"], STATES, "/invoices?search=late", False),
    ],
)
def test_an_export_with_another_number_of_rows_than_its_page_states_is_doubted(
    tmp_path: Path, rows: Rows, said: str, at: str, *, doubted: bool
) -> None:
    """More than the list that was filtered, or a part of it; both numbers are named."""
    step = replace(download(tmp_path, write(rows)), before={"url": at, "document": "1"})
    found = [*find_wrong_exports([step], [read_first(said)])]
    assert [each.kind for each in found] == ["download"] * doubted
    assert not doubted or f"has {len(rows)} rows, and the page" in found[0].sentence
    assert not doubted or "states 175 ('Showing 1 to 25 of 175 items')" in found[0].sentence


def test_an_export_of_what_was_chosen_since_is_not_doubted(tmp_path: Path) -> None:
    """A word that was typed, boxes that were ticked; a menu that was opened filters nothing."""
    at = {"url": "/invoices?search=late", "document": "1"}
    export = replace(download(tmp_path, write(INVOICES[:4])), before=at, began=3.0)
    read = Step("id-read", "id-read", "read", "browser_query", "finished", began=1.0)
    acts: list[tuple[dict[str, Any], bool]] = [
        ({"action": "type", "selector": "#q", "text": "paid"}, False),
        ({"action": "check", "selector": "#all"}, False),
        ({"action": "click", "selector": {"role": "checkbox", "name": "RE-0001"}}, False),
        ({"action": "click", "selector": {"role": "button", "name": "Export"}}, True),
    ]
    for config, doubted in acts:
        act = Step("id-act", "id-act", "act", "browser_action", "finished", config=config)
        for began in (2.0, 0.5, 4.0):
            steps = [read, replace(act, began=began), export]
            found = [*find_wrong_exports(steps, [read_first(STATES)])]
            assert bool(found) == (doubted or began != 2.0)


def test_files_of_several_pages_are_counted_together(tmp_path: Path) -> None:
    """One for each page of the list, by the same node."""
    parts = [INVOICES[:100], INVOICES[100:175]]
    steps = [
        replace(
            download(tmp_path, write(part), name=f"part{n}", key=f"loop[{n}].id-get"),
            before={"url": f"/invoices?search=late&page={n}", "document": str(n)},
        )
        for n, part in enumerate(parts, 1)
    ]
    assert [*find_wrong_exports(steps, [read_first(STATES)])] == []
    assert len([*find_wrong_exports(steps[:1], [read_first(STATES)])]) == 1


def test_runs_compare_the_tables_that_they_download(
    live: Live, store: Store, site: AnsweringSite, tmp_path: Path
) -> None:
    """With the last run that passed without a doubt, of the same inputs; results stay short."""
    bad = WRONG["not filtered"][0]
    for text, kinds in ((write(ORDERS), []), (bad, ["input"]), (write(NEW), [])):
        run = get(live, store, site, tmp_path, text)
        assert [each["kind"] for each in run.doubts] == kinds
    (step,) = [each for each in list_run_steps(store, run.id) if each.alias == "get"]
    (kept,) = step.tables
    assert kept["rows"] == NEW
    assert len(files(step)[0]["first"]) == 3
    assert "twice" not in files(step)[0]
