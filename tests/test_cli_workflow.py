"""`director workflow` and `director runs`, as a person meets them, in a real browser."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from director.cli import app
from director.cli.run_progress import RunPrinter
from director.demo.site import Site
from director.runs import read_run, reopen_workflow_run
from director.services.workspace import make_workspace
from director.store import Store, open_store
from director.store.change_feed import Subscription
from director.store.deleted_workflows import mark_workflow_deleted
from director.store.values import Change
from runs.answers import serve_answers
from runs.doubt_pages import serve_lists, table

EXAMPLES = Path(__file__).parent.parent / "examples"
_USUAL = "http://127.0.0.1:8765"
APPROVED = ("--approve", "https://shop.example")
Run = Callable[..., tuple[int, str, str]]

ASKING = {
    "version": 1,
    "id": "asking",
    "name": "Asks for a code",
    "origins": ["https://shop.example"],
    "inputs": [{"name": "password"}],
    "nodes": [
        {"alias": "code", "type": "context", "config": {"ask": {"said": "Which code?"}}},
        {
            "alias": "twice",
            "type": "transform",
            "config": {"input": {"said": "{{said}}"}, "code": "said * 2", "store": True},
        },
    ],
}


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """The command, with a home folder of its own."""

    def running(*arguments: str) -> tuple[int, str, str]:
        around = {"DIRECTOR_HOME": str(tmp_path / "home"), "DIRECTOR_STORE": ""}
        ran = CliRunner().invoke(app, list(arguments), env=around, catch_exceptions=False)
        return ran.exit_code, ran.stdout, ran.stderr

    return running


@pytest.fixture
def site() -> Iterator[Site]:
    """A site of its own."""
    with Site(seed=1).serve() as served:
        yield served


@pytest.fixture
def asking(tmp_path: Path) -> str:
    """The document of a workflow that asks something."""
    return written(tmp_path / "asking.json", ASKING)


def written(path: Path, document: object) -> str:
    """A document in a file."""
    path.write_text(json.dumps(document))
    return str(path)


def example(name: str, site: Site, folder: Path, **changes: object) -> str:
    """An example for this site, in a file; `changes` are of its first node."""
    document = json.loads((EXAMPLES / f"{name}.json").read_text().replace(_USUAL, site.url))
    document["nodes"][0].update(changes)
    return written(folder / f"{name}.json", document)


def run_id(out: str) -> str:
    """The id of the run that a command began."""
    return out.split()[1]


def test_a_document_that_is_wrong_is_refused_with_its_place(run: Run, tmp_path: Path) -> None:
    """Not JSON: the line. A wrong field: the node."""
    broken = tmp_path / "broken.json"
    broken.write_text('{\n "version": 1,,\n}')
    code, _, err = run("workflow", "import", str(broken))
    assert code == 2
    assert "line 2, column 15" in err
    nodes = [{"alias": "go", "type": "browser_action", "config": {"action": "goto"}}]
    wrong = {**ASKING, "nodes": nodes}
    code, _, err = run("workflow", "import", written(broken, wrong))
    assert code == 2
    assert "nodes[0] (go)" in err
    assert "it is called navigate" in err


def test_an_import_that_replaces_is_a_new_version_and_shows_what_changed(
    run: Run, asking: str, tmp_path: Path
) -> None:
    """The same again changes nothing; what goes out comes back; another gets an id of its own."""
    said = run("workflow", "import", asking)[1].splitlines()
    assert said[0] == "asking: 2 nodes, version 1"
    assert said[1].startswith("not approved: https://shop.example  (director workflow approve")
    out = str(tmp_path / "out.json")
    assert run("workflow", "export", "asking", "-o", out)[0] == 0
    assert "as it was already" in run("workflow", "import", out)[1]
    changed = json.loads(Path(out).read_text())
    changed["name"] = "Asks for two codes"
    assert (
        "asking-2: 2 nodes, version 1" in run("workflow", "import", written(Path(out), changed))[1]
    )
    said = run("workflow", "import", out, "--replace")[1]
    assert "version 2; what changed since version 1" in said
    assert '+  "name": "Asks for two codes"' in said
    assert "Asks for two codes" in run("workflow", "list")[1]


def test_a_workflow_that_was_deleted_in_the_app_is_not_listed(
    run: Run, asking: str, tmp_path: Path
) -> None:
    """It is named apart, with how to bring it back."""
    run("workflow", "import", asking)
    with open_store(tmp_path / "home" / "director.db") as store:
        mark_workflow_deleted(store, "asking")
    out = run("workflow", "list")[1]
    assert "Asks" not in out
    assert "Deleted: asking. Bring one back in the app" in out
    assert json.loads(run("workflow", "list", "--json")[1]) == []


def test_a_run_that_asks_waits_and_goes_on_when_it_is_answered(run: Run, asking: str) -> None:
    """Exit code 3, then an answer from another program, then 0."""
    code, out, _ = run("workflow", "run", asking, *APPROVED, "--wait", "0.2")
    assert code == 3
    assert "waits for an answer: Which code?" in out
    name = run_id(out)
    assert "Which code?" in run("runs", "answer", name)[1]
    assert run("runs", "answer", name, "ab12")[0] == 0
    code, out, _ = run("runs", "resume", name)
    assert (code, "ok      twice" in out) == (0, True)
    assert 'twice.result = "ab12ab12"' in run("runs", "show", name[:6])[1]
    assert run("runs", "data", name, "--what", "variables")[1].splitlines() == [
        "name,value",
        "said,ab12",
        "twice.result,ab12ab12",
    ]


class _Late(Store):
    """A store whose feeds hear nothing at their first look, after which all is done at once."""

    meanwhile: Callable[[], object]

    def subscribe(self, after: int | None = None) -> Subscription:
        """Such a feed."""
        meanwhile = iter([self.meanwhile])

        class Late(Subscription):
            def next(self, timeout: float | None = None) -> Change | None:
                for do in meanwhile:
                    do()
                    return None
                return super().next(timeout)

        return Late(self._database, after)


def test_the_steps_of_a_run_that_ends_between_two_looks_are_all_told(
    run: Run, asking: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The feed was silent, then everything was committed: nothing of it is left out."""
    name = run_id(run("workflow", "run", asking, *APPROVED, "--wait", "0.2")[1])
    run("runs", "answer", name, "ab12")
    with open_store(tmp_path / "home" / "director.db") as opened:
        reopen_workflow_run(opened, name)
        late = _Late(opened._database)
        late.meanwhile = lambda: run("runs", "resume", name)
        with RunPrinter(make_workspace(late), name) as watch:
            asyncio.run(watch.wait_end())
        assert read_run(opened, name).state == "done"
    assert "ok      twice" in capsys.readouterr().out


