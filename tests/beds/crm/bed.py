"""Django's admin as a CRM: a real application that nobody here wrote, and its database to look into.

The workflows log in with a password from the vault, filter, page through all contacts, create one
with a file, and delete one. What they say they did is compared with what the database holds.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from beds.miniwob.building import Node, act, choose, click, each, look, node, work_out
from director.workflow.document import read_workflow_document
from director.workflow.values import Json, Workflow

PASSWORD = "canary-of-the-crm-41"  # noqa: S105  of a server of this test
_SERVER = Path(__file__).parent / "project" / "serve.py"


@dataclass(frozen=True, slots=True)
class Crm:
    """The running admin."""

    origin: str
    folder: Path

    def rows(self, query: str) -> list[Any]:
        """What the database holds, read beside the application."""
        with closing(sqlite3.connect(self.folder / "crm.sqlite3")) as opened:
            return opened.execute(query).fetchall()


@contextmanager
def running(folder: Path) -> Iterator[Crm]:
    """The admin in a program of its own, for as long as the `with` lasts."""
    folder.mkdir()
    command = [sys.executable, str(_SERVER), str(folder), PASSWORD]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout
            port = int(server.stdout.readline())
            yield Crm(f"http://127.0.0.1:{port}", folder)
        finally:
            server.terminate()


def shows(done: Node, *conditions: Json) -> Node:
    """A node that is green only if these hold after it."""
    return {**done, "ensures": list(conditions)}


def log_in(origin: str) -> tuple[Node, ...]:
    """Log in; the password is named, never written."""
    return (
        act("open", "navigate", url=f"{origin}/admin/login/?next=/admin/crm/contact/"),
        act("user", "type", "#id_username", text="admin"),
        act("pass_word", "type", "#id_password", text="{{secret:crm}}"),
        {
            **shows(
                click("enter", {"role": "button", "name": "Log in"}),
                {"url": f"{origin}/admin/crm/contact/"},
                {"element": "#changelist"},
            ),
            # Logging in twice is logging in.
            "effect": "idempotent",
        },
    )


def page_through() -> tuple[Node, ...]:
    """Every contact into a record, page by page."""
    return (
        look("summed", ".paginator"),
        work_out(
            "pages",
            r'{"list": list(range((int(re.search(r"(\d+) contacts", said).group(1)) + 9) // 10))}',
            said="{{summed.items[0]}}",
        ),
        each("every_page", "{{pages.list}}", ["find", "turn"], variable="page"),
        node(
            "find",
            "browser_query",
            method="deterministic_extract",
            selector="#result_list tbody tr",
            fields={
                "pk": ".action-select",
                "name": ".field-name",
                "email": ".field-email",
                "kind": ".field-kind",
            },
            create_records={"type": "contact", "id_pattern": "contact_{{pk}}"},
        ),
        choose("turn", ("last", "{{isLast}}", []), ("more", True, "next_page")),
        shows(click("next_page", ".paginator .this-page + a"), {"url_matches": "[?&]p="}),
    )


def narrow(origin: str) -> tuple[Node, ...]:
    """Only customers, by the filter at the side."""
    return (
        act("back_to_all", "navigate", url=f"{origin}/admin/crm/contact/"),
        shows(
            click("filter", {"role": "link", "name": "Customer"}),
            {"url": f"{origin}/admin/crm/contact/?kind__exact=customer"},
        ),
        look("customers", ".paginator"),
    )


def create(origin: str, *, file: str = "") -> tuple[Node, ...]:
    """A new contact, with a contract if there is one."""
    upload = (act("contract", "upload", "#id_contract", file=file),) if file else ()
    return (
        act("new", "navigate", url=f"{origin}/admin/crm/contact/add/"),
        act("name", "type", {"label": "Name:"}, text="{{name}}"),
        act("email", "type", "#id_email", text="{{email}}"),
        act("kind", "select", "#id_kind", label="Lead"),
        act("company", "select", "#id_company", label="Company B"),
        *upload,
        {
            **shows(
                click("save", "[name=_save]"),
                {"element": ".messagelist .success", "text": "{{name}}"},
                {"status": f"{origin}/admin/crm/contact/add/", "below": 400},
            ),
            "proof": {
                "url": f"{origin}/admin/crm/contact/?q={{{{email}}}}",
                "happened": [{"element": "#result_list .field-email", "text": "{{email}}"}],
            },
        },
    )


def delete(origin: str) -> tuple[Node, ...]:
    """One contact away, through the search, the action and its confirmation."""
    return (
        act("search", "navigate", url=f"{origin}/admin/crm/contact/?q={{{{gone}}}}"),
        {
            **act("tick", "check", ".action-select"),
            "requires": [{"count": "#result_list tbody tr", "equals": 1}],
        },
        act("what", "select", "[name=action]", value="delete_selected"),
        shows(click("go", "button[name=index]"), {"element": "#content h1", "text": "Delete"}),
        shows(
            click("sure", "#content input[type=submit]"),
            {"element": ".messagelist .success", "text": "Successfully deleted 1 contact"},
        ),
    )


def workflow(name: str, crm: Crm, *parts: tuple[Node, ...]) -> Workflow:
    """The parts as one workflow."""
    numbers = count(1)
    return read_workflow_document(
        {
            "version": 1,
            "id": name,
            "name": name.replace("-", " ").capitalize(),
            "origins": [crm.origin],
            "inputs": [{"name": each, "default": ""} for each in ("name", "email", "gone")],
            "nodes": [one for part in parts for one in part],
        },
        new_id=lambda: f"n{next(numbers)}",
    )
