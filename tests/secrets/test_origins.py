"""Origins are equal only if scheme, host and port are, and what is doubtful is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from director.secrets import Origin, OriginError, parse_origin_binding, parse_page_origin

BANK = parse_origin_binding("https://bank.example")


@pytest.mark.parametrize(
    "url",
    [
        "https://bank.example",
        "https://bank.example/",
        "https://bank.example:443/login?next=/#top",
        "HTTPS://Bank.EXAMPLE/login",
        "https://bank.example/path@evil.example",
        "https://bank.example?user@evil.example",
    ],
)
def test_a_page_of_the_origin_has_that_origin(url: str) -> None:
    """Whatever its case, its path, and a port that says what is usual."""
    assert parse_page_origin(url) == BANK


@pytest.mark.promise("D2")
@pytest.mark.parametrize(
    "url",
    [
        "http://bank.example/",
        "https://bank.example:8443/",
        "https://bank.example:80/",
        "https://www.bank.example/",
        "https://bank.example.evil.example/",
        "https://evil-bank.example/",
        "https://bank.example-evil.example/",
        "https://bankexample/",
        "https://bаnk.example/",  # its second letter is Cyrillic
        "https://xn--bnk-6cd.example/",
        "https://ｂａｎｋ.example/",  # wide letters, which a browser narrows
        "https://bank。example/",  # a wide full stop, likewise
        "https://ban\u212a.example/",  # the sign of the kelvin, which lower() makes a k
        "https://bank.example@evil.example/",
        "https://bank.example:443@evil.example/",
        "https://user@bank.example/",
        "https://user:word@bank.example/",
        "https://evil.example\\@bank.example/",
        "https://bank.example\\.evil.example/",
        "https://bank.example./",
        "https://bank.example../",
        "https://.bank.example/",
        "https://bank..example/",
        "https://bank.example%2eevil.example/",
        "https://bank%2eexample/",
        "https://bank.example\t/",
        " https://bank.example/",
        "https://bank.example\n",
        "https://bank.exam\nple/",
        "https://bank.example\x00.evil.example/",
        "https:/bank.example/",
        "https:bank.example",
        "//bank.example/",
        "bank.example",
        "https://",
        "https:///bank.example",
        "https://bank.example:",
        "https://bank.example:0",
        "https://bank.example:65979",
        "https://bank.example:4４3",
        "https://bank.example:+443",
        "https://bank.example:443:443",
        "wss://bank.example/",
        "ftp://bank.example/",
        "blob:https://bank.example/0000",
        "data:text/html,https://bank.example/",
        "javascript:https://bank.example/",
        "view-source:https://bank.example/",
        "about:blank",
        "file:///bank.example",
        "null",
        "",
    ],
)
def test_another_place_is_another_origin_or_none(url: str) -> None:
    """Look-alikes, other ports and schemes, users, dots, and what programs read in two ways."""
    try:
        assert parse_page_origin(url) != BANK
    except OriginError as error:
        assert "word" not in str(error)  # noqa: PT017  either way is right


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://[::1]:8443/", "https://[::1]:8443"),
        ("https://[0:0:0:0:0:0:0:1]", "https://[::1]"),
        ("https://[2001:DB8::00A]:443", "https://[2001:db8::a]"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("http://localhost:80", "http://localhost"),
        ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
        ("https://my_host.example:0443", "https://my_host.example"),
    ],
)
def test_an_origin_has_one_way_of_being_written(url: str, shown: str) -> None:
    """Addresses are shortened, letters small, usual ports left out."""
    assert str(parse_page_origin(url)) == shown
    assert parse_page_origin(shown) == parse_page_origin(url)


@pytest.mark.promise("D2")
@pytest.mark.parametrize(
    "host",
    "[::1 ::1 [::1%25eth0] [::1%eth0] [::g] [] 127.1 0x7f.0.0.1 2130706433 017.0.0.1 127.0.0.01 "
    "1.2.3.4.5 example.0x7f 300.1.1.1".split(),
)
def test_an_address_in_an_unusual_form_is_refused(host: str) -> None:
    """A browser reads some of them as an address that a person would not."""
    with pytest.raises(OriginError):
        parse_page_origin(f"https://{host}/")


@pytest.mark.parametrize("host", ["localhost:3000", "127.0.0.1", "[::1]:8080"])
def test_http_is_allowed_on_this_machine_only_if_it_is_written(host: str) -> None:
    """A binding to https is not one to http, nor the other way round."""
    assert parse_origin_binding(f"http://{host}") == parse_page_origin(f"http://{host}/form")
    assert parse_origin_binding(f"https://{host}") != parse_page_origin(f"http://{host}/form")


@pytest.mark.promise("D2")
@pytest.mark.parametrize(
    "host", "bank.example 127.0.0.2 localhost.evil.example notlocalhost [::2]".split()
)
def test_http_elsewhere_cannot_be_bound(host: str) -> None:
    """What is not encrypted is read on the way."""
    with pytest.raises(OriginError, match="not encrypted"):
        parse_origin_binding(f"http://{host}")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("https://bank.example/login", "whole origin: write 'https://bank.example'"),
        ("https://bank.example?x", "whole origin"),
        ("https://*.bank.example", "wildcard"),
        ("https://*", "wildcard"),
        ("https://bank.example.", "ends in a dot"),
        ("https://bücher.example", "punycode"),
        ("https://me:word@bank.example", "names no user"),
        ("bank.example", "begins with https://"),
    ],
)
def test_a_binding_says_what_is_wrong_with_it(text: str, why: str) -> None:
    """And repeats no user, path or query."""
    with pytest.raises(OriginError, match=why.replace("*", "[*]")) as caught:
        parse_origin_binding(text)
    assert "word" not in str(caught.value)
    assert "login" not in str(caught.value)


@given(st.text(max_size=40), st.sampled_from(["", "https://", "https://bank.example"]))
def test_any_text_has_an_origin_or_a_clear_refusal(text: str, before: str) -> None:
    """Nothing else is raised; what is read reads the same again."""
    try:
        origin = parse_page_origin(before + text)
    except OriginError:
        return
    assert isinstance(origin, Origin)
    assert parse_page_origin(str(origin)) == origin