def test_a_sensitive_input_is_kept_in_the_vault_and_nowhere_else(
    run: Run, asking: str, tmp_path: Path
) -> None:
    """The run holds a reference, and it is said so."""
    code, out, err = run(
        "workflow", "run", asking, *APPROVED, "--set", "password=marmalade", "--wait", "0.1"
    )
    assert code == 3
    assert "kept in the vault as {{secret:asking.password}}, for https://shop.example only" in err
    assert "[hidden]" in run("runs", "show", run_id(out))[1]
    for file in (tmp_path / "home").rglob("*"):
        assert not file.is_file() or b"marmalade" not in file.read_bytes()


def test_misuse_ends_with_2_and_one_line(run: Run, asking: str) -> None:
    """An unknown workflow, run, input or node."""
    assert run("workflow", "import", asking, "--approve", "https://shop.example")[0] == 0
    for arguments in (
        ("workflow", "run", "askin"),
        ("workflow", "run", "asking", "--set", "nothing=1"),
        ("workflow", "run", "asking", "--select", "9"),
        ("workflow", "test", "asking", "nowhere"),
        ("workflow", "approve", "asking", "shop.example"),
        ("runs", "show", "none"),
    ):
        code, _, err = run(*arguments)
        assert code == 2, arguments
        assert len(err.strip().splitlines()) == 1


def test_a_run_of_an_example_is_shown_reported_and_taken_out(
    run: Run, site: Site, tmp_path: Path
) -> None:
    """Progress, summary, report with pictures and no script, records as CSV."""
    out = tmp_path / "out"
    code, said, _ = run(
        *("workflow", "run", example("products-to-csv", site, tmp_path), "--out", str(out)),
        *("--approve", site.url),
    )
    assert code == 0, said
    assert "ok      open" in said
    assert "done in" in said
    report = (out / "report.html").read_text()
    assert "<script" not in report
    assert "http-equiv" in report
    assert "data:image/png;base64," in report
    name = run_id(said)
    assert f"as a file: director runs data {name} --format csv -o FILE" in said
    table = run("runs", "data", name)[1].splitlines()
    assert table[0] == "name,price,category,_record,_type,_status"
    assert run("runs", "data", name, "--bom")[1].startswith("\ufeffname,price")
    assert len(table) == 1 + len(site.state.products)
    assert "done" in run("workflow", "list")[1]
    assert "4  turn" in run("workflow", "show", "products-to-csv")[1]


