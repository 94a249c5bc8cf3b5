"""Postbox: a mailbox with a login, labels, search, paging and an archive."""

from __future__ import annotations

from dataclasses import replace
from math import ceil

from director.demo.site.html_tree import Element, Node, el
from director.demo.site.http_values import Response, SiteVisit, address, redirect
from director.demo.site.pages.pieces import (
    button,
    choice,
    facts,
    field,
    login_form,
    missing,
    page,
    pager,
    render_hidden_field,
    table,
)
from director.demo.site.values import LABELS, MAIL_PASSWORD, USER, Mail

_ROOM = 10


def login(visit: SiteVisit, problem: str = "") -> Response:
    """Ask who is there."""
    then = button(visit.look.says("Log in", "Sign in"))
    return page(
        visit,
        "Log in to Postbox",
        *login_form(visit, "/mail/login", problem=problem, then=then),
        part="mail",
        status=401 if problem else 200,
    )


def enter(visit: SiteVisit) -> Response:
    """Let in whoever knows the password."""
    if (visit.form.text("user"), visit.form.text("password")) != (USER, MAIL_PASSWORD):
        return login(visit, "This user and this password do not belong together.")
    visit.session.mailbox = True
    return redirect("/mail", renew=True)


def leave(visit: SiteVisit) -> Response:
    """Log out of the mailbox."""
    visit.session.mailbox = False
    visit.session.notice = "You are logged out."
    return redirect("/mail/login")


def inbox(visit: SiteVisit) -> Response:
    """The letters of a folder, a label or a search, the newest first."""
    if not visit.session.mailbox:
        return redirect("/mail/login")
    folder = "archive" if visit.query.text("folder") == "archive" else ""
    label, words = visit.query.text("label"), visit.query.text("q")
    found = _find_mails(visit, folder, label, words)
    pages = max(1, ceil(len(found) / _ROOM))
    number = visit.number("page", 1, most=pages)
    shown = found[(number - 1) * _ROOM : number * _ROOM]

    def link(to: int) -> str:
        return address("/mail", folder=folder, label=label, q=words, page=to)

    title = visit.look.says("Archive", "Put away") if folder else label or "Inbox"
    listed = el(
        "div",
        _search(visit, folder, label, words),
        el("p", f"{len(found)} letters" if len(found) != 1 else "1 letter", class_="quiet"),
        _list(visit, shown) if shown else el("p", "Nothing here.", class_="empty"),
        pager(visit, number, pages, link),
        class_="stack",
    )
    return page(
        visit,
        title,
        el("div", *visit.look.order(_folders(visit, folder, label), listed), class_="split"),
        part="mail",
        lead=_account(visit),
    )


def _find_mails(visit: SiteVisit, folder: str, label: str, words: str) -> list[Mail]:
    return [
        mail
        for mail in sorted(visit.state.mails.values(), key=lambda each: -each.id)
        if mail.archived == bool(folder)
        and (not label or label in mail.labels)
        and words.casefold()
        in f"{mail.sender} {mail.address} {mail.subject} {' '.join(mail.body)}".casefold()
    ]


def _account(visit: SiteVisit) -> Element:
    return el(
        "form",
        el("span", USER, class_="quiet"),
        button(visit.look.says("Log out", "Sign out"), kind="plain small"),
        method="post",
        action="/mail/logout",
        class_="actions",
    )


def _folders(visit: SiteVisit, folder: str, label: str) -> Element:
    mails = visit.state.mails.values()
    unread = sum(not mail.read and not mail.archived for mail in mails)

    def entry(words: str, to: str, *, here: bool, count: int = 0) -> Element:
        badge = el("span", count, class_="badge", aria_label=f"{count} unread") if count else None
        current = "page" if here else None
        return el("li", el("a", words, badge, href=to, class_="folder", aria_current=current))

    return el(
        "nav",
        el(
            "ul",
            entry("Inbox", "/mail", here=not folder and not label, count=unread),
            [
                entry(each, address("/mail", label=each), here=each == label and not folder)
                for each in visit.look.order(*LABELS)
            ],
            entry(
                visit.look.says("Archive", "Put away"), "/mail?folder=archive", here=bool(folder)
            ),
            class_="folders",
        ),
        aria_label="Folders and labels",
        class_="aside",
    )


def _search(visit: SiteVisit, folder: str, label: str, words: str) -> Element:
    return el(
        "form",
        field(
            visit.look.says("Search letters", "Find in letters"), "q", type="search", value=words
        ),
        render_hidden_field("folder", folder) if folder else None,
        render_hidden_field("label", label) if label else None,
        button(visit.look.says("Search", "Find"), kind="plain"),
        method="get",
        action="/mail",
        role="search",
        class_="bar",
    )


