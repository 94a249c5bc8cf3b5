"""Ten nodes with one that must happen once, and a real site that counts how often it did.

Log in, read a list into records, go through them, order once, read the number of the order.
Whoever kills the run anywhere and resumes it must find the same end and one order.
"""

from __future__ import annotations

import html
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

from director.runs import Run, list_run_records, list_run_steps
from director.store import Store
from director.store.run_variables import read_run_variables
from director.workflow.document import read_workflow_document
from director.workflow.values import Json, Workflow

ITEMS = {"pens": 3, "paper": 5, "ink": 8}
PASSWORD = "swordfish"  # noqa: S105  of a site of this test


@dataclass
class Site:
    """A shop with a login and one form; `orders` is what really happened.

    `arrived` is told of each request when it has had its effect and before it is answered.
    """

    origin: str = ""
    orders: list[dict[str, str]] = field(default_factory=list)
    logins: int = 0
    arrived: Callable[[str], None] = lambda _: None


def page(body: str) -> str:
    """A page around its body."""
    return f"<!doctype html><title>Shop</title><body>{body}</body>"


LOGIN = page(
    "<form method=post action=/login><label>Name <input name=user id=user></label>"
    "<label>Password <input name=password type=password id=password></label>"
    "<button id=enter>Log in</button></form>"
)


def shop(site: Site) -> str:
    """The list, the orders so far and the form."""
    rows = "".join(
        f"<tr class=item><td class=name>{name}</td><td class=price>{price}</td></tr>"
        for name, price in ITEMS.items()
    )
    orders = "".join(
        f"<li class=order data-ref='{html.escape(order['ref'])}'>"
        f"{number}: {html.escape(order['ref'])} {html.escape(order['amount'])}</li>"
        for number, order in enumerate(site.orders, 1)
    )
    return page(
        f"<table>{rows}</table><ul id=orders>{orders}</ul><form method=post action=/order>"
        "<input name=ref id=ref><input name=amount id=amount><button id=order>Order</button></form>"
    )


class _Answer(BaseHTTPRequestHandler):
    site: Site

    def do_GET(self) -> None:
        if self.path == "/login":
            self._page(LOGIN)
        elif "in=yes" not in self.headers.get("Cookie", ""):
            self._go("/login")
        elif self.path == "/shop":
            self._page(shop(self.site))
        elif self.path.startswith("/thanks/"):
            number = int(self.path.rpartition("/")[2])
            order = self.site.orders[number - 1]
            self._page(page(f"<p id=number>{number}</p><p>{html.escape(order['ref'])}</p>"))
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = {name: values[0] for name, values in parse_qs(sent).items()}
        if self.path == "/login" and form.get("password") == PASSWORD:
            self.site.logins += 1
            self._go("/shop", cookie="in=yes; Path=/")
        elif self.path == "/login":
            self._go("/login")
        elif form.get("ref") and form.get("amount"):
            self.site.orders.append(form)
            self._go(f"/thanks/{len(self.site.orders)}")
        else:
            self.send_error(400, "the form was not filled in")

    def _page(self, text: str) -> None:
        self.site.arrived(f"{self.command} {self.path}")
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(text.encode())

    def _go(self, where: str, cookie: str = "") -> None:
        self.site.arrived(f"{self.command} {self.path}")
        self.send_response(303)
        self.send_header("Location", where)
        if cookie:
            self.send_header("Set-Cookie", cookie)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def served(port: int = 0) -> Iterator[Site]:
    """The site, on loopback, for as long as the `with` lasts."""
    site = Site()
    answer = type("Answer", (_Answer,), {"site": site})
    server = ThreadingHTTPServer(("127.0.0.1", port), answer)
    site.origin = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def workflow(origin: str) -> Workflow:
    """The ten nodes."""
    return read_workflow_document(
        {
            "version": 1,
            "id": "order_supplies",
            "name": "Order supplies",
            "origins": [origin],
            "inputs": [{"name": "ref", "required": True}, {"name": "password", "required": True}],
            "nodes": list(_nodes(origin)),
        }
    )


def _nodes(origin: str) -> Iterator[Json]:
    yield _action("open", "navigate", url=f"{origin}/login")
    yield _action("user", "type", selector="#user", text="ada")
    yield _action("pass_word", "type", selector="#password", text="{{password}}")
    yield {
        **_action("enter", "click", selector="#enter"),
        "effect": "idempotent",
        "requires": [{"element": "#password"}],
        "ensures": [{"url": f"{origin}/shop"}],
    }
    yield {
        "id": "n_find",
        "alias": "find",
        "type": "browser_query",
        "config": {
            "method": "deterministic_extract",
            "selector": "tr.item",
            "fields": {"name": ".name", "price": ".price"},
            "create_records": "item",
            "store": "*",
        },
    }
    yield {
        "id": "n_each",
        "alias": "each",
        "type": "iterate",
        "config": {"records": "item_*", "body": "double"},
    }
    yield {
        "id": "n_double",
        "alias": "double",
        "type": "transform",
        "config": {
            "input": {"price": "{{current.price}}"},
            "code": "int(price) * 2",
            "store_to_record": True,
        },
    }
    yield _action("refer", "type", selector="#ref", text="{{ref}}")
    yield _action("amount", "type", selector="#amount", text="{{find.count}}")
    yield {
        **_action("order", "click", selector="#order"),
        "ensures": [
            {"status": f"{origin}/order", "below": 400},
            {"url": f"{origin}/thanks/*"},
        ],
        "proof": {
            "url": f"{origin}/shop",
            "happened": [{"element": "li.order[data-ref='{{ref}}']", "within": 300}],
            "not_happened": [
                {"element": "#order"},
                {"element": "li.order[data-ref='{{ref}}']", "absent": True},
            ],
        },
    }


def _action(alias: str, action: str, **config: Json) -> dict[str, Any]:
    return {
        "id": f"n_{alias}",
        "alias": alias,
        "type": "browser_action",
        "config": {"action": action, **config},
    }


INPUTS: dict[str, Json] = {"ref": "run-1", "password": PASSWORD}


def end_of(store: Store, run: Run, site: Site) -> dict[str, object]:
    """What must be the same however often a run was killed on its way."""
    return {
        "state": run.state,
        "orders": [dict(order) for order in site.orders],
        "variables": read_run_variables(store, run.id),
        "records": [
            (each.id, each.status, each.fields, each.vars)
            for each in list_run_records(store, run.id)
        ],
        "steps": {step.key: (step.state, step.status) for step in list_run_steps(store, run.id)},
    }