def test_a_run_says_what_its_context_nodes_set(run: Run, tmp_path: Path) -> None:
    """Each variable in a line, short; a password is not written out."""
    given = {"answer": "nothing found", "long": "x" * 300, "password": "marmalade-7"}
    nodes = [{"alias": "say", "type": "context", "config": {"variables": given}}]
    file = written(tmp_path / "says.json", {**ASKING, "inputs": [], "nodes": nodes})
    code, out, _ = run("workflow", "run", file, *APPROVED)
    assert code == 0, out
    assert 'answer = "nothing found"\n' in out
    assert f'long = "{"x" * 100}..."' in out
    assert "password = " in out
    assert "marmalade-7" not in out


def test_a_run_and_its_script_fail_at_the_same_postcondition(
    run: Run, site: Site, tmp_path: Path
) -> None:
    """Exit code 1 from both; the run says the node, the evidence, and how to go on."""
    wanted = [{"count": "section[aria-label=Products] li", "at_least": 99, "within": 200}]
    file = example("products-to-csv", site, tmp_path, ensures=wanted)
    code, said, _ = run("workflow", "run", file, "--no-pictures", "--approve", site.url)
    assert code == 1
    assert "failed at open: It ensures" in said
    assert "did not hold: count of section" in said
    assert "director runs resume" in said
    ended = script(run, "products-to-csv", tmp_path)
    assert ended.returncode == 1
    assert "failed at open: expected" in ended.stderr


@pytest.mark.slow
def test_a_script_finds_what_the_workflow_finds(run: Run, site: Site, tmp_path: Path) -> None:
    """The same CSV, with nothing but Playwright."""
    file = example("products-to-csv", site, tmp_path)
    assert run("workflow", "import", file, "--approve", site.url)[0] == 0
    out = tmp_path / "found.json"
    ended = script(run, "products-to-csv", tmp_path, "--out", str(out))
    assert ended.returncode == 0, ended.stderr
    found = json.loads(out.read_text())
    lines = found["variables"]["csv"]["text"].splitlines()
    assert [line.rpartition(",")[2] for line in lines[1:]] == [
        f"{product.price / 100:.2f}" for product in site.state.products.values()
    ]


@pytest.mark.slow
def test_a_script_leaves_the_site_as_the_workflow_does(
    run: Run, site: Site, tmp_path: Path
) -> None:
    """One order each, alike but for its reference; a row for each invoice."""
    file = example("order-with-code", site, tmp_path)
    given = ("--set", "reference=R-1", "--no-pictures", "--approve", site.url)
    assert run("workflow", "run", file, *given)[0] == 0
    assert script(run, "order-with-code", tmp_path, "--reference", "R-2").returncode == 0
    one, two = site.state.orders
    assert (one.reference, two.reference) == ("R-1", "R-2")
    assert [(each.name, each.quantity) for each in one.lines] == [
        (each.name, each.quantity) for each in two.lines
    ]
    file = example("invoices-to-table", site, tmp_path)
    assert run("workflow", "import", file, "--approve", site.url)[0] == 0
    assert script(run, "invoices-to-table", tmp_path).returncode == 0
    bills = [mail for mail in site.state.mails.values() if "Invoices" in mail.labels]
    rows = [row.cells["number"] for row in site.state.rows.values()][18:]
    assert sorted(rows) == sorted(dict(bill.facts)["Invoice number"] for bill in bills)


def test_a_tested_node_proposes_conditions_and_takes_them(
    run: Run, site: Site, tmp_path: Path
) -> None:
    """What was seen is proposed; --accept makes a new version."""
    run("workflow", "import", example("products-to-csv", site, tmp_path), "--approve", site.url)
    code, said, _ = run("workflow", "test", "products-to-csv", "open", "--accept")
    assert code == 0, said
    assert "proposed: ensures url {{site}}/shop\n" in said
    assert "version 3" in said
    assert "ensures url {{site}}/shop" in run("workflow", "show", "products-to-csv")[1]


