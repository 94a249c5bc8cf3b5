"""The program that reads a PDF from its input and writes its text as JSON; nothing else."""

from __future__ import annotations

import io
import json
import logging
import sys


def select_pages(wanted: str, count: int) -> list[int]:
    """The pages that `1-3,5` names, counted from 1; all if nothing is named."""
    if not wanted.strip():
        return list(range(1, count + 1))
    found: dict[int, None] = {}
    for part in wanted.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise ValueError(f"{wanted!r} names no pages; write them as 1-3 or 1,4.")
        span = range(int(first), int(last if dash else first) + 1)
        found |= dict.fromkeys(page for page in span if 0 < page <= count)
    if not found:
        raise ValueError(f"The PDF has {count} pages, and none of {wanted!r} is among them.")
    return list(found)


def read_pdf_pages(content: bytes, wanted: str) -> dict[str, object]:
    """The text by page, or the error in words."""
    try:
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError
    except ImportError:
        return {"error": "missing"}
    logging.disable()
    try:
        pdf = PdfReader(io.BytesIO(content))
        if pdf.is_encrypted and not pdf.decrypt(""):
            return {"error": "The PDF is closed with a password, so its text was not read."}
        count = len(pdf.pages)
        pages = [
            {"page": one, "text": pdf.pages[one - 1].extract_text()}
            for one in select_pages(wanted, count)
        ]
    except ValueError as mistake:
        return {"error": str(mistake)}
    except (PyPdfError, KeyError, TypeError, AttributeError, RecursionError) as damaged:
        return {"error": f"The file is no PDF that can be read: {damaged}."}
    text = "\n\n".join(str(page["text"]) for page in pages)
    if not text.strip():
        return {"error": "The PDF holds no text: it may be scanned pictures."}
    return {"text": text, "pages": pages, "count": count}


def main() -> None:
    """Read, within the memory that is allowed."""
    wanted, memory = sys.argv[1], int(sys.argv[2])
    try:
        import resource
    except ImportError:
        pass
    else:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    json.dump(read_pdf_pages(sys.stdin.buffer.read(), wanted), sys.stdout)


if __name__ == "__main__":
    main()
