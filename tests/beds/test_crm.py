"""Workflows in Django's admin: what they did is in its database, and the password nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from beds.crm.bed import (
    PASSWORD,
    Crm,
    create,
    delete,
    log_in,
    narrow,
    page_through,
    running,
    workflow,
)
from director.runs import Run, list_run_records, run_workflow
from director.secrets import Vault
from director.store import Store
from director.store.run_variables import read_run_variables
from director.workflow.values import Workflow
from runs.conftest import Live

NEW = {"name": "Ada Lovelace", "email": "ada@example.org", "gone": "person7@example.org"}


@pytest.fixture
def crm(tmp_path: Path) -> Iterator[Crm]:
    """The admin with 35 contacts."""
    with running(tmp_path / "crm") as started:
        yield started


def done(live: Live, store: Store, crm: Crm, made: Workflow) -> Run:
    """Run a workflow with the password in a vault that is bound to the admin."""
    vault = Vault(crm.folder / "vault", b"k" * 32)
    vault.put("crm", PASSWORD, crm.origin)
    means = live.means(secrets=vault, file=lambda name: crm.folder / name)
    return live.run(run_workflow(store, made, means, inputs=dict(NEW)))


@pytest.mark.slow
def test_every_contact_is_read_and_one_is_made(live: Live, store: Store, crm: Crm) -> None:
    """Log in with a secret, 35 contacts over four pages into records, one more in the database."""
    parts = (log_in(crm.origin), page_through(), create(crm.origin))
    run = done(live, store, crm, workflow("read-contacts", crm, *parts))
    assert run.error is None
    found = {
        (each.fields["find"]["name"], each.fields["find"]["email"])
        for each in list_run_records(store, run.id)
    }  # type: ignore[index,call-overload]
    assert len(found) == 35
    query = "select name, email from crm_contact where name like 'Person%'"
    assert found == set(crm.rows(query))
    assert crm.rows("select kind from crm_contact where name = 'Ada Lovelace'") == [("lead",)]


@pytest.mark.slow
def test_a_whole_day_at_the_crm(live: Live, store: Store, crm: Crm, tmp_path: Path) -> None:
    """Filter, page, create with a file, delete with confirmation: the database agrees each time."""
    ((customers,),) = crm.rows("select count(*) from crm_contact where kind = 'customer'")
    (crm.folder / "contract.txt").write_text("signed")
    parts = (
        log_in(crm.origin),
        page_through(),
        narrow(crm.origin),
        create(crm.origin, file="contract.txt"),
        delete(crm.origin),
    )
    run = done(live, store, crm, workflow("day-at-the-crm", crm, *parts))
    assert run.error is None
    assert f"{customers} contacts" in str(read_run_variables(store, run.id)["customers.items"])
    assert crm.rows("select count(*) from crm_contact") == [(35,)]
    assert crm.rows("select 1 from crm_contact where email = 'person7@example.org'") == []
    ((kept,),) = crm.rows("select contract from crm_contact where name = 'Ada Lovelace'")
    assert (crm.folder / "media" / kept).read_text() == "signed"
    written = [path.read_bytes() for path in tmp_path.glob("runs.db*")]
    assert written
    assert not any(PASSWORD.encode() in text for text in written)