def script(run: Run, name: str, folder: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    """What became of the script of a workflow."""
    path = folder / f"{name}.py"
    assert run("workflow", "export", name, "--script", "-o", str(path))[0] == 0
    arguments = [sys.executable, str(path), *flags]
    return subprocess.run(arguments, capture_output=True, text=True, check=False)


def test_a_run_with_doubts_ends_with_3_unless_they_are_allowed_or_dismissed(
    run: Run, tmp_path: Path
) -> None:
    """The doubt is told with its run, in JSON too; what dismisses it is a line to copy."""
    with serve_lists() as (origin, pages):
        pages["/list"] = f"<p>82 results</p>{table(1, 5)}"
        looks = {"method": "deterministic_extract", "selector": "tbody tr"}
        nodes = [
            {"alias": "open", "type": "browser_action", "config": {"action": "navigate", "url": f"{origin}/list"}},
            {"alias": "read", "type": "browser_query", "config": looks},
        ]  # fmt: skip
        given = {"version": 2, "id": "lamps", "name": "Lamps", "origins": [origin], "nodes": nodes}
        (tmp_path / "lamps.json").write_text(json.dumps(given))
        said = "doubt (total): read read 5 rows, and the page says '82 results'."
        code, out, err = run("workflow", "run", str(tmp_path / "lamps.json"), "--approve", origin)
        assert (code, said in out) == (3, True), out + err
        assert "director workflow check lamps read total --dismiss --because WHY" in out
        name = out.split()[1]
        assert said in run("runs", "show", name)[1]
        shown = json.loads(run("runs", "show", name, "--json")[1])
        assert shown["doubts"][0]["evidence"]["said"] == 82
        assert json.loads(run("runs", "list", "--json")[1])[0]["doubts"] == 1
        assert run("workflow", "run", "lamps", "--allow-doubts")[0] == 0
        dismissed = ("--dismiss", "--because", "the first are enough")
        code, out, _ = run("workflow", "check", "lamps", "read", "total", *dismissed)
        assert (code, out) == (0, "total (dismissed: the first are enough)\n")
        code, out, err = run("workflow", "run", "lamps")
        assert (code, "doubt (" in out) == (0, False), out + err
        assert run("workflow", "check", "lamps", "read", "none")[0] == 2


@pytest.mark.parametrize("fault", ["hidden rows", "sent twice", "other numbers", "cut texts"])
def test_each_planted_fault_ends_with_3(run: Run, tmp_path: Path, fault: str) -> None:
    """Every node passes; the run is doubted, and the same workflow on an honest page is not."""
    cut = table(1, 5).replace("</td><td class=price>", " with a long na…</td><td class=price>")
    kinds = {
        "hidden rows": "total",
        "sent twice": "twice",
        "other numbers": "format",
        "cut texts": "cut",
    }
    with serve_answers() as site:
        site["/list"] = f"<p>5 results</p>{table(1, 5)}"
        form = "<form id=f method=post action=/add><input id=n name=n><button id=go>Add</button></form>"
        site["/"], site["POST /add"] = form, "<p>Nordwind AG was added</p>"
        fields = {"name": ".name", "price": ".price"}
        looks = {"method": "deterministic_extract", "selector": "tbody tr", "fields": fields}
        nodes = [
            {"alias": "open", "type": "browser_action", "config": {"action": "navigate", "url": f"{site.origin}/list"}},
            {"alias": "read", "type": "browser_query", "config": looks},
            {"alias": "fill", "type": "browser_action", "config": {"action": "navigate", "url": f"{site.origin}/"}},
            {"alias": "name", "type": "browser_action", "config": {"action": "type", "selector": "#n", "text": "Nordwind AG"}},
            {"alias": "add", "type": "browser_action", "config": {"action": "click", "selector": "#go"}, "effect": "once"},
        ]  # fmt: skip
        given = {
            "version": 2,
            "id": "lamps",
            "name": "Lamps",
            "origins": [site.origin],
            "nodes": nodes,
        }
        (tmp_path / "lamps.json").write_text(json.dumps(given))
        code, out, err = run(
            "workflow", "run", str(tmp_path / "lamps.json"), "--approve", site.origin
        )
        assert (code, "doubt (" in out) == (0, False), out + err
        twice = (
            "<script>f.onsubmit = e => { e.preventDefault(); const send = () => fetch('/add', {method: 'POST', body: "
            "new URLSearchParams(new FormData(f))}); send().then(send).then(() => document.body.append('Nordwind AG')); };</script>"
        )
        site["/list"] = {
            "hidden rows": f"<p>15 results</p>{table(1, 5)}",
            "other numbers": f"<p>5 results</p>{table(1, 5)}".replace(".50<", ",50<"),
            "cut texts": f"<p>5 results</p>{cut}",
        }.get(fault, f"<p>5 results</p>{table(1, 5)}")  # fmt: skip
        site["/"] = form + (twice if fault == "sent twice" else "")
        code, out, err = run("workflow", "run", "lamps")
        assert code == 3, out + err
        # The second run also enters what the first has entered.
        assert set(re.findall(r"doubt \((\w+)\)", out)) == {kinds[fault], "twice"}