def _list(visit: SiteVisit, shown: list[Mail]) -> Element:
    rows: list[Node] = [_render_row(mail) for mail in shown]
    headings = (
        el("th", el("span", "Choose", class_="unseen"), scope="col"),
        "From",
        "Subject",
        "Labels",
        "Received",
    )
    words = visit.look.says("Archive chosen", "Put chosen away")
    listed = table("Letters", headings, rows)
    actions = el("div", button(words, kind="plain"), class_="actions")
    return el(
        "form",
        listed,
        actions,
        method="post",
        action="/mail/archive",
        class_="stack letters",
    )


def _render_row(mail: Mail) -> Element:
    choose = el(
        "input",
        type="checkbox",
        name="mail",
        value=mail.id,
        aria_label=f"Choose {mail.subject}",
    )
    return el(
        "tr",
        el("td", choose, class_="pick"),
        el("td", mail.sender, class_="from"),
        el("td", el("a", mail.subject, href=f"/mail/{mail.id}"), class_="subject"),
        el("td", _tags(mail), class_="tags"),
        el("td", mail.received.strftime("%d %b, %H:%M"), class_="when"),
        class_="letter" if mail.read else "letter unread",
    )


def _tags(mail: Mail) -> list[Element]:
    return [el("span", each, class_=f"tag tag-{each.lower()}") for each in mail.labels]


def read(visit: SiteVisit) -> Response:
    """One letter, which is read from now on."""
    if not visit.session.mailbox:
        return redirect("/mail/login")
    mail = visit.state.mails.get(int(visit.arguments[0]))
    if mail is None:
        return missing(visit, "mail")
    visit.state.mails[mail.id] = replace(mail, read=True)
    letter = el(
        "article",
        facts(
            (
                ("From", f"{mail.sender} <{mail.address}>"),
                ("Received", mail.received.strftime("%A, %d %B %Y, %H:%M")),
                ("Labels", _tags(mail) or "none"),
            )
        ),
        el("div", [el("p", each) for each in mail.body], class_="prose"),
        el("section", el("h2", "Details"), facts(mail.facts), class_="details")
        if mail.facts
        else None,
        class_="panel",
    )
    back = el("p", el("a", visit.look.says("Back to the inbox", "All letters"), href="/mail"))
    return page(
        visit, mail.subject, *visit.look.order(back, letter, _actions(visit, mail)), part="mail"
    )


def _actions(visit: SiteVisit, mail: Mail) -> Element:
    if mail.archived:
        words, to = visit.look.says("Move to the inbox", "Put back"), "restore"
    else:
        words, to = visit.look.says("Archive", "Put away"), "archive"
    label = el(
        "form",
        choice("Label", "label", options=[(each, each) for each in LABELS]),
        button(visit.look.says("Add or remove", "Toggle label"), kind="plain"),
        method="post",
        action=f"/mail/{mail.id}/label",
        class_="bar",
    )
    move = el("form", button(words), method="post", action=f"/mail/{mail.id}/{to}")
    return el("div", move, label, class_="actions spread")


def archive(visit: SiteVisit) -> Response:
    """Put one letter away."""
    return _move_mails(visit, (visit.arguments[0],), archived=True)


def restore(visit: SiteVisit) -> Response:
    """Put one letter back into the inbox."""
    return _move_mails(visit, (visit.arguments[0],), archived=False)


def archive_chosen(visit: SiteVisit) -> Response:
    """Put all chosen letters away."""
    return _move_mails(visit, visit.form.texts("mail"), archived=True)


def _move_mails(visit: SiteVisit, ids: tuple[str, ...], *, archived: bool) -> Response:
    if not visit.session.mailbox:
        return redirect("/mail/login")
    mails = visit.state.mails
    known = [mails[int(each)] for each in ids if each.isdecimal() and int(each) in mails]
    for mail in known:
        mails[mail.id] = replace(mail, archived=archived)
    where = "archive" if archived else "inbox"
    letters = "1 letter" if len(known) == 1 else f"{len(known)} letters"
    visit.session.notice = f"{letters} moved to the {where}."
    return redirect("/mail")


def label(visit: SiteVisit) -> Response:
    """Give a letter a label, or take it away if it had it."""
    if not visit.session.mailbox:
        return redirect("/mail/login")
    mail, chosen = visit.state.mails.get(int(visit.arguments[0])), visit.form.text("label")
    if mail is None or chosen not in LABELS:
        return missing(visit, "mail")
    had = chosen in mail.labels
    kept = tuple(each for each in LABELS if (each in mail.labels) != (each == chosen))
    visit.state.mails[mail.id] = replace(mail, labels=kept)
    visit.session.notice = f"Label {chosen} {'removed' if had else 'added'}."
    return redirect(f"/mail/{mail.id}")
