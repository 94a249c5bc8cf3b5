"""The text of a PDF: from an approved address or a download, by page; hostile files end with words."""

from __future__ import annotations

import asyncio
import io
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader, PdfWriter

from browser.sites import Served, site
from director.browser import Browser, BrowserError, NotApproved, Origins
from director.browser.actions import run_action
from director.browser.pdf import read_pdf


def a_pdf(*pages: str) -> bytes:
    """A PDF of some lines, one on each page."""
    kids = " ".join(f"{4 + 2 * nth} 0 R" for nth in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for nth, line in enumerate(pages):
        drawn = f"BT /F1 12 Tf 72 720 Td ({line}) Tj ET"
        fonts = "/Resources << /Font << /F1 3 0 R >> >>"
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * nth} 0 R {fonts} >>",
            f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream",
        ]
    body = "%PDF-1.4\n"
    places = []
    for number, one in enumerate(objects, 1):
        places.append(len(body))
        body += f"{number} 0 obj\n{one}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    ends = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    return f"{body}xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{ends}".encode()


INVOICE = a_pdf("Invoice K4499", "Total 42 EUR", "Thank you")


def test_the_pages_that_are_named_are_read() -> None:
    """All of them if none is named; each with its number."""
    whole = asyncio.run(read_pdf(INVOICE))
    assert whole["count"] == 3
    assert "Total 42 EUR" in str(whole["text"])
    some = asyncio.run(read_pdf(INVOICE, "2-3"))
    assert [page["page"] for page in some["pages"]] == [2, 3]  # type: ignore[index, union-attr, call-overload]
    assert "K4499" not in str(some["text"])


def _closed() -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(INVOICE)))
    writer.encrypt("a password", algorithm="RC4-128")
    made = io.BytesIO()
    writer.write(made)
    return made.getvalue()


@pytest.mark.parametrize(
    ("content", "pages", "says"),
    [
        (b"<html>no</html>", "", "no PDF that can be read"),
        (INVOICE[: len(INVOICE) // 3], "", "no PDF that can be read"),
        (a_pdf(""), "", "holds no text"),
        (INVOICE, "7", "has 3 pages"),
        (INVOICE, "last", "names no pages"),
        (_closed(), "", "password"),
    ],
    ids=["html", "cut off", "empty", "beyond", "no number", "closed"],
)
def test_what_cannot_be_read_is_said(content: bytes, pages: str, says: str) -> None:
    """In words that say what it is, and nothing is made up."""
    with pytest.raises(BrowserError, match=says):
        asyncio.run(read_pdf(content, pages))


def test_an_address_and_a_download_are_read_and_others_are_refused(
    browser: Browser, run: Callable[[Any], None], tmp_path: Path
) -> None:
    """A redirect to an origin that is not approved is not followed: nothing arrives there."""
    attached = {"content-disposition": "attachment; filename=invoice.pdf"}
    with site({"/": Served("steal")}) as other, site() as home:
        home.pages = {
            "/": Served('<a id="get" href="/file">Get</a>'),
            "/invoice.pdf": Served(INVOICE, "application/pdf"),
            "/file": Served(INVOICE, "application/pdf", headers=attached),
            "/away": Served("", status=302, headers={"location": f"{other.origin}/"}),
        }

        async def visit() -> None:
            async with browser.session(Origins([home.origin]), downloads=tmp_path) as session:
                await session.navigate(f"{home.origin}/")
                read = {"action": "extractPdf", "source": f"{home.origin}/invoice.pdf"}
                assert "Total 42 EUR" in str((await run_action(session, read))["text"])
                await session.page().locator("#get").click()
                read = {"action": "extractPdf", "source": "invoice.pdf", "pages": "1"}
                assert "K4499" in str((await run_action(session, read))["text"])
                with pytest.raises(BrowserError, match="No file"):
                    await run_action(session, {"action": "extractPdf", "source": "../vault.key"})
                with pytest.raises(NotApproved):
                    await run_action(
                        session, {"action": "extractPdf", "source": f"{home.origin}/away"}
                    )

        run(visit())
        assert other.asked == []


@pytest.mark.skipif(sys.platform == "win32", reason="memory is bounded by the system there")
def test_a_file_that_takes_too_much_ends_with_words() -> None:
    """A stream that unpacks to gigabytes is given up, and this program goes on."""
    bomb = zlib.compress(b" " * 150_000_000, 9)
    head, tail = a_pdf("x").split(b"<< /Length", 1)
    stream = b"<< /Length %d /Filter /FlateDecode >>\nstream\n" % len(bomb)
    broken = head + stream + bomb + b"\nendstream" + tail.split(b"endstream", 1)[1]
    with pytest.raises(BrowserError):
        asyncio.run(read_pdf(broken))
