"""Measures false doubts: right runs over honest pages, `.venv/bin/python bench/doubts.py`.

Every case reads what is there, all of it, or does once what it should; the rows that it read are
counted against what the site itself holds, where that is known. Each runs twice, so that the
second is compared with the first. Pages: the demo site and its examples, the pages of `sites`, Django's
admin on SQLite, folders as Python's server lists them, pydoc's index, and lists of many habits
(empty, constant, with equal rows, longer or shorter than before). A doubt about any of them is false.
Writes `bench/results/doubts.json`; prints markdown. Names of sources measure only those anew.
"""

from __future__ import annotations

import asyncio
import functools
import http.server
import json
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from director.browser import Browser, open_browser
from director.demo.site.site import Site
from director.runs import Run, RunDependencies, list_run_records, run_workflow
from director.secrets import Seal
from director.store import Store, open_store
from director.workflow.document import read_workflow_document

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "doubts.json"
EXAMPLES = HERE.parent / "examples"
USERS = 143
SEAL = Seal(b"a key of thirty-two bytes, or so!"[:32])


@dataclass(frozen=True, slots=True)
class Case:
    """A right workflow; `rows` is how many records it makes, if that is known."""

    source: str
    name: str
    document: dict[str, Any]
    rows: int | None = None
    between: Callable[[], None] | None = None


def node(alias: str, type_: str, **config: Any) -> dict[str, Any]:
    """A node as a document has it."""
    return {"id": f"id-{alias}", "alias": alias, "type": type_, "config": config}


def read(selector: str, fields: dict[str, str], **more: Any) -> dict[str, Any]:
    """A node that reads rows into records."""
    asked = {"method": "deterministic_extract", "selector": selector, "fields": fields}
    return node("read", "browser_query", **{**asked, "create_records": "row", **more})


def flow(name: str, origin: str, *nodes: dict[str, Any]) -> dict[str, Any]:
    """A document of these nodes."""
    return {"version": 2, "id": name, "name": name, "origins": [origin], "nodes": list(nodes)}


def one(source: str, name: str, url: str, look: dict[str, Any], rows: int | None = None) -> Case:
    """A case that opens a page and reads it."""
    origin = "/".join(url.split("/")[:3])
    opened = node("open", "browser_action", action="navigate", url=url)
    return Case(source, name, flow(f"{source} {name}", origin, opened, look), rows)


def paged(source: str, url: str, last: int, look: dict[str, Any], rows: int | None) -> Case:
    """A case that reads all pages of a list."""
    origin = "/".join(url.split("/")[:3])
    opened = node("open", "browser_action", action="navigate", url=url + "{{page}}")
    numbers = list(range(1, last + 1))
    loop = node("loop", "iterate", over=numbers, variable="page", body=["open", "read"])
    document = flow(f"{source} pages {url}", origin, loop, opened, look)
    return Case(source, f"all {last} pages of {url.split('/', 3)[3]}", document, rows)


def table(rows: Sequence[Sequence[object]], said: str = "", more: str = "") -> str:
    """A page with a table."""
    inside = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    head = "<thead><tr><th>Name<th>Price<th>State</tr></thead>"
    return f"<h1>Lamps</h1><p>{said}</p><table>{head}<tbody>{inside}</tbody></table>{more}"


PEOPLE = ("jan", "ann", "kai", "lea")
FIELDS = {"name": "td:nth-child(1)", "price": "td:nth-child(2)", "state": "td:nth-child(3)"}


def lamps(count: int, first: int = 1, price: str = "{}.50", state: str = "in stock") -> list[Any]:
    """Rows like any other."""
    return [(f"Lamp {n}", price.format(n), state) for n in range(first, first + count)]


