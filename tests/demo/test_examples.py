"""The examples do on the demo site what they say, and the site's own state is the witness."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from director.browser import open_browser
from director.demo.site import Site
from director.runs import RunDependencies, run_workflow
from director.store import open_store
from director.store.run_variables import read_run_variables
from director.workflow.document import read_workflow_document, write_workflow_document
from director.workflow.values import Json, Workflow

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.json"))
_USUAL = "http://127.0.0.1:8765"


def example(name: str, url: str = _USUAL) -> Workflow:
    """An example, for a site at this address."""
    return read_workflow_document(
        json.loads((EXAMPLES / f"{name}.json").read_text().replace(_USUAL, url))
    )


def ran(name: str, site: Site, home: Path, **inputs: Json) -> dict[str, Json]:
    """The variables of a run of the example, which must end well."""

    async def work() -> dict[str, Json]:
        with open_store(home / "runs.db") as store:
            async with open_browser() as browser:
                means = RunDependencies(browser=browser, pictures="none")
                run = await run_workflow(store, example(name, site.url), means, inputs=inputs)
            assert (run.state, run.error) == ("done", None)
            return dict(read_run_variables(store, run.id))

    return asyncio.run(work())


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_a_document_as_it_should_be(name: str) -> None:
    """It is taken, comes back equal, and its name is the workflow's id."""
    workflow = example(name)
    assert read_workflow_document(write_workflow_document(workflow)) == workflow
    assert workflow.id == name
    assert f"({name}.json)" in (EXAMPLES / "README.md").read_text()


def test_all_products_are_in_the_csv(site: Site, tmp_path: Path) -> None:
    """Thirty-one lines under the headings, in the order of the shop."""
    found = ran("products-to-csv", site, tmp_path)["csv.text"]
    assert isinstance(found, str)
    lines = found.splitlines()
    assert lines[0] == "Name,Category,Price"
    assert [line.rpartition(",")[2] for line in lines[1:]] == [
        f"{product.price / 100:.2f}" for product in site.state.products.values()
    ]


@pytest.mark.slow
def test_one_order_is_placed(site: Site, tmp_path: Path) -> None:
    """With the code from the mailbox, once, under the reference."""
    told = ran("order-with-code", site, tmp_path, reference="R-7")
    (order,) = site.state.orders
    assert told["number.items"] == [f"Order {order.number}"]
    assert order.reference == "R-7"
    assert [(line.name, line.quantity) for line in order.lines] == [("Desk lamp", 1)]


@pytest.mark.slow
def test_every_invoice_becomes_a_row(site: Site, tmp_path: Path) -> None:
    """One row for each, nothing else archived."""
    bills = [mail for mail in site.state.mails.values() if "Invoices" in mail.labels]
    ran("invoices-to-table", site, tmp_path)
    written = [row.cells["number"] for row in site.state.rows.values()][18:]
    assert sorted(written) == sorted(dict(bill.facts)["Invoice number"] for bill in bills)
    archived = {mail.id for mail in site.state.mails.values() if mail.archived}
    assert archived == {bill.id for bill in bills}
