"""A site is made from its seed, stands alone, answers only this machine, and escapes everything."""

from __future__ import annotations

import re
from http.client import HTTPConnection
from importlib.resources import files

import pytest

from demo.visitor import Answer, Visitor
from director.demo.site import Site
from director.demo.site.html_tree import el, render_html
from director.demo.site.look import SiteDesign
from director.demo.site.site_routes import ROUTES

EVIL = "<img src=x onerror=alert(1)>\"'&"
PAGES = ("/", "/mail", "/grid", "/shop", "/shop/cart", "/shop/login", "/flaky", "/lab")


def everything(visitor: Visitor) -> list[str]:
    """The texts of the main pages, as somebody sees them who is logged in to the mailbox."""
    visitor.enter_mailbox()
    return [visitor.get(path).text for path in PAGES]


def test_the_same_seed_makes_the_same_site() -> None:
    """Page by page, letter by letter; another seed makes another one."""
    with Site(seed=7).serve() as one, Site(seed=7).serve() as same, Site(seed=8).serve() as other:
        shown = everything(Visitor(one))
        assert shown == everything(Visitor(same))
        assert shown != everything(Visitor(other))


def test_sites_know_nothing_of_one_another() -> None:
    """What is done on one is not done on the other, and a login holds for one."""
    with Site().serve() as one, Site().serve() as other:
        visitor = Visitor(one)
        visitor.enter_mailbox()
        visitor.post("/mail/3/archive")
        assert Visitor(one).state()["archived"] == [3]
        assert Visitor(other).state()["archived"] == []
        assert (one.state.mails[3].archived, other.state.mails[3].archived) == (True, False)


def test_a_fresh_start_forgets_everything(site: Site, visitor: Visitor) -> None:
    """What happened, and who was logged in."""
    before = visitor.state()
    visitor.enter_mailbox()
    visitor.post("/mail/3/archive")
    assert visitor.state() != before
    assert visitor.post("/reset").url == f"{site.url}/"
    assert visitor.state() == before
    assert visitor.get("/mail").url.endswith("/mail/login")


def test_a_site_can_be_served_again_and_remembers(site: Site) -> None:
    """Its state is the site's, not the server's; an address it has only while served."""
    idle = Site()
    with pytest.raises(RuntimeError, match="not served"):
        _ = idle.url
    with idle.serve():
        Visitor(idle).post("/grid/rows/1/delete")
    with idle.serve() as again:
        assert 1 not in again.state.rows
        assert again.url != site.url


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_whole_and_needs_nothing_from_elsewhere(visitor: Visitor, path: str) -> None:
    """A language, a title, one main heading, a main part, and no address of another host."""
    visitor.enter_mailbox()
    page = visitor.get(path)
    assert page.status == 200
    assert '<html lang="en">' in page.text
    assert len(page.all("<h1>")) == len(page.all("<main ")) == len(page.all("<title>")) == 1
    assert [
        each for each in page.all(r'(?:src|href|action)="([^"]*)"') if each[0] not in "/#"
    ] == []
    assert "://" not in page.text
    assert "default-src 'self'" in page.headers["Content-Security-Policy"]
    labelled = set(page.all(r'<label for="([^"]+)"'))
    asked = page.all(r'<(?:input|select) id="([^"]+)"')
    assert set(asked) <= labelled
    assert len(asked) == len(set(asked))


def test_what_visitors_type_never_becomes_markup(visitor: Visitor) -> None:
    """On every page that shows it."""
    visitor.enter_shop()
    row = {"supplier": EVIL, "number": EVIL, "due": "2026-11-30", "amount": "1", "status": "open"}
    visitor.post("/grid/rows", row)
    visitor.post("/flaky/notes", {"note": EVIL})
    visitor.post("/lab/frame", {"value": EVIL})
    sku = visitor.get("/shop").all(r"/shop/products/([A-Z]{2}-\d+)")[0]
    address = dict.fromkeys(("name", "street", "postcode", "city", "country", "reference"), EVIL)
    visitor.post("/shop/orders", {**address, "line": f"{sku}:1"})
    shown = ("/grid", "/flaky", "/lab/frame", "/shop/orders", "/shop/orders/OI-1001")
    for page in (visitor.get(path) for path in (*shown, f"/mail?q={'%3Cimg'}")):
        assert "<img src=x" not in page.text
        assert "&lt;img" in page.text
    assert "<img src=x" not in visitor.post("/mail/login", {"user": EVIL, "password": "x"}).text


