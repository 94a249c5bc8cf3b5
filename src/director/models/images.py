"""Images as values, and their parts in the three wire forms.

An image is carried as it is: nothing here fetches, decodes or scales one.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from director.errors import DirectorError
from director.models.capabilities import Form

MEDIA_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_MAGIC = (
    ("image/png", re.compile(rb"\x89PNG\r\n\x1a\n")),
    ("image/jpeg", re.compile(rb"\xff\xd8\xff")),
    ("image/gif", re.compile(rb"GIF8[79]a")),
    ("image/webp", re.compile(rb"RIFF.{4}WEBP", re.DOTALL)),
)
_DATA_URL = re.compile(r"data:(?P<type>[^;,]*)(?:;[^;,]+)*;base64,(?P<body>.*)", re.DOTALL)
_NESTED = ("content", "output")


class ImageError(DirectorError, ValueError):
    """An image that cannot be sent, or a part that holds none."""


@dataclass(frozen=True, slots=True)
class Image:
    """An image: its bytes or its address. The media type is read from the bytes.

    A `data:` address is taken apart into bytes. `detail` is a wish that two of the forms know.
    """

    source: bytes | str = field(repr=False)
    media_type: str = ""
    detail: str = "auto"

    def __post_init__(self) -> None:
        if isinstance(self.source, str) and self.source.startswith("data:"):
            object.__setattr__(self, "source", _from_data_url(self.source))
        if isinstance(self.source, str):
            if not self.source.startswith(("https://", "http://")):
                raise ImageError("An image's address starts with https://, http:// or data:.")
            return
        kind = detect_image_type(self.source)
        stated = self.media_type.lower().replace("image/jpg", "image/jpeg")
        if stated and stated != kind:
            raise ImageError(f"These bytes are {kind}, not {self.media_type}.")
        object.__setattr__(self, "media_type", kind)

    @property
    def url(self) -> str:
        """Its address; bytes are put into a `data:` one."""
        if isinstance(self.source, str):
            return self.source
        return f"data:{self.media_type};base64,{_encode(self.source)}"


def detect_image_type(start: bytes) -> str:
    """The media type that the first bytes of an image say."""
    for kind, magic in _MAGIC:
        if magic.match(start):
            return kind
    raise ImageError(
        f"These bytes are no image that a model takes ({', '.join(MEDIA_TYPES)})."
        if start
        else "An image without any bytes."
    )


def make_image_part(image: Image, form: Form) -> dict[str, object]:
    """The part of a message that shows this image in a wire form."""
    return _WRITERS[form](image)


def list_image_parts(content: object) -> list[Image]:
    """All images in the content of a message or a result, in any wire form, in their order."""
    if isinstance(content, Mapping):
        image = _read(content)
        if image is not None:
            return [image]
        return [one for key in _NESTED for one in list_image_parts(content.get(key))]
    if isinstance(content, list | tuple):
        return [one for part in content for one in list_image_parts(part)]
    return []


def _responses(image: Image) -> dict[str, object]:
    return {"type": "input_image", "image_url": image.url, "detail": image.detail}


def _chat(image: Image) -> dict[str, object]:
    return {"type": "image_url", "image_url": {"url": image.url, "detail": image.detail}}


def _anthropic(image: Image) -> dict[str, object]:
    if isinstance(image.source, str):
        return {"type": "image", "source": {"type": "url", "url": image.source}}
    encoded = _encode(image.source)
    source = {"type": "base64", "media_type": image.media_type, "data": encoded}
    return {"type": "image", "source": source}


_WRITERS: Mapping[Form, Callable[[Image], dict[str, object]]] = {
    "responses": _responses,
    "chat": _chat,
    "anthropic": _anthropic,
}


def _read(part: Mapping[str, object]) -> Image | None:
    """The image that a part is, if it is one."""
    kind = part.get("type")
    if kind == "input_image":
        return _from_url(part.get("image_url"), part.get("detail"))
    if kind == "image_url":
        inner = part.get("image_url")
        if isinstance(inner, Mapping):
            return _from_url(inner.get("url"), inner.get("detail"))
        return _from_url(inner, None)
    if kind != "image":
        return None
    source = part.get("source")
    if not isinstance(source, Mapping):
        raise ImageError("An image part without its source.")
    if source.get("type") == "base64" and isinstance(source.get("data"), str):
        return Image(_decode(str(source["data"])), str(source.get("media_type") or ""))
    return _from_url(source.get("url"), None)


def _from_url(url: object, detail: object) -> Image:
    if not isinstance(url, str):
        raise ImageError(
            "This image is a file kept by its provider: only bytes and addresses can be carried."
        )
    return Image(url, detail=detail if isinstance(detail, str) else "auto")


def _from_data_url(url: str) -> bytes:
    match = _DATA_URL.fullmatch(url)
    if match is None:
        raise ImageError("A data: address of an image has the form data:image/png;base64,….")
    return _decode(match["body"])


def _encode(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")


def _decode(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise ImageError("The base64 of an image cannot be read.") from None