def honest_lists(pages: dict[str, str], origin: str) -> Iterator[Case]:
    """Lists of many habits; what they say is right."""
    spare = " ".join(f"<p>Word {n}</p>" for n in range(60))
    written = {
        "a table without a count": table(lamps(12)),
        "a table with its count": table(lamps(12), "12 results"),
        "no rows, and the page says so": table([], "0 results"),
        "no rows, and nothing is said": table([]),
        "no rows, in words": "<h1>Lamps</h1><p>No lamps found.</p>",
        "one row": table(lamps(1), "1 result"),
        "a constant column": table(lamps(30, state="sold out")),
        "a column that is empty in most rows": table([(f"Lamp {n}", "9.50", "new" if n == 3 else "") for n in range(20)]),
        "equal rows that are right": table(lamps(5) + lamps(5), "10 rows"),
        "German numbers": table(lamps(12, price="1.{:03},50 €")),
        "dates with slashes": table([(f"Lamp {n}", f"{n:02}/03/2026", "x") for n in range(1, 20)]),
        "a count of something else": table(lamps(7), "3 unread messages · 12 items in cart"),
        "another list beside it": table(lamps(7)) + "<aside><h2>News (40)</h2><ul><li>a<li>b<li>c</ul></aside>",
        "a heading that speaks of errors": "<h1>Errors</h1>" + table(lamps(4)),
        "a notice that is no trouble": "<div role=alert>Saved.</div>" + table(lamps(4)),
        "a login form in the head": "<header><form><input type=password></form></header>" + table(lamps(4)),
        "a long page": table(lamps(300), "300 rows") + spare,
        "a wide first column": table([(f"Lamp {n}", "1.00", "x") for n in range(9)]).replace("<thead><tr>", "<thead><tr><th colspan=3>Stock</tr><tr>"),
        "a filtered list": table(lamps(3), "Showing 1 to 3 of 3 entries (filtered from 57 total entries)"),
        "a calendar beside it": table(lamps(6)) + "<div class=calendar><button>Next month</button></div>",
        "a padded box": "<div style='padding:300px 0'>" + table(lamps(6)) + "</div>",
    }  # fmt: skip
    for at, (name, body) in enumerate(written.items()):
        pages[f"/{at}"] = body
        yield one("lists", name, f"{origin}/{at}", read("tbody tr", FIELDS))
    yield from _changed_lists(pages, origin)


def _changed_lists(pages: dict[str, str], origin: str) -> Iterator[Case]:
    """Lists that are another one at the second run, as lists are."""
    changes = {
        "a third fewer rows": (lamps(30), lamps(20)),
        "twice as many rows": (lamps(10), lamps(20)),
        "far fewer, and the page counts them": (lamps(40), lamps(4)),
        "other rows altogether": (lamps(12), lamps(12, first=40)),
        "prices that rose to thousands": (lamps(9), lamps(9, price="1,{:03}.00")),
        "states that became the same": ([(f"L {n}", "1.00", f"s{n % 2}") for n in range(6)], lamps(6)),
        "people who took over from others": ([(f"L {n}", PEOPLE[n % 3], PEOPLE[n % 4]) for n in range(8)],
                                             [(f"L {n}", PEOPLE[n % 4], PEOPLE[(n + 1) % 3]) for n in range(8)]),
        "open and closed counts": ([(f"L {n}", 20 + n, n) for n in range(8)], [(f"L {n}", n, 19 + n) for n in range(8)]),
        "scores of other games": ([(f"L {n}", n % 3, n % 2) for n in range(8)], [(f"L {n}", n % 2, n % 4) for n in range(8)]),
        "sorted the other way": (lamps(9), lamps(9)[::-1]),
        "a row with a name only": (lamps(9), [*lamps(9), ("No lamp", "", "")]),
    }  # fmt: skip
    for at, (name, (first, second)) in enumerate(changes.items()):
        place = f"/changed{at}"
        counts = "far" in name
        pages[place] = table(first, f"{len(first)} results" if counts else "")
        later = table(second, f"{len(second)} results" if counts else "")
        case = one("lists", name, f"{origin}{place}", read("tbody tr", FIELDS))
        put = functools.partial(pages.__setitem__, place, later)
        yield Case(case.source, case.name, case.document, None, put)


def demo_cases(site: Site) -> Iterator[Case]:
    """The demo site and the examples made for it."""
    url, source = site.url, "demo site"
    goods = {"name": "h2 a", "price": ".price"}
    yield one(source, "invoices", f"{url}/grid", read("tbody tr", {"cells": "."}))
    yield one(source, "a feed that is scrolled", f"{url}/lab",
              read("#feed > li", {"text": "."}, method="extract_all"))  # fmt: skip
    yield one(source, "goods of a category", f"{url}/shop?category=Pens", read(".good", goods))
    for name in ("products-to-csv",):
        document = json.loads((EXAMPLES / f"{name}.json").read_text("utf-8"))
        old = document["origins"][0]
        yield Case("examples", name, json.loads(json.dumps(document).replace(old, url)))


def site_cases(origin: str) -> Iterator[Case]:
    """The pages under `sites`, which draw themselves."""
    issues = {"id": "td:nth-child(1)", "title": "td:nth-child(2)", "label": "td:nth-child(3)"}
    yield paged("sites", f"{origin}/?label=&page=", 3, read("tbody tr", issues), 48)
    yield one(
        "sites", "issues of a label", f"{origin}/?label=data-loss&page=1", read("tbody tr", issues)
    )


