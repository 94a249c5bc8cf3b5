"""Flaky: pages that fail, lie or dawdle every n-th time, counted from a place the seed decides."""

from __future__ import annotations

from director.demo.site.html_tree import Element, el
from director.demo.site.http_values import Response, SiteVisit, address
from director.demo.site.pages.pieces import button, field, page, table

_SLOW_MS = 1_500
_MOST_MS = 20_000


def _is_struck(visit: SiteVisit, what: str) -> bool:
    """Whether this is the n-th time; `every` in the address says n, usually 3, 1 is always."""
    every = visit.number("every", 3, most=1_000)
    return (visit.state.count(f"flaky {what}") + visit.state.seed) % every == 0


def flaky(visit: SiteVisit) -> Response:
    """What can go wrong here, and the form that lies."""
    kinds = (
        ("Fails", "/flaky/fails", "every=3", "Answers 500 every third time."),
        ("Slow", "/flaky/slow", "every=3&ms=1500", "Every third answer takes 1.5 seconds."),
        ("Late", "/flaky/late", "ms=1200", "The button that matters appears after 1.2 seconds."),
    )
    rows = [
        el(
            "tr",
            el("th", el("a", name, href=path), scope="row"),
            el("td", what),
            el("td", el("code", f"?{query}")),
        )
        for name, path, query, what in kinds
    ]
    return page(
        visit,
        "Flaky pages",
        *visit.look.order(
            el(
                "section",
                el("h2", "Pages"),
                table("Flaky pages", ("Page", "What it does", "Can be set by"), rows),
                class_="stack",
            ),
            _liar(visit),
        ),
        part="flaky",
        lead=el(
            "p",
            "They go wrong on purpose. Which time is the third depends on the seed.",
            class_="quiet",
        ),
    )


def _liar(visit: SiteVisit) -> Element:
    every = visit.number("every", 3, most=1_000)
    return el(
        "section",
        el("h2", visit.look.says("A form that lies", "A form to distrust")),
        el(
            "p",
            "It says “Saved” whatever the server answers, and every third time the server "
            "answers 500. What was really saved is in the list after a reload.",
            class_="quiet",
        ),
        el(
            "form",
            field("Note", "note", required=True, maxlength=200),
            button(visit.look.says("Save note", "Keep note"), kind="primary"),
            method="post",
            action=address("/flaky/notes", every=every),
            data_optimistic="toast",
            class_="bar",
        ),
        el("p", "Saved", id="toast", class_="toast", role="status", hidden=True),
        el("h3", "Saved notes"),
        el("ol", [el("li", each) for each in visit.state.notes], class_="plainlist")
        if visit.state.notes
        else el("p", "None yet.", class_="empty"),
        class_="panel stack",
    )


def keep_note(visit: SiteVisit) -> Response:
    """Keep a note, or fail and keep nothing."""
    if _is_struck(visit, "notes"):
        return Response(b'{"saved": false}', 500, type="application/json")
    visit.state.notes.append(visit.form.text("note")[:200])
    return Response(b'{"saved": true}', type="application/json")


def fails(visit: SiteVisit) -> Response:
    """A page, or an error."""
    if _is_struck(visit, "fails"):
        return page(
            visit,
            "Something went wrong",
            el("p", "The server had an error. Try again."),
            part="flaky",
            status=500,
        )
    return page(visit, "It worked this time", _again(visit, "/flaky/fails"), part="flaky")


def slow(visit: SiteVisit) -> Response:
    """A page that now and then takes its time."""
    wait = visit.number("ms", _SLOW_MS, most=_MOST_MS) / 1000 if _is_struck(visit, "slow") else 0.0
    shown = page(visit, "Here it is", _again(visit, "/flaky/slow"), part="flaky")
    return Response(shown.body, delay=wait)


def _again(visit: SiteVisit, path: str) -> Element:
    words = visit.look.says("Once more", "Try again")
    here = address(path, every=visit.query.text("every"), ms=visit.query.text("ms"))
    return el("p", el("a", words, href=here, class_="button plain"))


def late(visit: SiteVisit) -> Response:
    """A page whose button comes when nobody expects it any more."""
    wait = visit.number("ms", 1_200, most=_MOST_MS)
    words = visit.look.says("Continue", "Go on")
    return page(
        visit,
        "Please wait",
        el(
            "div",
            el("p", "Loading the rest …", role="status"),
            el(
                "template",
                el("p", "Here it is."),
                el("a", words, href="/flaky", class_="button primary"),
            ),
            data_late=wait,
            class_="panel",
        ),
        part="flaky",
    )
