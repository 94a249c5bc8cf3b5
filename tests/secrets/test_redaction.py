"""The net: what goes through it holds none of the values, in none of their forms."""

from __future__ import annotations

import base64
import html
import json
import math
import pickle
import time
import traceback
import urllib.parse

import pytest
from hypothesis import given
from hypothesis import strategies as st

from director.secrets import Clear, Redactor, list_encoded_forms

AWKWARD = "pä\"ss&w+ord'<é> /%7~\\n 10€"
NASTY = st.text(alphabet="ab[]redct01é%&\"'\\ /+<\n«»█⟦", min_size=4, max_size=9)


@st.composite
def soups(draw: st.DrawFn) -> tuple[list[str], bytes]:
    """Values, some of them parts of one another, and bytes made of their forms and of parts."""
    values = draw(st.lists(NASTY, min_size=1, max_size=4))
    joined = "".join(values)
    cuts = st.integers(0, len(joined))
    for low, high in draw(st.lists(st.tuples(cuts, cuts), max_size=2)):
        values += [joined[low:high]] if high - low >= 4 else []
    forms = [form for value in values for form in list_encoded_forms(value).values()]
    part = st.tuples(st.sampled_from(forms), st.integers(0, 5), st.integers(0, 5)).map(
        lambda cut: cut[0][cut[1] : len(cut[0]) - cut[2]]
    )
    pieces = st.one_of(part, st.sampled_from(forms), NASTY.map(str.encode), st.binary(max_size=2))
    return values, b"".join(draw(st.lists(pieces, max_size=12)))


@pytest.mark.promise("D3")
@given(soups())
def test_no_value_is_left_in_bytes(soup: tuple[list[str], bytes]) -> None:
    """Whatever overlaps, begins, ends or encodes whatever; and once is enough."""
    values, content = soup
    net = Redactor(values)
    cleaned = net.clean_bytes(content)
    for value in values:
        assert [name for name, form in list_encoded_forms(value).items() if form in cleaned] == []
    assert net.clean_bytes(cleaned) == cleaned


@pytest.mark.promise("D3")
@given(soups())
def test_no_value_is_left_in_a_text(soup: tuple[list[str], bytes]) -> None:
    """The same of texts, with bytes in them that Python could not read."""
    values, content = soup
    net = Redactor(values)
    cleaned = net.clean(content.decode("utf-8", "surrogateescape"))
    for value in values:
        assert value not in cleaned
        assert [
            name
            for name, form in list_encoded_forms(value).items()
            if form.decode("utf-8", "surrogateescape") in cleaned
        ] == []
    assert net.clean(cleaned) == cleaned


@pytest.mark.promise("D3")
@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=4), max_size=3), st.text()
)
def test_any_values_and_any_text_will_do(values: list[str], text: str) -> None:
    """From all of Unicode, with the values put into the text."""
    cleaned = Redactor(values).clean(text.join(["", *values, ""]))
    assert [value for value in values if value in cleaned] == []


WRITTEN = {
    "as it is": AWKWARD,
    "JSON": json.dumps(AWKWARD)[1:-1],
    "JSON in capitals": json.dumps(AWKWARD)[1:-1]
    .replace("\\u00e4", "\\u00E4")
    .replace("e9", "E9")
    .replace("20ac", "20AC"),
    "JSON, unescaped": json.dumps(AWKWARD, ensure_ascii=False)[1:-1],
    "JSON in JSON": json.dumps(json.dumps(AWKWARD))[3:-3],
    "URL": urllib.parse.quote(AWKWARD, safe=""),
    "URL, small letters": urllib.parse.quote(AWKWARD, safe="")
    .replace("%C3%A4", "%c3%a4")
    .replace("%2B", "%2b")
    .replace("%3C", "%3c")
    .replace("%C3%A9", "%c3%a9")
    .replace("%3E", "%3e")
    .replace("%2F", "%2f")
    .replace("%5C", "%5c")
    .replace("%E2%82%AC", "%e2%82%ac"),
    "form": urllib.parse.quote_plus(AWKWARD),
    "HTML": html.escape(AWKWARD),
    "HTML text": html.escape(AWKWARD, quote=False),
    "HTML by numbers": html.escape(AWKWARD).encode("ascii", "xmlcharrefreplace").decode(),
    "hex": AWKWARD.encode().hex(),
    "HEX": AWKWARD.encode().hex().upper(),
    "repr": repr(AWKWARD)[1:-1],
    "repr of bytes": repr(AWKWARD.encode())[2:-1],
    "misread": AWKWARD.encode().decode("latin-1"),
    "SQL": AWKWARD.replace("'", "''"),
}


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN)
def test_a_value_is_found_however_it_is_written(written: str) -> None:
    """The text around it stays."""
    assert Redactor([AWKWARD]).clean(f"before {written} after") == "before [redacted] after"


@pytest.mark.parametrize("coder", [base64.b64encode, base64.urlsafe_b64encode])
@pytest.mark.parametrize("before", range(7))
@pytest.mark.parametrize("after", range(4))
def test_a_value_inside_base64_is_found_at_any_place(
    coder: type[bytes], before: int, after: int
) -> None:
    """And no letter that still holds some of its bits is left."""
    coded = coder(b"x" * before + AWKWARD.encode() + b"y" * after).decode()
    left, mark, right = Redactor([AWKWARD]).clean(f'"{coded}"').partition("[redacted]")
    assert mark
    assert len(left) - 1 <= before * 8 // 6
    assert len(right.rstrip('="')) <= math.ceil(after * 8 / 6)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be", "utf-16"])
