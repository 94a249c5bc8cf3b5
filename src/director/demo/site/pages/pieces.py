"""What pages are made of: the frame around each, fields, buttons, tables, paging."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from director.demo.site.html_tree import Attribute, Element, Node, el, render_html
from director.demo.site.http_values import Response, SiteVisit

PARTS = (
    ("mail", "Postbox", "/mail"),
    ("grid", "Grid", "/grid"),
    ("shop", "Oak & Ink", "/shop"),
    ("flaky", "Flaky", "/flaky"),
    ("lab", "Lab", "/lab"),
)


def page(
    visit: SiteVisit,
    title: str,
    *content: Node,
    part: str = "",
    lead: Node = None,
    status: int = 200,
) -> Response:
    """A whole page: head, navigation, the notice that waits for this browser, the content."""
    notice = visit.session.notice
    visit.session.notice = ""
    name = next((shown for key, shown, _ in PARTS if key == part), "Director demo")
    main = el(
        "main",
        el("p", notice, class_="notice", role="status") if notice else None,
        el("div", el("h1", title), lead, class_="heading"),
        content,
        id="content",
        class_="main",
    )
    return document(
        visit, f"{title} · {name}", _top(visit, part), main, _foot(visit), status=status
    )


def document(visit: SiteVisit, title: str, *body: Node, status: int = 200) -> Response:
    """A document with the site's styles and script, and this body."""
    tree = el(
        "html",
        el(
            "head",
            el("meta", charset="utf-8"),
            el("meta", name="viewport", content="width=device-width, initial-scale=1"),
            el("title", title),
            el("link", rel="icon", href="/static/icon.svg", type="image/svg+xml"),
            el("link", rel="stylesheet", href="/static/site.css"),
            el("script", src="/static/site.js"),
        ),
        el("body", *body, class_="page"),
        lang="en",
    )
    return Response(f"<!doctype html>\n{render_html(tree, visit.look)}\n".encode(), status=status)


def _top(visit: SiteVisit, part: str) -> Element:
    links = [
        el("a", shown, href=path, class_="tab", aria_current="page" if key == part else None)
        for key, shown, path in PARTS
    ]
    return el(
        "header",
        el(
            "a",
            visit.look.says("Skip to content", "Jump to main part"),
            href="#content",
            class_="skip",
        ),
        el("a", "Director demo", href="/", class_="brand"),
        el("nav", *visit.look.order(*links), class_="tabs", aria_label="Parts of the site"),
        class_="top",
    )


def _foot(visit: SiteVisit) -> Element:
    words = visit.look.says("Show the redesign", "Show the first design")
    return el(
        "footer",
        el("p", "A site to practise on. Nothing here is real, and nothing leaves this machine."),
        el("p", el("a", words, href=f"/?redesign={int(not visit.look.redesign)}")),
        class_="foot",
    )


def button(words: str, *, kind: str = "primary", **more: Attribute) -> Element:
    """A button that sends its form, unless `type` says otherwise."""
    return el("button", words, **{"type": "submit", "class_": f"button {kind}", **more})


def field(label: str, name: str, **more: Attribute) -> Element:
    """A labelled input."""
    id_ = f"field-{name}"
    return el(
        "div",
        el("label", label, for_=id_, class_="label"),
        el("input", **{"id": id_, "name": name, "type": "text", "class_": "input", **more}),
        class_="field",
    )


def choice(
    label: str,
    name: str,
    *,
    options: Iterable[tuple[str, str]],
    chosen: str = "",
    id_: str = "",
) -> Element:
    """A labelled list to choose from; options are values and words."""
    id_ = id_ or f"field-{name}"
    return el(
        "div",
        el("label", label, for_=id_, class_="label"),
        el(
            "select",
            [el("option", words, value=each, selected=each == chosen) for each, words in options],
            id=id_,
            name=name,
            class_="input",
        ),
        class_="field",
    )


def render_hidden_field(name: str, value: str | int) -> Element:
    """A field that nobody sees."""
    return el("input", type="hidden", name=name, value=value)


def alert(words: str) -> Element | None:
    """What went wrong, if anything did."""
    return el("p", words, class_="alert", role="alert") if words else None


def table(caption: str, headings: Sequence[Node], rows: Sequence[Node]) -> Element:
    """A table that says what it is and scrolls by itself where it is too wide."""
    heads = [
        each if isinstance(each, Element) else el("th", each, scope="col") for each in headings
    ]
    return el(
        "div",
        el(
            "table",
            el("caption", caption, class_="unseen"),
            el("thead", el("tr", heads)),
            el("tbody", rows),
            class_="table",
        ),
        class_="scroll",
    )


def facts(pairs: Iterable[tuple[str, Node]]) -> Element:
    """Names and values."""
    return el(
        "dl",
        [el("div", el("dt", name), el("dd", value), class_="fact") for name, value in pairs],
        class_="facts",
    )


def pager(visit: SiteVisit, number: int, pages: int, link: Callable[[int], str]) -> Element | None:
    """Links to the other pages of a list."""
    if pages < 2:
        return None
    back, on = visit.look.says("Previous", "Earlier page"), visit.look.says("Next", "Next page")
    return el(
        "nav",
        el("a", back, href=link(number - 1), class_="step", rel="prev") if number > 1 else None,
        [
            el(
                "a",
                each,
                href=link(each),
                class_="step",
                aria_label=f"Page {each}",
                aria_current="page" if each == number else None,
            )
            for each in range(1, pages + 1)
        ],
        el("a", on, href=link(number + 1), class_="step", rel="next") if number < pages else None,
        class_="pager",
        aria_label="Pages",
    )


def login_form(
    visit: SiteVisit, action: str, *more: Node, problem: str, then: Element, next_: str = ""
) -> list[Node]:
    """Who is there, and the password; `then` is the button, and `next_` what follows."""
    form = el(
        "form",
        alert(problem),
        *more,
        field(
            visit.look.says("Email", "Email address"),
            "user",
            type="email",
            required=True,
            autocomplete="username",
            value=visit.form.text("user"),
        ),
        field(
            "Password", "password", type="password", required=True, autocomplete="current-password"
        ),
        then,
        method="post",
        action=action,
        class_="panel narrow",
    )
    hint = el(
        "p",
        "The user and the password are on the ",
        el("a", "start page", href="/"),
        f".{next_}",
        class_="quiet",
    )
    return list(visit.look.order(form, hint))


def missing(visit: SiteVisit, part: str = "") -> Response:
    """There is no such page."""
    return page(
        visit,
        "There is no such page",
        el(
            "p",
            "It may have been there before the last restart. ",
            el("a", "Go to the start", href="/"),
            ".",
        ),
        part=part,
        status=404,
    )
