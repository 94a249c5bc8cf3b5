"""Approved origins: compared exactly, as a whole, with a wildcard only where it is written."""

from __future__ import annotations

import pytest

from director.browser import NotApproved, Origins
from director.browser.chromium import find_chromium
from director.browser.errors import BrowserError
from director.secrets import OriginError


@pytest.mark.parametrize(
    ("approved", "url"),
    [
        ("https://example.org", "https://example.org/a?b#c"),
        ("https://example.org/", "https://EXAMPLE.org:443/ü \\ |"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000?x"),
        ("https://*.example.org", "https://a.example.org/"),
        ("https://*.example.org", "https://a.b.example.org/"),
        ("http://*.example.org:81", "http://a.example.org:81/"),
    ],
)
def test_an_address_on_an_approved_origin_is_let_through(approved: str, url: str) -> None:
    """Whatever stands after the host."""
    Origins([approved]).check(url)


@pytest.mark.parametrize(
    ("approved", "url"),
    [
        ("https://example.org", "http://example.org/"),
        ("https://example.org", "https://example.org:444/"),
        ("https://example.org", "https://a.example.org/"),
        ("https://example.org", "https://example.org.attacker.test/"),
        ("https://example.org", "https://example.org@attacker.test/"),
        ("https://example.org", "https://attacker.test\\@example.org/"),
        ("https://example.org", "https://attacker.test#@example.org/"),
        ("https://example.org", "https://example.org\t.attacker.test/"),
        ("https://example.org", "https://exаmple.org/"),
        ("https://example.org", "https://example.org./"),
        ("https://*.example.org", "https://example.org/"),
        ("https://*.example.org", "https://aexample.org/"),
        ("https://*.example.org", "http://a.example.org/"),
        ("https://*.example.org", "https://a.example.org:8443/"),
        ("http://127.0.0.1:8000", "http://localhost:8000/"),
        ("http://127.0.0.1:8000", "http://2130706433:8000/"),
        ("http://127.0.0.1:8000", "http://[::1]:8000/"),
    ],
)
def test_an_address_anywhere_else_is_refused(approved: str, url: str) -> None:
    """Look-alikes, other schemes, ports, users, and what two programs might read in two ways."""
    with pytest.raises(NotApproved):
        Origins([approved]).check(url)


@pytest.mark.parametrize(
    "text",
    [
        "https://*",
        "https://*.org",
        "https://*.[::1]",
        "https://a.*.example.org",
        "*.example.org",
        "https://example.org/path",
        "https://*.example.org/path",
        "file:///",
        "https://example.org@x",
        "",
    ],
)
def test_what_would_approve_too_much_or_is_no_origin_is_refused(text: str) -> None:
    """With words about the right form."""
    with pytest.raises(OriginError):
        Origins([text])


def test_an_approval_takes_effect_at_once_and_is_listed() -> None:
    """In the form in which it can be approved again."""
    origins = Origins(["https://a.test"])
    with pytest.raises(NotApproved, match=r"'https://b\.test' is not approved.*https://a\.test"):
        origins.check("https://b.test/secret-path")
    origins.approve("https://b.test")
    origins.approve("https://*.c.test")
    origins.check("https://b.test/")
    assert list(origins) == ["https://a.test", "https://b.test", "https://*.c.test"]
    assert list(Origins(origins)) == list(origins)


def test_a_browser_that_is_named_and_missing_is_told() -> None:
    """As is how to install one."""
    with pytest.raises(BrowserError, match="DIRECTOR_CHROMIUM names 'no-such-program'"):
        find_chromium(environ={"DIRECTOR_CHROMIUM": "no-such-program"})
    assert find_chromium(__file__, {}) == __file__