def admin_cases(origin: str) -> Iterator[Case]:
    """Django's admin: a login, lists in pages, a search, a form that is sent once."""
    user = {"name": "th a", "mail": "td.field-email"}
    login = [
        node("enter", "browser_action", action="navigate", url=f"{origin}/admin/login/"),
        node("user", "browser_action", action="type", selector="#id_username", text="admin"),
        node("word", "browser_action", action="type", selector="#id_password", text="admin-word"),
        node("send", "browser_action", action="click", selector="input[type=submit]"),
        node("home", "browser_action", action="wait", selector="#user-tools"),
    ]  # fmt: skip

    def case(name: str, *nodes: dict[str, Any], rows: int | None = None) -> Case:
        return Case("Django admin", name, flow(f"admin {name}", origin, *login, *nodes), rows)

    def at(query: str) -> dict[str, Any]:
        return node(
            "open", "browser_action", action="navigate", url=f"{origin}/admin/auth/user/{query}"
        )

    found = read("#result_list tbody tr", user)
    loop = node("loop", "iterate", over=[1, 2], variable="p", body=["open", "read"])
    yield case("both pages of users", loop, at("?p={{p}}"), found, rows=USERS)
    yield case("a search", at("?q=user12"), found, rows=11)
    yield case("a search with nothing found", at("?q=zzzz"), found, rows=0)
    yield case("staff only", at("?is_staff__exact=1"), found, rows=1)
    yield case("groups, of which there are none", node("open", "browser_action", action="navigate",
               url=f"{origin}/admin/auth/group/"), found, rows=0)  # fmt: skip
    form = node("open", "browser_action", action="navigate", url=f"{origin}/admin/auth/group/add/")
    named = node("name", "browser_action", action="type", selector="#id_name", text="Readers {{n}}")
    save = node("save", "browser_action", action="click", selector="input[name=_save]")
    sent = {**save, "effect": "once", "ensures": [{"element": ".success"}]}
    loop = node("loop", "iterate", over=["{{round}}"], variable="n", body=["open", "name", "save"])
    document = flow("admin a group", origin, *login, loop, form, named, sent)
    yield Case(
        "Django admin",
        "a group is added",
        {**document, "inputs": [{"name": "round", "description": "n"}]},
    )


@contextmanager
def serve_admin() -> Iterator[str]:
    """Django's admin with users in a file of SQLite."""
    import django  # noqa: PLC0415  it is configured first
    from django.conf import settings  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        parts = ("admin", "auth", "contenttypes", "sessions", "messages", "staticfiles")
        middle = (
            "sessions.middleware.Session",
            "auth.middleware.Authentication",
            "messages.middleware.Message",
        )
        checks = [
            f"django.contrib.{part}.context_processors.{part}" for part in ("auth", "messages")
        ]
        settings.configure(
            SECRET_KEY="-",  # noqa: S106  no secret
            PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
            DEBUG=True, ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, USE_TZ=True,
            INSTALLED_APPS=[f"django.contrib.{part}" for part in parts], STATIC_URL="/static/",
            MIDDLEWARE=[f"django.contrib.{each}Middleware" for each in middle],
            DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{folder}/a.db"}},
            TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
                        "OPTIONS": {"context_processors": [*checks, "django.template.context_processors.request"]}}],
        )  # fmt: skip
        django.setup()
        yield from _serve_users()


def _serve_users() -> Iterator[str]:
    from django.contrib import admin  # noqa: PLC0415
    from django.contrib.auth.models import User  # noqa: PLC0415
    from django.contrib.staticfiles.handlers import StaticFilesHandler  # noqa: PLC0415
    from django.core.management import call_command  # noqa: PLC0415
    from django.core.wsgi import get_wsgi_application  # noqa: PLC0415
    from django.urls import path  # noqa: PLC0415

    globals()["urlpatterns"] = [path("admin/", admin.site.urls)]
    call_command("migrate", verbosity=0)
    User.objects.create_superuser("admin", "admin@example.org", "admin-word")
    User.objects.bulk_create(
        User(username=f"user{n}", email=f"u{n}@example.org") for n in range(1, USERS)
    )
    served = StaticFilesHandler(get_wsgi_application())
    server = make_server("127.0.0.1", 0, served, _Server, _Quiet)
    with _running(server) as origin:
        yield origin


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def _running(server: Any) -> Iterator[str]:
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
    )
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def serve_pages(pages: dict[str, str]) -> Iterator[str]:
    """Pages from memory, by path."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            said = pages.get(self.path)
            self.send_response(404 if said is None else 200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(f"<!doctype html><title>Lamps</title><main>{said}</main>".encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with _running(http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as origin:
        yield origin


@contextmanager
def serve_folder(folder: Path, index: Path | None = None) -> Iterator[str]:
    """A folder as Python's server lists it; `index` is every page that is no file."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def translate_path(self, path: str) -> str:
            found = super().translate_path(path)
            if index is None or Path(found).is_file():
                return found
            other = folder.parent / Path(found).name
            return str(other if other.is_file() else index)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    made = functools.partial(Handler, directory=str(folder))
    with _running(http.server.ThreadingHTTPServer(("127.0.0.1", 0), made)) as origin:
        yield origin