def test_elements_escape_texts_and_attributes() -> None:
    """There is no other way to write them; an empty element has no end."""
    assert render_html(el("p", EVIL, title=EVIL), SiteDesign()) == (
        '<p title="&lt;img src=x onerror=alert(1)&gt;&quot;&#x27;&amp;">'
        "&lt;img src=x onerror=alert(1)&gt;&quot;&#x27;&amp;</p>"
    )
    assert render_html([el("input", disabled=True, name=None), None, 3], SiteDesign()) == (
        '<input disabled="" />3'
    )


def asked(site: Site, method: str, path: str, **headers: str) -> int:
    """The status of a request with headers that no honest browser would send."""
    link = HTTPConnection(site.url.removeprefix("http://"), timeout=60)
    try:
        link.putrequest(method, path, skip_host=True)
        for name, value in headers.items():
            link.putheader(name.replace("_", "-"), value)
        link.endheaders()
        return link.getresponse().status
    finally:
        link.close()


def test_only_this_machine_by_its_own_name_is_answered(site: Site) -> None:
    """A page elsewhere can neither use a name of its own for the site nor send it forms."""
    port = site.url.rpartition(":")[2]
    assert asked(site, "GET", "/", Host=f"127.0.0.1:{port}") == 200
    assert asked(site, "GET", "/", Host=f"localhost:{port}") == 200
    assert asked(site, "GET", "/", Host=f"evil.example:{port}") == 421
    assert asked(site, "GET", "/") == 421
    here = {"Host": f"127.0.0.1:{port}", "Content_Length": "0"}
    assert asked(site, "POST", "/reset", **here, Origin="http://evil.example") == 403
    assert asked(site, "POST", "/reset", **here, Origin="null") == 403
    assert asked(site, "POST", "/reset", **here, Origin=site.url) == 303
    assert asked(site, "POST", "/reset", Host=here["Host"], Content_Length="2000000") == 413
    assert asked(site, "POST", "/reset", Host=here["Host"], Content_Length="many") == 413


def test_a_session_is_random_hidden_from_scripts_and_renewed_by_a_login(visitor: Visitor) -> None:
    """So that one who knew the name before the login does not know it after."""
    assert "Set-Cookie" not in visitor.get("/").headers
    sku = visitor.get("/shop").all(r"/shop/products/([A-Z]{2}-\d+)")[0]
    names = []
    for step in (lambda: visitor.post("/shop/cart", {"sku": sku}), visitor.enter_mailbox):
        step()
        (cookie,) = visitor.cookies
        assert cookie.has_nonstandard_attr("HttpOnly")
        assert len(cookie.value or "") >= 32
        names.append(cookie.value)
    assert len(set(names)) == 2
    assert "(1)" in visitor.get("/shop").text


def statuses(answers: list[Answer]) -> set[int]:
    """Their statuses."""
    return {answer.status for answer in answers}


def test_addresses_that_lead_nowhere_say_so(visitor: Visitor) -> None:
    """With 404, whatever was left out or made up."""
    visitor.enter_mailbox()
    nowhere = ["/nowhere", "/mail/999", "/shop/products/XX-999", "/shop/pictures/XX-999.svg"]
    assert statuses([visitor.get(path) for path in [*nowhere, "/static/none.css"]]) == {404}
    posts = ["/", "/grid/rows/999/delete", "/grid/rows/999", "/mail/3/label", "/shop/cart"]
    assert statuses([visitor.post(path) for path in posts]) == {404}


def test_no_address_makes_the_site_stumble(visitor: Visitor) -> None:
    """Each of its own addresses answers something, logged in or not, with odd queries too."""
    odd = "?page=-1&every=0&ms=x&after=99999999999&sort=none&dir=up&category=None&q=%00%ff"
    for _ in range(2):
        for route in ROUTES:
            path = re.sub(r"\(.*?\)", "3", route.path.pattern).replace("\\", "")
            answer = visitor.get(path + odd) if route.method == "GET" else visitor.post(path)
            assert answer.status < 500 or path.startswith("/flaky")
        visitor.enter_shop()


def test_the_files_of_the_pages_are_in_the_package() -> None:
    """Style and script are found wherever the package is."""
    folder = files("director.demo.site").joinpath("static")
    assert {each.name for each in folder.iterdir()} == {
        "icon.svg",
        "redesign.css",
        "site.css",
        "site.js",
    }
