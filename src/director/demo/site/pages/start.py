"""The start page, which explains the site, and what tests ask: the state, and a fresh start."""

from __future__ import annotations

import json

from director.demo.site.html_tree import Element, el
from director.demo.site.http_values import Response, SiteVisit
from director.demo.site.pages.pieces import button, page, table
from director.demo.site.values import MAIL_PASSWORD, SHOP_PASSWORD, USER

_CARDS = (
    (
        "Postbox",
        "/mail",
        "A mailbox with 28 letters: invoices, questions, newsletters, codes.",
        "logging in, searching, paging, reading details, labelling, archiving.",
    ),
    (
        "Grid",
        "/grid",
        "A table of invoices in the manner of a spreadsheet database.",
        "dialogs, editing in place, filters, sorting, CSV files out and in.",
    ),
    (
        "Oak & Ink",
        "/shop",
        "A stationery shop whose login sends a one-time code to the Postbox.",
        "paging, forms, a login in two steps, ordering exactly once.",
    ),
    (
        "Flaky",
        "/flaky",
        "Pages that fail, lie or dawdle every n-th time.",
        "showing that a step needs evidence, not a friendly message.",
    ),
    (
        "Lab",
        "/lab",
        "The awkward bits of the web in one place.",
        "frames, shadow roots, dialogs, popups, downloads, endless scrolling.",
    ),
)


def start(visit: SiteVisit) -> Response:
    """What there is, what each part is good for, and the logins."""
    return page(
        visit,
        "A site to practise on",
        *visit.look.order(_parts(visit), _logins(visit), _switches(visit)),
        lead=el(
            "p",
            "Five small applications for trying out workflows: each does what its real cousins "
            "do, with made-up content that is the same after every start.",
            class_="lead",
        ),
    )


def _parts(visit: SiteVisit) -> Element:
    cards = [
        el(
            "li",
            el("h2", el("a", name, href=path)),
            el("p", what),
            el(
                "p",
                el("strong", visit.look.says("Good for: ", "Try it for: ")),
                use,
                class_="quiet",
            ),
            class_="card",
        )
        for name, path, what, use in _CARDS
    ]
    return el("section", el("ul", cards, class_="cards wide"), aria_label="Applications")


def _logins(visit: SiteVisit) -> Element:
    rows = [
        el(
            "tr",
            el("th", where, scope="row"),
            el("td", el("code", password)),
            el("td", then),
        )
        for where, password, then in (
            ("Postbox", MAIL_PASSWORD, "you are in"),
            ("Oak & Ink", SHOP_PASSWORD, "a code arrives in the Postbox"),
        )
    ]
    return el(
        "section",
        el("h2", visit.look.says("Logins", "Accounts")),
        el("p", "The user is ", el("code", USER), " everywhere."),
        table("Logins", ("Where", "Password", "Then"), rows),
        class_="stack",
    )


def _switches(visit: SiteVisit) -> Element:
    other = int(not visit.look.redesign)
    words = visit.look.says("Switch the redesign on", "Switch the redesign off")
    return el(
        "section",
        el("h2", visit.look.says("Two switches", "What you can change")),
        el(
            "p",
            "A redesign changes every id and class, wraps and reorders blocks and rewords some "
            "labels, while each part does what it did. A fresh start forgets all that happened; "
            "what happened so far is at ",
            el("a", "/api/state", href="/api/state"),
            ".",
        ),
        el(
            "div",
            el("a", words, href=f"/?redesign={other}", class_="button plain"),
            el("form", button("Start afresh", kind="plain"), method="post", action="/reset"),
            class_="actions",
        ),
        class_="stack",
    )


def state(visit: SiteVisit) -> Response:
    """What happened, as JSON."""
    return Response(json.dumps(visit.state.as_json(), indent=1).encode(), type="application/json")
