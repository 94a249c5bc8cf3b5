"""Lab: the awkward bits of the web, each of which tells the site that it was used."""

from __future__ import annotations

import json

from director.demo.site.html_tree import Element, Node, el
from director.demo.site.http_values import Response, SiteVisit, download
from director.demo.site.pages.pieces import button, document, field, page, render_hidden_field
from director.demo.site.values import DemoAction

_FEED = 60
_BATCH = 12
_MOST_DEEDS = 1_000


def lab(visit: SiteVisit) -> Response:
    """All of them on one page; the endless list is last, for it has no end to put things after."""
    bits = (
        _frame(),
        _shadow(),
        _confirm(visit),
        _popup(visit),
        _download(visit),
        _render_typed(visit),
    )
    return page(
        visit,
        "Awkward bits",
        el("div", *visit.look.order(*bits), class_="cards wide"),
        _feed(),
        part="lab",
        lead=el("p", "What you do here is kept at /api/state under “deeds”.", class_="quiet"),
    )


def _bit(title: str, *content: Node) -> Element:
    return el("section", el("h2", title), content, class_="card stack")


def _frame() -> Element:
    return _bit(
        "A frame", el("iframe", src="/lab/frame", title="A form in a frame", class_="frame")
    )


def frame(visit: SiteVisit) -> Response:
    """The document inside the frame."""
    did = [each.value for each in visit.state.deeds if each.what == "frame"]
    body = el(
        "main",
        el("p", f"Sent: {did[-1]}", role="status", class_="notice") if did else None,
        el(
            "form",
            render_hidden_field("what", "frame"),
            field(visit.look.says("Message", "Your message"), "value", required=True),
            button("Send", kind="plain"),
            method="post",
            action="/lab/frame",
            class_="bar",
        ),
        class_="bare",
    )
    return document(visit, "A frame", body)


def _shadow() -> Element:
    inside = el(
        "template",
        el("link", rel="stylesheet", href="/static/site.css"),
        el(
            "div",
            el("p", "Counted: ", el("output", "0", data_count=True)),
            button("Count up", kind="plain", type="button"),
            class_="stack",
        ),
    )
    return _bit("An open shadow root", el("div", inside, data_shadow=True))


def _confirm(visit: SiteVisit) -> Element:
    return _bit(
        "A dialog of the browser",
        button(
            visit.look.says("Delete everything", "Erase everything"),
            kind="plain",
            type="button",
            data_confirm="Delete everything?",
        ),
        el("p", "Nobody was asked yet.", role="status"),
    )


def _popup(visit: SiteVisit) -> Element:
    return _bit(
        "A second window",
        el(
            "a",
            visit.look.says("Choose a colour", "Pick a colour"),
            href="/lab/popup",
            target="colours",
            data_popup=True,
            class_="button plain",
        ),
        el("p", "No colour yet.", role="status", data_answer=True),
    )


def popup(visit: SiteVisit) -> Response:
    """The document of the second window."""
    body = el(
        "main",
        el("h1", "Choose a colour"),
        el(
            "div",
            [
                button(each, kind="plain", type="button", data_colour=each)
                for each in visit.look.order("Red", "Green", "Blue")
            ],
            class_="actions",
        ),
        class_="bare stack",
    )
    return document(visit, "Choose a colour", body)


def _download(visit: SiteVisit) -> Element:
    return _bit(
        "A download",
        el(
            "a",
            visit.look.says("Download report", "Get the report"),
            href="/lab/report.csv",
            class_="button plain",
            download=True,
        ),
    )


def report(visit: SiteVisit) -> Response:
    """A small file."""
    _do(visit, "download", "report.csv")
    names = [f"{each.sku},{each.stock}" for each in visit.state.products.values()]
    return download("\r\n".join(["Product,Stock", *names, ""]), "report.csv")


def _render_typed(visit: SiteVisit) -> Element:
    words = visit.look.says("Close the account", "End the account")
    return _bit(
        "A button that must be earned",
        el(
            "form",
            render_hidden_field("what", "typed"),
            field(
                "Type “delete” to go on",
                "value",
                data_enables="earned",
                data_word="delete",
                autocomplete="off",
            ),
            button(words, id="earned", disabled=True),
            method="post",
            action="/lab/did",
            class_="stack",
        ),
    )


def _feed() -> Element:
    return el(
        "section",
        el("h2", "A list without an end in sight"),
        el("ol", id="feed", class_="plainlist"),
        el(
            "p",
            "More is coming …",
            role="status",
            data_feed="/lab/feed",
            data_into="feed",
            class_="quiet",
        ),
        class_="panel stack",
    )


def feed(visit: SiteVisit) -> Response:
    """The next part of the endless list, which ends after sixty."""
    after = visit.number("after", 0, least=0, most=_FEED)
    items = [f"Entry {number}" for number in range(after + 1, min(after + _BATCH, _FEED) + 1)]
    return Response(json.dumps(items).encode(), type="application/json")


def _do(visit: SiteVisit, what: str, value: str) -> None:
    if len(visit.state.deeds) < _MOST_DEEDS:
        visit.state.deeds.append(DemoAction(what[:40], value[:200]))


def did(visit: SiteVisit) -> Response:
    """Keep what a visitor did, and show the lab again."""
    _do(visit, visit.form.text("what"), visit.form.text("value"))
    visit.session.notice = f"Done: {visit.form.text('what')[:40]}."
    return lab(visit)


def keep_sent(visit: SiteVisit) -> Response:
    """Keep what was sent from inside the frame, and show the frame again."""
    _do(visit, "frame", visit.form.text("value"))
    return frame(visit)
