"""Applications that were measured before anybody here had looked at one of their pages."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from applications import Program

_PANEL = """import panel as pn

pn.extension("tabulator")
rows = [{"item": f"Item {n}", "price": n * 1.5, "stock": n % 4} for n in range(8)]
import pandas as pd

form = pn.Column(
    "# Orders",
    pn.widgets.TextInput(name="Customer", placeholder="who buys"),
    pn.widgets.Select(name="Country", options=["Austria", "Brazil", "Chad"]),
    pn.widgets.IntSlider(name="Pieces", start=1, end=9),
    pn.widgets.Checkbox(name="Express"),
    pn.widgets.RadioButtonGroup(name="Pay by", options=["Card", "Bill"]),
    pn.Row(pn.widgets.Button(name="Place order"), pn.widgets.Button(name="Cancel")),
)
pn.Tabs(("Form", form), ("List", pn.widgets.DataFrame(pd.DataFrame(rows)))).servable()
"""
_MLFLOW = """import mlflow

mlflow.set_tracking_uri("sqlite:///runs.db")
for name in ("prices", "churn", "search"):
    mlflow.set_experiment(name)
    for n in range(6):
        with mlflow.start_run(run_name=f"{name} {n}"):
            mlflow.log_param("depth", n)
            mlflow.log_metric("error", 1 / (n + 1))
"""
_FILL = """import json, sqlite3

columns = "type, time, changetime, component, priority, owner, reporter, milestone, status, summary"
with sqlite3.connect("shop/db/trac.db") as db:
    marks = ", ".join("?" * 10)
    rows = json.load(open("tickets.json"))
    db.executemany(f"insert into ticket ({columns}) values ({marks})", rows)
"""
_TICKETS = (
    ("Cart forgets items", "defect", "major"),
    ("Add a search for orders", "enhancement", "minor"),
    ("Slow page of bills", "defect", "critical"),
    ("Say what a voucher is", "task", "minor"),
)


def _write(name: str, text: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / name).write_text(text)

    return write


def _tickets(folder: Path) -> None:
    rows = [
        (
            kind,
            at * 10**6,
            at * 10**6,
            "component1",
            priority,
            "ada",
            "bob",
            "milestone1",
            "new",
            said,
        )
        for at, (said, kind, priority) in enumerate(_TICKETS, 17 * 10**8)
    ]
    (folder / "tickets.json").write_text(json.dumps(rows))
    (folder / "fill.py").write_text(_FILL)


_TASKS = """import luigi


class Bill(luigi.Task):
    day = luigi.IntParameter()

    def requires(self):
        return [Bill(self.day - 1)] if self.day else []

    def output(self):
        return luigi.LocalTarget(f"bill-{self.day}.txt")

    def run(self):
        if self.day == 7:
            raise ValueError("no paper")
        self.output().open("w").close()


import sys

luigi.build([Bill(9)], scheduler_host="127.0.0.1", scheduler_port=int(sys.argv[1]))
"""
_ASSETS = """import dagster


@dagster.asset
def orders():
    return [1, 2, 3]


@dagster.asset
def bills(orders):
    return orders


@dagster.asset
def reminders(bills):
    return bills


shop = dagster.define_asset_job("shop")
defs = dagster.Definitions([orders, bills, reminders], jobs=[shop])
"""
STRANGERS = (
    Program(
        "Luigi",
        lambda at, port: [
            "sh",
            "-c",
            (
                f"(sleep 8; {at}/fresh/bin/python tasks.py {port}) & "
                f"exec {at}/fresh/bin/luigid --address 127.0.0.1 --port {port}"
            ),
        ],
        ("/static/visualiser/index.html",),
        _write("tasks.py", _TASKS),
    ),
    Program(
        "Dagster",
        lambda at, port: [
            at / "dagster/bin/dagster-webserver",
            "-f",
            "assets.py",
            "-h",
            "127.0.0.1",
            "-p",
            str(port),
        ],
        ("/assets", "/jobs", "/deployment"),
        _write("assets.py", _ASSETS),
    ),
    Program(
        "Prefect",
        lambda at, port: [
            at / "prefect/bin/prefect",
            "server",
            "start",
            "--host=127.0.0.1",
            f"--port={port}",
        ],
        ("/blocks/catalog", "/settings"),
    ),
    Program(
        "OctoPrint",
        lambda at, port: [
            at / "octoprint/bin/octoprint",
            "serve",
            "--iknowwhatimdoing",
            "--host=127.0.0.1",
            f"--port={port}",
            "-b",
            "base",
        ],
        ("/",),
    ),
    Program(
        "nbclassic",
        lambda at, port: [
            at / "nbclassic/bin/jupyter",
            "nbclassic",
            "--no-browser",
            "--allow-root",
            f"--port={port}",
            "--IdentityProvider.token=",
        ],
        ("/nbclassic/tree",),
    ),
    Program(
        "Trac",
        lambda at, port: [
            "sh",
            "-c",
            (
                f"{at}/trac/bin/trac-admin shop initenv Shop sqlite:db/trac.db && "
                f"{at}/trac/bin/python fill.py && "
                f"exec {at}/trac/bin/tracd --hostname=127.0.0.1 -p {port} shop"
            ),
        ],
        ("/shop/report/1", "/shop/wiki", "/shop/ticket/2"),
        _tickets,
    ),
    Program(
        "Glances",
        lambda at, port: [
            at / "glances/bin/glances",
            "-w",
            "-B",
            "127.0.0.1",
            "-p",
            str(port),
            "--disable-check-update",
        ],
        ("/",),
    ),
    Program(
        "Panel",
        lambda at, port: [
            at / "panel/bin/panel",
            "serve",
            "app.py",
            "--address=127.0.0.1",
            f"--port={port}",
        ],
        ("/app",),
        _write("app.py", _PANEL),
    ),
    Program(
        "changedetection",
        lambda at, port: [
            at / "changedetection/bin/changedetection.io",
            "-C",
            "-d",
            "data",
            "-h",
            "127.0.0.1",
            "-p",
            str(port),
        ],
        ("/", "/settings"),
    ),
    Program(
        "MLflow",
        lambda at, port: [
            "sh",
            "-c",
            (
                f"{at}/mlflow/bin/python runs.py && exec {at}/mlflow/bin/mlflow server "
                f"--backend-store-uri sqlite:///runs.db --host 127.0.0.1 --port {port} --workers 1"
            ),
        ],
        ("/#/experiments", "/#/experiments/1/runs"),
        _write("runs.py", _MLFLOW),
    ),
)
