"""Images go from one wire form to another as they are."""

from __future__ import annotations

import base64
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from director.models.capabilities import Form
from director.models.images import (
    Image,
    ImageError,
    detect_image_type,
    list_image_parts,
    make_image_part,
)

PNG = b"\x89PNG\r\n\x1a\n" + b"\x00" * 8
STARTS = {
    "image/png": PNG,
    "image/jpeg": b"\xff\xd8\xff\xe0....",
    "image/gif": b"GIF89a....",
    "image/webp": b"RIFF\n\x00\n\x00WEBPVP8 ",
}
FORMS: tuple[Form, ...] = ("responses", "chat", "anthropic")
WEB = "https://example.org/a.png"


@pytest.mark.parametrize("kind", STARTS)
def test_the_bytes_say_what_kind_of_image_they_are(kind: str) -> None:
    """Nobody has to say it beside them."""
    assert detect_image_type(STARTS[kind]) == Image(STARTS[kind]).media_type == kind


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("source", [*STARTS.values(), WEB])
def test_an_image_comes_back_from_every_form(form: Form, source: bytes | str) -> None:
    """By its bytes or by its address."""
    image = Image(source)
    assert list_image_parts([make_image_part(image, form)]) == [image]


@given(st.sampled_from(list(STARTS.values())), st.binary(), st.permutations(FORMS))
def test_an_image_survives_any_way_through_the_forms(
    start: bytes, rest: bytes, way: list[Form]
) -> None:
    """Byte for byte."""
    image = Image(start + rest)
    for form in way:
        (image,) = list_image_parts(make_image_part(image, form))
    assert image.source == start + rest


def test_the_three_forms_are_those_of_the_wire() -> None:
    """Each provider has its own."""
    encoded = base64.b64encode(PNG).decode()
    url = f"data:image/png;base64,{encoded}"
    image = Image(PNG, detail="low")
    assert make_image_part(image, "responses") == {
        "type": "input_image",
        "image_url": url,
        "detail": "low",
    }
    assert make_image_part(image, "chat") == {
        "type": "image_url",
        "image_url": {"url": url, "detail": "low"},
    }
    assert make_image_part(image, "anthropic") == {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": encoded},
    }
    assert make_image_part(Image(WEB), "anthropic") == {
        "type": "image",
        "source": {"type": "url", "url": WEB},
    }


def test_images_inside_results_are_found_in_their_order() -> None:
    """A tool's result may hold them, in each form."""
    one, two, three = Image(WEB), Image(PNG), Image(STARTS["image/gif"])
    content = [
        {"type": "text", "text": "look"},
        {
            "type": "tool_result",
            "tool_use_id": "t",
            "content": [{"type": "text", "text": "x"}, make_image_part(one, "anthropic")],
        },
        {"type": "function_call_output", "output": [make_image_part(two, "responses")]},
        {"role": "user", "content": [make_image_part(three, "chat")]},
    ]
    assert list_image_parts(content) == [one, two, three]


@pytest.mark.parametrize("content", ["text", None, [], {}, [{"type": "text", "text": "x"}], 3])
def test_where_no_image_is_none_is_found(content: object) -> None:
    """Text and nothing are content too."""
    assert list_image_parts(content) == []


@pytest.mark.parametrize(
    ("source", "kind", "complaint"),
    [
        (b"", "", "without any bytes"),
        (b"%PDF-1.7", "", "no image that a model takes (image/png, image/jpeg"),
        (PNG, "image/gif", "These bytes are image/png, not image/gif"),
        ("a.png", "", "starts with https://"),
        ("file:///etc/passwd", "", "starts with https://"),
        ("data:image/png,abc", "", "has the form data:image/png;base64"),
        ("data:image/png;base64,%%%", "", "base64 of an image cannot be read"),
    ],
)
def test_what_is_no_image_is_refused_with_the_reason(
    source: bytes | str, kind: str, complaint: str
) -> None:
    """Before it is sent anywhere."""
    with pytest.raises(ImageError, match=re.escape(complaint)):
        Image(source, kind)


def test_jpg_is_a_jpeg() -> None:
    """A common slip that means no other thing."""
    assert Image(STARTS["image/jpeg"], "image/jpg").media_type == "image/jpeg"


@pytest.mark.parametrize(
    "part",
    [
        {"type": "input_image", "file_id": "file_1"},
        {"type": "image", "source": {"type": "file", "file_id": "file_1"}},
        {"type": "image"},
        {"type": "image_url", "image_url": None},
    ],
)
def test_an_image_that_cannot_be_carried_is_not_lost_silently(part: object) -> None:
    """A file kept by one provider means nothing to another."""
    with pytest.raises(ImageError):
        list_image_parts([part])


def test_the_bytes_of_an_image_are_in_no_repr() -> None:
    """Logs stay readable."""
    assert "PNG" not in repr(Image(PNG))
