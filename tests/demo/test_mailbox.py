"""Postbox: letters are found, read, labelled and put away, by whoever is logged in."""

from __future__ import annotations

import pytest

from demo.visitor import Visitor
from director.demo.site import Site
from director.demo.site.values import LABELS, USER

_SUBJECTS = r'href="/mail/(\d+)">'


def test_nobody_gets_in_without_the_password(visitor: Visitor) -> None:
    """Every page of the mailbox leads to its login, and a wrong password is refused."""
    for path in ("/mail", "/mail/3", "/mail?q=invoice"):
        assert visitor.get(path).url.endswith("/mail/login")
    assert visitor.post("/mail/3/archive").url.endswith("/mail/login")
    refused = visitor.post("/mail/login", {"user": USER, "password": "guess"})
    assert refused.status == 401
    assert 'role="alert"' in refused.text
    assert visitor.state()["archived"] == []
    assert visitor.enter_mailbox().url.endswith("/mail")
    assert visitor.post("/mail/logout").url.endswith("/mail/login")
    assert visitor.get("/mail").url.endswith("/mail/login")


def test_paging_shows_every_letter_once_the_newest_first(site: Site, visitor: Visitor) -> None:
    """Twenty-eight letters on three pages."""
    visitor.enter_mailbox()
    shown = [id_ for page in (1, 2, 3) for id_ in visitor.get(f"/mail?page={page}").all(_SUBJECTS)]
    assert [int(id_) for id_ in shown] == sorted(site.state.mails, reverse=True)
    assert len(shown) == 28
    assert visitor.get("/mail?page=99").all('aria-label="Page (.)" aria-current') == ["3"]


def test_there_is_something_of_everything(site: Site) -> None:
    """Every label is in use, and all the bills differ."""
    mails = site.state.mails.values()
    assert {label for mail in mails for label in mail.labels} == set(LABELS)
    bills = [dict(mail.facts) for mail in mails if "Invoices" in mail.labels]
    assert len({bill["Invoice number"] for bill in bills}) == len(bills) == 8


def test_a_search_and_a_label_find_their_letters(visitor: Visitor) -> None:
    """In the sender, the subject and the text, whatever the case."""
    visitor.enter_mailbox()
    assert len(visitor.get("/mail?label=Invoices").all(_SUBJECTS)) == 8
    found = visitor.get("/mail?q=FERRY").all(_SUBJECTS)
    assert len(found) == 1
    assert visitor.get("/mail?q=ferry&label=Invoices").all(_SUBJECTS) == []
    assert "Ferry timetable" in visitor.get(f"/mail/{found[0]}").text


def test_reading_a_letter_marks_it_read(site: Site, visitor: Visitor) -> None:
    """And shows its details as names and values."""
    visitor.enter_mailbox()
    bill = next(mail for mail in site.state.mails.values() if mail.facts and not mail.read)
    page = visitor.get(f"/mail/{bill.id}")
    shown = page.all("<dt>([^<]*)</dt><dd>[^<]*</dd>"), page.all("<dt>[^<]*</dt><dd>([^<]*)</dd>")
    assert set(bill.facts) <= set(zip(*shown, strict=True))
    assert site.state.mails[bill.id].read


@pytest.mark.parametrize("chosen", [["3"], ["3", "5", "nonsense", "999"]])
def test_chosen_letters_are_put_away_and_come_back(visitor: Visitor, chosen: list[str]) -> None:
    """They leave the inbox, are in the archive, and can be moved back."""
    visitor.enter_mailbox()
    real = [int(each) for each in chosen if each in ("3", "5")]
    page = visitor.post("/mail/archive", {"mail": chosen})
    assert f"{len(real)} letter" in page.all('role="status">([^<]*)')[0]
    assert visitor.state()["archived"] == real
    archive = visitor.get("/mail?folder=archive").all(_SUBJECTS)
    assert sorted(map(int, archive)) == real
    visitor.post(f"/mail/{real[0]}/restore")
    assert visitor.state()["archived"] == real[1:]


def test_a_label_is_added_and_removed(site: Site, visitor: Visitor) -> None:
    """The same form does both."""
    visitor.enter_mailbox()
    before = site.state.mails[3].labels
    new = next(label for label in LABELS if label not in before)
    visitor.post("/mail/3/label", {"label": new})
    assert set(site.state.mails[3].labels) == {*before, new}
    visitor.post("/mail/3/label", {"label": new})
    assert site.state.mails[3].labels == before
