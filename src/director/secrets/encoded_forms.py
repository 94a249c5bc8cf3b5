"""The forms in which a value may turn up: escaped, encoded, or as bytes of another encoding.

Pure, and one table: what the net removes and what a sweep looks for are the same forms.
"""

from __future__ import annotations

import base64
import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from html import escape
from itertools import product
from urllib.parse import quote, quote_plus

MINIMUM = 4
# Whoever may write texts and sees what is redacted in them can try all values that are shorter.
_GUESSED = 8
SHORT = "a secret this short can be guessed"
_HEX = re.compile(r"%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|&#x[0-9A-Fa-f]+;")
_LETTERS = frozenset("abcdefABCDEF")


def explain_unfit_secret(value: str) -> str:
    """Why a value cannot be kept out of texts; empty if it can. Says nothing about its letters."""
    if len(value) < MINIMUM:
        return f"it has fewer than {MINIMUM} characters, and redacting it would redact everything"
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        return "it holds half of a surrogate pair, which no text can carry"
    return ""


def is_short_form(value: str) -> bool:
    """Whether a value has so few characters that it can be found by trying."""
    return len(value) < _GUESSED


def list_encoded_forms(value: str) -> dict[str, bytes]:
    """Every form of a value by name, as the bytes to look for."""
    if reason := explain_unfit_secret(value):
        del value
        raise ValueError(f"The value cannot be looked for: {reason}.")
    return {
        f"{form}{variant}": found
        for variant, text in _variants(value)
        for form, found in _forms(text)
    }


def find_base64_edges(value: str) -> Iterator[tuple[bytes, bool, bool]]:
    """The base64 cores, and whether the letters before and after hold bits of the value too."""
    for _, text in _variants(value):
        for _, core, before, after in _base64(text.encode()):
            yield core, before, after


def _variants(value: str) -> Iterator[tuple[str, str]]:
    yield "", value
    seen = {value}
    others = {
        " (NFC)": unicodedata.normalize("NFC", value),
        " (NFD)": unicodedata.normalize("NFD", value),
        # A browser sends the line ends of a form as CRLF.
        " (CRLF)": re.sub(r"\r\n|\r|\n", "\r\n", value),
        " (LF)": re.sub(r"\r\n|\r", "\n", value),
        # As a page shows it.
        " (one space)": " ".join(value.split()),
    }
    for name, text in others.items():
        if text not in seen and len(text) >= MINIMUM:
            seen.add(text)
            yield name, text


def _forms(text: str) -> Iterator[tuple[str, bytes]]:
    raw = text.encode()
    yield "UTF-8", raw
    yield "UTF-16 LE", text.encode("utf-16-le")
    yield "UTF-16 BE", text.encode("utf-16-be")
    if all(letter <= "\xff" for letter in text):
        yield "Latin-1", text.encode("latin-1")
    yield "hex", raw.hex().encode()
    yield "hex in capitals", raw.hex().upper().encode()
    for name, core, _, _ in _base64(raw):
        yield name, core
    for name, write in _ESCAPES:
        written = write(text)
        yield name, written.encode()
        for way in (str.lower, str.upper):
            if (other := _HEX.sub(_change_case(way), written)) != written:
                yield f"{name}, hex {way.__name__}", other.encode()


def _change_case(way: Callable[[str], str]) -> Callable[[re.Match[str]], str]:
    # Letter by letter: the `u` and `x` of an escape keep their case.
    return lambda found: "".join(way(each) if each in _LETTERS else each for each in found[0])


def _base64(raw: bytes) -> Iterator[tuple[str, bytes, bool, bool]]:
    """Only the letters that the value decides, whatever stands before and after it."""
    for skipped in range(3):
        coded = base64.b64encode(bytes(skipped) + raw)
        first = (8 * skipped + 5) // 6
        end, spare = divmod(8 * (skipped + len(raw)), 6)
        core = coded[first:end]
        yield f"base64 at {skipped}", core, skipped > 0, spare > 0
        web = core.translate(bytes.maketrans(b"+/", b"-_"))
        yield f"base64 for URLs at {skipped}", web, skipped > 0, spare > 0


def _json(text: str) -> str:
    return json.dumps(text)[1:-1]


def _json_raw(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _json_for_html(text: str) -> str:
    return re.sub("[&<>']", lambda found: f"\\u{ord(found[0]):04x}", _json(text))


def _percent(safe: str) -> Callable[[str], str]:
    return lambda text: quote(text, safe=safe)


def _html(quotes: tuple[str, str], wide: str) -> Callable[[str], str]:
    def write(text: str) -> str:
        done = escape(text, quote=False).replace('"', quotes[0]).replace("'", quotes[1])
        return re.sub(r"[^\x00-\x7f]", lambda found: wide.format(found[0], ord(found[0])), done)

    return write


_QUOTES = (
    ("&quot;", "&#x27;"),
    ("&quot;", "&#39;"),
    ("&#34;", "&#39;"),
    ("&quot;", "&apos;"),
    ("&quot;", "'"),
    ('"', "'"),
)
_ESCAPES: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("JSON", _json),
    ("JSON, letters as they are", _json_raw),
    ("JSON, slashes escaped", lambda text: _json(text).replace("/", "\\/")),
    ("JSON for HTML", _json_for_html),
    ("JSON in JSON", lambda text: _json(_json(text))),
    ("JSON in JSON, letters as they are", lambda text: _json_raw(_json_raw(text))),
    ("URL", _percent("")),
    ("URL, path", _percent("/")),
    ("URL, form", quote_plus),
    ("URL, form of a browser", lambda text: quote_plus(text, safe="*").replace("~", "%7E")),
    ("URL, component", _percent("!'()*")),
    ("URL, whole", _percent(";,/?:@&=+$!*'()#")),
    ("URL, query of a browser", _percent("!$%&()*+,/:;=?@[\\]^`{|}")),
    ("URL, path of a browser", _percent("!$%&'()*+,/:;=@[\\]|")),
    *(
        (f"HTML {number}", _html(quotes, wide))
        for number, (quotes, wide) in enumerate(product(_QUOTES, ("{0}", "&#{1};", "&#x{1:x};")))
    ),
    ("Python", lambda text: repr(text)[1:-1]),
    ("Python, bytes", lambda text: repr(text.encode())[2:-1]),
    ("UTF-8 read as Latin-1", lambda text: text.encode().decode("latin-1")),
    ("SQL", lambda text: text.replace("'", "''")),
)