def folder_cases(origin: str, folder: Path) -> Iterator[Case]:
    """Folders as they are listed."""
    for name in ("json", "email", "xml", "http", "importlib", "wsgiref"):
        count = len(list((folder / name).iterdir()))
        look = read("li a", {"name": ".", "to": "@href"})
        yield one("listed folders", name, f"{origin}/{name}/", look, count)


async def measure(cases: Sequence[Case]) -> list[dict[str, Any]]:
    """Each case twice: its rows, and the doubts about it."""
    found = []
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder) / "d.db") as store:
        async with open_browser() as browser:
            for case in cases:
                found += [await _run(store, browser, case, nth) for nth in (1, 2)]
                keep(found)
    return found


def keep(found: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Write down what was found beside what is known of other cases; all of it."""
    known = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else []
    new = {(each["source"], each["case"]) for each in found}
    both = [each for each in known if (each["source"], each["case"]) not in new] + [*found]
    RESULTS.write_text(json.dumps(both, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return both


async def _run(store: Store, browser: Browser, case: Case, nth: int) -> dict[str, Any]:
    if nth == 2 and case.between:
        case.between()
    means = RunDependencies(browser=browser, seal=SEAL, pictures="none")
    workflow = read_workflow_document(case.document)
    inputs = {"round": str(nth)} if any(each.name == "round" for each in workflow.inputs) else {}
    run: Run = await run_workflow(store, workflow, means, inputs=inputs)
    rows = len(list_run_records(store, run.id))
    told = {"source": case.source, "case": case.name, "nth": nth, "state": run.state, "rows": rows}
    right = run.state == "done" and case.rows in (None, rows)
    doubts = [f"{each['kind']}: {each['sentence']}" for each in run.doubts]
    print(
        f"{case.source}: {case.name} ({nth}): {run.state}, {rows} rows {doubts or ''}",
        file=sys.stderr,
    )
    return {**told, "right": right, "error": (run.error or {}).get("message"), "doubts": doubts}


def print_table(found: Sequence[dict[str, Any]]) -> None:
    """The table for people."""
    print("| pages | workflows | right runs | runs with a false doubt | of which kinds |")
    print("|---|---|---|---|---|")
    sources = list(dict.fromkeys(each["source"] for each in found))
    for source in [*sources, ""]:
        own = [each for each in found if source in ("", each["source"])]
        right = [each for each in own if each["right"]]
        false = [each for each in right if each["doubts"]]
        kinds = sorted({said.partition(":")[0] for each in false for said in each["doubts"]})
        names = len({(each["source"], each["case"]) for each in own})
        print(
            f"| {source or '**all**'} | {names} | {len(right)} of {len(own)} | {len(false)} | {', '.join(kinds) or '-'} |"
        )


def main() -> None:
    """Serve everything, run everything, write it down."""
    library = Path(json.__file__).parent.parent
    pages: dict[str, str] = {}
    with ExitStack() as stack:
        site = stack.enter_context(Site(seed=3).serve())
        lists = stack.enter_context(serve_pages(pages))
        folders = stack.enter_context(serve_folder(library))
        tracker = HERE / "sites" / "tracker"
        issues = stack.enter_context(serve_folder(tracker, tracker / "index.html"))
        admin = stack.enter_context(serve_admin())
        cases = [
            *honest_lists(pages, lists),
            *folder_cases(folders, library),
            *demo_cases(site),
            *site_cases(issues),
            *admin_cases(admin),
        ]
        only = sys.argv[1:]
        found = asyncio.run(measure([each for each in cases if not only or each.source in only]))
    print_table(keep(found))


if __name__ == "__main__":
    main()
