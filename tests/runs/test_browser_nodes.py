"""Nodes in a real browser: each action and query, the evidence, and what is never a success."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from director.runs import Run, run_workflow
from director.secrets import Vault
from director.store import Store
from director.store.run_variables import read_run_variables
from runs.building import by_key, code, flow, node, pages, result, statuses
from runs.conftest import Live

FORM = """<!doctype html><title>Form</title>
<form action=/done><input id=name name=name><input type=password id=pw>
<select id=size><option value=s>Small<option value=l>Large</select>
<input type=checkbox id=agree><input type=file id=file>
<button id=go>Go</button></form>
<p class=hidden style=display:none>secret words</p>
<button class=twice onclick="said.textContent='one'">A</button>
<button class=twice onclick="said.textContent='two'">B</button>
<p id=said></p>
<ul><li class="mail unread" data-id=7><a href=/mail/7>First</a><b>ada</b></li>
<li class=mail data-id=8><a href=/mail/8>Second</a></li></ul>
<div id=box style="height:50px;overflow:auto"><div style=height:3000px></div><i id=deep>deep</i></div>
<a id=later href=/done?slow>later</a>
<button id=broken onclick="fetch('/broken').then(r => said.textContent='Saved!')">Save</button>"""
DONE = "<!doctype html><title>Done</title><h1>Done</h1><a href=/>back</a>"


@pytest.fixture
def origin() -> Iterator[str]:
    """A page with a form, and the one it leads to."""
    with pages(index=FORM, done=DONE) as served:
        yield served


def action(alias: str, name: str, /, **config: Any) -> dict[str, Any]:
    """A browser_action."""
    return node(alias, "browser_action", action=name, **config)


def query(alias: str, method: str, **config: Any) -> dict[str, Any]:
    """A browser_query."""
    return node(alias, "browser_query", method=method, **config)


def done(live: Live, store: Store, origin: str, *nodes: Any, **means: Any) -> Run:
    """Open the form, then run these nodes."""
    workflow = flow(action("open", "navigate", url=f"{origin}/"), *nodes, origin=origin)
    return live.run(run_workflow(store, workflow, live.means(**means)))


def test_every_action_tells_what_it_did(
    live: Live, store: Store, origin: str, tmp_path: Path
) -> None:
    """In the shapes that templates build on."""
    (tmp_path / "note.txt").write_text("hello")
    run = done(
        live,
        store,
        origin,
        action("name", "type", selector="#name", text="ada"),
        action("size", "select", selector="#size", label="Large"),
        action("agree", "check", selector="#agree"),
        action("disagree", "uncheck", selector="#agree"),
        action("file", "upload", selector="#file", file="note.txt"),
        action("second", "click", selector="button.twice", nth="last"),
        action("wait", "wait", selector="#said"),
        action("pause", "wait", time=1),
        action("deep", "scrollIntoView", selector="#deep", container="#box"),
        action("row", "scrollToRow", rowIndex=3, rowHeight=20, container="#box"),
        action("focus", "click", selector="#name"),
        action("key", "keypress", key="a", modifiers=["Shift"]),
        action("shot", "screenshot", path="form.png", fullPage=True),
        action("tab", "openNewTab", url=f"{origin}/done", name="other"),
        action("tabs", "listTabs"),
        action("home", "switchTab", tabName="main"),
        action("close", "closeTab", tabName="other"),
        action("now", "getCurrentTab"),
        action("there", "navigate", url=f"{origin}/done"),
        action("loaded", "wait", navigation=True),
        action("back", "back"),
        action("forward", "forward"),
        action("again", "refresh"),
        file=lambda name: tmp_path / name,
    )
    assert run.error is None
    told = {key: step.result for key, step in by_key(store, run).items()}
    one = {"nth": 0, "totalElements": 1, "actionableElements": 1, "filteredBy": ["visibleOnly"]}
    assert told["name"] == {"typed": "ada", "selector": "#name", **one}
    assert told["size"] == {"selected": ["l"], "selector": "#size", **one}
    assert (told["agree"]["checked"], told["disagree"]["checked"]) == (True, False)  # type: ignore[index,call-overload]
    assert told["file"] == {"uploaded": ["note.txt"], "selector": "#file", **one, "filteredBy": []}
    assert told["second"] == {
        "clicked": "button.twice",
        "nth": 1,
        "totalElements": 2,
        "actionableElements": 2,
        "filteredBy": ["visibleOnly"],
    }
    assert (told["wait"], told["pause"]) == ({"waited": "#said"}, {"waited": 1})
    assert told["row"] == {"scrolledToRow": 3, "scrollTop": 60}
    assert told["key"] == {"pressed": "Shift+a", "focused": {"role": "textbox", "name": ""}}
    picture: Any = told["shot"]
    assert store.read_kept(picture["screenshot"]["$kept"]).startswith(b"\x89PNG")
    assert told["tab"] == {"openedTab": "other", "url": f"{origin}/done", "active": True}
    assert told["tabs"] == {
        "tabs": [
            {"name": "main", "url": f"{origin}/", "title": "Form", "active": False},
            {"name": "other", "url": f"{origin}/done", "title": "Done", "active": True},
        ]
    }
    assert (told["home"], told["close"]) == (
        {"switchedTo": "main"},
        {"closedTab": "other", "active": "main"},
    )
    assert told["now"] == {"url": f"{origin}/", "title": "Form"}
    assert told["back"] == {"navigated": f"{origin}/"}
    assert told["forward"] == told["again"] == {"navigated": f"{origin}/done"}


def test_every_query_tells_what_it_saw(live: Live, store: Store, origin: str) -> None:
    """And a missing field is an empty text."""
    fields = {"title": "a", "who": "b", "id": "@data-id", "new": "@class~unread", "all": "."}
    run = done(
        live,
        store,
        origin,
        query("mails", "deterministic_extract", selector="li.mail", fields=fields, limit=5),
        query("links", "deterministic_extract", selector="li.mail a", fields={"to": "@href"}),
        query("form", "deterministic_extract", selector="#go", fields={"to": "@form-url"}),
        query("count", "count", selector="p"),
        query("seen", "validate", rules=[{"type": "element_exists", "selector": "#go"}]),
        query("look", "debug_element", selector=".hidden"),
        query("none", "debug_element", selector="#nothing"),
    )
    assert run.error is None
    mails = result(store, run, "mails")
    assert mails["items"] == [
        {
            "title": "First",
            "who": "ada",
            "id": "7",
            "new": True,
            "all": "First ada".replace(" ", ""),
        },
        {"title": "Second", "who": "", "id": "8", "new": False, "all": "Second"},
    ]
    assert (mails["count"], mails["totalElements"], mails["filteredBy"]) == (2, 2, ["visibleOnly"])
    assert result(store, run, "links")["items"][0] == {"to": f"{origin}/mail/7"}
    assert result(store, run, "form")["items"] == [{"to": f"{origin}/done"}]
    counted = result(store, run, "count")
    assert (counted["count"], counted["visibleCount"], counted["hiddenCount"]) == (2, 0, 2)
    assert "none of them" in counted["warning"]
    assert result(store, run, "seen")["passed"] is True
    assert result(store, run, "look")["actionability"]["clickable"] is False
    assert result(store, run, "none")["found"] is False


def test_a_validation_stops_the_run_unless_it_says_otherwise(
    live: Live, store: Store, origin: str
) -> None:
    """Stopping is the default, written or not."""
    rules = [{"type": "element_exists", "selector": "#nothing", "description": "a door"}]
    soon = {"rules": rules, "timeout": 50}
    run = done(live, store, origin, query("check", "validate", **soon), code("after", "1"))
    assert statuses(store, run) == {"open": "success", "check": "failed"}
    assert "a door" in str(run.error)
    go_on = query("check", "validate", **soon, onFailure="continue_with_error")
    run = done(live, store, origin, go_on, code("after", "1"))
    assert (run.state, result(store, run, "check")["passed"]) == ("done", False)


CANNOT = {
    "nothing": ("click", {"selector": "#nothing", "timeout": 50}, "#nothing"),
    "unseen": ("click", {"selector": ".hidden", "timeout": 50}, "visibleOnly"),
    "elsewhere": ("navigate", {"url": "https://elsewhere.example/"}, "not approved"),
    "local": ("navigate", {"url": "file:///etc/passwd"}, "not opened"),
    "no_file": ("upload", {"selector": "#file", "file": "note.txt"}, "No file may be uploaded"),
    "no_text": ("extractPdf", {"source": "../a.pdf"}, "No file '../a.pdf' was downloaded"),
    "no_page": ("forward", {}, "no page to go forward to"),
}


def test_an_action_that_cannot_be_done_fails_its_node(
    live: Live, store: Store, origin: str
) -> None:
    """With what to do, and a picture; never a success."""
    nodes = [action(alias, name, **config) for alias, (name, config, _) in CANNOT.items()]
    group = node("every", "group", nodeRange=list(CANNOT), continueOnError=True)
    run = done(live, store, origin, group, *nodes, pictures="failures")
    steps = by_key(store, run)
    for alias, (_, _, says) in CANNOT.items():
        step = steps[f"every.{alias}"]
        assert (step.status, says in step.error) == ("failed", True), step.error
        assert step.screenshot is not None
    assert steps["open"].screenshot is None


def test_a_success_toast_over_a_broken_request_is_no_success(
    live: Live, store: Store, origin: str
) -> None:
    """The page says saved and the server says 500: the node is not green."""
    save = {
        **action("save", "click", selector="#broken"),
        "ensures": [
            {"element": "#said", "text": "Saved!"},
            {"status": f"{origin}/broken", "below": 400, "within": 500},
        ],
    }
    run = done(live, store, origin, save)
    evidence = by_key(store, run)["save"].evidence
    assert run.state == "failed"
    assert [each["holds"] for each in evidence] == [True, False]
    assert "500" in str(evidence[1]["found"])


CONDITIONS: list[tuple[dict[str, Any], bool]] = [
    ({"url": "http://127.0.0.1:*/"}, True),
    ({"url": "http://127.0.0.1:*/other"}, False),
    ({"url_matches": r":\d+/$"}, True),
    ({"element": "#go"}, True),
    ({"element": ".hidden"}, False),
    ({"element": ".hidden", "absent": True}, True),
    ({"element": "#go", "absent": True}, False),
    ({"element": "li.mail", "text": "First"}, True),
    ({"element": "li.mail", "text": "Second"}, False),
    ({"element": "#name", "value": ""}, True),
    ({"element": "#name", "value": "bob"}, False),
    ({"element": {"role": "button", "name": "Go"}}, True),
    ({"count": "li.mail", "equals": 2}, True),
    ({"count": "li.mail", "at_least": 3}, False),
    ({"count": "li.mail", "at_most": 2}, True),
    ({"status": "*/nothing", "is": 200}, False),
]


def test_a_node_runs_only_if_what_it_requires_holds(live: Live, store: Store, origin: str) -> None:
    """With the evidence, whichever way it is; a node that did not run has not acted."""
    nodes = [
        {**query(f"look_{at}", "count", selector="p"), "requires": [{**condition, "within": 50}]}
        for at, (condition, _) in enumerate(CONDITIONS)
    ]
    names = [each["alias"] for each in nodes]
    group = node("every", "group", nodeRange=names, continueOnError=True)
    run = done(live, store, origin, group, *nodes)
    for name, (condition, holds) in zip(names, CONDITIONS, strict=True):
        step = by_key(store, run)[f"every.{name}"]
        assert (step.status == "success", step.acted) == (holds, holds), condition
        assert [each["holds"] for each in step.evidence] == [holds]


def test_a_secret_is_typed_and_stands_nowhere(
    live: Live, store: Store, origin: str, tmp_path: Path
) -> None:
    """Not in the journal, not in a variable, even if the page shows it."""
    vault = Vault(tmp_path / "vault", b"k" * 32)
    vault.put("login", "canary-swordfish-9", origin)
    vault.allow_field("login", origin, "text name=name")
    run = done(
        live,
        store,
        origin,
        action("name", "type", selector="#name", text="{{secret:login}}", store="*"),
        query("read", "deterministic_extract", selector="#name", fields={"v": "@value"}, store="*"),
        secrets=vault,
    )
    assert run.error is None
    assert result(store, run, "name")["typed"] == "{{secret:login}}"
    assert result(store, run, "read")["items"] == [{"v": "[redacted]"}]
    assert "canary" not in str(read_run_variables(store, run.id))
    assert not any("canary" in str(change.what) for change in store.changes())


def test_a_page_cannot_name_a_secret(live: Live, store: Store, tmp_path: Path) -> None:
    """What it says of a secret is typed as words, not as the secret."""
    vault = Vault(tmp_path / "vault", b"k" * 32)
    with pages(index=FORM.replace("ada", "{{secret:login}}")) as origin:
        vault.put("login", "canary-swordfish-9", origin)
        run = done(
            live,
            store,
            origin,
            query("read", "deterministic_extract", selector="li b", store={"items[0]": "said"}),
            action("name", "type", selector="#name", text="{{read.said}}"),
            {
                **query("look", "count", selector="p"),
                "requires": [{"element": "#name", "value": "canary-swordfish-9", "within": 50}],
            },
            secrets=vault,
        )
    assert statuses(store, run)["name"] == "success"
    assert statuses(store, run)["look"] == "failed"


def test_each_step_in_the_browser_has_a_picture_and_a_restart_point(
    live: Live, store: Store, origin: str
) -> None:
    """Its time, its page and its evidence are there as well."""
    run = done(live, store, origin, code("after", "1"), pictures="each")
    step = by_key(store, run)["open"]
    assert step.screenshot is not None
    assert store.read_kept(step.screenshot["$kept"]).startswith(b"\x89PNG")
    assert step.point is not None
    assert b"cookies" not in store.read_kept(step.point["$kept"])
    assert step.page is not None
    assert step.page["url"] == f"{origin}/"
    assert by_key(store, run)["after"].point is None


POINTER = """<!doctype html><title>Menu</title><style>ul{display:none} nav:hover ul{display:block}</style>
<nav>Menu<ul><li onclick="said.textContent='Opened'">Open</ul></nav><p id=said></p>
<select id=many multiple><option value=s>Small<option value=m>Middle<option value=l>Large</select>
<input id=number>"""


def test_a_menu_under_the_pointer_several_options_and_a_number(live: Live, store: Store) -> None:
    """What people do with a pointer, a list and a figure that a template gives."""
    with pages(index=POINTER) as origin:
        run = done(
            live,
            store,
            origin,
            action("point", "hover", selector="nav"),
            action("pick", "click", selector="nav li"),
            action("two", "select", selector="#many", label=["Small", "Large"]),
            code("sum", "6 * 7", store=True),
            {
                **action("enter", "type", selector="#number", text="{{sum.result}}"),
                "ensures": [{"element": "#number", "value": "{{sum.result}}"}],
            },
        )
    assert run.error is None
    assert result(store, run, "point")["hovered"] == "nav"
    assert result(store, run, "two")["selected"] == ["s", "l"]