def test_bytes_are_cleaned_in_the_usual_encodings(encoding: str) -> None:
    """A log of another system may be written in UTF-16."""
    assert b"[redacted]" in Redactor([AWKWARD]).clean_bytes(f"in {AWKWARD} out".encode(encoding))


def test_other_ways_to_write_letters_and_line_ends_are_found() -> None:
    """A page may take accents apart, and a form sends CRLF."""
    net = Redactor(["caf\u00e9 au lait", "two\nlines"])
    assert net.clean("cafe\u0301 au lait, two\r\nlines, two%0D%0Alines") == (
        "[redacted], [redacted], [redacted]"
    )


@pytest.mark.promise("D3")
def test_no_tail_of_an_overlapping_value_is_left() -> None:
    """Both are removed as one, whichever was given first."""
    for values in (["abcdef", "defghi"], ["defghi", "abcdef"]):
        assert Redactor(values).clean("<abcdefghi>") == "<[redacted]>"


@pytest.mark.promise("D3")
def test_a_value_that_begins_another_leaves_no_rest_of_it() -> None:
    """The longer one is removed whole, and the shorter one by itself."""
    assert Redactor(["pass", "password"]).clean("password pass passwor") == (
        "[redacted] [redacted] [redacted]wor"
    )


@pytest.mark.parametrize(
    "value", ["redacted", "[redacted]", "]tail", "head[", "x[redacted]y", "ted]"]
)
def test_the_mark_itself_never_makes_a_value(value: str) -> None:
    """Another mark is taken if the usual one could be part of one."""
    net = Redactor([value, "hidden word"])
    cleaned = net.clean(f"head{value}hidden wordtail xhidden wordy [redacted]")
    assert value not in cleaned
    assert "hidden" not in cleaned


def test_without_any_safe_mark_the_values_are_cut_out() -> None:
    """Again, where the cut brings the halves of another one together."""
    net = Redactor(["[redacted]", "«redacted»", "⟦redacted⟧", "█abc", "wxyz"])
    assert net.clean("1 wxwxyzyz 2 █abc 3") == "1  2  3"


@pytest.mark.parametrize("value", ["", "a", "abc", "äöü"])
def test_a_value_that_is_too_short_is_refused_without_being_named(value: str) -> None:
    """It would redact everything."""
    with pytest.raises(ValueError, match=r"Value 2 of 2 .* fewer than 4") as caught:
        Redactor(["long enough", value])
    shown = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    mine = [frame for frame in shown.stack if frame.filename.endswith("redaction.py")]
    assert mine
    assert "long enough" not in str([frame.locals for frame in mine])


def test_half_a_surrogate_pair_is_refused() -> None:
    """It has no form in UTF-8 to look for."""
    with pytest.raises(ValueError, match="surrogate"):
        Redactor(["abcd\ud800"])


def test_a_net_shows_and_gives_away_nothing() -> None:
    """Neither printed nor pickled."""
    net = Redactor([Clear("hidden word"), "another"])
    assert repr(net) == "Net(2 values)"
    with pytest.raises(TypeError, match="clear values"):
        pickle.dumps(net)


def test_a_text_without_values_stays_as_it_is() -> None:
    """And a net without values lets everything through."""
    assert Redactor(["hidden word"]).clean("nothing \ud800 here") == "nothing \ud800 here"
    assert Redactor([]).clean("all") == "all"
    assert Redactor([]).clean_bytes(b"all") == b"all"


@pytest.mark.parametrize("value", ["a" * 50_000 + "b", "b" + "a" * 50_000, "ab" * 25_000 + "c"])
def test_cleaning_takes_time_in_proportion_to_the_text(value: str) -> None:
    """Comparing the value at every place would take minutes here."""
    net = Redactor([value])
    text = value[1:-1] * 20
    started = time.process_time()
    net.clean(text)
    assert time.process_time() - started < 5


def test_the_forms_of_a_canary_are_the_promised_ones() -> None:
    """UTF-8, UTF-16, JSON, both kinds of URL, HTML, hex, base64 at all three places."""
    forms = list_encoded_forms(AWKWARD)
    raw = AWKWARD.encode()
    assert forms["UTF-8"] == raw
    assert forms["UTF-16 LE"] == AWKWARD.encode("utf-16-le")
    assert forms["UTF-16 BE"] == AWKWARD.encode("utf-16-be")
    assert forms["JSON"] == json.dumps(AWKWARD)[1:-1].encode()
    assert forms["URL"] == urllib.parse.quote(AWKWARD, safe="").encode()
    assert forms["URL, form"] == urllib.parse.quote_plus(AWKWARD).encode()
    assert html.escape(AWKWARD).encode() in forms.values()
    assert {forms["hex"], forms["hex in capitals"]} == {
        raw.hex().encode(),
        raw.hex().upper().encode(),
    }
    for before in range(3):
        for after in range(3):
            coded = base64.b64encode(b"\xff" * before + raw + b"\xff" * after)
            assert forms[f"base64 at {before}"] in coded
            assert len(forms[f"base64 at {before}"]) >= len(raw) * 8 // 6 - 1


def test_a_canary_that_is_too_short_is_refused() -> None:
    """It would be found everywhere."""
    with pytest.raises(ValueError, match="fewer than 4"):
        list_encoded_forms("abc")
